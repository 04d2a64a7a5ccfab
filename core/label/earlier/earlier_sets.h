// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/assign/assigner.h"

#include <unordered_set>

namespace tidemark::label {

/// Large sets among what was there before the trace, has no telling stack and stays to the end.
class EarlierSets {
public:
    /// O(earlier allocations log earlier allocations).
    EarlierSets(const RuleInputs& evidence, const SizeCounts& gradients);

    /// One of at most three tensors without a gradient of their size that are larger together than
    /// all that is trained, or without training far larger than each of many others: a data set on
    /// the card rather than a model.
    [[nodiscard]] bool isDataSet(AllocationId a) const
    {
        return m_data_set.contains(a.value);
    }
    /// In a program that does not train: one of an even number of equal tensors side by side that
    /// are larger than all else together, and as large as nothing that the trace makes: like keys
    /// and values of every layer.
    [[nodiscard]] bool isCache(AllocationId a) const
    {
        return m_cache.contains(a.value);
    }
    /// Whether something of this size is kept.
    [[nodiscard]] bool isKeptSize(std::int64_t bytes) const
    {
        return m_kept_sizes.contains(bytes);
    }

private:
    void findDataSet(const RuleInputs& e, const SizeCounts& gradients);
    void findCache(const RuleInputs& e);
    void findVolumes(const RuleInputs& e);

    std::vector<AllocationId> m_kept; ///< By address.
    std::unordered_set<std::int64_t> m_kept_sizes;
    std::unordered_set<std::uint32_t> m_data_set;
    std::unordered_set<std::uint32_t> m_cache;
};

} // namespace tidemark::label
