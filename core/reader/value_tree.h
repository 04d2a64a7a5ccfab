// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemark::reader {

/// The values of a file as some parser holds them: what the decoding needs to see of Python's
/// objects, so that it knows nothing of Python. Nodes and texts stay valid while the tree lives; a
/// value that the file shares has one node.
class ValueTree {
public:
    /// A value, by a word that only the tree can read: Python's tree puts a pointer into it, the
    /// native one the value itself. 0 is no value.
    struct Node {
        std::uint64_t word = 0;
        [[nodiscard]] constexpr bool isNull() const
        {
            return word == 0;
        }
    };

    enum class Kind : std::uint8_t {
        nothing, ///< None.
        boolean, ///< In `integer`.
        integer, ///< Fits 64 bits, signed or unsigned: above 2^63 the bits of the unsigned value.
        huge_integer,
        floating,
        text,
        list, ///< A tuple, too. `integer` is the number of items.
        dict, ///< `integer` is the number of entries.
        other,
    };
    struct Value {
        Kind kind = Kind::nothing;
        std::int64_t integer = 0;
        double floating = 0.0;
        std::string_view text{}; ///< UTF-8; what has no UTF-8 form is replaced by "?".
    };
    struct Entry {
        Node key;
        Node value;
    };

    virtual ~ValueTree() = default;
    /// O(1), for texts amortised.
    virtual Value value(Node node) = 0;
    /// Requires a list and index < size. O(1).
    virtual Node item(Node list, std::size_t index) = 0;
    /// Steps through a dictionary in its own order; `position` begins at 0. False after the last
    /// entry.
    virtual bool nextEntry(Node dict, std::ptrdiff_t& position, Entry& entry) = 0;
};
using NodeKind = ValueTree::Kind;

} // namespace tidemark::reader
