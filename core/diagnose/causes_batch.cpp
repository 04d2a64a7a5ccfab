// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/diagnose/causes.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Phase;

/// Criterion: at the same places of the forward pass this one allocates clearly more than the
/// largest of the passes before it. One earlier pass is thin evidence: it may have been a warm-up.
void addLongestBatch(const CauseInput& in, std::vector<CauseFinding>& out)
{
    static constexpr double kClearly = 1.25;
    if (!in.facts.isOom() || in.batch.ratio < kClearly) {
        return;
    }
    // What does not follow the batch (state that was not there yet) is no larger batch.
    CauseWriter writer(out, in, Cause::longest_batch, in.batch.passes >= 2 ? 0.93 : 0.7);
    writer.set("ratio", fmt::format("{:.1f}", in.batch.ratio))
        .set("passes", formatCount(in.batch.passes))
        .say("ratio", in.facts.moment.state);
    if (in.batch.input_now > in.batch.input_then) {
        writer.set("now", sizeText({in.batch.input_now}))
            .set("then", sizeText({in.batch.input_then}))
            .say("input");
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
    writer.set("bytes", sizeText({in.measures.pass.bytes})).say("share", in.facts.moment.state);
    if (in.share(in.measures.saved.bytes) > 0.1) {
        writer.set("saved", sizeText({in.measures.saved.bytes})).say("graph");
    }
}

/// Criterion: the request exceeds all that the process can get; or it is a large part of it and
/// several times the largest allocation so far.
void addHugeTensor(const CauseInput& in, std::vector<CauseFinding>& out)
{
    static constexpr double kLargePart = 0.3;
    const Moment& m = in.facts.moment;
    if (!m.is_oom || !in.basis.capacity.bytes) {
        return;
    }
    const double share = in.share(m.requested.value);
    const bool is_outlier = m.requested.value > 3 * in.measures.largest_ever;
    if (share > 1) {
        CauseWriter writer(out, in, Cause::single_huge_tensor, 0.95);
        writer.say("over", m.state, in.facts.device.events.stack[m.oom.index()]);
    } else if (share > kLargePart) {
        CauseWriter writer(out, in, Cause::single_huge_tensor,
                           std::min(0.94, 0.3 + 0.5 * share + (is_outlier ? 0.3 : 0)));
        writer.set("share", formatPercent(share))
            .set("largest", sizeText({in.measures.largest_ever}))
            .say("share", m.state, in.facts.device.events.stack[m.oom.index()]);
    }
}

} // namespace

void addBatchCauses(const CauseInput& in, std::vector<CauseFinding>& out)
{
    addLongestBatch(in, out);
    addEvaluationBatch(in, out);
    addHugeTensor(in, out);
}

} // namespace tidemark::diagnose
