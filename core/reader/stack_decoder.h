// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/stack_pool.h"
#include "core/base/string_pool.h"
#include "core/reader/list_cache.h"
#include "core/reader/node_cache.h"
#include "core/reader/tree_access.h"
#include "core/trace/snapshot.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace tidemark::reader {

/// Frame lists of the file → stacks of the pool. Torch writes one dictionary per distinct frame,
/// shared by all lists, and mostly one list per event: frames are recognised by their node, lists
/// by node and by content.
class StackDecoder {
public:
    StackDecoder(TreeAccess& access, StringPool& strings, StackPool& stacks);

    /// None for an empty list or None: nothing was recorded. O(frames).
    StackId decode(ValueTree::Node frames, Place place);

    /// The FX fields of all frames so far, sorted by frame. Where dictionaries of one frame
    /// disagree, the smallest by its texts.
    [[nodiscard]] std::vector<trace::FrameFx> fx() const;

private:
    std::optional<FrameId> frame(ValueTree::Node node);
    std::optional<FrameId> newFrame(ValueTree::Node node);
    bool part(Key key, ValueTree::Node value, Frame& frame);
    bool fxPart(Key key, ValueTree::Node value, trace::FrameFx& fx);
    void keepFx(const trace::FrameFx& fx);

    TreeAccess& m_access;
    StringPool& m_strings;
    StackPool& m_stacks;
    NodeCache<FrameId> m_known_frames;
    ListCache<StackId> m_known_lists;
    std::unordered_map<FrameId, trace::FrameFx> m_fx;
    std::vector<FrameId> m_scratch;
};

} // namespace tidemark::reader
