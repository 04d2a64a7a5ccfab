// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/fix_settings.h"

#include "core/base/language.h"
#include "core/diagnose/fixes/fix_effects.h"

#include <fmt/format.h>

#include <utility>

namespace tidemark::diagnose {
namespace {

SettingsOutcome outcome(const FixInput& f, const allocator::Simulation& replay)
{
    return outcomeOf(f.in.facts, f.in.basis, f.trial, replay);
}

/// The texts end their sentences themselves.
std::string withoutStop(std::string sentence)
{
    if (sentence.ends_with('.')) {
        sentence.pop_back();
    }
    return sentence;
}

DirectEffect effectOf(const FixInput& f, const SettingsOutcome& outcome)
{
    DirectEffect effect = unchangedEffect(f);
    effect.need = outcome.need;
    // However little that is, where it runs out.
    effect.gives_room = outcome.fits && needsFix(f.in.facts, f.in.basis);
    return effect;
}

/// Without a replay: cached bytes count as usable when they are a good part of what is reserved.
FixEvidence seeCached(const FixInput& f, std::string outcome)
{
    const Moment& m = f.in.facts.moment;
    const std::int64_t cached = f.in.cached();
    const bool is_proven = m.is_oom && cached >= m.requested.value;
    FixEvidence e{is_proven || hasMuchCached(m), false, {}};
    e.figures["outcome"] = std::move(outcome);
    e.figures["missing"] =
        say("Only {} was reserved but unused, so no allocator setting helps", Bytes{cached});
    return e;
}

/// What the replay without the holes says; `untried` where there is none.
FixEvidence seeReplay(const FixInput& f, std::string untried)
{
    const allocator::Simulation* const replay = expandableReplay(f.trial);
    FixEvidence e;
    if (replay == nullptr) {
        e = seeCached(f, std::move(untried));
    } else {
        const SettingsOutcome o = outcome(f, *replay);
        e.applies = o.helps;
        e.figures["outcome"] = withoutStop(o.sentence);
        e.figures["missing"] = withoutStop(o.sentence);
        const allocator::Study& study = *f.trial.study;
        if (study.recorded.oom && study.exceedsIdeal()) {
            e.figures["outcome"].text += ". "
                + say("Even without fragmentation {} would be missing",
                      study.ideal.bytes - *study.capacity.bytes);
            e.figures["missing"] = withoutStop(settingsVerdict(f.in.facts, f.trial));
        }
    }
    e.figures["cached"] = Bytes{f.in.cached()};
    return e;
}

/// Whether expandable segments are enough.
bool doesExpand(const FixInput& f)
{
    const allocator::Simulation* const expandable = expandableReplay(f.trial);
    return f.trial.can_expand && expandable != nullptr && expandable->fits();
}

std::string sayExpands()
{
    return say("Expandable segments are enough and cheaper");
}

} // namespace

FixEvidence seeMaxSplit(const FixInput& f)
{
    const trace::AllocatorSettings& recorded = f.in.facts.snapshot.settings;
    if (!recorded.splitsBesideExpandable()) {
        FixEvidence e;
        e.figures["kept"] = "expandable_segments:True";
        e.figures["missing"] = say("max_split_size_mb and expandable segments are not both set");
        return e;
    }
    FixEvidence e =
        seeReplay(f,
                  say("Without max_split_size_mb, expandable segments reuse nearly all of it. A "
                      "rule of thumb: the simulator does not reproduce this run"));
    e.figures["kept"] =
        withoutMaxSplit(allocator::recordedSettings(recorded, f.in.facts.device)).text;
    return e;
}

FixEvidence seeExpandable(const FixInput& f)
{
    FixEvidence e = seeReplay(f,
                              say("Expandable segments make nearly all of it usable. A rule of "
                                  "thumb: the simulator does not reproduce this run"));
    if (!f.trial.can_expand) {
        e.applies = false;
        e.figures["missing"] = say("Windows has no expandable segments");
    }
    e.is_on = f.in.facts.snapshot.settings.expandable_segments.value_or(false);
    return e;
}

std::optional<DirectEffect> effectOfExpandable(const FixInput& f)
{
    if (const allocator::Simulation* const replay = expandableReplay(f.trial)) {
        return effectOf(f, outcome(f, *replay));
    }
    // Live memory stays; holes go. What remains are pages of 2 and 20 MiB that are partly used.
    static constexpr double kPages = 24.0 * 1024 * 1024;
    static constexpr double kHolesLeft = 0.1; // of what was cached, at worst
    DirectEffect effect = unchangedEffect(f);
    const Amount& need = f.in.basis.before.requested;
    const auto cached = static_cast<double>(f.in.cached());
    effect.need.reserved = {need.low, need.mid + kPages / 2,
                            need.high + kPages + kHolesLeft * cached};
    return effect;
}

FixEvidence seePreallocation(const FixInput& f)
{
    FixEvidence e;
    e.figures["bytes"] = "...";
    const allocator::Simulation* const replay = preallocatedReplay(f.trial);
    if (replay == nullptr) {
        e.figures["missing"] =
            doesExpand(f) ? sayExpands() : say("Preallocation was not simulated");
        return e;
    }
    const SettingsOutcome o = outcome(f, *replay);
    const Bytes first = replay->conditions.preallocated;
    e.figures["bytes"] = fmt::format("{}", first.value);
    e.figures["outcome"] = withoutStop(o.sentence);
    e.figures["missing"] = withoutStop(o.sentence);
    // Begun anew, the recorded settings may get past it as well: then it proves nothing.
    e.applies = o.helps && o.fits && !f.trial.study->reference().fits();
    return e;
}

std::optional<DirectEffect> effectOfPreallocation(const FixInput& f)
{
    return effectOf(f, outcome(f, *preallocatedReplay(f.trial)));
}

FixEvidence seeOtherSettings(const FixInput& f)
{
    FixEvidence e;
    e.figures["settings"] = "max_split_size_mb:128";
    e.figures["outcome"] = "";
    const allocator::Simulation* const best = bestOtherReplay(f.trial);
    const bool expands = doesExpand(f);
    const std::string expand = sayExpands();
    if (best == nullptr) {
        const std::string verdict = withoutStop(settingsVerdict(f.in.facts, f.trial));
        e.figures["missing"] = expands ? expand
            : !verdict.empty()         ? verdict
            : f.trial.is_relevant && !f.trial.study
            ? say("The simulator does not reproduce this run, so no other settings were tried")
            : say("No other setting looks promising");
        return e;
    }
    const SettingsOutcome o = outcome(f, *best);
    e.applies = o.fits && !expands;
    e.figures["settings"] = best->conditions.settings.text;
    e.figures["outcome"] = withoutStop(o.sentence);
    e.figures["missing"] = o.fits ? expand : withoutStop(settingsVerdict(f.in.facts, f.trial));
    return e;
}

std::optional<DirectEffect> effectOfOtherSettings(const FixInput& f)
{
    return effectOf(f, outcome(f, *bestOtherReplay(f.trial)));
}

bool isSettingsFix(std::string_view id)
{
    return id == "expandable-segments" || id == "allocator-settings" || id == "drop-max-split"
        || id == "preallocate";
}

} // namespace tidemark::diagnose
