// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace tidemark::label {

/// What one place asks for, in order: whether it grows by the same amount again and again, from the
/// start where the next text begins, as a cache or joined results do.
class SizeRises {
public:
    /// Bytes; whether it is more than the last one. O(log of different rises).
    bool add(std::int64_t size);
    /// The amount by which nearly all rises rise; 0 where there are few, or many falls between.
    [[nodiscard]] std::int64_t steadyIncrease() const;
    [[nodiscard]] std::size_t count() const
    {
        return m_count;
    }

private:
    std::optional<std::int64_t> m_last;
    std::map<std::int64_t, std::size_t> m_of; ///< How often by how much.
    std::size_t m_count = 0;
    std::size_t m_falls = 0;
};

} // namespace tidemark::label
