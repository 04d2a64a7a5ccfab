// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/export/formats.h"
#include "core/export/snapshot_writer.h"
#include "core/replay/memory_state.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::exports {
namespace {

/// A snapshot as torch.cuda.memory._snapshot() returns it (2.12), of parts of a trace.
class CutWriter {
public:
    CutWriter(ValueSink& sink, const Source& source)
        : m_sink(sink)
        , m_source(source)
        , m_snapshot(*source.analysis.snapshot)
    {
    }

    void write()
    {
        m_sink.beginDict();
        m_sink.key("segments");
        writeSegments(trace::DeviceKind::gpu);
        m_sink.key("device_traces");
        writeTraces();
        if (hasHost()) {
            m_sink.key("host_segments");
            writeSegments(trace::DeviceKind::host);
            m_sink.key("host_traces");
            writeHostTrace();
        }
        m_sink.key("allocator_settings");
        writeSettings();
        m_sink.key("external_annotations");
        writeAnnotations();
        if (const std::string hidden = hiddenNames(m_source); !hidden.empty()) {
            text("redacted", hidden);
        }
        m_sink.endDict();
    }

private:
    [[nodiscard]] const trace::Device& deviceOf(const Part& part) const
    {
        return m_snapshot.devices[part.device];
    }
    [[nodiscard]] bool isOf(const Part& part, trace::DeviceKind kind) const
    {
        return deviceOf(part).kind == kind;
    }
    [[nodiscard]] bool hasHost() const
    {
        return std::ranges::any_of(
            m_source.parts, [&](const Part& part) { return isOf(part, trace::DeviceKind::host); });
    }

    void number(std::string_view key, std::int64_t value)
    {
        m_sink.key(key);
        m_sink.number(value);
    }
    void address(std::string_view key, std::uint64_t value)
    {
        m_sink.key(key);
        m_sink.address(value);
    }
    void text(std::string_view key, std::string_view value)
    {
        m_sink.key(key);
        m_sink.text(value);
    }
    void textIfAny(std::string_view key, StringId value)
    {
        if (!value.isNone()) {
            text(key, m_snapshot.text(value));
        }
    }
    void pool(std::string_view key, const trace::PoolId& pool)
    {
        m_sink.key(key);
        m_sink.beginList();
        m_sink.address(pool.graph);
        m_sink.address(pool.user);
        m_sink.endList();
    }

    /// A list that those with the same stack share.
    void frames(StackId stack)
    {
        if (stack.isNone()) {
            return;
        }
        m_sink.key("frames");
        const std::uint64_t number = (std::uint64_t{1} << 32) | stack.value;
        if (m_sink.recall(number)) {
            return;
        }
        m_sink.beginList();
        for (const FrameId id : m_snapshot.stacks.frames(stack)) {
            if (m_sink.recall(id.value)) {
                continue;
            }
            const Frame& frame = m_snapshot.stacks.frame(id);
            m_sink.beginDict();
            text("filename", m_snapshot.text(frame.filename));
            this->number("line", frame.line);
            text("name", m_snapshot.text(frame.name));
            m_sink.endDict();
            m_sink.remember(id.value);
        }
        m_sink.endList();
        m_sink.remember(number);
    }

    void writeSegments(trace::DeviceKind kind)
    {
        m_sink.beginList();
        for (const Part& part : m_source.parts) {
            if (!isOf(part, kind)) {
                continue;
            }
            const replay::DeviceReplay& replay = m_source.analysis.replay->devices[part.device];
            if (part.last() == replay.lastState()) {
                writeFinalSegments(deviceOf(part));
            } else {
                writeSegmentsAt(part, replay);
            }
        }
        m_sink.endList();
    }

    /// As the file has them.
    void writeFinalSegments(const trace::Device& device)
    {
        for (const trace::Segment& segment : device.segments) {
            const auto blocks = device.blocksOf(segment);
            std::int64_t allocated = 0;
            std::int64_t active = 0;
            for (const trace::Block& block : blocks) {
                const bool is_free = block.state == trace::BlockState::inactive;
                active += is_free ? 0 : block.size.value;
                allocated +=
                    block.state == trace::BlockState::active_allocated ? block.size.value : 0;
            }
            m_sink.beginDict();
            segmentHead(device, segment.address, segment.total_size, segment.stream,
                        {allocated, active});
            segmentKind(segment.is_small_pool, segment.is_expandable, segment.pool);
            frames(segment.stack);
            m_sink.key("blocks");
            m_sink.beginList();
            for (const trace::Block& block : blocks) {
                static constexpr std::array<std::string_view, 3> kStates{
                    "inactive", "active_allocated", "active_pending_free"};
                writeBlock(block.address, block.size, block.requested,
                           kStates[static_cast<std::size_t>(block.state)], block.stack);
            }
            m_sink.endList();
            m_sink.endDict();
        }
    }

    /// As the replay has them.
    void writeSegmentsAt(const Part& part, const replay::DeviceReplay& replay)
    {
        const replay::MemoryState memory = replay::memoryStateAt(
            replay, (*m_source.analysis.block_sizes)[part.device], part.last());
        for (const replay::SegmentState& segment : memory.segments) {
            m_sink.beginDict();
            segmentHead(deviceOf(part), segment.address, segment.size, segment.stream,
                        {(segment.active - segment.pending).value, segment.active.value});
            segmentKind(segment.is_small_pool, segment.is_expandable, segment.pool);
            frames(segment.stack);
            m_sink.key("blocks");
            m_sink.beginList();
            Address next = segment.address;
            const auto hole_until = [&](Address end) {
                if (end > next) {
                    writeBlock(next, Bytes{static_cast<std::int64_t>(end - next)}, Bytes{},
                               "inactive", StackId::none());
                }
            };
            for (const replay::BlockInState& block : memory.blocksOf(segment)) {
                const std::size_t a = block.allocation.index();
                hole_until(block.address);
                writeBlock(block.address, block.size, replay.allocations.requested[a],
                           block.is_pending ? "active_pending_free" : "active_allocated",
                           replay.allocations.stack[a]);
                next = block.address + static_cast<Address>(block.size.value);
            }
            hole_until(segment.address + static_cast<Address>(segment.size.value));
            m_sink.endList();
            m_sink.endDict();
        }
    }

    void segmentHead(const trace::Device& device, Address at, Bytes size, std::uint64_t stream,
                     std::pair<std::int64_t, std::int64_t> allocated_and_active)
    {
        number("device", device.kind == trace::DeviceKind::host ? 0 : device.index);
        address("address", at);
        number("total_size", size.value);
        number("allocated_size", allocated_and_active.first);
        number("active_size", allocated_and_active.second);
        address("stream", stream);
    }

    void segmentKind(bool is_small, bool is_expandable, const trace::PoolId& of_pool)
    {
        text("segment_type", is_small ? "small" : "large");
        pool("segment_pool_id", of_pool);
        m_sink.key("is_expandable");
        m_sink.boolean(is_expandable);
    }

    void writeBlock(Address at, Bytes size, Bytes requested, std::string_view state, StackId stack)
    {
        m_sink.beginDict();
        address("address", at);
        number("size", size.value);
        number("requested_size", requested.value);
        text("state", state);
        frames(stack);
        m_sink.endDict();
    }

    void writeTraces()
    {
        // A segment may name any index; none so large has events, as no file has so many traces.
        constexpr std::int32_t kMostTraces = 4096;
        std::int32_t count = 0;
        for (const trace::Device& device : m_snapshot.devices) {
            if (device.index < kMostTraces) {
                count = std::max(count, device.index + 1);
            }
        }
        m_sink.beginList();
        for (std::int32_t index = 0; index < count; ++index) {
            const auto part = std::ranges::find_if(m_source.parts, [&](const Part& p) {
                return isOf(p, trace::DeviceKind::gpu) && deviceOf(p).index == index;
            });
            m_sink.beginList();
            if (part != m_source.parts.end()) {
                writeEvents(*part);
            }
            m_sink.endList();
        }
        m_sink.endList();
    }

    void writeHostTrace()
    {
        m_sink.beginList();
        for (const Part& part : m_source.parts) {
            if (isOf(part, trace::DeviceKind::host)) {
                writeEvents(part);
            }
        }
        m_sink.endList();
    }

    void writeEvents(const Part& part)
    {
        for (std::uint32_t e = part.firstEvent(); e < part.endEvent(); ++e) {
            writeEvent(deviceOf(part).events, EventId(e));
        }
    }

    [[nodiscard]] std::string_view actionOf(const trace::Events& events, EventId e) const
    {
        if (events.action[e.index()] != trace::Action::other) {
            return trace::actionName(events.action[e.index()]);
        }
        const auto name = std::ranges::lower_bound(events.other_names, e, {},
                                                   &std::pair<EventId, StringId>::first);
        return name != events.other_names.end() && name->first == e ? m_snapshot.text(name->second)
                                                                    : "other";
    }

    void writeEvent(const trace::Events& events, EventId e)
    {
        const std::size_t i = e.index();
        const auto column = [i](const std::vector<StringId>& texts) {
            return texts.empty() ? StringId::none() : texts[i];
        };
        m_sink.beginDict();
        text("action", actionOf(events, e));
        if (events.action[i] != trace::Action::oom) {
            address("addr", events.address[i]);
        } else if (const auto free = events.deviceFree(e)) {
            number("device_free", free->value);
        }
        number("size", events.size[i].value);
        address("stream", events.stream[i]);
        if (events.hasTimes()) {
            number("time_us", microseconds(events.time[i]));
        }
        if (!events.pool.empty()) {
            pool("pool_id", events.pool[i]);
        }
        frames(events.stack[i]);
        textIfAny("user_metadata", column(events.user_metadata));
        textIfAny("compile_context", column(events.compile_context));
        textIfAny("category", column(events.category));
        textIfAny("internal_metadata", column(events.internal_metadata));
        forwardFrames(column(events.forward_frames));
        m_sink.endDict();
    }

    /// A list of texts, which the viewer joins.
    void forwardFrames(StringId lines)
    {
        if (lines.isNone()) {
            return;
        }
        m_sink.key("forward_frames");
        const std::uint64_t number = (std::uint64_t{2} << 32) | lines.value;
        if (!m_sink.recall(number)) {
            m_sink.beginList();
            m_sink.text(m_snapshot.text(lines));
            m_sink.endList();
            m_sink.remember(number);
        }
    }

    void writeSettings()
    {
        const trace::AllocatorSettings& settings = m_snapshot.settings;
        m_sink.beginDict();
        if (settings.present) {
            text("PYTORCH_CUDA_ALLOC_CONF", settings.conf);
        }
        if (settings.expandable_segments) {
            m_sink.key("expandable_segments");
            m_sink.boolean(*settings.expandable_segments);
        }
        if (settings.max_split_size_bytes) {
            number("max_split_size", *settings.max_split_size_bytes);
        }
        if (settings.garbage_collection_threshold) {
            m_sink.key("garbage_collection_threshold");
            m_sink.fraction(*settings.garbage_collection_threshold);
        }
        if (!settings.roundup_power2_divisions.empty()) {
            m_sink.key("roundup_power2_divisions");
            m_sink.beginDict();
            for (const auto& [size, divisions] : settings.roundup_power2_divisions) {
                number(size, divisions);
            }
            m_sink.endDict();
        }
        m_sink.endDict();
    }

    /// Those within the times of the parts; all where there are no times.
    void writeAnnotations()
    {
        m_sink.beginList();
        for (const trace::Annotation& annotation : m_snapshot.annotations) {
            const bool is_within = std::ranges::any_of(m_source.parts, [&](const Part& part) {
                const trace::Events& events = deviceOf(part).events;
                return deviceOf(part).index == annotation.device
                    && (!events.hasTimes() || isWhole(part) || part.firstEvent() == part.endEvent()
                        || (events.time[part.firstEvent()] <= annotation.time
                            && annotation.time <= events.time[part.endEvent() - 1]));
            });
            if (!is_within) {
                continue;
            }
            m_sink.beginDict();
            text("name", m_snapshot.text(annotation.name));
            text("stage", annotation.is_start ? "START" : "END");
            number("device", annotation.device);
            number("time_us", microseconds(annotation.time));
            m_sink.endDict();
        }
        m_sink.endList();
    }

    [[nodiscard]] bool isWhole(const Part& part) const
    {
        return part.firstEvent() == 0 && part.endEvent() == deviceOf(part).events.count();
    }

    ValueSink& m_sink;
    const Source& m_source;
    const trace::Snapshot& m_snapshot;
};

} // namespace

void writeCut(std::ostream& out, const Source& source)
{
    const auto sink = source.wanted.format == Format::pickle ? pickleSink(out) : jsonSink(out);
    CutWriter(*sink, source).write();
}

} // namespace tidemark::exports
