// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::reader {

/// Remembers what was found for an object, by its address; the newest of those that share a place
/// wins. Only for objects that outlive the cache. Fixed size, O(1), one comparison per look-up.
template <class T>
class PointerCache {
public:
    explicit PointerCache(unsigned log2_size)
        : m_places(std::size_t{1} << log2_size)
        , m_shift(64U - log2_size)
    {
    }
    /// Null when the object is not (any more) remembered.
    [[nodiscard]] const T* find(const void* object) const
    {
        const Place& place = m_places[indexOf(object)];
        return place.object == object ? &place.value : nullptr;
    }
    void put(const void* object, const T& value)
    {
        m_places[indexOf(object)] = {object, value};
    }

private:
    struct Place {
        const void* object = nullptr;
        T value{};
    };
    [[nodiscard]] std::size_t indexOf(const void* object) const
    {
        // Fibonacci hashing: the upper bits of a product with 2^64 / golden ratio.
        return static_cast<std::size_t>(
            (reinterpret_cast<std::uintptr_t>(object) * 0x9e3779b97f4a7c15ULL) >> m_shift);
    }

    std::vector<Place> m_places;
    unsigned m_shift;
};

} // namespace tidemark::reader
