// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/view_state.h"

#include "core/diagnose/diagnosis.h"
#include "ui/models/band_grouping.h"
#include "ui/models/selection.h"

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::uint32_t kAllVisible = (1U << label::kBucketCount) - 1;
/// Narrowest range: two events, or a microsecond.
constexpr double kLeastEvents = 2;
constexpr double kLeastMicroseconds = 1;

double leastWidth(projection::Axis axis)
{
    return axis == projection::Axis::time ? kLeastMicroseconds : kLeastEvents;
}

} // namespace

Interval<double> viewExtent(const projection::AxisMap& axis)
{
    Interval<double> extent = axis.extent();
    extent.end += (extent.end - extent.begin) * 0.0005;
    return extent;
}

StateId tellingState(const diagnose::Analysis& analysis, std::size_t device)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    return replay.ooms.empty() ? replay.peak : StateId::before(replay.ooms.back());
}

ViewState::ViewState(QObject* parent)
    : QObject(parent)
    , m_visible(kAllVisible)
    , m_visible_groups(kAllVisible)
    , m_selector(new Selector(*this))
{
    connect(m_selector, &Selector::changed, this, &ViewState::selectionChanged);
}

void ViewState::show(const diagnose::Analysis& analysis, std::size_t device)
{
    const bool is_same =
        hasDevice() && analysis.snapshot == m_analysis.snapshot && device == m_device;
    if (is_same && analysis.isSameAs(m_analysis)) {
        return;
    }
    if (is_same) {
        const bool same_labels = analysis.labels == m_analysis.labels;
        // Views may still point into the old curves until they have heard of the new ones.
        const diagnose::Analysis former = std::exchange(m_analysis, analysis);
        if (!same_labels) {
            Q_EMIT labelsChanged();
        }
        Q_EMIT analysisChanged();
        return;
    }
    remember();
    // Here, too: the curves of the device before, into which tables point, may be nobody else's.
    const diagnose::Analysis former = std::exchange(m_analysis, analysis);
    m_device = device;
    forgetChosen();
    const auto place = m_places.find(Key(analysis.file.native(), device));
    m_shared.reset();
    const bool is_known = place != m_places.end() && place->second.axis != projection::Axis::shared;
    m_axis_map = mapOf(is_known ? place->second.axis : projection::Axis::event);
    m_annotations = projection::annotationLanes(*analysis.snapshot, device);
    m_extent = viewExtent(*m_axis_map);
    m_range = is_known && !place->second.is_whole ? clamped(place->second.range) : m_extent;
    m_cursor = is_known && !place->second.is_telling
        ? std::min(place->second.cursor, replay().lastState())
        : tellingState(analysis, device);
    Q_EMIT deviceChanged();
}

void ViewState::clear()
{
    remember();
    const diagnose::Analysis former = std::exchange(m_analysis, {}); // As in `show`.
    m_axis_map.reset();
    forgetChosen();
    Q_EMIT deviceChanged();
}

/// What is of the device before alone.
void ViewState::forgetChosen()
{
    m_hover.reset();
    m_selector->forget();
    m_selected_range.reset();
    m_ghost.reset();
    m_simulated.reset();
    m_height_range.reset();
    m_bookmarks.clear();
    m_band_grouping.reset();
}

void ViewState::remember()
{
    if (hasDevice()) {
        m_places.insert_or_assign(Key(m_analysis.file.native(), m_device),
                                  Place{axis(), m_range, m_cursor, m_range == m_extent,
                                        m_cursor == tellingState(m_analysis, m_device)});
    }
}

const trace::Device& ViewState::traceDevice() const
{
    return m_analysis.snapshot->devices[m_device];
}

const replay::DeviceReplay& ViewState::replay() const
{
    return m_analysis.replay->devices[m_device];
}

const label::DeviceLabels& ViewState::labels() const
{
    return m_analysis.labels->devices[m_device];
}

const curves::DeviceCurves& ViewState::curves() const
{
    return m_analysis.curves->devices[m_device];
}

const diagnose::DeviceDiagnosis* ViewState::diagnosis() const
{
    return m_analysis.diagnosis ? &m_analysis.diagnosis->devices[m_device] : nullptr;
}

bool ViewState::canShowTime() const
{
    return hasDevice() && projection::AxisMap::hasTimes(traceDevice());
}

void ViewState::setAxis(projection::Axis axis)
{
    if (!hasDevice() || axis == m_axis_map->axis()
        || (axis == projection::Axis::time && !canShowTime())
        || (axis == projection::Axis::shared && m_shared == nullptr)) {
        return;
    }
    useMap(mapOf(axis));
}

void ViewState::setSharedAxis(std::shared_ptr<const projection::AxisKnots> knots)
{
    if (!hasDevice() || knots == m_shared) {
        return;
    }
    m_shared = std::move(knots);
    if (axis() == projection::Axis::shared) {
        useMap(mapOf(m_shared ? projection::Axis::shared : projection::Axis::event));
    }
}

std::unique_ptr<const projection::AxisMap> ViewState::mapOf(projection::Axis axis) const
{
    return axis == projection::Axis::shared
        ? std::make_unique<projection::AxisMap>(traceDevice(), m_shared)
        : std::make_unique<projection::AxisMap>(traceDevice(), axis);
}

void ViewState::useMap(std::unique_ptr<const projection::AxisMap> map)
{
    const bool is_whole = m_range == m_extent;
    const StateId first = m_axis_map->toState(m_range.begin);
    const StateId last = m_axis_map->toState(m_range.end);
    m_axis_map = std::move(map);
    m_extent = viewExtent(*m_axis_map);
    m_range = is_whole ? m_extent : clamped({m_axis_map->toX(first), m_axis_map->toX(last)});
    Q_EMIT axisChanged();
    Q_EMIT rangeChanged();
}

void ViewState::widenExtent(Interval<double> extent)
{
    const bool is_whole = m_range == m_extent;
    m_extent = {std::min(m_extent.begin, extent.begin), std::max(m_extent.end, extent.end)};
    if (is_whole) {
        fit();
    }
}

Interval<double> ViewState::clamped(Interval<double> range) const
{
    const double whole = m_extent.end - m_extent.begin;
    const double least = std::min(whole, leastWidth(axis()));
    const double width = std::clamp(range.end - range.begin, least, whole);
    if (width >= whole * (1 - 1e-12)) {
        return m_extent; // Exactly: a rounding error would leave something out.
    }
    const double middle = (range.begin + range.end) / 2;
    const double begin = std::clamp(middle - width / 2, m_extent.begin,
                                    std::max(m_extent.begin, m_extent.end - width));
    return {begin, begin + width};
}

void ViewState::setRange(Interval<double> range)
{
    if (!hasDevice()) {
        return;
    }
    const Interval<double> next = clamped(range);
    if (next == m_range) {
        return;
    }
    m_range = next;
    Q_EMIT rangeChanged();
}

void ViewState::fit()
{
    setHeightRange({});
    setRange(m_extent);
}

void ViewState::zoomAround(double coordinate, double factor)
{
    const double least = leastWidth(axis());
    const double width = m_range.end - m_range.begin;
    const double next =
        std::clamp(width * factor, least, std::max(least, m_extent.end - m_extent.begin));
    const double share = (coordinate - m_range.begin) / width;
    setRange({coordinate - share * next, coordinate + (1 - share) * next});
}

void ViewState::pan(double distance)
{
    setRange({m_range.begin + distance, m_range.end + distance});
}

void ViewState::reveal(StateId state)
{
    const double x = m_axis_map->toX(state);
    if (x < m_range.begin || x > m_range.end) {
        const double half = (m_range.end - m_range.begin) / 2;
        setRange({x - half, x + half});
    }
}

StateId ViewState::cursor() const
{
    return m_cursor;
}

void ViewState::setCursor(StateId state)
{
    if (!hasDevice()) {
        return;
    }
    m_cursor = std::min(state, replay().lastState());
    m_hover.reset();
    Q_EMIT cursorChanged();
}

void ViewState::stepCursor(int events)
{
    if (!hasDevice()) {
        return;
    }
    const std::int64_t next = std::clamp<std::int64_t>(std::int64_t{m_cursor.value} + events, 0,
                                                       replay().lastState().value);
    setCursor({static_cast<std::uint32_t>(next)});
    reveal(m_cursor);
}

void ViewState::setHover(std::optional<StateId> state)
{
    if (state == m_hover) {
        return;
    }
    m_hover = state;
    Q_EMIT cursorChanged();
}

void ViewState::setBucketVisible(label::Bucket bucket, bool visible)
{
    const std::uint32_t bit = 1U << label::indexOf(bucket);
    const std::uint32_t next = visible ? m_visible | bit : m_visible & ~bit;
    if (next != m_visible) {
        m_visible = next;
        Q_EMIT bucketsChanged();
    }
}

void ViewState::setBandGrouping(std::shared_ptr<const BandGrouping> grouping)
{
    if (grouping != m_band_grouping) {
        m_band_grouping = std::move(grouping);
        m_visible_groups = kAllVisible;
        Q_EMIT bandsChanged();
        Q_EMIT bucketsChanged();
    }
}

const curves::DeviceCurves& ViewState::bandCurves() const
{
    return m_band_grouping ? m_band_grouping->curves : curves();
}

void ViewState::setBandVisible(label::Bucket band, bool visible)
{
    if (!m_band_grouping) {
        setBucketVisible(band, visible);
        return;
    }
    const std::uint32_t bit = 1U << label::indexOf(band);
    const std::uint32_t next = visible ? m_visible_groups | bit : m_visible_groups & ~bit;
    if (next != m_visible_groups) {
        m_visible_groups = next;
        Q_EMIT bucketsChanged();
    }
}

void ViewState::showAllBands()
{
    if (!m_band_grouping) {
        showAllBuckets();
    } else if (m_visible_groups != kAllVisible) {
        m_visible_groups = kAllVisible;
        Q_EMIT bucketsChanged();
    }
}

void ViewState::soloBand(label::Bucket band)
{
    if (!m_band_grouping) {
        soloBucket(band);
        return;
    }
    const std::uint32_t alone = 1U << label::indexOf(band);
    m_visible_groups = m_visible_groups == alone ? kAllVisible : alone;
    Q_EMIT bucketsChanged();
}

void ViewState::showAllBuckets()
{
    if (m_visible != kAllVisible) {
        m_visible = kAllVisible;
        Q_EMIT bucketsChanged();
    }
}

void ViewState::soloBucket(label::Bucket bucket)
{
    const std::uint32_t alone = 1U << label::indexOf(bucket);
    m_visible = m_visible == alone ? kAllVisible : alone;
    Q_EMIT bucketsChanged();
}

bool ViewState::fitsHeight() const
{
    return m_fits_height;
}

TimelineMode ViewState::timelineMode() const
{
    return m_timeline_mode;
}

const std::shared_ptr<const Ghost>& ViewState::ghost() const
{
    return m_ghost;
}

const std::vector<pipeline::Bookmark>& ViewState::bookmarks() const
{
    return m_bookmarks;
}

const std::shared_ptr<const SimulatedRun>& ViewState::simulated() const
{
    return m_simulated;
}

void ViewState::setHeightRange(std::optional<Interval<double>> bytes)
{
    constexpr double kLeastBytes = 1024;
    if (bytes) {
        const double height = std::max(kLeastBytes, bytes->end - bytes->begin);
        const double begin = std::max(0.0, bytes->begin);
        bytes = Interval<double>{begin, begin + height};
    }
    if (bytes != m_height_range && (hasDevice() || !bytes)) {
        m_height_range = bytes;
        Q_EMIT heightRangeChanged();
    }
}

void ViewState::setFitsHeight(bool fits)
{
    setHeightRange({});
    if (fits != m_fits_height) {
        m_fits_height = fits;
        Q_EMIT bucketsChanged();
    }
}

void ViewState::setTimelineMode(TimelineMode mode)
{
    if (mode != m_timeline_mode) {
        m_timeline_mode = mode;
        Q_EMIT timelineModeChanged();
    }
}

void ViewState::selectRange(std::optional<Interval<StateId>> states)
{
    if (states && hasDevice()) {
        const StateId last = replay().lastState();
        const auto [first, end] = std::minmax(states->begin, states->end);
        states = Interval<StateId>{std::min(first, last), std::min(end, last)};
    }
    if (states != m_selected_range && (hasDevice() || !states)) {
        m_selected_range = states;
        Q_EMIT selectedRangeChanged();
    }
}

void ViewState::zoomToSelection()
{
    constexpr double kRoom = 0.02; ///< On either side, of the width.
    if (hasDevice() && m_selected_range) {
        zoomTo(*m_selected_range, kRoom);
    }
}

void ViewState::zoomTo(Interval<StateId> states, double room)
{
    const double begin = m_axis_map->toX(states.begin);
    const double end = m_axis_map->toX(states.end);
    setRange({begin - (end - begin) * room, end + (end - begin) * room});
}

Selector& ViewState::selector() const
{
    return *m_selector;
}

AllocationId ViewState::selected() const
{
    return m_selector->front();
}

void ViewState::select(AllocationId allocation)
{
    m_selector->choose(allocation);
}

Interval<double> ViewState::lifetimeOfSelected() const
{
    if (!hasDevice() || selected().isNone()) {
        return {};
    }
    const Interval<StateId> life = replay().allocations.lifetime(selected());
    const StateId last = replay().lastState();
    return {m_axis_map->toX(life.begin),
            life.end > last ? m_extent.end : m_axis_map->toX(life.end)};
}

void ViewState::setGhost(std::shared_ptr<const Ghost> ghost)
{
    if (ghost != m_ghost) {
        m_ghost = std::move(ghost);
        Q_EMIT ghostChanged();
    }
}

void ViewState::setBookmarks(std::vector<pipeline::Bookmark> bookmarks)
{
    if (bookmarks != m_bookmarks) {
        m_bookmarks = std::move(bookmarks);
        Q_EMIT bookmarksChanged();
    }
}

void ViewState::setSimulated(std::shared_ptr<const SimulatedRun> run)
{
    if (run != m_simulated) {
        m_simulated = std::move(run);
        Q_EMIT simulatedChanged();
    }
}

} // namespace tidemark::ui
