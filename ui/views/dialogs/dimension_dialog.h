// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/program.h"

#include <QtWidgets/QDialog>

#include <optional>

class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;

namespace tidemark::ui {

/// Asks what a dimension is.
class DimensionDialog : public QDialog {
    Q_OBJECT
public:
    /// Shows what the program's sizes say; it need not outlive the call. `value` 0: as stated
    /// there.
    DimensionDialog(const program::Program& program, program::SaidDimension present,
                    const QString& note, QWidget* parent);

    /// nullopt where the value is none.
    [[nodiscard]] std::optional<program::SaidDimension> dimension() const;
    [[nodiscard]] QString note() const;

private:
    void showName();
    void refresh();
    [[nodiscard]] program::DimensionName name() const;

    program::Program m_program; ///< Its dimensions alone.
    QComboBox* m_name;
    QLineEdit* m_value;
    QLineEdit* m_note;
    QLabel* m_evidence;
    QDialogButtonBox* m_buttons;
};

} // namespace tidemark::ui
