// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/caching_allocator.h"
#include "core/allocator/request_stream.h"
#include "core/allocator/start_layout.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace tidemark::allocator {

/// Under which conditions the requests are played again.
struct Conditions {
    Settings settings;
    /// What the driver can give this process; nothing: as much as is asked for.
    std::optional<Bytes> capacity;
    /// What lived at the start is requested anew even where the settings lay memory out as
    /// recorded: then the outcomes of several settings begin alike.
    bool starts_anew = false;
    /// How many points of the curve are kept; 0: none.
    std::size_t points = 0;
    /// One block of so many bytes is made before everything else and freed at once, so that later
    /// ones are split from it; 0: none. What lived at the start is requested anew then.
    Bytes preallocated{};
};

/// A request that finds no memory.
struct Shortage {
    EventId event; ///< That asked; none: while what lived at the start was placed.
    Bytes rounded;
    Bytes reserved; ///< After all cached memory was given back.
    Bytes missing; ///< What the driver would have had to give on top.
    Bytes largest_free; ///< In the default pools.
    Bytes cached; ///< Reserved − active.

    /// The capacity with which the request would have been met.
    [[nodiscard]] Bytes needed() const
    {
        return reserved + missing;
    }
};

/// A request that failed when recorded and finds memory here.
struct PassedRequest {
    EventId event;
    /// Reserved with it once everything cached that can go is given back: less does not do.
    Bytes held;
};

/// The point with the largest reserved bytes of its stretch of the trace.
struct CurvePoint {
    StateId state;
    Bytes reserved;
    Bytes active; ///< Block sizes.
    Bytes largest_free;
};

/// What the requests of a trace come to under some conditions.
struct Simulation {
    Conditions conditions;
    /// The layout at the start is the recorded one; else what lived then was requested anew, in the
    /// order of the addresses, since other settings had placed it elsewhere.
    bool keeps_start = false;
    Bytes reserved_peak;
    StateId reserved_peak_state;
    Bytes cached_at_peak; ///< Reserved − active there: where so much was reserved first.
    Bytes cached_at_fullest; ///< The least wherever so much was reserved.
    Bytes cached_peak; ///< The most that was reserved and not active.
    std::optional<Shortage> oom; ///< The first request without memory.
    /// False: it ran out where the recorded run did not, so what follows is not known and left out.
    bool is_complete = true;
    std::vector<PassedRequest> passed;
    Bytes largest_free; ///< At the first shortage, else at the end of the trace.
    Counts counts;
    std::vector<CurvePoint> curve;

    /// Reserved − active where memory was shortest: at the first shortage, else the least at the
    /// peak of reserved.
    [[nodiscard]] Bytes cached() const
    {
        return oom ? oom->cached : cached_at_fullest;
    }
    [[nodiscard]] bool fits() const
    {
        return !oom.has_value();
    }
};

/// One device's trace, ready to be played as often as needed. What it refers to outlives it.
class Trace {
public:
    /// `recorded`: the settings of the recorded run. O(events).
    Trace(const trace::Snapshot& snapshot, const trace::Device& device,
          const replay::DeviceReplay& replay, const replay::BlockSizes& sizes, Settings recorded);

    [[nodiscard]] const trace::Device& device() const
    {
        return m_device;
    }
    [[nodiscard]] const replay::DeviceReplay& replay() const
    {
        return m_replay;
    }
    [[nodiscard]] const RequestStream& requests() const
    {
        return m_requests;
    }
    [[nodiscard]] const Settings& recorded() const
    {
        return m_recorded;
    }
    /// The stream that asks for the most bytes. O(allocations).
    [[nodiscard]] std::uint64_t busiestStream() const;
    /// Empty: nothing was reserved when the trace began.
    [[nodiscard]] const std::vector<StartSegment>& start() const
    {
        return m_start;
    }

private:
    const trace::Device& m_device;
    const replay::DeviceReplay& m_replay;
    RequestStream m_requests;
    Settings m_recorded;
    std::vector<StartSegment> m_start;
};

/// Plays the trace. A memory fraction is taken of the capacity; without one it limits nothing. Ends
/// where a request that was met when recorded finds no memory. May run on several threads at once.
/// O(events · log blocks). Errors: cancelled.
Result<Simulation> simulate(const Trace& trace, const Conditions& conditions,
                            const StagePart& part);

} // namespace tidemark::allocator
