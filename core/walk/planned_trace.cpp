// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/planned_trace.h"

#include "core/allocator/caching_allocator.h"
#include "core/base/language.h"
#include "core/trace/snapshot_builder.h"
#include "core/walk/library_frames.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace tidemark::walk {
namespace {

using trace::Action;

/// Plays the calls to the model of the allocator and writes down what a recording would have.
class Writer {
public:
    using Stacks = std::function<std::vector<LibraryFrame>(const PlannedAllocation&)>;

    Writer(const Timeline& timeline, Stacks stacks)
        : m_timeline(timeline)
        , m_stacks(std::move(stacks))
        , m_driver(std::nullopt)
        , m_model(allocator::Settings{}, m_driver)
        , m_blocks(timeline.allocations.size())
    {
        m_builder.ensureDevice(0);
        m_builder.format().route = "plan";
        m_builder.format().reader = "plan";
    }

    Result<PlannedTrace> write() &&
    {
        for (const std::uint32_t i : callsOf(m_timeline)) {
            if (i == kNoAllocation || m_timeline.allocations[i].bytes.value == 0) {
                continue;
            }
            m_blocks[i] ? give(i) : make(i);
        }
        writeLayout();
        auto snapshot = std::move(m_builder).finish();
        if (!snapshot.has_value()) {
            return snapshot.error();
        }
        return PlannedTrace{std::move(snapshot).value(), std::move(m_made)};
    }

private:
    StackId stackOf(const PlannedAllocation& made)
    {
        std::vector<FrameId> frames;
        for (const LibraryFrame& frame : m_stacks(made)) {
            frames.push_back(m_builder.stacks().internFrame(
                {m_builder.strings().intern(frame.function), m_builder.strings().intern(frame.file),
                 frame.line}));
        }
        return frames.empty() ? StackId::none() : m_builder.stacks().internStack(frames);
    }
    void add(Action action, Address address, Bytes size, std::uint32_t made)
    {
        trace::EventRecord event;
        event.action = action;
        event.address = address;
        event.size = size;
        if (made != kNoAllocation) {
            event.stack = stackOf(m_timeline.allocations[made]);
        }
        m_builder.addEvent(0, event);
        m_made.push_back(made);
    }
    void make(std::uint32_t i)
    {
        const Bytes before = m_model.reserved();
        const Bytes size = m_timeline.allocations[i].bytes;
        const allocator::BlockId block = m_model.allocate({size, 0, {}, false});
        m_blocks[i] = block;
        const Address address = m_model.addressOf(block);
        if (m_model.reserved() > before) {
            // A new segment begins with the block that it was obtained for.
            add(Action::segment_alloc, address, m_model.reserved() - before, kNoAllocation);
        }
        add(Action::alloc, address, size, i);
    }
    void give(std::uint32_t i)
    {
        const Address address = m_model.addressOf(*m_blocks[i]);
        const Bytes size = m_timeline.allocations[i].bytes;
        add(Action::free_requested, address, size, kNoAllocation);
        add(Action::free_completed, address, size, kNoAllocation);
        m_model.completeFree(*m_blocks[i]);
    }
    void writeLayout()
    {
        for (const allocator::SegmentView& view : m_model.layout()) {
            trace::SegmentRecord segment;
            segment.address = view.address;
            segment.total_size = view.size;
            segment.is_small_pool = view.home.is_small;
            std::vector<trace::BlockRecord> blocks;
            for (const allocator::BlockView& block : view.blocks) {
                trace::BlockRecord record;
                record.address = block.address;
                record.size = block.size;
                record.requested = block.requested;
                record.state = block.use == allocator::BlockUse::allocated
                    ? trace::BlockState::active_allocated
                    : trace::BlockState::inactive;
                blocks.push_back(record);
            }
            m_builder.addSegment(segment, blocks);
        }
    }

    const Timeline& m_timeline;
    Stacks m_stacks;
    allocator::CapacityDriver m_driver;
    allocator::CachingAllocator m_model;
    std::vector<std::optional<allocator::BlockId>> m_blocks;
    trace::SnapshotBuilder m_builder;
    std::vector<std::uint32_t> m_made;
};

/// The event of each moment, or of the next one that has an event.
std::vector<std::uint32_t> eventsOf(const Timeline& timeline, const PlannedTrace& trace)
{
    // An allocation's event follows its moment in order, so both lists can be walked together.
    std::vector<std::uint32_t> events(timeline.moments + 2,
                                      static_cast<std::uint32_t>(trace.made.size()));
    for (std::uint32_t event = 0; event < trace.made.size(); ++event) {
        if (trace.made[event] != kNoAllocation) {
            events[timeline.allocations[trace.made[event]].begin] = event;
        }
    }
    for (std::size_t m = events.size() - 1; m > 0; --m) {
        events[m - 1] = std::min(events[m - 1], events[m]);
    }
    return events;
}

void addPhases(const Timeline& timeline, const PlannedTrace& trace, label::DeviceLabels& labels)
{
    const std::vector<std::uint32_t> events = eventsOf(timeline, trace);
    const auto last = static_cast<std::uint32_t>(trace.made.size());
    std::uint32_t begin = 0;
    std::uint32_t step_begin = 0;
    label::Phase phase = label::Phase::setup;
    std::uint32_t step = 0;
    const auto close = [&](std::uint32_t end) {
        if (end > begin) {
            labels.phases.push_back({EventId{begin}, EventId{end}, phase, step});
        }
        // A step that makes no states asks for nothing, and is a step all the same.
        if (phase == label::Phase::optimizer && end > step_begin) {
            labels.steps.push_back({EventId{step_begin}, EventId{end - 1}});
            step_begin = end;
        }
        begin = end;
    };
    for (const PhaseStart& start : timeline.phases) {
        const std::uint32_t at = std::min(events[start.moment], last);
        close(at);
        if (start.phase == label::Phase::input && phase != label::Phase::backward) {
            ++step;
            step_begin = at;
        }
        phase = start.phase;
    }
    close(last);
}

} // namespace

Result<PlannedTrace> traceOf(const Timeline& timeline)
{
    return Writer(timeline,
                  [&timeline](const PlannedAllocation& made) {
                      std::vector<LibraryFrame> modules;
                      for (std::uint32_t p = made.place; p != 0; p = timeline.places[p].outer) {
                          modules.push_back(
                              {timeline.places[p].function, timeline.places[p].module, 0});
                      }
                      return modules;
                  })
        .write();
}

Result<PlannedTrace> recordedTraceOf(const Timeline& timeline, const ModelShape& model,
                                     const RunShape& run)
{
    const LibraryFrames frames(timeline, model, run);
    return Writer(timeline, [&frames](const PlannedAllocation& made) { return frames.of(made); })
        .write();
}

label::Labels labelsOf(const Timeline& timeline, const PlannedTrace& trace,
                       const replay::Replay& replay)
{
    label::Labels labels;
    label::DeviceLabels& device = labels.devices.emplace_back();
    const replay::Allocations& allocations = replay.devices.front().allocations;
    device.reasons.push_back({"planned", say("Labeled by the plan.")});
    for (std::size_t a = 0; a < allocations.count(); ++a) {
        const PlannedAllocation& planned =
            timeline.allocations[trace.made[allocations.alloc_event[a].index()]];
        device.bucket.push_back(planned.bucket);
        device.role.push_back(planned.role);
        device.confidence.push_back(100);
        device.reason.push_back(0);
    }
    addPhases(timeline, trace, device);
    return labels;
}

} // namespace tidemark::walk
