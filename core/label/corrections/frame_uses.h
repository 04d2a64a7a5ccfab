// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::label {

/// Lists of numbers by a number, in one piece.
class NumberLists {
public:
    NumberLists() = default;
    /// `forEach(visit)` calls `visit(list, number)` for all entries of all lists, and is called
    /// twice; entries keep its order. `lists`: how many there are. O(lists + entries).
    template <class ForEach>
    NumberLists(std::size_t lists, const ForEach& forEach)
        : m_first(lists + 1, 0)
    {
        forEach([this](std::size_t list, std::uint32_t) { ++m_first[list + 1]; });
        for (std::size_t i = 1; i < m_first.size(); ++i) {
            m_first[i] += m_first[i - 1];
        }
        m_numbers.resize(m_first.back());
        std::vector<std::size_t> next(m_first.begin(), m_first.end() - 1);
        forEach([&](std::size_t list, std::uint32_t number) { m_numbers[next[list]++] = number; });
    }

    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t list) const
    {
        return std::span(m_numbers).subspan(m_first[list], m_first[list + 1] - m_first[list]);
    }

private:
    std::vector<std::size_t> m_first; ///< Of each list in `m_numbers`, and one for the end.
    std::vector<std::uint32_t> m_numbers;
};

/// The distinct texts of one part of the frames, names or files, numbered.
struct FrameTexts {
    std::vector<std::string_view> texts;
    std::vector<std::uint32_t> of_frame; ///< Per frame the number of its text.
    NumberLists frames; ///< Per text the frames that have it.
    std::vector<std::size_t> uses; ///< Per text in how many places of stacks it stands.
    std::size_t longest = 0; ///< Bytes.
};

/// Where the frames of a snapshot are, the other way round than stacks have them. O(frames of all
/// stacks) in time and memory. For use inside core/label.
struct FrameUses {
    FrameTexts names;
    FrameTexts files;
    NumberLists stacks; ///< Per frame the stacks that have it.

    /// The snapshot must outlive it.
    explicit FrameUses(const trace::Snapshot& snapshot);
};

} // namespace tidemark::label
