// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/inert_wrappers.h"
#include "core/reader/pickle_opcodes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark::reader {

/// A value on the stack or in the memo, in one word: where the opcode that made it stands (48
/// bits), how deep it nests (12 bits) and what it is (4 bits).
class ScannedValue {
public:
    ScannedValue() = default;
    ScannedValue(std::uint64_t offset, ValueKind kind, std::uint32_t depth)
        : m_word((offset << 16U) | (std::uint64_t{std::min(depth, kDeepest)} << 4U)
                 | static_cast<std::uint64_t>(kind))
    {
    }
    [[nodiscard]] std::uint64_t offset() const
    {
        return m_word >> 16U;
    }
    /// A callable, which is noted in place of a depth.
    ScannedValue(std::uint64_t offset, Wrapper wrapper)
        : ScannedValue(offset, ValueKind::wrapper, static_cast<std::uint32_t>(wrapper))
    {
    }
    [[nodiscard]] std::uint32_t depth() const
    {
        return kind() == ValueKind::wrapper ? 0 : middle();
    }
    /// Requires that kind.
    [[nodiscard]] Wrapper wrapper() const
    {
        return static_cast<Wrapper>(middle());
    }
    [[nodiscard]] ValueKind kind() const
    {
        return static_cast<ValueKind>(m_word & 15U);
    }

    static constexpr std::uint32_t kDeepest = 0xfff;

private:
    [[nodiscard]] std::uint32_t middle() const
    {
        return static_cast<std::uint32_t>(m_word >> 4U) & kDeepest;
    }

    std::uint64_t m_word = 0;
};

/// A tuple, with as many of its items as any wrapper takes.
struct ScannedTuple {
    ScannedTuple() = default;
    ScannedTuple(std::uint64_t at, std::span<const ScannedValue> values)
        : offset(at)
        , size(values.size())
    {
        std::copy_n(values.begin(), std::min(size, items.size()), items.begin());
    }

    std::uint64_t offset = 0; ///< Of the opcode that made it.
    std::size_t size = 0;
    std::array<ScannedValue, kMaxWrapperArguments> items;
};

} // namespace tidemark::reader
