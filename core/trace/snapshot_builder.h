// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/trace/snapshot.h"

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::trace {

/// One trace entry as a reader found it. Absent keys stay unset.
struct EventRecord {
    Action action = Action::other;
    StringId action_name; ///< Only for `Action::other`.
    Address address = 0; ///< `addr`, or `device_free` for `oom`.
    Bytes size;
    std::uint64_t stream = 0;
    StackId stack;
    std::optional<TimePoint> time;
    std::optional<PoolId> pool;
    StringId user_metadata;
    StringId compile_context;
    StringId category;
    StringId forward_frames{};
    StringId internal_metadata;
};

/// One block as a reader found it.
struct BlockRecord {
    std::optional<Address> address; ///< Absent in torch 2.0: computed from the preceding blocks.
    Bytes size;
    std::optional<Bytes> requested; ///< Absent in torch 2.0: `history_real_size`, else `size`.
    std::optional<Bytes> history_real_size;
    BlockState state = BlockState::inactive;
    StackId stack;
    StringId forward_frames{};
};

struct SegmentRecord {
    std::int32_t device = 0;
    Address address = 0;
    Bytes total_size;
    std::uint64_t stream = 0;
    bool is_small_pool = false;
    bool is_expandable = false;
    PoolId pool;
    StackId stack;
    StringId forward_frames{};
};

/// What every reader writes into; `finish` freezes it. Not thread-safe.
class SnapshotBuilder {
public:
    SnapshotBuilder() = default;
    SnapshotBuilder(const SnapshotBuilder&) = delete;
    SnapshotBuilder& operator=(const SnapshotBuilder&) = delete;
    ~SnapshotBuilder() = default;

    StringPool& strings()
    {
        return m_snapshot.strings;
    }
    StackPool& stacks()
    {
        return m_snapshot.stacks;
    }
    InputNotes& notes()
    {
        return m_snapshot.notes;
    }
    AllocatorSettings& settings()
    {
        return m_snapshot.settings;
    }
    Format& format()
    {
        return m_snapshot.format;
    }
    /// To be filled sorted.
    std::vector<FrameFx>& fx()
    {
        return m_snapshot.fx;
    }
    /// To be filled sorted.
    std::vector<OtherField>& otherFields()
    {
        return m_snapshot.other_fields;
    }
    std::optional<Capture>& capture()
    {
        return m_snapshot.capture;
    }
    /// To be filled sorted.
    std::vector<SourceFile>& sources()
    {
        return m_snapshot.sources;
    }
    void setFileBytes(std::uint64_t bytes)
    {
        m_snapshot.file_bytes = bytes;
    }

    /// Makes sure a trace exists for this device index (empty traces are listed, too).
    void ensureDevice(std::int32_t index, DeviceKind kind = DeviceKind::gpu);
    /// Room for `count` events in all. May be a generous guess: room that is never used takes no
    /// memory, and a guess beyond all bounds is ignored. Without it columns that are full grow
    /// to what the rest of the input may bring, to the double at least.
    void reserveEvents(std::int32_t device, std::size_t count);
    /// About this share of the input, in [0, 1], has been read.
    void expectRest(double share_read)
    {
        m_share_read = share_read;
    }
    /// O(1) amortised.
    void addEvent(std::int32_t device, const EventRecord& event);
    [[nodiscard]] std::size_t eventCount(std::int32_t device)
    {
        return pending(device).device.events.count();
    }
    void addSegment(const SegmentRecord& segment, std::span<const BlockRecord> blocks);
    void addAnnotation(const Annotation& annotation);
    /// Host (pinned) memory is one more device of kind host, index −1.
    static constexpr std::int32_t kHostDevice = -1;

    /// Sorts segments, computes what old formats leave out, drops columns that no entry filled, and
    /// notes what does not add up. An error only if ids overflow (more than 2^32 − 2 events).
    Result<Snapshot> finish() &&;

private:
    struct PendingDevice {
        Device device;
        double share_before = 0; ///< Of the input, read before its first event.
        bool any_time = false;
        bool any_rare = false; ///< One of those that follow.
        bool any_pool = false;
        bool any_metadata = false;
        bool any_context = false;
        bool any_category = false;
        bool any_forward = false;
        bool any_internal = false;
    };
    PendingDevice& pending(std::int32_t index);
    void growColumns(PendingDevice& pending);
    static void addRareValues(PendingDevice& pending, const EventRecord& record);
    void finishDevice(PendingDevice& pending);
    void finishTimes(PendingDevice& pending);

    Snapshot m_snapshot;
    std::map<std::int32_t, PendingDevice> m_devices;
    double m_share_read = 0;
    PendingDevice* m_last = nullptr; ///< Of `m_devices`: the one asked for last.
};

} // namespace tidemark::trace
