// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/query/groups.h"

#include <QtCore/QAbstractTableModel>

#include <memory>
#include <vector>

namespace tidemark::ui {

/// Groups of allocations with their sums, in a given order.
class AllocationGroupsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column : int { Count, Size, Lifetime, BytesLifetime, Churn, PeakShare, Name, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setGroups(std::shared_ptr<const query::AllocationTable> table, query::GroupBy by,
                   std::vector<query::Group> groups);
    void clear();
    [[nodiscard]] const query::Group& group(int row) const
    {
        return m_groups[static_cast<std::size_t>(row)];
    }
    static query::GroupKey keyOf(int column);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    [[nodiscard]] QString display(const query::Group& group, int column) const;
    [[nodiscard]] QString toolTip(const query::Group& group, int column) const;

    std::shared_ptr<const query::AllocationTable> m_table;
    query::GroupBy m_by = query::GroupBy::line;
    std::vector<query::Group> m_groups;
    Bytes m_largest; ///< Of a group: its unit is that of the column.
    Bytes m_largest_churn;
};

} // namespace tidemark::ui
