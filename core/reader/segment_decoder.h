// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/forward_frames.h"
#include "core/reader/stack_decoder.h"
#include "core/reader/tree_access.h"
#include "core/trace/snapshot_builder.h"

#include <optional>
#include <span>
#include <vector>

namespace tidemark::reader {

/// Segments with their blocks → records.
class SegmentDecoder {
public:
    SegmentDecoder(TreeAccess& access, StackDecoder& stacks, ForwardFrames& forward);

    using Node = ValueTree::Node;
    /// Reads one; requires a dictionary. The result is what segment() and blocks() return until the
    /// next call.
    void decode(Node node);
    /// Says which device the segment just read belongs to, for its entries under unknown keys.
    void settle(std::int32_t device);
    [[nodiscard]] const trace::SegmentRecord& segment() const
    {
        return m_record;
    }
    /// All with addresses: from their predecessors where the file has none.
    [[nodiscard]] std::span<const trace::BlockRecord> blocks() const
    {
        return m_blocks;
    }

private:
    void detail(Key key, Node value);
    void checkRequested();
    void blocks(Node list);
    trace::BlockRecord block(Node node);
    void history(Node list, trace::BlockRecord& record, StackId& stack);
    trace::BlockState blockState(Node node);

    TreeAccess& m_access;
    StackDecoder& m_stacks;
    ForwardFrames& m_forward;
    trace::SegmentRecord m_record;
    std::optional<Bytes> m_said_requested;
    std::vector<trace::BlockRecord> m_blocks;
};

} // namespace tidemark::reader
