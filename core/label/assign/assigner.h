// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/assign/blas_workspaces.h"
#include "core/label/label_rules.h"
#include "core/label/labels.h"
#include "core/label/runs/runs.h"
#include "core/label/stacks/stack_kinds.h"

#include <map>
#include <utility>
#include <vector>

namespace tidemark::label {

/// What all rules read: the device with everything found out about it so far.
struct RuleInputs {
    const trace::Snapshot& snapshot;
    const trace::Device& device;
    const replay::DeviceReplay& replay;
    const StackKinds& kinds;
    const Runs& runs;
    const BlasWorkspaces& workspaces;
    /// One past the last allocation or failed request: what is alive here was not freed by the
    /// program's teardown, which comes after it.
    StateId last_moment;

    [[nodiscard]] bool livesOn(AllocationId a, StateId s) const
    {
        return replay.allocations.isLive(a, s);
    }
    [[nodiscard]] bool livesToTheEnd(AllocationId a) const
    {
        return replay.allocations.end[a.index()] > last_moment;
    }
};

/// Writes labels, and keeps one reason per rule and place so that a million allocations share a
/// few.
class Assigner {
public:
    Assigner(const RuleInputs& evidence, DeviceLabels& labels);

    /// The telling frame of the allocation's stack is added to the rule's sentence.
    void assign(AllocationId a, Bucket bucket, Role role, Rule rule);
    void setRole(AllocationId a, Role role)
    {
        m_labels.role[a.index()] = role;
    }
    [[nodiscard]] Bucket bucketOf(AllocationId a) const
    {
        return m_labels.bucket[a.index()];
    }
    [[nodiscard]] Role roleOf(AllocationId a) const
    {
        return m_labels.role[a.index()];
    }
    [[nodiscard]] std::uint8_t confidenceOf(AllocationId a) const
    {
        return m_labels.confidence[a.index()];
    }
    [[nodiscard]] std::uint8_t confidence(Rule rule) const
    {
        const RuleInfo& info = infoOf(rule);
        return m_evidence.runs.is_frameless ? info.without_frames : info.confidence;
    }

private:
    const RuleInputs& m_evidence;
    DeviceLabels& m_labels;
    /// A reason that was looked up before.
    struct Recent {
        Rule rule = Rule::no_evidence;
        StackId stack;
        std::uint32_t reason = 0;
    };
    static constexpr std::size_t kRecent = 4096;

    [[nodiscard]] std::uint32_t reasonFor(StackId stack, Rule rule);

    std::map<std::pair<Rule, std::uint32_t>, std::uint32_t> m_reasons; ///< By rule and frame.
    std::vector<Recent> m_recent;
};

/// How many allocations of each size the gradients of one backward make up; empty if there is none.
using SizeCounts = std::map<std::int64_t, std::int64_t>;

/// Labels what the trace itself allocates, from its run, its stack and its lifetime. Returns the
/// sizes of the gradients, which tell parameters from the rest.
SizeCounts labelTraced(const RuleInputs& evidence, Assigner& assigner, const StagePart& progress);

/// For traces without stacks, after `labelTraced`: optimizer state and data sets made in setup,
/// told from parameters by counts of the gradients' sizes. O(allocations log sizes).
void relabelFrameless(const RuleInputs& evidence, const SizeCounts& gradients, Assigner& assigner);

/// Labels what was there before the trace: from the final block's stack if it has one, from the
/// phase in which it is freed, else by counting copies of the set of gradient sizes.
void labelEarlier(const RuleInputs& evidence, const SizeCounts& gradients, Assigner& assigner);

/// Refines labels with roles: logits, attention matrices, trainable and frozen parameters.
void assignRoles(const RuleInputs& evidence, const SizeCounts& gradients, Assigner& assigner);

/// Bucket and role for every request that failed, in order: those of an earlier allocation from the
/// same place, else by the rules for the phase it failed in. O(allocations + OOM events).
std::vector<FailedRequest> labelFailed(const RuleInputs& evidence, const Assigner& assigner);

} // namespace tidemark::label
