// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/range_changes.h"
#include "core/trace/snapshot.h"
#include "ui/models/headed.h"
#include "ui/models/stack_texts.h"

#include <memory>
#include <vector>

namespace tidemark::ui {

/// What came and went in a range, a row per bucket in which anything did, uppermost band first, the
/// total last.
class BucketFlowModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Bucket, Came, CameCount, Went, WentCount, Net, ColumnCount };
    using TableModel::TableModel;
    void setChanges(const curves::RangeChanges& changes);
    void clear();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column == Bucket;
    }

    struct Row {
        bool is_total = false;
        label::Bucket bucket = label::Bucket::unknown;
        curves::Flow flow;
    };
    [[nodiscard]] QString textOf(const Row& row, int column) const;

    std::vector<Row> m_rows;
    Bytes m_largest;
};

/// The same per stack, largest change that stayed first.
class StackFlowModel : public TableModel {
    Q_OBJECT
public:
    enum Column { Net, Came, CameCount, Operation, Line, ColumnCount };
    using TableModel::TableModel;
    void setChanges(const std::shared_ptr<const trace::Snapshot>& snapshot,
                    std::vector<curves::StackFlow> stacks, Bytes largest);
    void clear();
    [[nodiscard]] StackId stackAt(int row) const
    {
        return m_stacks[static_cast<std::size_t>(row)].stack;
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column >= Operation;
    }

    [[nodiscard]] QString textOf(const curves::StackFlow& stack, int column) const;

    std::vector<curves::StackFlow> m_stacks;
    Bytes m_largest;
    StackTexts m_texts;
};

} // namespace tidemark::ui
