// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/keyed_hash.h"
#include "core/label/assigner.h"
#include "core/label/kept_results.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::label {
namespace {

/// Rules for allocations whose event is in the trace. One function per phase.
class TracedLabeller {
public:
    TracedLabeller(const Evidence& evidence, Assigner& out)
        : m_e(evidence)
        , m_a(evidence.replay.allocations)
        , m_out(out)
        , m_kept(evidence)
    {
    }

    SizeCounts run(const StagePart& progress)
    {
        findGradientSizes();
        for (std::size_t i = 0; i < m_a.count(); ++i) {
            if (i % kStopCheckStride == 0 && !progress.goesOn(i, m_a.count())) {
                break;
            }
            if (!m_a.alloc_event[i].isNone()) {
                label(AllocationId(i));
            }
        }
        return std::move(m_gradients);
    }

private:
    void findGradientSizes();
    [[nodiscard]] bool isGradient(AllocationId a, const Run& run) const;
    void label(AllocationId a);
    bool labelByCategory(AllocationId a);
    bool labelByTrait(AllocationId a);
    void labelSetup(AllocationId a, const Run& run);
    void labelInput(AllocationId a, const Run& run);
    void labelForward(AllocationId a, const Run& run);
    void labelBackward(AllocationId a, const Run& run);
    void labelOptimizer(AllocationId a, std::size_t run_index);
    void findReplacedParameters(const Run& run);
    void labelPassWithoutGradients(AllocationId a);
    void labelOther(AllocationId a);
    [[nodiscard]] Traits traits(AllocationId a) const
    {
        return m_e.kinds.traits(m_a.stack[a.index()]);
    }

    const Evidence& m_e;
    const replay::Allocations& m_a;
    Assigner& m_out;
    SizeCounts m_gradients;
    std::size_t m_run = 0; ///< That of the allocation being labelled.
    std::size_t m_replacements_of =
        std::numeric_limits<std::size_t>::max(); ///< Run they were found for.
    std::unordered_set<std::uint32_t> m_replacements;
    /// Of the parameters that the trace has made so far.
    std::unordered_set<std::int64_t, KeyedNumberHash> m_parameter_sizes;
    KeptResults m_kept;
};

bool TracedLabeller::isGradient(AllocationId a, const Run& run) const
{
    // Alive after backward is over, or freed in the burst that follows its last allocation while
    // matching a gradient of another step (plain SGD allocates nothing in its step, so nothing
    // marks its start).
    if (m_e.livesOn(a, run.over)) {
        return true;
    }
    return m_e.livesOn(a, StateId::after(run.last_alloc))
        && m_a.alloc_event[a.index()].index() + 2 < run.last_alloc.index()
        && m_gradients.contains(m_a.requested[a.index()].value);
}

/// The sizes of gradients: of the completed backward run that leaves most of them. Where every
/// backward is followed by its frees at once, those alive after the run's last allocation.
void TracedLabeller::findGradientSizes()
{
    for (const Run& run : m_e.runs.runs) {
        if (run.phase != Phase::backward || run.is_last) {
            continue;
        }
        SizeCounts alive;
        SizeCounts alive_at_last_alloc;
        for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
            const AllocationId a = m_e.replay.event_allocation[i];
            if (m_e.device.events.action[i] != trace::Action::alloc || a.isNone()
                || traits(a).has(Trait::recompute)) {
                continue;
            }
            if (m_e.livesOn(a, run.over)) {
                ++alive[m_a.requested[a.index()].value];
            }
            if (m_e.livesOn(a, StateId::after(run.last_alloc)) && i + 2 < run.last_alloc.index()) {
                ++alive_at_last_alloc[m_a.requested[a.index()].value];
            }
        }
        const SizeCounts& found = alive.empty() ? alive_at_last_alloc : alive;
        for (const auto& [size, count] : found) {
            m_gradients[size] = std::max(m_gradients[size], count);
        }
    }
}

void TracedLabeller::label(AllocationId a)
{
    if (labelByCategory(a) || labelByTrait(a) || m_e.runs.runs.empty()) {
        return;
    }
    // Allocations come in the order of their events, so the run only ever moves on.
    const std::vector<Run>& runs = m_e.runs.runs;
    while (m_run + 1 < runs.size() && runs[m_run + 1].first <= m_a.alloc_event[a.index()]) {
        ++m_run;
    }
    const Run& run = runs[m_run];
    switch (run.phase) {
    case Phase::setup:
        labelSetup(a, run);
        break;
    case Phase::input:
        labelInput(a, run);
        break;
    case Phase::forward:
        labelForward(a, run);
        break;
    case Phase::backward:
        labelBackward(a, run);
        break;
    case Phase::optimizer:
        labelOptimizer(a, m_run);
        break;
    case Phase::evaluation:
    case Phase::inference:
        labelPassWithoutGradients(a);
        break;
    case Phase::other:
        labelOther(a);
        break;
    }
}

bool TracedLabeller::labelByCategory(AllocationId a)
{
    const auto& column = m_e.device.events.category;
    if (column.empty()) {
        return false;
    }
    const std::string_view category = m_e.snapshot.text(column[m_a.alloc_event[a.index()].index()]);
    const auto bucket = bucketFromId(category);
    if (!bucket.has_value() || *bucket == Bucket::unknown) {
        return false;
    }
    m_out.assign(a, *bucket, Role::none, 95, "profiler-category", "The profiler named it so");
    return true;
}

/// Frames that say by themselves what the memory is for, whatever the phase.
bool TracedLabeller::labelByTrait(AllocationId a)
{
    const Traits t = traits(a);
    if (t.has(Trait::workspace)) {
        m_out.assign(a, Bucket::workspace, Role::none, 95, "library-workspace",
                     "Made by cuBLAS, cuDNN or an autotuner as working memory");
        return true;
    }
    if (t.has(Trait::reducer)) {
        m_out.assign(a, Bucket::gradient, Role::reduction_bucket, 90, "ddp-bucket",
                     "Made by DistributedDataParallel's reducer");
        return true;
    }
    if (t.has(Trait::unshard)) {
        m_out.assign(a, Bucket::parameter, Role::unsharded, 85, "unsharded-parameter",
                     "Gathered by FSDP or ZeRO-3 for use");
        return true;
    }
    if (t.has(Trait::communication)) {
        m_out.assign(a, Bucket::communication, Role::none, 80, "collective-buffer",
                     "Made by a collective operation");
        return true;
    }
    if (m_e.kinds.kind(m_a.stack[a.index()]) == StackKind::load_optimizer) {
        m_out.assign(a, Bucket::optimizer_state, Role::none, 85, "optimizer-state-loaded",
                     "Made while an optimizer's state was loaded");
        return true;
    }
    return false;
}

void TracedLabeller::labelSetup(AllocationId a, const Run& run)
{
    const bool is_load = m_e.kinds.kind(m_a.stack[a.index()]) == StackKind::load;
    if (!m_e.livesOn(a, run.over)) {
        m_out.assign(a, Bucket::temporary, Role::none, 85, "setup-temporary",
                     "Freed again before the model was first used");
        return;
    }
    m_parameter_sizes.insert(m_a.requested[a.index()].value);
    m_out.assign(a, Bucket::parameter, Role::none, is_load ? 95 : 70,
                 is_load ? "model-loaded" : "setup-survivor",
                 is_load ? "Made while a module was built, loaded or moved to the device"
                         : "Made before the first pass and kept");
}

void TracedLabeller::labelInput(AllocationId a, const Run& run)
{
    const bool is_parameter = m_gradients.contains(m_a.requested[a.index()].value) && run.step <= 1
        && m_a.requested[a.index()].value > 4096 && m_e.livesToTheEnd(a);
    if (!m_e.livesOn(a, run.over)) {
        m_out.assign(a, Bucket::temporary, Role::none, 80, "input-temporary",
                     "Made while a batch was prepared and gone before the pass began");
    } else if (is_parameter) {
        m_out.assign(a, Bucket::parameter, Role::none, 60, "gradient-sized",
                     "Made before the first pass, kept to the end, and as large as a gradient");
    } else {
        m_out.assign(a, Bucket::input, Role::none, 85, "pass-input",
                     "Made by the code that feeds a pass, and alive when the pass began");
    }
}

void TracedLabeller::labelForward(AllocationId a, const Run& run)
{
    const bool saved = m_e.livesOn(a, run.saved_until);
    if (traits(a).has(Trait::weight_cast)) {
        m_out.assign(a, saved ? Bucket::activation : Bucket::temporary, Role::weight_cast, 90,
                     "autocast-copy", "A copy of a weight that autocast made");
    } else if (!saved) {
        m_out.assign(a, Bucket::temporary, Role::none, 90, "forward-temporary",
                     "Made in forward and freed before backward began");
    } else if (m_kept.isResult(a)) {
        m_out.assign(a, Bucket::output, Role::none, 70, "kept-past-its-step",
                     "Made in forward by code whose results are still kept two steps later");
    } else if (m_kept.isMadeOnce(a)) {
        m_out.assign(a, Bucket::parameter, Role::none, 60, "buffer-made-in-first-pass",
                     "Made in one forward and kept through later steps, like a lazily made buffer");
    } else {
        m_out.assign(a, Bucket::activation, Role::none, 92, "saved-for-backward",
                     "Made in forward and alive when backward began");
    }
}

void TracedLabeller::labelBackward(AllocationId a, const Run& run)
{
    if (traits(a).has(Trait::recompute) || traits(a).has(Trait::checkpoint)) {
        m_out.assign(a, Bucket::activation, Role::recomputed, 85, "recomputed",
                     "Made again in backward by activation checkpointing");
        return;
    }
    const std::int64_t size = m_a.requested[a.index()].value;
    const bool known_size = m_gradients.contains(size) || m_parameter_sizes.contains(size);
    // A run cut off by the end of the trace has live temporaries, too: there the size must agree,
    // unless no parameter is known.
    const bool any_known = !m_gradients.empty() || !m_parameter_sizes.empty();
    const bool gradient = run.is_last && any_known ? known_size && m_e.livesOn(a, m_e.last_moment)
                                                   : isGradient(a, run);
    if (gradient) {
        m_out.assign(a, Bucket::gradient, Role::none, known_size && !run.is_last ? 93 : 65,
                     "backward-survivor", "Made in backward and kept when it was over");
        return;
    }
    m_out.assign(a, Bucket::temporary, Role::activation_gradient, 88, "backward-temporary",
                 "Made in backward and freed in it");
}

/// Optimizers written by hand make new tensors instead of changing them in place. The one that a
/// parameter gives way to is the last of its size made before the parameter goes. Parameters made
/// before this run have their labels already, since allocations are labelled in the order they
/// begin.
void TracedLabeller::findReplacedParameters(const Run& run)
{
    const trace::Events& events = m_e.device.events;
    // Per size, kept past the run.
    std::unordered_map<std::int64_t, AllocationId, KeyedNumberHash> newest;
    for (std::size_t i = run.first.index(); i < run.end.index(); ++i) {
        const AllocationId a = m_e.replay.event_allocation[i];
        if (a.isNone()) {
            continue;
        }
        const std::int64_t size = m_a.requested[a.index()].value;
        if (events.action[i] == trace::Action::alloc && m_e.livesOn(a, run.over)) {
            newest[size] = a;
        } else if (events.action[i] == trace::Action::free_completed
                   && m_out.bucketOf(a) == Bucket::parameter && newest.contains(size)) {
            m_replacements.insert(newest[size].value);
        }
    }
}

void TracedLabeller::labelOptimizer(AllocationId a, std::size_t run_index)
{
    const Run& run = m_e.runs.runs[run_index];
    if (m_replacements_of != run_index) {
        m_replacements_of = run_index;
        findReplacedParameters(run);
    }
    const Traits t = traits(a);
    const bool transient_frame = t.has(Trait::optimizer_transient);
    const bool kept = m_e.livesOn(a, run.over);
    if (kept && (!run.is_last || !transient_frame)) {
        // Kept over the next step as well, or to the end? Else it is a norm or a scale, not state.
        if (m_e.livesOn(a, run.before_next_optimizer)) {
            if (m_replacements.contains(a.value)) {
                m_out.assign(a, Bucket::parameter, Role::none, 75, "parameter-replaced",
                             "Made in an optimizer step in place of a parameter of the same size, "
                             "freed right after");
                return;
            }
            m_out.assign(a, Bucket::optimizer_state, Role::none, transient_frame ? 80 : 95,
                         "optimizer-step-survivor", "Made in an optimizer step and kept after it");
            return;
        }
    }
    m_out.assign(a, Bucket::temporary, Role::optimizer_transient, 90, "optimizer-transient",
                 "Made in an optimizer step and freed in it");
}

void TracedLabeller::labelPassWithoutGradients(AllocationId a)
{
    const Traits t = traits(a);
    if (t.has(Trait::weight_cast)) {
        m_out.assign(a, Bucket::activation, Role::weight_cast, 85, "autocast-copy",
                     "A copy of a weight that autocast made");
    } else if (m_kept.isGrowing(a)) {
        m_out.assign(
            a, Bucket::kv_cache, Role::none, 75, "grows-every-pass",
            "Made anew in every pass without gradients, each time larger by the same amount");
    } else if (m_kept.isResult(a)) {
        const bool cache = t.has(Trait::kv_cache);
        m_out.assign(a, cache ? Bucket::kv_cache : Bucket::output, Role::none, cache ? 90 : 85,
                     cache ? "generation-cache" : "pass-result",
                     cache ? "Made by a key-value cache and kept between passes"
                           : "Made in a pass without gradients and kept after it");
    } else {
        m_out.assign(a, Bucket::temporary, Role::none, 90, "pass-temporary",
                     "Made in a pass without gradients and freed again");
    }
}

void TracedLabeller::labelOther(AllocationId a)
{
    const Traits t = traits(a);
    if (t.has(Trait::kv_cache)) {
        m_out.assign(a, Bucket::kv_cache, Role::none, 85, "generation-cache",
                     "Made by a key-value cache");
        return;
    }
    const StackKind kind = m_e.kinds.kind(m_a.stack[a.index()]);
    if (kind == StackKind::none || kind == StackKind::empty) {
        return; // Honestly unknown: no frame, no phase.
    }
    // How many allocations come and go before it does.
    constexpr std::uint32_t kSoon = 12;
    const StateId begin = m_a.begin[a.index()];
    const bool soon = m_a.end[a.index()].value <= begin.value + kSoon;
    if (soon) {
        m_out.assign(a, Bucket::temporary, Role::none, 70, "short-lived",
                     "Made by the program outside of any pass and freed within a few events");
    } else {
        m_out.assign(a, Bucket::output, Role::none, 60, "kept-by-program",
                     "Made by the program outside of any pass and kept");
    }
}

} // namespace

SizeCounts labelTraced(const Evidence& evidence, Assigner& assigner, const StagePart& progress)
{
    return TracedLabeller(evidence, assigner).run(progress);
}

} // namespace tidemark::label
