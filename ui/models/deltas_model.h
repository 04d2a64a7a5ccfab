// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/compare.h"

#include <QtCore/QAbstractTableModel>

namespace tidemark::ui {

/// Two runs at their peaks: bytes per bucket in A and B and the difference, uppermost band first,
/// the total last.
class DeltasModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column : int { Bucket, BytesA, BytesB, Delta, Ratio, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;
    void setComparison(const compare::Comparison& comparison);
    void clear();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    compare::Comparison m_comparison;
    bool m_is_set = false;
};

/// "+1.20 GiB", "−0.03 GiB", "0.00 GiB".
[[nodiscard]] QString signedGibText(Bytes bytes);

} // namespace tidemark::ui
