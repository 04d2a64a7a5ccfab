// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/fix_judge.h"

#include "core/base/language.h"
#include "core/config/framework.h"
#include "core/diagnose/causes/doubts.h"
#include "core/diagnose/fixes/batch_words.h"
#include "core/diagnose/fixes/fix_cases.h"
#include "core/message/backend_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::diagnose {
namespace {

/// A change that frees less of the need than this is not offered.
constexpr double kLeastOffered = 0.005;

/// What was chosen of the changes that a fix can make.
struct Chosen {
    std::string apply;
    Outcome outcome;
};

/// The mildest that fits; else the mildest of which it is not known; else the strongest.
Chosen choose(Trials& trials, const JudgedFix& judged)
{
    Chosen chosen{{}, recordedOutcome(trials.input())};
    if (judged.rule->effect != nullptr) {
        return {{}, trials.outcomeOf({{}, {judged.rule}})};
    }
    bool has_any = false;
    for (const std::string& apply : triesOf(trials.input(), judged)) {
        if (trials.stop().stop_requested()) {
            break;
        }
        Outcome outcome = trials.outcomeOf({apply, {}});
        const auto fits = outcome.fits;
        if (!has_any || fits == true || chosen.outcome.fits == false) {
            chosen = {apply, std::move(outcome)};
            has_any = true;
        }
        if (fits == true) {
            break;
        }
    }
    return chosen;
}

bool curesFirstCause(const FixInput& input, std::string_view id)
{
    const FixCase* const row = fixCase(id);
    return row != nullptr && !input.causes.empty()
        && std::ranges::find(row->cures, input.causes.front().cause) != row->cures.end();
}

void judgeEffect(const FixInput& input, const FixText& text, const Chosen& chosen, bool needs_fix,
                 JudgedFix& judged)
{
    Fix& fix = judged.fix;
    const double least = kLeastOffered * input.in.basis.before.requested.mid;
    const bool frees_little =
        !chosen.outcome.gives_room && static_cast<double>(fix.saves.value) < least;
    const bool is_cure = curesFirstCause(input, text.id);
    if (frees_little && !is_cure) {
        fix.status = FixStatus::not_applicable;
        fix.why = fix.saves.value > 0 ? say("It would free only {} at the peak.", fix.saves)
                                      : say("It would free nothing at the peak.");
        fix.saves = {};
        fix.apply.clear();
        return;
    }
    Figures figures = judged.figures;
    addChangeFigures(input, fix.apply, figures);
    fix.why = filledIn(text.why, figures);
    if (frees_little) {
        fix.why += ' ' + say("It fixes this peak, but another one is as high.");
    }
    if (const InUse* partly = useOf(input.in.facts.in_use, text.id)) {
        fix.why += ' ';
        fix.why += translated(partly->says);
    }
    if (!needs_fix && contradictsItself(input.in.facts)) {
        fix.status = FixStatus::not_applicable;
        fix.why = say("The file contradicts itself, so no fix can be judged.");
    } else if (!needs_fix && !holdsHistory(input.in.facts)) {
        fix.status = FixStatus::would_help; // whether it is needed, the file does not tell
    } else if (!needs_fix) {
        fix.status = FixStatus::not_needed;
    } else if (fix.fits == false) {
        fix.status = FixStatus::not_enough;
        fix.short_by = chosen.outcome.shortBy();
        fix.why += ' ' + say("Alone {} short.", fix.short_by);
    } else {
        fix.status = FixStatus::would_help;
        if (!fix.fits) {
            fix.why += ' ' + whyUnknown(chosen.outcome);
        }
    }
}

std::vector<std::string> changesOf(const FixInput& input, const FixText& text, const FixRule* rule)
{
    if (rule != nullptr && rule->tries != nullptr) {
        return rule->tries(input);
    }
    const Figures figures{{"gpus", fmt::format("{}", std::max(1, input.gpus))}};
    std::vector<std::string> changes;
    for (const std::string& apply : text.apply) {
        changes.push_back(lineFilledIn(apply, figures));
    }
    return changes;
}

void startFix(const FixInput& input, const FixText& text, Fix& fix)
{
    fix.id = text.id;
    fix.knowledge = text.knowledge;
    fix.cost_rank = text.cost_rank;
    fix.changes_science = text.changes_science;
    addTerms(text, fix);
    setFigures(input, recordedOutcome(input), fix);
    fix.saves = {};
}

} // namespace

Bytes savedBy(const FixInput& input, const Outcome& outcome)
{
    // Holes are saved from what is reserved, all else from what is asked for.
    const Need& before = input.in.basis.before;
    const Bytes asked{roundedBytes(before.requested.mid)
                      - roundedBytes(outcome.need.requested.mid)};
    const Bytes reserved =
        roundedBytes(std::max(0.0, before.reserved.mid - outcome.need.reserved.mid));
    return asked.value > 0 ? asked : reserved;
}

void setFigures(const FixInput& input, const Outcome& outcome, Fix& fix)
{
    fix.new_peak = outcome.peak;
    fix.new_peak_low = outcome.peak_low;
    fix.new_peak_high = outcome.peak_high;
    fix.new_peak_state = outcome.peak_state;
    fix.new_need = roundedBytes(outcome.need.requested.mid);
    fix.new_reserved = roundedBytes(outcome.need.reserved.mid);
    fix.fits = outcome.fits;
    fix.saves = savedBy(input, outcome);
}

std::string whyUnknown(const Outcome& outcome)
{
    if (!outcome.capacity.bytes) {
        return outcome.capacity.source;
    }
    if (outcome.need.is_open && !outcome.need.notes.empty()) {
        return outcome.need.notes.back();
    }
    return say(
        "The estimate, {}, straddles the {} available.",
        Between{roundedBytes(outcome.need.reserved.low), roundedBytes(outcome.need.reserved.high)},
        outcome.capacity.ends());
}

void writeTexts(const FixInput& input, const JudgedFix& judged, const std::string& apply, Fix& fix)
{
    Figures figures = judged.figures;
    // Where nothing was chosen the lines show the mildest change.
    const bool shows_mildest = apply.empty() && !judged.tries.empty();
    addChangeFigures(input, shows_mildest ? judged.tries.front() : apply, figures);
    fix.title = filledIn(judged.text->title, figures);
    if (input.gpus < 2) { // A line to paste has no word for an unknown number.
        for (const char* const name : {"gpus", "all_gpus"}) {
            figures.insert_or_assign(name, "...");
        }
    }
    fix.how.clear();
    for (const auto& [framework, line] : judged.text->how) {
        fix.how.emplace_back(framework,
                             inWordsOf(input.in.facts.backend, lineFilledIn(line, figures)));
    }
    // Those for the framework of the configuration come first.
    if (const auto& config = input.in.facts.analysis.input.config) {
        std::stable_partition(fix.how.begin(), fix.how.end(),
                              [named = config::frameworkOf(*config)](const auto& line) {
                                  return line.first == named;
                              });
    }
}

JudgedFix lookFor(const FixInput& input, const FixText& text)
{
    JudgedFix judged;
    judged.text = &text;
    judged.rule = fixRule(text.id);
    Fix& fix = judged.fix;
    startFix(input, text, fix);
    const FixEvidence evidence = judged.rule == nullptr ? FixEvidence{} : judged.rule->look(input);
    judged.figures = evidence.figures;
    judged.tries = changesOf(input, text, judged.rule);
    const std::string_view setting =
        input.config == nullptr ? std::string_view{} : input.config->whatHasOn(text.id);
    const InUse* use = useOf(input.in.facts.in_use, text.id);
    const FixCase* const row = fixCase(text.id);
    const std::string of_other_case =
        row == nullptr ? std::string() : whyNotOfCase(*row, input.caseAtMoment());
    const bool has_run = judged.rule != nullptr && judged.rule->hasRun(judged.tries);
    judged.composes =
        judged.rule != nullptr && (judged.rule->effect == nullptr || judged.rule->composes);
    if (!setting.empty()) {
        fix.status = FixStatus::already_on;
        fix.why = say("Already on in the configuration: {}.", setting);
    } else if (use != nullptr && !(use->is_partly && evidence.applies && of_other_case.empty())) {
        fix.status = FixStatus::already_on;
        fix.why = translated(use->says);
    } else if (!of_other_case.empty()) {
        fix.status = FixStatus::not_applicable;
        fix.why = of_other_case;
    } else if (evidence.is_on && !text.already.empty()) {
        fix.status = FixStatus::already_on;
        fix.why = filledIn(text.already, judged.figures);
    } else if (evidence.applies && has_run) {
        judged.has_evidence = true;
        fix.needs.host = evidence.host;
    } else {
        fix.status = FixStatus::not_applicable;
        fix.why =
            evidence.why_not.empty() ? filledIn(text.missing, judged.figures) : evidence.why_not;
    }
    return judged;
}

std::span<const std::string> triesOf(const FixInput& input, const JudgedFix& judged)
{
    if (!judged.has_evidence || judged.rule->effect != nullptr) {
        return {};
    }
    // In a run that did not die the mildest shows the effect.
    const std::span<const std::string> tries = judged.tries;
    return needsFix(input.in.facts, input.in.basis) || tries.empty() ? tries : tries.first(1);
}

void judgeAlone(Trials& trials, JudgedFix& judged)
{
    const FixInput& input = trials.input();
    Fix& fix = judged.fix;
    if (judged.has_evidence) {
        const Chosen chosen = choose(trials, judged);
        fix.apply = chosen.apply;
        setFigures(input, chosen.outcome, fix);
        judgeEffect(input, *judged.text, chosen, needsFix(input.in.facts, input.in.basis), judged);
    }
    fix.alone = {fix.apply, fix.saves, fix.new_need, fix.short_by};
    writeTexts(input, judged, fix.apply, fix);
}

} // namespace tidemark::diagnose
