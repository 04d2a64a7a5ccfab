// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/compare/place_texts.h"
#include "core/diagnose/diagnosis.h"
#include "core/pipeline/redaction.h"
#include "core/report/colours.h"
#include "core/report/difference_report.h"
#include "core/report/document.h"
#include "core/report/svg_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

namespace tidemark::report {
namespace {

using compare::PlaceDifference;
using diagnose::Analysis;

Section differenceAnswer(const Analysis& a, const Analysis& b, const compare::Difference& d,
                         const Letters& letters)
{
    const auto side = [](std::string_view name, const Analysis& analysis, std::size_t device,
                         const std::string& place) {
        std::string text = fmt::format("{}: {}, {}", name, analysis.file.filename().string(),
                                       deviceName(analysis.snapshot->devices[device]));
        return place.empty() ? text : say("{}, peak in {}", text, place);
    };
    Section section{say("What differs"),
                    {Paragraph{d.sentences.front().text, Emphasis::lead},
                     Bullets{{side(letters[0], a, d.headline.device_a, d.place_a),
                              side(letters[1], b, d.headline.device_b, d.place_b)}}}};
    Bullets reasons;
    for (std::size_t i = 1; i < d.sentences.size(); ++i) {
        reasons.items.push_back(d.sentences[i].text);
    }
    if (!reasons.items.empty()) {
        section.blocks.emplace_back(std::move(reasons));
    }
    if (!d.warnings.empty()) {
        section.blocks.emplace_back(Paragraph{say("Caveats:"), Emphasis::none});
        section.blocks.emplace_back(Bullets{d.warnings});
    }
    return section;
}

Section changesSection(const compare::Difference& d, const Letters& letters)
{
    if (d.parts.changes.empty()) {
        return {say("What changed"), {}};
    }
    std::int64_t sum = d.parts.unexplained.value;
    std::int64_t largest = std::abs(sum);
    for (const compare::RunChange& change : d.parts.changes) {
        sum += change.explains.value;
        largest = std::max(largest, std::abs(change.explains.value));
    }
    const OneUnit unit(Bytes{largest});
    Table table{{{say("Change"), Align::left},
                 {letters[0], Align::left},
                 {letters[1], Align::left},
                 {say("Explains, {}", unit.name()), Align::right},
                 {say("Evidence"), Align::left}},
                {},
                {}};
    for (const compare::RunChange& change : d.parts.changes) {
        table.rows.push_back({std::string(compare::wordsOf(change.of)), change.from, change.to,
                              unit.signedNumber(change.explains), change.evidence});
    }
    table.rows.push_back({say("unexplained"), "", "", unit.signedNumber(d.parts.unexplained), ""});
    table.rows.push_back({say("Total"), "", "", unit.signedNumber({sum}), ""});
    table.sums.push_back(table.rows.size() - 1);
    return {say("What changed"), {std::move(table)}};
}

Section bucketTable(const compare::Difference& d, const Letters& letters)
{
    const compare::Comparison& c = d.headline;
    const OneUnit unit(Bytes{std::max(c.peak_a.value, c.peak_b.value)});
    Table table{{{say("Bucket"), Align::left},
                 {fmt::format("{}, {}", letters[0], unit.name()), Align::right},
                 {letters[1], Align::right},
                 {fmt::format("{} − {}", letters[1], letters[0]), Align::right}},
                {},
                {}};
    for (const compare::BucketDelta& delta : c.buckets) {
        table.rows.push_back({std::string(label::bucketName(delta.bucket)), unit.number(delta.a),
                              unit.number(delta.b), unit.signedNumber(delta.delta())});
        table.swatches.push_back(bucketColour(delta.bucket));
    }
    table.rows.push_back({say("Total"), unit.number(c.peak_a), unit.number(c.peak_b),
                          unit.signedNumber(c.peak_b - c.peak_a)});
    table.swatches.emplace_back();
    table.sums.push_back(table.rows.size() - 1);
    return {say("Buckets at each run's own peak"), {std::move(table)}};
}

std::string factorText(const PlaceDifference& place)
{
    return place.factor && place.became == compare::Became::size
        ? formatRatio(*place.factor)
        : std::string(translated(compare::nameOf(place.became)));
}

/// Empty where both are held against each other at their own peaks: there the places add up to
/// the difference of the peaks.
std::string momentsText(const Analysis& a, const compare::Difference& d, const Letters& letters,
                        const OneUnit& unit)
{
    if (d.parts.moved.value == 0) {
        return {};
    }
    const replay::DeviceReplay& replay = a.replay->devices[d.headline.device_a];
    const bool is_of_a = replay.activeAt(d.parts.at_a) != d.headline.peak_a;
    return ' '
        + say("Both at matched moments: {} at {}, {} at {}. {}'s own peak is {} higher.",
              letters[0], formatEventNumber(d.parts.at_a.eventNumber()), letters[1],
              formatEventNumber(d.parts.at_b.eventNumber()), letters[is_of_a ? 0 : 1],
              unit(d.parts.moved));
}

Section placesSection(const Analysis& a, const Analysis& b, const compare::Difference& d,
                      const Letters& letters, std::size_t most)
{
    const compare::PlaceTexts texts(*a.snapshot, *b.snapshot);
    std::int64_t largest = 0;
    for (const PlaceDifference& place : d.parts.places) {
        largest = std::max({largest, place.a.value, place.b.value});
    }
    const OneUnit unit(Bytes{largest});
    Table table{{{say("Place"), Align::left},
                 {say("Operation"), Align::left},
                 {say("Bucket"), Align::left},
                 {fmt::format("{}, {}", letters[0], unit.name()), Align::right},
                 {letters[1], Align::right},
                 {fmt::format("{} − {}", letters[1], letters[0]), Align::right},
                 {say("Change"), Align::left},
                 {say("Explained by"), Align::left}},
                {},
                {}};
    Bytes rest;
    for (const PlaceDifference& place : d.parts.places) {
        if (place.delta().value == 0) {
            continue;
        }
        if (table.rows.size() == most) {
            rest = rest + place.delta();
            continue;
        }
        const std::string line = texts.where(place);
        const auto count = [&](Bytes bytes, std::int64_t n) {
            return n > 1 ? fmt::format("{} ({})", unit.number(bytes), formatCount(n))
                         : unit.number(bytes);
        };
        table.rows.push_back(
            {line.empty() ? say("no stack recorded") : line, texts.operation(place),
             std::string(label::bucketName(place.bucket)), count(place.a, place.count_a),
             count(place.b, place.count_b), unit.signedNumber(place.delta()), factorText(place),
             place.change ? std::string(compare::wordsOf(*place.change)) : say("unexplained")});
    }
    if (table.rows.empty()) {
        return {say("Where they differ"), {}};
    }
    Section section{say("Where they differ"),
                    {Paragraph{say("Matched places; allocation counts in parentheses.")
                                   + momentsText(a, d, letters, unit),
                               Emphasis::quiet},
                     std::move(table)}};
    if (rest.value != 0) {
        section.blocks.emplace_back(Paragraph{
            say("All other places: {} {}.", unit.signedNumber(rest), unit.name()), Emphasis::none});
    }
    return section;
}

Section predictedSection(const Analysis& b, const compare::Difference& d, const Letters& letters)
{
    if (!d.predicted) {
        return {say("Prediction vs. measurement"), {}};
    }
    const compare::PredictedBeside& beside = *d.predicted;
    const curves::DeviceCurves& curves = b.curves->devices[d.headline.device_b];
    const label::BucketBytes measured = curves.at(curves.replay().peak);
    const Bytes peak = d.headline.peak_b;
    const OneUnit unit(Bytes{std::max(peak.value, beside.prediction.after_peak.value)});
    Table table{{{say("Bucket"), Align::left},
                 {say("Predicted, {}", unit.name()), Align::right},
                 {say("Measured"), Align::right},
                 {say("Error"), Align::right}},
                {},
                {}};
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        if (beside.buckets[i] != 0 || measured[i] != 0) {
            table.rows.push_back({std::string(label::bucketName(label::bucketAt(i))),
                                  unit.number({beside.buckets[i]}), unit.number({measured[i]}),
                                  unit.signedNumber({beside.buckets[i] - measured[i]})});
            table.swatches.push_back(bucketColour(label::bucketAt(i)));
        }
    }
    const diagnose::Prediction& said = beside.prediction;
    return {say("Prediction vs. measurement"),
            {Paragraph{say("{} with {}: predicted {}, measured {}.", letters[0], beside.apply,
                           Around{said.after_peak, said.after_low, said.after_high}, unit(peak)),
                       Emphasis::none},
             std::move(table)}};
}

Section allocatorSection(const compare::Difference& d, const Letters& letters)
{
    const compare::AllocatorTraits& a = d.allocator.a;
    const compare::AllocatorTraits& b = d.allocator.b;
    const OneUnit unit(Bytes{std::max(a.reserved_peak.value, b.reserved_peak.value)});
    Table table{
        {{say("Allocator"), Align::left}, {letters[0], Align::right}, {letters[1], Align::right}},
        {},
        {}};
    const auto bytes = [&](std::string_view name, Bytes x, Bytes y) {
        table.rows.push_back(
            {fmt::format("{}, {}", name, unit.name()), unit.number(x), unit.number(y)});
    };
    const auto count = [&](std::string_view name, std::int64_t x, std::int64_t y) {
        if (x != 0 || y != 0) {
            table.rows.push_back({std::string(name), formatCount(x), formatCount(y)});
        }
    };
    bytes(say("Peak reserved"), a.reserved_peak, b.reserved_peak);
    bytes(say("Reserved at the peak"), a.reserved, b.reserved);
    bytes(say("Cached at the peak"), a.cached, b.cached);
    bytes(say("Largest hole at the peak"), a.largest_hole, b.largest_hole);
    count(say("Segments at the peak"), a.segments, b.segments);
    count(say("Segments allocated"), a.segments_made, b.segments_made);
    count(say("Segments freed"), a.segments_returned, b.segments_returned);
    count(say("Out of memory"), a.ooms, b.ooms);
    Section section{say("Allocator and settings"), {std::move(table)}};
    if (d.headline.settings.empty()) {
        section.blocks.emplace_back(
            Paragraph{say("The recorded settings are the same."), Emphasis::quiet});
    } else {
        section.blocks.emplace_back(Paragraph{
            say("Settings that differ, {} → {}:", letters[0], letters[1]), Emphasis::none});
        section.blocks.emplace_back(Bullets{d.headline.settings});
    }
    return section;
}

using diagnose::DeviceDiagnosis;
using diagnose::Fix;
using diagnose::FixStatus;

bool isOnIn(const DeviceDiagnosis& other, const Fix& fix)
{
    const auto same = std::ranges::find(other.fixes, fix.id, &Fix::id);
    return same != other.fixes.end() && same->status == FixStatus::already_on;
}

/// The smaller, the earlier it is said; nullopt: not at all.
std::optional<int> urgencyOf(const Fix& fix, bool is_on_there)
{
    if (fix.new_need.value == 0) {
        return std::nullopt;
    }
    switch (fix.status) {
    case FixStatus::recommended:
        return is_on_there ? 0 : 1;
    case FixStatus::would_help:
    case FixStatus::not_enough:
        return is_on_there ? 0 : 2;
    case FixStatus::not_needed:
        return is_on_there ? std::optional(2) : std::nullopt;
    case FixStatus::already_on:
    case FixStatus::not_applicable:
        break;
    }
    return std::nullopt;
}

void addHelp(const DeviceDiagnosis& here, std::string_view letter, const DeviceDiagnosis& there,
             std::string_view other, std::vector<std::string>& lines)
{
    constexpr std::size_t kMost = 2;
    std::vector<std::pair<int, const Fix*>> helpful;
    for (const Fix& fix : here.fixes) {
        if (const std::optional<int> urgency = urgencyOf(fix, isOnIn(there, fix))) {
            helpful.emplace_back(*urgency, &fix);
        }
    }
    std::ranges::stable_sort(helpful, {}, &std::pair<int, const Fix*>::first);
    helpful.resize(std::min(helpful.size(), kMost));
    for (const auto& [urgency, fix] : helpful) {
        std::string line = say("{}: {}; it would need {} instead of {}.", letter, fix->title,
                               fix->new_need, here.need);
        if (isOnIn(there, *fix)) {
            line += ' ' + say("{} already has it.", other);
        }
        lines.push_back(std::move(line));
    }
}

/// What would help either run, at most two lines each: first what the other one has already, then
/// what is recommended, then what would help, in the ladder's order. Empty where nothing would,
/// and without a diagnosis of both.
Section helpSection(const Analysis& a, const Analysis& b, const compare::Difference& d,
                    const Letters& letters)
{
    if (!a.diagnosis || !b.diagnosis) {
        return {}; // A comparison alone asks for none.
    }
    const DeviceDiagnosis& of_a = a.diagnosis->devices[d.headline.device_a];
    const DeviceDiagnosis& of_b = b.diagnosis->devices[d.headline.device_b];
    std::vector<std::string> lines;
    addHelp(of_a, letters[0], of_b, letters[1], lines);
    addHelp(of_b, letters[1], of_a, letters[0], lines);
    return lines.empty() ? Section{} : Section{say("Fixes"), {Bullets{lines}}};
}

void dropEmpty(std::vector<Section>& sections)
{
    std::erase_if(sections, [](const Section& section) { return section.blocks.empty(); });
}

} // namespace

std::vector<Section> differenceSections(const Analysis& a, const Analysis& b,
                                        const compare::Difference& d, const Letters& letters,
                                        std::size_t most_places)
{
    std::vector<Section> sections{differenceAnswer(a, b, d, letters),
                                  changesSection(d, letters),
                                  bucketTable(d, letters),
                                  placesSection(a, b, d, letters, most_places),
                                  predictedSection(b, d, letters),
                                  allocatorSection(d, letters),
                                  helpSection(a, b, d, letters)};
    static constexpr std::array<std::string_view, 7> kParts{
        "verdict", "changes", "buckets", "places", "predicted", "allocator", "fixes"};
    for (std::size_t i = 0; i < sections.size(); ++i) {
        sections[i].part = kParts[i];
    }
    dropEmpty(sections);
    return sections;
}

std::string differenceMarkdown(const Analysis& a, const Analysis& b, const compare::Difference& d,
                               const Letters& letters)
{
    Section answer = differenceAnswer(a, b, d, letters);
    answer.title.clear();
    if (pipeline::isRedacted(a)) {
        answer.blocks.emplace_back(Paragraph{say("names replaced")});
    }
    return toMarkdown({"", {std::move(answer)}});
}

Document differenceDocument(const Analysis& a, const Analysis& b, const compare::Difference& d)
{
    static constexpr std::size_t kMostPlaces = 25;
    return {say("{} and {}", a.file.filename().string(), b.file.filename().string()),
            differenceSections(a, b, d, {"A", "B"}, kMostPlaces)};
}

} // namespace tidemark::report
