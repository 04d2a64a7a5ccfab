// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/simulate.h"

#include "core/allocator/player.h"

#include <algorithm>
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
    Run(const Trace& trace, const Conditions& conditions)
        : m_trace(trace)
        , m_driver(conditions.capacity)
        , m_model(conditions.settings, m_driver, limitOf(conditions))
        , m_player(trace.device().events, trace.replay(), m_model)
    {
        m_found.conditions = conditions;
        m_found.keeps_start =
            !conditions.starts_anew && layOutAlike(conditions.settings, trace.recorded());
    }

    Result<Simulation> run(const StagePart& part)
    {
        placeStart();
        note(EventId::none());
        const auto& operations = m_trace.requests().operations;
        for (std::size_t i = 0; i < operations.size() && m_found.is_complete; ++i) {
            if (i % kStopCheckStride == 0 && !part.goesOn(i, operations.size())) {
                return Error{ErrorCode::cancelled, "The simulation was cancelled.", {}};
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
            if (!m_player.requestAnew()) {
                fail(EventId::none());
            }
            return;
        }
        for (const StartSegment& segment : m_trace.start()) {
            Bytes mapped;
            for (const BlockView& block : segment.view.blocks) {
                mapped += block.use == BlockUse::unmapped ? Bytes{} : block.size;
            }
            m_driver.adopt({segment.view.address,
                            segment.view.address + static_cast<Address>(segment.view.size.value)},
                           mapped);
        }
        m_player.adopt(m_trace.start());
    }

    void play(const Operation& operation)
    {
        const bool is_done = m_player.play(operation);
        if (operation.step == Step::failed_request && is_done) {
            m_found.passed.push_back(operation.event);
        }
        if (!is_done && operation.step == Step::failed_request) {
            failAsRecorded(operation.event);
        } else if (!is_done) {
            fail(operation.event);
        }
        note(operation.event);
    }

    void failAsRecorded(EventId e)
    {
        if (!m_found.oom) {
            const Refusal& refusal = m_model.refusal();
            m_found.oom = {e, refusal.rounded, refusal.reserved, refusal.missing,
                           refusal.largest_free};
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
    CapacityDriver m_driver;
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

Result<Simulation> simulate(const Trace& trace, const Conditions& conditions, const StagePart& part)
{
    return Run(trace, conditions).run(part);
}

} // namespace tidemark::allocator
