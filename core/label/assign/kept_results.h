// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"

#include <vector>

namespace tidemark::label {

struct RuleInputs;

/// What passes leave behind: results that the program collects, caches that grow, buffers made
/// once. Judged per allocating stack over the whole trace, so that the last results, which nothing
/// has outlived yet, are recognised by the earlier ones from the same place. Built in
/// O(allocations).
class KeptResults {
public:
    explicit KeptResults(const RuleInputs& evidence);

    /// Kept past the pass (without gradients) or two steps (with) by a stack that does so again and
    /// again.
    [[nodiscard]] bool isResult(AllocationId a) const
    {
        return m_results[a.index()];
    }
    /// Kept for good, by a stack that did so in one step only and allocates in no other: a buffer.
    [[nodiscard]] bool isMadeOnce(AllocationId a) const
    {
        return m_made_once[a.index()];
    }
    /// Kept for good, by a stack that did so in one step only, though it allocates in others, too:
    /// what a library keeps of its first call, such as cuBLASLt's workspace
    /// (ATen/cuda/CublasHandlePool.cpp) and the state of cuDNN's dropout
    /// (ATen/native/cudnn/RNN.cpp).
    [[nodiscard]] bool isOfFirstCall(AllocationId a) const
    {
        return m_of_first_call[a.index()];
    }
    /// One of several that grow side by side, each made anew from the one before it and larger by
    /// the same amount: what layers keep of all tokens so far. What grows so alone is a result.
    [[nodiscard]] bool isCache(AllocationId a) const
    {
        return m_cache[a.index()];
    }

    /// Made beside an optimizer's step or ahead of a pass and kept for good, by a stack that does
    /// so in three steps or more.
    [[nodiscard]] bool growsWithSteps(AllocationId a) const
    {
        return m_growing_with_steps[a.index()];
    }

private:
    void findForwardResults(const RuleInputs& evidence);
    void findPassResults(const RuleInputs& evidence);
    void findGrowing(const RuleInputs& evidence);
    void findGrowingWithSteps(const RuleInputs& evidence);

    std::vector<bool> m_results; ///< Per allocation, like those below.
    std::vector<bool> m_made_once;
    std::vector<bool> m_of_first_call;
    std::vector<bool> m_cache;
    std::vector<bool> m_growing_with_steps;
};

} // namespace tidemark::label
