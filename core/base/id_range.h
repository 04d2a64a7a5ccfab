// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>

namespace tidemark {

/// Ids that follow each other, from `begin` to before `end`: `for (AllocationId a : range)`.
template <class Id>
class IdRange {
public:
    class Iterator {
    public:
        using value_type = Id;
        using difference_type = std::ptrdiff_t;

        constexpr Iterator() = default;
        constexpr explicit Iterator(std::size_t at)
            : m_at(at)
        {
        }
        constexpr Id operator*() const
        {
            return Id(m_at);
        }
        constexpr Iterator& operator++()
        {
            ++m_at;
            return *this;
        }
        constexpr Iterator operator++(int)
        {
            return Iterator(m_at++);
        }
        friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

    private:
        std::size_t m_at = 0;
    };

    constexpr IdRange(std::size_t begin, std::size_t end)
        : first(begin)
        , end_index(end)
    {
    }
    [[nodiscard]] constexpr Iterator begin() const
    {
        return Iterator(first);
    }
    [[nodiscard]] constexpr Iterator end() const
    {
        return Iterator(end_index);
    }

    std::size_t first; ///< Index of the first.
    std::size_t end_index; ///< One past the last.
};

} // namespace tidemark
