// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark {

// The one place that decides what a figure looks like, in the window, the command line and the
// reports. Nobody else turns bytes, ratios or counts into text.
//  * Bytes have three significant digits, in the binary unit in which they are at least 1:
//    "23.5 GiB", "6.25 GiB", "932 MiB", "12 B".
//  * Figures that are compared (one sentence, card, column or view) share a `OneUnit`: one unit
//    and the same number of decimals. `say` does that for all `Bytes` among its arguments,
//    `sayTogether` for all of a text.
//  * What would have less than two digits there has its own unit in a sentence, and in a column is
//    "0.04" or "< 0.01".
//  * An interval is its best figure with the ends in brackets: "6.3 GiB (6.0–7.5)". What was
//    recorded has no bracket.
//  * Signs are "+" and "−" (U+2212); a difference of nothing has none.
//  * A ratio is "×2.5" from 2 on, else a change in percent: "+54 %", "−12 %".
//  * Digits are grouped from 10,000 on.
//  * All digits of bytes are for tooltips, JSON and CSV.
// Never the system's locale: marks and groups are those of the language in use (language.h).

/// "1.37 GiB", "358 MiB", "12.0 KiB", "512 B".
std::string formatBytes(Bytes bytes);
/// "+1.37 GiB", "−358 MiB", "0 B": a difference.
std::string formatDifference(Bytes bytes);
/// As `formatBytes`; "unknown" without a figure.
std::string formatKnown(const std::optional<Bytes>& bytes);
/// "6.3 GiB (6.0–7.5)", with as many digits as its width deserves; one figure where the ends read
/// as the best.
std::string formatInterval(Bytes best, Bytes least, Bytes most);
/// "2.3–3.8 GiB": without a best figure.
std::string formatInterval(Bytes least, Bytes most);
/// All digits: "1,073,741,824 B". For tooltips.
std::string formatExactBytes(Bytes bytes);

/// The unit and the decimals of figures that are compared by eye.
class OneUnit {
public:
    OneUnit() = default; ///< Bytes.
    /// That suits the largest figure of a table or a view, with decimals for smaller ones.
    explicit OneUnit(Bytes largest);
    /// The unit of the largest of a few figures, with the decimals of the smallest.
    OneUnit(std::initializer_list<Bytes> compared);
    explicit OneUnit(std::span<const Bytes> compared);

    /// "102.0 GiB"; "0".
    [[nodiscard]] std::string operator()(Bytes bytes) const;
    /// The first of two, as in "{} of {}": "78.5"; with its unit where that is another one.
    [[nodiscard]] std::string bare(Bytes bytes) const;
    /// "+1.2 GiB", "−0.3 GiB"; "0".
    [[nodiscard]] std::string difference(Bytes bytes) const;
    /// Under a heading with the unit's name: "0.27", "< 0.01", "0".
    [[nodiscard]] std::string number(Bytes bytes) const;
    /// "+0.27", "−0.27", "< +0.01", "> −0.01", "0".
    [[nodiscard]] std::string signedNumber(Bytes bytes) const;
    /// As `number`, with the unit's name where no heading has it: "< 0.01 GiB".
    [[nodiscard]] std::string cell(Bytes bytes) const;
    [[nodiscard]] std::string signedCell(Bytes bytes) const;
    /// How many of its last digit: 27 for "0.27".
    [[nodiscard]] std::int64_t rounded(Bytes bytes) const;
    [[nodiscard]] std::string_view name() const; ///< "GiB".
    [[nodiscard]] Bytes size() const; ///< Of one: 1 GiB.

private:
    /// Too few digits to say something beside the others.
    [[nodiscard]] bool hasOwnUnit(Bytes bytes) const;
    /// Its digits without a sign.
    [[nodiscard]] std::string digits(Bytes bytes) const;

    std::size_t m_unit = 0;
    int m_decimals = 0;
};

/// For a few figures beside others, of which `largest` is the largest: its unit, unless figures
/// that differ would read the same in it.
[[nodiscard]] OneUnit unitBeside(std::span<const Bytes> figures, Bytes largest);

// What `say` takes besides `Bytes`; all of one sentence share a unit.

/// The first of two that are compared: "78.5" in "78.5 of 79.2 GiB".
struct Bare {
    Bytes bytes;
};
/// "+1.2 GiB", "−0.3 GiB".
struct Signed {
    Bytes bytes;
};
/// "79.2 GiB", or an interval where the ends differ: "2.3–3.8 GiB".
struct Between {
    Bytes least;
    Bytes most;
};
/// "6.3 GiB (6.0–7.5)"; one figure where the ends are the same.
struct Around {
    Bytes best;
    Bytes least;
    Bytes most;
};

/// "12,345"; "1234".
std::string formatCount(std::int64_t count);
/// "78 %" (a ratio of 0.78); "< 1 %" for tiny non-zero shares.
std::string formatPercent(double ratio);
/// How many times as large: "×46", "×2.5"; below 2 as a change: "+54 %", "−4.2 %"; "0 %".
std::string formatRatio(double ratio);
/// A number with a few decimals and the language's mark: "0.25".
std::string formatNumber(double value, int decimals);
/// "1.50 s", "12.3 ms", "950 µs", "2 min 05 s".
std::string formatDuration(Duration duration);
/// "event 12,345", or "start" for −1.
std::string formatEventNumber(std::int64_t event);
/// Shortens in the middle at a path separator: "/home/…/train/model.py". Never longer than
/// `max_chars` unless the file name alone is longer.
std::string shortenPath(std::string_view path, std::size_t max_chars);
/// Last component of a path with either separator.
std::string_view baseName(std::string_view path);

} // namespace tidemark
