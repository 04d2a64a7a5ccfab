// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/query/keys.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::query {

/// From `least` to `most`, both inside.
struct Range {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool contains(std::int64_t value) const
    {
        return least <= value && value <= most;
    }
    friend bool operator==(const Range&, const Range&) = default;
};

/// The moments that `live@` knows.
enum class LiveMoment : std::uint8_t { start, peak, oom, end, event };

/// One word of a query. Several values behind one key are alternatives.
struct Condition {
    Key key = Key::text;
    bool is_negated = false;
    std::vector<std::string> texts; ///< Of KeyKind::text, ASCII letters in lower case.
    bool is_whole = false; ///< The texts are whole ones, not parts.
    std::uint32_t choices = 0; ///< Of KeyKind::choice: bit i stands for value i of the enumeration.
    /// Of bytes and numbers; of a duration nanoseconds, or events where `counts_events`.
    std::vector<Range> ranges;
    bool counts_events = false;
    std::vector<Address> addresses;
    LiveMoment moment = LiveMoment::peak;
    std::uint32_t event = 0; ///< Of LiveMoment::event: the state after it.
    std::string word; ///< As it was written, for sentences.
};

/// What a list of allocations is to hold: those for which all conditions are true. Without any,
/// all.
struct Query {
    std::vector<Condition> conditions;

    /// Whether the places in the model have to be known to answer it.
    [[nodiscard]] bool asksForModules() const;
};

/// Reads a query: words with spaces between,
///
///     bucket:activation,gradient size>100MiB -stack:attention live@peak life<1ms step:3..5 "a
///     word"
///
/// A word with "-" or "not" before it is turned around. "," separates alternatives, ".." the ends
/// of a range, both inside. Behind `:` a text is a part of what is looked for, behind `=` all of
/// it; for other values both are the same. `<`, `<=`, `>` and `>=` compare. A figure with decimals
/// stands for all that is shown as this figure ("358.00MiB"), one without for itself. A word
/// without a key is looked for in buckets, functions, files and modules; one that begins with
/// a comparison is a size. Names of files with a line ("model.py:41") and of C++ ("at::empty") are
/// words. Quotation marks hold a word together. O(length). Errors: badArgument with the word and
/// what is possible; `where` is the word's offset in the text.
Result<Query> parse(std::string_view text);

} // namespace tidemark::query
