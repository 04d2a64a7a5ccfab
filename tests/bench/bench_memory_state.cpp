// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/memory_state.h"
#include "core/trace/snapshot_builder.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <utility>
#include <vector>

using namespace tidemark;
using trace::Action;

namespace {

struct Trace {
    trace::Snapshot snapshot;
    replay::Replay replay;
    std::vector<replay::BlockSizes> sizes;
};

/// A training run: parameters that stay, then steps that allocate forwards and free backwards, with
/// some pages given back and obtained again after each. `live` blocks at the top of a step.
class Run {
public:
    Run(std::size_t events, std::size_t live)
    {
        m_builder.reserveEvents(0, events + 2 * live);
        obtain(groupsOf(live / 2) * kGroup * kSlot);
        for (std::size_t i = 0; i < live / 2; ++i) {
            allocate(i);
        }
        std::mt19937 random(1);
        while (m_builder.eventCount(0) < events) {
            const std::size_t count = 1 + random() % live;
            for (std::size_t i = live / 2; i < live / 2 + count && !isFull(events); ++i) {
                while (groupsOf(i + 1) * kGroup * kSlot > m_reserved) {
                    obtain(kPages);
                }
                allocate(i);
            }
            for (std::size_t i = m_live; i-- > live / 2 && !isFull(events);) {
                free(i);
            }
            if (groupsOf(m_live) * kGroup * kSlot + kPages <= m_reserved && !isFull(events)) {
                m_reserved -= kPages;
                event(Action::segment_unmap, kBase + m_reserved, kPages);
            }
        }
    }

    trace::Snapshot finish()
    {
        std::vector<Address> live;
        for (std::size_t i = 0; i < m_live; ++i) {
            live.push_back(placeOf(i));
        }
        std::ranges::sort(live);
        std::vector<trace::BlockRecord> blocks;
        Address at = kBase;
        const auto addFree = [&](Address until) {
            if (at < until) {
                blocks.push_back({at,
                                  {static_cast<std::int64_t>(until - at)},
                                  {},
                                  {},
                                  trace::BlockState::inactive,
                                  {}});
            }
        };
        for (const Address address : live) {
            addFree(address);
            blocks.push_back({address,
                              {kSlot / 2},
                              Bytes{kSlot / 2 - 100},
                              {},
                              trace::BlockState::active_allocated,
                              {}});
            at = address + kSlot / 2;
        }
        addFree(kBase + m_reserved);
        m_builder.addSegment(
            {0, kBase, {static_cast<std::int64_t>(m_reserved)}, 0, false, true, {}, {}}, blocks);
        return std::move(m_builder).finish().value();
    }

private:
    static constexpr Address kBase = 0x7f0000000000;
    static constexpr std::size_t kSlot = 2 << 20;
    static constexpr std::size_t kPages = 20 << 20;

    /// Slots are taken in an order that is not that of their addresses, a group after the other.
    static constexpr std::size_t kGroup = 1024;
    static std::size_t groupsOf(std::size_t slots)
    {
        return (slots + kGroup - 1) / kGroup;
    }
    static Address placeOf(std::size_t slot)
    {
        constexpr std::size_t kOdd = 389;
        return kBase + (slot / kGroup * kGroup + slot * kOdd % kGroup) * kSlot;
    }

    [[nodiscard]] bool isFull(std::size_t events)
    {
        return m_builder.eventCount(0) >= events;
    }
    void obtain(std::size_t bytes)
    {
        event(Action::segment_map, kBase + m_reserved, bytes);
        m_reserved += bytes;
    }
    void allocate(std::size_t slot)
    {
        event(Action::alloc, placeOf(slot), kSlot / 2 - 100);
        m_live = slot + 1;
    }
    void free(std::size_t slot)
    {
        event(Action::free_requested, placeOf(slot), kSlot / 2 - 100);
        event(Action::free_completed, placeOf(slot), kSlot / 2 - 100);
        m_live = slot;
    }
    void event(Action action, Address address, std::size_t size)
    {
        trace::EventRecord e;
        e.action = action;
        e.address = address;
        e.size = {static_cast<std::int64_t>(size)};
        m_builder.addEvent(0, e);
    }

    trace::SnapshotBuilder m_builder;
    std::size_t m_reserved = 0;
    std::size_t m_live = 0; ///< Slots below this are taken.
};

const Trace& traceOf(std::size_t events, std::size_t live)
{
    // One at a time: the largest takes a gigabyte.
    static std::pair<std::size_t, std::size_t> key;
    static std::unique_ptr<Trace> made;
    if (made == nullptr || key != std::pair(events, live)) {
        made.reset();
        made = std::make_unique<Trace>();
        key = {events, live};
        made->snapshot = Run(events, live).finish();
        NoProgress progress;
        made->replay = replay::run(made->snapshot, progress, {}).value();
        made->sizes = replay::blockSizeBounds(made->snapshot, made->replay);
    }
    return *made;
}

/// The state at random events; "worst" is the slowest of all, milliseconds.
void memoryState(benchmark::State& state)
{
    const Trace& trace =
        traceOf(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
    const replay::DeviceReplay& device = trace.replay.devices[0];
    std::mt19937 random(2);
    double worst = 0;
    std::int64_t blocks = 0;
    for ([[maybe_unused]] auto _ : state) {
        const StateId at{static_cast<std::uint32_t>(random() % device.stateCount())};
        const auto begin = std::chrono::steady_clock::now();
        const replay::MemoryState memory = replay::memoryStateAt(device, trace.sizes[0], at);
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - begin;
        worst = std::max(worst, took.count());
        blocks += static_cast<std::int64_t>(memory.blocks.size());
        benchmark::DoNotOptimize(memory);
    }
    state.counters["worst_ms"] = worst;
    state.counters["blocks"] =
        benchmark::Counter(static_cast<double>(blocks), benchmark::Counter::kAvgIterations);
    state.counters["ranges"] = static_cast<double>(device.segments.count());
}

/// The ranges alone, which every opened file pays for.
void segmentSpans(benchmark::State& state)
{
    const Trace& trace =
        traceOf(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
    for ([[maybe_unused]] auto _ : state) {
        trace::InputNotes notes;
        std::int64_t violations = 0;
        benchmark::DoNotOptimize(
            replay::buildSegmentSpans(trace.snapshot.devices[0], notes, violations, {}));
    }
}

/// Fragmentation over 256 states.
void fragmentation(benchmark::State& state)
{
    const Trace& trace =
        traceOf(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
    const replay::DeviceReplay& device = trace.replay.devices[0];
    std::vector<StateId> states;
    for (std::size_t i = 0; i < 256; ++i) {
        states.push_back({static_cast<std::uint32_t>(i * (device.stateCount() - 1) / 255)});
    }
    NoProgress progress;
    for ([[maybe_unused]] auto _ : state) {
        benchmark::DoNotOptimize(
            replay::fragmentationOver(device, trace.sizes[0], states, progress, {}));
    }
}

void sizes(benchmark::internal::Benchmark* of, const std::vector<std::int64_t>& events)
{
    of->Unit(benchmark::kMillisecond);
    for (const std::int64_t count : events) {
        for (const std::int64_t live : {5'000, 50'000}) {
            of->Args({count, live});
        }
    }
}

} // namespace

BENCHMARK(memoryState)->Apply([](auto* b) { sizes(b, {100'000, 1'000'000, 10'000'000}); });
BENCHMARK(segmentSpans)->Apply([](auto* b) { sizes(b, {10'000'000}); }) -> Iterations(3);
BENCHMARK(fragmentation)->Apply([](auto* b) { sizes(b, {10'000'000}); }) -> Iterations(1);
