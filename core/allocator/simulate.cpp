// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/simulate.h"

#include "core/allocator/layout_recorder.h"
#include "core/allocator/player.h"
#include "core/base/language.h"
#include "core/replay/changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tidemark::allocator {
namespace {

/// Whether both lay out memory alike as long as there is enough.
bool layOutAlike(Settings a, const Settings& b)
{
    a.gc_threshold = b.gc_threshold;
    a.memory_fraction = b.memory_fraction;
    a.throws_on_refusal = b.throws_on_refusal;
    return placeAlike(a, b);
}

std::optional<Bytes> limitOf(const Conditions& conditions)
{
    if (!conditions.capacity || conditions.settings.memory_fraction >= 1) {
        return std::nullopt;
    }
    const double bytes =
        conditions.settings.memory_fraction * static_cast<double>(conditions.capacity->value);
    return Bytes{static_cast<std::int64_t>(bytes)};
}

class Run {
public:
    /// `recorder`: of the places, or null.
    Run(const Trace& trace, const Conditions& conditions, LayoutRecorder* recorder)
        : m_trace(trace)
        , m_recorder(recorder)
        , m_driver(conditions.capacity, recorder)
        , m_model(conditions.settings, m_driver, limitOf(conditions))
        , m_player(trace.device().events, trace.replay(), m_model)
    {
        m_found.conditions = conditions;
        m_found.keeps_start = !conditions.starts_anew && conditions.preallocated == Bytes{}
            && layOutAlike(conditions.settings, trace.recorded());
    }

    Result<Simulation> run(const StagePart& part)
    {
        placeStart();
        note(EventId::none());
        recordStart();
        const auto& operations = m_trace.requests().operations;
        for (std::size_t i = 0; i < operations.size() && m_found.is_complete; ++i) {
            if (i % kStopCheckStride == 0 && !part.goesOn(i, operations.size())) {
                return Error{ErrorCode::cancelled, say("The simulation was cancelled."), {}};
            }
            play(operations[i]);
            sample(i, operations.size());
        }
        if (!m_found.oom) {
            m_found.largest_free = m_model.largestFree();
        }
        m_found.counts = m_model.counts();
        return std::move(m_found);
    }

private:
    void placeStart()
    {
        if (!m_found.keeps_start) {
            if (!preallocate() || !m_player.requestAnew()) {
                fail(EventId::none());
            }
            return;
        }
        for (const StartSegment& segment : m_trace.start()) {
            m_driver.adopt(segment.view);
        }
        m_player.adopt(m_trace.start());
    }

    bool preallocate()
    {
        const Bytes size = m_found.conditions.preallocated;
        if (size == Bytes{}) {
            return true;
        }
        const BlockId block = m_model.allocate({size, m_trace.busiestStream(), {}, false});
        if (block.isNone()) {
            return false;
        }
        m_model.completeFree(block);
        return true;
    }

    void recordStart()
    {
        if (m_recorder == nullptr) {
            return;
        }
        const std::size_t count = replay::countAtStart(m_trace.replay().allocations);
        for (std::size_t i = 0; i < count; ++i) {
            recordPlace(AllocationId(i));
        }
        m_recorder->reserved(m_model.reserved());
    }

    void recordPlace(AllocationId a)
    {
        const BlockId block = m_player.blockOf(a);
        if (!block.isNone()) {
            m_recorder->placed(a, m_model.addressOf(block), m_model.sizeOf(block));
        }
    }

    void play(const Operation& operation)
    {
        if (m_recorder == nullptr) {
            playOne(operation);
            return;
        }
        m_recorder->enter(StateId::after(operation.event));
        playOne(operation);
        if (operation.step == Step::allocate) {
            recordPlace(operation.allocation);
        }
        m_recorder->reserved(m_model.reserved());
    }

    void playOne(const Operation& operation)
    {
        const bool is_done = m_player.play(operation);
        if (operation.step == Step::failed_request && is_done) {
            m_found.passed.push_back({operation.event, m_player.heldWithFailed()});
        }
        if (!is_done && operation.step == Step::failed_request) {
            failAsRecorded(operation.event);
        } else if (!is_done) {
            fail(operation.event);
        }
        note(operation.event);
    }

    /// Of a card of which only a fraction may be used, more would have to be there.
    [[nodiscard]] Bytes missingOf(const Refusal& refusal) const
    {
        const Conditions& c = m_found.conditions;
        const double fraction = c.settings.memory_fraction;
        if (!c.capacity || fraction <= 0 || fraction >= 1) {
            return refusal.missing;
        }
        const auto allowed = static_cast<double>((refusal.reserved + refusal.missing).value);
        const Bytes needed{static_cast<std::int64_t>(std::ceil(allowed / fraction))};
        return std::max(refusal.missing, needed - refusal.reserved);
    }

    void failAsRecorded(EventId e)
    {
        if (!m_found.oom) {
            const Refusal& refusal = m_model.refusal();
            m_found.oom = {e,
                           refusal.rounded,
                           refusal.reserved,
                           missingOf(refusal),
                           refusal.largest_free,
                           refusal.reserved - m_model.active()};
            m_found.largest_free = refusal.largest_free;
        }
    }

    void fail(EventId e)
    {
        failAsRecorded(e);
        m_found.is_complete = false;
    }

    void note(EventId e)
    {
        const Bytes reserved{m_model.reserved()};
        const Bytes cached = reserved - m_model.active();
        if (reserved > m_found.reserved_peak) {
            m_found.reserved_peak = reserved;
            m_found.reserved_peak_state = e.isNone() ? StateId::start() : StateId::after(e);
            m_found.cached_at_peak = cached;
            m_found.cached_at_fullest = cached;
        } else if (reserved == m_found.reserved_peak) {
            m_found.cached_at_fullest = std::min(m_found.cached_at_fullest, cached);
        }
        m_found.cached_peak = std::max(m_found.cached_peak, cached);
        m_state = e.isNone() ? StateId::start() : StateId::after(e);
    }

    /// Keeps the point of operation `i` if its stretch has none with more reserved bytes.
    void sample(std::size_t i, std::size_t count)
    {
        const std::size_t points = m_found.conditions.points;
        if (points == 0) {
            return;
        }
        const std::size_t stretch = i * points / count;
        const Bytes reserved = m_model.reserved();
        const bool is_new = m_found.curve.empty() || stretch != m_stretch;
        if (is_new || reserved > m_found.curve.back().reserved) {
            if (is_new) {
                m_found.curve.emplace_back();
            }
            m_found.curve.back() = {m_state, reserved, m_model.active(), m_model.largestFree()};
        }
        m_stretch = stretch;
    }

    const Trace& m_trace;
    LayoutRecorder* m_recorder;
    SimulatedDriver m_driver;
    CachingAllocator m_model;
    Player m_player;
    Simulation m_found;
    StateId m_state; ///< Behind the last operation.
    std::size_t m_stretch = 0;
};

} // namespace

Trace::Trace(const trace::Snapshot& snapshot, const trace::Device& device,
             const replay::DeviceReplay& replay, const replay::BlockSizes& sizes, Settings recorded)
    : m_device(device)
    , m_replay(replay)
    , m_requests(requestsOf(snapshot, device, replay))
    , m_recorded(std::move(recorded))
    , m_start(startLayout(replay, sizes, reservedRanges(replay.segments)))
{
}

std::uint64_t Trace::busiestStream() const
{
    std::map<std::uint64_t, std::int64_t> bytes;
    const replay::Allocations& all = m_replay.allocations;
    for (std::size_t i = 0; i < all.count(); ++i) {
        bytes[all.stream[i]] += all.requested[i].value;
    }
    const auto most =
        std::ranges::max_element(bytes, {}, [](const auto& of_stream) { return of_stream.second; });
    return most == bytes.end() ? 0 : most->first;
}

Result<Simulation> simulate(const Trace& trace, const Conditions& conditions, const StagePart& part)
{
    return Run(trace, conditions, nullptr).run(part);
}

Result<SimulatedLayout> simulateLayout(const Trace& trace, const Conditions& conditions,
                                       const StagePart& part)
{
    LayoutRecorder recorder(trace.replay());
    Result<Simulation> simulation = Run(trace, conditions, &recorder).run(part);
    if (!simulation.has_value()) {
        return simulation.error();
    }
    return std::move(recorder).finish(std::move(simulation).value());
}

} // namespace tidemark::allocator
