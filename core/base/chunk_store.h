// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace tidemark {

/// Keeps runs of elements where they are: each run lies in one piece and never moves, also when the
/// store itself does. Nothing is ever copied to grow; up to a quarter of the memory may lie unused.
template <class T>
class ChunkStore {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    ChunkStore() = default;
    ChunkStore(ChunkStore&& other) noexcept
        : m_chunks(std::move(other.m_chunks))
        , m_free(std::exchange(other.m_free, {}))
        , m_chunk_size(std::exchange(other.m_chunk_size, kFirstChunk))
    {
    }
    ChunkStore& operator=(ChunkStore&& other) noexcept
    {
        m_chunks = std::move(other.m_chunks);
        m_free = std::exchange(other.m_free, {});
        m_chunk_size = std::exchange(other.m_chunk_size, kFirstChunk);
        return *this;
    }
    ChunkStore(const ChunkStore&) = delete;
    ChunkStore& operator=(const ChunkStore&) = delete;
    ~ChunkStore() = default;

    /// A copy of the run that stays valid as long as the store.
    std::span<const T> add(std::span<const T> run)
    {
        const std::span<T> place = placeFor(run.size());
        std::ranges::copy(run, place.begin());
        return place;
    }

private:
    static constexpr std::size_t kFirstChunk = std::max<std::size_t>(1, 4096 / sizeof(T));
    static constexpr std::size_t kLargestChunk = std::max<std::size_t>(1, (1 << 20) / sizeof(T));

    std::span<T> placeFor(std::size_t count)
    {
        if (count > m_free.size()) {
            if (count > m_chunk_size / 4) {
                return allocate(count); // A chunk of its own leaves the room that is left.
            }
            m_free = allocate(m_chunk_size);
            m_chunk_size = std::min(m_chunk_size * 2, kLargestChunk);
        }
        const std::span<T> place = m_free.first(count);
        m_free = m_free.subspan(count);
        return place;
    }

    std::span<T> allocate(std::size_t count)
    {
        // No vector: the size is not known before, and nothing is filled twice.
        m_chunks.push_back(std::make_unique_for_overwrite<T[]>(count));
        return {m_chunks.back().get(), count};
    }

    std::vector<std::unique_ptr<T[]>> m_chunks;
    std::span<T> m_free; ///< The unused end of the newest shared chunk.
    std::size_t m_chunk_size = kFirstChunk; ///< Of the next one.
};

} // namespace tidemark
