// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/allocations_model.h"

#include "core/label/program/program_evidence.h"
#include "core/label/stacks/forward_lines.h"
#include "core/report/run_query.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::ui {

namespace {

QVariant alignmentOf(int column)
{
    const bool is_text = query::infoOf(AllocationsModel::keyOf(column)).is_text;
    return QVariant((is_text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

} // namespace

QString bucketWithRole(label::Bucket bucket, label::Role role)
{
    const QString name = text(label::bucketName(bucket));
    const QString detail = text(label::roleWords(role));
    if (detail.isEmpty()) {
        return name;
    }
    return name % QStringLiteral(", ") % detail;
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
    m_table.reset();
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
    endResetModel();
}

int AllocationsModel::rowOf(AllocationId id) const
{
    const auto found = std::ranges::find(m_order, id);
    return found == m_order.end() ? -1 : static_cast<int>(found - m_order.begin());
}

query::SortKey AllocationsModel::keyOf(int column)
{
    using enum query::SortKey;
    static constexpr std::array<query::SortKey, ColumnCount> kKeys{
        bytes,          bucket, operation,     line, made,  freed,      confidence, lifetime,
        bytes_lifetime, churn,  share_of_peak, step, phase, expression, module};
    return kKeys[static_cast<std::size_t>(column)];
}

int AllocationsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int AllocationsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString AllocationsModel::bucketText(AllocationId id) const
{
    const label::DeviceLabels& labels = m_analysis.labels->devices[m_device];
    const QString words = bucketWithRole(labels.bucket[id.index()], labels.role[id.index()]);
    return label::isUserSet(labels, id) ? QString(QStringLiteral("✎ ") % words) : words;
}

QString AllocationsModel::display(AllocationId id, int column) const
{
    const replay::Allocations& all = m_analysis.replay->devices[m_device].allocations;
    const std::size_t i = id.index();
    switch (column) {
    case Size:
        return bytesText(all.requested[i]);
    case Bucket:
        return bucketText(id);
    case Operation:
        return m_texts.of(all.stack[i]).operation;
    case Line: {
        const QString& line = m_texts.of(all.stack[i]).line;
        const QString forward = !line.isEmpty()
            ? QString()
            : text(label::forwardLineText(m_analysis.snapshot->text(
                label::forwardFramesOf(m_analysis.snapshot->devices[m_device], all, id))));
        return forward.isEmpty() ? m_texts.of(all.stack[i]).where() : forward;
    }
    case Made:
        return all.alloc_event[i].isNone() ? tr("before the trace")
                                           : countText(all.alloc_event[i].value);
    case Freed:
        return all.free_event[i].isNone() ? tr("never") : countText(all.free_event[i].value);
    case Confidence:
        return QString::number(m_analysis.labels->devices[m_device].confidence[i])
            % QStringLiteral(" %");
    default:
        return m_table == nullptr ? QString() : measure(id, column);
    }
}

QString AllocationsModel::measure(AllocationId id, int column) const
{
    switch (column) {
    case Lifetime:
        return text(report::lifetimeText(*m_table, m_table->lifetime(id)));
    case BytesLifetime:
        return text(report::bytesLifetimeText(*m_table, m_table->bytesLifetime(id)));
    case Churn: {
        const Bytes churn = m_table->churn(id);
        return churn.value == 0 ? QString() : bytesText(churn);
    }
    case PeakShare: {
        const Bytes bytes = m_table->peakBytes(id);
        return bytes.value == 0 ? QString() : percentText(m_table->shareOfPeak(bytes));
    }
    case Step:
        return m_table->step(id) == 0 ? QString() : countText(m_table->stepNumber(id));
    case Phase: {
        const auto phase = m_table->phase(id);
        return phase ? text(label::phaseName(*phase)) : QString();
    }
    case Expression:
        return text(m_table->expression(id));
    case Module: {
        const auto details = m_table->knownDetails();
        return details ? text(details->moduleText(m_device, id)) : QString();
    }
    default:
        return {};
    }
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

QVariant AllocationsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= ColumnCount) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    if (role == Qt::TextAlignmentRole) {
        return alignmentOf(section);
    }
    return role == Qt::DisplayRole ? QVariant(text(query::columnTitle(keyOf(section))))
                                   : QVariant();
}

} // namespace tidemark::ui
