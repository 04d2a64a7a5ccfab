// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/allocations_model.h"

#include "core/label/program/program_evidence.h"
#include "core/report/run_query.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <utility>

namespace tidemark::ui {

QString bucketWithRole(label::Bucket bucket, label::Role role)
{
    return text(query::bucketWithRole(bucket, role));
}

void AllocationsModel::setDevice(const diagnose::Analysis& analysis, std::size_t device)
{
    beginResetModel();
    const bool is_same_file = analysis.snapshot == m_analysis.snapshot;
    m_analysis = analysis;
    m_device = device;
    if (!is_same_file) {
        m_texts = StackTexts(analysis.snapshot);
    }
    m_table.reset();
    m_order.clear();
    endResetModel();
}

void AllocationsModel::setLabels(const diagnose::Analysis& analysis)
{
    m_analysis = analysis;
    if (!m_order.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

void AllocationsModel::clear()
{
    beginResetModel();
    m_analysis = {};
    m_table.reset();
    m_texts = {};
    m_order.clear();
    endResetModel();
}

void AllocationsModel::setTable(std::shared_ptr<const query::AllocationTable> table)
{
    if (table == m_table) {
        return;
    }
    m_table = std::move(table);
    if (!m_order.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

void AllocationsModel::setOrder(std::vector<AllocationId> order)
{
    beginResetModel();
    m_order = std::move(order);
    Bytes largest;
    for (const AllocationId id : m_order) {
        largest = std::max(largest,
                           m_analysis.replay->devices[m_device].allocations.requested[id.index()]);
    }
    m_unit = tidemark::OneUnit(largest);
    endResetModel();
}

int AllocationsModel::rowOf(AllocationId id) const
{
    const auto found = std::ranges::find(m_order, id);
    return found == m_order.end() ? -1 : static_cast<int>(found - m_order.begin());
}

int AllocationsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int AllocationsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString AllocationsModel::display(AllocationId id, int column) const
{
    if (m_table == nullptr) {
        return {};
    }
    const query::ColumnInfo& info = query::infoOf(keyOf(column));
    const QString words =
        text(report::cellText(*m_table, info.kind, info.cell(*m_table, id), m_unit));
    if (column == Line && words.isEmpty()) {
        const replay::Allocations& all = m_analysis.replay->devices[m_device].allocations;
        return m_texts.of(all.stack[id.index()]).where();
    }
    return column == Bucket && label::isUserSet(m_table->labels(), id)
        ? QString(QStringLiteral("✎ ") % words)
        : words;
}

QString AllocationsModel::toolTip(AllocationId id, int column) const
{
    const replay::Allocations& all = m_analysis.replay->devices[m_device].allocations;
    const std::size_t i = id.index();
    switch (column) {
    case Size: {
        QString tip = exactBytesText(all.requested[i]);
        if (m_analysis.block_sizes) {
            const replay::BlockSizes& blocks = (*m_analysis.block_sizes)[m_device];
            tip += u'\n'
                % (blocks.isExact(id) ? tr("block %1").arg(exactBytesText(blocks.lower[i]))
                                      : tr("block %1 to %2")
                                            .arg(exactBytesText(blocks.lower[i]),
                                                 exactBytesText(blocks.upper[i])));
        }
        return tip;
    }
    case Bucket:
    case Confidence:
        return text(m_analysis.labels->devices[m_device].reasonOf(id).evidence);
    case Line: {
        const StackTexts::Texts& texts = m_texts.of(all.stack[i]);
        return !texts.native.isEmpty() ? texts.native
            : texts.line.isEmpty()     ? tr("No stack recorded.")
            : texts.caller.isEmpty()   ? texts.line
                                       : tr("%1\ncalled at %2").arg(texts.line, texts.caller);
    }
    case PeakShare:
        return m_table == nullptr
            ? QString()
            : tr("%1 of the peak").arg(exactBytesText(m_table->peakBytes(id)));
    case Expression:
    case Module:
        return display(id, column);
    default:
        return {};
    }
}

QVariant AllocationsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const AllocationId id = m_order[static_cast<std::size_t>(index.row())];
    const replay::Allocations& all = m_analysis.replay->devices[m_device].allocations;
    switch (role) {
    case Qt::DisplayRole:
        return display(id, index.column());
    case Qt::ToolTipRole:
        return toolTip(id, index.column());
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case BucketRole:
        return index.column() == Bucket || index.column() == Size
            ? QVariant(static_cast<int>(m_analysis.labels->devices[m_device].bucket[id.index()]))
            : QVariant();
    case BytesRole:
        return qint64{all.requested[id.index()].value};
    case AllocationRole:
        return id.value;
    case OperationRole:
        return display(id, Operation);
    case FrameRole:
        return display(id, Line);
    default:
        return {};
    }
}

QString AllocationsModel::title(int column) const
{
    return text(query::columnTitle(keyOf(column)));
}

} // namespace tidemark::ui
