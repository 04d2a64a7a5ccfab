// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/simulate_panel.h"

#include "core/diagnose/diagnosis.h"
#include "core/plan/capacity_text.h"
#include "ui/models/text.h"
#include "ui/views/look/column_room.h"
#include "ui/views/look/fields_area.h"
#include "ui/views/look/item_delegate.h"
#include "ui/views/look/pieces.h"

#include <QtCore/QEvent>
#include <QtCore/QTimer>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kLookedAtMs = 60;

/// Of the settings that were asked for, whatever else was tried with them.
std::string verdictAlone(allocator::Study study)
{
    study.candidates.clear();
    return report::simulationVerdict(study);
}

/// Where nothing can run out, what is taken from the driver is what is to be known.
QString reservedText(const allocator::Study& study)
{
    const Bytes recorded = study.reference().reserved_peak;
    const Bytes found = study.result.reserved_peak;
    return found == recorded
        ? SimulatePanel::tr("Reserves %1 at most, as recorded. Try All compares other settings.")
              .arg(bytesText(found))
        : SimulatePanel::tr("Reserves %1 at most, %2 as recorded.")
              .arg(bytesText(found), bytesText(recorded));
}

} // namespace

SimulatePanel::SimulatePanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_settings(new QLineEdit(this))
    , m_capacity(new QLineEdit(this))
    , m_replay(new QPushButton(tr("Replay"), this))
    , m_search(new QPushButton(tr("Try All"), this))
    , m_problem(makeText(this, QStringLiteral("simulateProblem")))
    , m_progress(new QProgressBar(this))
    , m_cancel(makeQuietButton(this, tr("Cancel")))
    , m_verdict(makeText(this, QStringLiteral("simulateVerdict")))
    , m_baseline(makeSecondaryText(this, QStringLiteral("simulateBaseline")))
    , m_limits(makeSecondaryText(this, QStringLiteral("simulateLimits")))
    , m_table(new QTableView(this))
    , m_empty(makeSecondaryText(this, QStringLiteral("simulateEmpty")))
{
    setObjectName(QStringLiteral("simulatePanel"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(18);
    row->addWidget(makeForm(), 2);
    row->addWidget(makeResults(), 3);
    connect(m_settings, &QLineEdit::textChanged, this, &SimulatePanel::checkSettings);
    connect(m_settings, &QLineEdit::returnPressed, this, [this] { start(What::typed); });
    connect(m_capacity, &QLineEdit::returnPressed, this, [this] { start(What::typed); });
    connect(m_replay, &QPushButton::clicked, this, [this] { start(What::typed); });
    connect(m_search, &QPushButton::clicked, this, [this] { start(What::all); });
    connect(m_cancel, &QToolButton::clicked, this, [this] {
        m_simulator.cancel();
        setBusy(false);
    });
    connect(&m_simulator, &Simulator::studied, this, &SimulatePanel::showStudy);
    connect(&m_simulator, &Simulator::laidOut, this,
            [this](const std::shared_ptr<const SimulatedRun>& run) {
                m_run = run;
                draw();
            });
    connect(&m_state, &ViewState::simulatedChanged, this, [this] {
        if (m_state.simulated() == nullptr && isSpokenOf()) { // Removed elsewhere.
            m_run.reset();
        }
    });
    connect(&m_simulator, &Simulator::progressed, this, [this](double fraction) {
        m_progress->setValue(static_cast<int>(std::lround(100 * fraction)));
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) { choose(index.isValid() ? index.row() : -1); });
    connect(&m_state, &ViewState::deviceChanged, this, &SimulatePanel::reset);
    connect(&m_state, &ViewState::analysisChanged, this, &SimulatePanel::lookSoon);
    reset();
}

QWidget* SimulatePanel::makeForm()
{
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(0, 0, 6, 0);
    column->setSpacing(5);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    addInputs(*grid);
    column->addLayout(grid);
    m_problem->setProperty("kind", QStringLiteral("danger"));
    column->addWidget(m_problem);
    auto* busy = new QHBoxLayout;
    m_progress->setObjectName(QStringLiteral("simulateProgress"));
    m_progress->setRange(0, 100);
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(8);
    m_cancel->setObjectName(QStringLiteral("simulateCancel"));
    busy->addWidget(m_progress, 1);
    busy->addWidget(m_cancel);
    column->addLayout(busy);
    m_verdict->setProperty("kind", QStringLiteral("heading"));
    column->addWidget(m_verdict);
    column->addWidget(m_baseline);
    column->addWidget(m_limits);
    column->addStretch(1);
    return new FieldsArea(form, this);
}

void SimulatePanel::addInputs(QGridLayout& grid)
{
    auto* settings_label = new QLabel(tr("Allocator &settings"), this);
    settings_label->setBuddy(m_settings);
    m_settings->setObjectName(QStringLiteral("simulateSettings"));
    // No example: in grey it would be taken for what is replayed.
    m_settings->setPlaceholderText(tr("defaults"));
    m_settings->setToolTip(
        tr("PYTORCH_CUDA_ALLOC_CONF, such as expandable_segments:True; empty for the defaults"));
    m_settings->setAcceptDrops(false); // A dropped file belongs to the window.
    auto* capacity_label = new QLabel(tr("Available &memory"), this);
    capacity_label->setBuddy(m_capacity);
    m_capacity->setObjectName(QStringLiteral("simulateCapacity"));
    m_capacity->setAcceptDrops(false);
    m_replay->setObjectName(QStringLiteral("simulateReplay"));
    m_search->setObjectName(QStringLiteral("simulateSearch"));
    m_search->setToolTip(tr("Replay the run under every promising setting"));
    grid.addWidget(settings_label, 0, 0);
    grid.addWidget(m_settings, 0, 1);
    grid.addWidget(m_replay, 0, 2);
    grid.addWidget(capacity_label, 1, 0);
    grid.addWidget(m_capacity, 1, 1);
    grid.addWidget(m_search, 1, 2);
    grid.setColumnStretch(1, 1);
}

QWidget* SimulatePanel::makeResults()
{
    auto* results = new QWidget(this);
    auto* column = new QVBoxLayout(results);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(3);
    styleTable(*m_table);
    m_table->setObjectName(QStringLiteral("simulations"));
    m_table->setAccessibleName(tr("Replays with other settings"));
    m_table->setModel(&m_model);
    m_table->setItemDelegate(new ItemDelegate(m_table));
    wrapRows(*m_table);
    column->addWidget(m_empty, 0, Qt::AlignTop);
    column->addWidget(m_table, 1);
    return results;
}

bool SimulatePanel::canSimulate() const
{
    return m_state.hasDevice() && m_state.analysis().block_sizes != nullptr
        && m_state.traceDevice().kind != trace::DeviceKind::host
        && !m_state.traceDevice().isEmpty();
}

void SimulatePanel::reset()
{
    m_simulator.cancel();
    m_run.reset();
    m_was_started = false;
    m_has_many = false;
    m_studied_capacity.reset();
    m_model.setStudy(nullptr);
    m_capacity->clear();
    const bool is_said = m_state.hasDevice() && m_state.analysis().input.capacity;
    m_capacity->setPlaceholderText(is_said ? bytesText(*m_state.analysis().input.capacity)
                                           : tr("as recorded"));
    m_verdict->hide();
    m_baseline->hide();
    m_limits->hide();
    m_table->hide();
    m_empty->show();
    setBusy(false);
    checkSettings();
    lookSoon();
}

void SimulatePanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    lookSoon();
    drawSoon();
}

void SimulatePanel::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    drawSoon();
}

void SimulatePanel::drawBeside(QWidget& other)
{
    m_beside.push_back(&other);
    other.installEventFilter(this);
}

bool SimulatePanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Show || event->type() == QEvent::Hide) {
        drawSoon();
    }
    return QWidget::eventFilter(watched, event);
}

bool SimulatePanel::isSpokenOf() const
{
    return isVisible() || std::ranges::any_of(m_beside, &QWidget::isVisible);
}

/// From one panel to the other it is neither for a moment.
void SimulatePanel::drawSoon()
{
    QMetaObject::invokeMethod(this, &SimulatePanel::draw, Qt::QueuedConnection);
}

void SimulatePanel::draw()
{
    if (m_state.hasDevice()) {
        m_state.setSimulated(isSpokenOf() ? m_run : nullptr);
    }
}

void SimulatePanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    hideColumns();
}

/// In a narrow panel what they say stands in the tool tip of the reserved peak.
void SimulatePanel::hideColumns()
{
    const bool is_narrow = width() < fontMetrics().averageCharWidth() * 190;
    m_table->setColumnHidden(SimulationsModel::LargestFree, is_narrow);
    m_table->setColumnHidden(SimulationsModel::Cached, is_narrow);
}

void SimulatePanel::lookSoon()
{
    // Panels behind others are shown for a moment when the page is laid out.
    QTimer::singleShot(kLookedAtMs, this, [this] {
        startUnasked();
        chooseBest();
    });
}

/// Nobody has asked for it yet, but an empty panel answers nothing.
bool SimulatePanel::wantsStart() const
{
    return !visibleRegion().isEmpty() && !m_was_started && canSimulate()
        && m_state.diagnosis() != nullptr;
}

bool SimulatePanel::isBusy() const
{
    return m_simulator.isStudying() || wantsStart();
}

void SimulatePanel::startUnasked()
{
    if (wantsStart()) {
        start(m_state.replay().ooms.empty() ? What::recorded : What::all);
    }
}

void SimulatePanel::showProblem(const QString& sentence)
{
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
}

void SimulatePanel::checkSettings()
{
    const auto parsed = allocator::parseSettings(utf8(m_settings->text()));
    showProblem(parsed.has_value() ? QString() : text(parsed.error().message));
}

void SimulatePanel::setBusy(bool busy)
{
    m_progress->setVisible(busy);
    m_cancel->setVisible(busy);
    m_empty->setText(busy                ? tr("Replaying…")
                         : canSimulate() ? tr("Enter allocator settings and replay, or try all. "
                                              "Select a result to see it in the timeline.")
                                         : tr("No GPU allocations to replay."));
    m_progress->setValue(0);
    m_replay->setEnabled(!busy && canSimulate());
    m_search->setEnabled(!busy && canSimulate());
}

void SimulatePanel::start(What what)
{
    m_was_started = true;
    const bool searches = what == What::all;
    auto parsed = allocator::parseSettings(utf8(m_settings->text()));
    if (!canSimulate() || !parsed.has_value()) {
        checkSettings();
        return;
    }
    allocator::StudyOptions options;
    options.searches = searches;
    if (what == What::typed || (searches && !m_settings->text().trimmed().isEmpty())) {
        options.settings = std::move(parsed).value();
    }
    const QString words = m_capacity->text().trimmed();
    options.capacity = m_state.analysis().input.capacity;
    if (!words.isEmpty()) {
        const auto capacity = plan::parseCapacity(utf8(words));
        if (!capacity.has_value()) {
            showProblem(text(capacity.error().message));
            return;
        }
        options.capacity = capacity.value().bytes;
    }
    showProblem({});
    m_searches = searches;
    // Outcomes that stand in the table are compared with this one, so they need the same capacity.
    options.searches = searches || (m_has_many && options.capacity != m_studied_capacity);
    m_has_many = m_has_many || searches;
    m_studied_capacity = options.capacity;
    setBusy(true);
    m_simulator.study(m_state.analysis(), m_state.device(), options);
}

void SimulatePanel::showStudy(const std::shared_ptr<const report::SimulatedDevice>& device)
{
    setBusy(false);
    if (!m_state.hasDevice() || device->device != m_state.device()) {
        return;
    }
    const allocator::Study& study = device->study;
    m_model.setStudy(withFormerOutcomes(device, m_model.study()));
    m_table->setVisible(m_model.rowCount() > 0);
    m_empty->hide();
    fitColumns(*m_table, SimulationsModel::Settings, {SimulationsModel::Outcome});
    if (study.capacity.bytes) {
        m_capacity->setPlaceholderText(bytesText(*study.capacity.bytes));
    }
    m_verdict->setText(
        !study.capacity.bytes && !m_searches
            ? reservedText(study)
            : text(m_searches ? report::simulationVerdict(study) : verdictAlone(study)));
    m_baseline->setText(text(report::baselineSentence(study.baseline)));
    QString limits = tr("Caveats:");
    for (const std::string& sentence : report::simulationLimits(m_state.analysis(), *device)) {
        limits += QStringLiteral("\n– ") + text(sentence);
    }
    m_limits->setText(limits);
    m_verdict->show();
    m_baseline->show();
    m_limits->show();
    m_is_chosen = false;
    chooseBest();
}

void SimulatePanel::chooseBest()
{
    // What nobody looks at is not drawn over the timeline.
    if (m_is_chosen || visibleRegion().isEmpty() || m_model.study() == nullptr) {
        return;
    }
    m_is_chosen = true;
    const allocator::Study& study = m_model.study()->study;
    int row =
        m_searches && !study.candidates.empty() ? m_model.rowOf(study.candidates.front()) : -1;
    row = row < 0 ? m_model.rowOf(study.result) : row;
    m_table->setCurrentIndex(m_model.index(std::max(row, 0), SimulationsModel::Settings));
}

void SimulatePanel::choose(int row)
{
    const allocator::Simulation* simulation = m_model.simulationAt(row);
    if (simulation == nullptr || row == 0) {
        m_simulator.cancelLayout(); // It would be drawn although nothing asks for it now.
        m_run.reset(); // The recorded run is drawn as it is.
        draw();
        return;
    }
    m_simulator.layOut(m_state.analysis(), m_state.device(), *simulation);
}

} // namespace tidemark::ui
