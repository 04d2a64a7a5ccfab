// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/study.h"
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/causes.h"
#include "core/diagnose/causes/message_match.h"
#include "core/message/proof.h"

#include <algorithm>
#include <optional>

namespace tidemark::diagnose {
namespace {

/// Processes that a message of another moment names need not be those of this one.
constexpr double kOfAnotherMoment = 0.75;

/// What the message proves. The card's size and a limit hold at any moment; what the message leaves
/// out, and all that changes where it is of another moment, is taken from the trace.
struct MessageLimits {
    OomMessage message;
    MessageProof proof;
    double most_for_processes = 1; ///< Scores of what processes hold are at most this.

    [[nodiscard]] std::int64_t reserved() const
    {
        return proof.reserved ? proof.reserved->mid : 0;
    }
};

std::optional<MessageLimits> limitsOf(const CauseInput& in)
{
    if (!in.facts.message) {
        return std::nullopt;
    }
    const Moment& m = in.facts.moment;
    MessageLimits limits{*in.facts.message, {}, 1};
    OomMessage& t = limits.message;
    if (m.is_oom
        && !whyOfAnotherMoment(t, messageKeysOf(in.facts.analysis, in.facts.index)).empty()) {
        limits.most_for_processes = kOfAnotherMoment;
        for (const auto field :
             {&OomMessage::tried, &OomMessage::free, &OomMessage::allocated, &OomMessage::reserved,
              &OomMessage::cached, &OomMessage::unallocated, &OomMessage::this_process}) {
            (t.*field).reset();
        }
        std::erase_if(t.printed, [](const PrintedFigure& figure) {
            return figure.name != "total" && figure.name != "allowed";
        });
    }
    const bool tells_reserved = t.reserved || (t.allocated && (t.unallocated || t.cached));
    t.reserved = tells_reserved ? t.reserved : m.reserved;
    if (m.is_oom) {
        t.tried = t.tried ? t.tried : m.tried;
        t.free = t.free ? t.free : m.device_free;
    }
    limits.proof = prove(t);
    return limits;
}

/// Whether the driver had as much free as was asked of it: then nothing that others hold is to
/// blame.
bool hadRoom(const MessageProof& proof)
{
    return proof.free && proof.tried && proof.free->mid >= proof.tried->mid;
}

/// Criterion: the message says "allowed", and reserved plus what was tried exceeds it.
void addFraction(const CauseInput& in, const MessageLimits& limits, std::vector<CauseFinding>& out)
{
    const MessageProof& proof = limits.proof;
    if (!proof.reaches_limit || !in.facts.isOom()) {
        return;
    }
    // A limit is to blame only where the driver had room; else the card was full as well.
    const bool had_room = hadRoom(proof);
    CauseWriter writer(out, in, Cause::memory_fraction, had_room ? 0.96 : 0.4);
    writer.set("allowed", Bytes{proof.allowed->mid})
        .set("reserved", Bytes{limits.reserved()})
        .set("tried", Bytes{proof.tried->mid})
        .set("free", Bytes{proof.free ? proof.free->mid : 0})
        .say("allowed", in.facts.moment.state);
    if (had_room) {
        writer.say("free");
    }
    writer.finish();
}

/// Criterion: every other process that the message names holds as much as this one, as ranks of one
/// job do that were all put on the same card.
void addDuplicates(const CauseInput& in, const MessageLimits& limits,
                   std::vector<CauseFinding>& out)
{
    const MessageProof& proof = limits.proof;
    if (!proof.all_are_siblings || proof.own->mid < kUsualOutside / 4) {
        return;
    }
    CauseWriter writer(out, in, Cause::duplicate_ranks, std::min(limits.most_for_processes, 0.96));
    const auto count = static_cast<std::int64_t>(proof.other_count);
    writer.set("count", formatCount(count))
        .set("bytes", Bytes{proof.others->mid / count})
        .set("own", Bytes{proof.own->mid})
        .say("alike");
    writer.finish();
}

/// Criterion: others named by the message hold at least what was missing, and a good part of the
/// card; or, where no process is named, far more of the card than a context takes is neither free
/// nor ours.
void addOthers(const CauseInput& in, const MessageLimits& limits, std::vector<CauseFinding>& out)
{
    const MessageProof& proof = limits.proof;
    if (!proof.total || proof.total->mid <= 0 || hadRoom(proof)) {
        return;
    }
    const auto total = static_cast<double>(proof.total->mid);
    const auto scored = [&](double at_none, double per_share, const PrintedRange& held) {
        const double share = static_cast<double>(held.mid) / total;
        return std::min(0.95, at_none + per_share * share);
    };
    if (proof.others && proof.others->mid > kUsualOutside / 4
        && proof.others->mid >= in.facts.moment.tried.value) {
        const auto count = static_cast<std::int64_t>(proof.other_count);
        CauseWriter writer(out, in, Cause::other_process,
                           std::min(limits.most_for_processes, scored(0.35, 1.2, *proof.others)));
        writer.set("count", sayCounted(count, "another process", "{} others", formatCount(count)))
            .set("bytes", Bytes{proof.others->mid})
            .say("processes");
        writer.finish();
    }
    addDuplicates(in, limits, out);
    if (!proof.own && limits.message.processes.empty() && proof.outside
        && proof.outside->low > kUsualOutside) {
        CauseWriter writer(out, in, Cause::other_process, scored(0.25, 1, *proof.outside));
        writer.set("bytes", Bytes{proof.outside->mid}).say("outside");
        writer.finish();
    }
    if (proof.own_outside && proof.own_outside->low > kUsualOutside) {
        CauseWriter writer(out, in, Cause::non_pytorch_memory,
                           scored(0.35, 1.2, *proof.own_outside));
        writer.set("process", Bytes{proof.own->mid})
            .set("reserved", Bytes{limits.reserved()})
            .say("gap");
        writer.finish();
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
        writer.set("bytes", Bytes{in_pools}).say("cached", m.state);
        writer.finish();
    }
}

/// Criterion: more is reserved than the card has, so part of it is not resident.
void addVirtual(const CauseInput& in, const MessageLimits& limits, std::vector<CauseFinding>& out)
{
    const MessageProof& proof = limits.proof;
    if (!proof.above_capacity) {
        return;
    }
    const std::int64_t held =
        std::max(limits.reserved(), proof.allocated ? proof.allocated->mid : 0);
    CauseWriter writer(out, in, Cause::virtual_only, 0.5);
    writer.set("reserved", Bytes{held})
        .set("total", Bytes{proof.total->mid})
        .say("over", in.facts.moment.state);
    writer.finish();
}

/// Criterion: the message names no limit, and the driver had so much free that it was hardly asked:
/// PyTorch itself refuses where set_per_process_memory_fraction allows no more
/// (CUDACachingAllocator.cpp, alloc_block). The limit then lies between what was reserved and that
/// with the request, unless the file notes it. With less to spare the figures explain nothing.
void addUnexplained(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const Moment& m = in.facts.moment;
    const bool is_said = in.facts.message && in.facts.message->allowed;
    if (!m.device_free || *m.device_free < m.tried || is_said) {
        return;
    }
    const allocator::CapacityFound found =
        allocator::capacityAt(in.facts.snapshot, in.facts.device, in.facts.replay, m.oom);
    const bool is_noted = found.source == allocator::CapacitySource::limit;
    constexpr std::int64_t kPlenty = 4; // times what was asked for
    const bool has_plenty =
        m.device_free->value / kPlenty >= m.tried.value && m.device_free->value >= kUsualOutside;
    const bool is_limit = is_noted || has_plenty;
    CauseWriter writer(out, in, is_limit ? Cause::memory_fraction : Cause::unclear,
                       is_noted ? 0.96 : 0.9);
    writer.set("allowed", Between{*found.bytes, found.most})
        .say(is_noted       ? "noted"
                 : is_limit ? "inferred"
                            : "free",
             m.state);
    writer.finish();
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
        writer.set("limit", Bytes{*limit}).say("split", m.state);
        writer.finish();
    }
}

} // namespace

void addLimitFigures(const CauseInput& in, Cause cause, Figures& figures)
{
    const std::optional<MessageLimits> limits = limitsOf(in);
    const Moment& m = in.facts.moment;
    const std::optional<Bytes> said = limits ? limits->message.allowed : std::nullopt;
    if (said) {
        figures["allowed"] = *said;
    } else if (m.is_oom) {
        const allocator::CapacityFound found =
            allocator::capacityAt(in.facts.snapshot, in.facts.device, in.facts.replay, m.oom);
        figures["allowed"] = Between{found.bytes.value_or(Bytes{}), found.most};
    }
    if (!limits) {
        return;
    }
    const MessageProof& proof = limits->proof;
    const std::optional<PrintedRange>& held = cause == Cause::non_pytorch_memory ? proof.own_outside
        : proof.others                                                           ? proof.others
                                                                                 : proof.outside;
    const std::int64_t bytes = held ? held->mid : 0;
    const double total = std::max(1.0, proof.total ? static_cast<double>(proof.total->mid) : 0.0);
    figures["share"] = formatPercent(static_cast<double>(bytes) / total);
    figures["bytes"] = Bytes{bytes};
}

void addLimitCauses(const CauseInput& in, std::vector<CauseFinding>& out)
{
    if (const std::optional<MessageLimits> limits = limitsOf(in)) {
        addFraction(in, *limits, out);
        addOthers(in, *limits, out);
        addVirtual(in, *limits, out);
    }
    addPools(in, out);
    addUnexplained(in, out);
    addSplitSetting(in, out);
}

} // namespace tidemark::diagnose
