// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assigner.h"
#include "core/label/stack_text.h"
#include "core/replay/block_sizes.h"

#include <algorithm>
#include <set>

namespace tidemark::label {
namespace {

/// File and function of the user's frame: "the same piece of model code".
using CodePlace = std::pair<std::uint32_t, std::uint32_t>;

class RoleFinder {
public:
    RoleFinder(const Evidence& evidence, const SizeCounts& gradients, Assigner& out)
        : m_e(evidence)
        , m_a(evidence.replay.allocations)
        , m_gradients(gradients)
        , m_out(out)
    {
    }

    void run()
    {
        markParameters();
        markAttention();
        for (const Run& run : m_e.runs.runs) {
            if (run.phase == Phase::forward || run.phase == Phase::evaluation
                || run.phase == Phase::inference) {
                markLogits(run);
            }
        }
    }

private:
    void markParameters();
    void markAttention();
    void markLogits(const Run& run);
    [[nodiscard]] CodePlace codePlace(AllocationId a);
    [[nodiscard]] bool isPassMemory(AllocationId a) const
    {
        const Bucket b = m_out.bucketOf(a);
        return (b == Bucket::activation || b == Bucket::temporary || b == Bucket::output)
            && m_e.kinds.kind(m_a.stack[a.index()]) != StackKind::optimizer
            && !m_a.alloc_event[a.index()].isNone();
    }

    const Evidence& m_e;
    const replay::Allocations& m_a;
    const SizeCounts& m_gradients;
    Assigner& m_out;
    std::unordered_map<std::uint32_t, CodePlace> m_places; ///< Per stack.
};

CodePlace RoleFinder::codePlace(AllocationId a)
{
    const StackId stack = m_a.stack[a.index()];
    const auto [it, fresh] = m_places.try_emplace(stack.value);
    if (fresh) {
        const FrameId f = tellingFrame(m_e.snapshot, stack);
        it->second = f.isNone() ? CodePlace{StringId::kNoneValue, StringId::kNoneValue}
                                : CodePlace{m_e.snapshot.stacks.frame(f).filename.value,
                                            m_e.snapshot.stacks.frame(f).name.value};
    }
    return it->second;
}

void RoleFinder::markParameters()
{
    if (m_gradients.empty()) {
        return;
    }
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        if (m_out.bucketOf(a) == Bucket::parameter && m_out.roleOf(a) == Role::none) {
            m_out.setRole(
                a, m_gradients.contains(m_a.requested[i].value) ? Role::trainable : Role::frozen);
        }
    }
}

/// A softmax that is not the loss normalises attention scores; what the same function allocates in
/// the same size holds the same matrix (scores, masked scores, dropout).
void RoleFinder::markAttention()
{
    constexpr std::int64_t kWorthNaming = 64 << 10;
    std::set<std::pair<CodePlace, std::int64_t>> matrices;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        const Traits t = m_e.kinds.traits(m_a.stack[i]);
        if (t.has(Trait::softmax) && !t.has(Trait::loss) && isPassMemory(a)
            && m_a.requested[i].value >= kWorthNaming) {
            matrices.emplace(codePlace(a), m_a.requested[i].value);
        }
    }
    if (matrices.empty()) {
        return;
    }
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        if (isPassMemory(a) && m_out.roleOf(a) == Role::none
            && m_e.kinds.kind(m_a.stack[i]) != StackKind::empty
            && matrices.contains({codePlace(a), m_a.requested[i].value})) {
            m_out.setRole(a, Role::attention_matrix);
        }
    }
}

/// The loss's own large tensors are logits-sized; so are the few of the same number of elements
/// that the model's head made just before (in the same, half or double precision).
void RoleFinder::markLogits(const Run& run)
{
    constexpr std::size_t kJustBefore = 8;
    std::vector<AllocationId> pass;
    std::size_t first_loss = 0;
    std::int64_t largest = 0;
    for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
        const AllocationId a = m_e.replay.event_allocation[i];
        if (m_e.device.events.action[i] != trace::Action::alloc || a.isNone()) {
            continue;
        }
        if (m_e.kinds.traits(m_a.stack[a.index()]).has(Trait::loss)) {
            first_loss = largest == 0 ? pass.size() : first_loss;
            largest = std::max(largest, m_a.requested[a.index()].value);
        }
        pass.push_back(a);
    }
    if (largest == 0) {
        return;
    }
    const std::size_t begin = first_loss > kJustBefore ? first_loss - kJustBefore : 0;
    for (std::size_t i = begin; i < pass.size(); ++i) {
        const std::int64_t size = m_a.requested[pass[i].index()].value;
        const bool same = size == largest || size * 2 == largest || size == largest * 2;
        if (same && isPassMemory(pass[i]) && m_out.roleOf(pass[i]) == Role::none) {
            m_out.setRole(pass[i], Role::logits);
        }
    }
}

} // namespace

void assignRoles(const Evidence& evidence, const SizeCounts& gradients, Assigner& assigner)
{
    RoleFinder(evidence, gradients, assigner).run();
}

FailedRequest labelFailed(const Evidence& evidence, const Assigner& assigner, EventId oom)
{
    FailedRequest failed;
    failed.event = oom;
    const StackId stack = evidence.device.events.stack[oom.index()];
    const Bytes wanted = evidence.device.events.size[oom.index()];
    const StackKind kind = evidence.kinds.kind(stack);
    // The last allocation of the same stack and size tells what this one would have been; of the
    // same place, where the size is new.
    if (kind != StackKind::none && kind != StackKind::empty) {
        const replay::Allocations& a = evidence.replay.allocations;
        AllocationId same_place;
        for (std::size_t i = a.count(); i-- > 0;) {
            const AllocationId id(i);
            if (a.alloc_event[i].isNone() || !(a.alloc_event[i] < oom)
                || evidence.kinds.place(a.stack[i]) != evidence.kinds.place(stack)
                || assigner.bucketOf(id) == Bucket::unknown) {
                continue;
            }
            same_place = same_place.isNone() ? id : same_place;
            if (a.stack[i] == stack && replay::roundToBlock(a.requested[i]) == wanted) {
                same_place = id;
                break;
            }
        }
        if (!same_place.isNone()) {
            failed.bucket = assigner.bucketOf(same_place);
            failed.role = assigner.roleOf(same_place);
            return failed;
        }
    }
    if (evidence.runs.runs.empty()) {
        return failed;
    }
    switch (evidence.runs.runs[evidence.runs.indexAt(oom)].phase) {
    case Phase::setup:
        failed.bucket = Bucket::parameter;
        break;
    case Phase::input:
        failed.bucket = Bucket::input;
        break;
    case Phase::forward:
        failed.bucket = Bucket::activation;
        break;
    case Phase::backward:
        failed.bucket = Bucket::temporary;
        failed.role = Role::activation_gradient;
        for (std::size_t i = 0; i < evidence.replay.allocations.count(); ++i) {
            if (assigner.bucketOf(AllocationId(i)) == Bucket::parameter
                && replay::roundToBlock(evidence.replay.allocations.requested[i]) == wanted) {
                failed.bucket = Bucket::gradient;
                failed.role = Role::none;
                break;
            }
        }
        break;
    case Phase::optimizer: {
        const bool transient = evidence.kinds.traits(stack).has(Trait::optimizer_transient);
        failed.bucket = transient ? Bucket::temporary : Bucket::optimizer_state;
        failed.role = transient ? Role::optimizer_transient : Role::none;
        break;
    }
    case Phase::evaluation:
    case Phase::inference:
    case Phase::other:
        failed.bucket = Bucket::temporary;
        break;
    }
    return failed;
}

} // namespace tidemark::label
