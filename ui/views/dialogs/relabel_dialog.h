// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/label/corrections/corrections.h"
#include "ui/models/newest_job.h"

#include <QtCore/QTimer>
#include <QtWidgets/QDialog>

#include <optional>

class QButtonGroup;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;

namespace tidemark::ui {

/// Asks what an allocation, a stack or everything that matches some conditions is, and shows
/// beforehand how much that would relabel.
class RelabelDialog : public QDialog {
    Q_OBJECT
public:
    /// What was clicked. Without an allocation the stack stands for itself.
    struct Subject {
        std::size_t device = 0;
        AllocationId allocation;
        StackId stack;
    };
    /// For a new correction, which will come after all others. Requires labels.
    RelabelDialog(const diagnose::Analysis& analysis, const Subject& subject,
                  QWidget* parent = nullptr);
    /// To change one that is there; `index` is its place in `analysis.corrections`.
    RelabelDialog(const diagnose::Analysis& analysis, std::size_t index, QWidget* parent = nullptr);

    /// As it is asked for now; nullopt where something is missing or wrong.
    [[nodiscard]] std::optional<label::Correction> correction() const;

Q_SIGNALS:
    void previewed(); ///< The count for what is asked for now is shown.

private:
    void build();
    void addScopes(QFormLayout& form);
    void addConditions(QFormLayout& form);
    void addTarget(QFormLayout& form);
    void fillConditions(const label::CorrectionMatch& match);
    void chooseTarget(label::Bucket bucket, std::optional<label::Role> role);
    void fillRoles();
    void changed();
    void preview();
    [[nodiscard]] QString problem() const;
    /// Whether what is asked for is what is there already.
    [[nodiscard]] bool changesNothing() const;
    [[nodiscard]] label::CorrectionMatch match() const;

    diagnose::Analysis m_analysis;
    Subject m_clicked;
    std::optional<label::CorrectionMatch> m_this;
    std::optional<label::CorrectionMatch> m_stack;
    /// What is kept of the conditions beside the fields.
    label::CorrectionMatch m_base;
    std::optional<std::size_t> m_edited;
    bool m_keeps_role = false; ///< The edited rule leaves roles open.

    QButtonGroup* m_scope = nullptr;
    QLabel* m_subject = nullptr;
    QWidget* m_conditions = nullptr;
    QLineEdit* m_function = nullptr;
    QLineEdit* m_file = nullptr;
    QLineEdit* m_least = nullptr;
    QLineEdit* m_most = nullptr;
    QComboBox* m_bucket_now = nullptr;
    QComboBox* m_phase = nullptr;
    QComboBox* m_bucket = nullptr;
    QComboBox* m_role = nullptr;
    QLineEdit* m_note = nullptr;
    QLabel* m_preview = nullptr;
    QPushButton* m_accept = nullptr;
    QTimer m_soon;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
