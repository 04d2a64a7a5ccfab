// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/stack_tree.h"
#include "ui/models/node_tree_model.h"

#include <memory>

namespace tidemark::ui {

/// A tree of calls as a table that unfolds: what was allocated below each call, by itself, and in
/// how many allocations.
class StackTreeModel : public HeadedTreeModel {
    Q_OBJECT
public:
    enum Column : int { Call, Total, Share, Own, Count, ColumnCount };
    using HeadedTreeModel::HeadedTreeModel;

    /// Null: nothing.
    void setTree(std::shared_ptr<const curves::StackTree> tree);
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] QString titleTip(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == Call;
    }

    [[nodiscard]] std::size_t nodeCount() const override;
    [[nodiscard]] std::uint32_t parentOf(std::uint32_t node) const override;
    [[nodiscard]] const std::vector<std::uint32_t>& childrenOf(std::uint32_t node) const override;
    /// What a call allocates itself: in no call below it.
    [[nodiscard]] std::int64_t ownBytes(const curves::StackNode& node) const;
    [[nodiscard]] QString textOf(std::uint32_t node, int column) const;

    std::shared_ptr<const curves::StackTree> m_tree;
};

} // namespace tidemark::ui
