// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/base/units.h"
#include "core/diagnose/diagnosis.h"
#include "core/label/labels.h"
#include "core/projection/timeline.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::report {

// The pieces that drawings in SVG are put together from. All coordinates are units of the drawing;
// a column of a projection is one unit wide, so that outlines need no fractions.

constexpr int kSvgWidth = 960; ///< Of a drawing.
constexpr double kSvgLetter = 6.7; ///< Width of a letter, on average.

std::string svgText(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view more = "");
/// What a text covers that stands around `x`, kept inside `room`.
Interval<double> svgTextAt(double x, const std::string& text, Interval<double> room);
/// In which bytes are written.
struct SvgUnit {
    double bytes = 1;
    std::string_view name;
};
SvgUnit svgUnitOf(double bytes);
/// 1, 2 or 5 times a power of ten, at least `least`.
double niceStep(double least);

/// Where the bands of one run lie, and how many bytes are as high as they are.
struct SvgPlot {
    double left = 0;
    double top = 0;
    int width = 0; ///< Also the number of columns.
    double height = 0;
    double top_bytes = 1;

    [[nodiscard]] double bottom() const
    {
        return top + height;
    }
    [[nodiscard]] double y(double bytes) const;
    /// In a projection of `extent`.
    [[nodiscard]] double x(double coordinate, Interval<double> extent) const;
};

/// How a drawing begins, up to its size; `words` say what it shows to those who cannot see it.
std::string svgBegin(int width, int height, std::string_view words);
/// The tint and the dots that `svgBands` fills with; `id` keeps apart those of several drawings on
/// a page.
std::string svgPatterns(std::string_view id);
/// Lines and bytes at their left, about `count` of them.
std::string svgByteScale(const SvgPlot& plot, int count);
/// Bands of buckets, what is cached above them, and the dashed line of reserved memory.
std::string svgBands(const SvgPlot& plot, std::span<const projection::TimelineColumn> columns,
                     std::string_view id);
std::string svgReserved(const SvgPlot& plot, std::span<const projection::TimelineColumn> columns);
/// A line at the capacity, and its figure above it where it meets nothing of `taken`: left, else
/// right, else in the middle. Nothing where the plot does not reach it.
std::string svgCapacity(const SvgPlot& plot, const diagnose::DeviceDiagnosis& diagnosis,
                        std::span<const Interval<double>> taken);
/// A strip below the bands.
std::string svgPhases(const SvgPlot& plot, double top, double height,
                      const label::DeviceLabels& labels, const projection::AxisMap& axis,
                      Interval<double> extent);

/// Squares with their names in lines of `room`, from (`room.begin`, `y`) down.
class SvgLegend {
public:
    SvgLegend(Interval<double> room, double y)
        : m_room(room)
        , m_x(room.begin)
        , m_y(y)
    {
    }
    void add(std::string_view fill, std::string_view name);
    /// Those that hold something.
    void addBuckets(const label::BucketBytes& largest);
    void addPhases(std::span<const label::PhaseSpan> phases);
    void endLine();
    [[nodiscard]] const std::string& svg() const
    {
        return m_out;
    }

private:
    Interval<double> m_room;
    double m_x;
    double m_y;
    std::string m_out;
};

} // namespace tidemark::report
