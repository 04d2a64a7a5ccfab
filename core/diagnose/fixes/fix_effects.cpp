// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/fix_effects.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/label/stacks/stack_text.h"

#include <algorithm>

namespace tidemark::diagnose {

DirectEffect unchangedEffect(const FixInput& f)
{
    const Facts& facts = f.in.facts;
    return {f.in.basis.before, f.in.basis.capacity, facts.replay.activeAt(facts.replay.peak),
            facts.replay.peak};
}

FixEvidence seeLeak(const FixInput& f)
{
    const Growth& growth = f.in.basis.growth;
    FixEvidence e{growth.kind == GrowthKind::leak, false, {}};
    const std::string place =
        label::linesText(f.in.facts.snapshot, f.in.facts.stacks.lines(growth.stack));
    e.figures["bytes"] = Bytes{growth.bytes};
    e.figures["per_turn"] = Bytes{growth.per_turn};
    e.figures["place"] = place.empty() ? say("no stack recorded") : place;
    return e;
}

/// What was kept goes away, and with it the growth: the need is that of any one step.
std::optional<DirectEffect> effectOfLeak(const FixInput& f)
{
    DirectEffect effect = unchangedEffect(f);
    const auto kept = static_cast<double>(f.in.basis.growth.bytes);
    for (Amount* amount : {&effect.need.requested, &effect.need.reserved}) {
        amount->low = std::max(0.0, amount->low - kept);
        amount->mid = std::max(0.0, amount->mid - kept);
        amount->high = std::max(0.0, amount->high - kept);
    }
    effect.need.is_open = false;
    effect.need.notes.clear();
    effect.new_peak = {std::max<std::int64_t>(0, effect.new_peak.value - f.in.basis.growth.bytes)};
    return effect;
}

FixEvidence seeFraction(const FixInput& f)
{
    const auto& message = f.in.facts.message;
    FixEvidence e{f.hasCause(Cause::memory_fraction), false, {}};
    addLimitFigures(f.in, Cause::memory_fraction, e.figures);
    const std::optional<Bytes> free =
        message && message->free ? message->free : f.in.facts.moment.device_free;
    e.figures["free"] = free ? Figure(*free) : Figure(say("an unknown amount"));
    return e;
}

std::optional<DirectEffect> effectOfFraction(const FixInput& f)
{
    DirectEffect effect = unchangedEffect(f);
    const Moment& m = f.in.facts.moment;
    if (m.device_free) {
        effect.capacity = {m.reserved + *m.device_free, say("Reserved plus free GPU memory.")};
    }
    effect.gives_room = true;
    return effect;
}

FixEvidence seeOthers(const FixInput& f)
{
    Figures figures;
    addLimitFigures(f.in, Cause::other_process, figures);
    FixEvidence e{f.hasCause(Cause::other_process), false, std::move(figures)};
    return e;
}

std::optional<DirectEffect> effectOfOthers(const FixInput& f)
{
    // How much of it can be freed is for the user to say, so no figure is promised.
    DirectEffect effect = unchangedEffect(f);
    effect.capacity = {std::nullopt, say("Unknown: how much the other processes free.")};
    effect.gives_room = true;
    return effect;
}

} // namespace tidemark::diagnose
