// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/difference_report.h"
#include "ui/models/comparer.h"
#include "ui/models/comparison_details.h"
#include "ui/models/comparison_tables.h"
#include "ui/models/facts_model.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/report/lanes_figure.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/report/words.h"
#include "ui/views/look/palette.h"

#include <algorithm>
#include <memory>

namespace tidemark::ui::report {
namespace {

constexpr std::size_t kMostPlaces = 14; ///< The window and the HTML report have all of them.
constexpr TextStyle kCell{8, false, false, kInk};
constexpr TextStyle kCellGrey{8, false, false, kGrey};
constexpr TextStyle kCellBold{8, true, false, kInk};

QString shownText(const QString& text)
{
    return shown(utf8(text));
}

const TextStyle& styleOf(const TextRow& row)
{
    return row.emphasis == Emphasis::strong   ? kCellBold
        : row.emphasis == Emphasis::secondary ? kCellGrey
                                              : kCell;
}

void addNames(PageFlow& flow, const RunView& a, const RunView& b)
{
    const TextStyle title{17, true, false, kInk};
    flow.addBookmark(ReportWords::tr("Comparison"), 0);
    addParagraph(flow, {{ReportWords::tr("Two runs compared"), title}}, 0, 3);
    for (const RunView* run : {&a, &b}) {
        const TextStyle letter{9, true, false, runColour(run->letter)};
        const TextStyle grey{9, false, false, kGrey};
        const QString device = run->device == nullptr ? QString() : deviceName(*run->device);
        addParagraph(flow,
                     {{run->letter % QStringLiteral("  "), letter},
                      {elidedMiddle(shown(fileName(run->analysis->file).toStdString()), grey,
                                    flow.width() - 90),
                       grey},
                      {device.isEmpty() ? device : QStringLiteral("   ") % device, grey}},
                     0, 1);
    }
    flow.space(6);
}

void addAnswer(PageFlow& flow, const compare::Difference& difference)
{
    const std::vector<compare::Sentence>& sentences = difference.sentences;
    addCard(flow, themeColours(Theme::light).accent,
            {{{shown(sentences.front().text), TextStyle{12, true, false, kInk}}}});
    for (std::size_t i = 1; i < sentences.size(); ++i) {
        addBullet(flow, {{shown(sentences[i].text), kBody}});
    }
    if (!difference.warnings.empty()) {
        addSubheading(flow, ReportWords::tr("Mind"));
        for (const std::string& warning : difference.warnings) {
            addBullet(flow, {{shown(warning), kBody}});
        }
    }
}

void addLanes(PageFlow& flow, const RunView& a, const RunView& b, const ComparedRuns& runs)
{
    constexpr double kLeast = 330; ///< A lower figure would rather have a page of its own.
    constexpr double kMost = 460;
    if (!a.hasHistory() || !b.hasHistory()) {
        return;
    }
    constexpr double kHead = 52;
    if (flow.remaining() < kLeast + kHead) {
        flow.breakPage();
    }
    addHeading(
        flow,
        ReportWords::tr("Both runs and what %1 holds more, on one axis").arg(runs.against.letter),
        1, kLeast);
    addParagraph(
        flow,
        ReportWords::tr("The axis counts events and is stretched so that the same places "
                        "of both runs lie above each other; both have one scale of bytes."),
        kSmall);
    const double height = std::clamp(flow.remaining() - 4, kLeast, kMost);
    const auto figure = std::make_shared<LanesFigure>(a, b, runs.axis, flow.width(), height);
    const QPointF at = flow.take(figure->height()).topLeft();
    flow.add([figure, at](QPainter& painter) { figure->draw(painter, at); });
    flow.space(6);
}

/// Bucket and operation stand in the cell of the place, so that a page is wide enough.
TableRow placeRow(const TextRow& row)
{
    enum : std::size_t { bucket, place, operation, base, against, delta, change, why };
    const TextStyle& style = styleOf(row);
    TableRow made;
    made.is_total = row.emphasis == Emphasis::strong;
    Cell name;
    if (row.bucket) {
        name.swatch = Swatch{bucketColour(*row.bucket)};
    }
    const QString words = shownText(row.cells[operation].text);
    name.runs.push_back({shownText(row.cells[place].text), style});
    if (!words.isEmpty()) {
        name.runs.push_back({QStringLiteral("  ") % words, kCellGrey});
    }
    made.cells.push_back(std::move(name));
    for (const std::size_t i : {base, against, delta, change, why}) {
        made.cells.push_back(cell(shownText(row.cells[i].text), style));
    }
    return made;
}

void addPlaces(PageFlow& flow, const ComparedRuns& runs)
{
    const TextTable places = placesTable(runs, PlaceFilter::differing);
    Table table;
    table.columns = {{ReportWords::tr("Place and operation")},
                     {runs.base.letter, 82, TextBlock::Align::right},
                     {runs.against.letter, 82, TextBlock::Align::right},
                     {places.columns[5].title, 58, TextBlock::Align::right},
                     {ReportWords::tr("Change"), 48, TextBlock::Align::right},
                     {ReportWords::tr("What · why"), 78}};
    table.row_padding = 1.8;
    std::size_t left_out = 0;
    Bytes rest;
    for (const TextRow& row : places.rows) {
        if (row.source == TextRow::kNone) {
            if (left_out > 0) {
                const OneUnit unit = unitOf(runs);
                TableRow others;
                others.cells = {cell(ReportWords::tr("%Ln other place|"
                                                     "%Ln other places",
                                                     nullptr, plural(std::int64_t(left_out))),
                                     kCellGrey),
                                {},
                                {},
                                cell(unit.difference(rest), kCellGrey),
                                {},
                                {}};
                table.rows.push_back(std::move(others));
                left_out = 0;
            }
            table.rows.push_back(placeRow(row));
        } else if (table.rows.size() < kMostPlaces) {
            table.rows.push_back(placeRow(row));
        } else {
            ++left_out;
            rest = rest + runs.difference.parts.places[row.source].delta();
        }
    }
    addHeading(flow, ReportWords::tr("Where they differ"), 1, 90);
    addTable(flow, table);
}

/// Rows of a table as they are, `widths` per column (0: what is left).
void addRows(PageFlow& flow, const TextTable& rows, const QString& title,
             const std::vector<double>& widths)
{
    if (rows.rows.empty()) {
        return;
    }
    Table table;
    table.row_padding = 1.8;
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
        const QString heading = rows.columns[i].title;
        table.columns.push_back(
            {i == 0 ? QString(heading.left(1).toUpper() % heading.mid(1)) : heading, widths[i],
             rows.columns[i].is_number ? TextBlock::Align::right : TextBlock::Align::left});
    }
    for (const TextRow& row : rows.rows) {
        TableRow made;
        made.is_total = row.emphasis == Emphasis::strong;
        for (const RowCell& text : row.cells) {
            made.cells.push_back(cell(shownText(text.text), styleOf(row)));
        }
        table.rows.push_back(std::move(made));
    }
    addTable(flow, table, title);
}

void addSettings(PageFlow& flow, const ComparedRuns& runs)
{
    TextTable settings = settingsTable(runs);
    std::erase_if(settings.rows,
                  [](const TextRow& row) { return row.emphasis == Emphasis::secondary; });
    if (settings.rows.empty()) {
        addSubheading(flow, ReportWords::tr("Settings"));
        addParagraph(flow, ReportWords::tr("Nothing that the files state or show differs."));
        return;
    }
    addRows(flow, settings, ReportWords::tr("Settings that differ"), {150, 0, 0});
}

void addHelp(PageFlow& flow, const ComparedRuns& runs)
{
    const std::vector<std::string> lines = tidemark::report::helpLines(
        runs.base.analysis, utf8(runs.base.letter), runs.against.analysis,
        utf8(runs.against.letter), runs.difference);
    if (lines.empty()) {
        return;
    }
    addSubheading(flow, ReportWords::tr("What would help"));
    for (const std::string& line : lines) {
        addBullet(flow, {{shown(line), kBody}});
    }
}

} // namespace

void addComparison(PageFlow& flow, const RunView& a, const RunView& b)
{
    addNames(flow, a, b);
    const bool is_complete = a.curves != nullptr && b.curves != nullptr && a.labels != nullptr
        && b.labels != nullptr && !a.isEmpty() && !b.isEmpty();
    if (!is_complete) {
        addParagraph(flow,
                     ReportWords::tr("At least one of the files holds no memory of a device, so "
                                     "there is nothing to compare."));
        return;
    }
    const ComparedRuns runs = compareRuns({*a.analysis, a.device_index, a.letter},
                                          {*b.analysis, b.device_index, b.letter}, {}, {}, {});
    addAnswer(flow, runs.difference);
    addLanes(flow, a, b, runs);
    addPlaces(flow, runs);
    addRows(flow, changesTable(runs), ReportWords::tr("What explains it"), {66, 70, 70, 58, 40, 0});
    addSettings(flow, runs);
    addRows(flow, allocatorTable(runs), ReportWords::tr("Allocator"), {0, 90, 90, 90});
    if (const PredictionBeside beside = predictionOf(runs); !beside.table.rows.empty()) {
        addRows(flow, beside.table, ReportWords::tr("Prediction beside measurement"),
                {0, 62, 62, 82, 110});
        addParagraph(flow, beside.words);
    }
    addHelp(flow, runs);
}

} // namespace tidemark::ui::report
