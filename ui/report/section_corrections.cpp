// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/allocations_model.h"
#include "ui/models/text.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/report/words.h"
#include "ui/views/look/palette.h"

namespace tidemark::ui::report {

void addCorrections(PageFlow& flow, const RunView& run, int level)
{
    const auto& corrections = run.analysis->corrections;
    if (corrections == nullptr || corrections->rules.empty()) {
        return;
    }
    Table table;
    table.columns = {{ReportWords::tr("What")},
                     {ReportWords::tr("Is"), 96},
                     {ReportWords::tr("Allocations"), 60, TextBlock::Align::right},
                     {ReportWords::tr("At the peak"), 66, TextBlock::Align::right},
                     {ReportWords::tr("Why")}};
    for (std::size_t i = 0; i < corrections->rules.size(); ++i) {
        const label::Correction& rule = corrections->rules[i];
        const label::CorrectionEffect& effect = corrections->effects[i];
        const QString subject = shown(label::describeSubject(rule));
        if (rule.dimension) {
            table.rows.push_back({{cell(subject), cell(shown(label::describeTarget(rule))),
                                   cell({}), cell({}), cell(shown(rule.note))}});
            continue;
        }
        Cell target = cell(bucketWithRole(rule.bucket, rule.role.value_or(label::Role::none)));
        target.swatch = Swatch{bucketColour(rule.bucket)};
        table.rows.push_back(
            {{cell(subject), target, cell(countText(effect.allocations)),
              cell(columnText(effect.peak_bytes, run.largest())), cell(shown(rule.note))}});
    }
    addHeading(flow, ReportWords::tr("Corrections"), level, 60);
    addParagraph(
        flow,
        ReportWords::tr("What a person has corrected, in the order in which it "
                        "applies; later ones win. All figures of this report follow them."));
    addTable(flow, table);
}

} // namespace tidemark::ui::report
