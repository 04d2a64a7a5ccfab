// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/units.h"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <set>
#include <utility>

namespace tidemark::allocator {

/// A block of the model, from the time it is handed out until it is free again.
using BlockId = Id<struct BlockTag>;

/// The order in which free blocks are looked through: best fit first, ties by age where the
/// version of torch says so, then by address.
struct FreeKey {
    std::uint64_t stream = 0;
    std::int64_t size = 0;
    std::uint64_t age = 0; ///< Lower: older. 0 for all where ties go by address.
    Address address = 0;
    BlockId block; ///< No part of the order: addresses differ.

    friend constexpr bool operator<(const FreeKey& a, const FreeKey& b)
    {
        if (a.stream != b.stream) {
            return a.stream < b.stream;
        }
        if (a.size != b.size) {
            return a.size < b.size;
        }
        return a.age != b.age ? a.age < b.age : a.address < b.address;
    }
};
using FreeBlocks = std::pmr::set<FreeKey>;

/// Memory for the nodes of those sets, which are all of one size: what comes back is handed out
/// again first. A node goes and another comes with nearly every request, so this has to be fast.
class NodeMemory final : public std::pmr::memory_resource {
private:
    struct Unused {
        Unused* next;
    };

    void* do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        if (bytes == m_node_bytes && m_unused != nullptr) {
            return std::exchange(m_unused, m_unused->next);
        }
        if (m_node_bytes == 0 && bytes >= sizeof(Unused)) {
            m_node_bytes = bytes;
        }
        return m_memory.allocate(bytes, alignment);
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t) override
    {
        if (bytes == m_node_bytes) {
            m_unused = ::new (memory) Unused{m_unused};
        }
    }
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override
    {
        return this == &other;
    }

    std::pmr::monotonic_buffer_resource m_memory;
    Unused* m_unused = nullptr;
    std::size_t m_node_bytes = 0; ///< As first asked for.
};

} // namespace tidemark::allocator
