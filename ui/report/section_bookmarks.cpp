// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/text.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/report/words.h"

namespace tidemark::ui::report {

void addBookmarks(PageFlow& flow, const RunView& run, int level)
{
    Table table;
    table.columns = {{ReportWords::tr("Moment"), 150},
                     {ReportWords::tr("Active"), 66, TextBlock::Align::right},
                     {ReportWords::tr("Note")}};
    for (const pipeline::Bookmark& mark : run.bookmarks) {
        if (!run.isEmpty() && mark.device == run.device_index
            && mark.state <= run.replay->lastState()) {
            table.rows.push_back(
                {{cell(stateAndPlace(run, mark.state)),
                  cell(columnText(run.replay->activeAt(mark.state), run.largest())),
                  cell(shown(mark.note))}});
        }
    }
    if (table.rows.empty()) {
        return;
    }
    addHeading(flow, ReportWords::tr("Bookmarks"), level, 60);
    addParagraph(flow,
                 ReportWords::tr("Moments that a person marked; the flags of the timeline are "
                                 "theirs."));
    addTable(flow, table);
}

} // namespace tidemark::ui::report
