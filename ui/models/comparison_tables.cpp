// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/comparison_tables.h"

#include "ui/models/comparison_words.h"
#include "ui/models/language.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tidemark::ui {
namespace {

using compare::Became;
using compare::PlaceDifference;

const QString& none()
{
    static const QString text = QStringLiteral("–");
    return text;
}

RowCell differenceCell(const OneUnit& unit, Bytes bytes)
{
    return {unit.signedCell(bytes), bytes};
}

bool isListed(const PlaceDifference& place, PlaceFilter filter)
{
    switch (filter) {
    case PlaceFilter::differing:
        return place.delta().value != 0;
    case PlaceFilter::only_base:
        return place.count_a > 0 && place.count_b == 0;
    case PlaceFilter::only_against:
        return place.count_a == 0 && place.count_b > 0;
    case PlaceFilter::grew:
        return place.count_a > 0 && place.count_b > 0 && place.delta().value > 0;
    case PlaceFilter::shrank:
        return place.count_a > 0 && place.count_b > 0 && place.delta().value < 0;
    case PlaceFilter::moved_phase:
        return place.movedPhase();
    case PlaceFilter::relabelled:
        return place.isRelabelled();
    case PlaceFilter::equal:
        return place.delta().value == 0;
    }
    return false;
}

/// How many repeated blocks of the model a number of allocations is spread over; 0: not told.
std::int64_t blocksOf(const ComparedRun& run, std::int64_t count)
{
    const program::Dimension* const layers =
        run.analysis.program(run.device).find(program::DimensionName::layers);
    return layers != nullptr && layers->value > 1 && count > 0 && count % layers->value == 0
        ? layers->value
        : 0;
}

QString whereText(const ComparedRuns& runs, const PlaceDifference& place, const PlaceWords& told)
{
    QString where = told.where.isEmpty() ? ComparisonWords::tr("no stack") : told.where;
    const std::int64_t blocks = place.count_b > 0 ? blocksOf(runs.against, place.count_b)
                                                  : blocksOf(runs.base, place.count_a);
    if (blocks > 0) {
        where += QStringLiteral("  ")
            % ComparisonWords::tr("× %Ln block|"
                                  "× %Ln blocks",
                                  nullptr, plural(blocks));
    }
    return where;
}

QString becameText(const ComparedRuns& runs, Became became)
{
    switch (became) {
    case Became::equal:
        return ComparisonWords::tr("equal");
    case Became::size:
        return ComparisonWords::tr("size");
    case Became::lifetime:
        return ComparisonWords::tr("lifetime");
    case Became::count:
        return ComparisonWords::tr("count");
    case Became::only_a:
        return ComparisonWords::tr("only in %1").arg(runs.base.letter);
    case Became::only_b:
        return ComparisonWords::tr("only in %1").arg(runs.against.letter);
    }
    return {};
}

QString explanationText(const ComparedRuns& runs, const PlaceDifference& place)
{
    QString told = becameText(runs, place.became);
    if (place.movedPhase()) {
        told += QStringLiteral(" · ") % inSentence(text(label::phaseName(*place.moved.a)))
            % QStringLiteral(" → ") % inSentence(text(label::phaseName(*place.moved.b)));
    }
    if (place.isRelabelled()) {
        told += QStringLiteral(" · ")
            % ComparisonWords::tr("was %1").arg(
                inSentence(text(label::bucketName(place.bucket_a))));
    }
    if (place.delta().value == 0) {
        return told;
    }
    return told % QStringLiteral(" · ")
        % (place.change ? text(compare::wordsOf(*place.change))
                        : ComparisonWords::tr("unexplained"));
}

/// "0.34 in 16": as all of these columns, under a heading with the unit.
RowCell amountCell(const OneUnit& unit, std::int64_t count, Bytes bytes)
{
    if (count == 0) {
        return {none()};
    }
    const QString amount = unit.number(bytes);
    return {count == 1 ? amount : ComparisonWords::tr("%1 in %2").arg(amount, countText(count)),
            bytes};
}

TextRow placeRow(const ComparedRuns& runs, const OneUnit& unit, std::size_t index)
{
    const PlaceDifference& place = runs.difference.parts.places[index];
    const PlaceWords& told = runs.places[index];
    const QString factor = place.factor && place.became == Became::size
        ? factorText(*place.factor)
        : changeText(place.a, place.b);
    return {{{text(label::bucketName(place.bucket))},
             {whereText(runs, place, told), {}, told.where},
             {told.operation},
             amountCell(unit, place.count_a, place.a),
             amountCell(unit, place.count_b, place.b),
             {unit.signedNumber(place.delta()), place.delta()},
             {factor},
             {explanationText(runs, place)}},
            Emphasis::normal,
            place.bucket,
            index,
            {}};
}

/// One row for what the smaller peak is higher than the total at this place.
TextRow movedRow(const ComparedRuns& runs, const OneUnit& unit)
{
    const compare::Difference& d = runs.difference;
    const bool is_of_base = d.headline.peak_a < d.headline.peak_b;
    const Bytes delta{is_of_base ? -d.parts.moved.value : d.parts.moved.value};
    const QString& letter = is_of_base ? runs.base.letter : runs.against.letter;
    const RowCell moved{unit.number(d.parts.moved), d.parts.moved};
    return {{{},
             {ComparisonWords::tr("%1's own peak, elsewhere, is higher by").arg(letter)},
             {},
             is_of_base ? moved : RowCell{none()},
             is_of_base ? RowCell{none()} : moved,
             {unit.signedNumber(delta), delta},
             {},
             {ComparisonWords::tr("other moment")}},
            Emphasis::secondary,
            {},
            TextRow::kNone,
            {}};
}

TextRow equalRow(const OneUnit& unit, std::int64_t places, std::int64_t count, Bytes bytes)
{
    const RowCell total = amountCell(unit, count, bytes);
    return {{{},
             {ComparisonWords::tr("%Ln place is equal|"
                                  "%Ln places are equal",
                                  nullptr, plural(places))},
             {},
             total,
             total,
             {QStringLiteral("0"), Bytes{}},
             {},
             {ComparisonWords::tr("equal")}},
            Emphasis::secondary,
            {},
            TextRow::kNone,
            {}};
}

TextRow totalRow(const QString& title, const OneUnit& unit, Bytes base, Bytes against)
{
    return {{{},
             {title},
             {},
             {unit.number(base), base},
             {unit.number(against), against},
             {unit.signedNumber(against - base), against - base},
             {changeText(base, against)},
             {}},
            Emphasis::strong,
            {},
            TextRow::kNone,
            {}};
}

/// What is equal under no filter, and everything that follows the places.
void addRest(const ComparedRuns& runs, const OneUnit& unit, TextTable& table)
{
    std::int64_t places = 0;
    std::int64_t count = 0;
    Bytes bytes;
    for (const PlaceDifference& place : runs.difference.parts.places) {
        if (place.delta().value == 0) {
            ++places;
            count += place.count_b;
            bytes = bytes + place.b;
        }
    }
    if (runs.difference.parts.moved.value != 0) {
        table.rows.push_back(movedRow(runs, unit));
    }
    if (places > 0) {
        table.rows.push_back(equalRow(unit, places, count, bytes));
    }
    table.rows.push_back(
        totalRow(ComparisonWords::tr("Total"), unit, runs.baseBytes(), runs.againstBytes()));
}

QString shareOf(Bytes part, Bytes whole)
{
    if (whole.value == 0) {
        return {};
    }
    const double share = static_cast<double>(part.value) / static_cast<double>(whole.value);
    const QString percent = percentText(std::abs(share));
    return share < 0 && part.value != 0 ? QString(QStringLiteral("−") % percent) : percent;
}

RowCell countCell(std::int64_t count)
{
    return {countText(count)};
}

} // namespace

std::int64_t countPlaces(const ComparedRuns& runs, PlaceFilter filter)
{
    return std::ranges::count_if(runs.difference.parts.places,
                                 [filter](const auto& place) { return isListed(place, filter); });
}

OneUnit unitOf(const ComparedRuns& runs)
{
    return OneUnit(std::max(runs.baseBytes(), runs.againstBytes()));
}

QString pinOf(const ComparedRuns& runs, std::size_t place)
{
    const PlaceWords& told = runs.places[place];
    return text(label::bucketId(runs.difference.parts.places[place].bucket)) % u'\n' % told.where
        % u'\n' % told.operation;
}

TextTable placesTable(const ComparedRuns& runs, PlaceFilter filter, const QStringList& pins)
{
    const OneUnit unit = unitOf(runs);
    TextTable table{{{ComparisonWords::tr("bucket")},
                     {ComparisonWords::tr("place")},
                     {ComparisonWords::tr("operation")},
                     {runs.base.letter % QStringLiteral(", ") % unit.name(), true},
                     {runs.against.letter, true},
                     {runs.differenceTitle(), true},
                     {ComparisonWords::tr("change"), true},
                     {ComparisonWords::tr("what · reason")}},
                    {}};
    Bytes base;
    Bytes against;
    const std::vector<PlaceDifference>& places = runs.difference.parts.places;
    for (std::size_t i = 0; !pins.isEmpty() && i < places.size(); ++i) {
        if (pins.contains(pinOf(runs, i))) {
            TextRow row = placeRow(runs, unit, i);
            row.cells[1].text.prepend(QStringLiteral("• "));
            row.emphasis = Emphasis::strong;
            table.rows.push_back(std::move(row));
        }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool is_pinned = !pins.isEmpty() && pins.contains(pinOf(runs, i));
        if (isListed(places[i], filter) && !is_pinned) {
            table.rows.push_back(placeRow(runs, unit, i));
            base = base + places[i].a;
            against = against + places[i].b;
        }
    }
    if (filter == PlaceFilter::differing) {
        addRest(runs, unit, table);
    } else if (!table.rows.empty()) {
        table.rows.push_back(totalRow(ComparisonWords::tr("All of these"), unit, base, against));
    }
    return table;
}

TextTable changesTable(const ComparedRuns& runs)
{
    const OneUnit unit = unitOf(runs);
    const compare::Attribution& parts = runs.difference.parts;
    TextTable table{{{ComparisonWords::tr("change")},
                     {runs.base.letter},
                     {runs.against.letter},
                     {ComparisonWords::tr("explains"), true},
                     {ComparisonWords::tr("share"), true},
                     {ComparisonWords::tr("evidence")}},
                    {}};
    const Bytes whole = runs.againstBytes() - runs.baseBytes();
    Bytes sum = parts.unexplained;
    for (std::size_t i = 0; i < parts.changes.size(); ++i) {
        const compare::RunChange& change = parts.changes[i];
        sum = sum + change.explains;
        table.rows.push_back({{{text(compare::wordsOf(change.of))},
                               {text(change.from)},
                               {text(change.to)},
                               differenceCell(unit, change.explains),
                               {shareOf(change.explains, whole)},
                               {text(change.evidence), {}, text(change.evidence)}},
                              Emphasis::normal,
                              {},
                              i,
                              {}});
    }
    table.rows.push_back({{{ComparisonWords::tr("unexplained")},
                           {},
                           {},
                           differenceCell(unit, parts.unexplained),
                           {shareOf(parts.unexplained, whole)},
                           {}},
                          Emphasis::secondary,
                          {},
                          kUnexplainedSource,
                          {}});
    table.rows.push_back(
        {{{ComparisonWords::tr("Total")}, {}, {}, differenceCell(unit, sum), {}, {}},
         Emphasis::strong});
    return table;
}

TextTable settingsTable(const ComparedRuns& runs)
{
    TextTable table{{{ComparisonWords::tr("setting")}, {runs.base.letter}, {runs.against.letter}},
                    {}};
    QStringList equal;
    for (const compare::Setting& setting : runs.difference.settings) {
        const auto shown = [](const std::string& value) {
            return value.empty() ? ComparisonWords::tr("unknown") : text(value);
        };
        if (setting.differs()) {
            table.rows.push_back({{{text(setting.name)}, {shown(setting.a)}, {shown(setting.b)}}});
        } else if (!setting.a.empty()) {
            equal << text(setting.name) % QStringLiteral(": ") % text(setting.a);
        }
    }
    if (!equal.isEmpty()) {
        const QString words = equal.join(QStringLiteral(" · "));
        table.rows.push_back({{{ComparisonWords::tr("%Ln setting is equal|"
                                                    "%Ln settings are equal",
                                                    nullptr, plural(equal.size()))},
                               {words, {}, equal.join(u'\n')},
                               {}},
                              Emphasis::secondary});
    }
    return table;
}

TextTable allocatorTable(const ComparedRuns& runs)
{
    const compare::AllocatorTraits& a = runs.difference.allocator.a;
    const compare::AllocatorTraits& b = runs.difference.allocator.b;
    const OneUnit unit(std::max(a.reserved_peak, b.reserved_peak));
    TextTable table{{{ComparisonWords::tr("allocator")},
                     {runs.base.letter, true},
                     {runs.against.letter, true},
                     {runs.differenceTitle(), true}},
                    {}};
    const auto bytes = [&](const QString& name, Bytes x, Bytes y) {
        table.rows.push_back(
            {{{name}, {unit.cell(x), x}, {unit.cell(y), y}, differenceCell(unit, y - x)}});
    };
    const auto count = [&](const QString& name, std::int64_t x, std::int64_t y) {
        if (x != 0 || y != 0) {
            const QString sign = y > x ? QStringLiteral("+")
                : y < x                ? QStringLiteral("−")
                                       : QString();
            table.rows.push_back(
                {{{name}, countCell(x), countCell(y), {sign % countText(std::abs(y - x))}}});
        }
    };
    bytes(ComparisonWords::tr("peak reserved"), a.reserved_peak, b.reserved_peak);
    bytes(ComparisonWords::tr("reserved at the peak"), a.reserved, b.reserved);
    bytes(ComparisonWords::tr("cached at the peak"), a.cached, b.cached);
    bytes(ComparisonWords::tr("largest hole at the peak"), a.largest_hole, b.largest_hole);
    count(ComparisonWords::tr("segments at the peak"), a.segments, b.segments);
    count(ComparisonWords::tr("segments allocated in the trace"), a.segments_made, b.segments_made);
    count(ComparisonWords::tr("segments freed"), a.segments_returned, b.segments_returned);
    count(ComparisonWords::tr("OOM"), a.ooms, b.ooms);
    return table;
}

TextTable bucketsTable(const ComparedRun& base, StateId base_state, const ComparedRun& against,
                       StateId against_state, const OneUnit& unit)
{
    TextTable table{{{ComparisonWords::tr("bucket")},
                     {base.letter % QStringLiteral(", ") % unit.name(), true},
                     {against.letter, true},
                     {against.letter % QStringLiteral(" − ") % base.letter, true},
                     {}},
                    {}};
    const label::BucketBytes of_base = base.curves().at(base_state);
    const label::BucketBytes of_against = against.curves().at(against_state);
    std::int64_t largest = 1;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        largest = std::max(largest, std::abs(of_against[i] - of_base[i]));
    }
    const auto row = [&](const QString& name, Bytes a, Bytes b) {
        return TextRow{{{name},
                        {unit.number(a), a},
                        {unit.number(b), b},
                        {unit.signedNumber(b - a), b - a},
                        {}}};
    };
    for (std::size_t i = label::kBucketCount; i-- > 0;) {
        const label::Bucket bucket = label::bucketAt(i);
        if (base.curves().largestOf(bucket) == 0 && against.curves().largestOf(bucket) == 0) {
            continue;
        }
        TextRow of_bucket = row(text(label::bucketName(bucket)), {of_base[i]}, {of_against[i]});
        of_bucket.bucket = bucket;
        of_bucket.bar =
            static_cast<double>(of_against[i] - of_base[i]) / static_cast<double>(largest);
        table.rows.push_back(std::move(of_bucket));
    }
    const replay::DeviceReplay& replay_a = base.curves().replay();
    const replay::DeviceReplay& replay_b = against.curves().replay();
    TextRow total = row(ComparisonWords::tr("Total"), replay_a.activeAt(base_state),
                        replay_b.activeAt(against_state));
    total.emphasis = Emphasis::strong;
    table.rows.push_back(std::move(total));
    TextRow reserved = row(ComparisonWords::tr("Reserved"), replay_a.reservedAt(base_state),
                           replay_b.reservedAt(against_state));
    reserved.emphasis = Emphasis::secondary;
    table.rows.push_back(std::move(reserved));
    return table;
}

} // namespace tidemark::ui
