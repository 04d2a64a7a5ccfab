// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/dialogs/dimension_dialog.h"

#include "core/report/program_report.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"

#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

namespace tidemark::ui {

using program::DimensionName;

DimensionDialog::DimensionDialog(const program::Program& program, program::SaidDimension present,
                                 const QString& note, QWidget* parent)
    : QDialog(parent)
    , m_name(new ChipCombo(this))
    , m_value(new QLineEdit(this))
    , m_note(new QLineEdit(note, this))
    , m_evidence(makeSecondaryText(this, QStringLiteral("dimensionEvidence")))
    , m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this))
{
    setObjectName(QStringLiteral("dimensionDialog"));
    setWindowTitle(tr("Correct dimension"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_program.dimensions = program.dimensions;
    m_name->setObjectName(QStringLiteral("dimensionName"));
    m_value->setObjectName(QStringLiteral("dimensionValue"));
    m_note->setObjectName(QStringLiteral("dimensionNote"));
    m_note->setPlaceholderText(tr("optional"));
    for (std::size_t i = 0; i < program::kDimensionCount; ++i) {
        m_name->addItem(text(program::nameOf(static_cast<DimensionName>(i))));
    }
    m_name->setCurrentIndex(static_cast<int>(present.name));
    auto* form = new QFormLayout;
    form->addRow(tr("&Dimension"), m_name);
    form->addRow(tr("&Value"), m_value);
    form->addRow(tr("&Reason"), m_note);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(m_evidence);
    column->addStretch(1);
    column->addWidget(m_buttons);
    connect(m_name, &QComboBox::currentIndexChanged, this, &DimensionDialog::showName);
    connect(m_value, &QLineEdit::textChanged, this, &DimensionDialog::refresh);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    showName();
    if (present.value > 0) {
        m_value->setText(QString::number(present.value));
    }
    m_value->setFocus();
    m_value->selectAll();
    resize(420, sizeHint().height());
}

DimensionName DimensionDialog::name() const
{
    return static_cast<DimensionName>(m_name->currentIndex());
}

void DimensionDialog::showName()
{
    const program::Dimension* const stated = m_program.find(name());
    m_value->setText(stated == nullptr ? QString() : QString::number(stated->value));
    m_evidence->setText(stated == nullptr ? tr("Could not be inferred.")
                                          : text(report::evidenceText(*stated)));
    refresh();
}

void DimensionDialog::refresh()
{
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(dimension().has_value());
}

std::optional<program::SaidDimension> DimensionDialog::dimension() const
{
    QString digits = withDecimalPoint(m_value->text());
    digits.remove(u',').remove(u' ');
    bool is_number = false;
    const qlonglong value = digits.toLongLong(&is_number);
    if (!is_number || value < 1 || value > program::mostOf(name())) {
        return std::nullopt;
    }
    return program::SaidDimension{name(), value};
}

QString DimensionDialog::note() const
{
    return m_note->text().trimmed();
}

} // namespace tidemark::ui
