// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/diagnose/causes/causes.h"
#include "core/diagnose/facts/growth_repeats.h"
#include "core/label/stack_text.h"

#include <fmt/format.h>

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

void sayGrowth(const CauseInput& in, CauseWriter& writer)
{
    const Growth& growth = in.basis.growth;
    writer.set("turns", formatCount(growth.turns))
        .set("bytes", sizeText({growth.bytes}))
        .set("per_turn", sizeText({growth.per_turn}))
        .say(growth.is_graph ? "graph" : "grows", in.facts.moment.state, growth.stack);
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
        .set("chance", trend->p < kSmallest ? "below 0.001" : fmt::format("of {:.3f}", trend->p))
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
    } else if (growth.kind == GrowthKind::evaluation) {
        CauseWriter writer(out, in, Cause::evaluation_accumulation, growthScore(share));
        sayGrowth(in, writer);
    }
    // A cache of generation: criterion, it holds a good part of the room; that it grows adds to it.
    const bool grows = growth.kind == GrowthKind::cache;
    const std::int64_t made_once = bytesServingManyPasses(in.facts);
    const std::int64_t cache = std::max(
        {in.facts.bucketAtMoment(label::Bucket::kv_cache), grows ? growth.bytes : 0, made_once});
    const double cache_share = in.share(cache);
    if (cache_share > 0.15 && (grows || runsOut(in.facts, in.basis))) {
        CauseWriter writer(out, in, Cause::kv_cache,
                           std::min(0.93, 0.4 + 0.7 * cache_share + (grows ? 0.2 : 0)));
        writer.set("bytes", sizeText({cache})).say("share", in.facts.moment.state);
        if (grows && growth.per_turn > 0) {
            writer.set("per_turn", sizeText({growth.per_turn}))
                .say("grows", std::nullopt, growth.stack);
        }
    }
}

/// Criterion (evidence rule 2): what is cached would have held the request, and no hole of it did.
/// It is the cause where the run would have gone on in the same memory without holes.
void addFragmentation(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const Moment& m = in.facts.moment;
    if (!m.is_oom || in.cached() < m.requested.value || m.largest_hole >= m.requested) {
        return;
    }
    const Need& need = in.basis.before;
    const bool enough_without_holes =
        need.requested.mid <= static_cast<double>(in.room()) && in.total() <= in.room();
    // With expandable segments most of what is cached is unmapped, so the test is weaker.
    const bool expandable = in.facts.snapshot.settings.expandable_segments.value_or(false);
    // What is cached is a good part of what is reserved: then no other change is needed. A need
    // that is not known to its end counts where at least as much again would have been left.
    static constexpr double kGoodPart = 0.15;
    const auto reserved = static_cast<double>(std::max<std::int64_t>(1, m.reserved.value));
    const double part = static_cast<double>(in.cached()) / reserved;
    const bool is_known = !need.is_open || in.total() * 2 < in.room();
    const bool is_proven = enough_without_holes && is_known && part >= kGoodPart;
    double score = is_proven ? 0.94 : enough_without_holes ? 0.9 : 0.35;
    score *= expandable ? 0.6 : 1;
    // A few per cent of what is reserved are cached in every run.
    static constexpr double kUsualShare = 0.05;
    score *= part < kUsualShare ? 0.7 : 1;
    // Where something grows it would run out a little later without holes, too; unless there would
    // have been room to grow by as much again.
    static constexpr double kBesideGrowth = 0.6;
    const bool grows_out =
        in.basis.growth.kind != GrowthKind::none && in.basis.growth.bytes > in.room() - in.total();
    score = grows_out ? std::min(score, kBesideGrowth) : score;
    CauseWriter writer(out, in, Cause::fragmentation, score);
    writer.set("sum", sizeText({in.total()})).say("holes", m.state);
    writer.say(enough_without_holes ? "fits" : "more");
}

} // namespace tidemark::diagnose
