// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/allocation_groups_model.h"

#include "core/base/language.h"
#include "core/report/run_query.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"
#include "ui/models/told_apart.h"

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
    Bytes largest;
    for (const query::Group& one : m_groups) {
        largest = std::max(largest, one.sums.bytes);
    }
    m_unit = tidemark::OneUnit(largest);
    m_briefs.clear();
    if (m_by == query::GroupBy::module) {
        for (int row = 0; row < rowCount(); ++row) {
            m_briefs << display(group(row), Name);
        }
        m_briefs = toldApart(m_briefs);
    }
    endResetModel();
}

void AllocationGroupsModel::clear()
{
    beginResetModel();
    m_table.reset();
    m_groups.clear();
    m_briefs.clear();
    endResetModel();
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
    const query::GroupKey key = keyOf(column);
    return text(report::cellText(*m_table, query::infoOf(key).kind,
                                 query::cellOf(*m_table, group, key), m_unit));
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
        return alignmentOf(index.column());
    case BucketRole:
        return m_by == query::GroupBy::bucket && index.column() == Name ? QVariant(int(one.value))
                                                                        : QVariant();
    case BriefRole:
        return index.column() == Name && !m_briefs.isEmpty() ? m_briefs[index.row()] : QVariant();
    case BytesRole:
        return qint64{one.sums.bytes.value};
    case AllocationRole:
        return one.largest.value;
    default:
        return {};
    }
}

QString AllocationGroupsModel::title(int column) const
{
    return text(query::columnTitle(keyOf(column), m_by));
}

QString AllocationGroupsModel::titleTip(int column) const
{
    const char* const meaning = query::infoOf(keyOf(column)).meaning;
    return meaning == nullptr ? QString() : text(translated(meaning));
}

} // namespace tidemark::ui
