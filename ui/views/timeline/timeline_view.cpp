// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/timeline_view.h"

#include "core/trace/cut_trace.h"
#include "ui/models/band_grouping.h"
#include "ui/views/look/pieces.h"
#include "ui/views/timeline/legend_bar.h"
#include "ui/views/timeline/minimap.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {

TimelineView::TimelineView(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_grouper(new BandGrouper(state, this))
    , m_caption(makeText(this, QStringLiteral("timelineCaption")))
    , m_legend(new LegendBar(state, this))
    , m_note(makeSecondaryText(this, QStringLiteral("timelineNote")))
    , m_plot(new TimelinePlot(state, this))
    , m_minimap(new Minimap(state, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_caption);
    column->addWidget(m_legend);
    column->addWidget(m_note);
    column->addWidget(m_plot, 1);
    column->addWidget(m_minimap);
    m_legend->chooseWith(*m_grouper);
    m_caption->setFont(headingFont(*this, 1.0));
    m_caption->hide();
    m_note->hide();
    connect(m_plot, &TimelinePlot::laidOut, this, &TimelineView::alignMinimap);
    connect(&m_state, &ViewState::deviceChanged, this, &TimelineView::refreshNote);
    refreshNote();
}

void TimelineView::setCaption(const QString& caption)
{
    m_caption->setText(caption);
    m_caption->setVisible(!caption.isEmpty());
}

void TimelineView::alignMinimap()
{
    const QRect bands = m_plot->bandRect();
    m_minimap->setInsets(bands.left(), m_plot->width() - bands.right() - 1);
}

/// In a low window the bands need the room.
void TimelineView::fitMinimap()
{
    constexpr int kLeastBands = 100;
    const int spacing = layout()->spacing();
    const int legend = m_legend->isHidden() ? 0 : m_legend->heightForWidth(width()) + spacing;
    const int bands = height() - legend - m_plot->heightBesideBands({})
        - m_minimap->sizeHint().height() - spacing;
    m_minimap->setVisible(bands >= kLeastBands);
}

bool TimelineView::event(QEvent* event)
{
    const bool is_done = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) {
        fitMinimap();
    }
    return is_done;
}

void TimelineView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitMinimap();
}

void TimelineView::refreshNote()
{
    const bool has_trace = !m_state.hasDevice()
        || std::ranges::any_of(m_state.traceDevice().events.action, [](trace::Action action) {
               return action == trace::Action::alloc || action == trace::Action::free_completed;
           });
    m_note->setVisible(!has_trace);
    const bool is_cut = m_state.hasDevice() && trace::endsEarly(m_state.analysis().snapshot->notes);
    m_note->setText(is_cut ? tr("The file is cut off before the trace: one moment, at the dump.")
                           : tr("State only, no history: one moment, at the dump."));
    m_plot->update();
}

} // namespace tidemark::ui
