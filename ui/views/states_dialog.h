// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtWidgets/QDialog>

class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;
class QTextBrowser;

namespace tidemark::ui {

/// What weights, gradients and optimizer state take, from a number of parameters alone: before a
/// run exists. Answers while a person types.
class StatesDialog : public QDialog {
    Q_OBJECT
public:
    explicit StatesDialog(QWidget* parent = nullptr);

private:
    void answer();

    QLineEdit* m_parameters;
    QLineEdit* m_trained;
    QComboBox* m_recipe;
    QSpinBox* m_gpus;
    QDoubleSpinBox* m_capacity; ///< GiB; 0: not known.
    QTextBrowser* m_answer;
};

} // namespace tidemark::ui
