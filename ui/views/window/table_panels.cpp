// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/table_panels.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/look/column_room.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/when_seen.h"
#include "ui/views/panels/cursor_panel.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

QLabel* makeHeading(QWidget* parent, const QString& words)
{
    auto* label = new QLabel(words, parent);
    label->setFont(headingFont(*parent, 1.0));
    return label;
}

} // namespace

BucketsPanel::BucketsPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_table(makeTable(this, QStringLiteral("buckets"), tr("Bytes by bucket"), m_model))
{
    setObjectName(QStringLiteral("bucketsPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_table);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    connect(&m_state, &ViewState::deviceChanged, this, &BucketsPanel::refresh);
    connect(&m_state, &ViewState::labelsChanged, this, &BucketsPanel::refresh);
    connect(&m_state, &ViewState::cursorChanged, this, &BucketsPanel::refresh);
    refresh();
}

void BucketsPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void BucketsPanel::refresh()
{
    if (!m_state.hasDevice()) {
        m_model.setMoments(nullptr, {});
        return;
    }
    const replay::DeviceReplay& replay = m_state.replay();
    std::vector<BucketMoment> moments;
    moments.push_back(
        {tr("peak, %1").arg(text(formatEventNumber(replay.peak.eventNumber()))), replay.peak});
    if (!replay.ooms.empty()) {
        const StateId before = StateId::before(replay.ooms.back());
        moments.push_back(
            {tr("before the OOM, %1").arg(text(formatEventNumber(before.eventNumber()))), before});
    }
    const StateId shown = m_state.shownState();
    moments.push_back({tr("cursor, %1").arg(text(formatEventNumber(shown.eventNumber()))), shown});
    m_model.setMoments(&m_state.curves(), std::move(moments));
    fitColumns(*m_table, -1);
    m_table->setColumnWidth(0, m_table->columnWidth(0) + 24);
}

FilePanel::FilePanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_row(new QHBoxLayout(this))
    , m_facts_table(makeTable(this, QStringLiteral("facts"), tr("About the file"), m_facts))
    , m_devices_table(makeTable(this, QStringLiteral("devices"), tr("Devices"), m_devices))
    , m_notes_table(makeTable(this, QStringLiteral("notes"), tr("Input notes"), m_notes))
    , m_notes_heading(makeHeading(this, tr("Input notes")))
    , m_no_notes(makeSecondaryText(this, QStringLiteral("noNotes")))
    , m_seen(new WhenSeen(*this, [this] { fill(); }))
{
    setObjectName(QStringLiteral("filePanel"));
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(18);
    m_row->addWidget(m_facts_table, 1);
    auto* column = new QVBoxLayout;
    column->setSpacing(3);
    column->addWidget(makeHeading(this, tr("Devices")));
    column->addWidget(m_devices_table, 20);
    column->addSpacing(6);
    column->addWidget(m_notes_heading);
    column->addWidget(m_no_notes);
    column->addWidget(m_notes_table, 20);
    column->addStretch(1);
    m_row->addLayout(column, 1);

    m_facts_table->horizontalHeader()->hide();
    m_facts_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 5);
    wrapRows(*m_facts_table);
    m_facts_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_devices_table->setSelectionMode(QAbstractItemView::NoSelection);
    wrapRows(*m_notes_table); // A note is a sentence: it is not cut off.
    m_no_notes->setText(tr("No notes."));
    connect(&m_state, &ViewState::deviceChanged, m_seen, [this] { m_seen->fill(); });
    connect(&m_state, &ViewState::analysisChanged, m_seen, [this] { m_seen->fill(); });
    m_seen->fill();
}

void FilePanel::fill()
{
    if (!m_state.hasDevice()) {
        return;
    }
    const diagnose::Analysis& analysis = m_state.analysis();
    m_facts.setFacts(fileFacts(analysis));
    m_notes.setAnalysis(analysis);
    m_devices.setAnalysis(analysis);
    fitColumns(*m_facts_table, 2, {1}); // Names of settings are long, too.
    fitColumns(*m_notes_table, 2);
    fitColumns(*m_devices_table, -1);
    shareRoom();
    m_notes_table->setVisible(m_notes.rowCount() > 0);
    // As high as it needs, but it must not keep the panel from being made lower.
    const int row = m_devices_table->verticalHeader()->defaultSectionSize();
    m_devices_table->setMinimumHeight(row * 2);
    m_devices_table->setMaximumHeight((m_devices.rowCount() + 1) * row + 10);
}

void FilePanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    shareRoom();
}

/// Half each, but all columns of the devices are to be seen: in a narrow panel that is not low
/// below the facts.
void FilePanel::shareRoom()
{
    constexpr int kLowPanel = 16; // Lines.
    const int all = std::max(2, width() - m_row->spacing());
    const int needed =
        neededWidth(*m_devices_table) + m_devices_table->verticalScrollBar()->sizeHint().width();
    const bool is_low = height() < fontMetrics().height() * kLowPanel;
    // In a low one what there is comes before its heading, and before that there is nothing.
    m_notes_heading->setVisible(!is_low);
    m_no_notes->setVisible(!is_low && m_notes.rowCount() == 0);
    const bool is_beside = is_low || needed <= all * 3 / 5;
    const int devices = std::clamp(needed, all / 2, std::max(all / 2, all * 3 / 5));
    m_row->setDirection(is_beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_row->setStretch(0, is_beside ? all - devices : 1);
    m_row->setStretch(1, is_beside ? devices : 1);
}

} // namespace tidemark::ui
