// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/comparer.h"
#include "ui/models/view_state.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtWidgets/QWidget>

#include <cstdint>
#include <memory>
#include <optional>

namespace tidemark::ui {

class AlignBand;
class DeltaLane;
class LegendBar;
class Minimap;
class RunEdge;

/// How the lanes of a comparison lie.
enum class LaneLayout : std::uint8_t {
    stacked, ///< Both runs and their difference below each other.
    side_by_side, ///< The runs beside each other, their difference below.
    overlay, ///< The base filled, the other's total as a line; their difference below.
    delta, ///< The difference alone.
    blink, ///< One run over the difference; `blink` changes which one, in place.
};

/// The timelines of two runs and of their difference, over one axis. Range, cursor, hidden bands
/// and single allocations are those of all of them; the bytes of both runs have one scale unless it
/// is freed. Keys while one of them has the focus: Space blinks.
class CompareLanes : public QWidget {
    Q_OBJECT
public:
    explicit CompareLanes(QWidget* parent = nullptr);

    /// Shows two runs; newer analyses of the same devices keep the place.
    void show(const ComparedRun& base, const ComparedRun& against);
    void clear();
    [[nodiscard]] bool isShowing() const
    {
        return m_base.hasDevice() && m_against.hasDevice();
    }
    /// Where matched moments of both runs coincide; it becomes what is shown, unless a person chose
    /// another axis for these runs.
    void setSharedAxis(const projection::SharedAxis& axis);
    /// Lines between the lanes, where passes of both runs begin, turn and end.
    [[nodiscard]] AlignBand& alignment()
    {
        return *m_alignment;
    }

    [[nodiscard]] bool canShare() const
    {
        return m_axis.a != nullptr;
    }
    /// Time only where both files have times.
    [[nodiscard]] bool canShowTime() const
    {
        return m_base.canShowTime() && m_against.canShowTime();
    }
    void setAxis(projection::Axis axis);

    void setLayoutOf(LaneLayout layout);
    [[nodiscard]] LaneLayout layoutOf() const
    {
        return m_layout;
    }
    /// Shows one run alone, and the other one in its place when asked again.
    void blink();
    /// Whether both runs have one scale of bytes.
    void setScaleLocked(bool locked);
    [[nodiscard]] bool isScaleLocked() const
    {
        return m_is_scale_locked;
    }
    /// Sets both cursors, the missing one at the same place, and makes them visible.
    void setCursors(std::optional<StateId> base, std::optional<StateId> against);

    [[nodiscard]] ViewState& baseState()
    {
        return m_base;
    }
    [[nodiscard]] ViewState& againstState()
    {
        return m_against;
    }
    /// Of the lane that has the keys, else of the base.
    [[nodiscard]] ViewState& focusedState();
    [[nodiscard]] TimelinePlot& basePlot()
    {
        return *m_base_plot;
    }
    [[nodiscard]] TimelinePlot& againstPlot()
    {
        return *m_against_plot;
    }
    [[nodiscard]] DeltaLane& delta()
    {
        return *m_delta;
    }

Q_SIGNALS:
    void layoutChanged();
    void axisChanged();
    void scaleLockChanged();
    /// The second run is to be shifted so that these lie beside each other.
    void shifted(StateId base, StateId against);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void link(ViewState& from, ViewState& to);
    void shareExtent();
    void shareTop();
    /// How high the bands of each run are, and what stands below them.
    struct Bands {
        int height = 0;
        TimelinePlot::Below base;
        TimelinePlot::Below against;
    };
    void showLanes();
    [[nodiscard]] Bands bandsFor(int room, bool is_stacked) const;
    void arrange();
    int arrangeRuns(const QRect& room, const Bands& bands);
    void place(RunEdge& edge, QWidget& lane, const QRect& rect);
    void refreshOutline();
    void refreshMinimap();
    void hoverAt(double coordinate);
    void clickAt(double coordinate);
    [[nodiscard]] int leftMargin() const;

    ViewState m_base;
    ViewState m_against;
    bool m_is_linking = false;
    bool m_is_scale_locked = true;
    projection::SharedAxis m_axis; ///< Null until it is known.
    bool m_has_chosen_axis = false; ///< A person did, for these runs.
    bool m_blinks_against = false;
    LaneLayout m_layout = LaneLayout::stacked;
    LegendBar* m_legend;
    RunEdge* m_base_edge;
    RunEdge* m_against_edge;
    RunEdge* m_delta_edge;
    TimelinePlot* m_base_plot;
    TimelinePlot* m_against_plot;
    DeltaLane* m_delta;
    AlignBand* m_alignment;
    std::optional<double> m_shift_from; ///< Coordinate at which Alt and a drag took the second run.
    Minimap* m_base_minimap; ///< One of them is shown, that of the run that reaches further.
    Minimap* m_against_minimap;
};

} // namespace tidemark::ui
