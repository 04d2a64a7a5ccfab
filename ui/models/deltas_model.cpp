// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/deltas_model.h"

#include "ui/models/roles.h"
#include "ui/models/text.h"

namespace tidemark::ui {

QString signedGibText(Bytes bytes)
{
    const QString size = gibText({std::abs(bytes.value)});
    const bool is_zero = size == gibText({});
    return is_zero ? size : (bytes.value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + size;
}

void DeltasModel::setComparison(const compare::Comparison& comparison)
{
    beginResetModel();
    m_comparison = comparison;
    m_is_set = true;
    endResetModel();
}

void DeltasModel::clear()
{
    beginResetModel();
    m_comparison = {};
    m_is_set = false;
    endResetModel();
}

int DeltasModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_is_set ? 0 : static_cast<int>(m_comparison.buckets.size()) + 1;
}

int DeltasModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DeltasModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const std::size_t count = m_comparison.buckets.size();
    const auto row = static_cast<std::size_t>(index.row());
    const bool is_total = row == count;
    compare::BucketDelta delta{{}, m_comparison.peak_a, m_comparison.peak_b};
    if (!is_total) {
        delta = m_comparison.buckets[count - 1 - row];
    }
    const Bytes bytes = index.column() == BytesA ? delta.a
        : index.column() == BytesB               ? delta.b
                                                 : delta.delta();
    switch (role) {
    case Qt::DisplayRole:
        break;
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Bucket ? Qt::AlignLeft : Qt::AlignRight)
                        | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return index.column() == Bucket ? QVariant() : QVariant(exactBytesText(bytes));
    case BytesRole:
        return qint64{bytes.value};
    case BucketRole:
        return is_total || index.column() != Bucket ? QVariant()
                                                    : QVariant(static_cast<int>(delta.bucket));
    case EmphasisRole:
        return static_cast<int>(is_total ? Emphasis::strong : Emphasis::normal);
    default:
        return {};
    }
    switch (index.column()) {
    case Bucket:
        return is_total ? tr("Peak") : text(label::bucketName(delta.bucket));
    case Delta:
        return signedGibText(bytes);
    case Ratio:
        return delta.a.value > 0
            ? percentText(static_cast<double>(delta.b.value) / static_cast<double>(delta.a.value))
            : QStringLiteral("–");
    default:
        return gibText(bytes);
    }
}

QVariant DeltasModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= ColumnCount) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant((section == Bucket ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Bucket:
        return tr("bucket");
    case BytesA:
        return tr("A");
    case BytesB:
        return tr("B");
    case Delta:
        return tr("B − A");
    default:
        return tr("B of A");
    }
}

} // namespace tidemark::ui
