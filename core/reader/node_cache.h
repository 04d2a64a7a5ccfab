// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/value_tree.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::reader {

/// Remembers what was found for a value, by its node; the newest of those that share a place wins.
/// Only for values that outlive the cache. Fixed size, O(1), one comparison per look-up.
template <class T>
class NodeCache {
public:
    explicit NodeCache(unsigned log2_size)
        : m_places(std::size_t{1} << log2_size)
        , m_shift(64U - log2_size)
    {
    }
    /// Null when the value is not (any more) remembered.
    [[nodiscard]] const T* find(ValueTree::Node node) const
    {
        const Place& place = m_places[indexOf(node)];
        return place.word == node.word ? &place.value : nullptr;
    }
    void put(ValueTree::Node node, const T& value)
    {
        m_places[indexOf(node)] = {node.word, value};
    }

private:
    struct Place {
        std::uint64_t word = 0;
        T value{};
    };
    [[nodiscard]] std::size_t indexOf(ValueTree::Node node) const
    {
        // Fibonacci hashing: the upper bits of a product with 2^64 / golden ratio.
        return static_cast<std::size_t>((node.word * 0x9e3779b97f4a7c15ULL) >> m_shift);
    }

    std::vector<Place> m_places;
    unsigned m_shift;
};

} // namespace tidemark::reader
