// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/string_pool.h"
#include "core/base/units.h"
#include "core/reader/node_cache.h"
#include "core/reader/oddities.h"
#include "core/reader/snapshot_keys.h"
#include "core/reader/text_ids.h"
#include "core/reader/value_tree.h"
#include "core/trace/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace tidemark::reader {

/// No machine has more than 64 TiB of memory; sums over a whole file stay far inside 64 bits.
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 46;
/// Microseconds since 1970: beyond any clock (the year 2255), and differences are exact as double,
/// too.
inline constexpr std::int64_t kLatestTime = std::int64_t{1} << 53;

/// Typed looks into a value tree. What is not as torch writes it never stops the reading: it
/// becomes an oddity. None counts as an absent value everywhere.
///
/// What looking costs is counted, too: by sharing values, a small file can describe more entries
/// than any machine holds.
class TreeAccess {
public:
    TreeAccess(ValueTree& tree, StringPool& strings);

    using Node = ValueTree::Node;
    [[nodiscard]] ValueTree& tree()
    {
        return m_tree;
    }

    /// Says that `bytes` of memory, or as many short steps, were needed.
    void spend(std::uint64_t bytes)
    {
        m_spent += bytes;
    }
    void allow(std::uint64_t bytes)
    {
        m_allowance = bytes;
    }
    [[nodiscard]] bool isOverspent() const
    {
        return m_spent > m_allowance;
    }

    /// Calls visit(Key, Node) for each entry with a known key; the others are noted. A value that
    /// is no dictionary is noted as wrong.
    template <class Visit>
    void forEachEntry(Node dict, Place place, Visit&& visit)
    {
        if (m_tree.value(dict).kind != ValueTree::Kind::dict) {
            noteWrong(place, Key::unknown);
            return;
        }
        std::ptrdiff_t position = 0;
        ValueTree::Entry entry;
        while (m_tree.nextEntry(dict, position, entry)) {
            ++m_spent;
            const Key key = keyOf(entry.key);
            if (key == Key::unknown) {
                noteUnknown(place, entry.key, entry.value);
            } else {
                visit(key, entry.value);
            }
        }
    }

    /// Number of items, 0 for what is no list.
    std::size_t listSize(Node node);
    /// Nothing and a note for anything but an integer of at most 64 bits.
    std::optional<std::int64_t> integer(Node node, Place place, Key key);
    /// The bits of a signed or unsigned 64-bit integer: torch's C++ route writes addresses signed.
    std::optional<std::uint64_t> address(Node node, Place place, Key key);
    /// An amount of memory: not negative and at most 64 TiB.
    std::optional<Bytes> bytes(Node node, Place place, Key key);
    std::optional<TimePoint> time(Node node, Place place, Key key);
    std::optional<bool> boolean(Node node, Place place, Key key);
    std::optional<std::string_view> text(Node node, Place place, Key key);
    /// A text by its id in the pool.
    std::optional<StringId> textId(Node node, Place place, Key key);
    /// A value of any kind as text, by its id; cut off where it is long and no text itself.
    StringId shownId(Node node);
    /// Two integers in a list or tuple.
    std::optional<trace::PoolId> pool(Node node, Place place, Key key);

    /// A key of this name is not one that this kind of dictionary has. The entry is kept.
    void noteUnknown(Place place, Node key, Node value);
    void noteUnknown(Place place, Key key, Node value);
    void noteWrong(Place place, Key key)
    {
        m_oddities.wrong(place, key);
    }
    void noteMissing(Place place, Key key)
    {
        m_oddities.missing(place, key);
    }
    [[nodiscard]] TextIds& textIds()
    {
        return m_text_ids;
    }
    /// For what needs more words.
    [[nodiscard]] Oddities& oddities()
    {
        return m_oddities;
    }

private:
    Key keyOf(Node key);

    ValueTree& m_tree;
    StringPool& m_strings;
    TextIds m_text_ids;
    NodeCache<Key> m_keys;
    Oddities m_oddities;
    std::uint64_t m_spent = 0;
    std::uint64_t m_allowance = std::numeric_limits<std::uint64_t>::max();
};

} // namespace tidemark::reader
