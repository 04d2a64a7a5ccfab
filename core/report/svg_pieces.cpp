// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/svg_pieces.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/projection/timeline_shapes.h"
#include "core/report/colours.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::report {
namespace {

constexpr double kWideLetter = 7.2; ///< Where one text follows another.

/// A line through the steps, closed along `under` from right to left.
std::string area(const SvgPlot& plot, std::span<const projection::OutlineStep> steps,
                 std::span<const projection::OutlineStep> under)
{
    const auto at = [&](std::size_t column) { return plot.left + static_cast<double>(column); };
    std::string path;
    for (const projection::OutlineStep& step : steps) {
        path += fmt::format("{}{} {:.1f}H{}", path.empty() ? "M" : "L", at(step.begin),
                            plot.y(static_cast<double>(step.bytes)), at(step.end));
    }
    for (std::size_t i = under.size(); i-- > 0;) {
        path += fmt::format("L{} {:.1f}H{}", at(under[i].end),
                            plot.y(static_cast<double>(under[i].bytes)), at(under[i].begin));
    }
    return path + "z";
}

} // namespace

std::string svgText(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view more)
{
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                       anchor, more, escapeHtml(text));
}

Interval<double> svgTextAt(double x, const std::string& text, Interval<double> room)
{
    const double half = kSvgLetter / 2 * static_cast<double>(characterCount(text));
    const double last = std::max(room.begin + half, room.end - half);
    const double centre = std::clamp(x, room.begin + half, last);
    return {centre - half, centre + half};
}

double niceStep(double least)
{
    const double power = std::pow(10.0, std::floor(std::log10(std::max(least, 1e-9))));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least * (1 - 1e-9)) {
            return factor * power;
        }
    }
    return 10 * power;
}

double SvgPlot::y(double bytes) const
{
    return bottom() - std::clamp(bytes / top_bytes, 0.0, 1.0) * height;
}

double SvgPlot::x(double coordinate, Interval<double> extent) const
{
    return left + (coordinate - extent.begin) / (extent.end - extent.begin) * width;
}

std::string svgBegin(int width, int height, std::string_view words)
{
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
        "aria-label=\"{}\" font-size=\"12\" fill=\"currentColor\">\n",
        width, height, escapeHtml(words));
}

std::string svgPatterns(std::string_view id)
{
    return fmt::format(
        "<defs><pattern id=\"{0}-cached\" width=\"6\" height=\"6\" "
        "patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" fill=\"#888888\" "
        "fill-opacity=\".2\"/></pattern><pattern id=\"{0}-pools\" width=\"5\" height=\"5\" "
        "patternUnits=\"userSpaceOnUse\"><rect width=\"5\" height=\"5\" fill=\"#888888\" "
        "fill-opacity=\".2\"/><circle cx=\"2\" cy=\"2\" r=\"1\" fill=\"#888888\" "
        "fill-opacity=\".6\"/></pattern></defs>\n",
        id);
}

SvgUnit svgUnitOf(double bytes)
{
    const OneUnit unit(Bytes{std::llround(bytes)});
    return {static_cast<double>(unit.size().value), unit.name()};
}

std::string svgByteScale(const SvgPlot& plot, int count)
{
    const SvgUnit unit = svgUnitOf(plot.top_bytes);
    const double step = niceStep(plot.top_bytes / unit.bytes / count);
    std::string out;
    for (double value = 0; value * unit.bytes <= plot.top_bytes; value += step) {
        const double y = plot.y(value * unit.bytes);
        out += fmt::format("<path d=\"M{} {:.1f}h{}\" stroke=\"currentColor\" "
                           "stroke-opacity=\".15\"/>\n",
                           plot.left, y, plot.width);
        out += svgText(plot.left - 6, y + 4, "end", say("{:g} {}", value, unit.name));
    }
    return out;
}

std::string svgBands(const SvgPlot& plot, std::span<const projection::TimelineColumn> columns,
                     std::string_view id)
{
    std::string out;
    const auto total =
        projection::outline(columns, [](const projection::TimelineColumn& c) { return c.total; });
    const auto pools = projection::outline(columns, projection::privateTop);
    const auto cached = projection::outline(columns, projection::cachedTop);
    if (cached != pools) {
        out += fmt::format("<path fill=\"url(#{}-cached)\" d=\"{}\"><title>{}</title></path>\n", id,
                           area(plot, cached, pools), translated("Cached"));
    }
    if (pools != total) {
        out += fmt::format("<path fill=\"url(#{}-pools)\" d=\"{}\"><title>{}</title></path>\n", id,
                           area(plot, pools, total), translated("Free in private pools"));
    }
    const std::array<projection::OutlineStep, 1> floor{{{0, columns.size(), 0}}};
    for (const projection::BandOutline& band :
         projection::bandOutlines(columns, (1U << label::kBucketCount) - 1)) {
        const label::Bucket bucket = label::bucketAt(band.band);
        out += fmt::format("<path fill=\"{}\" d=\"{}\"><title>{}</title></path>\n",
                           bucketColour(bucket), area(plot, band.top, floor),
                           label::bucketName(bucket));
    }
    return out;
}

std::string svgReserved(const SvgPlot& plot, std::span<const projection::TimelineColumn> columns)
{
    std::string path;
    bool is_drawing = false;
    for (const projection::OutlineStep& step : projection::outline(
             columns, [](const projection::TimelineColumn& c) { return c.reserved; })) {
        if (step.bytes > 0) {
            path += fmt::format("{}{} {:.1f}H{}", is_drawing ? "L" : "M",
                                plot.left + static_cast<double>(step.begin),
                                plot.y(static_cast<double>(step.bytes)),
                                plot.left + static_cast<double>(step.end));
        }
        is_drawing = step.bytes > 0;
    }
    if (path.empty()) {
        return {};
    }
    return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" "
                       "stroke-dasharray=\"5 3\"><title>{}</title></path>\n",
                       path, translated("Reserved"));
}

std::string svgCapacity(const SvgPlot& plot, const diagnose::DeviceDiagnosis& diagnosis,
                        std::span<const Interval<double>> taken)
{
    const std::optional<Bytes>& capacity = diagnosis.capacity;
    if (!capacity || static_cast<double>(capacity->value) > plot.top_bytes) {
        return {};
    }
    constexpr double kMargin = 3;
    const double y = plot.y(static_cast<double>(capacity->value));
    const std::string text = say("capacity {}", Between{*capacity, diagnosis.mostCapacity()});
    const double width = kSvgLetter * static_cast<double>(characterCount(text));
    const double left = plot.left + 4;
    const std::array places{left, plot.left + plot.width - 4 - width,
                            plot.left + (plot.width - width) / 2};
    const auto free = std::ranges::find_if(places, [&](double begin) {
        return std::ranges::none_of(taken, [&](Interval<double> one) {
            return one.end > begin - kMargin && one.begin < begin + width + kMargin;
        });
    });
    return fmt::format("<path d=\"M{} {:.1f}h{}\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                       plot.left, y, plot.width, alarmColour())
        + svgText(free == places.end() ? left : *free, y - 4, "start", text, alarmText());
}

std::string svgPhases(const SvgPlot& plot, double top, double height,
                      const label::DeviceLabels& labels, const projection::AxisMap& axis,
                      Interval<double> extent)
{
    constexpr std::size_t kColumnsPerUnit = 2;
    constexpr double kColumn = 1.0 / kColumnsPerUnit;
    std::string out;
    for (const projection::PhaseInterval& run : projection::phaseIntervals(
             labels, axis, extent, static_cast<std::size_t>(plot.width) * kColumnsPerUnit)) {
        out += fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" "
                           "fill=\"{}\"><title>{}</title></rect>\n",
                           plot.left + static_cast<double>(run.begin) * kColumn, top,
                           static_cast<double>(run.end - run.begin) * kColumn, height,
                           phaseColour(run.phase), label::phaseName(run.phase));
    }
    return out;
}

void SvgLegend::add(std::string_view fill, std::string_view name)
{
    const double width = 24 + kWideLetter * static_cast<double>(characterCount(name));
    if (m_x + width > m_room.end) {
        endLine();
    }
    m_out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" "
                         "fill=\"{}\"/>\n",
                         m_x, m_y - 9, fill);
    m_out += svgText(m_x + 14, m_y, "start", name);
    m_x += width;
}

void SvgLegend::endLine()
{
    m_x = m_room.begin;
    m_y += 18;
}

void SvgLegend::addBuckets(const label::BucketBytes& largest)
{
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        if (largest[b] > 0) {
            add(bucketColour(label::bucketAt(b)), label::bucketName(label::bucketAt(b)));
        }
    }
}

void SvgLegend::addPhases(std::span<const label::PhaseSpan> phases)
{
    std::array<bool, label::kPhaseCount> has_phase{};
    for (const label::PhaseSpan& span : phases) {
        has_phase[static_cast<std::size_t>(span.phase)] = true;
    }
    for (std::size_t p = 0; p < label::kPhaseCount; ++p) {
        const auto phase = static_cast<label::Phase>(p);
        if (has_phase[p] && phase != label::Phase::other) {
            add(phaseColour(phase), label::phaseName(phase));
        }
    }
}

} // namespace tidemark::report
