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

std::size_t StackTreeModel::nodeCount() const
{
    return m_tree == nullptr ? 0 : m_tree->nodes.size();
}

std::uint32_t StackTreeModel::parentOf(std::uint32_t node) const
{
    return m_tree->nodes[node].parent;
}

const std::vector<std::uint32_t>& StackTreeModel::childrenOf(std::uint32_t node) const
{
    return m_tree->nodes[node].children;
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
        return columnText({call.bytes}, {m_tree->nodes[0].bytes});
    case Share:
        return percentText(
            static_cast<double>(call.bytes)
            / static_cast<double>(std::max<std::int64_t>(1, m_tree->nodes[0].bytes)));
    case Own: {
        const std::int64_t own = ownBytes(call);
        return own == 0 ? QString() : columnText({own}, {m_tree->nodes[0].bytes});
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
        return alignmentOf(column);
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

QString StackTreeModel::title(int column) const
{
    switch (column) {
    case Call:
        return tr("call");
    case Total:
        return tr("bytes");
    case Share:
        return tr("share");
    case Own:
        return tr("self");
    case Count:
        return tr("allocations");
    default:
        return {};
    }
}

QString StackTreeModel::titleTip(int column) const
{
    return column == Own ? tr("Allocated by the call itself, not by its callees") : QString();
}

} // namespace tidemark::ui
