// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/fix_helpers.h"

#include "core/base/language.h"
#include "core/diagnose/fixes/fix_effects.h"
#include "core/message/texts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::diagnose {

NameFinder::NameFinder(const Facts& facts, std::initializer_list<std::string_view> words)
    : m_facts(facts)
    , m_words(words)
    , m_found(facts.snapshot.stacks.stackCount(), -1)
{
}

bool NameFinder::operator()(AllocationId allocation)
{
    const StackId stack = m_facts.stack(allocation);
    if (stack.isNone()) {
        return false;
    }
    std::int8_t& found = m_found[stack.index()];
    if (found < 0) {
        found = isIn(stack) ? 1 : 0;
    }
    return found == 1;
}

bool NameFinder::isIn(StackId stack) const
{
    const trace::Snapshot& snapshot = m_facts.snapshot;
    const auto frames = snapshot.stacks.frames(stack);
    return std::any_of(frames.begin(), frames.end(), [&](FrameId id) {
        const Frame& frame = snapshot.stacks.frame(id);
        return std::any_of(m_words.begin(), m_words.end(), [&](std::string_view word) {
            return snapshot.text(frame.name).find(word) != std::string_view::npos
                || snapshot.text(frame.filename).find(word) != std::string_view::npos;
        });
    });
}

std::optional<DirectEffect> freed(const FixInput& f, double least, double likely, double most)
{
    DirectEffect effect = unchangedEffect(f);
    for (Amount* amount : {&effect.need.requested, &effect.need.reserved}) {
        amount->low = std::max(0.0, amount->low - most);
        amount->mid = std::max(0.0, amount->mid - likely);
        amount->high = std::max(0.0, amount->high - least);
    }
    effect.new_peak = {std::max<std::int64_t>(0, effect.new_peak.value - std::llround(likely))};
    return effect;
}

std::optional<DirectEffect> perhapsFreed(const FixInput& f, double least, double likely,
                                         double most, std::string reason)
{
    auto effect = freed(f, least, likely, most);
    effect->need.is_open = true;
    effect->need.notes.push_back(std::move(reason));
    return effect;
}

Figures withBytes(std::int64_t bytes)
{
    return {{"bytes", Bytes{bytes}}};
}

Figures withWidth(const FixInput& f, std::int64_t bytes)
{
    Figures figures = withBytes(bytes);
    figures["look"] =
        f.in.facts.isWidthKnown() ? say("look like fp32") : say("may be fp32 (dtype not recorded)");
    return figures;
}

FixEvidence evidenceOf(const FixInput& f, std::int64_t bytes, double share)
{
    FixEvidence e{bytes > 0 && f.shareOfLive(bytes) >= share, false, {}};
    e.figures["bytes"] = Bytes{bytes};
    return e;
}

FixEvidence unlessOneSample(const FixInput& f, FixEvidence evidence)
{
    if (f.hasOneSample()) {
        evidence.applies = false;
        evidence.why_not = say("The batch is one sample.");
    }
    return evidence;
}

std::int64_t optimizerBytes(const FixInput& f)
{
    const StateBytes& states = f.in.facts.states;
    const label::FailedRequest* failed = f.in.facts.failed;
    const bool one_more = failed != nullptr && failed->bucket == label::Bucket::optimizer_state;
    return states.optimizer + states.optimizer_missing
        + (one_more ? f.in.facts.moment.requested.value : 0);
}

} // namespace tidemark::diagnose
