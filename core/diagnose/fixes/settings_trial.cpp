// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/settings_trial.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/message/texts.h"

#include <algorithm>
#include <limits>

namespace tidemark::diagnose {
namespace {

using allocator::Simulation;
using allocator::Study;

/// Of what is reserved: below it, nothing cached is worth a replay.
constexpr double kRelevantCache = 0.04;

bool isWindowsPath(std::string_view path)
{
    return path.size() > 3 && path[1] == ':' && path[2] == '\\';
}

bool ranOnWindows(const trace::Snapshot& snapshot)
{
    const StackPool& stacks = snapshot.stacks;
    for (std::size_t f = 0; f < stacks.frameCount(); ++f) {
        if (isWindowsPath(snapshot.text(stacks.frame(FrameId(f)).filename))) {
            return true;
        }
    }
    return false;
}

std::string nameOf(const Simulation& replay)
{
    if (replay.conditions.preallocated > Bytes{}) {
        return say("a preallocated block of {}", replay.conditions.preallocated);
    }
    const std::string& text = replay.conditions.settings.text;
    return text.empty() ? say("the default settings") : text;
}

/// How far a run gets: the event at which it runs out, above all others where it does not.
std::int64_t reach(const Simulation& replay)
{
    if (!replay.oom) {
        return std::numeric_limits<std::int64_t>::max();
    }
    return replay.oom->event.isNone() ? -1 : std::int64_t{replay.oom->event.value};
}

/// With what lived before the trace placed anew the recorded settings do not fail either.
bool provesNothing(const Facts& facts, const Study& study)
{
    return facts.isOom() && study.reference().fits();
}

Bytes shortBy(const Simulation& replay)
{
    return replay.oom->needed() - replay.conditions.capacity.value_or(Bytes{});
}

std::string sentenceOf(const Facts& facts, const Study& study, const Simulation& replay)
{
    const Simulation& recorded = study.reference();
    const std::string name = nameOf(replay);
    const Bytes reserved = replay.reserved_peak;
    if (replay.oom) {
        const std::string where = formatEventNumber(
            replay.oom->event.isNone() ? -1 : std::int64_t{replay.oom->event.value});
        const Bytes lack = shortBy(replay);
        if (reach(replay) < reach(recorded)) {
            return say("With {} it runs out even earlier, at {}, {} short.", name, where, lack);
        }
        return reach(replay) == reach(recorded)
            ? say("With {} it still runs out at {}, {} short.", name, where, lack)
            : say("With {} it gets further but runs out at {}, {} short.", name, where, lack);
    }
    if (!replay.passed.empty() && provesNothing(facts, study)) {
        return say("With {} the failed request passes, but so it does with the recorded settings "
                   "once earlier blocks move, which proves nothing.",
                   name);
    }
    if (!replay.passed.empty() && replay.conditions.capacity) {
        return say("With {} the failed request passes; reserved peaks at {} of {}.", name, reserved,
                   *replay.conditions.capacity);
    }
    if (recorded.oom) {
        return say("With {} the run fits; reserved peaks at {}.", name, reserved);
    }
    return say("With {} reserved peaks at {} instead of {}.", name, reserved,
               recorded.reserved_peak);
}

void setReserved(Need& need, double beside_low, double beside_high)
{
    need.reserved = {need.requested.low + beside_low, need.requested.mid + beside_low,
                     need.requested.high + beside_high};
}

/// What stays beside the live bytes in a replay that gets past the request that failed.
void fillPassed(const Facts& facts, const Simulation& replay, Need& need)
{
    static constexpr double kHolesLeft = 0.1; // of what is cached: more may open up afterwards
    const Bytes live = facts.moment.active + facts.moment.requested;
    const Bytes held = replay.passed.back().held;
    const auto beside = static_cast<double>(std::max(Bytes{}, held - live).value);
    // A first block is all that is cached when the most is reserved.
    const double cached = replay.conditions.preallocated > Bytes{}
        ? beside
        : static_cast<double>(replay.cached_at_peak.value);
    setReserved(need, beside, beside + kHolesLeft * cached);
}

/// Each of the other settings is a replay of the whole run, so none is made where no settings can
/// help or the plainest do.
bool isWorthSearching(const SettingsTrial& trial)
{
    const Simulation* const expandable = expandableReplay(trial);
    const bool expands = trial.can_expand && expandable != nullptr && expandable->fits();
    return !expands && !trial.study->exceedsIdeal();
}

} // namespace

bool hasMuchCached(const Moment& moment)
{
    const auto reserved = static_cast<double>(std::max<std::int64_t>(1, moment.reserved.value));
    return static_cast<double>((moment.reserved - moment.active).value) / reserved
        >= kRelevantCache;
}

SettingsTrial trySettings(const Facts& facts, const NeedBasis& basis, const StagePart& part)
{
    SettingsTrial trial;
    trial.can_expand = !ranOnWindows(facts.snapshot);
    const Moment& m = facts.moment;
    trial.is_relevant = m.is_oom || hasMuchCached(m);
    const allocator::Baseline* const baseline = facts.analysis.baseline(facts.index);
    if (!trial.is_relevant || baseline == nullptr || baseline->addresses_checked == 0
        || !baseline->isTrusted()) {
        return trial;
    }
    allocator::StudyOptions options;
    options.settings = facts.snapshot.settings.splitsBesideExpandable()
        ? allocator::withoutMaxSplit(baseline->settings)
        : allocator::parseSettings("expandable_segments:True").value();
    options.capacity = facts.analysis.input.capacity;
    trial.most_capacity = basis.capacity.bytes ? basis.capacity.most() : Bytes{};
    if (!options.capacity && basis.capacity.bytes) {
        // What the run had at any time it could have again.
        const Bytes most{*std::ranges::max_element(facts.replay.reserved)};
        options.capacity = std::max(most, *basis.capacity.bytes);
    }
    for (options.searches = false;; options.searches = options.preallocates = true) {
        auto study = allocator::study(facts.snapshot, facts.index, facts.replay, facts.sizes,
                                      *baseline, options, part.sink, part.stop);
        if (!study.has_value()) {
            return trial;
        }
        trial.study = std::move(study).value();
        if (options.searches || !m.is_oom || !isWorthSearching(trial)) {
            return trial;
        }
    }
}

SettingsOutcome outcomeOf(const Facts& facts, const NeedBasis& basis, const SettingsTrial& trial,
                          const Simulation& replay)
{
    const Study& study = *trial.study;
    const Simulation& recorded = study.reference();
    SettingsOutcome outcome;
    outcome.sentence = sentenceOf(facts, study, replay);
    outcome.need = basis.before;
    outcome.fits = replay.fits();
    Need& need = outcome.need;
    if (replay.oom) {
        const auto needed = static_cast<double>(replay.oom->needed().value);
        const auto before = recorded.oom ? static_cast<double>(recorded.oom->needed().value) : 0.0;
        outcome.helps = recorded.oom
            && (reach(replay) > reach(recorded)
                || (reach(replay) == reach(recorded) && needed < before));
        // What is known to follow is a part of the requested bytes already.
        const double later = needed + static_cast<double>(need.known_to_follow);
        need.reserved = {needed, std::max(later, need.requested.mid),
                         std::max(later, need.requested.high)};
        return outcome;
    }
    if (!replay.passed.empty()) {
        fillPassed(facts, replay, need);
        outcome.helps = true;
        if (provesNothing(facts, study)) {
            need.is_open = true;
            need.notes.emplace_back(say("Where blocks from before the trace would go is unknown."));
        }
        return outcome;
    }
    const auto saved = static_cast<double>((recorded.reserved_peak - replay.reserved_peak).value);
    outcome.helps = recorded.oom.has_value() || saved > 0;
    const double mid = std::max(need.requested.mid, need.reserved.mid - std::max(0.0, saved));
    need.reserved = {std::min(need.reserved.low, mid), mid, std::max(mid, need.requested.high)};
    return outcome;
}

const Simulation* expandableReplay(const SettingsTrial& trial)
{
    if (!trial.study) {
        return nullptr;
    }
    const allocator::Settings& recorded = trial.study->baseline.settings;
    const bool is_on =
        recorded.expandable_segments && recorded.max_split == allocator::Settings::kUnlimited;
    return is_on ? nullptr : &trial.study->result;
}

const Simulation* preallocatedReplay(const SettingsTrial& trial)
{
    return trial.study && trial.study->preallocated ? &*trial.study->preallocated : nullptr;
}

const Simulation* bestOtherReplay(const SettingsTrial& trial)
{
    if (!trial.study) {
        return nullptr;
    }
    const auto& expandable = trial.study->result.conditions.settings;
    const auto isOther = [&](const Simulation& replay) {
        const auto& settings = replay.conditions.settings;
        return !placeAlike(settings, expandable)
            && !placeAlike(settings, trial.study->baseline.settings)
            && (trial.can_expand || !settings.expandable_segments);
    };
    const auto found = std::ranges::find_if(trial.study->candidates, isOther);
    return found == trial.study->candidates.end() ? nullptr : &*found;
}

std::string settingsVerdict(const Facts& facts, const SettingsTrial& trial)
{
    if (!trial.study || !trial.study->recorded.oom) {
        return {};
    }
    const Study& study = *trial.study;
    if (study.exceedsIdeal() && study.ideal.bytes <= trial.most_capacity) {
        return say("Allocator settings help only if the limit is at least {}: so much is needed "
                   "without fragmentation.",
                   study.ideal.bytes);
    }
    if (study.exceedsIdeal()) {
        return say("Allocator settings cannot help: even without fragmentation it is {} short.",
                   study.ideal.bytes - *study.capacity.bytes);
    }
    const Simulation* best = expandableReplay(trial);
    const Simulation* const other = bestOtherReplay(trial);
    if (best == nullptr || !trial.can_expand
        || (other != nullptr && !best->fits() && isBetter(*other, *best))) {
        best = other;
    }
    if (best == nullptr) {
        return {};
    }
    if (best->fits()) {
        return sentenceOf(facts, study, *best);
    }
    return say("None of {} simulated allocator settings lets the failed request pass; the best, "
               "{}, is {} short.",
               study.candidates.size(), nameOf(*best), shortBy(*best));
}

} // namespace tidemark::diagnose
