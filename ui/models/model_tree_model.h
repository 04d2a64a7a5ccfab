// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/model_tree.h"
#include "core/label/modules/details.h"
#include "ui/models/node_tree_model.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tidemark::ui {

/// What the rows of a tree of a model are made of.
struct ModelTreeContent {
    std::shared_ptr<const label::Details> details;
    std::shared_ptr<const program::Program> program;
    std::size_t device = 0;
    curves::ModelTree tree;
};

/// A model as a tree: what each module, line or size holds in a state, by purpose.
class ModelTreeModel : public HeadedTreeModel {
    Q_OBJECT
public:
    enum Column : int {
        Part,
        Share,
        Total,
        Parameters,
        Gradients,
        States,
        Saved,
        Others,
        Count,
        Shape,
        Expression,
        ColumnCount
    };
    using HeadedTreeModel::HeadedTreeModel;

    /// Null: nothing.
    void setContent(std::shared_ptr<const ModelTreeContent> content);
    /// Whether any row has something in a column.
    [[nodiscard]] bool hasAny(Column column) const;
    /// The largest allocation of a row.
    [[nodiscard]] AllocationId largestAt(const QModelIndex& index) const;
    /// The row of an allocation; invalid where it does not live.
    [[nodiscard]] QModelIndex indexOf(AllocationId allocation) const;

    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override;
    [[nodiscard]] QString titleTip(int column) const override;
    [[nodiscard]] std::size_t nodeCount() const override;
    [[nodiscard]] std::uint32_t parentOf(std::uint32_t node) const override;
    [[nodiscard]] const std::vector<std::uint32_t>& childrenOf(std::uint32_t node) const override;
    [[nodiscard]] const curves::ModelNode& at(const QModelIndex& index) const;
    [[nodiscard]] std::int64_t bytesOf(const curves::ModelNode& node, int column) const;
    [[nodiscard]] QString textOf(const curves::ModelNode& node, int column) const;
    [[nodiscard]] QString shapeOf(const curves::ModelNode& node) const;
    [[nodiscard]] QString tipOf(const curves::ModelNode& node, int column) const;
    [[nodiscard]] QVariant partsOf(const curves::ModelNode& node) const;

    std::shared_ptr<const ModelTreeContent> m_content;
};

} // namespace tidemark::ui
