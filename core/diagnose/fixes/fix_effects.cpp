// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/fix_effects.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/findings.h"
#include "core/diagnose/fixes/fix_helpers.h"
#include "core/label/stacks/stack_text.h"

#include <algorithm>

namespace tidemark::diagnose {

DirectEffect unchangedEffect(const FixInput& f)
{
    const Facts& facts = f.in.facts;
    return {f.in.basis.before, f.in.basis.capacity, facts.replay.activeAt(facts.replay.peak),
            facts.replay.peak};
}

namespace {

/// What steps leave behind: the leak, or what the finding on each step says of too few to call it
/// one.
struct LeftBehind {
    StackId stack; ///< Of most of it.
    std::int64_t per_turn = 0;
    std::int64_t bytes = 0; ///< So far.
};

std::optional<LeftBehind> leftBehind(const FixInput& f)
{
    const Growth& growth = f.in.basis.growth;
    if (growth.kind == GrowthKind::leak) {
        return LeftBehind{growth.stack, growth.per_turn, growth.bytes};
    }
    const std::optional<Kept> kept = keptToTell(f.in);
    return !kept || kept->is_evaluation
        ? std::nullopt
        : std::optional(LeftBehind{kept->stack, kept->per_turn, kept->per_turn * kept->turns});
}

/// Of that, what lives at the moment.
std::int64_t leftAtMoment(const FixInput& f, const LeftBehind& left)
{
    if (f.in.basis.growth.kind == GrowthKind::leak || left.stack.isNone()) {
        return left.bytes;
    }
    const std::int64_t live =
        liveBytes(f, [&](AllocationId a) { return f.in.facts.stack(a) == left.stack; });
    return std::min(left.bytes, live);
}

} // namespace

FixEvidence seeLeak(const FixInput& f)
{
    const std::optional<LeftBehind> left = leftBehind(f);
    FixEvidence e{left.has_value(), false, {}};
    if (!left) {
        return e;
    }
    const std::string place =
        label::linesText(f.in.facts.snapshot, f.in.facts.stacks.lines(left->stack));
    e.figures["bytes"] = Bytes{left->bytes};
    e.figures["per_turn"] = Bytes{left->per_turn};
    e.figures["place"] = place.empty() ? say("no stack recorded") : place;
    return e;
}

/// What was kept goes away, and with a leak the growth: the need is that of any one step.
std::optional<DirectEffect> effectOfLeak(const FixInput& f)
{
    DirectEffect effect = unchangedEffect(f);
    const std::optional<LeftBehind> left = leftBehind(f);
    if (!left) {
        return effect;
    }
    const std::int64_t bytes = leftAtMoment(f, *left);
    const auto kept = static_cast<double>(bytes);
    for (Amount* amount : {&effect.need.requested, &effect.need.reserved}) {
        amount->low = std::max(0.0, amount->low - kept);
        amount->mid = std::max(0.0, amount->mid - kept);
        amount->high = std::max(0.0, amount->high - kept);
    }
    if (f.in.basis.growth.kind == GrowthKind::leak) {
        effect.need.is_open = false;
        effect.need.notes.clear();
    }
    effect.new_peak = {std::max<std::int64_t>(0, effect.new_peak.value - bytes)};
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
