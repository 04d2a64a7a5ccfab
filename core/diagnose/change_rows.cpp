// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/change_rows.h"

#include "core/base/column.h"

#include <algorithm>

namespace tidemark::diagnose {

ChangeRows::ChangeRows(const Facts& facts, std::span<const ChangedRun> runs, const SizeKinds* kinds)
    : m_runs(runs)
    , m_deltas(runs.size(), kNone)
{
    BucketSet each_alone;
    std::vector<std::size_t> by_allocation;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        each_alone |= runs[r].each_alone;
        if (!runs[r].delta_of.empty()) {
            by_allocation.push_back(r);
        }
    }
    const std::size_t count = facts.allocations().count();
    assignColumn(m_of, count, kNone);
    if (kinds == nullptr && by_allocation.empty()) {
        return;
    }
    std::vector<std::uint32_t> row_of_kind(kinds == nullptr ? 0 : kinds->examples.size(), kNone);
    for (std::size_t k = 0; k < row_of_kind.size(); ++k) {
        for (std::size_t r = 0; r < runs.size(); ++r) {
            m_deltas[r] = runs[r].delta_of_kind[k];
        }
        row_of_kind[k] = rowOfDeltas();
    }
    for (std::size_t a = 0; a < count; ++a) {
        const bool by_kind =
            kinds != nullptr && !each_alone[label::indexOf(facts.bucket(AllocationId(a)))];
        if (by_kind) {
            m_of[a] = row_of_kind[kinds->of[a]];
            continue;
        }
        const std::uint32_t of_kind = kinds == nullptr ? kNone : row_of_kind[kinds->of[a]];
        m_of[a] = rowOf(a, of_kind, by_allocation);
    }
}

/// The row of an allocation that some runs change alone; the others treat it as its kind, whose row
/// is known.
std::uint32_t ChangeRows::rowOf(std::size_t a, std::uint32_t of_kind,
                                const std::vector<std::size_t>& by_allocation)
{
    std::uint64_t hash = of_kind;
    for (const std::size_t r : by_allocation) {
        hash = m_hash.pair(hash, m_runs[r].delta_of[a]);
    }
    const auto [begin, end] = m_of_alone.equal_range(hash);
    for (auto known = begin; known != end; ++known) {
        const Alone& example = known->second;
        const bool alike =
            example.of_kind == of_kind && std::ranges::all_of(by_allocation, [&](std::size_t r) {
                return m_runs[r].delta_of[a] == m_runs[r].delta_of[example.allocation];
            });
        if (alike) {
            return example.row;
        }
    }
    for (std::size_t r = 0; r < m_runs.size(); ++r) {
        m_deltas[r] = of_kind == kNone ? kNone : m_deltas_of[of_kind * m_runs.size() + r];
    }
    for (const std::size_t r : by_allocation) {
        const std::uint32_t delta = m_runs[r].delta_of[a];
        m_deltas[r] = delta == kNone ? m_deltas[r] : delta;
    }
    const std::uint32_t row = rowOfDeltas();
    m_of_alone.emplace(hash, Alone{of_kind, a, row});
    return row;
}

/// A new row for `m_deltas`; none if nothing changes.
std::uint32_t ChangeRows::rowOfDeltas()
{
    const std::size_t runs = m_runs.size();
    if (std::ranges::all_of(m_deltas, [](std::uint32_t delta) { return delta == kNone; })) {
        return kNone;
    }
    const auto index = static_cast<std::uint32_t>(m_ends.size());
    const std::size_t at = m_rows.size();
    m_rows.resize(at + 3 * runs, 0);
    for (std::size_t r = 0; r < runs; ++r) {
        if (m_deltas[r] != kNone) {
            const Totals& bytes = m_runs[r].deltas[m_deltas[r]];
            m_rows[at + r] = bytes.low;
            m_rows[at + runs + r] = bytes.mid;
            m_rows[at + 2 * runs + r] = bytes.high;
        }
    }
    const auto [least, most] =
        std::minmax_element(m_rows.begin() + static_cast<std::ptrdiff_t>(at), m_rows.end());
    m_ends.emplace_back(*least, *most);
    m_deltas_of.insert(m_deltas_of.end(), m_deltas.begin(), m_deltas.end());
    return index;
}

} // namespace tidemark::diagnose
