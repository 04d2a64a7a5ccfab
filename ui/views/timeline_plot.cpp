// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline_plot.h"

#include "core/projection/timeline.h"
#include "ui/models/text.h"
#include "ui/views/axis_ticks.h"
#include "ui/views/layers_painter.h"
#include "ui/views/theme.h"

#include <QtCore/QFile>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QWheelEvent>
#include <QtSvg/QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

constexpr int kDragThreshold = 4; ///< Pixels before a press becomes a drag.
constexpr double kWheelZoom = 1.0015; ///< Per eighth of a degree.
constexpr double kKeyZoom = 0.7;
constexpr int kRightMargin = 12;
constexpr int kTopMargin = 15; ///< Room for a label above a line at the upper edge.

/// Hands our own ticks to an axis.
class OwnTicker : public QCPAxisTicker {
public:
    using Make = std::function<std::vector<AxisTick>(Interval<double>)>;
    explicit OwnTicker(Make make)
        : m_make(std::move(make))
    {
    }
    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks,
                  QVector<double>* sub_ticks, QVector<QString>* labels) override
    {
        ticks.clear();
        if (sub_ticks != nullptr) {
            sub_ticks->clear();
        }
        if (labels != nullptr) {
            labels->clear();
        }
        for (const AxisTick& tick : m_make({range.lower, range.upper})) {
            ticks.append(tick.at);
            if (labels != nullptr) {
                labels->append(tick.label);
            }
        }
    }

private:
    Make m_make;
};

} // namespace

TimelinePlot::TimelinePlot(ViewState& state, QWidget* parent)
    : QCustomPlot(parent)
    , m_state(state)
    , m_scene(state)
{
    setObjectName(QStringLiteral("timelinePlot"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Memory over the trace, stacked by bucket"));
    setInteractions(QCP::iNone);
    setMinimumHeight(120);
    setUpAxes();
    addLayers();
    connect(this, &QCustomPlot::afterLayout, this, [this] {
        // Ticks are chosen before the layout is known: after a change of size they need another
        // turn.
        if (bandRect().size() != m_ticked_size) {
            m_ticked_size = bandRect().size();
            replot(rpQueuedReplot);
        }
        Q_EMIT laidOut();
    });
    connect(&m_state, &ViewState::deviceChanged, this, &TimelinePlot::updateDevice);
    connect(&m_state, &ViewState::analysisChanged, this, &TimelinePlot::updateDevice);
    connect(&m_state, &ViewState::axisChanged, this, &TimelinePlot::updateDevice);
    connect(&m_state, &ViewState::rangeChanged, this, &TimelinePlot::updateRange);
    connect(&m_state, &ViewState::cursorChanged, this, &TimelinePlot::repaintCursor);
    connect(&m_state, &ViewState::bucketsChanged, this, [this] {
        restyle();
        updateTop();
    });
    connect(&m_state, &ViewState::timelineModeChanged, this, [this] {
        m_pointer.words.clear();
        replot(rpQueuedReplot);
    });
    connect(&m_state, &ViewState::selectionChanged, this, [this] {
        if (m_state.timelineMode() == TimelineMode::allocations) {
            replot(rpQueuedReplot);
        }
    });
    m_scene.onRefined([this] { replot(rpQueuedReplot); });
    connect(&m_state, &ViewState::ghostChanged, this, [this] {
        m_scene.invalidate();
        replot(rpQueuedReplot);
    });
    restyle();
    updateDevice();
}

void TimelinePlot::setUpAxes()
{
    axisRect()->setAutoMargins(QCP::msLeft);
    axisRect()->setMinimumMargins(QMargins(52, 0, 0, 0));
    axisRect()->setBackgroundScaled(false);
    yAxis->setTicker(QSharedPointer<OwnTicker>::create([this](Interval<double> range) {
        return byteTicks(range.end, byteTickCount(axisRect()->height()));
    }));
    xAxis->setTicker(QSharedPointer<OwnTicker>::create([this](Interval<double> range) {
        if (!m_state.hasDevice()) {
            return std::vector<AxisTick>{};
        }
        return axisTicks(m_state.axis(), range, axisTickCount(axisRect()->width()));
    }));
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setBasePen(Qt::NoPen);
        axis->setTickPen(Qt::NoPen);
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLength(0);
        axis->setPadding(2);
    }
    yAxis->setTickLabelPadding(8);
    xAxis->setTickLabelPadding(3);
    xAxis->grid()->setVisible(false);
    yAxis->grid()->setZeroLinePen(Qt::NoPen);
}

void TimelinePlot::addLayers()
{
    const SceneFor scene = [this](QCPPainter& painter) { return sceneFor(painter); };
    // Plottables and items belong to the plot.
    new BandPlottable(xAxis, yAxis, scene);
    auto* marks = new MarksItem(this, scene);
    marks->setLayer(QStringLiteral("overlay"));
    auto* strip = new StripItem(this, m_state, scene);
    strip->setLayer(QStringLiteral("overlay"));
    addLayer(QStringLiteral("cursor"), layer(QStringLiteral("overlay")), limAbove);
    layer(QStringLiteral("cursor"))->setMode(QCPLayer::lmBuffered);
    auto* cursor = new CursorItem(this, m_state, m_pointer, scene);
    cursor->setLayer(QStringLiteral("cursor"));
}

void TimelinePlot::restyle()
{
    const ThemeColours& colours = currentColours();
    QFont labels = font();
    labels.setPixelSize(std::max(10, QFontInfo(font()).pixelSize() - 1));
    TimelineStyle style;
    style.colours = colours;
    style.visible = m_state.visibleBuckets();
    style.font = labels;
    style.label_room = kTopMargin;
    m_scene.setStyle(style);
    setBackground(QBrush(colours.card));
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setTickLabelColor(colours.text);
        axis->setTickLabelFont(labels);
    }
    yAxis->grid()->setPen(QPen(colours.grid, 1));
    replot(rpQueuedReplot);
}

void TimelinePlot::updateDevice()
{
    m_scene.invalidate();
    m_pointer = {};
    const int strips = StripItem::heightFor(m_state);
    xAxis->setOffset(strips);
    const int labels = QFontMetrics(xAxis->tickLabelFont()).height() + 8;
    axisRect()->setMargins(
        QMargins(axisRect()->margins().left(), kTopMargin, kRightMargin, strips + labels));
    updateRange();
    updateTop();
}

void TimelinePlot::updateRange()
{
    if (m_state.hasDevice()) {
        xAxis->setRange(m_state.range().begin, m_state.range().end);
        if (m_state.fitsHeight()) {
            updateTop();
        }
    }
    replot(rpQueuedReplot);
}

double TimelinePlot::naturalTop() const
{
    return m_state.hasDevice() ? m_scene.naturalTop(m_state.range()) : 1;
}

void TimelinePlot::updateTop()
{
    yAxis->setRange(0, m_shared_top.value_or(naturalTop()));
    replot(rpQueuedReplot);
    Q_EMIT naturalTopChanged();
}

void TimelinePlot::setSharedTop(std::optional<double> top_bytes)
{
    if (top_bytes != m_shared_top) {
        m_shared_top = top_bytes;
        yAxis->setRange(0, m_shared_top.value_or(naturalTop()));
        replot(rpQueuedReplot);
    }
}

TimelineScene* TimelinePlot::sceneFor(QCPPainter& painter)
{
    if (!m_state.hasDevice() || axisRect()->width() < 2 || axisRect()->height() < 2) {
        return nullptr;
    }
    // Vector files get two columns per unit: as fine as a printed line.
    const bool is_vector = painter.modes().testFlag(QCPPainter::pmVectorized);
    const double ratio = is_vector ? 2.0 : painter.device()->devicePixelRatioF();
    // A picture that is written to a file cannot be made finer afterwards.
    const bool is_screen = !is_vector && !painter.modes().testFlag(QCPPainter::pmNoCaching);
    m_scene.prepare(axisRect()->rect(), m_state.range(), yAxis->range().upper, ratio,
                    is_screen ? TimelineScene::Detail::coarse_first : TimelineScene::Detail::fine);
    return &m_scene;
}

void TimelinePlot::repaintCursor()
{
    layer(QStringLiteral("cursor"))->replot();
}

bool TimelinePlot::isOverBands(const QPointF& position) const
{
    return m_state.hasDevice() && QRectF(axisRect()->rect()).contains(position);
}

double TimelinePlot::coordinateAt(double x) const
{
    return xAxis->pixelToCoord(x);
}

QString TimelinePlot::wordsAt(const QPointF& position) const
{
    const projection::TimelineColumn* column = m_scene.columnAt(position.x());
    if (column == nullptr) {
        return {};
    }
    const double height = yAxis->pixelToCoord(position.y());
    const auto bytes = static_cast<std::int64_t>(height);
    if (m_state.timelineMode() == TimelineMode::allocations) {
        if (const auto hit = m_scene.allocationAt(position.x(), bytes)) {
            return allocationWords(m_state, hit->allocation);
        }
    }
    const auto bucket = projection::bandAt(*column, bytes, m_state.visibleBuckets());
    if (bucket) {
        return text(label::bucketName(*bucket)) % u' '
            % gibText({column->buckets[label::indexOf(*bucket)]});
    }
    if (m_state.visibleBuckets() != kAllBuckets || bytes < 0) {
        return {};
    }
    if (bytes < column->total + column->private_cached) {
        return tr("Free in private pools %1").arg(gibText({column->private_cached}));
    }
    if (bytes < column->reserved) {
        return tr("Cached %1")
            .arg(gibText({column->reserved - column->total - column->private_cached}));
    }
    return {};
}

void TimelinePlot::hoverAt(const QPointF& position)
{
    if (!isOverBands(position)) {
        leaveEvent(nullptr);
        return;
    }
    const projection::TimelineColumn* column = m_scene.columnAt(position.x());
    m_pointer.mouse = position;
    m_pointer.words = wordsAt(position);
    const std::optional<StateId> before = m_state.hover();
    if (column != nullptr) {
        m_state.setHover(column->state);
    }
    if (m_state.hover() == before) {
        repaintCursor();
    }
}

void TimelinePlot::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && isOverBands(event->position())) {
        m_press = Press{event->position(), m_state.range(), false,
                        event->modifiers().testFlag(Qt::ShiftModifier)};
    }
    event->accept();
}

void TimelinePlot::mouseMoveEvent(QMouseEvent* event)
{
    event->accept();
    if (!m_press) {
        hoverAt(event->position());
        return;
    }
    const double distance = event->position().x() - m_press->at.x();
    m_press->has_moved = m_press->has_moved || std::abs(distance) >= kDragThreshold;
    if (!m_press->has_moved) {
        return;
    }
    m_pointer.mouse = event->position();
    m_pointer.words.clear();
    if (m_press->selects) {
        m_pointer.drag_from = m_press->at.x();
        repaintCursor();
        return;
    }
    setCursor(Qt::ClosedHandCursor);
    const double width = m_press->range.end - m_press->range.begin;
    const double shift = -distance / axisRect()->width() * width;
    m_state.setRange({m_press->range.begin + shift, m_press->range.end + shift});
}

void TimelinePlot::mouseReleaseEvent(QMouseEvent* event)
{
    event->accept();
    if (!m_press || event->button() != Qt::LeftButton) {
        return;
    }
    const Press press = *m_press;
    m_press.reset();
    m_pointer.drag_from.reset();
    unsetCursor();
    if (press.selects && press.has_moved) {
        const double from = coordinateAt(press.at.x());
        const double to = coordinateAt(event->position().x());
        m_state.setRange({std::min(from, to), std::max(from, to)});
    } else if (!press.has_moved) {
        if (const projection::TimelineColumn* column = m_scene.columnAt(press.at.x())) {
            m_state.setCursor(column->state);
        }
        if (m_state.timelineMode() == TimelineMode::allocations) {
            const auto bytes = static_cast<std::int64_t>(yAxis->pixelToCoord(press.at.y()));
            const auto hit = m_scene.allocationAt(press.at.x(), bytes);
            m_state.select(hit ? hit->allocation : AllocationId::none());
        }
    }
    repaintCursor();
}

void TimelinePlot::mouseDoubleClickEvent(QMouseEvent* event)
{
    event->accept();
    m_press.reset();
    if (m_state.hasDevice()) {
        m_state.fit();
    }
}

void TimelinePlot::wheelEvent(QWheelEvent* event)
{
    event->accept();
    if (!m_state.hasDevice()) {
        return;
    }
    const QPoint angle = event->angleDelta();
    const bool is_sideways =
        std::abs(angle.x()) > std::abs(angle.y()) || event->modifiers().testFlag(Qt::ShiftModifier);
    const Interval<double> range = m_state.range();
    if (is_sideways) {
        const double turn = angle.x() != 0 ? angle.x() : angle.y();
        m_state.pan(-turn / 1200.0 * (range.end - range.begin));
    } else {
        m_state.zoomAround(std::clamp(coordinateAt(event->position().x()), range.begin, range.end),
                           std::pow(kWheelZoom, -angle.y()));
    }
}

void TimelinePlot::leaveEvent(QEvent* /*event*/)
{
    m_pointer.mouse.reset();
    m_pointer.words.clear();
    m_state.setHover(std::nullopt);
}

bool TimelinePlot::handleKey(int key, Qt::KeyboardModifiers modifiers)
{
    const int step = modifiers.testFlag(Qt::ControlModifier) ? 100
        : modifiers.testFlag(Qt::ShiftModifier)              ? 10
                                                             : 1;
    const Interval<double> range = m_state.range();
    const double middle =
        std::clamp(m_state.axisMap().toX(m_state.cursor()), range.begin, range.end);
    switch (key) {
    case Qt::Key_Left:
        m_state.stepCursor(-step);
        return true;
    case Qt::Key_Right:
        m_state.stepCursor(step);
        return true;
    case Qt::Key_Home:
        m_state.setCursor(StateId::start());
        m_state.reveal(m_state.cursor());
        return true;
    case Qt::Key_End:
        m_state.setCursor(m_state.replay().lastState());
        m_state.reveal(m_state.cursor());
        return true;
    case Qt::Key_PageUp:
        m_state.pan(-0.8 * (range.end - range.begin));
        return true;
    case Qt::Key_PageDown:
        m_state.pan(0.8 * (range.end - range.begin));
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        m_state.zoomAround(middle, kKeyZoom);
        return true;
    case Qt::Key_Minus:
        m_state.zoomAround(middle, 1 / kKeyZoom);
        return true;
    default:
        return false;
    }
}

void TimelinePlot::keyPressEvent(QKeyEvent* event)
{
    if (!m_state.hasDevice() || !handleKey(event->key(), event->modifiers())) {
        QCustomPlot::keyPressEvent(event);
    }
}

void TimelinePlot::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        restyle();
        updateDevice();
    }
}

bool TimelinePlot::exportSvg(const QString& path)
{
    QSvgGenerator generator;
    generator.setFileName(path);
    generator.setSize(size());
    generator.setViewBox(rect());
    generator.setTitle(tr("Memory over the trace"));
    QCPPainter painter;
    if (!painter.begin(&generator)) {
        return false;
    }
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    toPainter(&painter, width(), height());
    return painter.end();
}

bool TimelinePlot::exportTo(const QString& path)
{
    QFile probe(path);
    if (!probe.open(QIODevice::WriteOnly)) {
        return false;
    }
    probe.close();
    const QString ending = path.section(u'.', -1).toLower();
    if (ending == QStringLiteral("svg")) {
        return exportSvg(path);
    }
    if (ending == QStringLiteral("pdf")) {
        return savePdf(path, width(), height(), QCP::epNoCosmetic, QStringLiteral("Tidemark"),
                       tr("Memory over the trace"));
    }
    return savePng(path, width(), height(), 2.0);
}

} // namespace tidemark::ui
