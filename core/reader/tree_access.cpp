// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/tree_access.h"

#include "core/reader/printable.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace tidemark::reader {
namespace {

using Kind = ValueTree::Kind;

constexpr std::size_t kNamesKept = 12;

std::string_view placeName(Place place)
{
    constexpr std::array<std::string_view, 7> kNames{
        "the top level", "segments",     "blocks",     "block history",
        "trace entries", "stack frames", "annotations"};
    return kNames[static_cast<std::size_t>(place)];
}

} // namespace

TreeAccess::TreeAccess(ValueTree& tree)
    : m_tree(tree)
    , m_keys(10)
{
}

Key TreeAccess::keyOf(Node key)
{
    if (const Key* known = m_keys.find(key)) {
        return *known;
    }
    const ValueTree::Value value = m_tree.value(key);
    const Key result = value.kind == Kind::text ? keyFromName(value.text) : Key::unknown;
    m_keys.put(key, result);
    return result;
}

std::size_t TreeAccess::listSize(Node node)
{
    const ValueTree::Value value = m_tree.value(node);
    return value.kind == Kind::list ? static_cast<std::size_t>(value.integer) : 0;
}

std::optional<std::int64_t> TreeAccess::integer(Node node, Place place, Key key)
{
    const ValueTree::Value value = m_tree.value(node);
    switch (value.kind) {
    case Kind::integer:
    case Kind::boolean:
        return value.integer;
    case Kind::floating: {
        // Some tools write whole numbers as floats; above 2^53 they are not exact any more.
        constexpr double kExact = 9007199254740992.0;
        if (std::trunc(value.floating) == value.floating && std::abs(value.floating) <= kExact) {
            return static_cast<std::int64_t>(value.floating);
        }
        break;
    }
    case Kind::nothing:
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

std::optional<bool> TreeAccess::boolean(Node node, Place place, Key key)
{
    const std::optional<std::int64_t> value = integer(node, place, key);
    return value ? std::optional(*value != 0) : std::nullopt;
}

std::optional<std::string_view> TreeAccess::text(Node node, Place place, Key key)
{
    const ValueTree::Value value = m_tree.value(node);
    if (value.kind == Kind::text) {
        return value.text;
    }
    if (value.kind != Kind::nothing) {
        noteWrong(place, key);
    }
    return {};
}

std::optional<trace::PoolId> TreeAccess::pool(Node node, Place place, Key key)
{
    const ValueTree::Value value = m_tree.value(node);
    if (value.kind == Kind::nothing) {
        return {};
    }
    if (value.kind != Kind::list || value.integer != 2) {
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

void TreeAccess::Names::add(Place place, std::string name)
{
    ++count;
    first.emplace(place, std::move(name));
    if (first.size() > kNamesKept) {
        first.erase(std::prev(first.end()));
    }
}

std::string TreeAccess::Names::list() const
{
    std::string result;
    for (const auto& [place, name] : first) {
        result += result.empty() ? name : ", " + name;
    }
    return result;
}

void TreeAccess::Example::add(Place at, Key what)
{
    if (count++ == 0 || std::pair(at, what) < std::pair(place, key)) {
        place = at;
        key = what;
    }
}

std::string TreeAccess::Example::text() const
{
    return key == Key::unknown ? fmt::format("an entry of {}", placeName(place))
                               : fmt::format("`{}` in {}", keyName(key), placeName(place));
}

void TreeAccess::noteUnknown(Place place, Node key)
{
    const ValueTree::Value value = m_tree.value(key);
    addUnknown(place, value.kind == Kind::text ? value.text : "a key that is no text");
}

void TreeAccess::addUnknown(Place place, std::string_view name)
{
    if (place == Place::frame) {
        m_frame_notes.push_back({FrameNote::What::unknown, Key::unknown, printable(name)});
    } else {
        addUnknownText(place, printable(name));
    }
}

void TreeAccess::addUnknownText(Place place, std::string_view name)
{
    m_unknown_keys.add(place, fmt::format("{} ({})", name, placeName(place)));
}

void TreeAccess::noteWrong(Place place, Key key)
{
    if (place == Place::frame) {
        m_frame_notes.push_back({FrameNote::What::wrong, key, {}});
    } else {
        m_wrong.add(place, key);
    }
}

void TreeAccess::noteFxFields()
{
    m_frame_notes.push_back({FrameNote::What::fx, Key::unknown, {}});
}

void TreeAccess::settle(std::uint64_t owner)
{
    for (const FrameNote& note : m_frame_notes) {
        if (!m_settled.emplace(owner, note).second) {
            continue;
        }
        switch (note.what) {
        case FrameNote::What::unknown:
            addUnknownText(Place::frame, note.name);
            break;
        case FrameNote::What::wrong:
            m_wrong.add(Place::frame, note.key);
            break;
        case FrameNote::What::fx:
            ++m_fx_fields;
            break;
        }
    }
    m_frame_notes.clear();
}

void TreeAccess::noteMissing(Place place, Key key)
{
    m_missing.add(place, key);
}

void TreeAccess::noteDisagreement(Address segment, Bytes said, Bytes sum)
{
    if (m_disagreements++ == 0) {
        m_disagreement = fmt::format("segment 0x{:x} says {} B, its blocks {} B", segment,
                                     said.value, sum.value);
    }
}

void TreeAccess::noteUnknownAction(std::string_view name)
{
    m_unknown_actions.add(Place::event, printable(name));
}

void TreeAccess::finish(trace::InputNotes& notes) const
{
    if (m_unknown_keys.count > 0) {
        notes.add("unknown-keys",
                  fmt::format("Keys that this version does not know were left out: {}.",
                              m_unknown_keys.list()),
                  m_unknown_keys.count);
    }
    if (m_unknown_actions.count > 0) {
        notes.add("unknown-actions",
                  fmt::format("Actions that this version does not know are kept as events and "
                              "change no total: {}.",
                              m_unknown_actions.list()),
                  m_unknown_actions.count);
    }
    if (m_wrong.count > 0) {
        notes.add("wrong-type",
                  fmt::format("A value is not of the type or range that torch writes and was left "
                              "out, for example {}.",
                              m_wrong.text()),
                  m_wrong.count);
    }
    if (m_missing.count > 0) {
        notes.add(
            "missing-values",
            fmt::format("A value that belongs there is missing and counts as 0, for example {}.",
                        m_missing.text()),
            m_missing.count);
    }
    if (m_disagreements > 0) {
        notes.add("segment-sum-mismatch",
                  fmt::format("Requested bytes of segments disagree with those of their active "
                              "blocks, first {}; the "
                              "blocks are used.",
                              m_disagreement),
                  m_disagreements);
    }
    if (m_forward_frames > 0) {
        notes.add("forward-frames",
                  "Entries carry the forward stack of a backward allocation (forward_frames), "
                  "which is not shown.",
                  m_forward_frames);
    }
    if (m_fx_fields > 0) {
        notes.add("fx-fields", "Stack frames carry FX graph fields (fx_*), which are not shown.",
                  m_fx_fields);
    }
    if (m_internal_metadata > 0) {
        notes.add("internal-metadata",
                  "Events carry the allocator's own tag (internal_metadata); they are counted like "
                  "any other.",
                  m_internal_metadata);
    }
}

} // namespace tidemark::reader
