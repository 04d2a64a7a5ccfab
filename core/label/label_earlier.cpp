// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assigner.h"

#include <algorithm>

namespace tidemark::label {
namespace {

/// Rules for allocations that were there before the trace begins.
class EarlierLabeller {
public:
    EarlierLabeller(const Evidence& evidence, const SizeCounts& gradients, Assigner& out)
        : m_e(evidence)
        , m_a(evidence.replay.allocations)
        , m_gradients(gradients)
        , m_out(out)
    {
    }

    void run()
    {
        const bool state_in_trace = makesStateInTrace();
        for (std::size_t i = 0; i < m_a.count(); ++i) {
            const AllocationId a(i);
            if (!m_a.alloc_event[i].isNone() || labelByStack(a)) {
                continue;
            }
            if (isPersistent(a)) {
                labelPersistent(a, state_in_trace);
            } else {
                labelByRelease(a);
            }
        }
    }

private:
    [[nodiscard]] bool makesStateInTrace() const;
    [[nodiscard]] bool isPersistent(AllocationId a) const;
    bool labelByStack(AllocationId a);
    void labelByRelease(AllocationId a);
    void labelPersistent(AllocationId a, bool state_in_trace);
    [[nodiscard]] std::int64_t gradientsOf(std::int64_t size) const
    {
        const auto it = m_gradients.find(size);
        return it == m_gradients.end() ? 0 : it->second;
    }

    const Evidence& m_e;
    const replay::Allocations& m_a;
    const SizeCounts& m_gradients;
    Assigner& m_out;
    SizeCounts m_seen; ///< Persistent allocations met so far, per size.
};

bool EarlierLabeller::makesStateInTrace() const
{
    std::int64_t state = 0;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        if (!m_a.alloc_event[i].isNone()
            && m_out.bucketOf(AllocationId(i)) == Bucket::optimizer_state) {
            state += m_a.requested[i].value;
        }
    }
    std::int64_t gradients = 0;
    for (const auto& [size, count] : m_gradients) {
        gradients += size * count;
    }
    return state * 2 > gradients && state > 0;
}

/// Kept to the end, or at least over a whole optimizer step.
bool EarlierLabeller::isPersistent(AllocationId a) const
{
    if (m_e.livesToTheEnd(a)) {
        return true;
    }
    std::size_t optimizers = 0;
    for (const Run& run : m_e.runs.runs) {
        optimizers += run.phase == Phase::optimizer && m_e.livesOn(a, run.over) ? 1U : 0U;
    }
    return optimizers >= 2;
}

bool EarlierLabeller::labelByStack(AllocationId a)
{
    const StackId stack = m_a.stack[a.index()];
    const Traits t = m_e.kinds.traits(stack);
    if (t.has(Trait::workspace)) {
        m_out.assign(a, Bucket::workspace, Role::none, 90, "library-workspace",
                     "Made before the trace by cuBLAS or cuDNN as working memory");
        return true;
    }
    if (t.has(Trait::kv_cache)) {
        m_out.assign(a, Bucket::kv_cache, Role::none, 85, "generation-cache",
                     "Made before the trace by a key-value cache");
        return true;
    }
    switch (m_e.kinds.kind(stack)) {
    case StackKind::load:
        m_out.assign(a, Bucket::parameter, Role::none, 88, "model-loaded",
                     "Made before the trace while a module was built, loaded or moved");
        return true;
    case StackKind::load_optimizer:
    case StackKind::optimizer:
        m_out.assign(a, Bucket::optimizer_state, Role::none, 85, "optimizer-step-survivor",
                     "Made before the trace in an optimizer step and kept");
        return true;
    case StackKind::forward:
        m_out.assign(a, Bucket::activation, Role::none, 60, "forward-before-trace",
                     "Made before the trace in a forward pass");
        return true;
    case StackKind::backward:
        m_out.assign(a, Bucket::gradient, Role::none, 60, "backward-before-trace",
                     "Made before the trace in backward and kept");
        return true;
    case StackKind::data:
        m_out.assign(a, Bucket::input, Role::none, 70, "pass-input",
                     "Made before the trace by the code that feeds a pass");
        return true;
    case StackKind::none:
    case StackKind::empty:
    case StackKind::other:
        break;
    }
    return false;
}

void EarlierLabeller::labelByRelease(AllocationId a)
{
    if (m_e.runs.runs.empty() || !m_e.runs.has_stacks) {
        return;
    }
    const EventId freed(m_a.end[a.index()].index() - 1);
    const Phase phase = m_e.runs.runs[m_e.runs.indexAt(freed)].phase;
    const bool gradient_sized = gradientsOf(m_a.requested[a.index()].value) > 0;
    if (gradient_sized && phase != Phase::backward) {
        m_out.assign(
            a, Bucket::gradient, Role::none, 80, "gradient-freed",
            "There before the trace, as large as a gradient, and freed when gradients are");
    } else if (phase == Phase::backward) {
        m_out.assign(a, Bucket::activation, Role::none, 70, "freed-in-backward",
                     "There before the trace and freed in backward, as saved activations are");
    } else if (phase == Phase::optimizer) {
        m_out.assign(a, Bucket::temporary, Role::optimizer_transient, 60, "freed-in-optimizer",
                     "There before the trace and freed in an optimizer step");
    } else if (phase != Phase::other) {
        m_out.assign(a, Bucket::temporary, Role::none, 45, "freed-early",
                     "There before the trace and freed in its first pass");
    }
}

void EarlierLabeller::labelPersistent(AllocationId a, bool state_in_trace)
{
    const std::int64_t size = m_a.requested[a.index()].value;
    const std::int64_t per_copy = gradientsOf(size);
    if (per_copy > 0) {
        // One set of these sizes is the parameters; what is left over is the optimizer's, which
        // keeps one or two more of each. Older memory lies at lower addresses, so the first set is
        // the oldest.
        if (m_seen[size]++ < per_copy) {
            m_out.assign(a, Bucket::parameter, Role::none, 75, "first-gradient-sized-set",
                         "There before the trace, kept, and as large as a gradient: the first set "
                         "of these sizes");
        } else if (!state_in_trace) {
            m_out.assign(a, Bucket::optimizer_state, Role::none, 70, "further-gradient-sized-set",
                         "There before the trace, kept, and as large as a gradient: a further set "
                         "of these sizes");
        }
        return;
    }
    if (m_e.runs.has_training) {
        if (gradientsOf(size / 2) > 0 && size % 2 == 0) {
            m_out.assign(a, Bucket::optimizer_state, Role::none, 55, "twice-gradient-sized",
                         "There before the trace, kept, and twice as large as a gradient, like a "
                         "full-precision copy");
        } else {
            m_out.assign(
                a, Bucket::parameter, Role::none, 50, "kept-without-gradient",
                "There before the trace and kept through training, with no gradient of its size");
        }
        return;
    }
    if (m_e.runs.has_stacks) {
        m_out.assign(a, Bucket::parameter, Role::none, 60, "kept-through-passes",
                     "There before the trace and kept through every pass");
    }
}

} // namespace

void labelEarlier(const Evidence& evidence, const SizeCounts& gradients, Assigner& assigner)
{
    EarlierLabeller(evidence, gradients, assigner).run();
}

} // namespace tidemark::label
