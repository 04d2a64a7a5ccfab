// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/report/words.h"
#include "ui/views/look/palette.h"

namespace tidemark::ui::report {
namespace {

/// A moment of which the table has a column.
struct MomentBytes {
    QString title;
    StateId state;
    label::BucketBytes buckets{};
    Bytes active;
    Bytes reserved;
    Bytes private_cached;
};

MomentBytes momentAt(const RunView& run, const QString& title, StateId state)
{
    MomentBytes s{title,
                  state,
                  run.curves->at(state),
                  run.replay->activeAt(state),
                  run.replay->reservedAt(state),
                  {}};
    if (run.replay->hasPrivatePools()) {
        s.private_cached = run.replay->privateCachedAt(state);
    }
    return s;
}

std::vector<MomentBytes> momentsOf(const RunView& run)
{
    std::vector<MomentBytes> moments;
    const StateId peak = run.replay->peak;
    const StateId last = run.replay->lastState();
    if (!run.hasHistory()) {
        moments.push_back(momentAt(run, ReportWords::tr("At the dump"), last));
        return moments;
    }
    moments.push_back(momentAt(run, ReportWords::tr("At the peak, %1").arg(stateText(peak)), peak));
    if (run.isOom()) {
        // By the same number as everywhere: a state's is that of its last event.
        moments.push_back(momentAt(
            run, ReportWords::tr("Before the OOM, %1").arg(stateText(run.moment())), run.moment()));
    } else if (last != peak) {
        moments.push_back(
            momentAt(run, ReportWords::tr("At the end, %1").arg(stateText(last)), last));
    }
    return moments;
}

TableRow amounts(Cell name, const std::vector<MomentBytes>& moments, auto bytesOf, bool is_share,
                 const TextStyle& style = kBody)
{
    TableRow row;
    row.cells.push_back(std::move(name));
    for (const MomentBytes& m : moments) {
        const Bytes bytes = bytesOf(m);
        row.cells.push_back(cell(columnText(bytes, moments.front().active), style));
        const bool has_share = is_share && m.active.value > 0 && bytes.value > 0;
        row.cells.push_back(cell(has_share ? percentText(static_cast<double>(bytes.value)
                                                         / static_cast<double>(m.active.value))
                                           : QString(),
                                 style));
    }
    return row;
}

void addBandRows(Table& table, const std::vector<MomentBytes>& moments)
{
    for (std::size_t i = label::kBucketCount; i-- > 0;) {
        const label::Bucket bucket = label::bucketAt(i);
        std::int64_t any = 0;
        for (const MomentBytes& m : moments) {
            any |= m.buckets[i];
        }
        if (any == 0) {
            continue;
        }
        Cell name = cell(text(label::bucketName(bucket)));
        name.swatch = Swatch{bucketColour(bucket)};
        table.rows.push_back(amounts(
            std::move(name), moments, [i](const MomentBytes& m) { return Bytes{m.buckets[i]}; },
            true));
    }
}

void addTotalRows(Table& table, const RunView& run, const std::vector<MomentBytes>& moments)
{
    const QColor hatch = themeColours(Theme::light).hatch;
    TableRow active = amounts(
        cell(ReportWords::tr("Active, requested bytes"), kBold), moments,
        [](const MomentBytes& m) { return m.active; }, true, kBold);
    active.is_total = true;
    table.rows.push_back(std::move(active));
    Cell cached = cell(ReportWords::tr("Cached (reserved − active)"));
    cached.swatch = Swatch{hatch, Swatch::Kind::hatch};
    table.rows.push_back(amounts(
        std::move(cached), moments,
        [](const MomentBytes& m) { return m.reserved - m.active - m.private_cached; }, false));
    if (run.replay->hasPrivatePools()) {
        Cell pools = cell(ReportWords::tr("Free inside private pools"));
        pools.swatch = Swatch{hatch, Swatch::Kind::dots};
        table.rows.push_back(amounts(
            std::move(pools), moments, [](const MomentBytes& m) { return m.private_cached; },
            false));
    }
    TableRow reserved = amounts(
        cell(ReportWords::tr("Reserved"), kBold), moments,
        [](const MomentBytes& m) { return m.reserved; }, false, kBold);
    reserved.is_total = true;
    table.rows.push_back(std::move(reserved));
}

/// What only the last column has: the request that failed and what the card had left.
void addOomRows(Table& table, const diagnose::Moment& moment, Bytes largest)
{
    const auto addRow = [&](const QString& name, Bytes bytes, const TextStyle& style) {
        TableRow row;
        row.cells = {cell(name, style), cell({}), cell({}), cell(columnText(bytes, largest), style),
                     cell({})};
        table.rows.push_back(std::move(row));
    };
    if (moment.device_free) {
        addRow(ReportWords::tr("Free on the card"), *moment.device_free, kBody);
    }
    TextStyle danger = kBold;
    danger.color = themeColours(Theme::light).danger_text;
    addRow(ReportWords::tr("Asked for, and refused"), moment.requested, danger);
}

} // namespace

void addBuckets(PageFlow& flow, const RunView& run, int level)
{
    if (run.isEmpty() || run.curves == nullptr || run.curves->stateCount() == 0) {
        return;
    }
    const std::vector<MomentBytes> moments = momentsOf(run);
    Table table;
    table.columns = {{ReportWords::tr("Bucket")}};
    std::size_t column = 1;
    for (const MomentBytes& m : moments) {
        table.columns.push_back({ReportWords::tr("Bytes"), 86, TextBlock::Align::right});
        table.columns.push_back({ReportWords::tr("Share"), 56, TextBlock::Align::right});
        table.groups.push_back({m.title, column, 2});
        column += 2;
    }
    addBandRows(table, moments);
    addTotalRows(table, run, moments);
    if (run.isOom() && moments.size() == 2) {
        addOomRows(table, run.diagnosis->moment, run.largest());
    }
    addHeading(flow, ReportWords::tr("What filled the memory"), level, 120);
    addTable(flow, table);
}

void addOoms(PageFlow& flow, const RunView& run, int level)
{
    constexpr std::size_t kMost = 12;
    if (run.replay == nullptr || run.replay->ooms.size() < 2) {
        return;
    }
    Table table;
    table.columns = {{ReportWords::tr("Event"), 60, TextBlock::Align::right},
                     {ReportWords::tr("Where")},
                     {ReportWords::tr("Asked for"), 74, TextBlock::Align::right},
                     {ReportWords::tr("Free on the card"), 74, TextBlock::Align::right},
                     {ReportWords::tr("Active"), 74, TextBlock::Align::right},
                     {ReportWords::tr("Reserved"), 74, TextBlock::Align::right}};
    const std::vector<EventId>& ooms = run.replay->ooms;
    // The last one is the one that ended the run, so the list keeps the end.
    const std::size_t first = ooms.size() > kMost ? ooms.size() - kMost : 0;
    for (std::size_t i = first; i < ooms.size(); ++i) {
        const EventId event = ooms[i];
        const StateId before = StateId::before(event);
        table.rows.push_back(
            {{cell(countText(event.value)), cell(placeText(run, StateId::after(event))),
              cell(bytesText(run.device->events.size[event.index()])),
              cell(knownText(run.device->events.deviceFree(event))),
              cell(columnText(run.replay->activeAt(before), run.largest())),
              cell(columnText(run.replay->reservedAt(before), run.largest()))}});
    }
    addHeading(flow, ReportWords::tr("Out-of-memory events"), level);
    const int count = plural(static_cast<std::int64_t>(ooms.size()));
    addParagraph(flow,
                 first == 0 ? ReportWords::tr("The trace records %Ln refused request.|"
                                              "The trace records %Ln refused requests.",
                                              nullptr, count)
                            : ReportWords::tr(
                                  "The trace records %Ln refused request; the last %1 are listed.|"
                                  "The trace records %Ln refused requests; the last %1 are listed.",
                                  nullptr, count)
                                  .arg(kMost));
    addTable(flow, table);
}

} // namespace tidemark::ui::report
