// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/fixes_panel.h"

#include "core/diagnose/diagnosis.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/look/column_room.h"
#include "ui/views/look/item_delegate.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/when_seen.h"
#include "ui/views/panels/fix_detail.h"
#include "ui/views/panels/line_links.h"

#include <QtGui/QKeyEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

namespace tidemark::ui {
namespace {

/// Whether these are the fix's changes, in whatever spelling.
bool isOf(const diagnose::Fix& fix, const QString& apply)
{
    return hasPrediction(fix)
        && WhatIfTrial::canonical(text(fix.apply)) == WhatIfTrial::canonical(apply);
}

} // namespace

FixesPanel::FixesPanel(ViewState& state, WhatIfTrial& trial, SourcePlaces& places, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_trial(trial)
    , m_table(new QTableView(this))
    , m_show_all(makeQuietButton(this, {}))
    , m_limits(new ElidedLabel(this, Qt::ElideRight))
    , m_empty(makeSecondaryText(this, QStringLiteral("noFixes")))
    , m_detail(new FixDetail(state, places))
    , m_rows_seen(new WhenSeen(*this, [this] { fillRows(); }))
    , m_detail_seen(new WhenSeen(
          *this, [this] { fillDetail(); }, m_rows_seen))
{
    setObjectName(QStringLiteral("fixesPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    m_row = new QHBoxLayout;
    m_row->setSpacing(14);
    column->addLayout(m_row, 1);
    auto* ladder = new QVBoxLayout;
    ladder->setSpacing(2);
    ladder->addWidget(m_empty, 0, Qt::AlignTop);
    ladder->addWidget(m_table, 1);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(14);
    foot->addWidget(m_show_all);
    foot->addWidget(m_limits, 1);
    ladder->addLayout(foot);
    m_row->addLayout(ladder, 3);
    m_limits->setObjectName(QStringLiteral("fixLimits"));
    m_limits->setProperty("kind", QStringLiteral("secondary"));
    m_limits->setFont(smallFont(*this));
    m_show_all->setObjectName(QStringLiteral("showAllFixes"));
    m_show_all->setProperty("link", true);
    m_show_all->setFont(smallFont(*this));
    m_show_all->setCheckable(true);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_detail);
    m_row->addWidget(scroll, 2);

    styleTable(*m_table);
    m_table->setObjectName(QStringLiteral("fixes"));
    m_table->setAccessibleName(tr("Fixes, cheapest first"));
    m_table->setModel(&m_model);
    m_table->setItemDelegate(new ItemDelegate(m_table));
    wrapRows(*m_table); // A change is known by its whole name.

    connect(&m_detail->links(), &LineLinks::stackRequested, this, &FixesPanel::stackRequested);
    connect(&m_detail->links(), &LineLinks::failed, this, &FixesPanel::failed);
    connect(m_detail, &FixDetail::whatIfRequested, this, &FixesPanel::openWhatIf);
    connect(m_table, &QTableView::doubleClicked, this, &FixesPanel::openWhatIf);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) { choose(index.isValid() ? index.row() : -1); });
    connect(m_show_all, &QToolButton::toggled, this, [this](bool all) {
        m_model.setShowAll(all);
        refreshRows();
    });
    connect(&m_state, &ViewState::deviceChanged, this, &FixesPanel::refresh);
    connect(&m_state, &ViewState::analysisChanged, this, &FixesPanel::refresh);
    connect(&m_trial, &WhatIfTrial::changesChanged, this, &FixesPanel::chooseTried);
    refresh();
}

void FixesPanel::refresh()
{
    const bool has_diagnosis = m_state.hasDevice() && m_state.diagnosis() != nullptr;
    m_model.setDiagnosis(has_diagnosis ? m_state.analysis().diagnosis : nullptr, m_state.device());
    refreshRows();
}

void FixesPanel::refreshRows()
{
    m_rows_seen->fill();
    chooseTried();
}

void FixesPanel::fillRows()
{
    const bool has_diagnosis = m_model.diagnosis() != nullptr;
    m_empty->setVisible(m_model.rowCount() == 0);
    m_table->setVisible(m_model.rowCount() > 0);
    // What the card above says, which may also be that it cannot be known.
    m_empty->setText(has_diagnosis ? text(m_model.diagnosis()->fix_headline)
                                   : tr("Looking for fixes…"));
    m_show_all->setVisible(m_show_all->isChecked() || m_model.hiddenCount() > 0);
    m_show_all->setText(m_show_all->isChecked()
                            ? tr("Hide Inapplicable Fixes")
                            : tr("Show %Ln Inapplicable Fix|Show %Ln Inapplicable Fixes", nullptr,
                                 plural(m_model.hiddenCount())));
    m_limits->setWords(has_diagnosis ? limitsText(m_model.diagnosis()->limits) : QString());
    fitColumns(*m_table, FixesModel::Change, {FixesModel::Against});
    const QModelIndex current = m_table->currentIndex();
    showDetail(current.isValid() ? current.row() : m_model.recommendedRow());
}

void FixesPanel::fillDetail()
{
    m_detail->showFix(m_model.fixAt(m_detailed),
                      m_model.rowCount() > 0 ? tr("Select a fix to see its cost, code and curve.")
                                             : QString(),
                      m_model.largest());
}

/// The row whose changes are those that are tried.
void FixesPanel::chooseTried()
{
    const QString tried = m_trial.applyText();
    const diagnose::Fix* current = m_model.fixAt(m_table->currentIndex().row());
    if (current != nullptr
        && (tried.isEmpty() ? !hasPrediction(*current) : isOf(*current, tried))) {
        return;
    }
    int row = -1;
    for (int i = 0; i < m_model.rowCount() && row < 0 && !tried.isEmpty(); ++i) {
        row = isOf(*m_model.fixAt(i), tried) ? i : -1;
    }
    m_is_following = true;
    m_table->setCurrentIndex(row < 0 ? QModelIndex() : m_model.index(row, FixesModel::Change));
    m_is_following = false;
}

void FixesPanel::chooseRecommended()
{
    const int row = m_model.recommendedRow();
    if (row >= 0) {
        m_table->setCurrentIndex(m_model.index(row, FixesModel::Change));
    }
}

std::vector<KeyHelp> FixesPanel::keyHelp()
{
    return {{Qt::Key_Return, {}, tr("Open the selected fix in What If")}};
}

void FixesPanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        m_table->setCurrentIndex({});
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        openWhatIf();
        return;
    }
    QWidget::keyPressEvent(event);
}

void FixesPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // What a change does to the result stands in its detail, too, and they are in their order.
    const bool is_narrow = width() < fontMetrics().averageCharWidth() * 190;
    m_table->setColumnHidden(FixesModel::Science, is_narrow);
    m_table->setColumnHidden(FixesModel::CostRank, is_narrow);
    m_row->setStretch(0, is_narrow ? 5 : 3); // Names in one line, as far as that goes.
    m_row->setStretch(1, is_narrow ? 3 : 2);
}

void FixesPanel::choose(int row)
{
    const diagnose::Fix* fix = m_model.fixAt(row);
    showDetail(row);
    if (m_is_following) {
        return;
    }
    if (fix != nullptr && hasPrediction(*fix)) {
        m_trial.setApplyText(text(fix->title), text(fix->apply));
    } else {
        m_trial.clear();
    }
    m_trial.selectChanged();
}

void FixesPanel::showDetail(int row)
{
    m_detailed = row;
    m_detail_seen->fill();
}

void FixesPanel::openWhatIf()
{
    // What is shown may be the recommended fix that nobody has chosen yet.
    if (!m_table->currentIndex().isValid()) {
        chooseRecommended();
    }
    const diagnose::Fix* fix = m_model.fixAt(m_table->currentIndex().row());
    if (fix != nullptr && hasPrediction(*fix)) {
        Q_EMIT panelRequested(QStringLiteral("whatif"));
    }
}

} // namespace tidemark::ui
