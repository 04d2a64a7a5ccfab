// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/reader/event_decoder.h"
#include "core/reader/forward_frames.h"
#include "core/reader/limits.h"
#include "core/reader/segment_decoder.h"
#include "core/reader/stack_decoder.h"
#include "core/reader/tree_access.h"
#include "core/reader/value_tree.h"
#include "core/trace/snapshot_builder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

namespace tidemark::reader {

/// Values of a snapshot → columns, for all layouts since torch 1.13: a bare list of segments,
/// blocks with `history` and without address, host memory, profile-derived data, files of other
/// tools. What a value lacks or has too much becomes an input note; no value can make it fail
/// except a root that is not a snapshot at all.
///
/// All of a snapshot can be decoded at its end, or its events one by one while the file is being
/// read. Both ways give the same columns and notes. Everything handed to the constructor must
/// outlive the decoder.
class SnapshotDecoder {
public:
    SnapshotDecoder(ValueTree& tree, trace::SnapshotBuilder& builder, const ReaderLimits& limits,
                    ProgressSink& progress, const std::stop_token& stop);

    using Node = ValueTree::Node;
    /// How long the input is, as soon as that is known. What the values take as columns is bounded
    /// in proportion to it; without this it is not bounded.
    void setInputBytes(std::uint64_t bytes);
    /// Decodes one trace entry now and adds it to the trace of `device` (kHostDevice: the host
    /// trace). O(size of the entry).
    void event(Node entry, std::int32_t device);
    /// The stack of an entry that the caller decodes itself.
    StackId stack(Node frames)
    {
        return m_stacks.decode(frames, Place::event);
    }
    /// Decodes all the rest. Trace lists whose entries were given to event() must be empty now.
    /// O(size of the tree). Errors: notASnapshot, saying what it looks like; tooLarge for more
    /// devices than `limits` allows, or values shared so often that they become too many;
    /// cancelled.
    Result<Done> finish(Node root);

private:
    /// The parts of a snapshot; null for an absent key.
    struct Parts {
        Node segments;
        Node device_traces;
        Node settings;
        Node annotations;
        Node host_segments;
        Node host_traces;
    };

    std::optional<Parts> findParts(Node root);
    void noteNoTraces();
    bool isSegment(Node node);
    bool hasSnapshotKey(Node root);
    void part(Key key, Node node, Parts& parts);
    Node listPart(Key key, Node node);
    std::size_t sizeOf(Node list);
    void countItems(const Parts& parts);
    void addEvent(Node entry, std::int32_t device);
    bool goOn();
    bool fail(ErrorCode code, std::string message);
    bool checkDevices(std::size_t count);
    bool checkCost();
    bool deviceTraces(Node traces);
    bool hostTrace(Node trace);
    bool events(Node trace, std::int32_t device);
    bool segments(Node list, std::optional<std::int32_t> device);
    bool annotations(Node list);
    void annotation(Node node, std::size_t number);

    ValueTree& m_tree;
    TreeAccess m_access;
    trace::SnapshotBuilder& m_builder;
    StackDecoder m_stacks;
    ForwardFrames m_forward;
    EventDecoder m_events;
    SegmentDecoder m_segments;
    std::set<std::int32_t> m_devices;
    const ReaderLimits& m_limits;
    ProgressSink& m_progress;
    const std::stop_token& m_stop;
    std::size_t m_items = 0;
    std::size_t m_done = 0;
    std::optional<Error> m_error;
};

} // namespace tidemark::reader
