// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/fit/fit.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/fit/unknowns.h"
#include "core/shapes/linear_names.h"
#include "core/shapes/objection.h"
#include "core/walk/against.h"
#include "core/walk/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::fit {
namespace {

using label::Phase;

constexpr double kSame = 0.98; ///< Of the peak's bytes, to be accepted,
constexpr double kOff = 0.02; ///< and how far a phase's peak may be off.
constexpr double kEnough = 0.997; ///< No better one is looked for.
constexpr double kBetter = 1e-4;
constexpr std::array kWalked{Phase::forward, Phase::backward, Phase::optimizer};

/// How well a candidate is the recording.
struct Judged {
    double score = -1;
    double same = 0;
    double off = 1;
    walk::ModelShape model;
    walk::RunShape run;
    Bytes planned;
    label::BucketBytes buckets{}; ///< Of the planned peak.
    std::string objection; ///< Why it was not walked through.
};

std::string cancelled()
{
    return say("The diagnosis was cancelled.");
}

bool isAccepted(const Judged& judged)
{
    return judged.objection.empty() && judged.same >= kSame && judged.off <= kOff;
}

class Search {
public:
    Search(const Evidence& evidence, std::vector<Unknown> unknowns, const std::stop_token& stop)
        : m_evidence(evidence)
        , m_unknowns(std::move(unknowns))
        , m_recorded(walk::recordedSizes(evidence.recording.replay))
        , m_stop(stop)
    {
    }

    /// The unknowns' first values and what one after the other betters; where that is not accepted,
    /// so from each value of the first unknown.
    Judged best()
    {
        Judged best = climbed(0, 0);
        for (std::size_t v = 0;
             v < m_unknowns[0].size() && !isAccepted(best) && !m_stop.stop_requested(); ++v) {
            if (Judged other = climbed(v, 1); other.score > best.score) {
                best = std::move(other);
            }
        }
        return best;
    }
    [[nodiscard]] int walks() const
    {
        return m_walks;
    }

private:
    /// From a value of the first unknown, through all unknowns from `from` on, twice.
    Judged climbed(std::size_t first, std::size_t from)
    {
        std::vector<std::size_t> chosen(m_unknowns.size(), 0);
        chosen[0] = first;
        Judged best = judged(chosen);
        for (int turn = 0; turn < 2; ++turn) {
            const double before = best.score;
            for (std::size_t u = from; u < m_unknowns.size(); ++u) {
                tryValues(u, chosen, best);
            }
            if (best.score <= before) {
                break;
            }
        }
        return best;
    }

    void tryValues(std::size_t unknown, std::vector<std::size_t>& chosen, Judged& best)
    {
        for (std::size_t v = 0; v < m_unknowns[unknown].size(); ++v) {
            if (best.score > kEnough || v == chosen[unknown] || m_stop.stop_requested()) {
                continue;
            }
            std::vector<std::size_t> other = chosen;
            other[unknown] = v;
            Judged found = judged(other);
            if (found.score > best.score + kBetter) {
                best = std::move(found);
                chosen = std::move(other);
            }
        }
    }

    Judged judged(const std::vector<std::size_t>& chosen)
    {
        Candidate candidate;
        for (std::size_t u = 0; u < chosen.size(); ++u) {
            m_unknowns[u][chosen[u]](candidate);
        }
        Judged judged;
        const Result<walk::ModelShape> model = modelOf(m_evidence, candidate);
        if (!model.has_value() || m_stop.stop_requested()) {
            judged.objection = model.has_value() ? cancelled() : model.error().message;
            return judged;
        }
        ++m_walks;
        judged.model = model.value();
        judged.run = candidate.run;
        const walk::PlannedRun planned = walk::planStep(judged.model, judged.run);
        const walk::PlannedPeak peak = walk::peakOf(planned.timeline);
        judged.planned = peak.bytes;
        judged.buckets = peak.buckets;
        const replay::DeviceReplay& replay = m_evidence.recording.replay;
        const std::int64_t own = replay.activeAt(replay.peak).value - m_evidence.sizes.workspace;
        judged.same =
            static_cast<double>(walk::sameBytes(planned.timeline, peak.moment, m_recorded).value)
            / static_cast<double>(std::max({own, peak.bytes.value, std::int64_t{1}}));
        judged.off = offOf(planned.timeline);
        judged.score = judged.same - std::min(1.0, judged.off);
        if (m_evidence.weights.adapts) {
            const auto trained =
                static_cast<double>(std::max<std::int64_t>(1, m_evidence.weights.trained));
            judged.score -=
                std::min(1.0, std::abs(static_cast<double>(planned.trained) / trained - 1));
        }
        return judged;
    }

    [[nodiscard]] double offOf(const walk::Timeline& timeline) const
    {
        const auto planned = phasePeaksOf(timeline);
        double off = -1;
        for (const Phase phase : kWalked) {
            const auto p = static_cast<std::size_t>(phase);
            const std::int64_t recorded = m_evidence.sizes.peaks[p] - m_evidence.sizes.workspace;
            if (recorded > 0 && planned[p].value > 0) {
                off = std::max(
                    off,
                    std::abs(static_cast<double>(planned[p].value) / static_cast<double>(recorded)
                             - 1));
            }
        }
        return off < 0 ? 1 : off;
    }

    const Evidence& m_evidence;
    std::vector<Unknown> m_unknowns;
    walk::SizeCounts m_recorded;
    const std::stop_token& m_stop;
    int m_walks = 0;
};

/// Leaves a fit as it is where it is better than what is found.
void search(const Evidence& evidence, const std::stop_token& stop, Fit& fit)
{
    std::vector<Unknown> unknowns = unknownsOf(evidence);
    if (unknowns.empty()) {
        fit.refused = say("Unknown number of tokens per batch.");
        return;
    }
    Search search(evidence, std::move(unknowns), stop);
    const Judged best = search.best();
    fit.walks += search.walks();
    if (fit.walks > search.walks() && best.same <= fit.same) {
        return;
    }
    fit.model = best.model;
    fit.run = best.run;
    fit.planned = best.planned;
    fit.planned_buckets = best.buckets;
    fit.same = best.same;
    fit.off = best.off;
    fit.refused.clear();
    if (!best.objection.empty()) {
        fit.refused = best.objection;
    } else if (best.same < kSame) {
        // Rounded away from what is accepted.
        fit.refused = say("The best fit matches {} of the peak's bytes; 98 % are needed.",
                          formatPercent(std::floor(best.same * 100) / 100));
    } else if (best.off > kOff) {
        fit.refused = say("The best fit is {} off in one phase; at most 2 % is accepted.",
                          formatPercent(std::ceil(best.off * 100) / 100));
    }
}

} // namespace

Fit fitTo(const Recording& recording, const std::stop_token& stop)
{
    Fit fit;
    fit.recorded = recording.replay.activeAt(recording.replay.peak);
    if (!recording.replay.ooms.empty()) {
        fit.refused = say("The run died.");
        return fit;
    }
    if (!namesAFamily(recording.snapshot)) {
        fit.refused = say("No frames of a transformers model.");
        return fit;
    }
    if (stop.stop_requested()) {
        fit.refused = cancelled();
        return fit;
    }
    const Frames frames(recording);
    const Family* const family = familyOf(frames.family());
    if (family == nullptr) {
        fit.refused = say("Unsupported model family: {}.", frames.family());
        return fit;
    }
    const Sizes sizes(recording);
    for (const Phase phase : {Phase::evaluation, Phase::inference}) {
        const Bytes peak{sizes.peaks[static_cast<std::size_t>(phase)]};
        fit.without_training = std::max(fit.without_training, peak);
    }
    fit.refused = say("The weights match no {} model.", family->type());
    for (const Weights& weights : weightsOf(recording.program)) {
        const std::optional<ShapeReading> shape = readShape(recording, *family, weights, sizes);
        if (shape && !stop.stop_requested()) {
            search({recording, frames, sizes, weights, *family, *shape}, stop, fit);
        }
        if (fit.isAccepted()) {
            break;
        }
    }
    if (stop.stop_requested() && fit.refused.empty()) {
        fit.refused = cancelled();
    }
    return fit;
}

std::vector<std::string> linearNamesIn(const Recording& recording)
{
    if (!namesAFamily(recording.snapshot)) {
        return {};
    }
    const Frames frames(recording);
    const Family* const family = familyOf(frames.family());
    return shapes::linearNames(family != nullptr ? family->type()
                                                 : std::string_view(frames.family()));
}

std::optional<WalkedPeak> peakAfter(const Fit& fit, const walk::RunShape& changed)
{
    if (!shapes::objectionTo(fit.model, changed).empty()) {
        return std::nullopt;
    }
    const walk::PlannedPeak planned = peakOf(walk::planStep(fit.model, changed).timeline);
    WalkedPeak peak{fit.recorded + planned.bytes - fit.planned};
    for (std::size_t b = 0; b < peak.more.size(); ++b) {
        peak.more[b] = planned.buckets[b] - fit.planned_buckets[b];
    }
    return peak.bytes > fit.without_training ? std::optional(peak) : std::nullopt;
}

std::string wordsOf(const Fit& fit)
{
    const walk::RunShape& run = fit.run;
    return fmt::format("{}, {} × {}, {}, {}, {}", fit.model.model_type, run.batch, run.sequence,
                       walk::wordOf(run.precision), walk::wordOf(run.optimizer),
                       walk::wordOf(run.attention));
}

} // namespace tidemark::fit
