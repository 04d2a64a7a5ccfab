// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/timeline_plot.h"

#include "core/base/short_text.h"
#include "core/projection/timeline.h"
#include "ui/models/band_grouping.h"
#include "ui/models/numbers.h"
#include "ui/models/one_unit.h"
#include "ui/models/text.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"
#include "ui/views/timeline/layers_painter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kTopMargin = 15; ///< Room for a label above a line at the upper edge.
constexpr int kLeastPlotBands = 76; ///< Height below which stacked bands say nothing.
constexpr int kGapBelow = 3; ///< Below the strips of a plot whose axis has no labels.

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
    , m_history(state)
{
    setObjectName(QStringLiteral("timelinePlot"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Memory over the trace, stacked by bucket"));
    setInteractions(QCP::iNone);
    setUpAxes();
    addLayers();
    m_height_note = makeChip(this, {});
    m_height_note->setObjectName(QStringLiteral("heightNote"));
    m_height_note->setToolTip(tr("Zoomed vertically; click for the full height"));
    m_height_note->setAccessibleName(tr("Show the full height"));
    m_height_note->hide();
    connect(m_height_note, &QToolButton::clicked, &m_state, [this] { m_state.setHeightRange({}); });
    m_selection_note = makeChip(this, {});
    m_selection_note->setObjectName(QStringLiteral("selectionNote"));
    m_selection_note->setAccessibleName(tr("Clear the selection"));
    m_selection_note->setToolTip(tr("Selected everywhere; click or press Esc to clear"));
    m_selection_note->hide();
    connect(m_selection_note, &QToolButton::clicked, &m_state,
            [this] { m_state.select(AllocationId::none()); });
    connect(this, &QCustomPlot::afterLayout, this, &TimelinePlot::followLayout);
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        m_scene.forget();
        endDrag();
        updateDevice();
        updateSelectionNote();
    });
    connect(&m_state, &ViewState::analysisChanged, this, &TimelinePlot::updateDevice);
    connect(&m_state, &ViewState::axisChanged, this, [this] {
        endDrag();
        updateDevice();
    });
    connect(&m_state, &ViewState::rangeChanged, this, &TimelinePlot::updateRange);
    connect(&m_state, &ViewState::heightRangeChanged, this, &TimelinePlot::updateTop);
    connect(&m_state, &ViewState::cursorChanged, this, &TimelinePlot::repaintCursor);
    connect(&m_state, &ViewState::cursorChanged, this, &TimelinePlot::updateSelectionNote);
    connect(&m_state, &ViewState::selectedRangeChanged, this, [this] { m_cursor->update(); });
    connect(&m_state, &ViewState::bucketsChanged, this, [this] {
        restyle();
        updateTop();
    });
    connect(&m_state, &ViewState::timelineModeChanged, this, [this] {
        m_pointer.words.clear();
        refresh();
    });
    connect(&m_state, &ViewState::selectionChanged, this, [this] {
        updateSelectionNote();
        refresh();
    });
    m_scene.onRefined([this] { refresh(); });
    connect(&m_state, &ViewState::ghostChanged, this, [this] {
        m_scene.invalidate();
        updateTop(); // More memory than was recorded has to be in the picture, too.
        refresh();
    });
    connect(&m_state, &ViewState::bookmarksChanged, this, [this] {
        m_scene.invalidate();
        refresh();
    });
    connect(&m_state, &ViewState::simulatedChanged, this, [this] {
        m_scene.invalidate();
        updateTop();
        refresh();
    });
    restyle();
    updateDevice();
}

void TimelinePlot::setUpAxes()
{
    axisRect()->setAutoMargins(QCP::msLeft);
    // Room for the name of the axis, in whatever language, left of its first label.
    constexpr int kLeast = 52;
    constexpr int kBehindName = 16;
    const int name = std::max(fontMetrics().horizontalAdvance(StripItem::tr("event")),
                              fontMetrics().horizontalAdvance(StripItem::tr("time")));
    axisRect()->setMinimumMargins(QMargins(std::max(kLeast, name + kBehindName), 0, 0, 0));
    axisRect()->setBackgroundScaled(false);
    yAxis->setTicker(QSharedPointer<OwnTicker>::create([this](Interval<double> range) {
        return byteTicks(range, byteTickCount(axisRect()->height()));
    }));
    xAxis->setTicker(QSharedPointer<OwnTicker>::create([this](Interval<double> range) {
        if (!m_state.hasDevice()) {
            return std::vector<AxisTick>{};
        }
        return axisTicks(m_state.axisMap(), range, axisTickCount(axisRect()->width()));
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
    yAxis->grid()->setVisible(false); // Painted with the bands.
}

void TimelinePlot::addLayers()
{
    const SceneFor scene = [this](QCPPainter& painter) { return sceneFor(painter); };
    // Plottables and items belong to the plot.
    new BandPlottable(xAxis, yAxis, scene);
    auto* marks = new MarksItem(this, m_state, scene);
    marks->setLayer(QStringLiteral("overlay"));
    auto* strip = new StripItem(this, m_state, scene);
    strip->setLayer(QStringLiteral("overlay"));
    addLayer(QStringLiteral("cursor"), layer(QStringLiteral("overlay")), limAbove);
    auto* cursor = new CursorItem(this, m_state, m_pointer, scene);
    cursor->setLayer(QStringLiteral("cursor"));
    m_cursor = new CursorOverlay(m_state, m_scene, m_pointer, this);
}

void TimelinePlot::restyle()
{
    const ThemeColours& colours = currentColours();
    QFont labels = font();
    labels.setPixelSize(std::max(10, QFontInfo(font()).pixelSize() - 1));
    TimelineStyle style;
    style.colours = colours;
    style.visible = m_state.visibleBands();
    if (const auto& grouping = m_state.bandGrouping()) {
        style.bands = groupColours(grouping->bands.other);
    }
    style.font = labels;
    style.axis_labels = m_below.axis_labels;
    style.only_phases = m_below.only_phases;
    style.label_room = kTopMargin;
    m_scene.setStyle(style);
    setBackground(QBrush(colours.card));
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setTickLabelColor(colours.text);
        axis->setTickLabelFont(labels);
    }
    refresh();
}

void TimelinePlot::updateDevice()
{
    m_scene.invalidate();
    m_pointer = {};
    xAxis->setOffset(StripItem::heightFor(m_state, m_scene.style()));
    axisRect()->setMargins(QMargins(axisRect()->margins().left(), kTopMargin, kRightMargin,
                                    heightBesideBands(m_below) - kTopMargin));
    if (m_keeps_bands) {
        setMinimumHeight(kLeastPlotBands + heightBesideBands(m_below));
    }
    updateRange();
    updateTop();
}

int TimelinePlot::heightBesideBands(const Below& below) const
{
    TimelineStyle style;
    style.only_phases = below.only_phases;
    const int labels =
        below.axis_labels ? QFontMetrics(xAxis->tickLabelFont()).height() + 8 : kGapBelow;
    return kTopMargin + StripItem::heightFor(m_state, style) + labels;
}

void TimelinePlot::setKeepsBands(bool keeps)
{
    m_keeps_bands = keeps;
    setMinimumHeight(keeps ? kLeastPlotBands + heightBesideBands(m_below) : 0);
}

void TimelinePlot::setLeftMargin(std::optional<int> pixels)
{
    axisRect()->setAutoMargins(pixels ? QCP::msNone : QCP::msLeft);
    if (pixels) {
        QMargins margins = axisRect()->margins();
        margins.setLeft(*pixels);
        axisRect()->setMargins(margins);
    }
    refresh();
}

void TimelinePlot::setBelow(const Below& below)
{
    if (below != m_below) {
        m_below = below;
        xAxis->setTickLabels(below.axis_labels);
        restyle();
        updateDevice();
    }
}

void TimelinePlot::setOutline(TimelineScene::Outline outline, const QColor& colour)
{
    m_scene.setOutline(std::move(outline), colour);
    refresh();
}

void TimelinePlot::updateRange()
{
    if (m_state.hasDevice()) {
        xAxis->setRange(m_state.range().begin, m_state.range().end);
        if (m_state.fitsHeight()) {
            updateTop();
        }
    }
    refresh();
}

double TimelinePlot::naturalTop() const
{
    return m_state.hasDevice() ? m_scene.naturalTop(m_state.range()) : 1;
}

void TimelinePlot::updateTop()
{
    setHeight();
    Q_EMIT naturalTopChanged();
}

void TimelinePlot::setSharedTop(std::optional<double> top_bytes)
{
    if (top_bytes != m_shared_top) {
        m_shared_top = top_bytes;
        setHeight();
    }
}

Interval<double> TimelinePlot::wholeHeight() const
{
    return {0, m_shared_top ? *m_shared_top : naturalTop()};
}

void TimelinePlot::setHeight()
{
    const Interval<double> whole = wholeHeight();
    // Plots that share their scale are not zoomed each by itself.
    const std::optional<Interval<double>> part =
        m_shared_top ? std::nullopt : m_state.heightRange();
    const Interval<double> shown = part.value_or(whole);
    yAxis->setRange(shown.begin, shown.end);
    m_height_note->setVisible(part.has_value());
    if (part) {
        const OneUnit unit(Bytes{std::llround(whole.end)});
        m_height_note->setText(tr("%1 to %2 of %3 · show all")
                                   .arg(unit.text({std::llround(shown.begin)}),
                                        unit.text({std::llround(shown.end)}),
                                        unit.text({std::llround(whole.end)})));
        m_height_note->adjustSize();
    }
    refresh();
}

void TimelinePlot::setRun(const QString& letter)
{
    m_run = letter;
    setAccessibleName(tr("Run %1: memory over the trace, stacked by bucket").arg(letter));
    m_selection_note->setAccessibleName(tr("Clear the selection in run %1").arg(letter));
    updateSelectionNote();
}

/// A single row is named in the pane of its stack.
void TimelinePlot::updateSelectionNote()
{
    const auto selection = m_state.selector().selection();
    const bool shows = m_state.hasDevice() && selection
        && (selection->ids.size() > 1 || selection->from != Selection::From::row);
    m_selection_note->setVisible(shows);
    if (!shows) {
        return;
    }
    const StateId state = m_state.shownState();
    const std::int64_t bytes = label::totalOf(selection->bytes.at(state));
    const std::int64_t here = selection->bytes.countAt(state);
    const int count = plural(static_cast<std::int64_t>(selection->ids.size()));
    QString words = here == 0
        ? tr("%Ln allocation, none here|%Ln allocations, none here", nullptr, count)
        : tr("%Ln allocation, %1 here: %2|%Ln allocations, %1 here: %2", nullptr, count)
              .arg(countText(here), bytesText({bytes}));
    if (!selection->name.isEmpty()) {
        const QString name = text(shownName(utf8(selection->name)));
        words = fontMetrics().elidedText(name, Qt::ElideMiddle, bandRect().width() / 3)
            % QStringLiteral(" · ") % words;
    }
    if (!m_run.isEmpty()) {
        words = m_run % QStringLiteral(": ") % words;
    }
    m_selection_note->setText(words.replace(u'&', QStringLiteral("&&")) % QStringLiteral("  ✕"));
    m_selection_note->adjustSize();
    // Between the labels of lines, which stand at both sides, and half above the bands.
    m_selection_note->move(m_band_rect.center().x() - m_selection_note->width() / 2, 0);
}

bool TimelinePlot::showsBands() const
{
    return m_state.hasDevice() && axisRect()->width() >= 2 && axisRect()->height() >= 2;
}

TimelineScene* TimelinePlot::sceneFor(QCPPainter& painter)
{
    if (!showsBands()) {
        return nullptr;
    }
    // Vector files get two columns per unit: as fine as a printed line.
    const bool is_vector = painter.modes().testFlag(QCPPainter::pmVectorized);
    const double ratio = is_vector ? 2.0 : painter.device()->devicePixelRatioF();
    // A picture that is written to a file cannot be made finer afterwards.
    const bool is_screen = !is_vector && !painter.modes().testFlag(QCPPainter::pmNoCaching);
    m_scene.prepare(axisRect()->rect(), m_state.range(),
                    {yAxis->range().lower, yAxis->range().upper}, ratio,
                    is_screen ? TimelineScene::Detail::coarse_first : TimelineScene::Detail::fine);
    return &m_scene;
}

/// Lays the plot out and paints it, once for all that changes until the event loop runs again.
void TimelinePlot::refresh()
{
    if (m_is_refreshing) {
        return;
    }
    m_is_refreshing = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_is_refreshing = false;
            updateLayout();
            update();
        },
        Qt::QueuedConnection);
}

void TimelinePlot::followLayout()
{
    if (bandRect() == m_band_rect) {
        return;
    }
    const bool is_resized = bandRect().size() != m_band_rect.size();
    m_band_rect = bandRect();
    m_height_note->move(m_band_rect.left() + 6, m_band_rect.top() + 4);
    updateSelectionNote();
    if (is_resized) {
        refresh(); // Ticks are chosen before the layout is known: they need another turn.
    }
    Q_EMIT laidOut();
}

void TimelinePlot::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    setViewport(rect());
    refresh();
}

/// Straight to the screen: clearing and blending the library's buffer, which is as large as the
/// widget, would take as long as all of this.
void TimelinePlot::paintEvent(QPaintEvent*)
{
    if (!qFuzzyCompare(bufferDevicePixelRatio(), devicePixelRatioF())) {
        setBufferDevicePixelRatio(devicePixelRatioF()); // Of the cached labels.
    }
    QCPPainter painter(this);
    // Covered by their picture but for the rows and columns at which the library cuts it off.
    const QRect bands = showsBands() ? bandRect().adjusted(2, 2, -2, -2) : QRect();
    for (const QRect& rect : QRegion(rect()).subtracted(bands)) {
        painter.fillRect(rect, m_scene.style().colours.card);
    }
    draw(&painter);
}

void TimelinePlot::repaintCursor()
{
    m_cursor->follow();
}

bool TimelinePlot::isOverBands(const QPointF& position) const
{
    return m_state.hasDevice() && QRectF(axisRect()->rect()).contains(position);
}

double TimelinePlot::coordinateAt(double x) const
{
    return xAxis->pixelToCoord(x);
}

void TimelinePlot::changeEvent(QEvent* event)
{
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        restyle();
        updateDevice();
    }
}

} // namespace tidemark::ui
