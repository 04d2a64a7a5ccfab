// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/fixes_panel.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/item_delegate.h"
#include "ui/views/pieces.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
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
    return hasPrediction(fix) && Trial::canonical(text(fix.apply)) == Trial::canonical(apply);
}

} // namespace

FixesPanel::FixesPanel(ViewState& state, Trial& trial, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_trial(trial)
    , m_table(new QTableView(this))
    , m_show_all(makeQuietButton(this, {}))
    , m_empty(makeSecondaryText(this, QStringLiteral("noFixes")))
    , m_detail(new QWidget)
    , m_title(makeText(m_detail, QStringLiteral("fixTitle")))
    , m_figures(makeSecondaryText(m_detail, QStringLiteral("fixFigures")))
    , m_why(makeText(m_detail, QStringLiteral("fixWhy")))
    , m_what_if(makeQuietButton(m_detail, tr("Budget, and other changes with it…")))
    , m_lines(new QVBoxLayout)
{
    setObjectName(QStringLiteral("fixesPanel"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(14);
    auto* ladder = new QVBoxLayout;
    ladder->setSpacing(2);
    ladder->addWidget(m_empty, 0, Qt::AlignTop);
    ladder->addWidget(m_table, 1);
    ladder->addWidget(m_show_all, 0, Qt::AlignLeft);
    row->addLayout(ladder, 3);
    m_show_all->setObjectName(QStringLiteral("showAllFixes"));
    m_show_all->setProperty("link", true);
    m_show_all->setFont(smallFont(*this));
    m_show_all->setCheckable(true);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_detail);
    row->addWidget(scroll, 2);

    styleTable(*m_table);
    m_table->setObjectName(QStringLiteral("fixes"));
    m_table->setModel(&m_model);
    m_table->setItemDelegate(new ItemDelegate(m_table));

    auto* column = new QVBoxLayout(m_detail);
    column->setContentsMargins(0, 4, 4, 0);
    column->setSpacing(5);
    m_title->setProperty("kind", QStringLiteral("heading"));
    m_lines->setSpacing(3);
    column->addWidget(m_title);
    column->addWidget(m_figures);
    column->addWidget(m_why);
    column->addWidget(m_what_if, 0, Qt::AlignLeft);
    m_what_if->setObjectName(QStringLiteral("fixWhatIf"));
    m_what_if->setProperty("link", true);
    m_what_if->setFont(smallFont(*this));
    connect(m_what_if, &QToolButton::clicked, this, [this] {
        // What is shown may be the recommended fix that nobody has chosen yet.
        if (!m_table->currentIndex().isValid()) {
            chooseRecommended();
        }
        Q_EMIT whatIfRequested();
    });
    column->addLayout(m_lines);
    column->addStretch(1);

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) { choose(index.isValid() ? index.row() : -1); });
    connect(m_show_all, &QToolButton::toggled, this, [this](bool all) {
        m_model.setShowAll(all);
        refreshRows();
    });
    connect(&m_state, &ViewState::deviceChanged, this, &FixesPanel::refresh);
    connect(&m_state, &ViewState::analysisChanged, this, &FixesPanel::refresh);
    connect(&m_trial, &Trial::changesChanged, this, &FixesPanel::chooseTried);
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
    const bool has_diagnosis = m_model.diagnosis() != nullptr;
    m_empty->setVisible(m_model.rowCount() == 0);
    m_table->setVisible(m_model.rowCount() > 0);
    m_empty->setText(has_diagnosis ? tr("Nothing needs to be changed here.")
                                   : tr("Looking for what would help…"));
    m_show_all->setVisible(m_show_all->isChecked() || m_model.hiddenCount() > 0);
    m_show_all->setText(m_show_all->isChecked()
                            ? tr("Hide what does not apply")
                            : tr("Show %1 more that do not apply here").arg(m_model.hiddenCount()));
    fitColumns(*m_table, FixesModel::Change);
    showDetail(m_model.fixAt(m_model.recommendedRow()));
    chooseTried();
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

void FixesPanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        m_table->setCurrentIndex({});
        return;
    }
    QWidget::keyPressEvent(event);
}

void FixesPanel::choose(int row)
{
    const diagnose::Fix* fix = m_model.fixAt(row);
    showDetail(fix);
    if (m_is_following) {
        return;
    }
    if (fix != nullptr && hasPrediction(*fix)) {
        m_trial.setApplyText(text(fix->title), text(fix->apply));
    } else {
        m_trial.clear();
    }
}

void FixesPanel::showDetail(const diagnose::Fix* fix)
{
    while (QLayoutItem* item = m_lines->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_figures->setVisible(fix != nullptr);
    m_what_if->setVisible(fix != nullptr && hasPrediction(*fix));
    if (fix == nullptr) {
        m_title->setText({});
        m_why->setText(
            m_model.rowCount() > 0 ? tr(
                "Choose a change to see why it helps, the lines to paste, and the curve it would "
                "lead to.")
                                   : QString());
        return;
    }
    m_title->setText(text(fix->title));
    m_why->setText(text(fix->why));
    QStringList figures;
    figures << statusText(fix->status);
    if (hasPrediction(*fix)) {
        figures << tr("saves %1").arg(gibText(fix->saves))
                << tr("new peak %1 (%2 to %3) at %4")
                       .arg(gibText(fix->new_peak), gibText(fix->new_peak_low),
                            gibText(fix->new_peak_high),
                            text(formatEventNumber(fix->new_peak_state.eventNumber())));
    }
    figures << (fix->changes_science ? tr("changes the experiment") : tr("same science"));
    m_figures->setText(figures.join(QStringLiteral(" · ")));
    addLines(*fix);
}

void FixesPanel::addLines(const diagnose::Fix& fix)
{
    for (const auto& [framework, line] : fix.how) {
        auto* entry = new QWidget(m_detail);
        auto* row = new QHBoxLayout(entry);
        row->setContentsMargins(0, 2, 0, 0);
        row->setSpacing(6);
        auto* words = new CodeBlock(entry);
        words->setObjectName(QStringLiteral("fixLine"));
        words->setCode(text(line));
        QLabel* name = makeSecondaryText(entry, QStringLiteral("fixFramework"));
        name->setText(text(framework));
        name->setFixedWidth(fontMetrics().averageCharWidth() * 15);
        QToolButton* copy = makeQuietButton(entry, tr("Copy"));
        copy->setFont(smallFont(*this));
        copy->setAccessibleName(tr("Copy the lines for %1").arg(text(framework)));
        row->addWidget(name, 0, Qt::AlignTop);
        row->addWidget(words, 1);
        row->addWidget(copy, 0, Qt::AlignTop);
        connect(copy, &QToolButton::clicked, this, [this, lines = text(line)] {
            QGuiApplication::clipboard()->setText(lines);
            Q_EMIT copied(lines);
        });
        m_lines->addWidget(entry);
    }
}

} // namespace tidemark::ui
