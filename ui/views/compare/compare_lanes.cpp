// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/compare_lanes.h"

#include "core/projection/timeline.h"
#include "core/projection/timeline_shapes.h"
#include "ui/views/compare/align_band.h"
#include "ui/views/compare/delta_lane.h"
#include "ui/views/compare/run_edge.h"
#include "ui/views/look/palette.h"
#include "ui/views/timeline/legend_bar.h"
#include "ui/views/timeline/minimap.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kEdgeWidth = 18;
constexpr int kLaneGap = 4; ///< Between lanes, and between an edge and its lane.
constexpr double kDeltaShare = 0.75; ///< Height of the difference, of a run's bands.
constexpr int kLeastLaneBands = 20;
constexpr int kWantedBands = 70; ///< Below this, strips give their room to the bands.

} // namespace

CompareLanes::CompareLanes(QWidget* parent)
    : QWidget(parent)
    , m_legend(new LegendBar(m_base, this))
    , m_base_edge(new RunEdge(this))
    , m_against_edge(new RunEdge(this))
    , m_delta_edge(new RunEdge(this))
    , m_base_plot(new TimelinePlot(m_base, this))
    , m_against_plot(new TimelinePlot(m_against, this))
    , m_delta(new DeltaLane(m_base, m_against, this))
    , m_alignment(new AlignBand(m_base, m_against, this))
    , m_base_minimap(new Minimap(m_base, this))
    , m_against_minimap(new Minimap(m_against, this))
{
    setObjectName(QStringLiteral("compareLanes"));
    setMinimumSize(400, 170);
    m_legend->alsoFor(m_against);
    m_base_plot->setObjectName(QStringLiteral("basePlot"));
    m_against_plot->setObjectName(QStringLiteral("againstPlot"));
    for (TimelinePlot* plot : {m_base_plot, m_against_plot}) {
        plot->setKeepsBands(false);
        connect(plot, &TimelinePlot::naturalTopChanged, this, &CompareLanes::shareTop);
    }
    m_against_plot->installEventFilter(this);
    m_delta_edge->setRun(QStringLiteral("Δ"), {});
    link(m_base, m_against);
    link(m_against, m_base);
    connect(m_delta, &DeltaLane::hovered, this, &CompareLanes::hoverAt);
    connect(m_delta, &DeltaLane::clicked, this, &CompareLanes::clickAt);
    connect(m_delta, &DeltaLane::left, &m_base, [this] { m_base.setHover(std::nullopt); });
}

int CompareLanes::leftMargin() const
{
    // One for all lanes, wide enough for every label of bytes.
    return fontMetrics().horizontalAdvance(QStringLiteral("+000.0 MiB")) + 12;
}

void CompareLanes::link(ViewState& from, ViewState& to)
{
    // Whatever happens to one happens to the other; the flag ends the echo.
    const auto follow = [this, &to](auto&& change) {
        if (m_is_linking || !to.hasDevice()) {
            return;
        }
        m_is_linking = true;
        change();
        m_is_linking = false;
    };
    connect(&from, &ViewState::rangeChanged, this,
            [&from, &to, follow] { follow([&] { to.setRange(from.range()); }); });
    connect(&from, &ViewState::timelineModeChanged, this,
            [&from, &to, follow] { follow([&] { to.setTimelineMode(from.timelineMode()); }); });
    connect(&from, &ViewState::bucketsChanged, this, [&from, &to, follow] {
        follow([&] {
            for (std::size_t i = 0; i < label::kBucketCount; ++i) {
                const label::Bucket bucket = label::bucketAt(i);
                to.setBucketVisible(bucket, label::isIn(from.visibleBuckets(), bucket));
            }
            to.setFitsHeight(from.fitsHeight());
        });
    });
    connect(&from, &ViewState::cursorChanged, this, [&from, &to, follow] {
        follow([&] {
            const auto same_place = [&](StateId state) {
                return to.axisMap().toState(from.axisMap().toX(state));
            };
            if (from.hover()) {
                to.setHover(same_place(*from.hover()));
            } else {
                to.setHover(std::nullopt);
                to.setCursor(same_place(from.cursor()));
            }
        });
    });
}

void CompareLanes::show(const ComparedRun& base, const ComparedRun& against)
{
    const auto is_other = [](const ViewState& state, const ComparedRun& run) {
        return !state.hasDevice() || state.analysis().snapshot != run.analysis.snapshot
            || state.device() != run.device;
    };
    const bool is_new = is_other(m_base, base) || is_other(m_against, against);
    if (is_new) {
        m_axis = {};
        m_shift_from.reset();
        m_has_chosen_axis = false;
        m_is_linking = true;
        m_base.setAxis(projection::Axis::event);
        m_against.setAxis(projection::Axis::event);
        m_is_linking = false;
    }
    m_is_linking = true;
    m_base.show(base.analysis, base.device);
    m_against.show(against.analysis, against.device);
    m_is_linking = false;
    m_base_edge->setRun(base.letter, runColour(base.letter));
    m_against_edge->setRun(against.letter, runColour(against.letter));
    m_base_plot->setRun(base.letter);
    m_against_plot->setRun(against.letter);
    if (is_new) {
        m_is_linking = true;
        m_base.setAxis(projection::Axis::event);
        m_against.setAxis(projection::Axis::event);
        m_is_linking = false;
        shareExtent();
    }
    shareTop();
    refreshOutline();
    arrange();
}

void CompareLanes::clear()
{
    m_is_linking = true;
    m_base.clear();
    m_against.clear();
    m_is_linking = false;
    m_axis = {};
    m_shift_from.reset();
}

ViewState& CompareLanes::focusedState()
{
    return m_against_plot->hasFocus() ? m_against : m_base;
}

void CompareLanes::setSharedAxis(const projection::SharedAxis& axis)
{
    if (!isShowing() || (m_axis.a != nullptr && *m_axis.a == *axis.a && *m_axis.b == *axis.b)) {
        return;
    }
    m_axis = axis;
    m_is_linking = true;
    m_base.setSharedAxis(axis.a);
    m_against.setSharedAxis(axis.b);
    m_is_linking = false;
    if (!m_has_chosen_axis && m_base.axis() != projection::Axis::shared) {
        m_is_linking = true;
        m_base.setAxis(projection::Axis::shared);
        m_against.setAxis(projection::Axis::shared);
        m_against.setCursor(m_against.axisMap().toState(m_base.axisMap().toX(m_base.cursor())));
        m_is_linking = false;
    }
    shareExtent();
    shareTop();
    Q_EMIT axisChanged();
}

void CompareLanes::setAxis(projection::Axis axis)
{
    if (!isShowing() || (axis == projection::Axis::time && !canShowTime())
        || (axis == projection::Axis::shared && !canShare())) {
        return;
    }
    m_has_chosen_axis = true;
    m_is_linking = true;
    m_base.setAxis(axis);
    m_against.setAxis(axis);
    m_is_linking = false;
    shareExtent();
    shareTop();
    Q_EMIT axisChanged();
}

void CompareLanes::shareExtent()
{
    m_is_linking = true;
    const bool is_whole = m_base.range() == m_base.extent();
    const Interval<double> base = m_base.extent();
    const Interval<double> against = m_against.extent();
    m_base.widenExtent(against);
    m_against.widenExtent(base);
    if (is_whole) {
        m_base.fit();
    }
    m_against.setRange(m_base.range());
    m_is_linking = false;
    refreshMinimap();
}

void CompareLanes::shareTop()
{
    if (!isShowing()) {
        return;
    }
    if (!m_is_scale_locked) {
        m_base_plot->setSharedTop(std::nullopt);
        m_against_plot->setSharedTop(std::nullopt);
        return;
    }
    const double top = std::max(m_base_plot->naturalTop(), m_against_plot->naturalTop());
    m_base_plot->setSharedTop(top);
    m_against_plot->setSharedTop(top);
}

void CompareLanes::setScaleLocked(bool locked)
{
    if (locked != m_is_scale_locked) {
        m_is_scale_locked = locked;
        shareTop();
        Q_EMIT scaleLockChanged();
    }
}

void CompareLanes::setLayoutOf(LaneLayout layout)
{
    if (layout == m_layout) {
        return;
    }
    m_layout = layout;
    m_blinks_against = false;
    refreshOutline();
    arrange();
    Q_EMIT layoutChanged();
}

void CompareLanes::blink()
{
    if (m_layout != LaneLayout::blink) {
        setLayoutOf(LaneLayout::blink);
        return;
    }
    m_blinks_against = !m_blinks_against;
    arrange();
}

void CompareLanes::setCursors(std::optional<StateId> base, std::optional<StateId> against)
{
    if (!isShowing() || (!base && !against)) {
        return;
    }
    const auto same_place = [](const ViewState& from, StateId state, const ViewState& to) {
        return to.axisMap().toState(from.axisMap().toX(state));
    };
    m_is_linking = true;
    m_base.setCursor(base ? *base : same_place(m_against, *against, m_base));
    m_against.setCursor(against ? *against : same_place(m_base, *base, m_against));
    m_is_linking = false;
    if (base) {
        m_base.reveal(*base);
    } else {
        m_against.reveal(*against);
    }
}

void CompareLanes::hoverAt(double coordinate)
{
    m_is_linking = true;
    m_base.setHover(m_base.axisMap().toState(coordinate));
    m_against.setHover(m_against.axisMap().toState(coordinate));
    m_is_linking = false;
}

void CompareLanes::clickAt(double coordinate)
{
    m_is_linking = true;
    m_base.setCursor(m_base.axisMap().toState(coordinate));
    m_against.setCursor(m_against.axisMap().toState(coordinate));
    m_is_linking = false;
}

void CompareLanes::refreshMinimap()
{
    const bool is_base =
        isShowing() && m_base.axisMap().extent().end > m_against.axisMap().extent().end;
    m_base_minimap->setVisible(is_base);
    m_against_minimap->setVisible(!is_base);
}

/// In an overlay the other run's total is a line over the base.
void CompareLanes::refreshOutline()
{
    if (m_layout != LaneLayout::overlay || !isShowing()) {
        m_base_plot->setOutline(nullptr);
        return;
    }
    const auto totals_of = [this](Interval<double> range, int columns) {
        std::vector<std::int64_t> totals;
        if (m_against.hasDevice()) {
            const auto projection = projection::projectTimeline(
                m_against.curves(), m_against.axisMap(), range, columns);
            for (const projection::TimelineColumn& column : projection.columns) {
                totals.push_back(projection::visibleTotal(column, m_against.visibleBuckets()));
            }
        }
        return totals;
    };
    m_base_plot->setOutline(totals_of, runColour(m_against_edge->letter()));
}

void CompareLanes::place(RunEdge& edge, QWidget& lane, const QRect& rect)
{
    edge.setGeometry(rect.left(), rect.top(), kEdgeWidth, rect.height());
    lane.setGeometry(rect.adjusted(kEdgeWidth + kLaneGap, 0, 0, 0));
}

void CompareLanes::showLanes()
{
    const bool blinks = m_layout == LaneLayout::blink;
    const bool is_overlay = m_layout == LaneLayout::overlay;
    const bool shows_base = m_layout != LaneLayout::delta && !(blinks && m_blinks_against);
    const bool shows_against = m_layout == LaneLayout::stacked
        || m_layout == LaneLayout::side_by_side || (blinks && m_blinks_against);
    m_base_plot->setVisible(shows_base);
    m_base_edge->setVisible(shows_base);
    m_against_plot->setVisible(shows_against);
    m_against_edge->setVisible(shows_against || is_overlay); // Its outline lies over the base.
    m_alignment->setVisible(m_layout == LaneLayout::stacked && isShowing());
}

/// How high the bands of each run become, and what then stands below them: of two lanes below each
/// other the lower one speaks for both, and where there is little room the phases have to do.
CompareLanes::Bands CompareLanes::bandsFor(int room, bool is_stacked) const
{
    Bands bands;
    bands.base.axis_labels = !is_stacked;
    const auto height = [&] {
        const int base = m_base_plot->heightBesideBands(bands.base);
        const int against = m_against_plot->heightBesideBands(bands.against);
        const int rows = is_stacked ? 2 : 1;
        const int beside = is_stacked ? base + against : std::max(base, against);
        const int between = is_stacked ? m_alignment->sizeHint().height() - kLaneGap : 0;
        return static_cast<int>((room - rows * kLaneGap - between - beside) / (rows + kDeltaShare));
    };
    for (TimelinePlot::Below* below : {&bands.base, &bands.against}) {
        below->only_phases = height() < kWantedBands;
    }
    bands.height = std::max(kLeastLaneBands, height());
    return bands;
}

/// Lays the lanes out so that the bands of both runs are equally high: one scale of bytes is one
/// scale of pixels.
void CompareLanes::arrange()
{
    showLanes();
    const int legend = m_legend->heightForWidth(width());
    m_legend->setGeometry(0, 0, width(), legend);
    const int minimap = m_base_minimap->sizeHint().height();
    for (Minimap* map : {m_base_minimap, m_against_minimap}) {
        map->setInsets(leftMargin(), TimelinePlot::kRightMargin);
        map->setGeometry(kEdgeWidth + kLaneGap, height() - minimap, width() - kEdgeWidth - kLaneGap,
                         minimap);
    }
    m_delta->setInsets(leftMargin(), TimelinePlot::kRightMargin);
    m_delta->setShowsPhases(m_layout == LaneLayout::delta);
    QRect room(0, legend + kLaneGap, width(),
               std::max(0, height() - legend - minimap - 2 * kLaneGap));
    if (m_layout != LaneLayout::delta) {
        const Bands bands = bandsFor(room.height(), m_layout == LaneLayout::stacked);
        m_base_plot->setBelow(bands.base);
        m_against_plot->setBelow(bands.against);
        m_base_plot->setLeftMargin(leftMargin());
        m_against_plot->setLeftMargin(leftMargin());
        room.setTop(arrangeRuns(room, bands) + kLaneGap);
    }
    place(*m_delta_edge, *m_delta, room);
}

/// Returns where they end.
int CompareLanes::arrangeRuns(const QRect& room, const Bands& bands)
{
    const int base = bands.height + m_base_plot->heightBesideBands(bands.base);
    const int against = bands.height + m_against_plot->heightBesideBands(bands.against);
    QRect first(room.left(), room.top(), room.width(), base);
    QRect second(room.left(), room.top(), room.width(), against);
    if (m_layout == LaneLayout::side_by_side) {
        first.setWidth((room.width() - kLaneGap) / 2);
        second.setWidth(first.width());
        second.moveLeft(first.right() + 1 + kLaneGap);
    } else if (m_layout == LaneLayout::stacked) {
        const int band = m_alignment->sizeHint().height();
        m_alignment->setInsets(leftMargin(), TimelinePlot::kRightMargin);
        m_alignment->setGeometry(first.left() + kEdgeWidth + kLaneGap, first.bottom() + 1,
                                 first.width() - kEdgeWidth - kLaneGap, band);
        second.moveTop(first.bottom() + 1 + band);
    }
    place(*m_base_edge, *m_base_plot, first);
    place(*m_against_edge, *m_against_plot, second);
    if (m_layout == LaneLayout::overlay) {
        const int half = (base - kLaneGap) / 2;
        m_base_edge->setGeometry(first.left(), first.top(), kEdgeWidth, half);
        m_against_edge->setGeometry(first.left(), first.top() + half + kLaneGap, kEdgeWidth, half);
        return first.bottom() + 1;
    }
    return m_layout == LaneLayout::blink && !m_blinks_against
        ? first.bottom() + 1
        : std::max(first.bottom(), second.bottom()) + 1;
}

/// Alt and a drag over the second run shift it: what was taken lies where it is let go.
bool CompareLanes::eventFilter(QObject* watched, QEvent* event)
{
    const bool is_mouse = event->type() == QEvent::MouseButtonPress
        || event->type() == QEvent::MouseMove || event->type() == QEvent::MouseButtonRelease;
    if (!is_mouse || !isShowing()) {
        return QWidget::eventFilter(watched, event);
    }
    auto* const mouse = static_cast<QMouseEvent*>(event);
    const QRect bands = m_against_plot->bandRect();
    const Interval<double> range = m_against.range();
    const double x = range.begin
        + (mouse->position().x() - bands.left()) / std::max(1, bands.width())
            * (range.end - range.begin);
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        if (mouse->button() != Qt::LeftButton || !mouse->modifiers().testFlag(Qt::AltModifier)
            || !bands.contains(mouse->position().toPoint())) {
            break;
        }
        m_shift_from = x;
        m_against_plot->setCursor(Qt::SizeHorCursor);
        return true;
    case QEvent::MouseMove:
        return m_shift_from.has_value();
    default:
        if (m_shift_from && mouse->button() == Qt::LeftButton) {
            m_against_plot->unsetCursor();
            Q_EMIT shifted(m_base.axisMap().toState(x),
                           m_against.axisMap().toState(*std::exchange(m_shift_from, std::nullopt)));
            return true;
        }
        break;
    }
    return QWidget::eventFilter(watched, event);
}

void CompareLanes::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void CompareLanes::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        arrange();
    }
}

void CompareLanes::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space && isShowing()) {
        blink();
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace tidemark::ui
