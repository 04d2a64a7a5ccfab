// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/causes.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Phase;

constexpr double kClearly = 1.25; // larger than before, beyond what differs anyway

/// What training passes added to the live bytes, the one that was cut off against the complete ones
/// before it.
struct AddedByPasses {
    std::int64_t now = 0; ///< The failed request included.
    std::int64_t most = 0; ///< The most that any of the earlier ones did.
    std::uint32_t passes = 0;
    [[nodiscard]] double ratio() const
    {
        return most <= 0 ? 0 : static_cast<double>(now) / static_cast<double>(most);
    }
};

AddedByPasses addedByPasses(const Facts& facts)
{
    AddedByPasses added;
    const Pass* cut = cutPass(facts);
    if (cut == nullptr || !facts.isOom()) {
        return added;
    }
    const auto live = [&](StateId state) { return facts.replay.activeAt(state).value; };
    added.now = live(facts.moment.state) + facts.moment.requested.value - live(cut->forward.begin);
    for (const Pass& pass : facts.passes) {
        if (!pass.isWholeTraining() || cut->forward.begin < pass.end()) {
            continue;
        }
        ++added.passes;
        const std::int64_t before = live(pass.forward.begin);
        for (StateId s = pass.forward.begin; s < pass.end(); ++s.value) {
            added.most = std::max(added.most, live(s) - before);
        }
    }
    return added;
}

/// Without frames all places are the same, and nothing is known to be compared with its like.
bool isLargerAtItsPlaces(const CauseInput& in)
{
    return !in.facts.failedStack().isNone() && in.batch.ratio >= kClearly;
}

/// Criterion: at the same places of the forward pass this one allocates clearly more than the
/// largest of the passes before it, or it has clearly more alive than any of them had at its peak.
/// One earlier pass is thin evidence: it may have been a warm-up.
void addLongestBatch(const CauseInput& in, std::vector<CauseFinding>& out)
{
    static constexpr double kSure = 0.93;
    static constexpr double kThin = 0.7;
    if (!in.facts.isOom() || in.basis.growth.is_graph) {
        return;
    }
    const AddedByPasses added = addedByPasses(in.facts);
    if (isLargerAtItsPlaces(in)) {
        // What does not follow the batch (state that was not there yet) is no larger batch.
        CauseWriter writer(out, in, Cause::longest_batch, in.batch.passes >= 2 ? kSure : kThin);
        writer.set("ratio", say("{:.1f}", in.batch.ratio))
            .set("passes", formatCount(in.batch.passes))
            .say("ratio", in.facts.moment.state);
        if (in.batch.input_now > in.batch.input_then) {
            writer.set("now", Bytes{in.batch.input_now})
                .set("then", Bytes{in.batch.input_then})
                .say("input");
        }
        writer.finish();
    } else if (added.ratio() >= kClearly && added.passes >= 2) {
        CauseWriter writer(out, in, Cause::longest_batch, kSure);
        writer.set("now", Bytes{added.now})
            .set("then", Bytes{added.most})
            .set("passes", formatCount(added.passes))
            .say("added", in.facts.moment.state);
        writer.finish();
    }
}

/// Criterion: it ran out in evaluation, and what one batch holds there is a good part of the room.
void addEvaluationBatch(const CauseInput& in, std::vector<CauseFinding>& out)
{
    if (in.facts.phaseAtMoment() != Phase::evaluation || !in.facts.isOom()) {
        return;
    }
    const double share = in.share(in.measures.pass.bytes);
    if (share < 0.15) {
        return;
    }
    CauseWriter writer(out, in, Cause::evaluation_batch, std::min(0.93, 0.5 + 0.7 * share));
    writer.set("bytes", Bytes{in.measures.pass.bytes}).say("share", in.facts.moment.state);
    if (in.share(in.measures.saved.bytes) > 0.1) {
        writer.set("saved", Bytes{in.measures.saved.bytes}).say("graph");
    }
    writer.finish();
}

/// The largest allocation so far at the place of the failed request, if that place allocated
/// several times and less than now; else 0.
std::int64_t largestAtPlace(const Facts& facts, std::int64_t now)
{
    if (facts.failedStack().isNone()) {
        return 0;
    }
    const std::size_t place = facts.stacks.place(facts.failedStack());
    const auto& all = facts.allocations();
    std::int64_t largest = 0;
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (!all.stack[i].isNone() && facts.stacks.place(all.stack[i]) == place
            && all.begin[i] <= facts.moment.state) {
            largest = std::max(largest, all.requested[i].value);
            ++count;
        }
    }
    return count >= 2 && largest < now ? largest : 0;
}

/// Criterion: the request exceeds all that the process can get; or it is a large part of it and
/// several times the largest allocation so far.
void addHugeTensor(const CauseInput& in, std::vector<CauseFinding>& out)
{
    static constexpr double kLargePart = 0.3;
    const Moment& m = in.facts.moment;
    if (!m.is_oom || !in.basis.died_with.bytes) {
        return;
    }
    const double share = in.share(m.requested.value);
    // The same line had smaller ones before: then the batch is to be looked at, not the line.
    const std::int64_t before = largestAtPlace(in.facts, m.requested.value);
    const bool is_outlier = m.requested.value > 3 * in.measures.largest_ever;
    if (share > 1) {
        CauseWriter writer(out, in, Cause::single_huge_tensor, 0.95);
        writer.say("over", m.state, in.facts.device.events.stack[m.oom.index()]);
        writer.finish();
    } else if (share > kLargePart) {
        static constexpr double kAtKnownPlace = 0.6;
        CauseWriter writer(out, in, Cause::single_huge_tensor,
                           std::min(before > 0 ? kAtKnownPlace : 0.94,
                                    0.3 + 0.5 * share + (is_outlier ? 0.3 : 0)));
        writer.set("share", formatPercent(share))
            .set("largest", Bytes{in.measures.largest_ever})
            .say("share", m.state, in.facts.device.events.stack[m.oom.index()]);
        writer.finish();
    }
}

} // namespace

double largerThanBefore(const CauseInput& in)
{
    return isLargerAtItsPlaces(in) ? in.batch.ratio : addedByPasses(in.facts).ratio();
}

void addBatchCauses(const CauseInput& in, std::vector<CauseFinding>& out)
{
    addLongestBatch(in, out);
    addEvaluationBatch(in, out);
    addHugeTensor(in, out);
}

} // namespace tidemark::diagnose
