// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/assigner.h"
#include "core/label/earlier/earlier_age.h"
#include "core/label/earlier/earlier_buckets.h"
#include "core/label/earlier/earlier_copies.h"
#include "core/label/earlier/earlier_graph.h"
#include "core/label/earlier/earlier_sets.h"
#include "core/label/earlier/size_matched_frees.h"
#include "core/label/earlier/state_pairs.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

namespace tidemark::label {
namespace {

/// Rules for allocations that were there before the trace begins.
class EarlierLabeller {
public:
    EarlierLabeller(const RuleInputs& evidence, const SizeCounts& gradients, Assigner& out)
        : m_e(evidence)
        , m_a(evidence.replay.allocations)
        , m_gradients(gradients)
        , m_out(out)
        , m_twins(evidence, out)
        , m_graph(evidence, out)
        , m_buckets(evidence, gradients)
        , m_sets(evidence, gradients)
        , m_copies(evidence, gradients)
        , m_pairs(evidence, m_copies.perCopy())
    {
    }

    void run()
    {
        m_has_other_stacks = std::ranges::any_of(m_a.stack, [&](StackId stack) {
            const StackKind kind = m_e.kinds.kind(stack);
            return kind != StackKind::none && kind != StackKind::empty;
        });
        findBareGradients();
        const bool state_in_trace = makesStateInTrace();
        m_replaces_state = state_in_trace && replacesState();
        for (const AllocationId a : oldestFirst(m_a, m_e.device.segments)) {
            if (labelByStack(a)) {
                continue;
            }
            if (m_graph.contains(a)) {
                m_out.assign(a, Bucket::activation, Role::none, Rule::graph_of_last_pass);
            } else if (isPersistent(a)) {
                labelPersistent(a, state_in_trace);
            } else {
                labelByRelease(a);
            }
        }
    }

private:
    void findBareGradients();
    bool labelByCopies(AllocationId a);
    bool labelByPairs(AllocationId a, std::int64_t per_copy);
    [[nodiscard]] bool makesStateInTrace();
    [[nodiscard]] bool replacesState();
    [[nodiscard]] bool isPersistent(AllocationId a) const;
    [[nodiscard]] bool isFreed(AllocationId a) const
    {
        return m_a.end[a.index()].index() <= m_e.device.events.count();
    }
    bool labelByStack(AllocationId a);
    bool labelWithoutHistory(AllocationId a);
    void labelByRelease(AllocationId a);
    [[nodiscard]] EventId lastWorkIn(const Run& run);
    bool labelByTwins(AllocationId a);
    bool labelLargeSet(AllocationId a);
    void labelPersistent(AllocationId a, bool state_in_trace);
    [[nodiscard]] std::int64_t gradientsOf(std::int64_t size) const
    {
        const auto it = m_gradients.find(size);
        return it == m_gradients.end() ? 0 : it->second;
    }

    const RuleInputs& m_e;
    const replay::Allocations& m_a;
    const SizeCounts& m_gradients;
    Assigner& m_out;
    SizeMatchedFrees m_twins;
    EarlierGraph m_graph;
    EarlierBuckets m_buckets;
    EarlierSets m_sets;
    EarlierCopies m_copies;
    StatePairs m_pairs;
    std::set<std::int64_t> m_state_sizes; ///< Of optimizer state made in the trace.
    SizeCounts m_seen; ///< Persistent allocations met so far, per size.
    SizeCounts m_weights_by_stack; ///< Of before the trace, kept, with the frames of a load.
    SizeCounts m_seen_bare; ///< Labelled as their gradients so far.
    const Run* m_last_work_of = nullptr; ///< The run that was asked for last.
    EventId m_last_work;
    bool m_bare_is_gradients = false;
    bool m_replaces_state = false; ///< Steps make new state instead of changing it.
    bool m_has_other_stacks = false; ///< Some allocation has a stack with frames.
};

/// With Python frames only, what autograd's thread makes has none. Where the weights of before the
/// trace have frames, what has none and comes in the same sizes is their gradients.
void EarlierLabeller::findBareGradients()
{
    std::int64_t bare = 0;
    std::int64_t alike = 0;
    bool trains = m_e.runs.has_training;
    SizeCounts left;
    std::vector<AllocationId> without;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        if (!m_a.alloc_event[i].isNone() || !isPersistent(a)) {
            continue;
        }
        const StackKind kind = m_e.kinds.kind(m_a.stack[i]);
        trains = trains || kind == StackKind::optimizer; // though the trace may hold a forward only
        if (kind == StackKind::load) {
            ++m_weights_by_stack[m_a.requested[i].value];
        } else if ((kind == StackKind::none || kind == StackKind::empty)
                   && !BlasWorkspaces::isUnmistakable(m_a.requested[a.index()])) {
            without.push_back(a);
        }
    }
    left = m_weights_by_stack;
    for (const AllocationId a : without) {
        const std::int64_t size = m_a.requested[a.index()].value;
        bare += size;
        const auto it = left.find(size);
        if (it != left.end() && it->second-- > 0) {
            alike += size;
        }
    }
    m_bare_is_gradients = trains && bare > 0 && alike * 10 >= bare * 8;
}

/// Gradients are freed first; of the rest, the oldest are the weights.
bool EarlierLabeller::labelByCopies(AllocationId a)
{
    const std::int64_t size = m_a.requested[a.index()].value;
    const std::int64_t n = m_copies.perCopyOf(size);
    if (n == 0) {
        return false;
    }
    const bool freed = isFreed(a);
    if (m_copies.haveGradients() && freed && m_copies.isFreedFirst(a)) {
        m_out.assign(a, Bucket::gradient, Role::none, Rule::gradients_of_copies);
        return true;
    }
    if (m_copies.count() == 4 && labelByPairs(a, n)) {
        return true;
    }
    const std::int64_t seen = m_seen[size]++;
    if (m_copies.count() == 2) {
        m_out.assign(a, seen < n ? Bucket::parameter : Bucket::gradient, Role::none,
                     Rule::kept_gradients);
    } else if (m_copies.haveGradients() && !freed && seen >= n && seen < 2 * n) {
        m_out.assign(a, Bucket::gradient, Role::none, Rule::gradients_of_copies);
    } else if (seen < n) {
        m_out.assign(a, Bucket::parameter, Role::none, Rule::oldest_of_copies);
    } else {
        m_out.assign(a, Bucket::optimizer_state, Role::none, Rule::latest_of_copies);
    }
    return true;
}

/// An optimizer makes its two moments of a parameter one after the other, so they lie side by side.
bool EarlierLabeller::labelByPairs(AllocationId a, std::int64_t per_copy)
{
    const std::int64_t size = m_a.requested[a.index()].value;
    if (!m_pairs.tells(size)) {
        return false;
    }
    if (m_pairs.isState(a)) {
        m_out.assign(a, Bucket::optimizer_state, Role::none, Rule::side_by_side_in_pairs);
    } else if (m_seen[size]++ < per_copy) {
        m_out.assign(a, Bucket::parameter, Role::none, Rule::beside_pairs);
    } else {
        m_out.assign(a, Bucket::gradient, Role::none, Rule::beside_pairs);
    }
    return true;
}

bool EarlierLabeller::makesStateInTrace()
{
    std::int64_t state = 0;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        if (!m_a.alloc_event[i].isNone()
            && m_out.bucketOf(AllocationId(i)) == Bucket::optimizer_state) {
            state += m_a.requested[i].value;
            m_state_sizes.insert(m_a.requested[i].value);
        }
    }
    std::int64_t gradients = 0;
    for (const auto& [size, count] : m_gradients) {
        gradients += size * count;
    }
    return state * 2 > gradients && state > 0;
}

/// Whether steps let go of what was there before in the sizes of the state that they make.
bool EarlierLabeller::replacesState()
{
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        if (m_a.alloc_event[i].isNone() && isFreed(AllocationId(i))
            && m_state_sizes.contains(m_a.requested[i].value)) {
            const EventId freed(m_a.end[i].index() - 1);
            const Run& run = m_e.runs.runs[m_e.runs.indexAt(freed)];
            if (run.phase == Phase::optimizer && freed < lastWorkIn(run)) {
                return true;
            }
        }
    }
    return false;
}

/// Kept to the end, or at least over two optimizer steps.
bool EarlierLabeller::isPersistent(AllocationId a) const
{
    if (m_e.livesToTheEnd(a)) {
        return true;
    }
    const auto& runs = m_e.runs.runs;
    return !runs.empty() && runs.front().two_steps_later.has_value()
        && m_e.livesOn(a, *runs.front().two_steps_later);
}

bool EarlierLabeller::labelByStack(AllocationId a)
{
    const StackId stack = m_a.stack[a.index()];
    const Traits t = m_e.kinds.traits(stack);
    if (t.has(Trait::workspace)) {
        m_out.assign(a, Bucket::workspace, Role::none, Rule::library_workspace);
        return true;
    }
    if (m_e.kinds.lineTraits(stack).has(Trait::reducer)) {
        m_out.assign(a, Bucket::gradient, Role::reduction_bucket, Rule::ddp_bucket);
        return true;
    }
    if (t.has(Trait::unshard) && !t.has(Trait::reduce_gradients)) {
        m_out.assign(a, Bucket::parameter, Role::unsharded, Rule::unsharded_parameter);
        return true;
    }
    if (t.has(Trait::kv_cache)) {
        m_out.assign(a, Bucket::kv_cache, Role::none, Rule::generation_cache);
        return true;
    }
    if (const std::optional<Bucket> bucket = m_twins.keptLike(a)) {
        m_out.assign(a, *bucket, Role::none, Rule::kept_like_its_twins);
        return true;
    }
    if (m_e.workspaces.contains(a)) {
        m_out.assign(a, Bucket::workspace, Role::none, Rule::blas_workspace);
        return true;
    }
    switch (m_e.kinds.kind(stack)) {
    case StackKind::load:
        m_out.assign(a, Bucket::parameter, Role::none, Rule::model_loaded);
        return true;
    case StackKind::load_optimizer:
    case StackKind::optimizer:
        m_out.assign(a, Bucket::optimizer_state, Role::none, Rule::optimizer_step_survivor);
        return true;
    case StackKind::forward:
        m_out.assign(a, Bucket::activation, Role::none, Rule::forward_before_trace);
        return true;
    case StackKind::backward:
        m_out.assign(a, Bucket::gradient, Role::none, Rule::backward_before_trace);
        return true;
    case StackKind::data:
        m_out.assign(a, Bucket::input, Role::none, Rule::pass_input);
        return true;
    case StackKind::none:
    case StackKind::empty:
    case StackKind::other:
        break;
    }
    return false;
}

bool EarlierLabeller::labelByTwins(AllocationId a)
{
    if (const std::optional<Bucket> bucket = m_twins.bucketOf(a)) {
        m_out.assign(a, *bucket, Role::none, Rule::freed_like_its_twins);
        return true;
    }
    if (const std::optional<Bucket> bucket = m_twins.successorOf(a)) {
        m_out.assign(a, *bucket, Role::none, Rule::replaced_by_its_like);
        return true;
    }
    return false;
}

/// The last allocation of a run; the run's first without one.
EventId EarlierLabeller::lastWorkIn(const Run& run)
{
    if (m_last_work_of != &run) {
        m_last_work_of = &run;
        std::size_t i = run.last_alloc.index();
        const auto isWork = [&] {
            const AllocationId a = m_e.replay.event_allocation[i];
            return m_e.device.events.action[i] == trace::Action::alloc && !a.isNone();
        };
        while (i > run.first_alloc.index() && !isWork()) {
            --i;
        }
        m_last_work = EventId(i);
    }
    return m_last_work;
}

void EarlierLabeller::labelByRelease(AllocationId a)
{
    if (m_e.runs.runs.empty() || !(m_e.runs.has_stacks || m_e.runs.is_frameless)
        || labelByTwins(a)) {
        return;
    }
    const EventId freed(m_a.end[a.index()].index() - 1);
    const Run& run = m_e.runs.runs[m_e.runs.indexAt(freed)];
    const Phase phase = run.phase;
    const bool gradient_sized = gradientsOf(m_a.requested[a.index()].value) > 0;
    if (phase == Phase::optimizer && freed < lastWorkIn(run)
        && m_state_sizes.contains(m_a.requested[a.index()].value)) {
        m_out.assign(a, Bucket::optimizer_state, Role::none, Rule::state_replaced);
    } else if (gradient_sized && phase != Phase::backward) {
        m_out.assign(a, Bucket::gradient, Role::none, Rule::gradient_freed);
    } else if (phase == Phase::backward) {
        m_out.assign(a, Bucket::activation, Role::none, Rule::freed_in_backward);
    } else if (phase == Phase::optimizer
               && (&run != &m_e.runs.runs.front()
                   || (freed > lastWorkIn(run)
                       && m_sets.isKeptSize(m_a.requested[a.index()].value)))) {
        m_out.assign(a, Bucket::gradient, Role::none, Rule::freed_after_step);
    } else if (phase == Phase::optimizer) {
        m_out.assign(a, Bucket::temporary, Role::optimizer_transient, Rule::freed_in_optimizer);
    } else if (phase != Phase::other) {
        m_out.assign(a, Bucket::temporary, Role::none, Rule::freed_early);
    }
}

/// A state without a trace: what has no frames was there before history was recorded at all.
bool EarlierLabeller::labelWithoutHistory(AllocationId a)
{
    if (m_e.device.events.count() > 0 || !m_has_other_stacks) {
        return false;
    }
    m_out.assign(a, Bucket::parameter, Role::none, Rule::before_history);
    return true;
}

bool EarlierLabeller::labelLargeSet(AllocationId a)
{
    if (m_sets.isDataSet(a)) {
        m_out.assign(a, Bucket::input, Role::none, Rule::untrained_and_large);
    } else if (m_sets.isCache(a)) {
        m_out.assign(a, Bucket::kv_cache, Role::none, Rule::static_cache);
    } else {
        return false;
    }
    return true;
}

void EarlierLabeller::labelPersistent(AllocationId a, bool state_in_trace)
{
    const std::int64_t size = m_a.requested[a.index()].value;
    if (BlasWorkspaces::isUnmistakable(m_a.requested[a.index()])
        || (m_e.workspaces.isOfItsSize(a) && m_e.runs.has_training && gradientsOf(size) == 0)) {
        m_out.assign(a, Bucket::workspace, Role::none, Rule::blas_workspace_sized);
        return;
    }
    if (m_buckets.contains(a)) {
        m_out.assign(a, Bucket::gradient, Role::reduction_bucket, Rule::ddp_bucket_sized);
        return;
    }
    if (labelByCopies(a) || labelWithoutHistory(a)) {
        return;
    }
    if (m_weights_by_stack.contains(size) && m_seen_bare[size]++ < m_weights_by_stack[size]
        && m_bare_is_gradients) {
        m_out.assign(a, Bucket::gradient, Role::none, Rule::bare_gradients);
        return;
    }
    if (labelLargeSet(a)) {
        return;
    }
    const std::int64_t per_copy = gradientsOf(size);
    if (per_copy > 0) {
        // One set of these sizes is the parameters; what is left over is the optimizer's, which
        // keeps one or two more of each. The first set is the oldest, but for weights whose frames
        // tell.
        if (m_seen[size]++ + m_weights_by_stack[size] < per_copy) {
            m_out.assign(a, Bucket::parameter, Role::none, Rule::first_gradient_sized_set);
        } else if (!state_in_trace || (m_replaces_state && isFreed(a))) {
            m_out.assign(a, Bucket::optimizer_state, Role::none, Rule::further_gradient_sized_set);
        }
        return;
    }
    if (m_e.runs.has_training) {
        if (gradientsOf(size / 2) > 0 && size % 2 == 0) {
            m_out.assign(a, Bucket::optimizer_state, Role::none, Rule::twice_gradient_sized);
        } else {
            m_out.assign(a, Bucket::parameter, Role::none, Rule::kept_without_gradient);
        }
        return;
    }
    if (m_e.runs.has_stacks || m_e.runs.is_frameless) {
        m_out.assign(a, Bucket::parameter, Role::none, Rule::kept_through_passes);
    }
}

} // namespace

void labelEarlier(const RuleInputs& evidence, const SizeCounts& gradients, Assigner& assigner)
{
    EarlierLabeller(evidence, gradients, assigner).run();
}

} // namespace tidemark::label
