// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/allocation_groups_model.h"

#include "core/report/run_query.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <utility>

namespace tidemark::ui {

void AllocationGroupsModel::setGroups(std::shared_ptr<const query::AllocationTable> table,
                                      query::GroupBy by, std::vector<query::Group> groups)
{
    beginResetModel();
    m_table = std::move(table);
    m_by = by;
    m_groups = std::move(groups);
    m_largest = {};
    m_largest_churn = {};
    for (const query::Group& one : m_groups) {
        m_largest = std::max(m_largest, one.sums.bytes);
        m_largest_churn = std::max(m_largest_churn, one.sums.churn);
    }
    endResetModel();
}

void AllocationGroupsModel::clear()
{
    beginResetModel();
    m_table.reset();
    m_groups.clear();
    endResetModel();
}

query::GroupKey AllocationGroupsModel::keyOf(int column)
{
    switch (column) {
    case Count:
        return query::GroupKey::count;
    case Lifetime:
        return query::GroupKey::lifetime;
    case BytesLifetime:
        return query::GroupKey::bytes_lifetime;
    case Churn:
        return query::GroupKey::churn;
    case PeakShare:
        return query::GroupKey::share_of_peak;
    case Name:
        return query::GroupKey::name;
    default:
        return query::GroupKey::bytes;
    }
}

int AllocationGroupsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_groups.size());
}

int AllocationGroupsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString AllocationGroupsModel::display(const query::Group& group, int column) const
{
    const query::Sums& sums = group.sums;
    switch (column) {
    case Count:
        return countText(sums.count);
    case Size:
        return columnText(sums.bytes, m_largest);
    case Lifetime:
        return text(report::lifetimeText(*m_table, sums.lifetime));
    case BytesLifetime:
        return text(report::bytesLifetimeText(*m_table, sums.bytes_lifetime));
    case Churn:
        return columnText(sums.churn, m_largest_churn);
    case PeakShare:
        return percentText(m_table->shareOfPeak(sums.peak_bytes));
    default:
        return group.text.empty() ? tr("not known") : text(group.text);
    }
}

QString AllocationGroupsModel::toolTip(const query::Group& group, int column) const
{
    switch (column) {
    case Size:
        return exactBytesText(group.sums.bytes);
    case Churn:
        return exactBytesText(group.sums.churn);
    case PeakShare:
        return tr("%1 of the peak").arg(exactBytesText(group.sums.peak_bytes));
    case Name:
        return display(group, Name);
    default:
        return {};
    }
}

QVariant AllocationGroupsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const query::Group& one = group(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return display(one, index.column());
    case Qt::ToolTipRole:
        return toolTip(one, index.column());
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight)
                        | Qt::AlignVCenter);
    case BucketRole:
        return m_by == query::GroupBy::bucket && index.column() == Name ? QVariant(int(one.value))
                                                                        : QVariant();
    case BytesRole:
        return qint64{one.sums.bytes.value};
    case AllocationRole:
        return one.largest.value;
    default:
        return {};
    }
}

QVariant AllocationGroupsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= ColumnCount) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case Lifetime:
            return tr("Sum of lifetimes");
        case BytesLifetime:
            return tr("Bytes × lifetime");
        case Churn:
            return tr("Bytes both allocated and freed in the trace");
        case PeakShare:
            return tr("Share of the bytes live at the peak");
        default:
            return {};
        }
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Count:
        return tr("count");
    case Size:
        return tr("requested");
    case Lifetime:
        return tr("lifetimes");
    case BytesLifetime:
        return tr("bytes × lifetime");
    case Churn:
        return tr("allocated and freed");
    case PeakShare:
        return tr("share of peak");
    default:
        return text(query::groupById(m_by));
    }
}

} // namespace tidemark::ui
