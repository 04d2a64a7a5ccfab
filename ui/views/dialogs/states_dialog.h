// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtWidgets/QDialog>

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
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
    QLayout* adapterRow();
    void answer();

    QFormLayout* m_form;
    QLineEdit* m_parameters;
    QLineEdit* m_trained;
    QComboBox* m_recipe;
    QSpinBox* m_rank; ///< Of LoRA's adapters, and what they follow:
    QSpinBox* m_hidden; ///< the width of a token and
    QSpinBox* m_layers; ///< the number of blocks; 0: not known.
    QSpinBox* m_gpus;
    QDoubleSpinBox* m_capacity; ///< GiB; 0: not known.
    QTextBrowser* m_answer;
};

} // namespace tidemark::ui
