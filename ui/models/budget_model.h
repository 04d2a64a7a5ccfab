// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/budget.h"
#include "core/diagnose/prediction.h"

#include <QtCore/QAbstractTableModel>
#include <QtCore/QString>

#include <cstdint>
#include <vector>

namespace tidemark::ui {

/// What a run is made of before and after a change: buckets, what the need counts beside them, the
/// total, and what it leaves of the capacity.
class BudgetModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column : int { Part, Before, After, Difference, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    /// A prediction without budgets gives an empty table.
    void setPrediction(const diagnose::Prediction& prediction);
    void clear();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    enum class Kind : std::uint8_t { part, capacity, spare };
    struct Row {
        Kind kind = Kind::part;
        diagnose::BudgetRow part;
    };
    [[nodiscard]] QString figure(const Row& row, int column) const;
    [[nodiscard]] static std::int64_t bytesOf(const Row& row, int column);

    std::vector<Row> m_rows;
    Bytes m_largest;
};

/// The largest figure that a prediction is told with: what the run takes at most, or the capacity.
[[nodiscard]] Bytes largestOf(const diagnose::Prediction& prediction);
/// For people: a bucket's name, "Still to come", "Kept by the allocator".
[[nodiscard]] QString budgetPartText(const diagnose::BudgetRow& row);
/// What the part is, for a tool tip; empty for buckets.
[[nodiscard]] QString budgetPartMeaning(const diagnose::BudgetRow& row);

} // namespace tidemark::ui
