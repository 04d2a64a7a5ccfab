// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/units.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemark::compare {
namespace {

constexpr std::int32_t kNone = -1;

/// What tells a pass: its kind and its number among those of that kind, or, by steps, its number
/// from the end of its step: the optimizer follows the last one.
using PassKey = std::pair<std::pair<label::Phase, std::int64_t>, std::int64_t>;

std::vector<PassKey> keysOf(const std::vector<label::Pass>& passes, bool by_steps,
                            std::int64_t step_offset, bool any_kind)
{
    std::map<std::pair<label::Phase, std::int64_t>, std::int64_t> counts;
    std::vector<PassKey> keys(passes.size());
    for (std::size_t n = 0; n < passes.size(); ++n) {
        const std::size_t i = by_steps ? passes.size() - 1 - n : n;
        const std::int64_t step = by_steps ? std::int64_t{passes[i].step} + step_offset : 0;
        const std::pair<label::Phase, std::int64_t> kind{
            any_kind ? label::Phase::forward : passes[i].kind, step};
        keys[i] = {kind, counts[kind]++};
    }
    return keys;
}

/// Passes of training in most steps; 0: no step is known.
std::int64_t passesPerStep(const std::vector<label::Pass>& passes)
{
    std::map<std::uint32_t, std::int64_t> of_step;
    for (const label::Pass& pass : passes) {
        if (pass.step > 0 && pass.isWholeTraining()) {
            ++of_step[pass.step];
        }
    }
    std::map<std::int64_t, std::int64_t> steps;
    for (const auto& [step, count] : of_step) {
        ++steps[count];
    }
    const auto most =
        std::ranges::max_element(steps, {}, [](const auto& entry) { return entry.second; });
    return most == steps.end() ? 0 : most->first;
}

/// Whether the passes of one kind cannot be counted through: one run accumulates over more of them.
bool accumulateOtherwise(const Units& a, const Units& b)
{
    const std::int64_t in_a = passesPerStep(a.passes());
    const std::int64_t in_b = passesPerStep(b.passes());
    return in_a != in_b && in_a > 0 && in_b > 0;
}

/// Whether there is a pass of one kind in both.
bool haveKindInCommon(const std::vector<label::Pass>& a, const std::vector<label::Pass>& b)
{
    return std::ranges::any_of(a, [&b](const label::Pass& pass) {
        return std::ranges::find(b, pass.kind, &label::Pass::kind) != b.end();
    });
}

/// The last pass of a kind, or of any; none: there is none.
std::int32_t lastOf(const std::vector<label::Pass>& passes, label::Phase kind, bool any_kind)
{
    for (std::size_t i = passes.size(); i > 0; --i) {
        if (any_kind || passes[i - 1].kind == kind) {
            return static_cast<std::int32_t>(i - 1);
        }
    }
    return kNone;
}

/// The pass that a unit is or follows; none: before all.
std::int32_t passOf(std::int32_t unit)
{
    return (unit + 1) / 2 - 1;
}

/// Gives the pass at the moment a partner.
void pairMoment(const Units& a, const Units& b, SideMoment moment, bool any_kind,
                std::vector<std::int32_t>& a_of_b)
{
    const std::int32_t pass = passOf((moment.is_of_b ? b : a).at(moment.state));
    if (pass == kNone) {
        return;
    }
    const auto p = static_cast<std::size_t>(pass);
    if (moment.is_of_b) {
        if (a_of_b[p] == kNone) {
            const std::int32_t partner = lastOf(a.passes(), b.passes()[p].kind, any_kind);
            std::ranges::replace(a_of_b, partner, kNone);
            a_of_b[p] = partner;
        }
        return;
    }
    if (std::ranges::find(a_of_b, pass) == a_of_b.end()) {
        const std::int32_t partner = lastOf(b.passes(), a.passes()[p].kind, any_kind);
        if (partner != kNone) {
            a_of_b[static_cast<std::size_t>(partner)] = pass;
        }
    }
}

} // namespace

Units::Units(const Side& side)
    : m_passes(label::findPasses(side.labels(), side.replay().stateCount()))
{
}

std::int32_t Units::at(StateId state) const
{
    const auto behind = std::ranges::upper_bound(
        m_passes, state, {}, [](const label::Pass& p) { return p.forward.begin; });
    if (behind == m_passes.begin()) {
        return 0;
    }
    const auto pass = static_cast<std::int32_t>(behind - m_passes.begin()) - 1;
    const bool is_in = state < std::prev(behind)->end();
    return 2 * pass + (is_in ? 1 : 2);
}

std::vector<std::int32_t> Units::ofAllocations(const Side& side) const
{
    const replay::Allocations& all = side.allocations();
    std::vector<std::int32_t> units;
    units.reserve(all.count());
    for (std::size_t i = 0; i < all.count(); ++i) {
        units.push_back(all.alloc_event[i].isNone() ? -1 : at(all.begin[i]));
    }
    return units;
}

std::vector<std::int32_t> matchPasses(const Units& a, const Units& b, const AlignOptions& options,
                                      SideMoment moment)
{
    const bool by_steps = options.steps.has_value() || accumulateOtherwise(a, b);
    const std::int64_t offset = options.steps.has_value()
        ? std::int64_t{options.steps->first} - std::int64_t{options.steps->second}
        : 0;
    const bool any_kind = !haveKindInCommon(a.passes(), b.passes());
    const std::vector<PassKey> keys_a = keysOf(a.passes(), by_steps, 0, any_kind);
    const std::vector<PassKey> keys_b = keysOf(b.passes(), by_steps, offset, any_kind);
    std::map<PassKey, std::int32_t> in_a;
    for (std::size_t i = 0; i < keys_a.size(); ++i) {
        in_a.emplace(keys_a[i], static_cast<std::int32_t>(i));
    }
    std::vector<std::int32_t> a_of_b;
    a_of_b.reserve(keys_b.size());
    for (const PassKey& key : keys_b) {
        const auto found = in_a.find(key);
        a_of_b.push_back(found == in_a.end() ? kNone : found->second);
    }
    pairMoment(a, b, moment, any_kind, a_of_b);
    return a_of_b;
}

} // namespace tidemark::compare
