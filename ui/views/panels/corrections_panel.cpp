// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/corrections_panel.h"

#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/list_layout.h"

#include <QtGui/QShortcut>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTableView>

#include <algorithm>

namespace tidemark::ui {

CorrectionsPanel::CorrectionsPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_words(makeSecondaryText(this, QStringLiteral("correctionsWords")))
    , m_edit(makeQuietButton(this, tr("Edit…")))
    , m_remove(makeQuietButton(this, tr("Remove")))
    , m_up(makeQuietButton(this, tr("Move Up")))
    , m_down(makeQuietButton(this, tr("Move Down")))
    , m_load(makeQuietButton(this, tr("Load Rules…")))
    , m_save(makeQuietButton(this, tr("Save Rules As…")))
    , m_table(makeTable(this, QStringLiteral("corrections"), tr("Corrections"), m_model))
{
    setObjectName(QStringLiteral("correctionsPanel"));
    m_edit->setObjectName(QStringLiteral("editCorrection"));
    m_remove->setObjectName(QStringLiteral("removeCorrection"));
    m_up->setObjectName(QStringLiteral("moveCorrectionUp"));
    m_up->setToolTip(tr("Apply earlier; later matches win (Alt+Up)"));
    m_down->setObjectName(QStringLiteral("moveCorrectionDown"));
    m_down->setToolTip(tr("Apply later; it wins over earlier matches (Alt+Down)"));
    m_load->setObjectName(QStringLiteral("loadRules"));
    m_save->setObjectName(QStringLiteral("saveRules"));
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setDragDropMode(QAbstractItemView::InternalMove);
    m_table->setDragDropOverwriteMode(false);
    m_table->setDropIndicatorShown(true);
    layOutList(*this, *m_words, {m_edit, m_remove, m_up, m_down, m_load, m_save}, *m_table);

    const auto edit = [this] {
        const QList<int> rows = chosenRows();
        if (rows.size() == 1) {
            Q_EMIT editRequested(rows.front());
        }
    };
    const auto remove = [this] {
        if (const QList<int> rows = chosenRows(); !rows.isEmpty()) {
            Q_EMIT removeRequested(rows);
        }
    };
    connect(m_edit, &QToolButton::clicked, this, edit);
    connect(m_table, &QTableView::activated, this, edit);
    connect(m_remove, &QToolButton::clicked, this, remove);
    auto* by_key = new QShortcut(QKeySequence::Delete, m_table);
    by_key->setContext(Qt::WidgetShortcut);
    by_key->setWhatsThis(tr("Remove the selected corrections"));
    connect(by_key, &QShortcut::activated, this, remove);
    connect(m_up, &QToolButton::clicked, this, [this] { moveChosen(true); });
    connect(m_down, &QToolButton::clicked, this, [this] { moveChosen(false); });
    for (const bool up : {true, false}) {
        auto* key = new QShortcut(Qt::ALT | (up ? Qt::Key_Up : Qt::Key_Down), m_table);
        key->setContext(Qt::WidgetShortcut);
        key->setWhatsThis(up ? tr("Move the selected corrections up")
                             : tr("Move the selected corrections down"));
        connect(key, &QShortcut::activated, this, [this, up] { moveChosen(up); });
    }
    connect(&m_model, &CorrectionsModel::moveRequested, this, &CorrectionsPanel::askToMove);
    connect(m_load, &QToolButton::clicked, this, &CorrectionsPanel::loadRequested);
    connect(m_save, &QToolButton::clicked, this, &CorrectionsPanel::saveRequested);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &CorrectionsPanel::refreshButtons);
    connect(&m_state, &ViewState::deviceChanged, this, &CorrectionsPanel::refresh);
    connect(&m_state, &ViewState::analysisChanged, this, &CorrectionsPanel::refresh);
    refresh();
}

QList<int> CorrectionsPanel::chosenRows() const
{
    QList<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows()) {
        rows << index.row();
    }
    std::ranges::sort(rows);
    return rows;
}

void CorrectionsPanel::moveChosen(bool up)
{
    const QList<int> rows = chosenRows();
    if (rows.isEmpty() || (up ? rows.front() == 0 : rows.back() == m_model.rowCount() - 1)) {
        return;
    }
    askToMove(rows, up ? rows.front() - 1 : rows.back() + 2);
}

void CorrectionsPanel::askToMove(const QList<int>& rows, int before)
{
    const auto ahead =
        static_cast<int>(std::ranges::count_if(rows, [before](int row) { return row < before; }));
    m_moved.clear();
    for (int i = 0; i < rows.size(); ++i) {
        m_moved << before - ahead + i;
    }
    Q_EMIT moveRequested(rows, before);
}

std::shared_ptr<const label::Corrections> CorrectionsPanel::shownCorrections() const
{
    return m_state.hasDevice() ? m_state.analysis().corrections : nullptr;
}

void CorrectionsPanel::refresh()
{
    const int current = m_table->currentIndex().row();
    const bool is_other = m_model.corrections() != shownCorrections();
    m_model.setCorrections(shownCorrections());
    const int count = m_model.rowCount();
    Q_EMIT countChanged(count);
    m_table->setVisible(count > 0);
    m_words->setText(count == 0
                         ? tr("No corrections. Select an allocation and press L to relabel it.")
                         : tr("Your corrections. The last match wins; drag to reorder."));
    fit();
    if (is_other && !m_moved.isEmpty()) {
        for (const int row : m_moved) {
            m_table->selectionModel()->select(
                m_model.index(row, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
        }
        m_table->selectionModel()->setCurrentIndex(m_model.index(m_moved.front(), 0),
                                                   QItemSelectionModel::NoUpdate);
        m_moved.clear();
    } else if (count > 0 && current >= 0) {
        m_table->selectRow(std::min(current, count - 1));
    }
    refreshButtons();
}

void CorrectionsPanel::fit()
{
    fitColumns(*m_table, CorrectionsModel::Note);
    // What a rule means can be long; the figures must stay in sight.
    const int widest = std::max(200, width() * 2 / 5);
    m_table->setColumnWidth(CorrectionsModel::What,
                            std::min(m_table->columnWidth(CorrectionsModel::What), widest));
}

void CorrectionsPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

void CorrectionsPanel::refreshButtons()
{
    const auto chosen = chosenRows().size();
    const int count = m_model.rowCount();
    m_edit->setEnabled(chosen == 1);
    m_up->setEnabled(chosen > 0 && chosenRows().front() > 0);
    m_down->setEnabled(chosen > 0 && chosenRows().back() < count - 1);
    m_up->setVisible(count > 1);
    m_down->setVisible(count > 1);
    m_remove->setEnabled(chosen > 0);
    m_edit->setVisible(count > 0);
    m_remove->setVisible(count > 0);
    m_save->setVisible(count > 0);
    m_load->setEnabled(m_state.hasDevice());
}

} // namespace tidemark::ui
