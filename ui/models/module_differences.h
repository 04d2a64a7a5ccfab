// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/comparer.h"
#include "ui/models/node_tree_model.h"
#include "ui/models/one_unit.h"

#include <array>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::ui {

/// What a module of two runs holds, with all that is in it.
struct ModuleDifference {
    std::string
        name; ///< Without those of the modules that it is in; of a chain of only children all.
    std::uint32_t parent = 0;
    std::vector<std::uint32_t> children; ///< The largest difference first.
    label::BucketBytes base{};
    label::BucketBytes against{};
    [[nodiscard]] Bytes baseBytes() const;
    [[nodiscard]] Bytes againstBytes() const;
    [[nodiscard]] bool differs() const
    {
        return base != against;
    }
};

/// The modules of two runs as one tree, by their names in both. Node 0 is all of it; what is equal
/// has no node of its own.
struct ModuleDifferences {
    std::vector<ModuleDifference> nodes;
    std::uint32_t equal = 0; ///< Node of all that is equal; 0: nothing is.
    std::int64_t equal_count = 0; ///< Modules.
    OneUnit unit;
    QString base;
    QString against;
};

/// At the compared moments. May take seconds; stopped it is incomplete.
[[nodiscard]] ModuleDifferences moduleDifferences(const ComparedRuns& runs,
                                                  const std::stop_token& stop);

/// Shows them.
class ModuleDifferencesModel : public HeadedTreeModel {
    Q_OBJECT
public:
    enum Column : int { Module, Base, Against, Delta, Change, ColumnCount };
    using HeadedTreeModel::HeadedTreeModel;

    /// Null: nothing.
    void setContent(std::shared_ptr<const ModuleDifferences> content);

    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == Module;
    }

    [[nodiscard]] std::size_t nodeCount() const override;
    [[nodiscard]] std::uint32_t parentOf(std::uint32_t node) const override;
    [[nodiscard]] const std::vector<std::uint32_t>& childrenOf(std::uint32_t node) const override;
    [[nodiscard]] QString nameOf(std::uint32_t node) const;
    [[nodiscard]] QString tipOf(const ModuleDifference& node) const;

    std::shared_ptr<const ModuleDifferences> m_content;
};

} // namespace tidemark::ui
