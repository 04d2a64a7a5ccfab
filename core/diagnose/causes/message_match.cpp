// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/message_match.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/message/log_findings.h"
#include "core/replay/block_sizes.h"

#include <algorithm>
#include <cstdlib>

namespace tidemark::diagnose {
namespace {

/// Whether a figure, as far as it was printed, leaves room for an amount; `slack` bytes more.
bool mayBe(const OomMessage& message, std::string_view name, std::int64_t amount,
           std::int64_t slack = 0)
{
    const PrintedFigure* figure = message.figure(name);
    return figure == nullptr
        || (amount >= figure->low.value - slack && amount <= figure->high.value + slack);
}

/// Of what PyTorch had reserved, where the message tells it.
std::optional<Bytes> reservedOf(const OomMessage& message)
{
    if (message.reserved) {
        return message.reserved;
    }
    if (message.allocated && message.unallocated && !message.private_pools) {
        return *message.allocated + *message.unallocated;
    }
    return std::nullopt;
}

} // namespace

MessageKeys messageKeysOf(const Analysis& analysis, std::size_t device)
{
    const trace::Snapshot& snapshot = *analysis.snapshot;
    const trace::Device& traced = snapshot.devices[device];
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    MessageKeys keys;
    keys.device = traced.index;
    if (snapshot.capture) {
        keys.rank = snapshot.capture->rank;
        const trace::CaptureDevice* const captured = snapshot.capture->device(traced.index);
        keys.total = captured != nullptr ? captured->total : std::nullopt;
    }
    if (!replay.ooms.empty()) {
        const EventId oom = replay.ooms.back();
        keys.free = traced.events.deviceFree(oom);
        keys.tried = replay::segmentSizeFor(replay::roundToBlock(traced.events.size[oom.index()]));
        keys.reserved = replay.reservedAt(StateId::before(oom));
    }
    return keys;
}

std::string whyOfAnotherCard(const OomMessage& message, const MessageKeys& keys)
{
    if (message.gpu && keys.device >= 0 && *message.gpu != keys.device) {
        return say("it names GPU {}, this is device {}", *message.gpu, keys.device);
    }
    if (message.rank && keys.rank && *message.rank != *keys.rank) {
        return say("it is from rank {}, this file from rank {}", *message.rank, *keys.rank);
    }
    if (keys.total && message.total && !mayBe(message, "total", keys.total->value)) {
        return say("its GPU has {}, this one {}", *message.total, *keys.total);
    }
    return {};
}

std::string whyOfAnotherMoment(const OomMessage& message, const MessageKeys& keys)
{
    static constexpr std::int64_t kSteps = 20LL << 20; // how coarsely segments are asked for
    static constexpr std::int64_t kFarShare =
        50; // a fiftieth: two tables of one moment agree better
    if (keys.free && !mayBe(message, "free", keys.free->value)) {
        return say("it has {} free, this one {}", *message.free, *keys.free);
    }
    if (keys.tried && message.tried && !mayBe(message, "tried", keys.tried->value, kSteps)) {
        return say("it requested {}, this one {}", *message.tried, *keys.tried);
    }
    const std::optional<Bytes> reserved = reservedOf(message);
    if (keys.reserved && reserved
        && std::abs(reserved->value - keys.reserved->value)
            > kSteps + keys.reserved->value / kFarShare) {
        return say("it has {} reserved, this one {}", *reserved, *keys.reserved);
    }
    return {};
}

std::optional<OomMessage> messageFor(const Analysis& analysis, const MessageKeys& keys)
{
    LogFindings findings = readLog(analysis.message());
    if (!findings.main) {
        return std::nullopt;
    }
    const auto isOfThis = [&](const OomMessage& message) {
        return message.free && keys.free && whyOfAnotherCard(message, keys).empty()
            && whyOfAnotherMoment(message, keys).empty();
    };
    OomMessage& main = findings.messages[*findings.main];
    if (isOfThis(main)) {
        return std::move(main);
    }
    // A log of many ranks has a message of each; the last one need not be this one's.
    const auto found = std::find_if(findings.messages.rbegin(), findings.messages.rend(), isOfThis);
    return found == findings.messages.rend() ? std::move(main) : std::move(*found);
}

} // namespace tidemark::diagnose
