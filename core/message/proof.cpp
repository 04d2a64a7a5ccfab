// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/proof.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tidemark::diagnose {
namespace {

constexpr std::int64_t kIntelBlock = 4LL << 30; ///< Knowledge: "per-block limit (Intel 4 GB)".
constexpr std::int64_t kRound = 2LL << 20; ///< The allocator asks the driver for multiples of it,
constexpr std::int64_t kExact = 20LL << 20; ///< and above this the request shows through.

std::optional<PrintedRange> rangeOf(const OomMessage& message, std::string_view name,
                                    const std::optional<Bytes>& field)
{
    if (!field) {
        return std::nullopt;
    }
    if (const PrintedFigure* figure = message.figure(name)) {
        return PrintedRange{figure->low.value, figure->bytes.value, figure->high.value};
    }
    return PrintedRange{field->value, field->value, field->value};
}

PrintedRange atLeastZero(PrintedRange range)
{
    return {std::max<std::int64_t>(0, range.low), std::max<std::int64_t>(0, range.mid),
            std::max<std::int64_t>(0, range.high)};
}

void proveReserved(const OomMessage& m, MessageProof& proof)
{
    const auto cached = rangeOf(m, "cached", m.cached);
    const auto unallocated = rangeOf(m, "unallocated", m.unallocated);
    proof.unallocated = unallocated ? unallocated : cached;
    proof.reserved = rangeOf(m, "reserved", m.reserved);
    if (!proof.reserved && proof.allocated && proof.unallocated) {
        proof.reserved = *proof.allocated + *proof.unallocated;
    }
    if (!proof.unallocated && proof.reserved && proof.allocated) {
        proof.unallocated = atLeastZero(*proof.reserved - *proof.allocated);
    }
    if (proof.reserved && proof.reserved->mid > 0) {
        proof.cached_share = proof.unallocated
            ? static_cast<double>(proof.unallocated->mid) / static_cast<double>(proof.reserved->mid)
            : 0;
    }
}

/// Of a list of all processes on the card, the one whose use is nearest to what the message says of
/// this process. One that is far from it counts all the same where the card has no room for both.
const MessageProcess* nearestTo(std::int64_t own, const OomMessage& m, const MessageProof& proof)
{
    const auto distance = [own](const MessageProcess& process) {
        return std::llabs((process.in_use ? process.in_use->value : 0) - own);
    };
    const auto nearest = std::ranges::min_element(m.processes, {}, distance);
    if (nearest == m.processes.end()) {
        return nullptr;
    }
    std::int64_t listed = 0;
    for (const MessageProcess& process : m.processes) {
        listed += process.in_use ? process.in_use->value : 0;
    }
    const bool has_no_room = proof.total && proof.free
        && listed + own > proof.total->high - proof.free->low + kUsualOutside / 2;
    const bool is_near = distance(*nearest) < std::max(kUsualOutside / 4, own / 10);
    return is_near || has_no_room ? &*nearest : nullptr;
}

/// In containers the own process is listed under a foreign id: it is the one that uses what PyTorch
/// reserved and a context more, or, where the card has no room for this one beside all that are
/// listed, the smallest that may be it. Where that cannot be told and one process is listed, it is
/// this one, because this one uses the card.
const MessageProcess* ownAmong(const OomMessage& m, Listed listed_are, const MessageProof& proof)
{
    if (m.this_process && listed_are == Listed::every) {
        return nearestTo(m.this_process->value, m, proof);
    }
    if (m.this_process || m.this_process_unknown || m.processes.empty()) {
        return nullptr;
    }
    if (!proof.reserved) {
        return m.processes.size() == 1 ? &m.processes.front() : nullptr;
    }
    const std::int64_t most_outside =
        std::max(2 * kUsualOutside, proof.total ? proof.total->mid / 10 : 0);
    std::int64_t listed = 0;
    for (const MessageProcess& process : m.processes) {
        listed += process.in_use ? process.in_use->value : 0;
    }
    const bool has_no_room = proof.total && proof.free && !proof.above_capacity
        && listed + proof.reserved->low > proof.total->high - proof.free->low;
    const MessageProcess* own = nullptr;
    for (const MessageProcess& process : m.processes) {
        const std::int64_t used = process.in_use ? process.in_use->value : 0;
        const std::int64_t excess = used - proof.reserved->mid;
        const bool may_be_own =
            used >= proof.reserved->low && (excess < most_outside || has_no_room);
        if (may_be_own && (own == nullptr || used < own->in_use->value)) {
            own = &process;
        }
    }
    return own;
}

void proveProcesses(const OomMessage& m, Listed listed_are, MessageProof& proof)
{
    const MessageProcess* const listed = ownAmong(m, listed_are, proof);
    auto own = rangeOf(m, "this_process", m.this_process);
    if (!own && listed != nullptr && listed->in_use) {
        own = PrintedRange{listed->in_use->value, listed->in_use->value, listed->in_use->value};
    }
    proof.own = own;
    proof.own_is_listed = listed != nullptr;
    if (own && proof.reserved) {
        proof.own_outside = atLeastZero(*own - *proof.reserved);
    }
    PrintedRange others;
    for (const MessageProcess& process : m.processes) {
        if (&process == listed) {
            continue;
        }
        const std::int64_t used = process.in_use ? process.in_use->value : 0;
        others = others + PrintedRange{used, used, used};
        ++proof.other_count;
        const std::int64_t mine = own ? own->mid : proof.reserved ? proof.reserved->mid : 0;
        const bool is_sibling = mine > 0 && std::llabs(used - mine) < mine / 6;
        proof.has_sibling |= is_sibling;
        proof.all_are_siblings = is_sibling && (proof.all_are_siblings || proof.other_count == 1);
    }
    if (proof.other_count > 0) {
        proof.others = others;
    }
    if (proof.total && proof.free && own) {
        proof.unnamed = atLeastZero(*proof.total - *proof.free - *own - others);
    }
    if (proof.total && proof.free && proof.reserved && !proof.above_capacity) {
        proof.outside = atLeastZero(*proof.total - *proof.free - *proof.reserved);
    }
}

void proveFragmentation(MessageProof& proof)
{
    if (!proof.tried || !proof.unallocated || proof.above_capacity) {
        return;
    }
    const PrintedRange& tried = *proof.tried;
    if (proof.unallocated->low >= tried.high) {
        proof.fragmentation = FragmentationProof::proven;
        return;
    }
    if (!proof.free) {
        return;
    }
    const PrintedRange usable = *proof.unallocated + *proof.free;
    if (usable.high < tried.low) {
        proof.fragmentation = FragmentationProof::excluded;
        proof.short_by = tried - usable;
    } else {
        proof.fragmentation = FragmentationProof::possible;
    }
}

/// What the allocator asks the driver for, for a tensor of so many bytes.
long double roundedUp(long double bytes)
{
    if (bytes < static_cast<long double>(kExact / 2)) {
        return 0; // printed as 2 or 20 MiB whatever it was
    }
    const auto units = static_cast<std::int64_t>((bytes + kRound - 1) / kRound);
    return static_cast<long double>(units) * kRound;
}

bool isAskedFor(const PrintedRange& tried, long double bytes)
{
    if (bytes > 0x1p62L) {
        return false;
    }
    const long double asked = roundedUp(bytes);
    return asked >= static_cast<long double>(tried.low)
        && asked <= static_cast<long double>(tried.high);
}

/// The whole numbers of tokens that make a request of logits so wide; empty where there is none.
struct TokenRange {
    std::int64_t low = 0;
    std::int64_t high = -1;
};
TokenRange tokensOf(const PrintedRange& tried, std::int64_t vocabulary, int width)
{
    const std::int64_t of_one = vocabulary * width;
    // The request is rounded up by less than one unit.
    return {(tried.low - kRound) / of_one + 1, tried.high / of_one};
}

/// The smallest multiple of `step` in a range of tokens that is narrow enough to mean something.
std::optional<std::int64_t> roundTokens(const TokenRange& tokens, std::int64_t step)
{
    const std::int64_t multiple = (tokens.low + step - 1) / step * step;
    return tokens.low > 0 && multiple <= tokens.high && (tokens.high - tokens.low) * 16 < step
        ? std::optional(multiple)
        : std::nullopt;
}

/// Logits whose width follows from the model's name, of a round number of tokens: a stated batch of
/// sequences that are multiples of 128, or without one multiples of 2,048.
std::optional<SizeMatch> matchByName(const PrintedRange& tried, const StatedFactors& factors)
{
    static constexpr std::int64_t kSequenceStep = 128;
    static constexpr std::int64_t kTokenStep = 2048;
    static constexpr double kOfStatedBatch = 0.75;
    static constexpr double kOfRoundTokens = 0.6;
    for (const auto& [family, size] : factors.named_vocabularies) {
        for (const int width : {2, 4}) {
            const TokenRange tokens = tokensOf(tried, size, width);
            for (const std::int64_t b : factors.batch) {
                if (const auto all = roundTokens(tokens, b * kSequenceStep)) {
                    return SizeMatch{true,
                                     say("{} × {} tokens × a vocabulary of {} ({}'s) × {} B",
                                         formatCount(b), formatCount(*all / b), formatCount(size),
                                         family, width),
                                     kOfStatedBatch};
                }
            }
            if (const auto all = roundTokens(tokens, kTokenStep)) {
                return SizeMatch{true,
                                 say("{} tokens × a vocabulary of {} ({}'s) × {} B",
                                     formatCount(*all), formatCount(size), family, width),
                                 kOfRoundTokens};
            }
        }
    }
    return std::nullopt;
}

} // namespace

MessageProof prove(const OomMessage& m, Listed listed)
{
    MessageProof proof;
    proof.tried = rangeOf(m, "tried", m.tried);
    proof.total = rangeOf(m, "total", m.total);
    proof.free = rangeOf(m, "free", m.free);
    proof.allocated = rangeOf(m, "allocated", m.allocated);
    proof.allowed = rangeOf(m, "allowed", m.allowed);
    proveReserved(m, proof);
    proof.above_capacity = proof.total
        && ((proof.allocated && proof.allocated->low > proof.total->high)
            || (proof.reserved && proof.reserved->low > proof.total->high));
    proveProcesses(m, listed, proof);
    if (proof.tried) {
        proof.larger_than_card = proof.total && proof.tried->low > proof.total->high;
        // A little more than was asked for may have become free since, where others use the card.
        proof.free_was_enough = proof.free && proof.free->low >= proof.tried->high
            && (!proof.total || proof.free->mid >= proof.total->mid / 20);
        if (proof.allowed) {
            const auto other = rangeOf(m, "other", m.other);
            const PrintedRange own = proof.reserved ? *proof.reserved
                : proof.allocated                   ? *proof.allocated
                                                    : PrintedRange{};
            proof.held = other ? own + *other : own;
            proof.reaches_limit = (*proof.held + *proof.tried).high >= proof.allowed->low;
            proof.limit_is_usual = m.backend == "MPS";
            proof.own_outside = proof.own_outside ? proof.own_outside : other;
        }
    }
    const bool is_full = proof.total && proof.allocated && proof.tried
        && (*proof.allocated + *proof.tried).high > proof.total->low;
    proof.may_hit_block_limit = m.backend == "XPU" && proof.tried
        && proof.tried->high >= kIntelBlock && !proof.larger_than_card && !is_full;
    if (proof.tried && proof.free && proof.free->high < proof.tried->low) {
        proof.beyond_free = *proof.tried - *proof.free;
    }
    const auto in_use = rangeOf(m, "in_use", m.in_use);
    if (in_use && proof.total && proof.free) {
        proof.unaccounted = atLeastZero(*proof.total - *in_use - *proof.free);
    }
    proveFragmentation(proof);
    return proof;
}

OomMessage completedBy(const OomMessage& message, const std::vector<MemoryReading>& readings,
                       std::vector<std::string>& added)
{
    OomMessage full = message;
    if (message.is_bare) {
        return full;
    }
    // Of several cards' tables only that of the message's card speaks of it.
    const auto is_about_it = [&](const MemoryReading& reading) {
        if (reading.gpu && message.gpu) {
            return *reading.gpu == *message.gpu;
        }
        return std::ranges::all_of(readings, [&](const MemoryReading& other) {
            return other.source != reading.source || other.gpu == reading.gpu;
        });
    };
    const auto fill = [&](std::optional<Bytes> OomMessage::*field, std::string_view name,
                          const MemoryReading& reading) {
        if (!(full.*field)) {
            full.*field = reading.bytes;
            full.printed.push_back({std::string(name), reading.bytes, reading.low, reading.high});
            added.emplace_back(name);
        }
    };
    for (const MemoryReading& reading : readings) {
        if (!is_about_it(reading)) {
            continue;
        }
        if (reading.source == "nvidia-smi" && reading.what == "total") {
            fill(&OomMessage::total, "total", reading);
        } else if (reading.source == "nvidia-smi" && reading.what == "free" && !message.allocated) {
            fill(&OomMessage::free, "free", reading);
        } else if (reading.source == "memory_summary" && reading.what == "allocated") {
            fill(&OomMessage::allocated, "allocated", reading);
        } else if (reading.source == "memory_summary" && reading.what == "reserved"
                   && !message.unallocated && !message.cached) {
            fill(&OomMessage::reserved, "reserved", reading);
        } else if (reading.source == "nvidia-smi" && reading.what == "process" && reading.pid
                   && message.processes.empty()) {
            full.processes.push_back({*reading.pid, reading.bytes});
        }
    }
    if (full.processes.size() > message.processes.size()) {
        added.emplace_back("processes");
    }
    return full;
}

std::optional<SizeMatch> matchSize(const OomMessage& message, const StatedFactors& factors)
{
    static constexpr std::size_t kMostProducts = 200; // with more, chance alone would match
    const auto tried = rangeOf(message, "tried", message.tried);
    const std::size_t tokens = factors.batch.size() * factors.sequence.size();
    if (!tried || tried->low < kExact
        || tokens * (2 * factors.vocabulary.size() + 3 * factors.heads.size()) > kMostProducts) {
        return std::nullopt;
    }
    for (const std::int64_t b : factors.batch) {
        for (const std::int64_t s : factors.sequence) {
            const long double count = static_cast<long double>(b) * s;
            for (const std::int64_t v : factors.vocabulary) {
                for (const int width : {2, 4}) {
                    if (isAskedFor(*tried, count * v * width)) {
                        return SizeMatch{true,
                                         say("{} × {} tokens × a vocabulary of {} × {} B",
                                             formatCount(b), formatCount(s), formatCount(v),
                                             width)};
                    }
                }
            }
            for (const std::int64_t h : factors.heads) {
                for (const int width : {1, 2, 4}) {
                    if (isAskedFor(*tried, count * s * h * width)) {
                        return SizeMatch{false,
                                         say("{} × {} heads × {}² × {} B", formatCount(b),
                                             formatCount(h), formatCount(s), width)};
                    }
                }
            }
        }
    }
    return matchByName(*tried, factors);
}

} // namespace tidemark::diagnose
