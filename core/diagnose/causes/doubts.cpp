// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/doubts.h"

#include "core/base/format.h"
#include "core/trace/cut_trace.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

constexpr double kMostDoubted = 0.5; // of what lives

double unlabelledShare(const CauseInput& in)
{
    const std::int64_t live = in.facts.moment.active.value;
    return live <= 0
        ? 0
        : static_cast<double>(in.facts.bucketAtMoment(Bucket::unknown)) / static_cast<double>(live);
}

/// What a verdict is worth at most where the doubt holds.
double mostScore(const CauseInput& in, Doubt doubt)
{
    switch (doubt) {
    case Doubt::contradiction:
        return 0.2;
    case Doubt::no_history:
        return 0.3;
    case Doubt::cut_off:
        return isInCutPass(in.facts) ? 0.4 : 0.6;
    case Doubt::late:
        return 0.5;
    case Doubt::unlabelled:
        return 1 - unlabelledShare(in);
    }
    return 1;
}

} // namespace

std::string_view doubtId(Doubt doubt)
{
    switch (doubt) {
    case Doubt::contradiction:
        return "contradiction";
    case Doubt::no_history:
        return "no-history";
    case Doubt::cut_off:
        return "cut-off";
    case Doubt::late:
        return "late";
    case Doubt::unlabelled:
        return "unlabelled";
    }
    return {};
}

bool contradictsItself(const Facts& facts)
{
    return facts.moment.active > facts.moment.reserved;
}

bool isInCutPass(const Facts& facts)
{
    const std::int32_t pass = label::passAt(facts.passes, facts.moment.state);
    return trace::endsEarly(facts.snapshot.notes)
        && (pass < 0 || !facts.passes[static_cast<std::size_t>(pass)].complete);
}

std::vector<Doubt> doubtsOf(const CauseInput& in)
{
    const Facts& facts = in.facts;
    std::vector<Doubt> doubts;
    const auto add = [&](bool holds, Doubt doubt) {
        if (holds) {
            doubts.push_back(doubt);
        }
    };
    const bool has_history = holdsHistory(facts);
    const bool ends_early = trace::endsEarly(facts.snapshot.notes);
    add(contradictsItself(facts), Doubt::contradiction);
    add(!facts.isOom() && ends_early, Doubt::cut_off);
    add(!facts.device.isEmpty() && !has_history, Doubt::no_history);
    add(!facts.isOom() && has_history && in.basis.before.is_open && !ends_early, Doubt::late);
    add(unlabelledShare(in) > kMostDoubted, Doubt::unlabelled);
    return doubts;
}

void applyDoubts(const CauseInput& in, std::vector<CauseFinding>& causes)
{
    for (const Doubt doubt : doubtsOf(in)) {
        const double most = mostScore(in, doubt);
        for (CauseFinding& finding : causes) {
            const bool concerns = doubt == Doubt::contradiction || finding.cause == Cause::none
                || finding.cause == Cause::unclear
                || (doubt == Doubt::unlabelled && infoOf(finding.cause).rests_on_labels);
            if (concerns) {
                finding.score = std::min(finding.score, most);
            }
        }
    }
}

} // namespace tidemark::diagnose
