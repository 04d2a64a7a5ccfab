// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/diagnose/causes.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

/// A CUDA context, NCCL and library workspaces take up to about this much of any process.
constexpr std::int64_t kUsualOutside = 2LL << 30;

std::int64_t valueOf(const std::optional<Bytes>& bytes)
{
    return bytes ? bytes->value : 0;
}

/// Reserved by this process as the message has it, else as the trace has it.
std::int64_t reservedOf(const CauseInput& in)
{
    const OomMessage& t = *in.facts.message;
    if (t.reserved) {
        return t.reserved->value;
    }
    if (t.allocated && (t.unallocated || t.cached)) {
        return t.allocated->value + valueOf(t.unallocated) + valueOf(t.cached);
    }
    return in.facts.moment.reserved.value;
}

struct Others {
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    std::int64_t least = 0; ///< Of one of them.
    std::int64_t most = 0;
};

/// Processes of the message that are not this one. In containers the own process is listed under a
/// foreign id: it is the one that uses what PyTorch reserved and a context more.
Others othersOf(const CauseInput& in)
{
    Others others;
    if (!in.facts.message) {
        return others;
    }
    const OomMessage& t = *in.facts.message;
    const std::int64_t own = reservedOf(in);
    bool own_found = t.this_process.has_value();
    for (const MessageProcess& p : t.processes) {
        const std::int64_t used = valueOf(p.in_use);
        if (!own_found && used >= own && used - own < kUsualOutside) {
            own_found = true;
            continue;
        }
        others.bytes += used;
        others.least = others.count == 0 ? used : std::min(others.least, used);
        others.most = std::max(others.most, used);
        ++others.count;
    }
    return others;
}

/// Neither free nor reserved, nor another process's that is named.
std::int64_t outsideOf(const CauseInput& in)
{
    if (!in.facts.message || !in.facts.message->total || !in.facts.message->free) {
        return 0;
    }
    const OomMessage& t = *in.facts.message;
    return std::max<std::int64_t>(
        0, t.total->value - t.free->value - reservedOf(in) - othersOf(in).bytes);
}

/// What of this process lies outside PyTorch's allocator, as far as the message says.
std::int64_t nonPytorchOf(const CauseInput& in)
{
    if (!in.facts.message || !in.facts.message->this_process) {
        return 0;
    }
    return std::max<std::int64_t>(0, in.facts.message->this_process->value - reservedOf(in));
}

/// Criterion: the message says "allowed", and reserved plus what was tried exceeds it.
void addFraction(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const Moment& m = in.facts.moment;
    if (!in.facts.message || !in.facts.message->allowed || !in.facts.isOom()) {
        return;
    }
    const OomMessage& t = *in.facts.message;
    const std::int64_t tried = t.tried ? t.tried->value : m.tried.value;
    // The printed figures are rounded to a hundredth of their unit.
    if (static_cast<double>(reservedOf(in) + tried)
        < 0.99 * static_cast<double>(t.allowed->value)) {
        return;
    }
    // A limit is to blame only where the driver had room; else the card was full as well.
    const std::int64_t free = t.free ? t.free->value : m.device_free.value;
    CauseWriter writer(out, in, Cause::memory_fraction, free >= tried ? 0.96 : 0.4);
    writer.set("allowed", sizeText(*t.allowed))
        .set("reserved", sizeText({reservedOf(in)}))
        .set("tried", sizeText({tried}))
        .set("free", sizeText({free}))
        .say("allowed", m.state);
    if (free >= tried) {
        writer.say("free");
    }
}

/// Criterion: every other process that the message names holds as much as this one, as ranks of one
/// job do that were all put on the same card.
void addDuplicates(const CauseInput& in, const Others& others, std::vector<CauseFinding>& out)
{
    static constexpr double kAlike = 0.15;
    const OomMessage& t = *in.facts.message;
    const std::int64_t own = t.this_process ? t.this_process->value : reservedOf(in);
    const auto isLikeOwn = [&](std::int64_t used) {
        return std::abs(static_cast<double>(used - own)) <= kAlike * static_cast<double>(own);
    };
    if (others.count == 0 || own < kUsualOutside / 4 || !isLikeOwn(others.least)
        || !isLikeOwn(others.most)) {
        return;
    }
    CauseWriter writer(out, in, Cause::duplicate_ranks, 0.96);
    writer.set("count", formatCount(others.count))
        .set("bytes", sizeText({others.bytes / others.count}))
        .set("own", sizeText({own}))
        .say("alike");
}

/// Criterion: others named by the message hold at least what was missing, and a good part of the
/// card; or, where no process is named, far more of the card than a context takes is neither free
/// nor ours.
void addOthers(const CauseInput& in, std::vector<CauseFinding>& out)
{
    if (!in.facts.message || !in.facts.message->total || in.facts.message->total->value <= 0) {
        return;
    }
    const auto total = static_cast<double>(in.facts.message->total->value);
    const Others others = othersOf(in);
    if (others.bytes > kUsualOutside / 4 && others.bytes >= in.facts.moment.tried.value) {
        const double share = static_cast<double>(others.bytes) / total;
        CauseWriter writer(out, in, Cause::other_process, std::min(0.95, 0.35 + 1.2 * share));
        writer
            .set("count",
                 others.count == 1 ? "another process" : formatCount(others.count) + " others")
            .set("bytes", sizeText({others.bytes}))
            .say("processes");
    }
    addDuplicates(in, others, out);
    const std::int64_t outside = outsideOf(in);
    const bool own_is_known = in.facts.message->this_process.has_value();
    if (!own_is_known && in.facts.message->processes.empty() && outside > kUsualOutside) {
        const double share = static_cast<double>(outside) / total;
        CauseWriter writer(out, in, Cause::other_process, std::min(0.95, 0.25 + share));
        writer.set("bytes", sizeText({outside})).say("outside");
    }
    const std::int64_t gap = nonPytorchOf(in);
    if (own_is_known && gap > kUsualOutside) {
        const double share = static_cast<double>(gap) / total;
        CauseWriter writer(out, in, Cause::non_pytorch_memory, std::min(0.95, 0.35 + 1.2 * share));
        writer.set("process", sizeText(*in.facts.message->this_process))
            .set("reserved", sizeText({reservedOf(in)}))
            .say("gap");
    }
}

/// Criterion: free bytes inside private pools would have held the request, which came from outside.
void addPools(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const Moment& m = in.facts.moment;
    std::int64_t in_pools = in.facts.replay.privateCachedAt(m.state).value;
    if (in.facts.message && in.facts.message->private_pools) {
        in_pools = std::max(in_pools, in.facts.message->private_pools->value);
    }
    const double share = in.share(in_pools);
    if (m.is_oom && in_pools >= m.requested.value && share > 0.05) {
        CauseWriter writer(out, in, Cause::private_pools, std::min(0.9, 0.4 + 2 * share));
        writer.set("bytes", sizeText({in_pools})).say("cached", m.state);
    }
}

/// Criterion: more is reserved than the card has, so part of it is not resident.
void addVirtual(const CauseInput& in, std::vector<CauseFinding>& out)
{
    if (!in.facts.message || !in.facts.message->total) {
        return;
    }
    const Bytes total = *in.facts.message->total;
    const std::int64_t reserved = std::max(reservedOf(in), valueOf(in.facts.message->allocated));
    if (reserved > total.value) {
        CauseWriter writer(out, in, Cause::virtual_only, 0.5);
        writer.set("reserved", sizeText({reserved}))
            .set("total", sizeText(total))
            .say("over", in.facts.moment.state);
    }
}

/// Criterion: the driver had more free than it was asked for, and no limit is known.
void addUnexplained(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const Moment& m = in.facts.moment;
    const bool limit_known = in.facts.message && in.facts.message->allowed;
    if (m.is_oom && m.device_free >= m.tried && !limit_known) {
        CauseWriter writer(out, in, Cause::unclear, 0.9);
        writer.say("free", m.state);
    }
}

/// Criterion: max_split_size forbids using cached blocks that would have held the request.
void addSplitSetting(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const Moment& m = in.facts.moment;
    const auto& limit = in.facts.snapshot.settings.max_split_size_bytes;
    if (!m.is_oom || !limit || *limit <= 0 || m.requested.value >= *limit) {
        return;
    }
    if (m.largest_hole.value >= *limit && m.largest_hole >= m.requested) {
        CauseWriter writer(out, in, Cause::allocator_setting, 0.93);
        writer.set("limit", sizeText({*limit})).say("split", m.state);
    }
}

} // namespace

void addLimitFigures(const CauseInput& in, Cause cause, Figures& figures)
{
    if (!in.facts.message) {
        return;
    }
    const Others others = othersOf(in);
    const std::int64_t held = others.bytes > 0 ? others.bytes : outsideOf(in);
    const auto total =
        static_cast<double>(std::max<std::int64_t>(1, valueOf(in.facts.message->total)));
    figures["share"] = formatPercent(static_cast<double>(held) / total);
    figures["bytes"] = sizeText({cause == Cause::non_pytorch_memory ? nonPytorchOf(in) : held});
    figures["allowed"] = sizeText({valueOf(in.facts.message->allowed)});
}

void addLimitCauses(const CauseInput& in, std::vector<CauseFinding>& out)
{
    addFraction(in, out);
    addOthers(in, out);
    addPools(in, out);
    addVirtual(in, out);
    addUnexplained(in, out);
    addSplitSetting(in, out);
}

} // namespace tidemark::diagnose
