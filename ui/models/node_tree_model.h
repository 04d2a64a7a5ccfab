// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/headed.h"

#include <QtCore/QAbstractItemModel>

#include <cstdint>
#include <vector>

namespace tidemark::ui {

/// A tree whose nodes are numbers, as in core: node 0 is all of it and has no row; the others name
/// their parent and their children. Indexes cost O(children of the parent).
class NodeTreeModel : public QAbstractItemModel {
public:
    using QAbstractItemModel::QAbstractItemModel;

    /// 0 of an index that is not valid.
    [[nodiscard]] std::uint32_t nodeOf(const QModelIndex& index) const;
    /// Invalid of node 0, and of one that is not there.
    [[nodiscard]] QModelIndex indexOfNode(std::uint32_t node) const;

    [[nodiscard]] QModelIndex index(int row, int column,
                                    const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;

protected:
    /// 0: nothing is shown.
    [[nodiscard]] virtual std::size_t nodeCount() const = 0;
    [[nodiscard]] virtual std::uint32_t parentOf(std::uint32_t node) const = 0;
    [[nodiscard]] virtual const std::vector<std::uint32_t>&
    childrenOf(std::uint32_t node) const = 0;
};

using HeadedTreeModel = Headed<NodeTreeModel>;

} // namespace tidemark::ui
