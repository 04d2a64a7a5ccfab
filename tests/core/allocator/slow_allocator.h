// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/caching_allocator.h"

#include <map>
#include <optional>
#include <vector>

namespace tidemark::test {

/// The caching allocator as plainly as it can be written: a list of segments, each a list of
/// pieces; every question is answered by looking at all of them.
class SlowAllocator {
public:
    SlowAllocator(allocator::Settings settings, allocator::Driver& driver,
                  std::optional<std::int64_t> limit);

    struct Piece {
        Address address = 0;
        std::int64_t size = 0;
        allocator::BlockUse use = allocator::BlockUse::free;
        std::int64_t free_since = 0;
        std::int64_t born = 0;
    };
    struct Segment {
        allocator::Home home;
        bool is_expandable = false;
        std::vector<Piece> pieces;
        std::int64_t born = 0;
    };

    /// Address of the block, or nothing.
    std::optional<Address> allocate(std::int64_t requested, std::uint64_t stream,
                                    trace::PoolId pool);
    void requestFree(Address block);
    void completeFree(Address block);
    void emptyCache();
    void releasePool(trace::PoolId pool);

    [[nodiscard]] bool isPending(Address block) const;
    [[nodiscard]] const std::vector<Segment>& segments() const
    {
        return m_segments;
    }
    [[nodiscard]] std::int64_t reserved() const;

private:
    struct At {
        std::size_t segment = 0;
        std::size_t piece = 0;
    };
    using Clock = std::pair<trace::PoolId, bool>;
    Piece& at(At place)
    {
        return m_segments[place.segment].pieces[place.piece];
    }
    [[nodiscard]] std::vector<At> freeOf(const allocator::Home& home) const;
    [[nodiscard]] std::int64_t growth(At place) const;
    [[nodiscard]] At locate(Address address) const;
    At join(At place);
    std::optional<At> find(const allocator::Home& home, std::int64_t size);
    std::optional<At> obtain(const allocator::Home& home, std::int64_t size);
    std::optional<At> obtainExpandable(const allocator::Home& home, std::int64_t size);
    std::optional<Address> roomFor(const allocator::Home& home, std::int64_t size);
    bool mapAt(Address address, std::int64_t size);
    void collect();
    bool releaseOversize(const allocator::Home& home, std::int64_t size);
    void releaseAll(trace::PoolId pool, bool is_small);
    void releaseWhole(Address address);
    void unmap(Address address);
    std::int64_t unitOf(const allocator::Home& home) const;

    allocator::Settings m_settings;
    allocator::Driver& m_driver;
    std::optional<std::int64_t> m_limit;
    std::vector<Segment> m_segments; ///< By address.
    std::map<Clock, std::int64_t> m_searches;
    bool m_is_limited = false;
    std::int64_t m_born = 0;
};

} // namespace tidemark::test
