// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/label/bucket.h"
#include "ui/models/headed.h"
#include "ui/models/roles.h"

#include <QtCore/QString>

#include <cstddef>
#include <optional>
#include <vector>

namespace tidemark::ui {

struct RowCell {
    QString text;
    std::optional<Bytes> bytes{}; ///< Exactly, for the tool tip.
    QString tip{}; ///< Where the bytes are none.
};

/// A row of a table whose content is made elsewhere, cell by cell.
struct TextRow {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    std::vector<RowCell> cells;
    Emphasis emphasis = Emphasis::normal;
    std::optional<label::Bucket> bucket{}; ///< Its swatch stands in the first cell.
    std::size_t source = kNone; ///< What it stands for, in the list that it was made of.
    std::optional<double> bar{}; ///< −1 to 1, for a bar in the last cell.
};

struct TextColumn {
    QString title;
    bool is_number = false; ///< Right-aligned.
};

struct TextTable {
    std::vector<TextColumn> columns;
    std::vector<TextRow> rows;
};

/// Shows such a table.
class RowsModel : public TableModel {
    Q_OBJECT
public:
    using TableModel::TableModel;

    /// Where the columns and the number of rows are as before, a selection stays.
    void setTable(TextTable table);
    [[nodiscard]] const TextTable& table() const
    {
        return m_table;
    }
    void setColumnTitle(int column, const QString& title);
    /// The row that stands for something; −1: none.
    [[nodiscard]] int rowOf(std::size_t source) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return !m_table.columns[static_cast<std::size_t>(column)].is_number;
    }

    TextTable m_table;
};

} // namespace tidemark::ui
