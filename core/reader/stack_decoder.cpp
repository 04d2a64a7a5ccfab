// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/stack_decoder.h"

#include <limits>

namespace tidemark::reader {
namespace {

using Kind = ValueTree::Kind;

} // namespace

StackDecoder::StackDecoder(TreeAccess& access, StringPool& strings, StackPool& stacks)
    : m_access(access)
    , m_strings(strings)
    , m_stacks(stacks)
    , m_known_frames(15)
    , m_known_lists(12)
{
}

StackId StackDecoder::decode(ValueTree::Node frames, Place place)
{
    if (const StackId* known = m_known_lists.find(frames)) {
        return *known;
    }
    ValueTree& tree = m_access.tree();
    const ValueTree::Value list = tree.value(frames);
    if (list.kind != Kind::list) {
        if (list.kind != Kind::nothing) {
            m_access.noteWrong(place, Key::frames);
        }
        return StackId::none();
    }
    m_scratch.clear();
    bool has_others = false;
    const auto count = static_cast<std::size_t>(list.integer);
    for (std::size_t i = 0; i < count; ++i) {
        if (const std::optional<FrameId> id = frame(tree.item(frames, i))) {
            m_scratch.push_back(*id);
        } else {
            has_others = true;
        }
    }
    const StackId id = m_scratch.empty() ? StackId::none() : m_stacks.internStack(m_scratch);
    if (has_others) {
        m_access.noteWrong(Place::frame, Key::unknown);
        m_access.settleStack(id);
    }
    m_known_lists.put(frames, id);
    return id;
}

std::optional<FrameId> StackDecoder::frame(ValueTree::Node node)
{
    if (const FrameId* known = m_known_frames.find(node)) {
        return *known;
    }
    const std::optional<FrameId> id = newFrame(node);
    if (id) {
        m_known_frames.put(node, *id);
    }
    return id;
}

std::optional<FrameId> StackDecoder::newFrame(ValueTree::Node node)
{
    if (m_access.tree().value(node).kind != Kind::dict) {
        return {};
    }
    Frame frame{m_strings.intern(""), m_strings.intern(""), 0};
    bool has_fx = false;
    m_access.forEachEntry(node, Place::frame, [&](Key key, ValueTree::Node value) {
        switch (key) {
        case Key::name:
            frame.name = m_strings.intern(m_access.text(value, Place::frame, key).value_or(""));
            break;
        case Key::filename:
            frame.filename = m_strings.intern(m_access.text(value, Place::frame, key).value_or(""));
            break;
        case Key::line: {
            const std::int64_t line = m_access.integer(value, Place::frame, key).value_or(0);
            if (line < 0 || line > std::numeric_limits<std::int32_t>::max()) {
                m_access.noteWrong(Place::frame, key);
            } else {
                frame.line = static_cast<std::int32_t>(line);
            }
            break;
        }
        case Key::fx_node_info:
        case Key::fx_node_name:
        case Key::fx_node_op:
        case Key::fx_node_target:
        case Key::fx_original_trace:
            has_fx = true;
            break;
        default:
            m_access.noteUnknown(Place::frame, key);
        }
    });
    if (has_fx) {
        m_access.noteFxFields();
    }
    const FrameId id = m_stacks.internFrame(frame);
    m_access.settleFrame(id);
    return id;
}

} // namespace tidemark::reader
