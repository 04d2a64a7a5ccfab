// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/readings.h"
#include "core/program/size_table.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidemark::program {

/// What a hypothesis explains of each of the strongest sizes, 0 to 1; index as in
/// `SizeTable::strongest`.
using Explained = std::vector<double>;

/// Adds up what readings explain. A view of the table: does not outlive it.
class SizeScore {
public:
    explicit SizeScore(const SizeTable& table);

    [[nodiscard]] Explained nothing() const
    {
        return Explained(m_sizes.size(), 0.0);
    }
    /// The best reading of each size counts. O(readings).
    void explain(Explained& explained, std::span<const Reading> readings) const;
    /// Σ evidence · what explains it best, a reading or the weights. O(sizes).
    [[nodiscard]] double total(const Explained& explained) const;
    [[nodiscard]] std::span<const SizeGroup> sizes() const
    {
        return m_sizes;
    }
    [[nodiscard]] bool has(std::int64_t bytes) const
    {
        return m_index.contains(bytes);
    }

private:
    std::span<const SizeGroup> m_sizes;
    std::unordered_map<std::int64_t, std::size_t> m_index;
};

} // namespace tidemark::program
