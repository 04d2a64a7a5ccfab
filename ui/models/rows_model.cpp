// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/rows_model.h"

#include "ui/models/text.h"

#include <algorithm>

namespace tidemark::ui {

void RowsModel::setTable(TextTable table)
{
    const bool same_shape = table.rows.size() == m_table.rows.size()
        && std::ranges::equal(table.columns, m_table.columns, {}, &TextColumn::title,
                              &TextColumn::title);
    if (!same_shape) {
        beginResetModel();
        m_table = std::move(table);
        endResetModel();
        return;
    }
    m_table = std::move(table);
    if (rowCount() > 0) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

void RowsModel::setColumnTitle(int column, const QString& title)
{
    m_table.columns[static_cast<std::size_t>(column)].title = title;
    Q_EMIT headerDataChanged(Qt::Horizontal, column, column);
}

int RowsModel::rowOf(std::size_t source) const
{
    const auto found = std::ranges::find(m_table.rows, source, &TextRow::source);
    return found == m_table.rows.end() ? -1 : static_cast<int>(found - m_table.rows.begin());
}

int RowsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int RowsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant RowsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const TextRow& row = m_table.rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    const RowCell cell = column < row.cells.size() ? row.cells[column] : RowCell{};
    switch (role) {
    case Qt::DisplayRole:
        return cell.text;
    case Qt::ToolTipRole:
        return cell.bytes ? exactBytesText(*cell.bytes) : cell.tip;
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case BytesRole:
        return cell.bytes ? QVariant(qint64{cell.bytes->value}) : QVariant();
    case BucketRole:
        return row.bucket && column == 0 ? QVariant(static_cast<int>(*row.bucket)) : QVariant();
    case EmphasisRole:
        return static_cast<int>(row.emphasis);
    case BarRole:
        return row.bar && index.column() == columnCount() - 1 ? QVariant(*row.bar) : QVariant();
    case BarBucketRole:
        return row.bucket ? QVariant(static_cast<int>(*row.bucket)) : QVariant();
    default:
        return {};
    }
}

QString RowsModel::title(int column) const
{
    return m_table.columns[static_cast<std::size_t>(column)].title;
}

} // namespace tidemark::ui
