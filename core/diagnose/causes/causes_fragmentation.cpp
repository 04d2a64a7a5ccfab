// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/causes.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Phase;

/// Whether it died in a pass without gradients and none like it ran to its end before: what was
/// still to come is not known, as it is of a training pass.
bool isInFirstPass(const Facts& facts)
{
    const Phase phase = facts.phaseAtMoment();
    return isWithoutGradients(phase) && std::ranges::none_of(facts.passes, [&](const Pass& pass) {
               return pass.kind == phase && pass.complete && pass.forward.end <= facts.moment.state;
           });
}

} // namespace

/// Criterion (evidence rule 2): what is cached would have held the request, and no hole of it did;
/// or what is cached and what the driver had free would have together, and neither did alone. It is
/// the cause where the run would have gone on in the same memory without holes.
void addFragmentation(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const Moment& m = in.facts.moment;
    const bool in_holes = in.cached() >= m.requested.value;
    const bool together = m.device_free && *m.device_free < m.tried
        && in.cached() + m.device_free->value >= m.tried.value;
    if (!m.is_oom || (!in_holes && !together) || m.largest_hole >= m.requested) {
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
    const bool is_known = (!need.is_open && !isInFirstPass(in.facts)) || in.total() * 2 < in.room();
    const bool is_proven = enough_without_holes && is_known && part >= kGoodPart;
    static constexpr double kRestUnknown = 0.6; // of a pass that no other shows the rest of
    double score = is_proven                                           ? 0.94
        : enough_without_holes && isInFirstPass(in.facts) && !is_known ? kRestUnknown
        : enough_without_holes                                         ? 0.9
                                                                       : 0.35;
    score *= expandable ? 0.6 : 1;
    // A few per cent of what is reserved are cached in every run.
    static constexpr double kUsualShare = 0.05;
    score *= part < kUsualShare ? 0.7 : 1;
    // Most of what a run that is simply too large had cached was in no piece either.
    static constexpr double kTogether = 0.7;
    score = in_holes ? score : std::min(score, kTogether);
    // Where something grows it would run out a little later without holes, too; unless there would
    // have been room to grow by as much again.
    static constexpr double kBesideGrowth = 0.6;
    const bool grows_out =
        in.basis.growth.kind != GrowthKind::none && in.basis.growth.bytes > in.room() - in.total();
    score = grows_out ? std::min(score, kBesideGrowth) : score;
    CauseWriter writer(out, in, Cause::fragmentation, score);
    writer.set("sum", Bytes{in.total()}).say(in_holes ? "holes" : "together", m.state);
    writer.say(enough_without_holes ? "fits" : "more");
    writer.finish();
}

} // namespace tidemark::diagnose
