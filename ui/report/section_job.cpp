// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/job_parts.h"
#include "ui/report/job_figure.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/views/look/palette.h"

#include <algorithm>
#include <memory>

namespace tidemark::ui::report {
namespace {

constexpr double kCellGap = 9;
constexpr double kMostCell = 130; ///< Names of hosts and files may be long.
constexpr TextStyle kRankCell{8, false, false, kInk};

/// The same table on paper: columns as wide as what is in them, the last as wide as the rest.
Table onPaper(const tidemark::report::Table& said)
{
    Table table;
    for (std::size_t c = 0; c < said.columns.size(); ++c) {
        const QString title = shown(said.columns[c].title);
        double width = textWidth(title, kSmallBold);
        for (const auto& row : said.rows) {
            width = std::max(width, std::min(kMostCell, textWidth(shown(row[c]), kRankCell)));
        }
        const bool is_last = c + 1 == said.columns.size();
        table.columns.push_back({title, is_last ? 0 : width + kCellGap,
                                 said.columns[c].align == tidemark::report::Align::right
                                     ? TextBlock::Align::right
                                     : TextBlock::Align::left});
    }
    for (const auto& row : said.rows) {
        TableRow& made = table.rows.emplace_back();
        for (std::size_t c = 0; c < row.size(); ++c) {
            const QString words = shown(row[c]);
            made.cells.push_back(
                cell(c + 1 == row.size() ? words : elidedMiddle(words, kRankCell, kMostCell),
                     kRankCell));
        }
    }
    return table;
}

} // namespace

void addJob(PageFlow& flow, const job::Job& job)
{
    const QString title = shown(tidemark::report::jobTitle(job));
    flow.addBookmark(title, 0);
    addParagraph(flow, {{title, TextStyle{17, true, false, kInk}}}, 0, 6);
    const ThemeColours& colours = themeColours(Theme::light);
    if (!job.sentences.empty()) {
        addCard(flow, job.ranOut() ? colours.danger : colours.accent,
                {{{shown(job.sentences.front().text), TextStyle{12, true, false, kInk}}}});
    }
    for (const std::string& sentence : tidemark::report::furtherSentences(job)) {
        addBullet(flow, {{shown(sentence), kBody}});
    }
    flow.space(8);
    const tidemark::report::ShownRows rows = tidemark::report::shownRows(job);
    addTable(flow, onPaper(tidemark::report::jobTable(job, rows)));
    flow.space(4);
    for (const std::string& line : tidemark::report::leftOutLines(job, rows)) {
        addParagraph(flow, shown(line), kSmall);
    }
    for (const std::string& note : tidemark::report::shownNotes(job)) {
        addBullet(flow, {{shown(note), kSmall}});
    }
    std::vector<std::size_t> drawn = tidemark::report::drawnRows(job);
    if (drawn.empty()) {
        return;
    }
    flow.space(10);
    const auto figure =
        std::make_shared<JobFigure>(job, std::move(drawn), flow.width(), flow.remaining());
    const QRectF place = flow.take(figure->height());
    flow.add([figure, place](QPainter& painter) { figure->draw(painter, place.topLeft()); });
}

} // namespace tidemark::ui::report
