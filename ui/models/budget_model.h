// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/report/budget_lines.h"
#include "ui/models/headed.h"

#include <QtCore/QString>

#include <cstdint>
#include <vector>

namespace tidemark::ui {

/// What a run is made of before and after a change: buckets, what the need counts beside them, the
/// total, and what it leaves of the capacity.
class BudgetModel : public TableModel {
    Q_OBJECT
public:
    enum Column : int { Part, Before, After, Difference, ColumnCount };

    using TableModel::TableModel;

    /// A prediction without budgets gives an empty table.
    void setPrediction(const diagnose::Prediction& prediction);
    void clear();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == Part;
    }

    using Row = report::BudgetLine;
    [[nodiscard]] QString figure(const Row& row, int column) const;
    [[nodiscard]] static std::int64_t bytesOf(const Row& row, int column);

    std::vector<Row> m_rows;
    Bytes m_largest;
};

/// The largest figure that a prediction is told with: what the run takes at most, or the capacity.
[[nodiscard]] Bytes largestOf(const diagnose::Prediction& prediction);

} // namespace tidemark::ui
