// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/dialogs/states_dialog.h"

#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/states.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/on_screen.h"
#include "ui/views/look/calm.h"
#include "ui/views/look/fields_area.h"
#include "ui/views/look/pieces.h"

#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QVBoxLayout>

#include <cmath>

namespace tidemark::ui {

StatesDialog::StatesDialog(QWidget* parent)
    : QDialog(parent)
    , m_form(new QFormLayout)
    , m_parameters(new QLineEdit(QStringLiteral("7.6B"), this))
    , m_trained(new QLineEdit(this))
    , m_recipe(new Calm<ChipCombo>(this))
    , m_rank(new Calm<QSpinBox>(this))
    , m_hidden(new Calm<QSpinBox>(this))
    , m_layers(new Calm<QSpinBox>(this))
    , m_gpus(new Calm<QSpinBox>(this))
    , m_capacity(new Calm<QDoubleSpinBox>(this))
    , m_answer(makeTextPage(this, QStringLiteral("statesAnswer")))
{
    setObjectName(QStringLiteral("states"));
    setWindowTitle(tr("Model states"));
    resizeOnScreen(*this, {900, 760});
    for (const plan::StateRecipe& recipe : plan::stateRecipes()) {
        m_recipe->addItem(text(translated(recipe.title)), text(recipe.id));
    }
    m_recipe->setCurrentIndex(m_recipe->findData(QStringLiteral("autocast-adam")));
    m_parameters->setObjectName(QStringLiteral("statesParameters"));
    m_trained->setObjectName(QStringLiteral("statesTrained"));
    m_trained->setPlaceholderText(tr("all, or 0.5 % with LoRA"));
    m_gpus->setObjectName(QStringLiteral("statesGpus"));
    m_gpus->setRange(1, 65536);
    m_capacity->setObjectName(QStringLiteral("statesCapacity"));
    m_capacity->setRange(0, 4096);
    m_capacity->setSuffix(tr(" GiB"));
    m_capacity->setSpecialValueText(tr("unknown"));
    m_capacity->setAccessibleName(tr("Memory per GPU"));
    m_form->addRow(tr("&Parameters"), m_parameters);
    m_form->addRow(tr("&Recipe"), m_recipe);
    m_form->addRow(tr("&Trained"), m_trained);
    m_form->addRow(tr("Adapters"), adapterRow());
    m_form->addRow(tr("&GPUs"), m_gpus);
    m_form->addRow(tr("&Memory per GPU"), m_capacity);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(8);
    column->addWidget(new FieldsArea(m_form, this));
    m_answer->setAccessibleName(tr("Size of the model states"));
    column->addWidget(m_answer, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    for (QLineEdit* line : {m_parameters, m_trained}) {
        connect(line, &QLineEdit::textChanged, this, &StatesDialog::answer);
    }
    connect(m_recipe, &QComboBox::currentIndexChanged, this, &StatesDialog::answer);
    for (QSpinBox* box : {m_gpus, m_rank, m_hidden, m_layers}) {
        connect(box, &QSpinBox::valueChanged, this, &StatesDialog::answer);
    }
    connect(m_capacity, &QDoubleSpinBox::valueChanged, this, &StatesDialog::answer);
    answer();
}

QLayout* StatesDialog::adapterRow()
{
    auto* row = new QHBoxLayout;
    const auto add = [&](QSpinBox* box, const char* name, int most, const QString& before,
                         const QString& accessible) {
        box->setObjectName(QLatin1String(name));
        box->setRange(0, most);
        box->setPrefix(before);
        box->setAccessibleName(accessible);
        row->addWidget(box, 1);
    };
    add(m_rank, "statesRank", 65536, tr("rank "), tr("Adapter rank"));
    add(m_hidden, "statesHidden", 10'000'000, tr("hidden size "), tr("Hidden size"));
    add(m_layers, "statesLayers", 100'000, tr("blocks "), tr("Number of blocks"));
    m_rank->setMinimum(1);
    m_rank->setValue(16);
    m_hidden->setSpecialValueText(tr("hidden size unknown"));
    m_layers->setSpecialValueText(tr("blocks unknown"));
    return row;
}

void StatesDialog::answer()
{
    plan::StatesQuestion question;
    question.gpus = m_gpus->value();
    if (m_capacity->value() > 0) {
        question.capacity = Bytes{std::llround(m_capacity->value() * 0x1p30)};
    }
    const auto parameters = plan::parseParameterCount(utf8(m_parameters->text()));
    if (!parameters.has_value()) {
        m_answer->setPlainText(text(parameters.error().message));
        return;
    }
    question.parameters = parameters.value();
    const plan::StateRecipe* const recipe =
        plan::stateRecipe(utf8(m_recipe->currentData().toString()));
    constexpr int kAdapterRow = 3;
    m_form->setRowVisible(kAdapterRow, recipe->base.has_value());
    if (m_hidden->value() > 0 && m_layers->value() > 0) {
        question.adapters = {m_rank->value(), m_hidden->value(), m_layers->value(), std::nullopt};
    }
    if (!m_trained->text().trimmed().isEmpty()) {
        const auto trained = plan::parseParameterCount(utf8(m_trained->text()));
        if (!trained.has_value()) {
            m_answer->setPlainText(text(trained.error().message));
            return;
        }
        question.trained = trained.value();
    }
    const QString page = text(report::toMarkdown(report::statesDocument(question, *recipe)));
    m_answer->setMarkdown(page.mid(page.indexOf(QLatin1Char('\n')) + 1)); // without the title
    calmDocument(*m_answer);
}

} // namespace tidemark::ui
