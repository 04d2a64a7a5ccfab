// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/event_decoder.h"

#include <string_view>

namespace tidemark::reader {

EventDecoder::EventDecoder(TreeAccess& access, StackDecoder& stacks, ForwardFrames& forward,
                           StringPool& strings)
    : m_access(access)
    , m_stacks(stacks)
    , m_forward(forward)
    , m_strings(strings)
    , m_known_actions(8)
{
}

/// An entry that is none becomes an event without effect, so that the others keep their
/// numbers.
trace::EventRecord EventDecoder::decode(Node node)
{
    trace::EventRecord record;
    std::optional<Address> address;
    std::optional<Address> device_free;
    bool has_action = false;
    bool has_size = false;
    m_access.forEachEntry(node, Place::event, [&](Key key, Node value) {
        switch (key) {
        case Key::action:
            has_action = action(value, record);
            break;
        case Key::addr:
            address = m_access.address(value, Place::event, key);
            break;
        case Key::device_free:
            if (const auto free = m_access.bytes(value, Place::event, key)) {
                device_free = static_cast<Address>(free->value);
            }
            break;
        case Key::size: {
            const std::optional<Bytes> size = m_access.bytes(value, Place::event, key);
            has_size = size.has_value();
            record.size = size.value_or(Bytes());
            break;
        }
        default:
            detail(key, value, record);
        }
    });
    const bool is_oom = record.action == trace::Action::oom;
    const std::optional<Address>& place = is_oom ? device_free : address;
    record.address = place.value_or(is_oom ? trace::Events::kFreeUnknown : 0);
    if (!has_action) {
        record.action_name = m_strings.intern("(none)");
        m_access.noteMissing(Place::event, Key::action);
    } else if (record.action < trace::Action::snapshot || is_oom) {
        if (!place) {
            m_access.noteMissing(Place::event, is_oom ? Key::device_free : Key::addr);
        }
        if (!has_size) {
            m_access.noteMissing(Place::event, Key::size);
        }
    }
    return record;
}

void EventDecoder::detail(Key key, Node value, trace::EventRecord& record)
{
    switch (key) {
    case Key::stream:
        record.stream = m_access.address(value, Place::event, key).value_or(0);
        break;
    case Key::time_us:
        record.time = m_access.time(value, Place::event, key);
        break;
    case Key::frames:
        record.stack = m_stacks.decode(value, Place::event);
        break;
    case Key::pool_id:
        record.pool = m_access.pool(value, Place::event, key);
        break;
    case Key::user_metadata:
        record.user_metadata = label(value, key);
        break;
    case Key::compile_context:
        record.compile_context = label(value, key);
        break;
    case Key::category:
        record.category = label(value, key);
        break;
    case Key::forward_frames:
        record.forward_frames = m_forward.decode(value, Place::event);
        break;
    case Key::internal_metadata:
        record.internal_metadata = label(value, key);
        if (!record.internal_metadata.isNone()) {
            m_access.oddities().internalMetadata();
        }
        break;
    default:
        m_access.noteUnknown(Place::event, key, value);
    }
}

// Torch writes "" or "N/A" where there is nothing to say.
StringId EventDecoder::label(Node node, Key key)
{
    const std::string_view text = m_access.text(node, Place::event, key).value_or("");
    return text.empty() || text == "N/A" ? StringId::none() : m_access.textIds().of(node, text);
}

bool EventDecoder::action(Node node, trace::EventRecord& record)
{
    if (const trace::Action* known = m_known_actions.find(node)) {
        record.action = *known;
        return true;
    }
    const std::optional<std::string_view> name = m_access.text(node, Place::event, Key::action);
    if (!name) {
        return false;
    }
    record.action = trace::actionFromName(*name);
    if (record.action == trace::Action::other) {
        record.action_name = m_access.textIds().of(node, *name);
        m_access.oddities().unknownAction(*name);
    } else {
        m_known_actions.put(node, record.action);
    }
    return true;
}

} // namespace tidemark::reader
