// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/native_event_decoder.h"

#include <cstddef>
#include <string_view>

namespace tidemark::reader {
namespace {

/// Keys of an entry are among the first texts of a file.
constexpr std::size_t kTextsLookedUp = 65536;

constexpr std::uint64_t bitOf(Key key)
{
    return std::uint64_t{1} << static_cast<unsigned>(key);
}
static_assert(static_cast<unsigned>(Key::user_metadata) < 64);

} // namespace

NativeEventDecoder::NativeEventDecoder(NativeStore& store, trace::SnapshotBuilder& builder,
                                       SnapshotDecoder& decoder)
    : m_store(store)
    , m_builder(builder)
    , m_decoder(decoder)
    , m_actions(8)
    , m_labels(10)
{
}

bool NativeEventDecoder::add(std::span<const Slot> entries, std::int32_t device)
{
    Parts parts;
    for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
        if (!take(parts, entries[i], entries[i + 1])) {
            return false;
        }
    }
    const bool is_oom = parts.record.action == trace::Action::oom;
    constexpr std::uint64_t kNeeded = bitOf(Key::action) | bitOf(Key::size);
    if ((parts.seen & kNeeded) != kNeeded || is_oom != parts.has_device_free
        || is_oom == parts.has_address) {
        return false;
    }
    if (!parts.frames.isAbsent()) {
        parts.record.stack = m_decoder.stack(NativeStore::nodeOf(parts.frames));
    }
    m_builder.addEvent(device, parts.record);
    return true;
}

bool NativeEventDecoder::take(Parts& parts, Slot key, Slot value)
{
    const Key known = keyOf(key);
    if ((parts.seen & bitOf(known)) != 0) {
        return false;
    }
    parts.seen |= bitOf(known);
    trace::EventRecord& record = parts.record;
    const bool is_integer = value.kind() == SlotKind::integer;
    switch (known) {
    case Key::action:
        return action(parts, value);
    case Key::addr:
        parts.has_address = true;
        record.address = static_cast<Address>(value.number());
        return is_integer;
    case Key::size:
        record.size = Bytes{value.number()};
        return is_integer && record.size.value >= 0 && record.size.value <= kLargestSize;
    case Key::stream:
        record.stream = static_cast<std::uint64_t>(value.number());
        return is_integer;
    case Key::time_us:
        record.time = TimePoint(Duration(value.number()));
        return is_integer && value.number() >= -kLatestTime && value.number() <= kLatestTime;
    case Key::frames:
        parts.frames = value;
        return value.kind() == SlotKind::list;
    default:
        return takeRare(parts, known, value);
    }
}

bool NativeEventDecoder::takeRare(Parts& parts, Key key, Slot value)
{
    trace::EventRecord& record = parts.record;
    switch (key) {
    case Key::device_free:
        parts.has_device_free = true;
        record.address = static_cast<Address>(value.number());
        return value.kind() == SlotKind::integer && value.number() >= 0
            && value.number() <= kLargestSize;
    case Key::compile_context:
        return label(record.compile_context, value);
    case Key::user_metadata:
        return label(record.user_metadata, value);
    case Key::category:
        return label(record.category, value);
    case Key::pool_id: {
        if (value.kind() != SlotKind::list) {
            return false;
        }
        const std::span<const Slot> ids = m_store.itemsOf(value);
        if (ids.size() != 2 || ids[0].kind() != SlotKind::integer
            || ids[1].kind() != SlotKind::integer) {
            return false;
        }
        record.pool = trace::PoolId{static_cast<std::uint64_t>(ids[0].number()),
                                    static_cast<std::uint64_t>(ids[1].number())};
        return true;
    }
    default:
        return false;
    }
}

bool NativeEventDecoder::action(Parts& parts, Slot value)
{
    const ValueTree::Node node = NativeStore::nodeOf(value);
    if (const trace::Action* known = m_actions.find(node)) {
        parts.record.action = *known;
        return true;
    }
    if (value.kind() != SlotKind::text) {
        return false;
    }
    parts.record.action = trace::actionFromName(m_store.rawText(value));
    if (parts.record.action == trace::Action::other) {
        return false;
    }
    m_actions.put(node, parts.record.action);
    return true;
}

bool NativeEventDecoder::label(StringId& target, Slot value)
{
    if (value.kind() != SlotKind::text) {
        return false;
    }
    const ValueTree::Node node = NativeStore::nodeOf(value);
    if (const StringId* known = m_labels.find(node)) {
        target = *known;
        return true;
    }
    const std::string_view text = m_store.value(node).text;
    // Torch writes "" or "N/A" where there is nothing to say.
    target = text.empty() || text == "N/A" ? StringId::none() : m_builder.strings().intern(text);
    m_labels.put(node, target);
    return true;
}

Key NativeEventDecoder::keyOf(Slot text)
{
    const std::uint64_t id = text.payload();
    if (text.kind() != SlotKind::text || id >= kTextsLookedUp) {
        return Key::unknown;
    }
    if (id >= m_keys.size()) {
        m_keys.resize(id + 64);
    }
    if (m_keys[id] == 0) {
        m_keys[id] = static_cast<std::uint8_t>(keyFromName(m_store.rawText(text))) + 1;
    }
    return static_cast<Key>(m_keys[id] - 1);
}

} // namespace tidemark::reader
