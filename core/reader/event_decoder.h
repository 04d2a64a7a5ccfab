// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/string_pool.h"
#include "core/reader/forward_frames.h"
#include "core/reader/node_cache.h"
#include "core/reader/stack_decoder.h"
#include "core/reader/tree_access.h"
#include "core/trace/snapshot_builder.h"

namespace tidemark::reader {

/// Trace entries → event records.
class EventDecoder {
public:
    EventDecoder(TreeAccess& access, StackDecoder& stacks, ForwardFrames& forward,
                 StringPool& strings);

    using Node = ValueTree::Node;
    /// Never fails: an entry that is none becomes an event without effect, so that the others keep
    /// their numbers.
    trace::EventRecord decode(Node node);

private:
    void detail(Key key, Node value, trace::EventRecord& record);
    StringId label(Node node, Key key);
    bool action(Node node, trace::EventRecord& record);

    TreeAccess& m_access;
    StackDecoder& m_stacks;
    ForwardFrames& m_forward;
    StringPool& m_strings;
    NodeCache<trace::Action> m_known_actions;
};

} // namespace tidemark::reader
