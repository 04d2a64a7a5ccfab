// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/allocation_layers.h"
#include "core/projection/timeline.h"
#include "ui/models/selection.h"
#include "ui/models/view_state.h"
#include "ui/views/timeline/layers_refiner.h"
#include "ui/views/timeline/timeline_marks.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtCore/QRect>
#include <QtGui/QImage>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tidemark::ui {

/// What the layers of one timeline paint from: a projection, its image, marks and the predicted
/// curve, computed again only when range, size or data change and shared by all layers. A picture
/// of very many allocations is a coarse one first and a fine one within moments.
class TimelineScene {
public:
    /// Live allocations that a first picture visits: about a hundredth of a second.
    static constexpr std::int64_t kFirstVisits = 12'000'000;
    /// `state` outlives the scene.
    explicit TimelineScene(const ViewState& state, std::int64_t first_visits = kFirstVisits);

    /// Another device, analysis, axis, style or set of visible bands.
    void invalidate();
    /// Another device: until the next `prepare` there is nothing to point at, for its states and
    /// allocations would be those of the device before.
    void forget();
    void setStyle(const TimelineStyle& style);
    [[nodiscard]] const TimelineStyle& style() const
    {
        return m_style;
    }

    /// The total of another run in every one of that many columns of a range.
    using Outline = std::function<std::vector<std::int64_t>(Interval<double> range, int columns)>;
    /// Draws it as a line over the bands, where a prediction would be; null for none.
    void setOutline(Outline outline, const QColor& colour);
    /// Of the line over the bands: a prediction's, or an outline's.
    [[nodiscard]] QColor ghostColour() const
    {
        return m_outline ? m_outline_colour : m_style.colours.text;
    }

    /// Called when a fine picture has taken the place of a coarse one.
    void onRefined(std::function<void()> call);

    enum class Detail : std::uint8_t { fine, coarse_first };
    /// Brings everything up to date for a rectangle; cheap when nothing changed. Requires a device.
    /// `bytes`: at the lower and the upper edge.
    void prepare(const QRect& rect, Interval<double> range, Interval<double> bytes,
                 double pixel_ratio, Detail detail = Detail::fine);
    // All below: as of the last `prepare`.
    [[nodiscard]] const TimelineScale& scale() const
    {
        return m_scale;
    }
    [[nodiscard]] const projection::TimelineProjection& projection() const
    {
        return m_projection;
    }
    [[nodiscard]] bool showsAllocations() const
    {
        return m_key.mode == TimelineMode::allocations;
    }
    /// Of the same columns; empty unless allocations are shown.
    [[nodiscard]] const projection::AllocationLayers& layers() const
    {
        return m_layers;
    }
    /// What is selected in the same columns; empty: nothing.
    [[nodiscard]] const std::vector<projection::SelectedColumn>& selected() const
    {
        return m_selected;
    }
    /// The same as allocations; null: nothing.
    [[nodiscard]] const Selection* selection() const
    {
        return m_key.selection.get();
    }
    [[nodiscard]] const TimelineMarks& marks() const
    {
        return m_marks;
    }
    /// Largest predicted total per column, or that of the outline; empty without both.
    [[nodiscard]] const std::vector<std::int64_t>& ghost() const
    {
        return m_ghost;
    }
    /// Largest simulated reserved bytes per column, as far as they are known; empty without a
    /// simulation.
    [[nodiscard]] const std::vector<std::int64_t>& simulated() const
    {
        return m_simulated;
    }
    /// The bands, or the allocations, in device pixels.
    [[nodiscard]] const QImage& bands();

    /// Bytes at the upper edge that suit a range: of the whole trace, or of what is in view.
    [[nodiscard]] double naturalTop(Interval<double> range) const;
    /// The column under a horizontal position, null outside of the trace.
    [[nodiscard]] const projection::TimelineColumn* columnAt(double x) const;
    /// The allocation at a place, however thin it is. O(live).
    [[nodiscard]] std::optional<projection::LayerHit> allocationAt(double x,
                                                                   std::int64_t bytes) const;
    /// Whether a finer picture is to follow.
    [[nodiscard]] bool isRefining() const;

private:
    struct Key {
        QRect rect;
        Interval<double> range;
        Interval<double> bytes;
        double pixel_ratio = 0;
        std::uint64_t revision = 0;
        TimelineMode mode = TimelineMode::bands;
        AllocationId selected; ///< Only where it shows.
        std::shared_ptr<const Selection> selection;
        Detail detail = Detail::fine;
        friend bool operator==(const Key&, const Key&) = default;
    };
    /// The largest value of each column up to a state.
    [[nodiscard]] std::vector<std::int64_t> columnsOf(const std::vector<std::int64_t>& values,
                                                      const MaxPyramid& pyramid,
                                                      StateId until) const;
    void projectCurves();
    [[nodiscard]] int imageHeight() const;
    void projectLayers();

    const ViewState& m_state;
    std::int64_t m_first_visits;
    TimelineStyle m_style;
    std::uint64_t m_revision = 1;
    Key m_key;
    TimelineScale m_scale;
    projection::TimelineProjection m_projection;
    projection::AllocationLayers m_layers;
    std::vector<projection::SelectedColumn> m_selected;
    std::unique_ptr<LayersRefiner> m_refiner;
    std::function<void()> m_on_refined;
    Outline m_outline;
    QColor m_outline_colour;
    TimelineMarks m_marks;
    std::vector<std::int64_t> m_ghost;
    std::vector<std::int64_t> m_simulated;
    QImage m_bands;
    bool m_bands_are_current = false;
};

} // namespace tidemark::ui
