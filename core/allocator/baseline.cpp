// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/baseline.h"

#include "core/allocator/player.h"
#include "core/allocator/recorded_driver.h"
#include "core/base/language.h"
#include "core/base/parallel.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <tuple>
#include <utility>

namespace tidemark::allocator {
namespace {

using Tile = std::tuple<Address, std::int64_t, BlockUse>;

BlockUse useOf(trace::BlockState state)
{
    switch (state) {
    case trace::BlockState::active_allocated:
        return BlockUse::allocated;
    case trace::BlockState::active_pending_free:
        return BlockUse::pending;
    case trace::BlockState::inactive:
        break;
    }
    return BlockUse::free;
}

/// Blocks, free ones too, by address.
std::vector<Tile> finalTiles(const trace::Device& device)
{
    std::vector<Tile> tiles;
    for (const trace::Block& block : device.blocks) {
        tiles.emplace_back(block.address, block.size.value, useOf(block.state));
    }
    std::ranges::sort(tiles);
    return tiles;
}

std::vector<Tile> tilesOf(const CachingAllocator& model)
{
    std::vector<Tile> tiles;
    for (const SegmentView& segment : model.layout()) {
        for (const BlockView& block : segment.blocks) {
            if (block.use != BlockUse::unmapped) {
                tiles.emplace_back(block.address, block.size.value, block.use);
            }
        }
    }
    return tiles;
}

class Comparison {
public:
    Comparison(const trace::Snapshot& snapshot, const trace::Device& device,
               const replay::DeviceReplay& replay, const replay::BlockSizes& sizes,
               const Settings& settings)
        : m_device(device)
        , m_replay(replay)
        , m_stream(requestsOf(snapshot, device, replay))
        , m_ranges(reservedRanges(replay.segments))
        , m_driver(device.events, m_ranges)
        , m_model((m_found.settings = settings), m_driver)
        , m_player(device.events, replay, m_model)
    {
        m_player.adopt(startLayout(replay, sizes, m_ranges));
        m_found.reserved_peak = m_model.reserved();
        m_sizes = sizes;
    }

    Result<Baseline> run(const StagePart& part)
    {
        const auto& operations = m_stream.operations;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            if (i % kStopCheckStride == 0 && !part.goesOn(i, operations.size())) {
                return Error{
                    ErrorCode::cancelled, say("The replay of the allocator was cancelled."), {}};
            }
            compare(operations[i]);
        }
        m_found.segments_checked = m_driver.checked();
        m_found.segments_equal = m_driver.equal();
        m_found.surplus_segments = m_driver.surplus();
        m_found.layout_equal = tilesOf(m_model) == finalTiles(m_device);
        if (m_found.agrees()) {
            m_sizes.contradictions = 0;
            m_found.sizes = std::move(m_sizes);
        }
        return std::move(m_found);
    }

private:
    void compare(const Operation& operation)
    {
        m_driver.begin(operation);
        const bool is_done = m_player.play(operation);
        bool is_equal = m_driver.finish();
        if (operation.step == Step::allocate) {
            is_equal = compareAddress(operation.allocation, is_done) && is_equal;
        } else if (operation.step == Step::failed_request) {
            is_equal = is_equal && !is_done;
        }
        // What a wait inside a request completed stands behind it.
        const bool is_in_order = m_last.isNone() || m_last <= operation.event;
        is_equal = (!is_in_order || compareReserved(operation)) && is_equal;
        m_last = is_in_order ? operation.event : m_last;
        if (!is_equal && !m_found.first_divergence) {
            m_found.first_divergence = operation.event;
        }
    }

    bool compareAddress(AllocationId a, bool is_placed)
    {
        const BlockId block = m_player.blockOf(a);
        const bool is_equal =
            is_placed && m_model.addressOf(block) == m_replay.allocations.address[a.index()];
        ++m_found.addresses_checked;
        m_found.addresses_equal += is_equal ? 1 : 0;
        if (is_placed) {
            m_sizes.lower[a.index()] = m_model.sizeOf(block);
            m_sizes.upper[a.index()] = m_model.sizeOf(block);
        }
        return is_equal;
    }

    /// The state behind the operation; a release is one operation and several events.
    bool compareReserved(const Operation& operation)
    {
        std::size_t state = StateId::after(operation.event).index();
        const auto& actions = m_device.events.action;
        if (operation.step == Step::empty_cache || operation.step == Step::release_pool) {
            while (state < actions.size()
                   && (actions[state] == trace::Action::segment_free
                       || actions[state] == trace::Action::segment_unmap)) {
                ++state;
            }
        }
        const std::int64_t gap = std::abs(m_model.reserved().value - m_replay.reserved[state]);
        m_found.reserved_peak = std::max(m_found.reserved_peak, m_model.reserved());
        m_found.reserved_gap = std::max(m_found.reserved_gap, Bytes{gap});
        ++m_found.states_checked;
        m_found.reserved_equal += gap == 0 ? 1 : 0;
        return gap == 0;
    }

    const trace::Device& m_device;
    const replay::DeviceReplay& m_replay;
    Baseline m_found;
    RequestStream m_stream;
    ReservedRanges m_ranges;
    RecordedDriver m_driver;
    CachingAllocator m_model;
    Player m_player;
    replay::BlockSizes m_sizes;
    EventId m_last; ///< Of the operations so far.
};

} // namespace

Result<Baseline> baseline(const trace::Snapshot& snapshot, std::size_t device,
                          const replay::DeviceReplay& replay, const replay::BlockSizes& sizes,
                          ProgressSink& progress, const std::stop_token& stop)
{
    const StagePart part{progress, stop, "replaying the allocator", device,
                         snapshot.devices.size()};
    const trace::Device& of = snapshot.devices[device];
    Settings settings = recordedSettings(snapshot.settings, of);
    Result<Baseline> best = Comparison(snapshot, of, replay, sizes, settings).run(part);
    for (const TieOrder order : {TieOrder::segment_age, TieOrder::block_age}) {
        if (!best.has_value() || best.value().addresses_equal == best.value().addresses_checked) {
            break;
        }
        settings.tie_order = order;
        Result<Baseline> other = Comparison(snapshot, of, replay, sizes, settings).run(part);
        if (!other.has_value() || other.value().addresses_equal > best.value().addresses_equal) {
            best = std::move(other);
        }
    }
    return best;
}

Result<Baselines> baselines(const trace::Snapshot& snapshot, const replay::Replay& replay,
                            const std::vector<replay::BlockSizes>& sizes, ProgressSink& progress,
                            const std::stop_token& stop)
{
    Baselines all(snapshot.devices.size());
    const std::thread::id caller = std::this_thread::get_id();
    forEachInParallel(all.size(), [&](std::size_t d) {
        if (snapshot.devices[d].kind == trace::DeviceKind::host) {
            return;
        }
        NoProgress silent;
        ProgressSink& sink = std::this_thread::get_id() == caller ? progress : silent;
        auto compared = baseline(snapshot, d, replay.devices[d], sizes[d], sink, stop);
        if (compared.has_value()) {
            all[d] = std::move(compared).value();
        }
    });
    if (stop.stop_requested()) {
        return Error{ErrorCode::cancelled, say("The replay of the allocator was cancelled."), {}};
    }
    return all;
}

} // namespace tidemark::allocator
