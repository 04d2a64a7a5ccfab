// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id_index.h"
#include "core/base/keyed_hash.h"
#include "core/base/string_pool.h"
#include "core/reader/native_slot.h"
#include "core/reader/value_tree.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::reader {

/// The finished values of a file, each distinct one once: texts by content, lists and dictionaries
/// by the words in them. A snapshot repeats the same frames in the same lists millions of times;
/// here they cost their first occurrence only.
class NativeStore final : public ValueTree {
public:
    /// UTF-8 as CPython's pickle reads it, that is with surrogates allowed; nothing for bytes that
    /// are no such text. O(length).
    std::optional<Slot> text(std::string_view utf8);
    /// The same for an opcode whose text must be strict UTF-8.
    std::optional<Slot> strictText(std::string_view utf8);
    Slot integer(std::int64_t number);
    Slot floating(double number);
    /// Of finished values; O(items).
    Slot list(std::span<const Slot> items);
    /// Keys and values in turn, each key once.
    Slot dict(std::span<const Slot> entries);
    /// A dictionary to be looked at only until the next call, stored nowhere.
    Slot view(std::span<const Slot> entries)
    {
        m_view = entries;
        return Slot::of(Slot::Kind::view);
    }

    /// Containers inside it, itself counted: 0 for what is no container.
    [[nodiscard]] std::uint32_t depthOf(Slot slot) const;
    [[nodiscard]] std::span<const Slot> itemsOf(Slot container) const;
    /// The bytes of a text as the file has them.
    [[nodiscard]] std::string_view rawText(Slot text) const;
    /// Memory the values take, about.
    [[nodiscard]] std::uint64_t memoryBytes() const;

    static Node nodeOf(Slot slot)
    {
        return {slot.word};
    }
    Value value(Node node) override;
    Node item(Node list, std::size_t index) override;
    bool nextEntry(Node dict, std::ptrdiff_t& position, Entry& entry) override;

private:
    Slot container(Slot::Kind kind, std::span<const Slot> items);
    Slot store(Slot::Kind kind, std::span<const Slot> items);
    std::string_view shownText(std::uint64_t id);

    StringPool m_texts;
    std::uint64_t m_text_bytes = 0;
    std::unordered_map<std::uint64_t, std::string> m_replaced; ///< Texts with lone surrogates.
    std::vector<std::int64_t> m_wide;
    std::vector<double> m_floats;
    std::vector<Slot> m_items; ///< Each container: a header word, then its items.
    std::vector<std::uint64_t> m_starts; ///< Where the containers that are looked for begin,
    IdIndex m_index; ///< found by the words in them.
    KeyedHash m_hash;
    std::span<const Slot> m_view{};
};

} // namespace tidemark::reader
