// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/trial.h"

#include "core/base/parallel.h"
#include "core/diagnose/predict.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

/// The part of what follows the batch that changes leave: what a remedy frees may be part of it.
double partLeft(const std::string& apply)
{
    double part = 1;
    const auto changes = parseChanges(apply);
    if (changes.has_value()) {
        for (const Change& change : changes.value()) {
            const bool is_ratio =
                change.kind == ChangeKind::micro_batch || change.kind == ChangeKind::sequence;
            part *= is_ratio                           ? std::min(1.0, change.number)
                : change.kind == ChangeKind::precision ? 0.5
                                                       : 1;
        }
    }
    return part;
}

/// `amount` less a part of what a remedy takes from `before`, at no bound below 0.
Amount less(const Amount& amount, const Amount& before, const Amount& after, double left)
{
    const auto part = [left](double value, double from, double to) {
        return std::max(0.0, value - left * std::max(0.0, from - to));
    };
    return {part(amount.low, before.low, after.low), part(amount.mid, before.mid, after.mid),
            part(amount.high, before.high, after.high)};
}

/// Reserved for `requested`: with the smaller of two overheads at each bound.
Amount withOverhead(const Amount& requested, const Need& own, const Need& of_remedy)
{
    const auto part = [](double bytes, double own_overhead, double remedy_overhead) {
        return bytes + std::max(0.0, std::min(own_overhead, remedy_overhead));
    };
    return {part(requested.low, own.reserved.low - own.requested.low,
                 of_remedy.reserved.low - of_remedy.requested.low),
            part(requested.mid, own.reserved.mid - own.requested.mid,
                 of_remedy.reserved.mid - of_remedy.requested.mid),
            part(requested.high, own.reserved.high - own.requested.high,
                 of_remedy.reserved.high - of_remedy.requested.high)};
}

void addDirect(const FixInput& input, const FixRule& rule, double left, bool is_all,
               Outcome& outcome)
{
    const auto effect = rule.effect == nullptr ? std::nullopt : rule.effect(input);
    if (!effect) {
        return;
    }
    const Need& before = input.in.basis.before;
    if (is_all) {
        outcome.need = effect->need;
    } else {
        const Amount requested =
            less(outcome.need.requested, before.requested, effect->need.requested, left);
        outcome.need.reserved = withOverhead(requested, outcome.need, effect->need);
        outcome.need.requested = requested;
    }
    if (before.is_open && !effect->need.is_open) {
        outcome.need.is_open = false;
        outcome.need.notes.clear();
    } else if (effect->need.is_open && !before.is_open) {
        outcome.need.is_open = true;
        outcome.need.notes = effect->need.notes;
    }
    if (effect->gives_room) {
        outcome.capacity = effect->capacity;
        outcome.gives_room = true;
    }
    const Bytes recorded = input.in.facts.replay.activeAt(input.in.facts.replay.peak);
    const std::int64_t freed = std::max<std::int64_t>(0, (recorded - effect->new_peak).value);
    for (Bytes* peak : {&outcome.peak, &outcome.peak_low, &outcome.peak_high}) {
        *peak = {std::max<std::int64_t>(0, peak->value - freed)};
    }
}

} // namespace

Bytes Outcome::shortBy() const
{
    if (!capacity.bytes) {
        return {};
    }
    const double missing = need.reserved.mid - static_cast<double>(capacity.bytes->value);
    return {std::max<std::int64_t>(0, std::llround(missing))};
}

std::optional<Bytes> Outcome::margin() const
{
    if (!capacity.bytes) {
        return std::nullopt;
    }
    return Bytes{capacity.bytes->value - std::llround(need.reserved.high)};
}

Outcome recordedOutcome(const FixInput& input)
{
    const Facts& facts = input.in.facts;
    Outcome outcome;
    outcome.need = input.in.basis.before;
    outcome.capacity = input.in.basis.capacity;
    outcome.peak = facts.replay.activeAt(facts.replay.peak);
    outcome.peak_low = outcome.peak_high = outcome.peak;
    outcome.peak_state = facts.replay.peak;
    outcome.fits = fitsInto(outcome.need, outcome.capacity);
    return outcome;
}

Outcome tryOut(const FixInput& input, const Trial& trial)
{
    Outcome outcome = recordedOutcome(input);
    if (!trial.apply.empty()) {
        const auto changes = parseChanges(trial.apply);
        if (changes.has_value()) {
            PredictedRun run =
                predictRun(input.in.facts, input.in.basis, changes.value(), input.gpus, false);
            outcome.need = std::move(run.need);
            outcome.peak = run.prediction.after_peak;
            outcome.peak_low = run.prediction.after_low;
            outcome.peak_high = run.prediction.after_high;
            outcome.peak_state = run.prediction.after_peak_state;
        }
    }
    const bool is_all = trial.apply.empty() && trial.direct.size() == 1;
    for (const FixRule* rule : trial.direct) {
        addDirect(input, *rule, partLeft(trial.apply), is_all, outcome);
    }
    outcome.fits = fitsInto(outcome.need, outcome.capacity);
    return outcome;
}

std::vector<Outcome> tryOut(const FixInput& input, std::span<const Trial> trials,
                            const std::stop_token& stop)
{
    std::vector<Outcome> outcomes(trials.size());
    forEachInParallel(trials.size(), [&](std::size_t i) {
        outcomes[i] = stop.stop_requested() ? recordedOutcome(input) : tryOut(input, trials[i]);
    });
    return outcomes;
}

} // namespace tidemark::diagnose
