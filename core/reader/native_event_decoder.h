// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/native_store.h"
#include "core/reader/node_cache.h"
#include "core/reader/snapshot_decoder.h"
#include "core/reader/snapshot_keys.h"
#include "core/trace/snapshot_builder.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::reader {

/// The shortcut for the entries that torch writes: the same columns as SnapshotDecoder::event()
/// makes, for entries with known keys and values of the usual kinds only.
class NativeEventDecoder {
public:
    NativeEventDecoder(NativeStore& store, trace::SnapshotBuilder& builder,
                       SnapshotDecoder& decoder);

    /// Adds one event; keys and values in turn. False, with nothing done, for an entry that is
    /// unusual in any way.
    [[nodiscard]] bool add(std::span<const Slot> entries, std::int32_t device);

private:
    /// What the values of one entry said.
    struct Parts {
        trace::EventRecord record;
        Slot frames;
        std::uint64_t seen = 0; ///< One bit per key.
        bool has_address = false;
        bool has_device_free = false;
    };
    [[nodiscard]] bool take(Parts& parts, Slot key, Slot value);
    [[nodiscard]] bool takeRare(Parts& parts, Key key, Slot value);
    [[nodiscard]] bool action(Parts& parts, Slot value);
    [[nodiscard]] bool label(StringId& target, Slot value);
    [[nodiscard]] Key keyOf(Slot text);

    NativeStore& m_store;
    trace::SnapshotBuilder& m_builder;
    SnapshotDecoder& m_decoder;
    std::vector<std::uint8_t> m_keys; ///< By text: a key plus 1; 0 for not yet looked up.
    NodeCache<trace::Action> m_actions;
    NodeCache<StringId> m_labels;
};

} // namespace tidemark::reader
