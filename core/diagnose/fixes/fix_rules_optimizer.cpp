// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/facts/optimizer_kinds.h"
#include "core/diagnose/fixes/fix_helpers.h"
#include "core/label/stacks/frame_tests.h"
#include "core/label/stacks/torch_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Trait;

FixEvidence seeSetToNone(const FixInput& f)
{
    const Facts& facts = f.in.facts;
    std::int64_t kept = 0;
    std::uint32_t made_in_steps = 0;
    std::uint32_t last_step = 0;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        if (facts.labels.bucket[i] != Bucket::gradient) {
            continue;
        }
        const auto next = std::ranges::upper_bound(facts.passes, facts.allocations().begin[i], {},
                                                   [](const Pass& p) { return p.forward.begin; });
        const bool outlives = next != facts.passes.end() && next->isTraining() && next->step > 0
            && facts.allocations().end[i] > next->forward.begin;
        kept +=
            outlives && facts.isLive(AllocationId(i)) ? facts.allocations().requested[i].value : 0;
        const std::int32_t pass = facts.pass_of[i];
        const std::uint32_t step = pass < 0 ? 0 : facts.passes[static_cast<std::size_t>(pass)].step;
        made_in_steps += step > last_step ? 1 : 0;
        last_step = std::max(last_step, step);
    }
    return {f.shareOfLive(kept) >= kWorthIt / 3, kept == 0 && made_in_steps >= 2, withBytes(kept)};
}

FixEvidence seeTransients(const FixInput& f)
{
    const std::int64_t bytes = f.in.measures.optimizer_transients.bytes;
    return {f.shareOfLive(bytes) >= kWorthIt / 3, f.hasTrait(Trait::fused_optimizer),
            withBytes(bytes)};
}

FixEvidence seeFusedOptimizer(const FixInput& f)
{
    FixEvidence e = seeTransients(f);
    if (e.applies
        && !label::mayBeFused(f.in.facts.snapshot, f.in.measures.optimizer_transients.stack)) {
        e.applies = false;
        e.why_not = say("Only torch's Adam, AdamW and SGD have a fused step.");
    }
    return e;
}

/// torch's own name for the way without foreach; that no list was seen shows nothing by itself.
bool takesOneAfterTheOther(const FixInput& f)
{
    return label::anyFrame(f.in.facts.snapshot, [](std::string_view name, std::string_view) {
        return name.starts_with("_single_tensor_");
    });
}

FixEvidence seeForeachOff(const FixInput& f)
{
    FixEvidence e = seeTransients(f);
    const bool lists = f.hasTrait(Trait::foreach);
    e.is_on = !lists && !e.is_on && takesOneAfterTheOther(f);
    e.applies = e.applies && lists;
    return e;
}

/// Whether most of the state has a byte for each element of a weight. That there is less of it than
/// of the weights shows nothing: it may be sharded, or not made yet.
bool stateIsIn8Bits(const Facts& facts)
{
    std::set<std::int64_t> elements;
    std::vector<std::int64_t> states;
    for (const AllocationId a : facts.ids()) {
        if (!facts.isLive(a)) {
            continue;
        }
        if (facts.bucket(a) == Bucket::parameter) {
            elements.insert(facts.bytes(a) / facts.weightWidth());
        } else if (facts.bucket(a) == Bucket::optimizer_state) {
            states.push_back(facts.bytes(a));
        }
    }
    std::int64_t all = 0;
    std::int64_t narrow = 0;
    for (const std::int64_t bytes : states) {
        all += bytes;
        const bool is_narrow =
            elements.contains(bytes) && !elements.contains(bytes / facts.weightWidth());
        narrow += is_narrow ? bytes : 0;
    }
    return all > 0 && narrow * 2 > all;
}

/// State of two copies and more, unless it is in 8 bits already.
FixEvidence seeAdamState(const FixInput& f)
{
    const std::int64_t bytes = optimizerBytes(f);
    const double copies = f.in.facts.states.copies;
    FixEvidence e{f.shareOfLive(bytes) >= kWorthIt && copies >= 1.5, stateIsIn8Bits(f.in.facts),
                  withBytes(bytes)};
    // Adam's two in 32 bits are four times as large as weights in 16.
    const bool is_wide = f.in.facts.sixteen_bit_states && copies > kMostOwnWidthCopies;
    e.figures["copies"] = fmt::format("{:.0f}", is_wide ? copies / 2 : copies);
    e.figures["part"] = f.in.facts.sixteen_bit_states && !is_wide ? say("half") : say("a quarter");
    return e;
}

FixEvidence seeOffloadOptimizer(const FixInput& f)
{
    const std::int64_t bytes = optimizerBytes(f);
    FixEvidence e{f.shareOfLive(bytes) >= kWorthIt, false, withBytes(bytes)};
    e.host = Bytes{bytes};
    return e;
}

constexpr std::array<FixRule, 10> kOptimizerRules{{
    {"set-to-none", seeSetToNone},
    {"fused-optimizer", seeFusedOptimizer},
    {"foreach-off", seeForeachOff},
    {"optimizer-8bit", seeAdamState},
    {"optimizer-paged-8bit", seeAdamState},
    {"optimizer-lion", seeAdamState},
    {"optimizer-adafactor", seeAdamState},
    {"optimizer-muon", seeAdamState},
    {"optimizer-sgd", seeAdamState},
    {"offload-optimizer", seeOffloadOptimizer},
}};

} // namespace

const FixRule* optimizerFixRule(std::string_view id)
{
    const auto found = std::ranges::find(kOptimizerRules, id, &FixRule::id);
    return found == kOptimizerRules.end() ? nullptr : &*found;
}

} // namespace tidemark::diagnose
