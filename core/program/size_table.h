// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/observed.h"
#include "core/program/weight_set.h"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

namespace tidemark::program {

/// Copies of the weights of one size in half the bytes.
struct NarrowCopies {
    std::int64_t bytes = 0; ///< Of one.
    double share = 0; ///< Of the weights' bytes.
    bool are_there = false; ///< As many as there are weights, or a multiple.
    bool is_unseen = false; ///< Nothing that is no weight has that size.
};

/// Allocations of one size that may follow the batch or the sequence.
struct SizeGroup {
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    double byte_states = 0; ///< Bytes × states in which they live.
    std::int64_t saved = 0; ///< Of `count`, for a backward pass.
    /// What it says about dimensions, all sizes together 1: a quarter by bytes, a quarter by bytes
    /// × states, half by how often and how large, on a logarithmic scale. So neither one huge
    /// tensor nor a thousand scalars decides.
    double evidence = 0;
    double distinct_evidence = 0; ///< Its logarithmic part, all sizes together 1.
    /// How far it is explained already, because a weight or its copy has this size.
    double explained = 0;
    bool is_weight_sized = false;
};

/// The sizes of one device, without those of weights, gradients, states and workspaces, and without
/// what is as large as a weight and made between two passes. Ascending.
class SizeTable {
public:
    /// O(allocations + sizes log sizes).
    SizeTable() = default;
    SizeTable(const Observed& observed, const WeightSet& weights, std::int32_t weight_bytes);

    [[nodiscard]] const std::vector<SizeGroup>& groups() const
    {
        return m_groups;
    }
    /// Null where no allocation has this size.
    [[nodiscard]] const SizeGroup* find(std::int64_t bytes) const
    {
        const auto found = m_index.find(bytes);
        return found == m_index.end() ? nullptr : &m_groups[found->second];
    }
    [[nodiscard]] std::int64_t countOf(std::int64_t bytes) const
    {
        const SizeGroup* const group = find(bytes);
        return group == nullptr ? 0 : group->count;
    }
    /// The sizes with the most evidence, best first; a bounded number.
    [[nodiscard]] const std::vector<SizeGroup>& strongest() const
    {
        return m_strongest;
    }
    /// Sizes of inputs: batches of token ids, where they are known.
    [[nodiscard]] bool isInput(std::int64_t bytes) const
    {
        return m_inputs.contains(bytes);
    }
    [[nodiscard]] const std::set<std::int64_t>& inputs() const
    {
        return m_inputs;
    }
    /// Sizes of the weights and of their copies in 4 and 2 bytes an element.
    [[nodiscard]] bool isWeightSized(std::int64_t bytes) const
    {
        return m_weight_sizes.contains(bytes);
    }
    /// The copies of half a matrix's size that autocast would make, where no weight has that size.
    [[nodiscard]] const std::vector<NarrowCopies>& narrowCopies() const
    {
        return m_narrow_copies;
    }

private:
    void group(const Observed& observed);
    void weigh();
    void explainByWeights(const Observed& observed, const WeightSet& weights,
                          std::int32_t weight_bytes);

    std::vector<SizeGroup> m_groups;
    std::vector<SizeGroup> m_strongest;
    std::unordered_map<std::int64_t, std::size_t> m_index;
    std::set<std::int64_t> m_inputs;
    std::set<std::int64_t> m_weight_sizes;
    std::vector<NarrowCopies> m_narrow_copies;
};

} // namespace tidemark::program
