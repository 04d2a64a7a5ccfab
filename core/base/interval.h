// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

namespace tidemark {

/// Half-open interval [begin, end). Every interval in this program is half-open.
template <class T>
struct Interval {
    T begin{};
    T end{};

    [[nodiscard]] constexpr bool isEmpty() const
    {
        return !(begin < end);
    }
    [[nodiscard]] constexpr bool contains(const T& v) const
    {
        return !(v < begin) && v < end;
    }
    friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

} // namespace tidemark
