// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/svg_lanes.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/projection/delta.h"
#include "core/projection/shared_axis.h"
#include "core/report/colours.h"
#include "core/report/svg_pieces.h"
#include "core/report/svg_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::report {
namespace {

using diagnose::Analysis;
using projection::DeltaColumn;

//        ┌ peak ────────────────┐
//     A  │ bands, reserved      │
//        ├ phases ──────────────┤    one axis: the same place of both runs
//     B  │ bands, reserved      │    is at the same x
//        ├ phases ──────────────┤
//     Δ  │ B − A by bucket      │    a scale of its own, 0 inside
//        └──────────────────────┘
//        legend

constexpr int kEdge = 18; ///< The letter's column.
constexpr double kLanesLeft = 96;
constexpr int kLanesWidth = 856;
constexpr double kAbove = 30; ///< For the labels of peak and OOM.
constexpr double kBands = 150;
constexpr double kDelta = 110;
constexpr double kPhaseGap = 4;
constexpr double kLanePhases = 10;
constexpr double kBetween = 6;
constexpr double kLane = kAbove + kBands + kPhaseGap + kLanePhases + kBetween;
constexpr double kDeltaTop = 2 * kLane + 8;
constexpr double kLegend = kDeltaTop + kDelta + 26;
constexpr int kLanesHeight = static_cast<int>(kLegend) + 46;
constexpr std::uint32_t kAllBuckets = (1U << label::kBucketCount) - 1;

struct Lane {
    const Analysis& analysis;
    std::size_t device;
    projection::AxisMap axis;
    projection::TimelineProjection projection;

    [[nodiscard]] const replay::DeviceReplay& replay() const
    {
        return analysis.replay->devices[device];
    }
    [[nodiscard]] const label::DeviceLabels& labels() const
    {
        return analysis.labels->devices[device];
    }
};

Lane laneOf(const Analysis& analysis, std::size_t device,
            std::shared_ptr<const projection::AxisKnots> knots, Interval<double> extent)
{
    projection::AxisMap axis(analysis.snapshot->devices[device], std::move(knots));
    projection::TimelineProjection columns =
        projectTimeline(analysis.curves->devices[device], axis, extent, kLanesWidth);
    return {analysis, device, std::move(axis), std::move(columns)};
}

class DeltaDrawing {
public:
    explicit DeltaDrawing(std::vector<DeltaColumn> columns)
        : m_columns(std::move(columns))
        , m_sides(projection::sidesFor(projection::heights(m_columns, kAllBuckets)))
    {
    }

    [[nodiscard]] std::string svg() const
    {
        return scale() + side(true) + side(false) + net();
    }

private:
    [[nodiscard]] double y(double bytes) const
    {
        return kDeltaTop + (m_sides.above - bytes) / (m_sides.above + m_sides.below) * kDelta;
    }
    [[nodiscard]] std::string scale() const;
    [[nodiscard]] std::string side(bool is_above) const;
    [[nodiscard]] std::string net() const;
    /// The staircase of a value over columns [begin, end).
    template <class ValueOf>
    [[nodiscard]] std::string stairs(std::size_t begin, std::size_t end, ValueOf value) const
    {
        std::string path;
        while (begin < end) {
            const std::int64_t here = value(m_columns[begin]);
            std::size_t next = begin + 1;
            while (next < end && value(m_columns[next]) == here) {
                ++next;
            }
            path += fmt::format(
                "{}{} {:.1f}H{}", path.empty() ? "M" : "L", kLanesLeft + static_cast<double>(begin),
                y(static_cast<double>(here)), kLanesLeft + static_cast<double>(next));
            begin = next;
        }
        return path;
    }

    std::vector<DeltaColumn> m_columns;
    projection::DeltaSides m_sides;
};

std::string DeltaDrawing::scale() const
{
    constexpr double kTicks = 4;
    const SvgUnit unit = svgUnitOf(std::max(m_sides.above, m_sides.below));
    const double step = niceStep((m_sides.above + m_sides.below) / unit.bytes / kTicks);
    std::string out;
    const auto line = [&](double value) {
        out +=
            fmt::format("<path d=\"M{} {:.1f}h{}\" stroke=\"currentColor\" "
                        "stroke-opacity=\"{}\"/>\n",
                        kLanesLeft, y(value * unit.bytes), kLanesWidth, value == 0 ? ".6" : ".15");
        const std::string_view sign = value == 0 ? "" : value > 0 ? "+" : "−";
        out += svgText(kLanesLeft - 6, y(value * unit.bytes) + 4, "end",
                       fmt::format("{}{}", sign, say("{:g} {}", std::abs(value), unit.name)));
    };
    line(0);
    for (double value = step; value * unit.bytes <= m_sides.above; value += step) {
        line(value);
    }
    for (double value = step; value * unit.bytes <= m_sides.below; value += step) {
        line(-value);
    }
    return out;
}

/// From the outermost band to zero, each one down to the line: no seams between neighbours.
std::string DeltaDrawing::side(bool is_above) const
{
    std::string out;
    for (std::size_t band = label::kBucketCount; band-- > 0;) {
        const bool occurs = std::ranges::any_of(m_columns, [&](const DeltaColumn& column) {
            return is_above ? column.buckets[band] > 0 : column.buckets[band] < 0;
        });
        if (!occurs) {
            continue;
        }
        const label::Bucket bucket = label::bucketAt(band);
        out += fmt::format(
            "<path fill=\"{}\" d=\"{}L{} {:.1f}H{}z\"><title>{}</title></path>\n",
            bucketColour(bucket),
            stairs(0, m_columns.size(),
                   [&](const DeltaColumn& c) { return c.reach(band, is_above, kAllBuckets); }),
            kLanesLeft + kLanesWidth, y(0), kLanesLeft, label::bucketName(bucket));
    }
    return out;
}

/// A line through the sum, where both runs are there.
std::string DeltaDrawing::net() const
{
    std::string path;
    for (std::size_t i = 0; i < m_columns.size();) {
        std::size_t end = i;
        while (end < m_columns.size() && m_columns[end].in_both) {
            ++end;
        }
        path += stairs(i, end, [](const DeltaColumn& c) { return c.net(kAllBuckets); });
        i = end + 1;
    }
    return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"currentColor\"/>\n", path);
}

class LanesDrawing {
public:
    LanesDrawing(Lane a, Lane b)
        : m_a(std::move(a))
        , m_b(std::move(b))
    {
        const Bytes top =
            std::max(timelineTop(m_a.analysis, m_a.device), timelineTop(m_b.analysis, m_b.device));
        m_top_bytes = std::max(1.0, 1.04 * static_cast<double>(top.value));
    }

    [[nodiscard]] std::string svg(const std::string& words,
                                  const std::array<std::string, 2>& letters) const
    {
        std::string out = svgBegin(kSvgWidth, kLanesHeight, words) + svgPatterns("lanes");
        out += lane(m_a, 0) + edge(letters[0], runColour(0), kAbove, kLane - kBetween);
        out +=
            lane(m_b, kLane) + edge(letters[1], runColour(1), kLane + kAbove, 2 * kLane - kBetween);
        out += DeltaDrawing(projection::deltaColumns(m_a.projection, m_b.projection)).svg();
        out += edge("Δ", "#6B7078", kDeltaTop, kDeltaTop + kDelta);
        return out + legend() + "</svg>\n";
    }

private:
    [[nodiscard]] std::string lane(const Lane& lane, double top) const;
    [[nodiscard]] std::string legend() const;
    [[nodiscard]] static std::string edge(std::string_view letter, std::string_view colour,
                                          double top, double bottom);

    Lane m_a;
    Lane m_b;
    double m_top_bytes = 1;
};

std::string LanesDrawing::edge(std::string_view letter, std::string_view colour, double top,
                               double bottom)
{
    return fmt::format("<rect x=\"0\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" rx=\"3\" "
                       "fill=\"{}\"/>\n",
                       top, kEdge, bottom - top, colour)
        + svgText(kEdge / 2.0, (top + bottom) / 2 + 4, "middle", letter,
                  "fill=\"#ffffff\" font-weight=\"bold\"");
}

std::string LanesDrawing::lane(const Lane& lane, double top) const
{
    const SvgPlot plot{kLanesLeft, top + kAbove, kLanesWidth, kBands, m_top_bytes};
    const Interval<double> extent = lane.projection.range;
    const Interval<double> room{kLanesLeft, kLanesLeft + kLanesWidth};
    std::string out = svgByteScale(plot, 4);
    out += svgBands(plot, lane.projection.columns, "lanes");
    out += svgReserved(plot, lane.projection.columns);
    out +=
        svgPhases(plot, plot.bottom() + kPhaseGap, kLanePhases, lane.labels(), lane.axis, extent);
    std::vector<Interval<double>> taken; // near the top, where the capacity's figure goes
    for (const EventId oom : lane.replay().ooms) {
        const double x = plot.x(lane.axis.toX(StateId::before(oom)), extent);
        out += fmt::format("<path d=\"M{:.1f} {}V{}\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", x,
                           plot.top - 4, plot.bottom(), alarmColour());
        taken.push_back({x, x});
    }
    if (!lane.replay().ooms.empty()) {
        const double x = plot.x(lane.axis.toX(StateId::before(lane.replay().ooms.back())), extent);
        const std::string text = say("out of memory");
        const Interval<double> place = svgTextAt(x, text, room);
        out += svgText((place.begin + place.end) / 2, plot.top - 6, "middle", text, alarmText());
        taken.push_back(place);
    }
    const Bytes peak = lane.replay().activeAt(lane.replay().peak);
    const double x = plot.x(lane.axis.toX(lane.replay().peak), extent);
    const std::string text = say("peak {}", peak);
    const Interval<double> place = svgTextAt(x, text, room);
    out +=
        fmt::format("<path d=\"M{0:.1f} {1}V{2:.1f}\" stroke=\"currentColor\" "
                    "stroke-dasharray=\"1 2\"/><circle cx=\"{0:.1f}\" cy=\"{2:.1f}\" r=\"3\"/>\n",
                    x, plot.top - 14, plot.y(static_cast<double>(peak.value)));
    out += svgText((place.begin + place.end) / 2, plot.top - 18, "middle", text);
    taken.push_back({x, x});
    return out + svgCapacity(plot, lane.analysis.diagnosis->devices[lane.device], taken);
}

std::string LanesDrawing::legend() const
{
    label::BucketBytes largest{};
    for (const Lane* lane : {&m_a, &m_b}) {
        for (std::size_t i = 0; i < label::kBucketCount; ++i) {
            const curves::DeviceCurves& curves = lane->analysis.curves->devices[lane->device];
            largest[i] = std::max(largest[i], curves.largestOf(label::bucketAt(i)));
        }
    }
    SvgLegend legend({kLanesLeft, kLanesLeft + kLanesWidth}, kLegend);
    legend.addBuckets(largest);
    legend.add("url(#lanes-cached)", say("Cached, up to the reserved line"));
    legend.endLine(); // Phases begin a line of their own.
    std::vector<label::PhaseSpan> phases = m_a.labels().phases;
    phases.insert(phases.end(), m_b.labels().phases.begin(), m_b.labels().phases.end());
    legend.addPhases(phases);
    return legend.svg();
}

} // namespace

std::string lanesSvg(const Analysis& a, const Analysis& b, const compare::Difference& difference,
                     const std::array<std::string, 2>& letters)
{
    const std::size_t device_a = difference.headline.device_a;
    const std::size_t device_b = difference.headline.device_b;
    std::vector<std::pair<StateId, StateId>> matched;
    for (const compare::MatchedMoment& moment : difference.moments) {
        matched.emplace_back(moment.a, moment.b);
    }
    const projection::SharedAxis shared = projection::shareAxis(
        matched, a.replay->devices[device_a].lastState(), b.replay->devices[device_b].lastState());
    const auto extent = [](const Analysis& run, std::size_t device, const auto& knots) {
        return projection::AxisMap(run.snapshot->devices[device], knots).extent();
    };
    const Interval<double> of_a = extent(a, device_a, shared.a);
    const Interval<double> of_b = extent(b, device_b, shared.b);
    const Interval<double> both{std::min(of_a.begin, of_b.begin), std::max(of_a.end, of_b.end)};
    return LanesDrawing(laneOf(a, device_a, shared.a, both), laneOf(b, device_b, shared.b, both))
        .svg(lanesSentence(a, b, difference, letters), letters);
}

std::string lanesSentence(const Analysis& a, const Analysis& b,
                          const compare::Difference& difference,
                          const std::array<std::string, 2>& letters)
{
    return fmt::format("{} · {} {} · {}", letters[0],
                       timelineSentence(a, difference.headline.device_a), letters[1],
                       timelineSentence(b, difference.headline.device_b));
}

} // namespace tidemark::report
