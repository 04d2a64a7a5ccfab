// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/timeline_scene.h"

#include "core/projection/timeline_shapes.h"
#include "ui/views/timeline/timeline_pixels.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

} // namespace

TimelineScene::TimelineScene(const ViewState& state, std::int64_t first_visits)
    : m_state(state)
    , m_first_visits(first_visits)
    , m_refiner(std::make_unique<LayersRefiner>())
{
    QObject::connect(m_refiner.get(), &LayersRefiner::ready, m_refiner.get(),
                     [this](const std::shared_ptr<projection::AllocationLayers>& layers) {
                         m_layers = std::move(*layers);
                         m_bands_are_current = false;
                         if (m_on_refined) {
                             m_on_refined();
                         }
                     });
}

void TimelineScene::onRefined(std::function<void()> call)
{
    m_on_refined = std::move(call);
}

void TimelineScene::setOutline(Outline outline, const QColor& colour)
{
    m_outline = std::move(outline);
    m_outline_colour = colour;
    invalidate();
}

void TimelineScene::invalidate()
{
    ++m_revision;
}

void TimelineScene::forget()
{
    m_refiner->cancel();
    m_projection = {};
    m_layers = {};
    m_selected.clear();
    m_marks = {};
    m_ghost.clear();
    m_simulated.clear();
    m_bands_are_current = false;
    invalidate();
}

void TimelineScene::setStyle(const TimelineStyle& style)
{
    m_style = style;
    invalidate();
}

void TimelineScene::prepare(const QRect& rect, Interval<double> range, Interval<double> bytes,
                            double pixel_ratio, Detail detail)
{
    const TimelineMode mode = m_state.timelineMode();
    const bool shows_allocations = mode == TimelineMode::allocations;
    const Key key{rect,
                  range,
                  bytes,
                  pixel_ratio,
                  m_revision,
                  mode,
                  shows_allocations ? m_state.selected() : AllocationId::none(),
                  m_state.selector().selection(),
                  shows_allocations ? detail : Detail::fine};
    if (key == m_key) {
        return;
    }
    const int columns = std::max(1, static_cast<int>(std::lround(rect.width() * pixel_ratio)));
    const bool same_columns = key.range == m_key.range && key.revision == m_key.revision
        && m_projection.columns.size() == static_cast<std::size_t>(columns);
    const bool same_selection = same_columns && key.selection == m_key.selection;
    m_key = key;
    m_scale = {QRectF(rect), range, bytes.end, bytes.begin};
    m_bands_are_current = false;
    if (!same_columns) {
        m_projection =
            projection::projectTimeline(m_state.bandCurves(), m_state.axisMap(), range, columns);
        m_marks = timelineMarks(m_state.analysis(), m_state.device(), m_state.axisMap());
        m_marks.flags = flagMarks(m_state.bookmarks(), m_state.device(), m_state.axisMap());
        projectCurves();
    }
    if (!same_selection) {
        m_selected = m_key.selection
            ? projection::projectSelected(m_key.selection->bytes, m_state.axisMap(), m_projection)
            : std::vector<projection::SelectedColumn>();
    }
    projectLayers();
}

void TimelineScene::projectCurves()
{
    const projection::AxisMap& axis = m_state.axisMap();
    const std::size_t states = m_state.replay().stateCount();
    m_ghost.clear();
    m_simulated.clear();
    if (m_outline) {
        m_ghost = m_outline(m_projection.range, static_cast<int>(m_projection.columns.size()));
        return;
    }
    const auto& ghost = m_state.ghost();
    if (ghost && ghost->prediction.after_active.size() == states) {
        const diagnose::Prediction& prediction = ghost->prediction;
        m_ghost = columnsOf(prediction.after_active, ghost->pyramid, m_state.replay().lastState());
        m_marks.ghost = GhostMark{axis.toX(prediction.after_peak_state), prediction.after_peak};
    }
    const auto& run = m_state.simulated();
    if (run && run->reserved().size() == states) {
        m_simulated = columnsOf(run->reserved(), run->pyramid, run->known_until);
        m_marks.simulated =
            SimulatedMark{axis.toX(run->reserved_peak_state), run->reserved_peak, run->settings};
    }
}

int TimelineScene::imageHeight() const
{
    return std::max(1, static_cast<int>(std::lround(m_key.rect.height() * m_key.pixel_ratio)));
}

void TimelineScene::projectLayers()
{
    m_refiner->cancel();
    if (!showsAllocations()) {
        m_layers = {};
        return;
    }
    projection::LayersRequest request{
        imageHeight(), m_key.bytes.end, m_style.visible, m_key.selected, 1, m_key.bytes.begin};
    if (m_key.detail == Detail::coarse_first) {
        request.stride =
            projection::layersStride(m_state.bandCurves(), m_projection, m_first_visits);
    }
    m_layers = projection::projectAllocations(m_state.bandCurves(), m_projection, request, {},
                                              std::move(m_layers));
    if (request.stride > 1) {
        request.stride = 1;
        m_refiner->request(m_state.analysis(), m_state.device(), m_projection, request);
    }
}

const QImage& TimelineScene::bands()
{
    if (!m_bands_are_current) {
        const QSize size(static_cast<int>(m_projection.columns.size()), imageHeight());
        if (m_bands.size() != size) {
            m_bands = QImage(size, QImage::Format_RGB32);
        }
        if (showsAllocations()) {
            fillLayers(m_bands, m_projection, m_layers, m_style, m_key.pixel_ratio,
                       m_key.selection.get());
        } else {
            fillBands(m_bands, m_projection, m_key.bytes, m_style, m_key.pixel_ratio, m_selected);
        }
        m_bands_are_current = true;
    }
    return m_bands;
}

std::vector<std::int64_t> TimelineScene::columnsOf(const std::vector<std::int64_t>& values,
                                                   const MaxPyramid& pyramid, StateId until) const
{
    const std::size_t columns = m_projection.columns.size();
    const projection::AxisMap& axis = m_state.axisMap();
    const Interval<double> range = m_projection.range;
    const double step = (range.end - range.begin) / static_cast<double>(columns);
    std::vector<std::int64_t> heights;
    heights.reserve(columns);
    for (std::size_t i = 0; i < columns; ++i) {
        const double left = range.begin + step * static_cast<double>(i);
        const std::size_t first = axis.toState(left).index();
        const std::size_t last = axis.toState(std::nextafter(left + step, left)).index();
        if (first > until.index()) {
            break;
        }
        heights.push_back(values[pyramid.argMax(values, {first, std::max(first, last) + 1})]);
    }
    return heights;
}

double TimelineScene::naturalTop(Interval<double> range) const
{
    const projection::AxisMap& axis = m_state.axisMap();
    const curves::DeviceCurves& curves = m_state.bandCurves();
    const auto& ghost = m_state.ghost();
    projection::TimelineHeights heights;
    if (m_style.visible == kAllBuckets && !m_state.fitsHeight()) {
        const Interval<StateId> all{StateId::start(), {m_state.replay().lastState().value + 1}};
        heights.total = curves.replay().activeAt(curves.largest(all)).value;
        heights.reserved = curves.largestReserved(all);
        if (ghost) {
            heights.total = std::max(heights.total, ghost->prediction.after_peak.value);
        }
        if (m_state.simulated()) {
            heights.reserved = std::max(heights.reserved, m_state.simulated()->reserved_peak.value);
        }
        return topBytes(heights, timelineMarks(m_state.analysis(), m_state.device(), axis));
    }
    // What is left of the bands, as large as it goes, and a prediction, whose curve is what is
    // looked at; the lines above them may leave the picture.
    const Interval<double> seen = m_state.fitsHeight() ? range : viewExtent(axis);
    const std::vector<std::int64_t> none;
    const std::vector<std::int64_t>& after = ghost ? ghost->prediction.after_active : none;
    if (after.size() == m_state.replay().stateCount() && !after.empty()) {
        const std::size_t first = axis.toState(seen.begin).index();
        const std::size_t last = std::max(first, axis.toState(seen.end).index());
        heights.total = after[ghost->pyramid.argMax(after, {first, last + 1})];
    }
    const auto projection = projection::projectTimeline(curves, axis, seen, kOverviewColumns);
    for (const projection::TimelineColumn& column : projection.columns) {
        heights.total = std::max(heights.total, projection::visibleTotal(column, m_style.visible));
    }
    return topBytes(heights, {});
}

const projection::TimelineColumn* TimelineScene::columnAt(double x) const
{
    const double share = (x - m_scale.rect.left()) / m_scale.rect.width();
    if (m_projection.columns.empty() || share < 0 || share > 1) {
        return nullptr;
    }
    const auto count = static_cast<double>(m_projection.columns.size());
    const auto column = static_cast<std::size_t>(std::min(share * count, count - 1));
    return &m_projection.columns[column];
}

std::optional<projection::LayerHit> TimelineScene::allocationAt(double x, std::int64_t bytes) const
{
    const projection::TimelineColumn* column = columnAt(x);
    if (column == nullptr || !column->in_trace) {
        return std::nullopt;
    }
    return projection::allocationAt(m_state.bandCurves(), column->state, bytes, m_style.visible);
}

bool TimelineScene::isRefining() const
{
    return m_refiner->isBusy();
}

} // namespace tidemark::ui
