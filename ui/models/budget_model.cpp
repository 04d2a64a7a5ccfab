// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/budget_model.h"

#include "ui/models/one_unit.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

namespace tidemark::ui {
using BudgetKind = report::BudgetLine::Kind;

Bytes largestOf(const diagnose::Prediction& prediction)
{
    return std::max(prediction.after_reserved_high, prediction.capacity.value_or(Bytes{}));
}

void BudgetModel::setPrediction(const diagnose::Prediction& prediction)
{
    beginResetModel();
    m_rows = report::budgetLines(prediction);
    m_largest = largestOf(prediction);
    endResetModel();
}

void BudgetModel::clear()
{
    setPrediction({});
}

int BudgetModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int BudgetModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

std::int64_t BudgetModel::bytesOf(const Row& row, int column)
{
    return column == Before ? row.before : column == After ? row.after : row.after - row.before;
}

QString BudgetModel::figure(const Row& row, int column) const
{
    const std::int64_t bytes = bytesOf(row, column);
    if (column == Difference) {
        if (row.kind == BudgetKind::capacity) {
            return {};
        }
        return bytes == 0 ? QStringLiteral("–") : signedColumnText({bytes}, m_largest);
    }
    return bytes < 0 ? signedColumnText({bytes}, m_largest) : columnText({bytes}, m_largest);
}

QVariant BudgetModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const bool is_name = index.column() == Part;
    switch (role) {
    case Qt::DisplayRole:
        return is_name ? text(row.name) : figure(row, index.column());
    case Qt::ToolTipRole:
        return is_name ? text(row.meaning) : exactBytesText({bytesOf(row, index.column())});
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case BytesRole:
        return is_name ? QVariant() : QVariant(qint64{bytesOf(row, index.column())});
    case BucketRole:
        return row.kind == BudgetKind::bucket ? QVariant(static_cast<int>(row.bucket)) : QVariant();
    case EmphasisRole: {
        const bool is_sum = row.kind == BudgetKind::total || row.kind == BudgetKind::spare;
        return static_cast<int>(is_sum                               ? Emphasis::strong
                                    : row.kind == BudgetKind::bucket ? Emphasis::normal
                                                                     : Emphasis::secondary);
    }
    default:
        return {};
    }
}

QString BudgetModel::title(int column) const
{
    switch (column) {
    case Part:
        return tr("budget");
    case Before:
        return tr("before");
    case After:
        return tr("after");
    default:
        return tr("change");
    }
}

} // namespace tidemark::ui
