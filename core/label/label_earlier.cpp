// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assigner.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

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
        countCopies();
        m_has_other_stacks = std::ranges::any_of(m_a.stack, [&](StackId stack) {
            const StackKind kind = m_e.kinds.kind(stack);
            return kind != StackKind::none && kind != StackKind::empty;
        });
        findBareGradients();
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
    [[nodiscard]] bool gradientsTell() const;
    void countCopies();
    void findKeptGradients(const SizeCounts& counts, std::int64_t total);
    [[nodiscard]] SizeCounts madeInOneBackward() const;
    void findBareGradients();
    bool labelByCopies(AllocationId a);
    [[nodiscard]] bool makesStateInTrace();
    [[nodiscard]] bool isPersistent(AllocationId a) const;
    bool labelByStack(AllocationId a);
    [[nodiscard]] bool isBlasWorkspace(AllocationId a) const;
    bool labelWithoutHistory(AllocationId a);
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
    std::set<std::int64_t> m_state_sizes; ///< Of optimizer state made in the trace.
    SizeCounts m_seen; ///< Persistent allocations met so far, per size.
    /// How often the set of parameter sizes is there, where no gradient of the trace tells: 2 to 4;
    /// else 0.
    std::int64_t m_copies = 0;
    SizeCounts m_per_copy;
    SizeCounts m_weights_by_stack; ///< Of before the trace, kept, with the frames of a load.
    SizeCounts m_seen_bare; ///< Labelled as their gradients so far.
    bool m_bare_is_gradients = false;
    bool m_has_other_stacks = false; ///< Some allocation has a stack with frames.
    std::vector<bool> m_freed_first; ///< Per allocation: among the copy that is freed first.
};

/// Whether the gradients that the trace leaves are those of what was there before it: a backward
/// that adds to older ones leaves only oddities.
bool EarlierLabeller::gradientsTell() const
{
    std::int64_t all = 0;
    std::int64_t known = 0;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        if (m_a.alloc_event[i].isNone() && m_e.livesToTheEnd(AllocationId(i))) {
            const std::int64_t size = m_a.requested[i].value;
            all += size;
            known += gradientsOf(size) > 0 ? size : 0;
        }
    }
    return !m_gradients.empty() && known * 10 >= all;
}

/// A model in training is there in copies: weights, (gradients,) two moments. Sizes that occur once
/// in a model then occur three or four times, so the greatest common divisor of all counts is the
/// number of copies.
void EarlierLabeller::countCopies()
{
    const bool has_optimizer = std::ranges::any_of(
        m_e.runs.runs, [](const Run& r) { return r.phase == Phase::optimizer; });
    const bool has_backward =
        std::ranges::any_of(m_e.runs.runs, [](const Run& r) { return r.phase == Phase::backward; });
    if (gradientsTell() || (!has_optimizer && !has_backward && m_e.device.events.count() > 0)) {
        return;
    }
    SizeCounts counts;
    std::map<std::int64_t, std::vector<AllocationId>> of_size;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        const StackKind kind = m_e.kinds.kind(m_a.stack[i]);
        if (m_a.alloc_event[i].isNone() && (kind == StackKind::none || kind == StackKind::empty)
            && m_e.livesToTheEnd(a) && !isBlasWorkspace(a)) {
            ++counts[m_a.requested[i].value];
            of_size[m_a.requested[i].value].push_back(a);
            total += m_a.requested[i].value;
        }
    }
    if (!has_optimizer && has_backward) {
        findKeptGradients(counts, total);
        return;
    }
    std::int64_t copies = 0;
    for (const auto& [size, count] : counts) {
        if (size * count * 500
            >= total) { // At least 0.2 % of the bytes: counters and norms do not count.
            copies = std::gcd(copies, count);
        }
    }
    if (counts.size() < 3 || (copies != 3 && copies != 4)) {
        return;
    }
    m_copies = copies;
    m_freed_first.resize(m_a.count());
    for (const auto& [size, count] : counts) {
        m_per_copy[size] = count / copies;
        std::vector<AllocationId>& by_end = of_size[size];
        std::ranges::stable_sort(by_end, {}, [&](AllocationId a) { return m_a.end[a.index()]; });
        for (const AllocationId a :
             std::span(by_end).first(static_cast<std::size_t>(count / copies))) {
            m_freed_first[a.index()] = true;
        }
    }
}

/// How many allocations of each size a backward makes: the most that one of them made.
SizeCounts EarlierLabeller::madeInOneBackward() const
{
    SizeCounts most;
    for (const Run& run : m_e.runs.runs) {
        SizeCounts made;
        for (std::size_t i = run.first.index(); run.phase == Phase::backward && i < run.end.index();
             ++i) {
            const AllocationId a = m_e.replay.event_allocation[i];
            if (m_e.device.events.action[i] == trace::Action::alloc && !a.isNone()) {
                ++made[m_a.requested[a.index()].value];
            }
        }
        for (const auto& [size, count] : made) {
            most[size] = std::max(most[size], count);
        }
    }
    return most;
}

/// A program that never clears its gradients adds to those that are there: a backward then makes
/// one short-lived tensor of each parameter's size, and what was there before comes in pairs.
void EarlierLabeller::findKeptGradients(const SizeCounts& counts, std::int64_t total)
{
    const SizeCounts made = madeInOneBackward();
    SizeCounts per_copy;
    std::int64_t paired = 0;
    for (const auto& [size, count] : counts) {
        const auto it = made.find(size);
        if (count % 2 == 0 && it != made.end() && it->second * 2 >= count) {
            per_copy[size] = count / 2;
            paired += size * count;
        }
    }
    if (per_copy.size() >= 3 && paired * 10 >= total * 9) {
        m_copies = 2;
        m_per_copy = std::move(per_copy);
    }
}

/// With Python frames only, what autograd's thread makes has none. Where the weights of before the
/// trace have frames, what has none and comes in the same sizes is their gradients.
void EarlierLabeller::findBareGradients()
{
    std::int64_t bare = 0;
    std::int64_t alike = 0;
    SizeCounts left;
    std::vector<AllocationId> without;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        if (!m_a.alloc_event[i].isNone() || !isPersistent(a)) {
            continue;
        }
        const StackKind kind = m_e.kinds.kind(m_a.stack[i]);
        if (kind == StackKind::load) {
            ++m_weights_by_stack[m_a.requested[i].value];
        } else if ((kind == StackKind::none || kind == StackKind::empty) && !isBlasWorkspace(a)) {
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
    m_bare_is_gradients = m_e.runs.has_training && bare > 0 && alike * 10 >= bare * 8;
}

/// cuBLAS' default workspace of most cards, CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8 (ATen's
/// CUDABlas.cpp): two buffers of 4096 KiB and eight of 16 KiB.
bool EarlierLabeller::isBlasWorkspace(AllocationId a) const
{
    constexpr std::int64_t kDefaultWorkspace = (2 * 4096 + 8 * 16) * 1024;
    return m_a.requested[a.index()].value == kDefaultWorkspace;
}

/// Gradients are freed first; of the rest, the lowest addresses are the oldest: the weights.
bool EarlierLabeller::labelByCopies(AllocationId a)
{
    const std::int64_t size = m_a.requested[a.index()].value;
    const auto per_copy = m_per_copy.find(size);
    if (m_copies == 0 || per_copy == m_per_copy.end() || per_copy->second == 0) {
        return false;
    }
    const std::int64_t n = per_copy->second;
    const bool freed = m_a.end[a.index()].index() <= m_e.device.events.count();
    if (m_copies == 4 && freed && m_freed_first[a.index()]) {
        m_out.assign(a, Bucket::gradient, Role::none, 60, "copies-of-one-set",
                     "There before the trace in four copies per size; the copy freed first is the "
                     "gradients");
        return true;
    }
    const std::int64_t seen = m_seen[size]++;
    if (m_copies == 2) {
        m_out.assign(a, seen < n ? Bucket::parameter : Bucket::gradient, Role::none, 65,
                     "kept-gradients",
                     "There before the trace in pairs, and backward makes one short-lived tensor "
                     "of each pair's size: weights and gradients that are added to");
    } else if (m_copies == 4 && !freed && seen >= n && seen < 2 * n) {
        m_out.assign(a, Bucket::gradient, Role::none, 45, "copies-of-one-set",
                     "There before the trace in four copies per size; the second oldest is the "
                     "gradients");
    } else if (seen < n) {
        m_out.assign(a, Bucket::parameter, Role::none, 55, "copies-of-one-set",
                     "There before the trace in three or four copies per size; the oldest copy is "
                     "the weights");
    } else {
        m_out.assign(a, Bucket::optimizer_state, Role::none, 50, "copies-of-one-set",
                     "There before the trace in three or four copies per size; the later ones are "
                     "the optimizer's");
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
    if (m_e.runs.runs.empty() || !(m_e.runs.has_stacks || m_e.runs.is_frameless)) {
        return;
    }
    const EventId freed(m_a.end[a.index()].index() - 1);
    const Run& run = m_e.runs.runs[m_e.runs.indexAt(freed)];
    const Phase phase = run.phase;
    const bool gradient_sized = gradientsOf(m_a.requested[a.index()].value) > 0;
    if (phase == Phase::optimizer && freed < run.last_alloc
        && m_state_sizes.contains(m_a.requested[a.index()].value)) {
        m_out.assign(
            a, Bucket::optimizer_state, Role::none, 75, "state-replaced",
            "There before the trace and freed inside a step that makes new state of the same size");
    } else if (gradient_sized && phase != Phase::backward) {
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

/// A state without a trace: what has no frames was there before history was recorded at all.
bool EarlierLabeller::labelWithoutHistory(AllocationId a)
{
    if (m_e.device.events.count() > 0 || !m_has_other_stacks) {
        return false;
    }
    m_out.assign(a, Bucket::parameter, Role::none, 45, "before-history",
                 "Made before history was recorded and kept while the program's other memory came, "
                 "as a model's weights are");
    return true;
}

void EarlierLabeller::labelPersistent(AllocationId a, bool state_in_trace)
{
    const std::int64_t size = m_a.requested[a.index()].value;
    if (isBlasWorkspace(a)) {
        m_out.assign(a, Bucket::workspace, Role::none, 70, "blas-workspace-sized",
                     "There before the trace, kept, and exactly as large as cuBLAS' default "
                     "workspace");
        return;
    }
    if (labelByCopies(a) || labelWithoutHistory(a)) {
        return;
    }
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
    if (m_weights_by_stack.contains(size) && m_seen_bare[size]++ < m_weights_by_stack[size]
        && m_bare_is_gradients) {
        m_out.assign(a, Bucket::gradient, Role::none, 65, "kept-gradients",
                     "There before the trace without a frame, as all of backward's memory is here, "
                     "and as large as one of the weights");
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
    if (m_e.runs.has_stacks || m_e.runs.is_frameless) {
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
