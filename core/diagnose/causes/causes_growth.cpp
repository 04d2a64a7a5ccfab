// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/causes.h"
#include "core/label/stacks/stack_text.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

/// How sure a growing thing is to blame: it grows, so it will fill any card; how much it holds
/// already tells whether it was it this time.
constexpr double kSurelyGrowth = 0.95;

double growthScore(double share)
{
    static constexpr double kFull = 0.25; // of the room; then nothing else needs to be looked for
    return std::min(0.94, 0.45 + 0.5 * std::min(1.0, share / kFull));
}

/// Earlier steps of the same shape went through, so what has grown since is the difference.
bool isWhatChanged(const CauseInput& in)
{
    static constexpr double kSameShape = 1.1;
    return in.facts.isOom() && in.batch.passes >= 2 && in.batch.ratio < kSameShape;
}

std::string placeOf(const CauseInput& in, StackId stack)
{
    return label::linesText(in.facts.snapshot, in.facts.stacks.lines(stack));
}

/// Where the request that failed was the next of it: its bytes.
std::int64_t failedOf(const CauseInput& in, const Growth& growth)
{
    const bool is_next =
        in.facts.isOom() && !growth.stack.isNone() && in.facts.failedStack() == growth.stack;
    return is_next ? in.facts.moment.requested.value : 0;
}

void sayGrowth(const CauseInput& in, CauseWriter& writer)
{
    const Growth& growth = in.basis.growth;
    writer.set("turns", formatCount(growth.turns))
        .set("bytes", Bytes{growth.bytes})
        .set("per_turn", Bytes{growth.per_turn})
        .set("together", Bytes{growth.bytes + failedOf(in, growth)})
        .say(growth.is_graph        ? "graph"
                 : growth.is_joined ? "joined"
                                    : "grows",
             in.facts.moment.state, growth.stack);
    if (const std::string place = placeOf(in, growth.stack); !place.empty()) {
        writer.set("place", place).say("place", std::nullopt, growth.stack);
    }
}

/// What makes a leak significant.
void sayTrend(const CauseInput& in, CauseWriter& writer)
{
    const std::optional<curves::StackGrowth>& trend = in.basis.growth.trend;
    if (!trend || trend->verdict != curves::GrowthVerdict::rising) {
        return;
    }
    static constexpr double kSmallest = 0.001;
    writer.set("ends", formatCount(trend->steps))
        .set("rises", formatCount(trend->rises))
        .set("chance",
             trend->p < kSmallest ? say("< {:.3f}", kSmallest) : say("= {:.3f}", trend->p))
        .say("trend", std::nullopt, trend->stack);
}

} // namespace

/// Criteria: bytes of the same stack that stay alive from step to step (leak), or results of the
/// same stack that pile up in evaluation, as `findGrowth` sees them.
void addGrowthCauses(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const Growth& growth = in.basis.growth;
    const double share = in.share(growth.bytes);
    if (growth.kind == GrowthKind::leak) {
        CauseWriter writer(out, in, Cause::leak,
                           isWhatChanged(in) || growth.is_graph ? kSurelyGrowth
                                                                : growthScore(share));
        sayGrowth(in, writer);
        sayTrend(in, writer);
        writer.finish();
    } else if (growth.kind == GrowthKind::evaluation) {
        CauseWriter writer(
            out, in, Cause::evaluation_accumulation,
            growthScore(in.share(growth.bytes + (growth.is_joined ? failedOf(in, growth) : 0))));
        sayGrowth(in, writer);
        writer.finish();
    }
    // A cache of generation: criterion, it holds a good part of the room; that it grows adds to it.
    const bool grows = growth.kind == GrowthKind::cache;
    const std::int64_t cache = cacheAtMoment(in.facts);
    const double cache_share = in.share(cache);
    if (cache_share > 0.15 && (grows || runsOut(in.facts, in.basis))) {
        CauseWriter writer(out, in, Cause::kv_cache,
                           std::min(0.93, 0.4 + 0.7 * cache_share + (grows ? 0.2 : 0)));
        writer.set("bytes", Bytes{cache}).say("share", in.facts.moment.state);
        if (grows && growth.per_turn > 0) {
            writer.set("per_turn", Bytes{growth.per_turn}).say("grows", std::nullopt, growth.stack);
        }
        writer.finish();
    }
}

} // namespace tidemark::diagnose
