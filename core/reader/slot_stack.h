// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/native_slot.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tidemark::reader {

/// The stack of the machine. A vector's push_back is too large to be put in line, and half of all
/// opcodes push.
class SlotStack {
public:
    void push(Slot slot)
    {
        if (m_size == m_slots.size()) [[unlikely]] {
            grow();
        }
        m_slots[m_size++] = slot;
    }
    void pop()
    {
        --m_size;
    }
    /// Requires size <= size().
    void shrink(std::size_t size)
    {
        m_size = size;
    }
    /// Takes [begin, end) out.
    void remove(std::size_t begin, std::size_t end)
    {
        std::copy(m_slots.begin() + static_cast<std::ptrdiff_t>(end),
                  m_slots.begin() + static_cast<std::ptrdiff_t>(m_size),
                  m_slots.begin() + static_cast<std::ptrdiff_t>(begin));
        m_size -= end - begin;
    }
    [[nodiscard]] std::size_t size() const
    {
        return m_size;
    }
    [[nodiscard]] bool isEmpty() const
    {
        return m_size == 0;
    }
    Slot& operator[](std::size_t index)
    {
        return m_slots[index];
    }
    Slot operator[](std::size_t index) const
    {
        return m_slots[index];
    }
    [[nodiscard]] Slot top() const
    {
        return m_slots[m_size - 1];
    }
    [[nodiscard]] Slot bottom() const
    {
        return m_slots[0];
    }
    /// Good until the next push.
    [[nodiscard]] std::span<Slot> from(std::size_t begin)
    {
        return std::span(m_slots).subspan(begin, m_size - begin);
    }
    [[nodiscard]] std::size_t memoryBytes() const
    {
        return m_slots.capacity() * sizeof(Slot);
    }

private:
    [[gnu::noinline]] void grow()
    {
        m_slots.resize(std::max<std::size_t>(1024, m_slots.size() * 2));
    }

    std::vector<Slot> m_slots;
    std::size_t m_size = 0;
};

} // namespace tidemark::reader
