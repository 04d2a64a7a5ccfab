// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/units.h"

#include <compare>
#include <cstdint>
#include <memory_resource>
#include <set>

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

} // namespace tidemark::allocator
