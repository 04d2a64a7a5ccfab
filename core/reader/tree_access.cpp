// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/tree_access.h"

#include "core/reader/value_text.h"

#include <cmath>
#include <string>

namespace tidemark::reader {
namespace {

/// A value that no part of the program looks into needs no more than this.
constexpr std::size_t kLongestShown = 256;
constexpr std::uint64_t kUnknownCost = 16;

} // namespace

TreeAccess::TreeAccess(ValueTree& tree, StringPool& strings)
    : m_tree(tree)
    , m_strings(strings)
    , m_text_ids(strings)
    , m_keys(10)
    , m_oddities(strings)
{
}

Key TreeAccess::keyOf(Node key)
{
    if (const Key* known = m_keys.find(key)) {
        return *known;
    }
    const ValueTree::Value value = m_tree.value(key);
    const Key result = value.kind == NodeKind::text ? keyFromName(value.text) : Key::unknown;
    m_keys.put(key, result);
    return result;
}

std::size_t TreeAccess::listSize(Node node)
{
    const ValueTree::Value value = m_tree.value(node);
    return value.kind == NodeKind::list ? static_cast<std::size_t>(value.integer) : 0;
}

std::optional<std::int64_t> TreeAccess::integer(Node node, Place place, Key key)
{
    const ValueTree::Value value = m_tree.value(node);
    switch (value.kind) {
    case NodeKind::integer:
    case NodeKind::boolean:
        return value.integer;
    case NodeKind::floating: {
        // Some tools write whole numbers as floats; above 2^53 they are not exact any more.
        constexpr double kExact = 9007199254740992.0;
        if (std::trunc(value.floating) == value.floating && std::abs(value.floating) <= kExact) {
            return static_cast<std::int64_t>(value.floating);
        }
        break;
    }
    case NodeKind::nothing:
        return {};
    default:
        break;
    }
    noteWrong(place, key);
    return {};
}

std::optional<std::uint64_t> TreeAccess::address(Node node, Place place, Key key)
{
    const std::optional<std::int64_t> value = integer(node, place, key);
    return value ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
}

std::optional<Bytes> TreeAccess::bytes(Node node, Place place, Key key)
{
    const std::optional<std::int64_t> value = integer(node, place, key);
    if (value && (*value < 0 || *value > kLargestSize)) {
        noteWrong(place, key);
        return {};
    }
    return value ? std::optional(Bytes{*value}) : std::nullopt;
}

std::optional<TimePoint> TreeAccess::time(Node node, Place place, Key key)
{
    const std::optional<std::int64_t> value = integer(node, place, key);
    if (value && (*value < -kLatestTime || *value > kLatestTime)) {
        noteWrong(place, key);
        return {};
    }
    return value ? std::optional(TimePoint(Duration(*value))) : std::nullopt;
}

std::optional<bool> TreeAccess::boolean(Node node, Place place, Key key)
{
    const std::optional<std::int64_t> value = integer(node, place, key);
    return value ? std::optional(*value != 0) : std::nullopt;
}

std::optional<std::string_view> TreeAccess::text(Node node, Place place, Key key)
{
    const ValueTree::Value value = m_tree.value(node);
    if (value.kind == NodeKind::text) {
        return value.text;
    }
    if (value.kind != NodeKind::nothing) {
        noteWrong(place, key);
    }
    return {};
}

std::optional<trace::PoolId> TreeAccess::pool(Node node, Place place, Key key)
{
    const ValueTree::Value value = m_tree.value(node);
    if (value.kind == NodeKind::nothing) {
        return {};
    }
    if (value.kind != NodeKind::list || value.integer != 2) {
        noteWrong(place, key);
        return {};
    }
    const std::optional<std::uint64_t> graph = address(m_tree.item(node, 0), place, key);
    const std::optional<std::uint64_t> user = address(m_tree.item(node, 1), place, key);
    if (!graph || !user) {
        return {};
    }
    return trace::PoolId{*graph, *user};
}

std::optional<StringId> TreeAccess::textId(Node node, Place place, Key key)
{
    const std::optional<std::string_view> found = text(node, place, key);
    return found ? std::optional(m_text_ids.of(node, *found)) : std::nullopt;
}

StringId TreeAccess::shownId(Node node)
{
    const ValueTree::Value value = m_tree.value(node);
    if (value.kind == NodeKind::text) {
        return m_text_ids.of(node, value.text);
    }
    const std::string shown = valueText(m_tree, node, kLongestShown);
    spend(shown.size());
    return m_strings.intern(shown);
}

void TreeAccess::noteUnknown(Place place, Node key, Node value)
{
    spend(kUnknownCost);
    m_oddities.unknown(place, shownId(key), shownId(value));
}

void TreeAccess::noteUnknown(Place place, Key key, Node value)
{
    spend(kUnknownCost);
    m_oddities.unknown(place, m_strings.intern(keyName(key)), shownId(value));
}

} // namespace tidemark::reader
