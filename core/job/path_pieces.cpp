// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/path_pieces.h"

#include "core/base/ascii.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace tidemark::job {
namespace {

using Pieces = std::span<const PathPiece>;

constexpr std::array<std::string_view, 16> kEndings{
    ".pickle", ".pkl", ".json", ".summary", ".html", ".gz",  ".xz",   ".zst",
    ".bz2",    ".lz4", ".zip",  ".tar",     ".tgz",  ".htm", ".tzst", ".pt"};
constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};

bool isSeparator(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 && !isLetter(c) && !isDigit(c);
}

bool isBetween(std::string_view digits, std::uint64_t low, std::uint64_t high)
{
    const auto number = numberOf(digits);
    return number && *number >= low && *number <= high;
}

/// "20261127"
bool isDate(std::string_view digits)
{
    return digits.size() == 8 && isBetween(digits.substr(0, 4), 2000, 2099)
        && isBetween(digits.substr(4, 2), 1, 12) && isBetween(digits.substr(6), 1, 31);
}

/// "1734", "173400"
bool isClock(std::string_view digits)
{
    return (digits.size() == 4 || digits.size() == 6) && isBetween(digits.substr(0, 2), 0, 23)
        && isBetween(digits.substr(2, 2), 0, 59)
        && (digits.size() == 4 || isBetween(digits.substr(4), 0, 60));
}

/// Seconds, milli-, micro- or nanoseconds since 1970, in this century's first half.
bool isUnixTime(std::string_view digits)
{
    return digits.starts_with('1')
        && (digits.size() == 10 || digits.size() == 13 || digits.size() == 16
            || digits.size() == 19);
}

bool hasNumber(Pieces pieces, std::size_t i, std::size_t digits = 0)
{
    return i < pieces.size() && pieces[i].is_number
        && (digits == 0 || pieces[i].text.size() == digits);
}

/// How many pieces from `i` on are a time of the day, with what is smaller than a second.
std::size_t clockPieces(Pieces pieces, std::size_t i)
{
    const std::size_t begin = i < pieces.size() && pieces[i].text == "t" ? i + 1 : i;
    std::size_t at = begin;
    if (hasNumber(pieces, at) && isClock(pieces[at].text)) {
        ++at;
    } else {
        while (at < begin + 3 && hasNumber(pieces, at, 2) && isBetween(pieces[at].text, 0, 60)) {
            ++at;
        }
        if (at < begin + 2) {
            return 0;
        }
    }
    const bool has_fraction = hasNumber(pieces, at) && pieces[at].text.size() >= 3
        && pieces[at].text.size() <= 9
        && std::string_view("-.,").find(pieces[at].before) != std::string_view::npos;
    return at + (has_fraction ? 1 : 0) - i;
}

} // namespace

std::vector<PathPiece> piecesOf(std::string_view part)
{
    std::vector<PathPiece> pieces;
    char before = 0;
    bool is_open = false;
    for (const char c : part) {
        if (isSeparator(c)) {
            before = c;
            is_open = false;
            continue;
        }
        const bool is_number = isDigit(c);
        if (!is_open || pieces.back().is_number != is_number) {
            pieces.push_back({{}, is_number, before, is_open});
            before = 0;
        }
        pieces.back().text += lowered(c);
        is_open = true;
    }
    return pieces;
}

std::optional<std::uint64_t> numberOf(std::string_view digits)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    return error == std::errc() && number <= kMost ? std::optional(number) : std::nullopt;
}

std::string_view withoutEndings(std::string_view path)
{
    for (bool has_more = true; has_more;) {
        has_more = false;
        for (const std::string_view ending : kEndings) {
            if (path.size() > ending.size()
                && lowered(path.substr(path.size() - ending.size())) == ending) {
                path.remove_suffix(ending.size());
                has_more = true;
            }
        }
    }
    return path;
}

std::size_t monthOf(std::string_view word)
{
    const auto at = std::ranges::find(kMonths, word);
    return at == kMonths.end() ? 0 : static_cast<std::size_t>(at - kMonths.begin()) + 1;
}

std::size_t timePieces(std::span<const PathPiece> pieces, std::size_t i)
{
    constexpr std::array<std::string_view, 4> kTime{"time", "timestamp", "ts", "unix"};
    if (i < pieces.size() && std::ranges::find(kTime, pieces[i].text) != kTime.end()
        && hasNumber(pieces, i + 1)) {
        const std::size_t more = timePieces(pieces, i + 1);
        return more > 0                                               ? more + 1
            : hasNumber(pieces, i + 2) && pieces[i + 2].before == '.' ? 3
                                                                      : 2;
    }
    if (i < pieces.size() && monthOf(pieces[i].text) > 0) {
        std::size_t at = i + 1;
        while (at < i + 5 && (hasNumber(pieces, at, 1) || hasNumber(pieces, at, 2))) {
            ++at;
        }
        return at >= i + 4 ? at - i : 0;
    }
    if (!hasNumber(pieces, i)) {
        return 0;
    }
    const std::string& digits = pieces[i].text;
    if (isUnixTime(digits)) {
        const bool has_fraction =
            digits.size() == 10 && hasNumber(pieces, i + 1) && pieces[i + 1].before == '.';
        return has_fraction ? 2 : 1;
    }
    if (isDate(digits)) {
        return 1 + clockPieces(pieces, i + 1);
    }
    if ((digits.size() == 12 || digits.size() == 14) && isDate(digits.substr(0, 8))
        && isClock(digits.substr(8))) {
        return 1;
    }
    if (digits.size() == 4 && hasNumber(pieces, i + 1, 2) && hasNumber(pieces, i + 2, 2)
        && isDate(digits + pieces[i + 1].text + pieces[i + 2].text)) {
        return 3 + clockPieces(pieces, i + 3);
    }
    // A folder that is a time of the day: "17-34-00".
    const bool is_whole = i == 0 && pieces.size() == 3 && hasNumber(pieces, 1, 2)
        && hasNumber(pieces, 2, 2) && isClock(digits + pieces[1].text + pieces[2].text);
    return is_whole ? 3 : 0;
}

} // namespace tidemark::job
