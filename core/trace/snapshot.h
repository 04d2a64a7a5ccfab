// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/stack_pool.h"
#include "core/base/string_pool.h"
#include "core/base/units.h"
#include "core/trace/action.h"
#include "core/trace/capture.h"
#include "core/trace/input_notes.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::trace {

/// (0, 0) is the default pool; the first number set: made by CUDA-graph capture; the second: a user
/// pool.
struct PoolId {
    std::uint64_t graph = 0;
    std::uint64_t user = 0;
    [[nodiscard]] constexpr bool isPrivate() const
    {
        return graph != 0 || user != 0;
    }
    friend constexpr auto operator<=>(const PoolId&, const PoolId&) = default;
};

enum class BlockState : std::uint8_t { inactive, active_allocated, active_pending_free };

/// A piece of a segment at the moment of the dump. `requested` is 0 for inactive blocks (the file's
/// figure is stale there) and otherwise what the caller asked for.
struct Block {
    Address address = 0;
    Bytes size;
    Bytes requested;
    BlockState state = BlockState::inactive;
    StackId stack; ///< None when the block was allocated before recording or without context.
    StringId forward_frames{}; ///< As in Events.
};

/// Memory obtained from the driver, as it stood at the dump; for expandable segments one mapped
/// range.
struct Segment {
    Address address = 0;
    Bytes total_size;
    std::uint64_t stream = 0; ///< Raw cudaStream_t; not "0 = default" on every backend.
    bool is_small_pool = false; ///< Requests up to 1 MiB.
    bool is_expandable = false;
    PoolId pool;
    StackId stack;
    std::uint32_t first_block = 0; ///< Index into Device::blocks.
    std::uint32_t block_count = 0;
    StringId forward_frames{}; ///< As in Events.
};

/// The trace of one device as columns; index = EventId. All columns have `size()` entries except
/// those marked optional, which are empty when the file has no such key at all.
struct Events {
    std::vector<Action> action;
    std::vector<Address> address; ///< For `oom`: bytes the driver had free; read by `deviceFree`.
    std::vector<Bytes> size;
    std::vector<std::uint64_t> stream;
    std::vector<StackId> stack;
    std::vector<TimePoint> time; ///< Optional (absent before torch 2.2 and on NPU).
    std::vector<PoolId> pool; ///< Optional (`pool_id`, torch 2.12+).
    std::vector<StringId> user_metadata; ///< Optional.
    std::vector<StringId> compile_context; ///< Optional.
    std::vector<StringId> category; ///< Optional (profile-derived data).
    /// Optional (torch 2.12+): where the forward pass made what a backward allocation belongs to,
    /// as one text of several lines.
    std::vector<StringId> forward_frames;
    std::vector<StringId> internal_metadata; ///< Optional (torch 2.15+): the allocator's own tag.
    std::vector<std::pair<EventId, StringId>>
        other_names; ///< Names of `Action::other` entries, sorted.

    [[nodiscard]] std::size_t count() const
    {
        return action.size();
    }
    [[nodiscard]] bool hasTimes() const
    {
        return !time.empty();
    }
    /// The `address` of an `oom` event whose `device_free` is missing or no size.
    static constexpr Address kFreeUnknown = std::numeric_limits<Address>::max();
    /// Free bytes of the card at an `oom` event; none where the file does not say. Requires that
    /// action.
    [[nodiscard]] std::optional<Bytes> deviceFree(EventId e) const
    {
        const Address free = address[e.index()];
        return free == kFreeUnknown ? std::nullopt
                                    : std::optional(Bytes{static_cast<std::int64_t>(free)});
    }
};

enum class DeviceKind : std::uint8_t { gpu, host };

/// One device: its trace and its final state. Segments are sorted by address, blocks inside them,
/// too.
struct Device {
    std::int32_t index = 0; ///< CUDA index in the process; −1 for host memory.
    DeviceKind kind = DeviceKind::gpu;
    Events events;
    std::vector<Segment> segments;
    std::vector<Block> blocks;

    [[nodiscard]] std::span<const Block> blocksOf(const Segment& s) const
    {
        return std::span(blocks).subspan(s.first_block, s.block_count);
    }
    [[nodiscard]] bool isEmpty() const
    {
        return events.count() == 0 && segments.empty();
    }
};

/// One end of a `record_function` scope (torch 2.5+). No pairing id: match by name as a stack.
struct Annotation {
    StringId name;
    bool is_start = true;
    std::int32_t device = 0;
    TimePoint time{};
};

/// Allocator settings as the file states them. Missing keys are absent, not defaults.
struct AllocatorSettings {
    std::string conf; ///< PYTORCH_CUDA_ALLOC_CONF as last parsed.
    std::optional<bool> expandable_segments;
    std::optional<std::int64_t> max_split_size_bytes; ///< −1 = unlimited.
    std::optional<double> garbage_collection_threshold;
    std::vector<std::pair<std::string, std::int64_t>>
        roundup_power2_divisions; ///< "1".."32768" MiB.
    std::vector<std::pair<std::string, std::string>> others; ///< Every other key, as text.
    bool present = false; ///< The file has the key at all (torch 2.3+).

    /// max_split_size_mb beside expandable segments: free blocks that are larger serve no smaller
    /// request, and none of them is given back (pytorch/pytorch#193400, from torch 2.12 on).
    [[nodiscard]] bool splitsBesideExpandable() const
    {
        return expandable_segments.value_or(false) && max_split_size_bytes.value_or(-1) > 0;
    }
};

/// What the FX graph said about a frame of generated code (torch 2.10+); each part may be none.
struct FrameFx {
    FrameId frame;
    StringId op;
    StringId name;
    StringId target;
    StringId original_trace; ///< Several lines.
    StringId info; ///< As text.
    friend constexpr bool operator==(const FrameFx&, const FrameFx&) = default;
};

/// Which kind of dictionary of the file something stands in.
enum class Place : std::uint8_t { top, segment, block, history, event, frame, annotation };

/// An entry of the file under a key that this version does not know there.
struct OtherField {
    Place place = Place::top;
    std::int32_t device = 0; ///< 0 where the place has none.
    /// Which one: of an event its number, of a segment, block or history the segment's or block's
    /// address, of a frame its id, of an annotation its number in the file's list.
    std::uint64_t item = 0;
    StringId key;
    StringId value; ///< A text as it is, anything else as text and cut off where it is long.
    friend constexpr bool operator==(const OtherField&, const OtherField&) = default;
};

/// A source file of the program that the recording carries.
struct SourceFile {
    std::string name; ///< As frames name it.
    std::string text;
    friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

/// How the file was written and read.
struct Format {
    std::string route; ///< "pickle", "html", …
    int protocol = -1; ///< Pickle protocol, −1 where there is none.
    std::string reader; ///< "cpython", "native".
};

/// Everything a snapshot file says, as columns. Immutable once built; shared between threads.
struct Snapshot {
    Format format;
    std::vector<Device> devices; ///< All entries of `device_traces`, empty ones too, then host.
    StringPool strings;
    StackPool stacks;
    std::vector<Annotation> annotations;
    AllocatorSettings settings;
    std::vector<FrameFx> fx; ///< Of the frames that have any, sorted by frame.
    std::optional<Capture> capture; ///< Set when the capture module wrote the file.
    std::vector<OtherField> other_fields; ///< Sorted by place, device and item; bounded.
    std::vector<SourceFile> sources; ///< Sorted by name.
    InputNotes notes;
    std::uint64_t file_bytes = 0;

    /// Text of a frame's parts; empty strings for none.
    [[nodiscard]] std::string_view text(StringId id) const
    {
        return strings.text(id);
    }
};

} // namespace tidemark::trace
