// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/budget_model.h"
#include "ui/models/one_unit.h"
#include "ui/models/text.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/report/words.h"
#include "ui/views/look/palette.h"

#include <cstdlib>

namespace tidemark::ui::report {
namespace {

QString signedText(std::int64_t bytes, Bytes largest)
{
    return bytes == 0 ? QStringLiteral("–") : signedColumnText({bytes}, largest);
}

TableRow budgetRow(Cell name, std::int64_t before, std::int64_t after, Bytes largest,
                   const TextStyle& style)
{
    return {{std::move(name), cell(columnText({before}, largest), style),
             cell(columnText({after}, largest), style),
             cell(signedText(after - before, largest), style)}};
}

/// What is left of the capacity, or missing.
Cell spareCell(std::int64_t spare, Bytes largest)
{
    const ThemeColours& colours = themeColours(Theme::light);
    return spare < 0 ? cell(ReportWords::tr("%1 short").arg(columnText({-spare}, largest)),
                            TextStyle{9, true, false, colours.danger_text})
                     : cell(columnText({spare}, largest), TextStyle{9, true, false, colours.good});
}

Table budgetTable(const diagnose::Prediction& p)
{
    using Kind = diagnose::BudgetRow::Kind;
    Table table;
    table.columns = {{ReportWords::tr("At the peak")},
                     {ReportWords::tr("Before"), 86, TextBlock::Align::right},
                     {ReportWords::tr("After"), 86, TextBlock::Align::right},
                     {ReportWords::tr("Change"), 86, TextBlock::Align::right}};
    const Bytes largest = p.before_reserved;
    for (const diagnose::BudgetRow& row : diagnose::budgetRows(*p.before_budget, *p.after_budget)) {
        const bool is_total = row.kind == Kind::total;
        const TextStyle& style = is_total ? kBold : kBody;
        Cell name = cell(budgetPartText(row), style);
        if (row.kind == Kind::bucket) {
            name.swatch = Swatch{bucketColour(row.bucket)};
        }
        table.rows.push_back(budgetRow(std::move(name), row.before, row.after, largest, style));
        table.rows.back().is_total = is_total;
    }
    if (p.capacity) {
        const std::int64_t capacity = p.capacity->value;
        table.rows.push_back(
            {{cell(ReportWords::tr("Capacity")),
              cell(columnText(*p.capacity, p.mostCapacity(), largest)),
              cell(columnText(*p.capacity, p.mostCapacity(), largest)), cell({})}});
        table.rows.push_back({{cell(ReportWords::tr("Spare"), kBold),
                               spareCell(capacity - p.before_budget->total(), largest),
                               spareCell(capacity - p.after_budget->total(), largest), cell({})}});
    }
    return table;
}

} // namespace

void addBudget(PageFlow& flow, const RunView& run, int level)
{
    if (!run.recommended || !run.recommended->before_budget || !run.recommended->after_budget) {
        return;
    }
    const diagnose::Prediction& p = *run.recommended;
    addHeading(flow, ReportWords::tr("The budget before and after"), level, 150);
    const QString words =
        ReportWords::tr(
            "What the run needs from the card as it was recorded, and after “%1”. After the "
            "change it needs %2 in all.")
            .arg(run.recommended_title, intervalText(p.after_reserved_low, p.after_reserved_high));
    addParagraph(flow, words, TextStyle{8.5, false, false, kGrey});
    addTable(flow, budgetTable(p));
}

} // namespace tidemark::ui::report
