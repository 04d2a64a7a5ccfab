// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/job/judge_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tidemark::job {
namespace {

/// Pieces of a list of numbers, and names, that a sentence can take.
constexpr std::size_t kMostPieces = 8;
constexpr std::size_t kMostNames = 3;

std::string joined(const std::vector<std::string>& parts)
{
    if (parts.size() < 2) {
        return parts.empty() ? std::string() : parts.front();
    }
    const std::span<const std::string> all(parts);
    return say("{} and {}", fmt::join(all.first(all.size() - 1), ", "), all.back());
}

std::string nameWithoutNumber(const RankSummary& row)
{
    std::vector<std::string> parts;
    for (const auto& [name, value] : row.coordinates) {
        parts.push_back(fmt::format("{} {}", name, value));
    }
    return parts.empty() ? std::string(baseName(row.file))
                         : fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<std::vector<std::uint32_t>> numbersOf(const Job& job,
                                                    std::span<const std::size_t> rows)
{
    std::vector<std::uint32_t> numbers;
    for (const std::size_t row : rows) {
        if (!job.rows[row].rank) {
            return std::nullopt;
        }
        numbers.push_back(*job.rows[row].rank);
    }
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

std::string namesText(const Job& job, std::span<const std::size_t> rows)
{
    std::vector<std::string> names;
    for (const std::size_t row : rows.first(std::min(rows.size(), kMostNames))) {
        names.push_back(rankName(job.rows[row]));
    }
    if (rows.size() > kMostNames) {
        names.push_back(say("{} more", rows.size() - kMostNames));
    }
    return joined(names);
}

} // namespace

std::string numbersText(std::span<const std::uint32_t> numbers)
{
    std::vector<std::string> pieces;
    std::size_t i = 0;
    while (i < numbers.size() && pieces.size() < kMostPieces) {
        std::size_t end = i + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) {
            ++end;
        }
        if (end - i > 2) {
            pieces.push_back(say("{} to {}", numbers[i], numbers[end - 1]));
            i = end;
        } else {
            pieces.push_back(fmt::format("{}", numbers[i++]));
        }
    }
    if (i < numbers.size()) {
        pieces.push_back(say("{} more", numbers.size() - i));
    }
    return joined(pieces);
}

std::string rankName(const RankSummary& row)
{
    return row.rank ? say("rank {}", *row.rank) : nameWithoutNumber(row);
}

std::string rankNameFirst(const RankSummary& row)
{
    return row.rank ? say("Rank {}", *row.rank) : nameWithoutNumber(row);
}

std::string rankNames(const Job& job, std::span<const std::size_t> rows)
{
    const auto numbers = numbersOf(job, rows);
    return rows.size() == 1 ? rankName(job.rows[rows.front()])
        : numbers           ? say("ranks {}", numbersText(*numbers))
                            : namesText(job, rows);
}

std::string rankNamesFirst(const Job& job, std::span<const std::size_t> rows)
{
    const auto numbers = numbersOf(job, rows);
    return rows.size() == 1 ? rankNameFirst(job.rows[rows.front()])
        : numbers           ? say("Ranks {}", numbersText(*numbers))
                            : namesText(job, rows);
}

std::string placeInRun(const std::string& phase, std::int64_t step)
{
    const auto known = label::phaseFromId(phase);
    if (!known) {
        return {};
    }
    const std::string_view noun = label::phaseNoun(*known);
    return step == 0 ? std::string(noun) : say("{} of step {}", noun, step);
}

std::string placeName(const PlaceBytes& place)
{
    return place.line.empty() || place.operation.empty()
        ? place.line + place.operation
        : fmt::format("{} ({})", place.line, place.operation);
}

} // namespace tidemark::job
