// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/corrections/corrections.h"
#include "ui/models/headed.h"

#include <QtCore/QList>
#include <QtCore/QString>

#include <memory>
#include <optional>

namespace tidemark::ui {

/// The corrections of a file in the order in which they apply, with what each of them means.
class CorrectionsModel : public TableModel {
    Q_OBJECT
public:
    enum Column : int { What, Becomes, Allocations, All, AtPeak, Note, ColumnCount };

    using TableModel::TableModel;

    /// Null: none.
    void setCorrections(std::shared_ptr<const label::Corrections> corrections);
    [[nodiscard]] const std::shared_ptr<const label::Corrections>& corrections() const
    {
        return m_corrections;
    }
    /// Null for a row that is not there.
    [[nodiscard]] const label::Correction* at(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    // Rows can be dragged; what is dropped is asked for by a signal, as everything else.
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] Qt::DropActions supportedDropActions() const override;
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

Q_SIGNALS:
    /// These rows are to stand before another one, or last where that is the number of rows.
    void moveRequested(const QList<int>& rows, int before);

private:
    [[nodiscard]] QString title(int column) const override;
    [[nodiscard]] bool isText(int column) const override
    {
        return column < Allocations || column > AtPeak;
    }

    /// Its unit is that of the column.
    [[nodiscard]] Bytes largest(Bytes label::CorrectionEffect::*bytes) const;
    [[nodiscard]] QString display(std::size_t row, int column) const;
    [[nodiscard]] QString toolTip(std::size_t row, int column) const;

    std::shared_ptr<const label::Corrections> m_corrections;
};

/// "1,204 allocations, 15.70 GiB in all, 7.85 GiB at the peak", or that there are none.
[[nodiscard]] QString effectText(const label::CorrectionEffect& effect);
/// Bytes from "4096", "4 KiB", "1.5 GiB" or "2G" (binary); nullopt for anything else.
[[nodiscard]] std::optional<Bytes> bytesFromText(const QString& words);

} // namespace tidemark::ui
