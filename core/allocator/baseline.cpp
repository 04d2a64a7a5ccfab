// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/baseline.h"

#include "core/allocator/player.h"
#include "core/allocator/recorded_driver.h"
#include "core/base/column.h"
#include "core/base/language.h"
#include "core/base/parallel.h"

#include <algorithm>
#include <cstdlib>
#include <future>
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

/// What all comparisons of a device begin with.
struct Recorded {
    Recorded(const trace::Snapshot& snapshot, const trace::Device& of,
             const replay::DeviceReplay& replayed, const replay::BlockSizes& known)
        : device(of)
        , replay(replayed)
        , sizes(known)
        , stream(requestsOf(snapshot, of, replayed))
        , ranges(reservedRanges(replayed.segments))
        , start(startLayout(replayed, known, ranges))
    {
    }

    const trace::Device& device;
    const replay::DeviceReplay& replay;
    const replay::BlockSizes& sizes;
    RequestStream stream;
    ReservedRanges ranges;
    std::vector<StartSegment> start;
};

/// Said once: the model put an allocation elsewhere, or it put none elsewhere in all of the trace.
class FirstDifference {
public:
    [[nodiscard]] std::future<bool> future()
    {
        return m_promise.get_future();
    }
    void say(bool is_there)
    {
        if (!m_is_said) {
            m_is_said = true;
            m_promise.set_value(is_there);
        }
    }

private:
    std::promise<bool> m_promise;
    bool m_is_said = false;
};

class Comparison {
public:
    Comparison(const Recorded& recorded, const Settings& settings, FirstDifference* first)
        : m_recorded(recorded)
        , m_first(first)
        , m_driver(recorded.device.events, recorded.ranges)
        , m_model((m_found.settings = settings), m_driver)
        , m_player(recorded.device.events, recorded.replay, m_model)
    {
        m_player.adopt(recorded.start);
        m_found.reserved_peak = m_model.reserved();
        assignColumn(m_sizes, recorded.replay.allocations.count(), Bytes{});
    }

    Result<Baseline> run(const StagePart& part)
    {
        const auto& operations = m_recorded.stream.operations;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            if (i % kStopCheckStride == 0 && !part.goesOn(i, operations.size())) {
                return Error{
                    ErrorCode::cancelled, say("Simulating the allocator was cancelled."), {}};
            }
            compare(operations[i]);
        }
        m_found.segments_checked = m_driver.checked();
        m_found.segments_equal = m_driver.equal();
        m_found.surplus_segments = m_driver.surplus();
        m_found.layout_equal = tilesOf(m_model) == finalTiles(m_recorded.device);
        if (m_found.agrees()) {
            m_found.sizes = exactSizes();
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
        const bool is_equal = is_placed
            && m_model.addressOf(block) == m_recorded.replay.allocations.address[a.index()];
        ++m_found.addresses_checked;
        m_found.addresses_equal += is_equal ? 1 : 0;
        if (!is_equal) {
            m_sizes = {}; // It will not agree, so nobody asks for them.
            if (m_first != nullptr) {
                m_first->say(true);
            }
        } else if (!m_sizes.empty()) {
            m_sizes[a.index()] = m_model.sizeOf(block);
        }
        return is_equal;
    }

    [[nodiscard]] replay::BlockSizes exactSizes() const
    {
        replay::BlockSizes sizes = m_recorded.sizes;
        sizes.contradictions = 0;
        for (std::size_t i = 0; i < m_sizes.size(); ++i) {
            if (m_sizes[i] != Bytes{}) {
                sizes.lower[i] = m_sizes[i];
                sizes.upper[i] = m_sizes[i];
            }
        }
        return sizes;
    }

    /// The state behind the operation; a release is one operation and several events.
    bool compareReserved(const Operation& operation)
    {
        std::size_t state = StateId::after(operation.event).index();
        const auto& actions = m_recorded.device.events.action;
        if (operation.step == Step::empty_cache || operation.step == Step::release_pool) {
            while (state < actions.size()
                   && (actions[state] == trace::Action::segment_free
                       || actions[state] == trace::Action::segment_unmap)) {
                ++state;
            }
        }
        const std::int64_t gap =
            std::abs(m_model.reserved().value - m_recorded.replay.reserved[state]);
        m_found.reserved_peak = std::max(m_found.reserved_peak, m_model.reserved());
        m_found.reserved_gap = std::max(m_found.reserved_gap, Bytes{gap});
        ++m_found.states_checked;
        m_found.reserved_equal += gap == 0 ? 1 : 0;
        return gap == 0;
    }

    const Recorded& m_recorded;
    FirstDifference* m_first;
    Baseline m_found;
    RecordedDriver m_driver;
    CachingAllocator m_model;
    Player m_player;
    std::vector<Bytes> m_sizes; ///< By allocation, while all agree; 0: not asked for.
    EventId m_last; ///< Of the operations so far.
};

/// `found`, if it agrees better.
void takeBetter(Result<Baseline>& best, Result<Baseline> found)
{
    const bool is_better = !found.has_value()
        || (best.has_value() && found.value().addresses_equal > best.value().addresses_equal);
    if (is_better) {
        best = std::move(found);
    }
}

bool isAllEqual(const Result<Baseline>& found)
{
    return !found.has_value() || found.value().addresses_equal == found.value().addresses_checked;
}

} // namespace

Result<Baseline> baseline(const trace::Snapshot& snapshot, std::size_t device,
                          const replay::DeviceReplay& replay, const replay::BlockSizes& sizes,
                          ProgressSink& progress, const std::stop_token& stop)
{
    const std::size_t halves = 2 * snapshot.devices.size();
    const Recorded recorded(snapshot, snapshot.devices[device], replay, sizes);
    const auto compare = [&](TieOrder order, const StagePart& as, FirstDifference* first) {
        Settings settings = recordedSettings(snapshot.settings, recorded.device);
        settings.tie_order = order;
        return Comparison(recorded, settings, first).run(as);
    };
    // As soon as one order has failed, another is tried beside it; several devices are beside each
    // other already.
    const bool is_alone =
        std::ranges::count(snapshot.devices, trace::DeviceKind::gpu, &trace::Device::kind) == 1;
    std::future<std::optional<Result<Baseline>>> beside;
    FirstDifference first;
    beside = std::async(
        is_alone ? std::launch::async | std::launch::deferred : std::launch::deferred,
        [&, differs = first.future()]() mutable -> std::optional<Result<Baseline>> {
            if (!differs.get()) {
                return std::nullopt;
            }
            NoProgress silent;
            return compare(TieOrder::segment_age, {silent, stop, kBaselineStage}, nullptr);
        });
    Result<Baseline> best =
        compare(TieOrder::address, {progress, stop, kBaselineStage, 2 * device, halves}, &first);
    first.say(!isAllEqual(best));
    if (isAllEqual(best)) {
        return best;
    }
    Result<Baseline> third = compare(
        TieOrder::block_age, {progress, stop, kBaselineStage, 2 * device + 1, halves}, nullptr);
    takeBetter(best, *beside.get());
    takeBetter(best, std::move(third));
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
        return Error{ErrorCode::cancelled, say("Simulating the allocator was cancelled."), {}};
    }
    return all;
}

} // namespace tidemark::allocator
