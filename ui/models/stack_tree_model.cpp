// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/stack_tree_model.h"

#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <algorithm>
#include <utility>

namespace tidemark::ui {

using curves::StackNode;

void StackTreeModel::setTree(std::shared_ptr<const curves::StackTree> tree)
{
    beginResetModel();
    m_tree = std::move(tree);
    endResetModel();
}

std::uint32_t StackTreeModel::nodeOf(const QModelIndex& index) const
{
    return index.isValid() ? static_cast<std::uint32_t>(index.internalId()) : 0U;
}

QModelIndex StackTreeModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent)) {
        return {};
    }
    return createIndex(
        row, column,
        quintptr{m_tree->nodes[nodeOf(parent)].children[static_cast<std::size_t>(row)]});
}

QModelIndex StackTreeModel::indexOfNode(std::uint32_t node) const
{
    if (m_tree == nullptr || node == 0 || node >= m_tree->nodes.size()) {
        return {};
    }
    const auto& beside = m_tree->nodes[m_tree->nodes[node].parent].children;
    const auto place = std::ranges::find(beside, node);
    return place == beside.end()
        ? QModelIndex()
        : createIndex(static_cast<int>(place - beside.begin()), 0, quintptr{node});
}

QModelIndex StackTreeModel::parent(const QModelIndex& index) const
{
    return index.isValid() ? indexOfNode(m_tree->nodes[nodeOf(index)].parent) : QModelIndex();
}

int StackTreeModel::rowCount(const QModelIndex& parent) const
{
    return m_tree == nullptr || m_tree->nodes.empty() || parent.column() > 0
        ? 0
        : static_cast<int>(m_tree->nodes[nodeOf(parent)].children.size());
}

int StackTreeModel::columnCount(const QModelIndex& /*parent*/) const
{
    return ColumnCount;
}

std::int64_t StackTreeModel::ownBytes(const StackNode& node) const
{
    std::int64_t own = node.bytes;
    for (const std::uint32_t child : node.children) {
        own -= m_tree->nodes[child].bytes;
    }
    return own;
}

QString StackTreeModel::textOf(std::uint32_t node, int column) const
{
    const StackNode& call = m_tree->nodes[node];
    switch (column) {
    case Call:
        return text(call.name);
    case Total:
        return bytesText({call.bytes});
    case Share:
        return percentText(
            static_cast<double>(call.bytes)
            / static_cast<double>(std::max<std::int64_t>(1, m_tree->nodes[0].bytes)));
    case Own: {
        const std::int64_t own = ownBytes(call);
        return own == 0 ? QString() : bytesText({own});
    }
    case Count:
        return countText(call.count);
    default:
        return {};
    }
}

QVariant StackTreeModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const std::uint32_t node = nodeOf(index);
    const StackNode& call = m_tree->nodes[node];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return textOf(node, column);
    case Qt::ToolTipRole:
        return column == Total ? exactBytesText({call.bytes})
            : column == Own    ? exactBytesText({ownBytes(call)})
            : column == Call   ? text(call.name)
                               : QString();
    case Qt::TextAlignmentRole:
        return QVariant((column == Call ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case EmphasisRole:
        return static_cast<int>(call.is_library ? Emphasis::secondary : Emphasis::normal);
    case PartsRole: {
        if (column != Total) {
            return {};
        }
        QVariantList parts;
        const double all = static_cast<double>(std::max<std::int64_t>(1, m_tree->nodes[0].bytes));
        for (const std::int64_t bytes : call.buckets) {
            parts << static_cast<double>(std::max<std::int64_t>(0, bytes)) / all;
        }
        return parts;
    }
    default:
        return {};
    }
}

QVariant StackTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant((section == Call ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && section == Own) {
        return tr("Allocated by the call itself, in none of those below it");
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Call:
        return tr("call");
    case Total:
        return tr("bytes");
    case Share:
        return tr("of all");
    case Own:
        return tr("itself");
    case Count:
        return tr("allocations");
    default:
        return {};
    }
}

} // namespace tidemark::ui
