// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/query/order.h"
#include "ui/models/stack_texts.h"

#include <QtCore/QAbstractTableModel>

#include <memory>
#include <vector>

namespace tidemark::ui {

/// Allocations of one device in a given order; it never sorts or filters itself. Texts are made for
/// the rows that are looked at, so the length of the list costs nothing.
class AllocationsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Those behind `Confidence` are empty without a table.
    enum Column : int {
        Size,
        Bucket,
        Operation,
        Line,
        Made,
        Freed,
        Confidence,
        Lifetime,
        BytesLifetime,
        Churn,
        PeakShare,
        Step,
        Phase,
        Expression,
        Module,
        ColumnCount
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// Another device or newer labels; empties the list. Requires snapshot, replay and labels.
    void setDevice(const diagnose::Analysis& analysis, std::size_t device);
    /// Newer labels of the same device; the list stays.
    void setLabels(const diagnose::Analysis& analysis);
    void clear();
    /// What the further columns say; null for nothing. Of the same device and labels.
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
    static query::SortKey keyOf(int column);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    [[nodiscard]] QString display(AllocationId id, int column) const;
    [[nodiscard]] QString measure(AllocationId id, int column) const;
    [[nodiscard]] QString toolTip(AllocationId id, int column) const;
    [[nodiscard]] QString bucketText(AllocationId id) const;

    diagnose::Analysis m_analysis;
    std::size_t m_device = 0;
    StackTexts m_texts;
    std::shared_ptr<const query::AllocationTable> m_table;
    std::vector<AllocationId> m_order;
};

/// "Activation, attention matrix": bucket with its role where known.
[[nodiscard]] QString bucketWithRole(label::Bucket bucket, label::Role role);

} // namespace tidemark::ui
