// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/diagnose/analysis.h"
#include "core/pipeline/bookmarks.h"
#include "core/projection/annotation_lanes.h"
#include "core/projection/timeline.h"
#include "ui/models/overlays.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tidemark::ui {

struct BandGrouping;
class Selector;

/// What a view of the whole trace spans: the axis' own extent and a hair more, so that the last
/// state, which has no width of its own, lies inside the last pixel column.
[[nodiscard]] Interval<double> viewExtent(const projection::AxisMap& axis);

/// The moment the diagnosis is about, else the peak: where the cursor begins. Requires the replay.
[[nodiscard]] StateId tellingState(const diagnose::Analysis& analysis, std::size_t device);

/// What the timeline stacks: buckets, or every allocation by itself.
enum class TimelineMode : std::uint8_t { bands, allocations };

/// What is being looked at, one object for all views: the device, the range of its horizontal axis,
/// the cursor, hidden bands, the selected allocation. Views change it and listen to it, never to
/// each other. Remembers range, cursor and axis of every device it has shown.
class ViewState : public QObject {
    Q_OBJECT
public:
    explicit ViewState(QObject* parent = nullptr);

    /// Shows a device. With another file or device the range, cursor and axis are those it had when
    /// it was left, else the whole trace and the telling moment; a newer analysis of the same file
    /// keeps them. Requires snapshot, replay, labels and curves.
    void show(const diagnose::Analysis& analysis, std::size_t device);
    /// Shows nothing.
    void clear();

    /// Nothing below may be asked while it is false, except `visibleBuckets`.
    [[nodiscard]] bool hasDevice() const
    {
        return m_axis_map != nullptr;
    }
    [[nodiscard]] const diagnose::Analysis& analysis() const
    {
        return m_analysis;
    }
    [[nodiscard]] std::size_t device() const
    {
        return m_device;
    }
    [[nodiscard]] const trace::Device& traceDevice() const;
    [[nodiscard]] const replay::DeviceReplay& replay() const;
    [[nodiscard]] const label::DeviceLabels& labels() const;
    [[nodiscard]] const curves::DeviceCurves& curves() const;
    /// Null while the diagnosis is being computed.
    [[nodiscard]] const diagnose::DeviceDiagnosis* diagnosis() const;

    /// The program's own scopes on this device.
    [[nodiscard]] const projection::AnnotationLanes& annotations() const
    {
        return m_annotations;
    }
    [[nodiscard]] const projection::AxisMap& axisMap() const
    {
        return *m_axis_map;
    }
    [[nodiscard]] projection::Axis axis() const
    {
        return m_axis_map->axis();
    }
    [[nodiscard]] bool canShowTime() const;
    /// Keeps the same stretch of the trace in view. No effect where the file has no times, or there
    /// is no shared axis.
    void setAxis(projection::Axis axis);
    /// An axis that this run shares with another, for `Axis::shared`; null for none any more.
    /// Forgotten with the device.
    void setSharedAxis(std::shared_ptr<const projection::AxisKnots> knots);

    [[nodiscard]] Interval<double> extent() const
    {
        return m_extent;
    }
    /// Lets the view reach further than this trace, so that two runs can share one range.
    void widenExtent(Interval<double> extent);
    [[nodiscard]] Interval<double> range() const
    {
        return m_range;
    }
    /// Clamped to the extent and to a smallest width (two events, or a microsecond).
    void setRange(Interval<double> range);
    /// The whole trace, in its whole height.
    void fit();
    /// Scales the range by `factor` (below 1: closer) around a coordinate that stays where it is.
    void zoomAround(double coordinate, double factor);
    void pan(double distance);
    /// Makes a state visible, with the present zoom.
    void reveal(StateId state);

    [[nodiscard]] StateId cursor() const; ///< As a person has set it.
    void setCursor(StateId state);
    void stepCursor(int events);
    /// The state under the mouse, while it is over a timeline.
    void setHover(std::optional<StateId> state);
    [[nodiscard]] std::optional<StateId> hover() const
    {
        return m_hover;
    }
    /// What the views show the values of: the hovered state, else the cursor.
    [[nodiscard]] StateId shownState() const
    {
        return m_hover.value_or(m_cursor);
    }

    [[nodiscard]] std::uint32_t visibleBuckets() const
    {
        return m_visible;
    }
    void setBucketVisible(label::Bucket bucket, bool visible);
    void showAllBuckets();
    /// Shows one bucket alone, or all where it is alone already.
    void soloBucket(label::Bucket bucket);
    /// What the bands are where they are no buckets; null: they are. Forgotten with the device.
    [[nodiscard]] const std::shared_ptr<const BandGrouping>& bandGrouping() const
    {
        return m_band_grouping;
    }
    void setBandGrouping(std::shared_ptr<const BandGrouping> grouping);
    /// Bytes of each band, and which are visible: of the buckets, or of the groups.
    [[nodiscard]] const curves::DeviceCurves& bandCurves() const;
    [[nodiscard]] std::uint32_t visibleBands() const
    {
        return m_band_grouping ? m_visible_groups : m_visible;
    }
    void setBandVisible(label::Bucket band, bool visible);
    void showAllBands();
    /// Shows one band alone, or all where it is alone already.
    void soloBand(label::Bucket band);
    [[nodiscard]] bool fitsHeight() const;
    /// Whether the vertical axis follows what is in view, instead of the whole trace.
    void setFitsHeight(bool fits);
    /// Bytes at both edges of a timeline whose height is zoomed; nullopt: what suits the run.
    [[nodiscard]] const std::optional<Interval<double>>& heightRange() const
    {
        return m_height_range;
    }
    /// At least a KiB high, from 0 on.
    void setHeightRange(std::optional<Interval<double>> bytes);

    [[nodiscard]] TimelineMode timelineMode() const;
    void setTimelineMode(TimelineMode mode);

    /// Two moments and what lies between, chosen by a person: the first state and the last one.
    /// Stays the same on both axes.
    [[nodiscard]] const std::optional<Interval<StateId>>& selectedRange() const
    {
        return m_selected_range;
    }
    /// In any order of its ends; nullopt for none.
    void selectRange(std::optional<Interval<StateId>> states);
    /// Shows the selected range with a little room around it; no effect without one.
    void zoomToSelection();
    void zoomTo(Interval<StateId> states, double room); ///< `room` on either side, of the width.

    /// What is selected: some allocations, from wherever, and one of them in front.
    [[nodiscard]] Selector& selector() const;
    [[nodiscard]] AllocationId selected() const; ///< The one in front.
    void select(AllocationId allocation); ///< As `Selector::choose`.
    /// Of the one in front, on the axis; empty without one.
    [[nodiscard]] Interval<double> lifetimeOfSelected() const;
    [[nodiscard]] const std::shared_ptr<const Ghost>& ghost() const;
    void setGhost(std::shared_ptr<const Ghost> ghost);
    /// Moments of the shown device that a person marked, in their order. Whoever keeps them hands
    /// them over for every device.
    [[nodiscard]] const std::vector<pipeline::Bookmark>& bookmarks() const;
    void setBookmarks(std::vector<pipeline::Bookmark> bookmarks);
    /// Null: nothing is simulated.
    [[nodiscard]] const std::shared_ptr<const SimulatedRun>& simulated() const;
    void setSimulated(std::shared_ptr<const SimulatedRun> run);

Q_SIGNALS:
    void deviceChanged(); ///< Another device or file, or nothing; everything else changed, too.
    void analysisChanged(); ///< The same device with more parts.
    void labelsChanged(); ///< The same device with other labels and curves; before the above.
    void axisChanged();
    void rangeChanged();
    void cursorChanged(); ///< Of `shownState`.
    void heightRangeChanged();
    void bucketsChanged(); ///< Visible buckets or groups, or how the height fits.
    void bandsChanged(); ///< What the bands are; before `bucketsChanged`.
    void timelineModeChanged();
    void selectionChanged(); ///< What is selected, or which of it is in front.
    void selectedRangeChanged();
    void ghostChanged();
    void simulatedChanged();
    void bookmarksChanged();

private:
    struct Place {
        projection::Axis axis;
        Interval<double> range;
        StateId cursor;
        // What was not chosen follows the file, of which more may have come since.
        bool is_whole = false;
        bool is_telling = false;
    };
    using Key = std::pair<std::string, std::size_t>;
    [[nodiscard]] std::unique_ptr<const projection::AxisMap> mapOf(projection::Axis axis) const;
    void useMap(std::unique_ptr<const projection::AxisMap> map);
    void remember();
    void forgetChosen();
    [[nodiscard]] Interval<double> clamped(Interval<double> range) const;

    diagnose::Analysis m_analysis;
    std::size_t m_device = 0;
    std::unique_ptr<const projection::AxisMap> m_axis_map;
    std::shared_ptr<const projection::AxisKnots> m_shared;
    projection::AnnotationLanes m_annotations;
    Interval<double> m_extent;
    Interval<double> m_range;
    StateId m_cursor;
    std::optional<StateId> m_hover;
    std::uint32_t m_visible;
    std::uint32_t m_visible_groups;
    std::shared_ptr<const BandGrouping> m_band_grouping;
    bool m_fits_height = false;
    std::optional<Interval<double>> m_height_range;
    TimelineMode m_timeline_mode = TimelineMode::bands;
    Selector* m_selector; ///< A child.
    std::optional<Interval<StateId>> m_selected_range;
    std::shared_ptr<const Ghost> m_ghost;
    std::shared_ptr<const SimulatedRun> m_simulated;
    std::vector<pipeline::Bookmark> m_bookmarks;
    std::map<Key, Place> m_places;
};

} // namespace tidemark::ui
