// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/stack_tree.h"

#include <QtCore/QAbstractItemModel>

#include <memory>

namespace tidemark::ui {

/// A tree of calls as a table that unfolds: what was allocated below each call, by itself, and in
/// how many allocations.
class StackTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column : int { Call, Total, Share, Own, Count, ColumnCount };
    using QAbstractItemModel::QAbstractItemModel;

    /// Null: nothing.
    void setTree(std::shared_ptr<const curves::StackTree> tree);
    /// 0 of an index that is not valid.
    [[nodiscard]] std::uint32_t nodeOf(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOfNode(std::uint32_t node) const;

    [[nodiscard]] QModelIndex index(int row, int column,
                                    const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    /// What a call allocates itself: in no call below it.
    [[nodiscard]] std::int64_t ownBytes(const curves::StackNode& node) const;
    [[nodiscard]] QString textOf(std::uint32_t node, int column) const;

    std::shared_ptr<const curves::StackTree> m_tree;
};

} // namespace tidemark::ui
