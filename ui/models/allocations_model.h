// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/format.h"
#include "core/diagnose/analysis.h"
#include "core/query/order.h"
#include "ui/models/headed.h"
#include "ui/models/stack_texts.h"

#include <memory>
#include <vector>

namespace tidemark::ui {

/// Allocations of one device in a given order; it never sorts or filters itself. Texts are made for
/// the rows that are looked at, so the length of the list costs nothing.
class AllocationsModel : public TableModel {
    Q_OBJECT
public:
    /// All of `query::kColumns`; the window names these.
    enum Column : int {
        Size = int(query::SortKey::bytes),
        Bucket = int(query::SortKey::bucket),
        Operation = int(query::SortKey::operation),
        Line = int(query::SortKey::line),
        Made = int(query::SortKey::made),
        Freed = int(query::SortKey::freed),
        Confidence = int(query::SortKey::confidence),
        Lifetime = int(query::SortKey::lifetime),
        BytesLifetime = int(query::SortKey::bytes_lifetime),
        Churn = int(query::SortKey::churn),
        PeakShare = int(query::SortKey::share_of_peak),
        Step = int(query::SortKey::step),
        Phase = int(query::SortKey::phase),
        Expression = int(query::SortKey::expression),
        Module = int(query::SortKey::module),
        ColumnCount = int(query::kSortKeyCount)
    };

    using TableModel::TableModel;

    /// Another device or newer labels; empties the list. Requires snapshot, replay and labels.
    void setDevice(const diagnose::Analysis& analysis, std::size_t device);
    /// Newer labels of the same device; the list stays, and says the old ones until its table
    /// comes.
    void setLabels(const diagnose::Analysis& analysis);
    void clear();
    /// What the cells say; null for nothing. Of the same device.
    void setTable(std::shared_ptr<const query::AllocationTable> table);
    void setOrder(std::vector<AllocationId> order);
    [[nodiscard]] const std::vector<AllocationId>& order() const
    {
        return m_order;
    }
    [[nodiscard]] const StackTexts& texts() const
    {
        return m_texts;
    }
    /// Row of an allocation, −1 if it is not listed. O(n).
    [[nodiscard]] int rowOf(AllocationId id) const;
    static query::SortKey keyOf(int column)
    {
        return static_cast<query::SortKey>(column);
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return query::infoOf(keyOf(column)).kind == query::CellKind::text;
    }

    [[nodiscard]] QString display(AllocationId id, int column) const;
    [[nodiscard]] QString toolTip(AllocationId id, int column) const;

    diagnose::Analysis m_analysis;
    std::size_t m_device = 0;
    StackTexts m_texts;
    std::shared_ptr<const query::AllocationTable> m_table;
    std::vector<AllocationId> m_order;
    tidemark::OneUnit m_unit; ///< Of all bytes of the list.
};

/// "Activation, attention matrix": bucket with its role where known.
[[nodiscard]] QString bucketWithRole(label::Bucket bucket, label::Role role);

} // namespace tidemark::ui
