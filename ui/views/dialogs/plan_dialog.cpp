// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/dialogs/plan_dialog.h"

#include "core/plan/catalog.h"
#include "core/plan/request.h"
#include "core/report/plan_report.h"
#include "core/shapes/objection.h"
#include "core/shapes/read_model.h"
#include "core/walk/against.h"
#include "core/walk/training.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/on_screen.h"
#include "ui/views/look/calm.h"
#include "ui/views/look/fields_area.h"
#include "ui/views/look/pieces.h"

#include <fmt/format.h>

#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QCompleter>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::size_t kPlanPoints = 300;
constexpr int kMost = 1 << 20;
constexpr qint64 kMostConfigBytes = 4 << 20;

/// A combo box over the words of the command line.
template <class Value>
void addWords(QComboBox& box, std::initializer_list<Value> values)
{
    for (const Value value : values) {
        box.addItem(text(walk::wordOf(value)), static_cast<int>(value));
    }
}

template <class Value>
Value chosenValue(const QComboBox& box)
{
    return static_cast<Value>(box.currentData().toInt());
}

} // namespace

PlanDialog::PlanDialog(QWidget* parent)
    : QDialog(parent)
    , m_model(new Calm<ChipCombo>(this))
    , m_batch(new Calm<QSpinBox>(this))
    , m_sequence(new Calm<QSpinBox>(this))
    , m_accumulation(new Calm<QSpinBox>(this))
    , m_precision(new Calm<ChipCombo>(this))
    , m_optimizer(new Calm<ChipCombo>(this))
    , m_attention(new Calm<ChipCombo>(this))
    , m_rank(new Calm<QSpinBox>(this))
    , m_checkpoints(new QCheckBox(tr("Activation &checkpointing"), this))
    , m_fuses_loss(new QCheckBox(tr("&Fused linear cross-entropy (Liger)"), this))
    , m_is_padded(new QCheckBox(tr("Padd&ed sequences"), this))
    , m_is_own(new QCheckBox(tr("Custom activation, loss and l&oop"), this))
    , m_gpus(new Calm<QSpinBox>(this))
    , m_zero(new Calm<QSpinBox>(this))
    , m_quantization(new Calm<ChipCombo>(this))
    , m_states(new Calm<ChipCombo>(this))
    , m_weights(new Calm<ChipCombo>(this))
    , m_tensor(new Calm<QSpinBox>(this))
    , m_pipeline(new Calm<QSpinBox>(this))
    , m_context(new Calm<QSpinBox>(this))
    , m_experts(new Calm<QSpinBox>(this))
    , m_divides_tokens(new QCheckBox(tr("Se&quence parallel"), this))
    , m_card(new Calm<ChipCombo>(this))
    , m_beside(new QCheckBox(this))
    , m_timeline(new QPushButton(tr("Open as &Timeline"), this))
    , m_curve(new PlanCurve(this))
    , m_answer(makeTextPage(this, QStringLiteral("planAnswer")))
{
    setObjectName(QStringLiteral("plan"));
    setWindowTitle(tr("Plan run"));
    resizeOnScreen(*this, {1180, 820});
    addWords(*m_precision,
             {walk::Precision::bf16, walk::Precision::autocast_bf16, walk::Precision::bf16_master,
              walk::Precision::fp32});
    addWords(*m_optimizer,
             {walk::Optimizer::adamw, walk::Optimizer::adamw_foreach,
              walk::Optimizer::adamw_for_loop, walk::Optimizer::adamw_8bit,
              walk::Optimizer::adafactor, walk::Optimizer::sgd_momentum, walk::Optimizer::sgd});
    m_optimizer->insertItem(0, tr("AdamW, fused or foreach"));
    m_optimizer->setCurrentIndex(0);
    addWords(*m_attention,
             {walk::Attention::sdpa, walk::Attention::flash, walk::Attention::eager,
              walk::Attention::own});
    addWords(*m_quantization,
             {walk::Quantization::none, walk::Quantization::int8, walk::Quantization::nf4,
              walk::Quantization::nf4_double});
    m_quantization->setItemText(0, tr("not quantized"));
    for (QComboBox* const box : {m_states, m_weights}) {
        addWords(*box, {walk::Offload::none, walk::Offload::cpu, walk::Offload::nvme});
    }
    m_precision->setObjectName(QStringLiteral("planPrecision"));
    m_optimizer->setObjectName(QStringLiteral("planOptimizer"));
    m_card->addItem(tr("unknown"));
    for (const plan::KnownCard& card : plan::knownCards()) {
        m_card->addItem(text(card.name));
    }
    m_card->setObjectName(QStringLiteral("planCard"));
    m_rank->setObjectName(QStringLiteral("planRank"));
    m_rank->setRange(0, 65536);
    m_rank->setSpecialValueText(tr("none (all weights trained)"));
    m_checkpoints->setObjectName(QStringLiteral("planCheckpoints"));
    auto* form = new QFormLayout;
    form->addRow(tr("Model"), modelRow());
    form->addRow(tr("Batch"), batchRow());
    form->addRow(tr("&Precision"), m_precision);
    form->addRow(tr("&Optimizer"), m_optimizer);
    form->addRow(tr("&Attention"), m_attention);
    form->addRow(tr("&LoRA"), m_rank);
    form->addRow(tr("Quantized &base"), m_quantization);
    form->addRow({}, m_checkpoints);
    form->addRow({}, m_fuses_loss);
    form->addRow({}, m_is_padded);
    form->addRow({}, m_is_own);
    m_is_padded->setObjectName(QStringLiteral("planPadded"));
    m_is_padded->setToolTip(tr("Attention then gets a mask"));
    m_is_own->setObjectName(QStringLiteral("planOwnCode"));
    form->addRow(tr("GPUs"), gpuRow());
    form->addRow(tr("Offload"), offloadRow());
    form->addRow(tr("Model parallel"), divisionRow());
    form->addRow({}, m_divides_tokens);
    form->addRow(tr("GPU mo&del"), m_card);
    form->addRow({}, m_beside);
    m_beside->setObjectName(QStringLiteral("planBeside"));
    m_beside->hide();
    m_timeline->setObjectName(QStringLiteral("planTimeline"));
    m_timeline->setToolTip(tr("Show the planned run like a recording"));
    constexpr int kShownLetters = 14;
    auto* row = new QHBoxLayout;
    row->setSpacing(18);
    for (QComboBox* const box :
         {m_precision, m_optimizer, m_attention, m_quantization, m_states, m_weights, m_card}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(kShownLetters);
    }
    form->setContentsMargins(0, 0, 4, 0);
    row->addWidget(new FieldsArea(form, this), 2);
    auto* right = new QVBoxLayout;
    right->addWidget(m_curve);
    right->addWidget(m_answer, 1);
    row->addLayout(right, 3);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->addLayout(row, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    column->addWidget(buttons);
    m_answer->setAccessibleName(tr("Planned budget"));
    buttons->addButton(m_timeline, QDialogButtonBox::ActionRole);
    for (QAbstractButton* button : buttons->buttons()) {
        static_cast<QPushButton*>(button)->setAutoDefault(false); // Return takes what was typed.
    }
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_timeline, &QPushButton::clicked, this, [this] {
        if (const auto asked = question(); asked.has_value()) {
            Q_EMIT timelineRequested(asked.value(), modelName());
            accept(); // What was asked for is behind it.
        }
    });
    for (const QSpinBox* box : {m_batch, m_sequence, m_accumulation, m_rank, m_gpus, m_zero,
                                m_tensor, m_pipeline, m_context, m_experts}) {
        connect(box, &QSpinBox::valueChanged, this, &PlanDialog::answer);
    }
    for (const QComboBox* box : {m_model, m_precision, m_optimizer, m_attention, m_card,
                                 m_quantization, m_states, m_weights}) {
        connect(box, &QComboBox::currentIndexChanged, this, &PlanDialog::answer);
    }
    for (const QCheckBox* box :
         {m_checkpoints, m_fuses_loss, m_is_padded, m_is_own, m_divides_tokens, m_beside}) {
        connect(box, &QCheckBox::toggled, this, &PlanDialog::answer);
    }
    answer();
}

QLayout* PlanDialog::modelRow()
{
    auto* row = new QHBoxLayout;
    m_model->setObjectName(QStringLiteral("planModel"));
    m_model->setAccessibleName(tr("Model"));
    makeModelList();
    auto* choose = makeQuietButton(this, tr("config.json…"));
    choose->setToolTip(tr("Load a model's config.json"));
    row->addWidget(m_model, 1);
    row->addWidget(choose);
    connect(choose, &QToolButton::clicked, this, &PlanDialog::chooseConfig);
    return row;
}

/// Typing lists the models whose names have it anywhere; what is none of them is not taken.
void PlanDialog::makeModelList()
{
    constexpr int kSeen = 14;
    for (const plan::KnownModel& model : plan::knownModels()) {
        m_model->addItem(text(model.name));
    }
    m_model->setEditable(true);
    m_model->setInsertPolicy(QComboBox::NoInsert);
    m_model->setMaxVisibleItems(kSeen);
    m_model->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_model->lineEdit()->setPlaceholderText(tr("Find a model"));
    QCompleter* const completer = m_model->completer();
    completer->setCompletionMode(QCompleter::PopupCompletion);
    completer->setFilterMode(Qt::MatchContains);
    completer->setMaxVisibleItems(kSeen);
    connect(m_model->lineEdit(), &QLineEdit::editingFinished, this, [this] {
        const QString typed = m_model->lineEdit()->text();
        const int exact = m_model->findText(typed, Qt::MatchFixedString);
        const int part = m_model->findText(typed, Qt::MatchContains);
        const int row = exact >= 0 ? exact : typed.isEmpty() ? -1 : part;
        if (row >= 0) {
            m_model->setCurrentIndex(row);
        }
        m_model->lineEdit()->setText(modelName());
    });
}

QString PlanDialog::modelName() const
{
    return m_model->itemText(std::max(0, m_model->currentIndex()));
}

QLayout* PlanDialog::batchRow()
{
    auto* grid = new QGridLayout;
    const auto add = [&](QSpinBox* box, const char* name, int value,
                         const std::function<QString(int)>& suffix, const QString& accessible) {
        box->setObjectName(QLatin1String(name));
        box->setRange(1, kMost);
        box->setAccessibleName(accessible);
        connect(box, &QSpinBox::valueChanged, box,
                [box, suffix](int count) { box->setSuffix(suffix(count)); });
        box->setValue(value);
        box->setSuffix(suffix(value));
        grid->addWidget(box, grid->count() / 2, grid->count() % 2);
    };
    const auto sequences = [](int count) {
        return tr(" sequence|"
                  " sequences",
                  nullptr, count);
    };
    const auto tokens = [](int count) {
        return tr(" token|"
                  " tokens",
                  nullptr, count);
    };
    add(m_batch, "planBatch", 1, sequences, tr("Micro-batch per GPU"));
    add(m_sequence, "planSequence", 2048, tokens, tr("Tokens per sequence"));
    add(
        m_accumulation, "planAccumulation", 1, [](int) { return tr(" × accumulated"); },
        tr("Micro-batches per optimizer step"));
    return grid;
}

QLayout* PlanDialog::gpuRow()
{
    auto* row = new QHBoxLayout;
    m_gpus->setObjectName(QStringLiteral("planGpus"));
    m_gpus->setRange(1, kMost);
    m_gpus->setAccessibleName(tr("GPUs"));
    m_zero->setObjectName(QStringLiteral("planZero"));
    m_zero->setRange(0, 3);
    m_zero->setPrefix(tr("ZeRO "));
    m_zero->setSpecialValueText(tr("not sharded"));
    m_zero->setAccessibleName(tr("ZeRO stage; 3 equals FSDP full sharding"));
    row->addWidget(m_gpus, 1);
    row->addWidget(m_zero, 1);
    return row;
}

QLayout* PlanDialog::offloadRow()
{
    auto* row = new QHBoxLayout;
    const auto add = [&](QComboBox* box, const char* name, const QString& what) {
        box->setObjectName(QLatin1String(name));
        box->setAccessibleName(what);
        box->setToolTip(what);
        for (int i = 0; i < box->count(); ++i) {
            box->setItemText(i,
                             i == 0 ? tr("%1: on the GPU").arg(what)
                                    : tr("%1: %2").arg(what, box->itemText(i)));
        }
        row->addWidget(box, 1);
    };
    add(m_states, "planStates", tr("states"));
    add(m_weights, "planWeights", tr("weights"));
    return row;
}

QLayout* PlanDialog::divisionRow()
{
    auto* grid = new QGridLayout;
    const auto add = [&](QSpinBox* box, const char* name, const QString& prefix, int place) {
        box->setObjectName(QLatin1String(name));
        box->setRange(1, 4096);
        box->setPrefix(prefix);
        box->setAccessibleName(prefix.trimmed());
        grid->addWidget(box, place / 2, place % 2);
    };
    add(m_tensor, "planTensor", tr("tensor × "), 0);
    add(m_pipeline, "planPipeline", tr("pipeline × "), 1);
    add(m_context, "planContext", tr("context × "), 2);
    add(m_experts, "planExperts", tr("experts × "), 3);
    return grid;
}

void PlanDialog::chooseConfig()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Model configuration"), {},
                                                      tr("Configurations (*.json);;All files (*)"));
    QFile file(path);
    if (path.isEmpty()) {
        return;
    }
    if (!file.open(QIODevice::ReadOnly) || file.size() > kMostConfigBytes) {
        showAnswer({tr("Not a model configuration."), {}, {}});
        return;
    }
    const auto shape = shapes::readModelShape(file.readAll().toStdString());
    if (!shape.has_value()) {
        showAnswer({text(shape.error().message), {}, {}});
        return;
    }
    m_own = shape.value();
    m_own_name = QFileInfo(path).fileName();
    const int known = static_cast<int>(plan::knownModels().size());
    m_model->removeItem(known);
    m_model->addItem(m_own_name);
    m_model->setCurrentIndex(known);
    answer();
}

const walk::ModelShape& PlanDialog::model() const
{
    const auto models = plan::knownModels();
    const auto row = static_cast<std::size_t>(std::max(0, m_model->currentIndex()));
    return row < models.size() ? models[row].shape : *m_own;
}

Result<plan::Question> PlanDialog::question() const
{
    plan::Request request;
    request.model = model();
    request.batch = m_batch->value();
    if (!request.model.images) {
        request.sequence = m_sequence->value();
    }
    request.accumulation = m_accumulation->value();
    request.precision = chosenValue<walk::Precision>(*m_precision);
    if (m_optimizer->currentIndex() > 0) {
        request.optimizer = chosenValue<walk::Optimizer>(*m_optimizer);
    }
    if (!request.model.needsScores()) {
        request.attention = chosenValue<walk::Attention>(*m_attention);
    }
    request.checkpoints = m_checkpoints->isChecked();
    request.fuses_loss = m_fuses_loss->isChecked();
    request.is_padded = m_is_padded->isChecked();
    const bool is_own = m_is_own->isChecked();
    request.own = walk::OwnCode{is_own, is_own, is_own};
    request.quantization = chosenValue<walk::Quantization>(*m_quantization);
    if (m_rank->value() > 0) {
        request.lora_rank = m_rank->value();
    }
    request.gpus = m_gpus->value();
    request.zero = m_zero->value();
    request.states = chosenValue<walk::Offload>(*m_states);
    request.weights = chosenValue<walk::Offload>(*m_weights);
    walk::Division& division = request.division.emplace();
    division.tensor = m_tensor->value();
    division.divides_tokens = m_divides_tokens->isChecked();
    division.pipeline = m_pipeline->value();
    division.context = m_context->value();
    division.experts = m_experts->value();
    if (m_card->currentIndex() > 0) {
        request.capacity = utf8(m_card->currentText());
    }
    const auto question = plan::questionOf(request);
    if (!question.has_value()) {
        return question;
    }
    if (std::string why = shapes::objectionTo(question.value().model, question.value().run);
        !why.empty()) {
        return Error{ErrorCode::badArgument, std::move(why), {}};
    }
    return question;
}

void PlanDialog::setRecording(const QString& name, const diagnose::Analysis& recording)
{
    m_recording = recording;
    m_beside->setText(
        tr("Compare &with %1").arg(QString(name).replace(QLatin1Char('&'), QLatin1String("&&"))));
    m_beside->show();
}

PlanDialog::Answer PlanDialog::answerTo(const plan::Question& question, const std::string& name,
                                        const std::optional<diagnose::Analysis>& recording)
{
    const auto plan = plan::makePlan(question);
    if (!plan.has_value()) {
        return {text(plan.error().message), {}, {}};
    }
    const plan::PlannedBudget& budget = plan.value().estimate.budget;
    walk::RunShape run = question.run;
    run.division.stage = budget.stage;
    const walk::Timeline timeline = walk::planRun(question.model, run).timeline;
    report::Document document = report::planDocument(question, plan.value(), name);
    if (recording) {
        const std::size_t device = recording->mainDevice();
        const auto difference =
            walk::compareWith(timeline, budget.reserved, recording->replay->devices[device],
                              recording->labels->devices[device]);
        document.sections.insert(document.sections.begin(), report::againstSection(difference));
    }
    const QString page = text(report::toMarkdown(document));
    return {page.mid(page.indexOf(QLatin1Char('\n')) + 1), // without the title
            walk::curveOf(timeline, kPlanPoints), question.capacity};
}

/// Off the window's thread: remedies are priced by planning the run again and again.
void PlanDialog::answer()
{
    m_sequence->setEnabled(!model().images); // An image has the tokens that it has.
    const auto asked = question();
    m_timeline->setEnabled(asked.has_value());
    if (!asked.has_value()) {
        m_job.cancel();
        showAnswer({text(asked.error().message), {}, {}});
        return;
    }
    setProperty("busy", true);
    m_job.start(
        this,
        [question = asked.value(), name = utf8(modelName()),
         recording = m_beside->isChecked() ? m_recording : std::nullopt](const std::stop_token&) {
            return answerTo(question, name, recording);
        },
        [this](const std::shared_ptr<const Answer>& result) { showAnswer(*result); });
}

void PlanDialog::showAnswer(const Answer& answer)
{
    m_answer->setMarkdown(answer.page);
    calmDocument(*m_answer);
    m_curve->setCurve(answer.curve, answer.capacity);
    setProperty("busy", false);
    Q_EMIT answered();
}

} // namespace tidemark::ui
