// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/pipeline/bookmarks.h"
#include "core/projection/timeline.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtCore/QString>

#include <optional>
#include <span>
#include <vector>

namespace tidemark::ui {

/// The largest total of the trace, and where it lies on the axis.
struct PeakMark {
    double x = 0;
    StateId state;
    Bytes value;
    bool is_dump = false; ///< The only state: no history was recorded.
};

/// A request that failed.
struct OomMark {
    double x = 0; ///< Of the state before the event.
    EventId event;
    Bytes requested;
    std::optional<Bytes> device_free;
    QString phase{}; ///< It happened in; empty: unknown.
};

/// The largest total that a change would lead to.
struct GhostMark {
    double x = 0;
    Bytes value;
};

/// The most that a simulation reserves.
struct SimulatedMark {
    double x = 0;
    Bytes value;
    QString settings;
};

/// A moment that a person marked.
struct FlagMark {
    double x = 0;
    QString words; ///< The note, in one line; may be empty.
};

/// What is marked in the picture of one device.
struct TimelineMarks {
    std::optional<Bytes> capacity; ///< Known once the diagnosis is there.
    Bytes capacity_unsure{}; ///< How much more it may be.
    std::optional<PeakMark> peak; ///< None where nothing was ever allocated.
    std::vector<OomMark> ooms;
    std::optional<GhostMark> ghost; ///< While a predicted curve is drawn.
    std::optional<SimulatedMark> simulated; ///< While a simulated curve is drawn.
    std::vector<FlagMark> flags{};
};

/// Requires the replay. O(OOM events).
[[nodiscard]] TimelineMarks timelineMarks(const diagnose::Analysis& analysis, std::size_t device,
                                          const projection::AxisMap& axis);

/// Flags for the bookmarks of a device, in their order, each with its note in one line. Those of
/// other devices are left out.
[[nodiscard]] std::vector<FlagMark> flagMarks(std::span<const pipeline::Bookmark> bookmarks,
                                              std::size_t device, const projection::AxisMap& axis);

/// "requested 0.61 GiB · free 0.21 GiB": of the last of several, in the unit of an axis that ends
/// at `top`.
[[nodiscard]] QString oomWords(const OomMark& oom, std::size_t times, Bytes top);

/// Bytes at the upper edge that leave room for the marks: above everything drawn, and above the
/// capacity unless that lies so far up that the bands would shrink to nothing.
[[nodiscard]] double topBytes(const projection::TimelineHeights& heights,
                              const TimelineMarks& marks);

/// Capacity line, peak and OOM events with their labels and that of the reserved line. Labels never
/// cover each other and are never cut off: they move, or drop out.
void paintMarks(QPainter& painter, const TimelineScale& scale,
                const projection::TimelineProjection& projection, const TimelineMarks& marks,
                const TimelineStyle& style);

} // namespace tidemark::ui
