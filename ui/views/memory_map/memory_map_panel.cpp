// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/memory_map/memory_map_panel.h"

#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"
#include "ui/views/memory_map/memory_map_view.h"
#include "ui/views/memory_map/memory_map_words.h"
#include "ui/views/panels/cursor_panel.h"

#include <QtCore/QEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace tidemark::ui {

MemoryMapPanel::MemoryMapPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_switch(makeChip(this, tr("Simulated")))
    , m_moment(new QLabel(this))
    , m_sums(new QLabel(this))
    , m_line(new ElidedLabel(this))
    , m_pages(new QStackedWidget(this))
    , m_map(new MemoryMapView(state, this))
    , m_empty(makeSecondaryText(this, QStringLiteral("memoryMapEmpty")))
{
    setObjectName(QStringLiteral("memoryMapPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_moment->setObjectName(QStringLiteral("memoryMapMoment"));
    m_moment->setTextFormat(Qt::RichText);
    m_sums->setObjectName(QStringLiteral("memoryMapSums"));
    m_sums->setTextFormat(Qt::RichText);
    m_sums->setWordWrap(true);
    m_line->setObjectName(QStringLiteral("memoryMapLine"));
    m_line->setProperty("kind", QStringLiteral("secondary"));
    auto* row = new QHBoxLayout;
    row->setSpacing(16);
    m_switch->setObjectName(QStringLiteral("memoryMapSimulated"));
    m_switch->setCheckable(true);
    row->addWidget(m_switch);
    row->addWidget(m_moment);
    row->addWidget(m_sums, 1);
    column->addLayout(row);
    m_empty->setAlignment(Qt::AlignCenter);
    m_pages->addWidget(m_map);
    m_pages->addWidget(m_empty);
    column->addWidget(m_pages, 1);
    column->addWidget(m_line);

    connect(m_switch, &QToolButton::toggled, this, &MemoryMapPanel::rebuild);
    connect(&m_state, &ViewState::simulatedChanged, this, [this] {
        updateSwitch();
        rebuild();
    });
    connect(&m_source, &MemoryMapSource::ready, this, &MemoryMapPanel::showScene);
    connect(m_map, &MemoryMapView::lineChanged, this, &MemoryMapPanel::updateWords);
    connect(m_map, &MemoryMapView::stackRequested, this, &MemoryMapPanel::stackRequested);
    connect(m_map, &MemoryMapView::menuRequested, this, &MemoryMapPanel::menuRequested);
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        rebuild(); // First: what the switch does to the layout would draw the old device.
        updateSwitch();
    });
    connect(&m_state, &ViewState::cursorChanged, this, &MemoryMapPanel::refresh);
    connect(&m_state, &ViewState::analysisChanged, this, &MemoryMapPanel::refresh);
    updateSwitch();
    rebuild();
}

bool MemoryMapPanel::showsSimulated() const
{
    return m_state.simulated() != nullptr && m_switch->isChecked();
}

void MemoryMapPanel::updateSwitch()
{
    const auto& run = m_state.simulated();
    m_switch->setVisible(run != nullptr);
    if (run != nullptr) {
        m_switch->setToolTip(tr("Show the map as simulated under %1").arg(run->settings));
    }
}

void MemoryMapPanel::rebuild()
{
    m_source.cancel();
    m_scene.reset();
    m_map->resetDevice();
    updateWords();
    refresh();
}

void MemoryMapPanel::refresh()
{
    m_is_stale = true;
    if (!isVisible()) {
        return;
    }
    m_is_stale = false;
    if (!m_state.hasDevice() || m_state.analysis().block_sizes == nullptr) {
        return;
    }
    const StateId shown = m_state.shownState();
    if (!showsSimulated()) {
        m_source.request(m_state.analysis(), m_state.device(), shown);
    } else if (shown <= m_state.simulated()->known_until) {
        m_source.request(m_state.simulated()->analysis, m_state.device(), shown);
    } else {
        m_source.cancel();
        m_scene.reset();
        updateWords();
    }
}

void MemoryMapPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_is_stale) {
        refresh();
    }
}

void MemoryMapPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        updateWords();
    }
}

void MemoryMapPanel::showScene(const std::shared_ptr<const MemoryScene>& scene)
{
    m_scene = scene;
    m_map->setScene(scene);
    updateWords();
}

QString MemoryMapPanel::emptyWords() const
{
    if (!m_state.hasDevice()) {
        return tr("No device selected.");
    }
    if (showsSimulated() && m_state.shownState() > m_state.simulated()->known_until) {
        return tr("Under %1 the run hits OOM at event %2; what follows is unknown.")
            .arg(m_state.simulated()->settings,
                 countText(m_state.simulated()->known_until.eventNumber() + 1));
    }
    if (!showsSimulated() && m_state.replay().segments.count() == 0) {
        return tr("No segments recorded for this device, so no memory map.");
    }
    if (m_scene != nullptr && m_scene->memory.segments.empty()) {
        return tr("Nothing reserved at this event.");
    }
    return {};
}

void MemoryMapPanel::updateWords()
{
    const QString empty = emptyWords();
    m_empty->setText(empty);
    m_pages->setCurrentWidget(empty.isEmpty() ? static_cast<QWidget*>(m_map) : m_empty);
    const QString line = empty.isEmpty() ? m_map->line() : QString();
    m_line->setWords(line.isEmpty() && empty.isEmpty()
                         ? tr("Ctrl+wheel zooms, drag pans, arrow keys step events, click selects")
                         : line);
    if (m_scene == nullptr || !m_state.hasDevice()) {
        m_moment->clear();
        m_sums->clear();
        return;
    }
    const StateId state = m_scene->memory.state;
    const QString what = showsSimulated() ? tr("as under %1").arg(m_state.simulated()->settings)
                                          : phaseText(m_state.labels(), state);
    m_moment->setText(QStringLiteral("<b>%1</b>&nbsp; <span style='color:%2'>%3</span>")
                          .arg(stateTitle(m_state, state).toHtmlEscaped(),
                               currentColours().secondary.name(), what.toHtmlEscaped()));
    m_sums->setText(sumLine(*m_scene));
    m_sums->setToolTip(sumExplanation(*m_scene));
}

} // namespace tidemark::ui
