// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/budget_model.h"

#include "ui/models/one_unit.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

namespace tidemark::ui {
namespace {

using PartKind = diagnose::BudgetRow::Kind;

} // namespace

QString budgetPartText(const diagnose::BudgetRow& row)
{
    switch (row.kind) {
    case PartKind::bucket:
        return text(label::bucketName(row.bucket));
    case PartKind::failed:
        return BudgetModel::tr("Failed request");
    case PartKind::to_follow:
        return BudgetModel::tr("Needed later");
    case PartKind::overhead:
        return BudgetModel::tr("Cached and rounding");
    case PartKind::total:
        break;
    }
    return BudgetModel::tr("Needed in total");
}

QString budgetPartMeaning(const diagnose::BudgetRow& row)
{
    switch (row.kind) {
    case PartKind::bucket:
        return {};
    case PartKind::failed:
        return BudgetModel::tr("The request that failed.");
    case PartKind::to_follow:
        return BudgetModel::tr("Needed later, as far as known: rest of the pass, gradients, "
                               "optimizer state, a larger step.");
    case PartKind::overhead:
        return BudgetModel::tr(
            "Reserved beyond live bytes: free blocks and rounding. An estimate after a fix.");
    case PartKind::total:
        break;
    }
    return BudgetModel::tr("Sum of the rows above: what the process needs from the GPU.");
}

Bytes largestOf(const diagnose::Prediction& prediction)
{
    return std::max(prediction.after_reserved_high, prediction.capacity.value_or(Bytes{}));
}

void BudgetModel::setPrediction(const diagnose::Prediction& prediction)
{
    beginResetModel();
    m_rows.clear();
    m_largest = largestOf(prediction);
    if (prediction.before_budget && prediction.after_budget) {
        for (const diagnose::BudgetRow& part :
             diagnose::budgetRows(*prediction.before_budget, *prediction.after_budget)) {
            m_rows.push_back({Kind::part, part});
        }
        if (prediction.capacity) {
            const std::int64_t capacity = prediction.capacity->value;
            const diagnose::BudgetRow total = m_rows.back().part;
            m_rows.push_back({Kind::capacity, {total.kind, total.bucket, capacity, capacity}});
            m_rows.push_back(
                {Kind::spare,
                 {total.kind, total.bucket, capacity - total.before, capacity - total.after}});
        }
    }
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
    return column == Before ? row.part.before
        : column == After   ? row.part.after
                            : row.part.after - row.part.before;
}

QString BudgetModel::figure(const Row& row, int column) const
{
    const std::int64_t bytes = bytesOf(row, column);
    if (column == Difference) {
        if (row.kind == Kind::capacity) {
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
        return !is_name                  ? figure(row, index.column())
            : row.kind == Kind::capacity ? tr("Capacity")
            : row.kind == Kind::spare    ? tr("Spare (estimate)")
                                         : budgetPartText(row.part);
    case Qt::ToolTipRole:
        return !is_name              ? exactBytesText({bytesOf(row, index.column())})
            : row.kind == Kind::part ? budgetPartMeaning(row.part)
                                     : QString();
    case Qt::TextAlignmentRole:
        return QVariant((is_name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case BytesRole:
        return is_name ? QVariant() : QVariant(qint64{bytesOf(row, index.column())});
    case BucketRole:
        return row.part.kind == PartKind::bucket ? QVariant(static_cast<int>(row.part.bucket))
                                                 : QVariant();
    case EmphasisRole: {
        const bool is_sum = row.part.kind == PartKind::total && row.kind != Kind::capacity;
        return static_cast<int>(is_sum                                  ? Emphasis::strong
                                    : row.part.kind == PartKind::bucket ? Emphasis::normal
                                                                        : Emphasis::secondary);
    }
    default:
        return {};
    }
}

QVariant BudgetModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= ColumnCount) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant((section == Part ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
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
