// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "tests/core/compare/decoder_run.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::test {

// What tests of differences ask of them.

inline compare::Difference between(const diagnose::Analysis& a, const diagnose::Analysis& b)
{
    return compare::findDifference(a, b, compare::mainDevices(a, b));
}

inline compare::Difference between(const DecoderOptions& a, const DecoderOptions& b)
{
    return between(decoderRun(a), decoderRun(b));
}

inline const compare::RunChange* find(const compare::Difference& d, compare::ChangeOf of)
{
    const auto found = std::ranges::find(d.parts.changes, of, &compare::RunChange::of);
    return found == d.parts.changes.end() ? nullptr : &*found;
}

inline std::int64_t delta(const compare::Difference& d)
{
    return (d.headline.peak_b - d.headline.peak_a).value;
}

inline std::int64_t sumOfParts(const compare::Difference& d)
{
    std::int64_t sum = d.parts.unexplained.value;
    for (const compare::RunChange& change : d.parts.changes) {
        sum += change.explains.value;
    }
    return sum;
}

inline std::int64_t sumOfPlaces(const compare::Difference& d)
{
    std::int64_t sum = 0;
    for (const compare::PlaceDifference& place : d.parts.places) {
        sum += place.delta().value;
    }
    return sum;
}

inline bool says(const std::vector<std::string>& sentences, std::string_view words)
{
    return std::ranges::any_of(sentences, [&](const std::string& sentence) {
        return sentence.find(words) != std::string::npos;
    });
}

inline bool says(const std::vector<compare::Sentence>& sentences, std::string_view words)
{
    return std::ranges::any_of(sentences, [&](const compare::Sentence& sentence) {
        return sentence.text.find(words) != std::string::npos;
    });
}

} // namespace tidemark::test
