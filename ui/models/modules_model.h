// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/module_bytes.h"
#include "core/label/modules/details.h"
#include "ui/models/headed.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace tidemark::ui {

/// What is live in a state by bucket, each followed by its modules, largest first. Buckets that
/// hold nothing are left out.
class ModulesModel : public TableModel {
    Q_OBJECT
public:
    enum Column : int { Module, Live, Share, Count, Layers, Shape, ColumnCount };
    using TableModel::TableModel;

    /// `rows` as from `curves::moduleBytes` of that device. Requires its details.
    void setRows(std::shared_ptr<const label::Details> details, std::size_t device,
                 const std::vector<curves::ModuleBytes>& rows);
    void clear();
    /// Whether any row has something in a column.
    [[nodiscard]] bool hasAny(Column column) const;
    /// The largest allocation of a row.
    [[nodiscard]] AllocationId largestAt(int row) const
    {
        return m_rows[static_cast<std::size_t>(row)].sum.largest;
    }

    /// The row of an allocation's module in its bucket; −1 if it is not there.
    [[nodiscard]] int rowOf(AllocationId allocation, label::Bucket bucket) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == Module || column == Shape;
    }

    struct Row {
        bool is_bucket = false;
        curves::ModuleBytes sum;
        /// Leading parts of the path that stand in the bucket's row; there the row that has them.
        std::size_t shared = 0;
        label::ModuleId shared_by{};
    };
    void addBucket(const curves::ModuleBytes& sum, const std::vector<curves::ModuleBytes>& rows);
    [[nodiscard]] QString textOf(const Row& row, int column) const;
    [[nodiscard]] QString bucketText(const Row& row) const;
    [[nodiscard]] QString moduleText(const Row& row) const;
    [[nodiscard]] QString tipOf(const Row& row, int column) const;
    [[nodiscard]] const label::TensorGuess* tensorOf(const Row& row) const;

    std::shared_ptr<const label::Details> m_details;
    std::size_t m_device = 0;
    std::vector<Row> m_rows;
    std::int64_t m_total = 0;
    std::int64_t m_largest = 0; ///< Its unit is that of all.
};

} // namespace tidemark::ui
