// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/modules_panel.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/pieces.h"

#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <utility>

namespace tidemark::ui {

ModulesPanel::ModulesPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_title(makeText(this, QStringLiteral("modulesTitle")))
    , m_at_cursor(makeChip(this, tr("at the cursor")))
    , m_at_peak(makeChip(this, tr("at the peak")))
    , m_table(makeTable(this, QStringLiteral("modules"), m_model))
{
    setObjectName(QStringLiteral("modulesPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    auto* moments = new QButtonGroup(this);
    for (QToolButton* button : {m_at_cursor, m_at_peak}) {
        button->setCheckable(true);
        moments->addButton(button);
        head->addWidget(button);
    }
    m_at_cursor->setObjectName(QStringLiteral("modulesAtCursor"));
    m_at_peak->setObjectName(QStringLiteral("modulesAtPeak"));
    m_at_peak->setChecked(true);
    column->addLayout(head);
    column->addWidget(m_table, 1);
    m_table->setAccessibleName(tr("Live bytes by bucket and module"));
    connect(moments, &QButtonGroup::idClicked, this, &ModulesPanel::refresh);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        m_state.select(m_model.largestAt(index.row()));
        Q_EMIT stackRequested();
    });
    connect(&m_state, &ViewState::deviceChanged, this, &ModulesPanel::refresh);
    connect(&m_state, &ViewState::analysisChanged, this, &ModulesPanel::refresh);
    connect(&m_state, &ViewState::cursorChanged, this, [this] {
        if (m_at_cursor->isChecked()) {
            refresh();
        }
    });
    refresh();
}

void ModulesPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

StateId ModulesPanel::wantedState() const
{
    return m_at_peak->isChecked() ? m_state.replay().peak : m_state.shownState();
}

/// Off the window's thread: the first answer for a file reads all its stacks.
void ModulesPanel::refresh()
{
    if (!m_state.hasDevice()) {
        m_job.cancel();
        m_model.clear();
        m_title->clear();
        m_details.reset();
        m_labels.reset();
        return;
    }
    if (!isVisible()) {
        return;
    }
    const diagnose::Analysis& analysis = m_state.analysis();
    const StateId state = wantedState();
    m_job.start(
        this,
        [snapshot = analysis.snapshot, replay = analysis.replay, labels = analysis.labels,
         known = m_labels == analysis.labels ? m_details : nullptr, device = m_state.device(),
         state](const std::stop_token& stop) {
            Answer answer;
            if (stop.stop_requested()) {
                return answer;
            }
            answer.details = known != nullptr
                ? known
                : std::make_shared<const label::Details>(
                    label::findDetails(*snapshot, *replay, *labels, stop));
            if (!stop.stop_requested()) {
                answer.rows = curves::moduleBytes(replay->devices[device], labels->devices[device],
                                                  answer.details->devices[device].modules, state);
            }
            return answer;
        },
        [this, state, labels = analysis.labels](const std::shared_ptr<const Answer>& answer) {
            if (m_state.hasDevice()) {
                showAnswer(state, labels, *answer);
            }
        });
}

void ModulesPanel::showAnswer(StateId state, const std::shared_ptr<const label::Labels>& labels,
                              const Answer& answer)
{
    m_labels = labels;
    m_details = answer.details;
    std::size_t modules = 0;
    for (const curves::ModuleBytes& row : answer.rows) {
        modules += row.module.isNone() ? 0U : 1U;
    }
    m_title->setText(
        answer.rows.empty()
            ? tr("Nothing is live at %1.").arg(text(formatEventNumber(state.eventNumber())))
            : tr("%1 at %2, in %3 places of the program")
                  .arg(gibText(m_state.replay().activeAt(state)),
                       text(formatEventNumber(state.eventNumber())),
                       countText(static_cast<std::int64_t>(modules))));
    m_model.setRows(m_details, m_state.device(), answer.rows);
    m_table->setVisible(!answer.rows.empty());
    for (const auto column : {ModulesModel::Layers, ModulesModel::Shape}) {
        m_table->setColumnHidden(column, !m_model.hasAny(column));
    }
    fitColumns(*m_table, ModulesModel::Module);
    if (std::exchange(m_wants_selected, false)) {
        chooseSelected();
    }
    Q_EMIT rowsShown();
}

void ModulesPanel::showSelected()
{
    m_wants_selected = true;
    m_at_cursor->setChecked(true);
    refresh();
}

void ModulesPanel::chooseSelected()
{
    const AllocationId selected = m_state.selected();
    if (selected.isNone()) {
        return;
    }
    const label::DeviceLabels& labels = m_state.labels();
    const QModelIndex row =
        m_model.index(m_model.rowOf(selected, labels.bucket[selected.index()]), 0);
    m_table->setCurrentIndex(row);
    m_table->scrollTo(row);
}

} // namespace tidemark::ui
