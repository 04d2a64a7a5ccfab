// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/export/formats.h"
#include "core/export/live_stacks.h"
#include "core/label/stacks/code_lines.h"
#include "core/report/selection.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include <queue>

#include <algorithm>
#include <array>
#include <ostream>
#include <unordered_map>

namespace tidemark::exports {
namespace {

// Numbers of fields: protos/perfetto/trace in github.com/google/perfetto, v51.
namespace packet {
enum Field : protozero::pbf_tag_type {
    of_trace = 1,
    clock_snapshot = 6,
    timestamp = 8,
    sequence = 10,
    track_event = 11,
    sequence_flags = 13,
    track_descriptor = 60,
};
} // namespace packet
namespace track {
enum Field : protozero::pbf_tag_type { uuid = 1, name = 2, parent = 5, counter = 8 };
} // namespace track
namespace event {
enum Field : protozero::pbf_tag_type {
    annotation = 4,
    type = 9,
    track = 11,
    name = 23,
    counter_value = 30,
};
enum Type : std::int32_t { slice_begin = 1, slice_end = 2, instant = 3, counter = 4 };
} // namespace event

constexpr std::uint32_t kSequence = 1;
constexpr std::int32_t kBytesUnit = 3; // CounterDescriptor.UNIT_SIZE_BYTES
constexpr std::uint64_t kUuids = 0x7469'6465'0000'0000; // Of no other writer's tracks.

/// What is said of a slice beside its name.
struct SliceFact {
    const char* name;
    std::string text;
    std::int64_t number = 0; ///< Where the text is empty.
};

class TraceWriter {
public:
    TraceWriter(std::ostream& out, std::int64_t base_time_ns)
        : m_out(out)
        , m_base(base_time_ns)
    {
    }

    /// That the trace's clock shows `time_us`, less the base, when it was that time of day.
    void clocks(std::int64_t time_us)
    {
        constexpr std::uint32_t kRealTime = 1;
        constexpr std::uint32_t kBootTime = 6;
        begin(time_us, [&](protozero::pbf_writer& p) {
            protozero::pbf_writer clocks(p, packet::clock_snapshot);
            for (const auto& [id, at] :
                 {std::pair(kBootTime, nanoseconds(time_us)),
                  std::pair(kRealTime, static_cast<std::uint64_t>(time_us) * 1000)}) {
                protozero::pbf_writer clock(clocks, 1);
                clock.add_uint32(1, id);
                clock.add_uint64(2, at);
            }
        });
    }

    std::uint64_t addTrack(const std::string& name, std::uint64_t parent, bool is_counter = false)
    {
        const std::uint64_t id = kUuids + ++m_tracks;
        begin(std::nullopt, [&](protozero::pbf_writer& p) {
            protozero::pbf_writer descriptor(p, packet::track_descriptor);
            descriptor.add_uint64(track::uuid, id);
            descriptor.add_string(track::name, name);
            if (parent != 0) {
                descriptor.add_uint64(track::parent, parent);
            }
            if (is_counter) {
                protozero::pbf_writer counter(descriptor, track::counter);
                counter.add_enum(3, kBytesUnit);
            }
        });
        return id;
    }

    void count(std::uint64_t track, std::int64_t time_us, std::int64_t value)
    {
        addEvent(track, time_us, event::counter,
                 [&](protozero::pbf_writer& e) { e.add_int64(event::counter_value, value); });
    }

    void beginSlice(std::uint64_t track, std::int64_t time_us, const std::string& name,
                    const std::vector<SliceFact>& facts = {})
    {
        addNamed(track, time_us, event::slice_begin, name, facts);
    }
    void endSlice(std::uint64_t track, std::int64_t time_us)
    {
        addEvent(track, time_us, event::slice_end, [](protozero::pbf_writer&) {});
    }
    void instant(std::uint64_t track, std::int64_t time_us, const std::string& name,
                 const std::vector<SliceFact>& facts)
    {
        addNamed(track, time_us, event::instant, name, facts);
    }

private:
    [[nodiscard]] std::uint64_t nanoseconds(std::int64_t time_us) const
    {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(0, time_us * 1000 - m_base));
    }

    template <class Fill>
    void begin(std::optional<std::int64_t> time_us, Fill fill)
    {
        m_bytes.clear();
        {
            protozero::pbf_writer trace(m_bytes);
            protozero::pbf_writer p(trace, packet::of_trace);
            if (time_us) {
                p.add_uint64(packet::timestamp, nanoseconds(*time_us));
            }
            p.add_uint32(packet::sequence, kSequence);
            if (m_is_first) {
                p.add_uint32(packet::sequence_flags, 1); // SEQ_INCREMENTAL_STATE_CLEARED
                m_is_first = false;
            }
            fill(p);
        }
        m_out.write(m_bytes.data(), static_cast<std::streamsize>(m_bytes.size()));
    }

    template <class Fill>
    void addEvent(std::uint64_t track, std::int64_t time_us, event::Type type, Fill fill)
    {
        begin(time_us, [&](protozero::pbf_writer& p) {
            protozero::pbf_writer e(p, packet::track_event);
            e.add_enum(event::type, type);
            e.add_uint64(event::track, track);
            fill(e);
        });
    }

    void addNamed(std::uint64_t track, std::int64_t time_us, event::Type type,
                  const std::string& name, const std::vector<SliceFact>& facts)
    {
        addEvent(track, time_us, type, [&](protozero::pbf_writer& e) {
            e.add_string(event::name, name);
            for (const SliceFact& fact : facts) {
                protozero::pbf_writer annotation(e, event::annotation);
                annotation.add_string(10, fact.name);
                if (fact.text.empty()) {
                    annotation.add_int64(4, fact.number);
                } else {
                    annotation.add_string(6, fact.text);
                }
            }
        });
    }

    std::ostream& m_out;
    std::int64_t m_base = 0;
    std::string m_bytes;
    std::uint64_t m_tracks = 0;
    bool m_is_first = true;
};

/// One device: every state in order, and at each state ends before beginnings, so that slices of a
/// track never overlap.
class DeviceTrace {
public:
    DeviceTrace(TraceWriter& trace, const Source& source, const Part& part,
                const label::LineFinder& finder)
        : m_trace(trace)
        , m_source(source)
        , m_part(part)
        , m_snapshot(*source.analysis.snapshot)
        , m_replay(source.analysis.replay->devices[part.device])
        , m_labels(source.analysis.labels->devices[part.device])
        , m_times(timesOf(source.analysis, part.device))
        , m_finder(finder)
    {
    }

    void write()
    {
        const trace::Device& device = m_snapshot.devices[m_part.device];
        m_trace.clocks(m_times[m_part.states.begin.index()]);
        m_group = m_trace.addTrack(
            report::deviceKey(device)
                + (hiddenNames(m_source).empty() ? " memory" : " memory, names replaced"),
            0);
        m_allocated = m_trace.addTrack("allocated", m_group, true);
        m_reserved = m_trace.addTrack("reserved", m_group, true);
        m_phase_track = m_trace.addTrack("phases", m_group);
        m_step_track = m_trace.addTrack("steps", m_group);
        m_oom_track = m_trace.addTrack("OOM", m_group);
        m_bytes = m_source.analysis.curves->devices[m_part.device].at(m_part.states.begin);
        for (const label::BucketInfo& info : label::kBuckets) {
            if (m_source.analysis.curves->devices[m_part.device].largestOf(info.bucket) > 0) {
                m_buckets[label::indexOf(info.bucket)] =
                    m_trace.addTrack(std::string(info.id), m_group, true);
            }
        }
        beginAllocationsAtStart();
        for (std::uint32_t s = m_part.states.begin.value; s < m_part.states.end.value; ++s) {
            writeState({s});
        }
        endAll();
    }

private:
    [[nodiscard]] std::int64_t timeAt(StateId state) const
    {
        return m_times[state.index()];
    }

    void writeState(StateId state)
    {
        const bool is_first = state == m_part.states.begin;
        const std::int64_t now = timeAt(state);
        if (!is_first) {
            allocationChanges(state, now);
        }
        writeSpans(state, now);
        const std::int64_t active = m_replay.activeAt(state).value;
        const std::int64_t reserved = m_replay.reservedAt(state).value;
        if (is_first || active != m_last_active) {
            m_trace.count(m_allocated, now, active);
        }
        if (is_first || reserved != m_last_reserved) {
            m_trace.count(m_reserved, now, reserved);
        }
        m_last_active = active;
        m_last_reserved = reserved;
        const label::BucketBytes bytes = is_first
            ? m_bytes
            : m_source.analysis.curves->devices[m_part.device].at(state, m_before, m_bytes);
        for (std::size_t b = 0; b < bytes.size(); ++b) {
            if (m_buckets[b] != 0 && (is_first || bytes[b] != m_bytes[b])) {
                m_trace.count(m_buckets[b], now, bytes[b]);
            }
        }
        m_bytes = bytes;
        m_before = state;
        if (state != m_part.last()) {
            writeOom(EventId(state.value), now);
        }
    }

    void writeOom(EventId next, std::int64_t now)
    {
        const trace::Events& events = m_snapshot.devices[m_part.device].events;
        if (events.action[next.index()] != trace::Action::oom) {
            return;
        }
        std::vector<SliceFact> facts{{"requested_bytes", {}, events.size[next.index()].value},
                                     {"event", {}, static_cast<std::int64_t>(next.value)}};
        if (const auto free = events.deviceFree(next)) {
            facts.push_back({"device_free_bytes", {}, free->value});
        }
        m_trace.instant(m_oom_track, std::max(now, m_times[next.index() + 1]), "OOM", facts);
    }

    // Phases and steps begin with an event, so in the state before it.
    void writeSpans(StateId state, std::int64_t now)
    {
        while (m_step < m_labels.steps.size()
               && m_labels.steps[m_step].last_event.value < state.value) {
            endOpen(m_step_open, m_step_track, now);
            ++m_step;
        }
        if (state == m_part.last()) {
            return;
        }
        if (!m_step_open && m_step < m_labels.steps.size()
            && m_labels.steps[m_step].first_event.value <= state.value) {
            m_trace.beginSlice(m_step_track, nextTime(state), fmt::format("step {}", m_step + 1));
            m_step_open = true;
        }
        const label::PhaseSpan* const span = m_labels.phaseAt(EventId(state.value));
        if (span != m_span && span != nullptr) {
            endOpen(m_phase_open, m_phase_track, nextTime(state));
            m_trace.beginSlice(m_phase_track, nextTime(state),
                               std::string(label::phaseId(span->phase)),
                               {{"step", {}, static_cast<std::int64_t>(span->step)}});
            m_phase_open = true;
            m_span = span;
        }
    }

    [[nodiscard]] std::int64_t nextTime(StateId state) const
    {
        return m_times[std::min(state.index() + 1, m_times.size() - 1)];
    }

    void endOpen(bool& is_open, std::uint64_t track, std::int64_t now)
    {
        if (is_open) {
            m_trace.endSlice(track, now);
            is_open = false;
        }
    }

    void beginAllocationsAtStart()
    {
        for (const AllocationId a : replay::livingAt(m_replay, m_part.states.begin)) {
            beginAllocation(a, timeAt(m_part.states.begin));
        }
        m_next_allocation = 0;
        const auto& begins = m_replay.allocations.begin;
        while (m_next_allocation < begins.size()
               && begins[m_next_allocation] <= m_part.states.begin) {
            ++m_next_allocation;
        }
    }

    void allocationChanges(StateId state, std::int64_t now)
    {
        while (!m_ends.empty() && m_ends.top().first <= state.value) {
            const std::size_t lane = m_ends.top().second;
            m_ends.pop();
            m_trace.endSlice(m_lanes[lane], now);
            m_free_lanes.push(lane);
        }
        const auto& allocations = m_replay.allocations;
        for (; m_next_allocation < allocations.count()
             && allocations.begin[m_next_allocation] <= state;
             ++m_next_allocation) {
            if (allocations.end[m_next_allocation] > state) {
                beginAllocation(AllocationId(m_next_allocation), now);
            }
        }
    }

    void beginAllocation(AllocationId a, std::int64_t now)
    {
        const auto& allocations = m_replay.allocations;
        if (allocations.requested[a.index()] < m_source.wanted.least) {
            return;
        }
        std::size_t lane = m_lanes.size();
        if (!m_free_lanes.empty()) {
            lane = m_free_lanes.top();
            m_free_lanes.pop();
        } else {
            if (m_allocations_track == 0) {
                m_allocations_track = m_trace.addTrack("large allocations", m_group);
            }
            m_lanes.push_back(
                m_trace.addTrack(fmt::format("lane {}", lane + 1), m_allocations_track));
        }
        const StackId stack = allocations.stack[a.index()];
        const label::Bucket bucket = m_labels.bucket[a.index()];
        const std::string place =
            report::visibleText(label::linesText(m_snapshot, m_finder.of(m_snapshot, stack)));
        m_trace.beginSlice(m_lanes[lane], now,
                           place.empty() ? std::string(label::bucketId(bucket)) : place,
                           {{"bytes", {}, allocations.requested[a.index()].value},
                            {"bucket", std::string(label::bucketId(bucket)), 0},
                            {"address", fmt::format("{:#x}", allocations.address[a.index()]), 0},
                            {"allocation", {}, static_cast<std::int64_t>(a.value)}});
        m_ends.emplace(allocations.end[a.index()].value, lane);
    }

    void endAll()
    {
        const std::int64_t now = timeAt(m_part.last());
        for (; !m_ends.empty(); m_ends.pop()) {
            m_trace.endSlice(m_lanes[m_ends.top().second], now);
        }
        endOpen(m_step_open, m_step_track, now);
        endOpen(m_phase_open, m_phase_track, now);
    }

    using Ends = std::pair<std::uint32_t, std::size_t>; ///< State and lane.

    TraceWriter& m_trace;
    const Source& m_source;
    const Part& m_part;
    const trace::Snapshot& m_snapshot;
    const replay::DeviceReplay& m_replay;
    const label::DeviceLabels& m_labels;
    std::vector<std::int64_t> m_times;
    const label::LineFinder& m_finder;
    std::uint64_t m_group = 0;
    std::uint64_t m_allocated = 0;
    std::uint64_t m_reserved = 0;
    std::uint64_t m_phase_track = 0;
    std::uint64_t m_step_track = 0;
    std::uint64_t m_oom_track = 0;
    std::uint64_t m_allocations_track = 0;
    std::array<std::uint64_t, label::kBucketCount> m_buckets{};
    label::BucketBytes m_bytes{};
    StateId m_before;
    std::int64_t m_last_active = 0;
    std::int64_t m_last_reserved = 0;
    std::size_t m_step = 0;
    bool m_step_open = false;
    bool m_phase_open = false;
    const label::PhaseSpan* m_span = nullptr;
    std::size_t m_next_allocation = 0;
    std::vector<std::uint64_t> m_lanes;
    std::priority_queue<Ends, std::vector<Ends>, std::greater<>> m_ends;
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> m_free_lanes;
};

} // namespace

void writePerfetto(std::ostream& out, const Source& source)
{
    TraceWriter trace(out, source.wanted.base_time_ns);
    const label::LineFinder finder(*source.analysis.snapshot);
    for (const Part& part : source.parts) {
        DeviceTrace(trace, source, part, finder).write();
    }
}

} // namespace tidemark::exports
