// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/row_texts.h"

#include "core/report/text_tools.h"
#include "ui/models/text.h"

#include <QtCore/QStringList>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QTableView>

#include <algorithm>
#include <vector>

namespace tidemark::ui {
namespace {

std::vector<int> visibleColumns(const QTableView& table)
{
    const QHeaderView& header = *table.horizontalHeader();
    std::vector<int> columns;
    for (int i = 0; i < header.count(); ++i) {
        const int column = header.logicalIndex(i);
        if (!header.isSectionHidden(column)) {
            columns.push_back(column);
        }
    }
    return columns;
}

/// Ranges instead of rows, of which there may be millions: top and bottom, in order.
std::vector<std::pair<int, int>> selectedRanges(const QTableView& table)
{
    std::vector<std::pair<int, int>> ranges;
    for (const QItemSelectionRange& range : table.selectionModel()->selection()) {
        ranges.emplace_back(range.top(), range.bottom());
    }
    if (ranges.empty() && table.currentIndex().isValid()) {
        ranges.emplace_back(table.currentIndex().row(), table.currentIndex().row());
    }
    std::ranges::sort(ranges);
    return ranges;
}

QString cellText(QString words, RowFormat format)
{
    if (format == RowFormat::markdown) {
        return text(report::escapeMarkdown(utf8(words)));
    }
    return words.replace(u'\t', u' ').replace(u'\n', u' ').replace(u'\r', u' ');
}

QString line(const QStringList& cells, RowFormat format)
{
    return format == RowFormat::markdown
        ? QStringLiteral("| ") % cells.join(QStringLiteral(" | ")) % QStringLiteral(" |")
        : cells.join(u'\t');
}

QStringList headLines(const QTableView& table, const std::vector<int>& columns, RowFormat format)
{
    QStringList titles;
    QStringList rules;
    for (const int column : columns) {
        const QAbstractItemModel& model = *table.model();
        titles << cellText(model.headerData(column, Qt::Horizontal).toString(), format);
        const int alignment =
            model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
        rules << ((alignment & Qt::AlignRight) != 0 ? QStringLiteral("---:")
                                                    : QStringLiteral("---"));
    }
    QStringList lines{line(titles, format)};
    if (format == RowFormat::markdown) {
        lines << line(rules, format);
    }
    return lines;
}

} // namespace

RowTexts selectedRows(const QTableView& table, RowFormat format)
{
    const std::vector<int> columns = visibleColumns(table);
    RowTexts texts;
    QStringList lines =
        format == RowFormat::plain ? QStringList() : headLines(table, columns, format);
    int next = 0; // Ranges may meet.
    for (const auto& [top, bottom] : selectedRanges(table)) {
        for (int row = std::max(top, next); row <= bottom; ++row) {
            if (texts.rows == kMostCopiedRows) {
                texts.left_out += bottom - row + 1;
                break;
            }
            QStringList cells;
            for (const int column : columns) {
                cells << cellText(table.model()->index(row, column).data().toString(), format);
            }
            lines << line(cells, format);
            ++texts.rows;
        }
        next = std::max(next, bottom + 1);
    }
    texts.text = texts.rows == 0 ? QString() : lines.join(u'\n');
    return texts;
}

} // namespace tidemark::ui
