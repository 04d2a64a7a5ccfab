// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/assigner.h"
#include "core/label/assign/gradient_sizes.h"
#include "core/label/assign/kept_results.h"
#include "core/label/assign/replaced_parameters.h"
#include "core/label/assign/setup_sets.h"
#include "core/label/stacks/frame_labels.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace tidemark::label {
namespace {

/// Rules for allocations whose event is in the trace. One function per phase.
class TracedLabeller {
public:
    TracedLabeller(const RuleInputs& evidence, Assigner& out)
        : m_e(evidence)
        , m_a(evidence.replay.allocations)
        , m_out(out)
        , m_gradients(evidence)
        , m_kept(evidence)
        , m_setup(evidence)
    {
    }

    SizeCounts run(const StagePart& progress)
    {
        for (std::size_t i = 0; i < m_a.count(); ++i) {
            if (i % kStopCheckStride == 0 && !progress.goesOn(i, m_a.count())) {
                break;
            }
            if (!m_a.alloc_event[i].isNone()) {
                label(AllocationId(i));
            }
        }
        return m_gradients.counts();
    }

private:
    void label(AllocationId a);
    bool labelByCategory(AllocationId a);
    bool labelByFrames(AllocationId a);
    bool labelWorkspace(AllocationId a);
    /// Made in backward and gone with it, as what a reducer compresses into.
    [[nodiscard]] bool passesThrough(AllocationId a) const
    {
        const std::vector<Run>& runs = m_e.runs.runs;
        return !runs.empty() && runs[m_run].phase == Phase::backward
            && !m_e.livesOn(a, runs[m_run].over);
    }
    bool labelCache(AllocationId a, const Run& run);
    void assignToCache(AllocationId a)
    {
        m_out.assign(a, Bucket::kv_cache, Role::none, Rule::generation_cache);
    }
    bool labelBySetupSet(AllocationId a);
    void labelSetup(AllocationId a, const Run& run);
    void labelInput(AllocationId a, const Run& run);
    void labelForward(AllocationId a, const Run& run);
    void labelBackward(AllocationId a, const Run& run);
    /// That one backward leaves of a size.
    [[nodiscard]] std::int64_t mostGradients(std::int64_t size) const;
    void labelOptimizer(AllocationId a, std::size_t run_index);
    bool labelBesideOptimizer(AllocationId a);
    [[nodiscard]] EventId firstInOptimizer(const Run& run) const;
    [[nodiscard]] StackId momentumOf(std::size_t run_index) const;
    void labelPassWithoutGradients(AllocationId a);
    void labelOther(AllocationId a);
    [[nodiscard]] Traits traits(AllocationId a) const
    {
        return m_e.kinds.traits(m_a.stack[a.index()]);
    }

    const RuleInputs& m_e;
    const replay::Allocations& m_a;
    Assigner& m_out;
    GradientSizes m_gradients;
    std::size_t m_run = 0; ///< That of the allocation being labelled.
    std::size_t m_replacements_of =
        std::numeric_limits<std::size_t>::max(); ///< Run they were found for.
    std::unordered_set<std::uint32_t> m_replacements; ///< Weights that it made.
    EventId m_first_in_optimizer; ///< Of the same run.
    StackId m_momentum; ///< What makes momentum in the same run, if that is cut off in the first.
    SizeCounts m_parameters; ///< That the trace has made so far.
    SizeCounts m_cut_off; ///< What may be gradients of the backward that the trace ends in.
    KeptResults m_kept;
    SetupSets m_setup;
};

void TracedLabeller::label(AllocationId a)
{
    // Allocations come in the order of their events, so the run only ever moves on.
    const std::vector<Run>& runs = m_e.runs.runs;
    while (m_run + 1 < runs.size() && runs[m_run + 1].first <= m_a.alloc_event[a.index()]) {
        ++m_run;
    }
    if (labelByCategory(a) || labelByFrames(a) || labelWorkspace(a) || labelBySetupSet(a)
        || runs.empty()) {
        return;
    }
    const Run& run = runs[m_run];
    if (labelCache(a, run)) {
        return;
    }
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
    m_out.assign(a, *bucket, Role::none, Rule::profiler_category);
    return true;
}

bool TracedLabeller::labelByFrames(AllocationId a)
{
    const std::optional<FrameLabel> label = labelOfFrames(m_e.kinds, m_a.stack[a.index()]);
    if (!label || (label->role == Role::reduction_bucket && passesThrough(a))) {
        return false;
    }
    m_out.assign(a, label->bucket, label->role, label->rule);
    return true;
}

bool TracedLabeller::labelWorkspace(AllocationId a)
{
    if (!m_e.workspaces.contains(a)) {
        return false;
    }
    m_out.assign(a, Bucket::workspace, Role::none, Rule::blas_workspace);
    return true;
}

/// Keys and values of the tokens so far, as they grow or as a library keeps them, in whichever
/// phase, unless a backward is to use them.
bool TracedLabeller::labelCache(AllocationId a, const Run& run)
{
    if (m_kept.isCache(a)) {
        m_out.assign(a, Bucket::kv_cache, Role::none, Rule::grows_every_pass);
        return true;
    }
    const bool is_saved = run.phase == Phase::backward
        || (run.phase == Phase::forward && m_e.livesOn(a, run.saved_until));
    const StackId stack = m_a.stack[a.index()];
    const FrameId line = m_e.kinds.pythonFrame(stack);
    if (is_saved || !m_e.kinds.lineTraits(stack).has(Trait::kv_cache) || line.isNone()
        || m_e.kinds.origin(line) != FrameOrigin::library) {
        return false;
    }
    assignToCache(a);
    return true;
}

bool TracedLabeller::labelBySetupSet(AllocationId a)
{
    const std::optional<SetupSet> set = m_setup.of(a);
    if (!set) {
        return false;
    }
    switch (*set) {
    case SetupSet::weights_copy:
        m_out.assign(a, Bucket::parameter, Role::ema, Rule::copy_of_the_weights);
        break;
    case SetupSet::master_copy:
        m_out.assign(a, Bucket::parameter, Role::master, Rule::master_copy);
        break;
    case SetupSet::optimizer_state:
        m_out.assign(a, Bucket::optimizer_state, Role::none, Rule::state_made_beforehand);
        break;
    case SetupSet::cache:
        m_out.assign(a, Bucket::kv_cache, Role::none, Rule::cache_made_beforehand);
        break;
    }
    return true;
}

void TracedLabeller::labelSetup(AllocationId a, const Run& run)
{
    const bool is_load = m_e.kinds.kind(m_a.stack[a.index()]) == StackKind::load;
    // What another stream still used is given back a little later, while the first batch is made.
    const std::vector<Run>& runs = m_e.runs.runs;
    std::size_t r = m_e.runs.indexAt(run.first_alloc);
    while (r + 1 < runs.size() && runs[r + 1].phase == Phase::input) {
        ++r;
    }
    if (!m_e.livesOn(a, runs[r].over)) {
        m_out.assign(a, Bucket::temporary, Role::none, Rule::setup_temporary);
        return;
    }
    ++m_parameters[m_a.requested[a.index()].value];
    m_out.assign(a, Bucket::parameter, Role::none,
                 is_load ? Rule::model_loaded : Rule::setup_survivor);
}

void TracedLabeller::labelInput(AllocationId a, const Run& run)
{
    const bool is_parameter = m_gradients.contains(m_a.requested[a.index()].value) && run.step <= 1
        && m_a.requested[a.index()].value > 4096 && m_e.livesToTheEnd(a);
    if (!m_e.livesOn(a, run.over)) {
        m_out.assign(a, Bucket::temporary, Role::none, Rule::input_temporary);
    } else if (is_parameter) {
        m_out.assign(a, Bucket::parameter, Role::none, Rule::gradient_sized);
    } else if (m_kept.growsWithSteps(a)) {
        m_out.assign(a, Bucket::output, Role::none, Rule::kept_past_its_step);
    } else {
        m_out.assign(a, Bucket::input, Role::none, Rule::pass_input);
    }
}

void TracedLabeller::labelForward(AllocationId a, const Run& run)
{
    const bool saved = m_e.livesOn(a, run.saved_until);
    if (traits(a).has(Trait::weight_cast)) {
        m_out.assign(a, saved ? Bucket::activation : Bucket::temporary, Role::weight_cast,
                     Rule::autocast_copy);
    } else if (!saved) {
        m_out.assign(a, Bucket::temporary, Role::none, Rule::forward_temporary);
    } else if (m_kept.isResult(a)) {
        m_out.assign(a, Bucket::output, Role::none, Rule::kept_past_its_step);
    } else if (m_kept.isOfFirstCall(a)) {
        m_out.assign(a, Bucket::workspace, Role::none, Rule::kept_from_the_first_call);
    } else if (m_kept.isMadeOnce(a) && BlasWorkspaces::isItsSize(m_a.requested[a.index()])) {
        m_out.assign(a, Bucket::workspace, Role::none, Rule::blas_workspace);
    } else if (m_kept.isMadeOnce(a)) {
        m_out.assign(a, Bucket::parameter, Role::none, Rule::buffer_made_in_first_pass);
    } else {
        m_out.assign(a, Bucket::activation, Role::none, Rule::saved_for_backward);
    }
}

void TracedLabeller::labelBackward(AllocationId a, const Run& run)
{
    if (traits(a).has(Trait::recompute) || traits(a).has(Trait::checkpoint)) {
        m_out.assign(a, Bucket::activation, Role::recomputed, Rule::recomputed);
        return;
    }
    const std::int64_t size = m_a.requested[a.index()].value;
    const bool known_size = m_gradients.contains(size) || m_parameters.contains(size);
    // A run cut off by the end of the trace has live temporaries, too: there the size must agree,
    // and no weight has two, unless no parameter is known.
    const bool any_known = m_gradients.areKnown() || !m_parameters.empty();
    const bool is_reduced = traits(a).has(Trait::reduce_gradients);
    const bool gradient = run.is_last && is_reduced ? m_gradients.isLeftByReduction(a)
        : run.is_last && any_known
        ? known_size && m_e.livesOn(a, m_e.last_moment) && ++m_cut_off[size] <= mostGradients(size)
        : m_gradients.isLeftBy(run, a);
    if (gradient) {
        m_out.assign(a, Bucket::gradient, Role::none,
                     run.is_last ? Rule::cut_off_gradient : Rule::backward_survivor);
        return;
    }
    m_out.assign(a, Bucket::temporary, Role::activation_gradient, Rule::backward_temporary);
}

std::int64_t TracedLabeller::mostGradients(std::int64_t size) const
{
    for (const SizeCounts* const counts : {&m_gradients.counts(), &m_parameters}) {
        const auto found = counts->find(size);
        if (found != counts->end()) {
            return found->second;
        }
    }
    return std::numeric_limits<std::int64_t>::max(); // weights from before the trace
}

/// The first allocation of a run that an optimizer's own frames make; its end where none does.
EventId TracedLabeller::firstInOptimizer(const Run& run) const
{
    for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
        if (m_e.device.events.action[i] == trace::Action::alloc
            && m_e.kinds.kind(m_e.device.events.stack[i]) == StackKind::optimizer) {
            return EventId(i);
        }
    }
    return run.end;
}

/// SGD makes its momentum where it also makes the gradients with weight decay, ahead of that: in a
/// first step that is cut off, what it was making last.
StackId TracedLabeller::momentumOf(std::size_t run_index) const
{
    const std::vector<Run>& runs = m_e.runs.runs;
    const bool is_first =
        std::none_of(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(run_index),
                     [](const Run& run) { return run.phase == Phase::optimizer; });
    const Run& run = runs[run_index];
    if (!is_first || !run.is_last) {
        return StackId::none();
    }
    for (std::size_t i = run.last_alloc.index() + 1; i-- > run.first_alloc.index();) {
        const StackId stack = m_e.device.events.stack[i];
        if (m_e.device.events.action[i] == trace::Action::alloc
            && m_e.kinds.traits(stack).has(Trait::momentum)) {
            return stack;
        }
    }
    return StackId::none();
}

void TracedLabeller::labelOptimizer(AllocationId a, std::size_t run_index)
{
    const Run& run = m_e.runs.runs[run_index];
    if (m_replacements_of != run_index) {
        m_replacements_of = run_index;
        m_replacements = findReplacedParameters(m_e, m_out, run);
        m_first_in_optimizer = firstInOptimizer(run);
        m_momentum = momentumOf(run_index);
    }
    if (m_e.kinds.kind(m_a.stack[a.index()]) == StackKind::other && labelBesideOptimizer(a)) {
        return;
    }
    const Traits t = traits(a);
    const bool transient_frame =
        t.has(Trait::optimizer_transient) && m_a.stack[a.index()] != m_momentum;
    const bool kept = m_e.livesOn(a, run.over);
    if (kept && (!run.is_last || !transient_frame)) {
        // Kept over the next step as well, or to the end? Else it is a norm or a scale, not state.
        if (m_e.livesOn(a, run.before_next_optimizer)) {
            if (m_replacements.contains(a.value)) {
                m_out.assign(a, Bucket::parameter, Role::none, Rule::parameter_replaced);
                return;
            }
            m_out.assign(a, Bucket::optimizer_state, Role::none, Rule::optimizer_step_survivor);
            return;
        }
    }
    m_out.assign(a, Bucket::temporary, Role::optimizer_transient, Rule::optimizer_transient);
}

/// Plain code between backward and the next pass. What it makes in every step and never lets go of
/// is no state; what it makes in the sizes of full-precision weights ahead of the step is their
/// gradients.
bool TracedLabeller::labelBesideOptimizer(AllocationId a)
{
    if (m_kept.growsWithSteps(a) && m_e.livesToTheEnd(a)) {
        m_out.assign(a, Bucket::output, Role::none, Rule::kept_past_its_step);
        return true;
    }
    const EventId made = m_a.alloc_event[a.index()];
    if (m_setup.isMasterSize(m_a.requested[a.index()].value) && made < m_first_in_optimizer) {
        m_out.assign(a, Bucket::gradient, Role::none, Rule::gradient_of_master_copy);
        return true;
    }
    return false;
}

void TracedLabeller::labelPassWithoutGradients(AllocationId a)
{
    const Traits t = traits(a);
    if (t.has(Trait::weight_cast)) {
        m_out.assign(a, Bucket::activation, Role::weight_cast, Rule::autocast_copy);
    } else if (t.has(Trait::kv_cache)) {
        assignToCache(a);
    } else if (m_kept.isResult(a)) {
        m_out.assign(a, Bucket::output, Role::none, Rule::pass_result);
    } else {
        m_out.assign(a, Bucket::temporary, Role::none, Rule::pass_temporary);
    }
}

void TracedLabeller::labelOther(AllocationId a)
{
    const Traits t = traits(a);
    if (t.has(Trait::kv_cache)) {
        assignToCache(a);
        return;
    }
    const StackKind kind = m_e.kinds.kind(m_a.stack[a.index()]);
    const bool is_bare = kind == StackKind::none || kind == StackKind::empty;
    if (is_bare && !(m_e.runs.is_frameless && m_e.runs.has_training)) {
        return; // Honestly unknown: no frame, no phase.
    }
    // How many allocations come and go before it does.
    constexpr std::uint32_t kSoon = 12;
    const StateId begin = m_a.begin[a.index()];
    const bool soon = m_a.end[a.index()].value <= begin.value + kSoon && !m_e.livesToTheEnd(a);
    if (soon) {
        m_out.assign(a, Bucket::temporary, Role::none, Rule::short_lived);
    } else {
        m_out.assign(a, Bucket::output, Role::none, Rule::kept_by_program);
    }
}

} // namespace

SizeCounts labelTraced(const RuleInputs& evidence, Assigner& assigner, const StagePart& progress)
{
    return TracedLabeller(evidence, assigner).run(progress);
}

} // namespace tidemark::label
