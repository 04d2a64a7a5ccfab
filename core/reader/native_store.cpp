// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/native_store.h"

#include "core/reader/utf8.h"

#include <algorithm>

namespace tidemark::reader {
namespace {

/// Longer containers do not repeat; they are stored without being looked for.
constexpr std::size_t kLongestShared = 2048;
constexpr std::uint64_t kCountBits = 40;
constexpr std::uint64_t kCountMask = (std::uint64_t{1} << kCountBits) - 1;
constexpr std::uint32_t kDeepestCounted = 0xffff;
constexpr std::uint64_t kIsDict = std::uint64_t{1} << 63U;
/// What a text costs beyond its bytes, about: its record and its places in the tables.
constexpr std::uint64_t kTextOverhead = 48;
/// What a container that is looked for costs beyond its items: its start and its place in the
/// index.
constexpr std::uint64_t kSharedOverhead = 32;

} // namespace

std::optional<Slot> NativeStore::text(std::string_view utf8)
{
    const StringId known = m_texts.find(utf8);
    if (!known.isNone()) {
        return Slot::of(Slot::Kind::text, known.value);
    }
    const Utf8 check = checkUtf8(utf8);
    if (check == Utf8::invalid || m_texts.size() >= StringId::kNoneValue - 1) {
        return {};
    }
    const StringId id = m_texts.intern(utf8);
    m_text_bytes += utf8.size() + kTextOverhead;
    if (check == Utf8::with_surrogates) {
        m_replaced.emplace(id.value, replaceSurrogates(utf8));
    }
    return Slot::of(Slot::Kind::text, id.value);
}

std::optional<Slot> NativeStore::strictText(std::string_view utf8)
{
    return checkUtf8(utf8) == Utf8::valid ? text(utf8) : std::nullopt;
}

Slot NativeStore::integer(std::int64_t number)
{
    const Slot slot = Slot::ofNumber(number);
    if (slot.number() == number) {
        return slot;
    }
    m_wide.push_back(number);
    return Slot::of(Slot::Kind::wide_integer, m_wide.size() - 1);
}

Slot NativeStore::floating(double number)
{
    m_floats.push_back(number);
    return Slot::of(Slot::Kind::floating, m_floats.size() - 1);
}

Slot NativeStore::list(std::span<const Slot> items)
{
    return container(Slot::Kind::list, items);
}

Slot NativeStore::dict(std::span<const Slot> entries)
{
    return container(Slot::Kind::dict, entries);
}

Slot NativeStore::container(Slot::Kind kind, std::span<const Slot> items)
{
    if (items.size() > kLongestShared || m_starts.size() >= IdIndex::kNone) {
        return store(kind, items);
    }
    const std::string_view bytes(reinterpret_cast<const char*>(items.data()), items.size_bytes());
    const auto isSame = [&](std::uint32_t number) {
        const std::uint64_t offset = m_starts[number];
        const bool is_dict = (m_items[offset].word & kIsDict) != 0;
        return is_dict == (kind == Slot::Kind::dict)
            && std::ranges::equal(itemsOf(Slot::of(kind, offset)), items);
    };
    const auto [number, is_new] = m_index.findOrAdd(m_hash.bytes(bytes), m_starts.size(), isSame);
    if (!is_new) {
        return Slot::of(kind, m_starts[number]);
    }
    const Slot slot = store(kind, items);
    m_starts.push_back(slot.payload());
    return slot;
}

Slot NativeStore::store(Slot::Kind kind, std::span<const Slot> items)
{
    std::uint32_t depth = 0;
    for (const Slot item : items) {
        depth = std::max(depth, depthOf(item));
    }
    const std::uint64_t offset = m_items.size();
    const std::uint64_t depth_bits = std::uint64_t{std::min(depth + 1, kDeepestCounted)}
        << kCountBits;
    m_items.push_back({(kind == Slot::Kind::dict ? kIsDict : 0) | depth_bits | items.size()});
    m_items.insert(m_items.end(), items.begin(), items.end());
    return Slot::of(kind, offset);
}

std::uint32_t NativeStore::depthOf(Slot slot) const
{
    if (!slot.isContainer()) {
        return 0;
    }
    return static_cast<std::uint32_t>(m_items[slot.payload()].word >> kCountBits) & kDeepestCounted;
}

std::span<const Slot> NativeStore::itemsOf(Slot container) const
{
    if (container.kind() == Slot::Kind::view) {
        return m_view;
    }
    const std::uint64_t offset = container.payload();
    return std::span(m_items).subspan(offset + 1, m_items[offset].word & kCountMask);
}

std::string_view NativeStore::rawText(Slot text) const
{
    return m_texts.text(StringId(static_cast<std::uint32_t>(text.payload())));
}

std::uint64_t NativeStore::memoryBytes() const
{
    return m_text_bytes + m_items.capacity() * sizeof(Slot) + m_starts.size() * kSharedOverhead
        + m_wide.capacity() * sizeof(std::int64_t) + m_floats.capacity() * sizeof(double);
}

std::string_view NativeStore::shownText(std::uint64_t id)
{
    if (!m_replaced.empty()) {
        const auto it = m_replaced.find(id);
        if (it != m_replaced.end()) {
            return it->second;
        }
    }
    return m_texts.text(StringId(static_cast<std::uint32_t>(id)));
}

ValueTree::Value NativeStore::value(Node node)
{
    const Slot slot{node.word};
    const auto count = [&] { return static_cast<std::int64_t>(itemsOf(slot).size()); };
    switch (slot.kind()) {
    case Slot::Kind::none:
        return {Kind::nothing, 0, 0.0, {}};
    case Slot::Kind::boolean:
        return {Kind::boolean, slot.number(), 0.0, {}};
    case Slot::Kind::integer:
        return {Kind::integer, slot.number(), 0.0, {}};
    case Slot::Kind::wide_integer:
        return {Kind::integer, m_wide[slot.payload()], 0.0, {}};
    case Slot::Kind::huge_integer:
        return {Kind::huge_integer, 0, 0.0, {}};
    case Slot::Kind::floating:
        return {Kind::floating, 0, m_floats[slot.payload()], {}};
    case Slot::Kind::text:
        return {Kind::text, 0, 0.0, shownText(slot.payload())};
    case Slot::Kind::list:
        return {Kind::list, count(), 0.0, {}};
    case Slot::Kind::dict:
    case Slot::Kind::view:
        return {Kind::dict, count() / 2, 0.0, {}};
    default:
        return {Kind::other, 0, 0.0, {}};
    }
}

ValueTree::Node NativeStore::item(Node list, std::size_t index)
{
    return nodeOf(itemsOf({list.word})[index]);
}

bool NativeStore::nextEntry(Node dict, std::ptrdiff_t& position, Entry& entry)
{
    const std::span<const Slot> entries = itemsOf({dict.word});
    const auto at = static_cast<std::size_t>(position);
    if (at >= entries.size()) {
        return false;
    }
    entry = {nodeOf(entries[at]), nodeOf(entries[at + 1])};
    position += 2;
    return true;
}

} // namespace tidemark::reader
