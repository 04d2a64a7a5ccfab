// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/stack_decoder.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace tidemark::reader {
namespace {

} // namespace

StackDecoder::StackDecoder(TreeAccess& access, StringPool& strings, StackPool& stacks)
    : m_access(access)
    , m_strings(strings)
    , m_stacks(stacks)
    , m_known_frames(15)
{
}

StackId StackDecoder::decode(ValueTree::Node frames, Place place)
{
    if (const StackId* known = m_known_lists.find(frames)) {
        return *known;
    }
    ValueTree& tree = m_access.tree();
    const ValueTree::Value list = tree.value(frames);
    if (list.kind != NodeKind::list) {
        if (list.kind != NodeKind::nothing) {
            m_access.noteWrong(place, Key::frames);
        }
        return StackId::none();
    }
    m_scratch.clear();
    bool has_others = false;
    const auto count = static_cast<std::size_t>(list.integer);
    m_access.spend(count);
    for (std::size_t i = 0; i < count && !m_access.isOverspent(); ++i) {
        if (const std::optional<FrameId> id = frame(tree.item(frames, i))) {
            m_scratch.push_back(*id);
        } else {
            has_others = true;
        }
    }
    const StackId id = m_scratch.empty() ? StackId::none() : m_stacks.internStack(m_scratch);
    if (has_others) {
        m_access.noteWrong(Place::frame, Key::unknown);
        m_access.oddities().settleStack(id);
    }
    m_known_lists.put(frames, count, id);
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
    if (m_access.tree().value(node).kind != NodeKind::dict) {
        return {};
    }
    Frame frame{m_strings.intern(""), m_strings.intern(""), 0};
    trace::FrameFx fx;
    bool has_fx = false;
    m_access.forEachEntry(node, Place::frame, [&](Key key, ValueTree::Node value) {
        if (part(key, value, frame)) {
            return;
        }
        if (fxPart(key, value, fx)) {
            has_fx = true;
        } else {
            m_access.noteUnknown(Place::frame, key, value);
        }
    });
    const FrameId id = m_stacks.internFrame(frame);
    m_access.oddities().settleFrame(id);
    if (has_fx) {
        fx.frame = id;
        keepFx(fx);
    }
    return id;
}

/// False for a key that is none of torch's usual three.
bool StackDecoder::part(Key key, ValueTree::Node value, Frame& frame)
{
    switch (key) {
    case Key::name:
        frame.name = m_access.textId(value, Place::frame, key).value_or(frame.name);
        return true;
    case Key::filename:
        frame.filename = m_access.textId(value, Place::frame, key).value_or(frame.filename);
        return true;
    case Key::line: {
        // Python has no line for some instructions of generated code; torch writes that as 2^64
        // - 1.
        constexpr std::int64_t kNoLine = -1;
        const std::int64_t line = m_access.integer(value, Place::frame, key).value_or(0);
        if (line == kNoLine) {
            return true;
        }
        if (line < 0 || line > std::numeric_limits<std::int32_t>::max()) {
            m_access.noteWrong(Place::frame, key);
        } else {
            frame.line = static_cast<std::int32_t>(line);
        }
        return true;
    }
    default:
        return false;
    }
}

bool StackDecoder::fxPart(Key key, ValueTree::Node value, trace::FrameFx& fx)
{
    const auto text = [&] {
        return m_access.textId(value, Place::frame, key).value_or(StringId());
    };
    switch (key) {
    case Key::fx_node_info:
        fx.info = m_access.shownId(value);
        return true;
    case Key::fx_node_name:
        fx.name = text();
        return true;
    case Key::fx_node_op:
        fx.op = text();
        return true;
    case Key::fx_node_target:
        fx.target = text();
        return true;
    case Key::fx_original_trace:
        fx.original_trace = text();
        return true;
    default:
        return false;
    }
}

void StackDecoder::keepFx(const trace::FrameFx& fx)
{
    const auto [it, is_new] = m_fx.try_emplace(fx.frame, fx);
    if (is_new || it->second == fx) {
        return;
    }
    const auto texts = [this](const trace::FrameFx& f) {
        return std::array{m_strings.text(f.op), m_strings.text(f.name), m_strings.text(f.target),
                          m_strings.text(f.original_trace), m_strings.text(f.info)};
    };
    if (texts(fx) < texts(it->second)) {
        it->second = fx;
    }
}

std::vector<trace::FrameFx> StackDecoder::fx() const
{
    std::vector<trace::FrameFx> result;
    result.reserve(m_fx.size());
    for (const auto& [frame, fx] : m_fx) {
        result.push_back(fx);
    }
    std::ranges::sort(result, {}, &trace::FrameFx::frame);
    return result;
}

} // namespace tidemark::reader
