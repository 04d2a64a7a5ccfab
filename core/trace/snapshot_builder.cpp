// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/trace/snapshot_builder.h"

#include "core/base/column.h"
#include "core/base/language.h"
#include "core/trace/wrapped_trace.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <unordered_map>

namespace tidemark::trace {
namespace {

/// Requested bytes of an active block: what the file says, else the newest history entry, else the
/// block itself (the rule of torch's own viewer for its old formats).
Bytes requestedOf(const BlockRecord& block)
{
    if (block.state == BlockState::inactive) {
        return {};
    }
    return block.requested.value_or(block.history_real_size.value_or(block.size));
}

void sortSegments(Device& device)
{
    std::vector<Segment> segments = std::move(device.segments);
    std::ranges::stable_sort(segments, {}, &Segment::address);
    std::vector<Block> blocks;
    blocks.reserve(device.blocks.size());
    for (Segment& s : segments) {
        const auto first = device.blocks.begin() + s.first_block;
        const auto new_first = static_cast<std::uint32_t>(blocks.size());
        blocks.insert(blocks.end(), first, first + s.block_count);
        s.first_block = new_first;
    }
    device.segments = std::move(segments);
    device.blocks = std::move(blocks);
}

/// The columns that every event has, as those of one length.
void reserveColumns(Events& e, std::size_t count)
{
    reserveColumn(e.address, count);
    reserveColumn(e.size, count);
    reserveColumn(e.stream, count);
    reserveColumn(e.stack, count);
    reserveColumn(e.time, count);
    reserveColumn(e.action, count); // The last one: its capacity speaks for all.
}

/// torch writes the size of a pinned block in the place of what was asked for (2.14); the trace
/// knows better where it has the allocation.
void restoreRequests(Device& host)
{
    std::unordered_map<Address, Bytes> last_request;
    for (std::size_t i = 0; i < host.events.count(); ++i) {
        if (host.events.action[i] == Action::alloc) {
            last_request[host.events.address[i]] = host.events.size[i];
        }
    }
    for (Block& block : host.blocks) {
        const auto known = last_request.find(block.address);
        if (block.state != BlockState::inactive && block.requested == block.size
            && known != last_request.end() && known->second < block.size) {
            block.requested = known->second;
        }
    }
}

} // namespace

SnapshotBuilder::PendingDevice& SnapshotBuilder::pending(std::int32_t index)
{
    if (m_last == nullptr || m_last->device.index != index) {
        m_last = &m_devices[index];
        m_last->device.index = index;
    }
    return *m_last;
}

void SnapshotBuilder::ensureDevice(std::int32_t index, DeviceKind kind)
{
    pending(index).device.kind = kind;
}

void SnapshotBuilder::reserveEvents(std::int32_t device, std::size_t count)
{
    Events& events = pending(device).device.events;
    try {
        reserveColumns(events, count);
    } catch (const std::bad_alloc&) {
        return; // A guess that this machine cannot promise: columns grow as events come.
    } catch (const std::length_error&) {
        return;
    }
}

void SnapshotBuilder::growColumns(PendingDevice& p)
{
    constexpr std::size_t kFirst = 1024;
    constexpr std::size_t kFew = 16384; // They tell little of the rest.
    constexpr double kMostByFew = 64;
    constexpr double kMost = 10000;
    constexpr double kMargin = 1.05;
    const std::size_t count = p.device.events.count();
    if (count == 0) {
        p.share_before = m_share_read;
    }
    const double seen = m_share_read - p.share_before;
    if (seen > 0 && m_share_read < 1) {
        const double more =
            std::min(count < kFew ? kMostByFew : kMost, (1 - m_share_read) / seen * kMargin);
        reserveEvents(p.device.index,
                      count + static_cast<std::size_t>(static_cast<double>(count) * more));
    }
    Events& e = p.device.events;
    if (e.action.capacity() <= count + count / 4) {
        reserveColumns(e, std::max(kFirst, count * 2));
    }
}

void SnapshotBuilder::addEvent(std::int32_t device, const EventRecord& record)
{
    PendingDevice& p = pending(device);
    Events& e = p.device.events;
    if (e.action.size() == e.action.capacity()) {
        growColumns(p);
    }
    const bool rare = record.pool.has_value() || !record.user_metadata.isNone()
        || !record.compile_context.isNone() || !record.category.isNone()
        || !record.forward_frames.isNone() || !record.internal_metadata.isNone();
    if (rare || p.any_rare) {
        addRareValues(p, record);
    }
    if (record.action == Action::other) {
        e.other_names.emplace_back(EventId(e.action.size()), record.action_name);
    }
    e.action.push_back(record.action);
    e.address.push_back(record.address);
    e.size.push_back(record.size);
    e.stream.push_back(record.stream);
    e.stack.push_back(record.stack);
    p.any_time = p.any_time || record.time.has_value();
    e.time.push_back(record.time.value_or(TimePoint()));
}

void SnapshotBuilder::addRareValues(PendingDevice& p, const EventRecord& record)
{
    Events& e = p.device.events;
    const std::size_t index = e.action.size();
    p.any_rare = true;
    // Such a column starts with the first entry that has it.
    const auto put = [&](auto& column, bool& any, bool has, auto value) {
        if (has && !any) {
            any = true;
            reserveColumn(column, e.action.capacity());
            column.resize(index);
        }
        if (any) {
            column.push_back(value);
        }
    };
    put(e.pool, p.any_pool, record.pool.has_value(), record.pool.value_or(PoolId()));
    put(e.user_metadata, p.any_metadata, !record.user_metadata.isNone(), record.user_metadata);
    put(e.compile_context, p.any_context, !record.compile_context.isNone(), record.compile_context);
    put(e.category, p.any_category, !record.category.isNone(), record.category);
    put(e.forward_frames, p.any_forward, !record.forward_frames.isNone(), record.forward_frames);
    put(e.internal_metadata, p.any_internal, !record.internal_metadata.isNone(),
        record.internal_metadata);
}

void SnapshotBuilder::addSegment(const SegmentRecord& record, std::span<const BlockRecord> blocks)
{
    Device& device = pending(record.device).device;
    Segment segment{record.address,
                    record.total_size,
                    record.stream,
                    record.is_small_pool,
                    record.is_expandable,
                    record.pool,
                    record.stack,
                    static_cast<std::uint32_t>(device.blocks.size()),
                    static_cast<std::uint32_t>(blocks.size()),
                    record.forward_frames};
    Address at = record.address;
    Bytes sum;
    for (const BlockRecord& b : blocks) {
        const Address address = b.address.value_or(at);
        device.blocks.push_back(
            {address, b.size, requestedOf(b), b.state, b.stack, b.forward_frames});
        at = address + static_cast<Address>(b.size.value);
        sum += b.size;
    }
    if (!blocks.empty() && sum != record.total_size) {
        notes().add("segment-size-mismatch",
                    say("Segment 0x{:x}'s blocks sum to {} B, but its size is {} B; reserved "
                        "memory uses the segment size.",
                        record.address, sum.value, record.total_size.value));
    }
    device.segments.push_back(segment);
}

void SnapshotBuilder::addAnnotation(const Annotation& annotation)
{
    m_snapshot.annotations.push_back(annotation);
}

void SnapshotBuilder::finishTimes(PendingDevice& p)
{
    Events& e = p.device.events;
    if (!p.any_time) {
        e.time.clear();
        e.time.shrink_to_fit();
        if (e.count() > 0) {
            notes().add("no-times",
                        say("No timestamps (torch before 2.2, or another backend); the axis shows "
                            "event numbers."));
        }
        return;
    }
    // Entries without a time of their own take that of the entry before them.
    TimePoint last{};
    for (TimePoint& t : e.time) {
        if (t == TimePoint()) {
            t = last;
        }
        last = t;
    }
    if (const std::size_t moved = unwrapTrace(e, p.device.index, m_snapshot.other_fields);
        moved > 0) {
        notes().add("wrapped",
                    say("Device {}'s ring buffer was dumped from its middle, as after raising "
                        "max_entries; its first {} events were moved to the end by timestamp.",
                        p.device.index, moved),
                    static_cast<std::int64_t>(moved));
    }
    std::int64_t backwards = 0;
    for (std::size_t i = 1; i < e.time.size(); ++i) {
        backwards += e.time[i] < e.time[i - 1] ? 1 : 0;
    }
    if (backwards > 0) {
        notes().add("times-backwards",
                    say("Timestamps run backwards {} times on device {}; the order is the file's, "
                        "times there are approximate.",
                        backwards, p.device.index),
                    backwards);
    }
}

void SnapshotBuilder::finishDevice(PendingDevice& p)
{
    finishTimes(p);
    sortSegments(p.device);
}

Result<Snapshot> SnapshotBuilder::finish() &&
{
    for (auto& [index, p] : m_devices) {
        if (p.device.events.count() >= EventId::kNoneValue - 1) {
            return Error{
                ErrorCode::tooLarge,
                say("One device's trace has more than four billion events, too many for Tidemark."),
                {}};
        }
        finishDevice(p);
        if (index >= 0) {
            m_snapshot.devices.push_back(std::move(p.device));
        }
    }
    const auto host = m_devices.find(kHostDevice);
    if (host != m_devices.end() && !host->second.device.isEmpty()) {
        host->second.device.kind = DeviceKind::host;
        restoreRequests(host->second.device);
        if (std::ranges::all_of(m_snapshot.devices, &Device::isEmpty)) {
            notes().add(
                "host-only",
                say("Only pinned host memory was recorded (record_cuda=False), no GPU memory."));
        }
        m_snapshot.devices.push_back(std::move(host->second.device));
    }
    return std::move(m_snapshot);
}

} // namespace tidemark::trace
