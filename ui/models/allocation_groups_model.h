// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/format.h"
#include "core/query/groups.h"
#include "ui/models/headed.h"

#include <QtCore/QStringList>

#include <memory>
#include <vector>

namespace tidemark::ui {

/// Groups of allocations with their sums, in a given order.
class AllocationGroupsModel : public TableModel {
    Q_OBJECT
public:
    /// All of `query::kGroupColumns`; the window names these.
    enum Column : int {
        Size = int(query::GroupKey::bytes),
        Churn = int(query::GroupKey::churn),
        PeakShare = int(query::GroupKey::share_of_peak),
        Name = int(query::GroupKey::name),
        ColumnCount = int(query::kGroupKeyCount)
    };

    using TableModel::TableModel;

    void setGroups(std::shared_ptr<const query::AllocationTable> table, query::GroupBy by,
                   std::vector<query::Group> groups);
    void clear();
    [[nodiscard]] const query::Group& group(int row) const
    {
        return m_groups[static_cast<std::size_t>(row)];
    }
    static query::GroupKey keyOf(int column)
    {
        return static_cast<query::GroupKey>(column);
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] QString titleTip(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == Name;
    }

    [[nodiscard]] QString display(const query::Group& group, int column) const;
    [[nodiscard]] QString toolTip(const query::Group& group, int column) const;

    std::shared_ptr<const query::AllocationTable> m_table;
    query::GroupBy m_by = query::GroupBy::line;
    std::vector<query::Group> m_groups;
    QStringList m_briefs; ///< Of modules: what tells their names apart.
    tidemark::OneUnit m_unit; ///< Of all bytes of the list.
};

} // namespace tidemark::ui
