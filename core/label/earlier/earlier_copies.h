// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/assign/assigner.h"

#include <vector>

namespace tidemark::label {

/// How often a model's set of sizes was there before the trace, where no gradient of the trace
/// tells what a set is. O(events + earlier allocations log earlier allocations).
class EarlierCopies {
public:
    EarlierCopies(const RuleInputs& evidence, const SizeCounts& gradients);

    /// 2 to 5; 0 where nothing shows.
    [[nodiscard]] std::int64_t count() const
    {
        return m_count;
    }
    /// Whether one copy is the gradients, rather than all but one the optimizer's.
    [[nodiscard]] bool haveGradients() const
    {
        return m_have_gradients;
    }
    [[nodiscard]] const SizeCounts& perCopy() const
    {
        return m_per_copy;
    }
    /// How many of a size make up one copy; 0 for others.
    [[nodiscard]] std::int64_t perCopyOf(std::int64_t bytes) const
    {
        const auto it = m_per_copy.find(bytes);
        return m_count == 0 || it == m_per_copy.end() ? 0 : it->second;
    }
    /// Among the copy that is freed first.
    [[nodiscard]] bool isFreedFirst(AllocationId a) const
    {
        return !m_freed_first.empty() && m_freed_first[a.index()];
    }

private:
    void find();
    [[nodiscard]] bool gradientsTell() const;
    void findKeptGradients(const SizeCounts& counts, std::int64_t total);
    [[nodiscard]] bool areGradientsKept(const SizeCounts& counts, std::int64_t copies,
                                        std::int64_t total) const;
    [[nodiscard]] SizeCounts madeInOneBackward(bool only_whole) const;
    [[nodiscard]] std::int64_t gradientsOf(std::int64_t size) const
    {
        const auto it = m_gradients.find(size);
        return it == m_gradients.end() ? 0 : it->second;
    }

    const RuleInputs& m_e;
    const replay::Allocations& m_a;
    const SizeCounts& m_gradients;
    std::int64_t m_count = 0;
    bool m_have_gradients = false;
    SizeCounts m_per_copy;
    std::vector<bool> m_freed_first; ///< Per allocation.
};

} // namespace tidemark::label
