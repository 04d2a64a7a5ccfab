// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/trial.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::diagnose {
namespace {

/// The part of what follows the batch that changes leave: what a fix frees may be part of it.
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

/// `amount` less a part of what a fix takes from `before`, at no bound below 0.
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
    const double missing = need.reserved.mid - static_cast<double>(capacity.most().value);
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

Trials::Trials(const FixInput& input, std::stop_token stop)
    : m_input(input)
    , m_stop(std::move(stop))
    , m_changer(input.in.facts, Engine::walk, m_stop)
{
}

void Trials::prepare(std::span<const std::string> lists)
{
    std::vector<std::string> words;
    std::vector<std::vector<Change>> scenarios;
    for (const std::string& list : lists) {
        auto changes = parseChanges(list);
        const bool is_new =
            !m_known.contains(list) && std::find(words.begin(), words.end(), list) == words.end();
        if (is_new && changes.has_value()) {
            words.push_back(list);
            scenarios.push_back(std::move(changes).value());
        }
    }
    if (words.empty() || m_stop.stop_requested()) {
        return;
    }
    std::vector<PredictedRun> found =
        predictRuns(m_changer, m_input.in.basis, scenarios, m_input.gpus);
    for (std::size_t i = 0; i < words.size(); ++i) {
        m_known.emplace(std::move(words[i]), std::move(found[i]));
    }
}

void Trials::prepare(std::span<const Trial> trials)
{
    std::vector<std::string> lists;
    for (const Trial& trial : trials) {
        if (!trial.apply.empty()) {
            lists.push_back(trial.apply);
        }
    }
    prepare(lists);
}

Outcome Trials::outcomeOf(const Trial& trial)
{
    Outcome outcome = recordedOutcome(m_input);
    if (!trial.apply.empty()) {
        prepare({&trial.apply, 1});
        const auto known = m_known.find(trial.apply);
        if (known != m_known.end()) {
            const PredictedRun& run = known->second;
            outcome.need = run.need;
            outcome.peak = run.prediction.after_peak;
            outcome.peak_low = run.prediction.after_low;
            outcome.peak_high = run.prediction.after_high;
            outcome.peak_state = run.prediction.after_peak_state;
        } else if (m_stop.stop_requested()) {
            return outcome;
        }
    }
    const bool is_all = trial.apply.empty() && trial.direct.size() == 1;
    for (const FixRule* rule : trial.direct) {
        addDirect(m_input, *rule, partLeft(trial.apply), is_all, outcome);
    }
    outcome.fits = fitsInto(outcome.need, outcome.capacity);
    return outcome;
}

std::vector<Outcome> Trials::outcomesOf(std::span<const Trial> trials)
{
    prepare(trials);
    std::vector<Outcome> outcomes;
    for (const Trial& trial : trials) {
        outcomes.push_back(outcomeOf(trial));
    }
    return outcomes;
}

} // namespace tidemark::diagnose
