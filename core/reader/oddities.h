// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/string_pool.h"
#include "core/base/units.h"
#include "core/reader/other_fields.h"
#include "core/reader/snapshot_keys.h"
#include "core/trace/input_notes.h"
#include "core/trace/snapshot.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::reader {

using trace::Place;

/// What is not as torch writes it, on its way to notes and `Snapshot::other_fields`. Neither
/// depends on the order in which the parts of a snapshot are decoded.
class Oddities {
public:
    explicit Oddities(const StringPool& strings)
        : m_strings(strings)
        , m_fields(strings)
    {
    }

    /// An entry under a key that dictionaries of this kind do not have.
    void unknown(Place place, StringId key, StringId value);
    /// A value is not of the type or range that torch writes.
    void wrong(Place place, Key key);
    /// A value that belongs there is not there.
    void missing(Place place, Key key)
    {
        m_missing.add(place, key);
    }
    /// A segment's own sum of requested bytes is not that of its active blocks.
    void disagreement(Address segment, Bytes said, Bytes sum);
    void unknownAction(std::string_view name);
    void forwardFrames()
    {
        ++m_forward_frames;
    }
    void internalMetadata()
    {
        ++m_internal_metadata;
    }

    /// Says which frame the oddities of frames belong to that came since the last call. Frames are
    /// met again and again, but what is odd about one counts once.
    void settleFrame(FrameId frame)
    {
        if (!m_of_frame.empty()) {
            settle(frame.value);
        }
    }
    /// The same for what is odd about a list of frames.
    void settleStack(StackId stack)
    {
        if (!m_of_frame.empty()) {
            settle((std::uint64_t{1} << 32U) + stack.value);
        }
    }
    /// Number of the block in its segment that the next ones belong to.
    void setBlock(std::size_t block)
    {
        m_block = block;
    }
    /// Says which entry the unknown keys belong to that came since the last call:
    /// item(Place, block), see trace::OtherField.
    template <class Item>
    void settleEntry(std::int32_t device, Item&& item)
    {
        for (const Pending& p : m_pending) {
            m_fields.add({p.place, device, item(p.place, p.block), p.key, p.value});
        }
        m_pending.clear();
    }

    /// Adds all that was odd to `notes`, and the entries under unknown keys to `fields`.
    /// `fx_frames`: frames with FX fields.
    void finish(std::size_t fx_frames, trace::InputNotes& notes,
                std::vector<trace::OtherField>& fields);

private:
    /// Names seen, a few of them kept for the sentence: the first ones by place and alphabet.
    struct Names {
        std::set<std::pair<Place, std::string>> first;
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
    struct OfFrame {
        Key wrong; ///< Where `key` is none.
        StringId key;
        StringId value;
        friend auto operator<=>(const OfFrame&, const OfFrame&) = default;
    };
    struct Pending {
        Place place;
        std::size_t block;
        StringId key;
        StringId value;
    };

    void settle(std::uint64_t owner);
    void name(Place place, StringId key);
    void finishUnknown(std::size_t kept, trace::InputNotes& notes) const;

    const StringPool& m_strings;
    OtherFields m_fields;
    Names m_unknown_keys;
    Names m_unknown_actions;
    Example m_wrong;
    Example m_missing;
    std::string m_disagreement;
    std::int64_t m_disagreements = 0;
    std::int64_t m_forward_frames = 0;
    std::int64_t m_internal_metadata = 0;
    std::vector<Pending> m_pending;
    std::size_t m_block = 0;
    std::vector<OfFrame> m_of_frame;
    std::set<std::pair<std::uint64_t, OfFrame>> m_settled;
};

} // namespace tidemark::reader
