// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/flow_models.h"

#include "ui/models/one_unit.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <utility>

namespace tidemark::ui {
void BucketFlowModel::setChanges(const curves::RangeChanges& changes)
{
    beginResetModel();
    m_rows.clear();
    for (std::size_t i = label::kBucketCount; i-- > 0;) {
        if (changes.buckets[i] != curves::Flow{}) {
            m_rows.push_back({false, label::bucketAt(i), changes.buckets[i]});
        }
    }
    m_rows.push_back({true, {}, changes.total});
    m_largest = {changes.largest};
    endResetModel();
}

void BucketFlowModel::clear()
{
    beginResetModel();
    m_rows.clear();
    endResetModel();
}

int BucketFlowModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int BucketFlowModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString BucketFlowModel::textOf(const Row& row, int column) const
{
    switch (column) {
    case Bucket:
        return row.is_total ? tr("Total") : text(label::bucketName(row.bucket));
    case Came:
        return columnText({row.flow.came_bytes}, m_largest);
    case CameCount:
        return countText(row.flow.came);
    case Went:
        return columnText({row.flow.went_bytes}, m_largest);
    case WentCount:
        return countText(row.flow.went);
    default:
        return signedColumnText({row.flow.netBytes()}, m_largest);
    }
}

QVariant BucketFlowModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    const std::int64_t bytes = column == Came ? row.flow.came_bytes
        : column == Went                      ? row.flow.went_bytes
                                              : row.flow.netBytes();
    const bool is_bytes = column == Came || column == Went || column == Net;
    switch (role) {
    case Qt::DisplayRole:
        return textOf(row, column);
    case Qt::TextAlignmentRole:
        return alignmentOf(column);
    case Qt::ToolTipRole:
        return is_bytes ? QVariant(exactBytesText({bytes})) : QVariant();
    case BytesRole:
        return is_bytes ? QVariant(qint64{bytes}) : QVariant();
    case BucketRole:
        return row.is_total || column != Bucket ? QVariant()
                                                : QVariant(static_cast<int>(row.bucket));
    case EmphasisRole:
        return static_cast<int>(row.is_total ? Emphasis::strong : Emphasis::normal);
    default:
        return {};
    }
}

QString BucketFlowModel::title(int column) const
{
    switch (column) {
    case Bucket:
        return tr("bucket");
    case Came:
        return tr("allocated");
    case Went:
        return tr("freed");
    case Net:
        return tr("net");
    default:
        return tr("count");
    }
}

void StackFlowModel::setChanges(const std::shared_ptr<const trace::Snapshot>& snapshot,
                                std::vector<curves::StackFlow> stacks, Bytes largest)
{
    beginResetModel();
    m_texts = StackTexts(snapshot);
    m_stacks = std::move(stacks);
    m_largest = largest;
    endResetModel();
}

void StackFlowModel::clear()
{
    beginResetModel();
    m_stacks.clear();
    endResetModel();
}

int StackFlowModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_stacks.size());
}

int StackFlowModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString StackFlowModel::textOf(const curves::StackFlow& stack, int column) const
{
    switch (column) {
    case Net:
        return signedColumnText({stack.flow.netBytes()}, m_largest);
    case Came:
        return columnText({stack.flow.came_bytes}, m_largest);
    case CameCount:
        return countText(stack.flow.came);
    case Operation:
        return m_texts.of(stack.stack).operation;
    default: {
        const StackTexts::Texts& texts = m_texts.of(stack.stack);
        const QString where = texts.where();
        return where.isEmpty() && texts.operation.isEmpty() ? tr("no stack") : where;
    }
    }
}

QVariant StackFlowModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const curves::StackFlow& stack = m_stacks[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    const std::int64_t bytes = column == Net ? stack.flow.netBytes() : stack.flow.came_bytes;
    switch (role) {
    case Qt::DisplayRole:
        return textOf(stack, column);
    case Qt::TextAlignmentRole:
        return alignmentOf(column);
    case Qt::ToolTipRole:
        return column <= Came ? QVariant(exactBytesText({bytes}))
            : column == Line  ? QVariant(textOf(stack, Line))
                              : QVariant();
    case BucketRole:
        return column == Operation ? QVariant(static_cast<int>(stack.bucket)) : QVariant();
    default:
        return {};
    }
}

QString StackFlowModel::title(int column) const
{
    switch (column) {
    case Net:
        return tr("net");
    case Came:
        return tr("allocated");
    case CameCount:
        return tr("count");
    case Operation:
        return tr("operation");
    default:
        return tr("line");
    }
}

} // namespace tidemark::ui
