// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/node_tree_model.h"

#include <algorithm>

namespace tidemark::ui {

std::uint32_t NodeTreeModel::nodeOf(const QModelIndex& index) const
{
    return index.isValid() ? static_cast<std::uint32_t>(index.internalId()) : 0U;
}

QModelIndex NodeTreeModel::indexOfNode(std::uint32_t node) const
{
    if (node == 0 || node >= nodeCount()) {
        return {};
    }
    const auto& beside = childrenOf(parentOf(node));
    const auto place = std::ranges::find(beside, node);
    return place == beside.end()
        ? QModelIndex()
        : createIndex(static_cast<int>(place - beside.begin()), 0, quintptr{node});
}

QModelIndex NodeTreeModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent)) {
        return {};
    }
    return createIndex(row, column,
                       quintptr{childrenOf(nodeOf(parent))[static_cast<std::size_t>(row)]});
}

QModelIndex NodeTreeModel::parent(const QModelIndex& index) const
{
    return index.isValid() ? indexOfNode(parentOf(nodeOf(index))) : QModelIndex();
}

int NodeTreeModel::rowCount(const QModelIndex& parent) const
{
    return nodeCount() == 0 || parent.column() > 0
        ? 0
        : static_cast<int>(childrenOf(nodeOf(parent)).size());
}

} // namespace tidemark::ui
