// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/place_texts.h"
#include "core/report/difference_report.h"
#include "core/report/json_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace tidemark::report {
namespace {

using compare::Became;
using compare::PlaceDifference;
using diagnose::Analysis;

/// Rows of places and stacks; the rest is summed up in `places_left_out`.
constexpr std::size_t kMostRows = 200;

Json textOrNull(const std::string& text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}

Json sideJson(const Analysis& analysis, std::size_t device, Bytes peak, const std::string& place)
{
    return {{"file", fileJson(analysis)},
            {"device", analysis.snapshot->devices[device].index},
            {"peak_requested_bytes", peak.value},
            {"peak_event", analysis.replay->devices[device].peak.eventNumber()},
            {"peak_place", textOrNull(place)}};
}

std::string_view atId(compare::At at)
{
    switch (at) {
    case compare::At::peaks:
        return "peaks";
    case compare::At::peak_a:
        return "peak-a";
    case compare::At::peak_b:
        return "peak-b";
    case compare::At::start:
        return "start";
    case compare::At::end:
        return "end";
    case compare::At::event:
        return "event";
    case compare::At::events:
        break;
    }
    return "events";
}

Json sentencesJson(const compare::Difference& d)
{
    Json sentences = Json::array();
    for (const compare::Sentence& sentence : d.sentences) {
        sentences.push_back(sentence.text);
    }
    return sentences;
}

Json changesJson(const compare::Attribution& parts)
{
    Json changes = Json::array();
    for (const compare::RunChange& change : parts.changes) {
        changes.push_back(
            {{"what", compare::idOf(change.of)},
             {"ratio", orNull(change.ratio)},
             {"from", change.from},
             {"to", change.to},
             {"explains_bytes", change.explains.value},
             {"evidence", change.evidence},
             {"apply", change.apply ? Json(diagnose::changeText(*change.apply)) : Json(nullptr)}});
    }
    return changes;
}

Json bucketDeltasJson(const Analysis& a, const Analysis& b, const compare::Comparison& comparison)
{
    Json buckets = Json::array();
    for (const compare::BucketDelta& delta : comparison.buckets) {
        const auto largest = [&](const Analysis& analysis, std::size_t device) {
            return analysis.curves->devices[device].largestOf(delta.bucket);
        };
        buckets.push_back({{"bucket", label::bucketId(delta.bucket)},
                           {"a_bytes", delta.a.value},
                           {"b_bytes", delta.b.value},
                           {"delta_bytes", delta.delta().value},
                           {"a_largest_bytes", largest(a, comparison.device_a)},
                           {"b_largest_bytes", largest(b, comparison.device_b)}});
    }
    return buckets;
}

void addFrames(Json& row, const Analysis& a, const Analysis& b, const PlaceDifference& place)
{
    const bool in_b = !place.stack_b.isNone();
    addStack(row, *(in_b ? b : a).snapshot, in_b ? place.stack_b : place.stack_a);
}

Json placesJson(const std::vector<PlaceDifference>& places, const compare::PlaceTexts& names)
{
    Json rows = Json::array();
    for (const PlaceDifference& place : places) {
        if (rows.size() == kMostRows) {
            break;
        }
        rows.push_back(
            {{"bucket", label::bucketId(place.bucket)},
             {"where", textOrNull(names.where(place))},
             {"operation", textOrNull(names.operation(place))},
             {"what", program::nameOf(place.what)},
             {"became", compare::nameOf(place.became)},
             {"a_count", place.count_a},
             {"b_count", place.count_b},
             {"a_bytes", place.a.value},
             {"b_bytes", place.b.value},
             {"delta_bytes", place.delta().value},
             {"factor", orNull(place.factor)},
             {"explained_by", place.change ? Json(compare::idOf(*place.change)) : Json(nullptr)},
             {"unexplained_bytes", place.unexplained.value}});
    }
    return rows;
}

/// One row per place whose bytes differ, whatever its buckets.
Json stacksJson(const std::vector<PlaceDifference>& places, const Analysis& a, const Analysis& b,
                const compare::PlaceTexts& names)
{
    struct Sum {
        const PlaceDifference* shown = nullptr;
        std::int64_t a = 0;
        std::int64_t b = 0;
        [[nodiscard]] std::int64_t size() const
        {
            return std::abs(b - a);
        }
    };
    std::map<std::pair<std::string, std::string>, Sum> sums;
    for (const PlaceDifference& place : places) {
        Sum& sum = sums[{names.where(place), names.operation(place)}];
        sum.shown = sum.shown == nullptr ? &place : sum.shown;
        sum.a += place.a.value;
        sum.b += place.b.value;
    }
    std::vector<Sum> sorted;
    for (const auto& [name, sum] : sums) {
        if (sum.a != sum.b) {
            sorted.push_back(sum);
        }
    }
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &Sum::size);
    Json rows = Json::array();
    for (const Sum& sum : sorted) {
        if (rows.size() == kMostRows) {
            break;
        }
        Json row = {{"change",
                     sum.a == 0          ? "new"
                         : sum.b == 0    ? "gone"
                         : sum.b > sum.a ? "grown"
                                         : "shrunk"},
                    {"a_bytes", sum.a},
                    {"b_bytes", sum.b}};
        addFrames(row, a, b, *sum.shown);
        rows.push_back(std::move(row));
    }
    return rows;
}

Json allocatorJson(const compare::AllocatorTraits& traits)
{
    return {{"reserved_peak_bytes", traits.reserved_peak.value},
            {"reserved_bytes", traits.reserved.value},
            {"cached_bytes", traits.cached.value},
            {"largest_hole_bytes", traits.largest_hole.value},
            {"segments", traits.segments},
            {"segments_made", traits.segments_made},
            {"segments_returned", traits.segments_returned},
            {"ooms", traits.ooms}};
}

Json predictedJson(const compare::Difference& difference, const Analysis& b)
{
    if (!difference.predicted) {
        return nullptr;
    }
    const compare::PredictedBeside& beside = *difference.predicted;
    const std::size_t device = difference.headline.device_b;
    const curves::DeviceCurves& curves = b.curves->devices[device];
    const label::BucketBytes measured = curves.at(curves.replay().peak);
    Json buckets = Json::array();
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        if (beside.buckets[i] != 0 || measured[i] != 0) {
            buckets.push_back({{"bucket", label::bucketId(label::bucketAt(i))},
                               {"predicted_bytes", beside.buckets[i]},
                               {"measured_bytes", measured[i]}});
        }
    }
    const diagnose::Prediction& said = beside.prediction;
    return {{"apply", beside.apply},
            {"peak_requested_bytes", said.after_peak.value},
            {"low_bytes", said.after_low.value},
            {"high_bytes", said.after_high.value},
            {"measured_bytes", difference.headline.peak_b.value},
            {"in_range",
             said.after_low <= difference.headline.peak_b
                 && difference.headline.peak_b <= said.after_high},
            {"buckets", std::move(buckets)},
            {"assumptions", said.assumptions}};
}

} // namespace

Json differenceJson(const Analysis& a, const Analysis& b, const compare::Difference& d)
{
    const compare::Comparison& c = d.headline;
    const compare::PlaceTexts names(*a.snapshot, *b.snapshot);
    const Bytes total_a = a.replay->devices[c.device_a].activeAt(d.parts.at_a);
    const Bytes total_b = b.replay->devices[c.device_b].activeAt(d.parts.at_b);
    return {{"a", sideJson(a, c.device_a, c.peak_a, d.place_a)},
            {"b", sideJson(b, c.device_b, c.peak_b, d.place_b)},
            {"sentence", d.sentences.front().text},
            {"sentences", sentencesJson(d)},
            {"delta_peak_bytes", (c.peak_b - c.peak_a).value},
            {"changes", changesJson(d.parts)},
            {"unexplained_bytes", d.parts.unexplained.value},
            {"compared",
             {{"at", atId(d.at)},
              {"a_event", d.parts.at_a.eventNumber()},
              {"b_event", d.parts.at_b.eventNumber()},
              {"a_bytes", total_a.value},
              {"b_bytes", total_b.value},
              {"delta_bytes", (total_b - total_a).value},
              {"peak_moved_bytes", d.parts.moved.value}}},
            {"not_identified", d.open},
            {"buckets", bucketDeltasJson(a, b, c)},
            {"matching",
             {{"a_allocations", d.allocations_a},
              {"b_allocations", d.allocations_b},
              {"matched", d.matched}}},
            {"places", placesJson(d.parts.places, names)},
            {"stacks", stacksJson(d.parts.places, a, b, names)},
            {"prediction", predictedJson(d, b)},
            {"allocator",
             {{"a", allocatorJson(d.allocator.a)},
              {"b", allocatorJson(d.allocator.b)},
              {"other_torch", d.allocator.is_other_torch},
              {"sentence", textOrNull(d.allocator.sentence)}}},
            {"settings", c.settings},
            {"warnings", d.warnings}};
}

} // namespace tidemark::report
