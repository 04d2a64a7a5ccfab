// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/units.h"
#include "core/reader/node_cache.h"
#include "core/reader/snapshot_keys.h"
#include "core/reader/value_tree.h"
#include "core/trace/snapshot.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::reader {

/// No machine has more than 64 TiB of memory; sums over a whole file stay far inside 64 bits.
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 46;

/// Which kind of dictionary a value was found in, for the words of a note.
enum class Place : std::uint8_t { top, segment, block, history, event, frame, annotation };

/// Typed looks into a value tree. What is not as torch writes it never stops the reading: it is
/// counted here and becomes input notes at the end. None counts as an absent value everywhere.
class TreeAccess {
public:
    explicit TreeAccess(ValueTree& tree);

    using Node = ValueTree::Node;
    [[nodiscard]] ValueTree& tree()
    {
        return m_tree;
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
            const Key key = keyOf(entry.key);
            if (key == Key::unknown) {
                noteUnknown(place, entry.key);
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
    std::optional<bool> boolean(Node node, Place place, Key key);
    std::optional<std::string_view> text(Node node, Place place, Key key);
    /// Two integers in a list or tuple.
    std::optional<trace::PoolId> pool(Node node, Place place, Key key);

    /// A key of this name is not one that this kind of dictionary has.
    void noteUnknown(Place place, Node key);
    void noteUnknown(Place place, Key key)
    {
        addUnknown(place, keyName(key));
    }
    void noteWrong(Place place, Key key);
    void noteMissing(Place place, Key key);
    /// A segment's own sum of requested bytes is not that of its active blocks.
    void noteDisagreement(Address segment, Bytes said, Bytes sum);
    void noteForwardFrames()
    {
        ++m_forward_frames;
    }
    void noteFxFields();
    void noteInternalMetadata()
    {
        ++m_internal_metadata;
    }
    void noteUnknownAction(std::string_view name);
    /// Says which frame the notes with Place::frame belong to that came since the last call. Frames
    /// are met again and again, but what is odd about one counts once.
    void settleFrame(FrameId frame)
    {
        if (!m_frame_notes.empty()) {
            settle(frame.value);
        }
    }
    /// The same for what is odd about a list of frames.
    void settleStack(StackId stack)
    {
        if (!m_frame_notes.empty()) {
            settle((std::uint64_t{1} << 32U) + stack.value);
        }
    }
    /// Moves everything noted so far into `notes`.
    void finish(trace::InputNotes& notes) const;

private:
    /// Names seen, a few of them kept for the sentence: which ones does not depend on the order in
    /// which the parts of a snapshot are decoded.
    struct Names {
        std::set<std::pair<Place, std::string>> first; ///< By place, then name.
        std::int64_t count = 0;
        void add(Place place, std::string name);
        [[nodiscard]] std::string list() const;
    };
    /// The same for values of known keys.
    struct Example {
        Place place = Place::top;
        Key key = Key::unknown;
        std::int64_t count = 0;
        void add(Place at, Key what);
        [[nodiscard]] std::string text() const;
    };
    struct FrameNote {
        enum class What : std::uint8_t { wrong, unknown, fx };
        What what;
        Key key;
        std::string name;
        friend auto operator<=>(const FrameNote&, const FrameNote&) = default;
    };

    Key keyOf(Node key);
    void addUnknown(Place place, std::string_view name);
    void addUnknownText(Place place, std::string_view name);
    void settle(std::uint64_t owner);

    ValueTree& m_tree;
    NodeCache<Key> m_keys;
    Names m_unknown_keys;
    Names m_unknown_actions;
    Example m_wrong;
    Example m_missing;
    std::string m_disagreement;
    std::int64_t m_disagreements = 0;
    std::int64_t m_forward_frames = 0;
    std::int64_t m_fx_fields = 0;
    std::int64_t m_internal_metadata = 0;
    std::vector<FrameNote> m_frame_notes;
    std::set<std::pair<std::uint64_t, FrameNote>> m_settled;
};

} // namespace tidemark::reader
