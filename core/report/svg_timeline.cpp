// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/svg_timeline.h"

#include "core/base/format.h"
#include "core/base/interval.h"
#include "core/base/language.h"
#include "core/projection/timeline.h"
#include "core/projection/timeline_shapes.h"
#include "core/report/colours.h"
#include "core/report/selection.h"
#include "core/report/summary_facts.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

constexpr int kWidth = 960;
constexpr int kHeight = 420;
constexpr int kLeft = 76;
constexpr int kPlotWidth = 868;
constexpr int kTop = 44;
constexpr int kPlotHeight = 270;
constexpr int kBottom = kTop + kPlotHeight;
constexpr int kPhaseTop = kBottom + 4;
constexpr int kPhaseHeight = 10;
constexpr double kLetterWidth = 6.7;
constexpr double kWideLetter = 7.2; ///< Where one text follows another.
constexpr int kPeakLabel = kTop - 28; ///< Base lines of the labels above the plot.
constexpr int kOomLabel = kTop - 12;

std::string svgText(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view more = "")
{
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                       anchor, more, escapeHtml(text));
}

/// 1, 2 or 5 times a power of ten, at least `least`.
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

class Drawing {
public:
    Drawing(const Analysis& analysis, std::size_t device, std::string_view id, Bytes top)
        : m_analysis(analysis)
        , m_device(device)
        , m_id(id)
        , m_replay(analysis.replay->devices[device])
        , m_labels(analysis.labels->devices[device])
        , m_axis(analysis.snapshot->devices[device], projection::Axis::event)
        , m_columns(projection::projectTimeline(analysis.curves->devices[device], m_axis,
                                                m_axis.extent(), kPlotWidth)
                        .columns)
        , m_top(std::max<double>(1.0, 1.04 * static_cast<double>(top.value)))
    {
    }

    std::string svg()
    {
        m_out = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
            "aria-label=\"{}\" font-size=\"12\" fill=\"currentColor\">\n",
            kWidth, kHeight, escapeHtml(timelineSentence(m_analysis, m_device)));
        m_out += fmt::format(
            "<defs><pattern id=\"{0}-cached\" width=\"6\" height=\"6\" "
            "patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"6\" fill=\"#888888\" "
            "fill-opacity=\".35\"/></pattern><pattern id=\"{0}-pools\" width=\"5\" height=\"5\" "
            "patternUnits=\"userSpaceOnUse\"><circle cx=\"2\" cy=\"2\" r=\"1\" fill=\"#888888\" "
            "fill-opacity=\".6\"/></pattern></defs>\n",
            m_id);
        drawName();
        drawScale();
        drawBands();
        drawReserved();
        drawCapacity();
        drawPhases();
        drawOoms();
        drawPeak();
        drawLegend();
        return std::move(m_out) + "</svg>\n";
    }

private:
    [[nodiscard]] double toY(double bytes) const
    {
        return kBottom - std::clamp(bytes / m_top, 0.0, 1.0) * kPlotHeight;
    }
    [[nodiscard]] double toX(StateId state) const
    {
        const auto extent = m_axis.extent();
        return kLeft
            + (m_axis.toX(state) - extent.begin) / (extent.end - extent.begin) * kPlotWidth;
    }
    /// What a text covers that stands above a place in the plot, kept inside the drawing.
    [[nodiscard]] static Interval<double> labelAt(double x, const std::string& text)
    {
        const double half = kLetterWidth / 2 * static_cast<double>(characterCount(text));
        const double centre = std::clamp(x, kLeft + half, kLeft + kPlotWidth - half);
        return {centre - half, centre + half};
    }
    void label(double x, double y, const std::string& text, std::string_view colour)
    {
        const Interval<double> place = labelAt(x, text);
        m_out += svgText((place.begin + place.end) / 2, y, "middle", text,
                         fmt::format("fill=\"{}\"", colour));
    }
    /// Whether the line of the peak or of an OOM event goes through this stretch.
    [[nodiscard]] bool isCrossed(Interval<double> place) const
    {
        constexpr double kMargin = 3;
        const auto crosses = [&](double x) {
            return x > place.begin - kMargin && x < place.end + kMargin;
        };
        return crosses(toX(m_replay.peak)) || std::ranges::any_of(m_replay.ooms, [&](EventId oom) {
                   return crosses(toX(StateId::before(oom)));
               });
    }
    [[nodiscard]] std::string oomText() const;

    [[nodiscard]] std::string area(std::span<const projection::OutlineStep> steps,
                                   std::span<const projection::OutlineStep> under) const;
    void drawName();
    void drawScale();
    void drawBands();
    void drawReserved();
    void drawCapacity();
    void drawPhases();
    void drawOoms();
    void drawPeak();
    void drawLegend();

    const Analysis& m_analysis;
    std::size_t m_device;
    std::string m_id;
    const replay::DeviceReplay& m_replay;
    const label::DeviceLabels& m_labels;
    projection::AxisMap m_axis;
    std::vector<projection::TimelineColumn> m_columns;
    double m_top;
    std::string m_out;
};

/// Which device it is, where that is a question.
void Drawing::drawName()
{
    const auto& devices = m_analysis.snapshot->devices;
    const auto used = std::ranges::count_if(
        devices, [](const trace::Device& device) { return !device.isEmpty(); });
    if (used > 1) {
        m_out +=
            svgText(4, kPeakLabel, "start", deviceName(devices[m_device]), "font-weight=\"bold\"");
    }
}

void Drawing::drawScale()
{
    struct Unit {
        Bytes size;
        const char* name;
    };
    static constexpr std::array<Unit, 4> kUnits{
        {{kGiB, "GiB"}, {kMiB, "MiB"}, {kKiB, "KiB"}, {{1}, "B"}}};
    const Unit* unit = std::ranges::find_if(
        kUnits, [this](const Unit& u) { return m_top >= static_cast<double>(u.size.value); });
    const double unit_bytes = static_cast<double>(unit->size.value);
    const double step = niceStep(m_top / unit_bytes / 6);
    for (double value = 0; value * unit_bytes <= m_top; value += step) {
        const double y = toY(value * unit_bytes);
        m_out += fmt::format("<path d=\"M{} {:.1f}h{}\" stroke=\"currentColor\" "
                             "stroke-opacity=\".15\"/>\n",
                             kLeft, y, kPlotWidth);
        m_out += svgText(kLeft - 6, y + 4, "end", say("{:g} {}", value, unit->name));
    }
    const double events = m_axis.extent().end;
    const double event_step = std::max(1.0, niceStep(events / 8));
    for (double event = 0; event <= events; event += event_step) {
        const double x = kLeft + event / events * kPlotWidth;
        m_out += svgText(x, kPhaseTop + kPhaseHeight + 15, event <= 0 ? "start" : "middle",
                         formatCount(std::llround(event)));
    }
    m_out += svgText(kLeft - 6, kPhaseTop + kPhaseHeight + 15, "end", "event");
}

/// A line through the steps, closed along `under` from right to left.
std::string Drawing::area(std::span<const projection::OutlineStep> steps,
                          std::span<const projection::OutlineStep> under) const
{
    std::string path;
    for (const projection::OutlineStep& step : steps) {
        path += fmt::format("{}{} {:.1f}H{}", path.empty() ? "M" : "L", kLeft + step.begin,
                            toY(static_cast<double>(step.bytes)), kLeft + step.end);
    }
    for (std::size_t i = under.size(); i-- > 0;) {
        path += fmt::format("L{} {:.1f}H{}", kLeft + under[i].end,
                            toY(static_cast<double>(under[i].bytes)), kLeft + under[i].begin);
    }
    return path + "z";
}

void Drawing::drawBands()
{
    using Column = projection::TimelineColumn;
    const auto total = projection::outline(m_columns, [](const Column& c) { return c.total; });
    const auto pools = projection::outline(m_columns, projection::privateTop);
    const auto cached = projection::outline(m_columns, projection::cachedTop);
    if (cached != pools) {
        m_out += fmt::format("<path fill=\"url(#{}-cached)\" d=\"{}\"><title>{}</title></path>\n",
                             m_id, area(cached, pools), translated("Cached"));
    }
    if (pools != total) {
        m_out += fmt::format("<path fill=\"url(#{}-pools)\" d=\"{}\"><title>{}</title></path>\n",
                             m_id, area(pools, total), translated("Free in private pools"));
    }
    const std::array<projection::OutlineStep, 1> floor{{{0, m_columns.size(), 0}}};
    for (const projection::BandOutline& band :
         projection::bandOutlines(m_columns, (1U << label::kBucketCount) - 1)) {
        const label::Bucket bucket = label::bucketAt(band.band);
        m_out +=
            fmt::format("<path fill=\"{}\" d=\"{}\"><title>{}</title></path>\n",
                        bucketColour(bucket), area(band.top, floor), label::bucketName(bucket));
    }
}

void Drawing::drawReserved()
{
    std::string path;
    bool is_drawing = false;
    for (const projection::OutlineStep& step : projection::outline(
             m_columns, [](const projection::TimelineColumn& c) { return c.reserved; })) {
        if (step.bytes > 0) {
            path += fmt::format("{}{} {:.1f}H{}", is_drawing ? "L" : "M", kLeft + step.begin,
                                toY(static_cast<double>(step.bytes)), kLeft + step.end);
        }
        is_drawing = step.bytes > 0;
    }
    if (!path.empty()) {
        m_out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" "
                             "stroke-dasharray=\"5 3\"><title>{}</title></path>\n",
                             path, translated("Reserved"));
    }
}

void Drawing::drawCapacity()
{
    const auto& capacity = m_analysis.diagnosis->devices[m_device].capacity;
    if (!capacity || static_cast<double>(capacity->value) > m_top) {
        return;
    }
    const double y = toY(static_cast<double>(capacity->value));
    m_out += fmt::format("<path d=\"M{} {:.1f}h{}\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", kLeft,
                         y, kPlotWidth, alarmColour());
    // Left, else right, else in the middle: where no line goes through it.
    const std::string text = say("capacity {}", formatBytes(*capacity));
    const double width = kLetterWidth * static_cast<double>(characterCount(text));
    double begin = kLeft + 4;
    for (const double x :
         {kLeft + 4.0, kLeft + kPlotWidth - 4 - width, kLeft + (kPlotWidth - width) / 2}) {
        if (!isCrossed({x, x + width})) {
            begin = x;
            break;
        }
    }
    m_out += svgText(begin, y - 4, "start", text, fmt::format("fill=\"{}\"", alarmColour()));
}

void Drawing::drawPhases()
{
    constexpr std::size_t kColumnsPerUnit = 2;
    constexpr double kColumn = 1.0 / kColumnsPerUnit;
    for (const projection::PhaseStretch& run : projection::phaseStretches(
             m_labels, m_axis, m_axis.extent(), kPlotWidth * kColumnsPerUnit)) {
        m_out += fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" "
                             "fill=\"{}\"><title>{}</title></rect>\n",
                             kLeft + static_cast<double>(run.begin) * kColumn, kPhaseTop,
                             static_cast<double>(run.end - run.begin) * kColumn, kPhaseHeight,
                             phaseColour(run.phase), label::phaseName(run.phase));
    }
}

void Drawing::drawOoms()
{
    if (m_replay.ooms.empty()) {
        return;
    }
    for (const EventId oom : m_replay.ooms) {
        m_out += fmt::format("<path d=\"M{:.1f} {}V{}\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                             toX(StateId::before(oom)), kTop - 8, kBottom, alarmColour());
    }
    label(toX(StateId::before(m_replay.ooms.back())), kOomLabel, oomText(), alarmColour());
}

/// Of the last one.
std::string Drawing::oomText() const
{
    const trace::Events& events = m_analysis.snapshot->devices[m_device].events;
    const EventId last = m_replay.ooms.back();
    return say("out of memory: {} asked, {} free", formatBytes(events.size[last.index()]),
               formatKnown(events.deviceFree(last)));
}

void Drawing::drawPeak()
{
    const Bytes peak = m_replay.activeAt(m_replay.peak);
    const double x = toX(m_replay.peak);
    const double y = toY(static_cast<double>(peak.value));
    // From below its own label, or below that of an OOM event where it would go through it.
    int from = kPeakLabel + 4;
    if (!m_replay.ooms.empty()) {
        const Interval<double> oom = labelAt(toX(StateId::before(m_replay.ooms.back())), oomText());
        from = x > oom.begin - 3 && x < oom.end + 3 ? kOomLabel + 4 : from;
    }
    m_out +=
        fmt::format("<path d=\"M{0:.1f} {1}V{2:.1f}\" stroke=\"currentColor\" "
                    "stroke-dasharray=\"1 2\"/><circle cx=\"{0:.1f}\" cy=\"{2:.1f}\" r=\"3\"/>\n",
                    x, from, y);
    label(x, kPeakLabel, say("peak {}", formatBytes(peak)), "currentColor");
}

void Drawing::drawLegend()
{
    double x = kLeft;
    double y = kPhaseTop + kPhaseHeight + 40;
    const auto entry = [&](std::string_view fill, std::string_view name) {
        const double width = 24 + kWideLetter * static_cast<double>(characterCount(name));
        if (x + width > kLeft + kPlotWidth) {
            x = kLeft;
            y += 18;
        }
        m_out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" "
                             "fill=\"{}\"/>\n",
                             x, y - 9, fill);
        m_out += svgText(x + 14, y, "start", name);
        x += width;
    };
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        const label::Bucket bucket = label::bucketAt(b);
        if (m_analysis.curves->devices[m_device].largestOf(bucket) > 0) {
            entry(bucketColour(bucket), label::bucketName(bucket));
        }
    }
    entry(fmt::format("url(#{}-cached)", m_id), say("Cached, up to the reserved line"));
    if (std::ranges::any_of(m_columns, [](const auto& c) { return c.private_cached > 0; })) {
        entry(fmt::format("url(#{}-pools)", m_id), say("Free in private pools"));
    }
    x = kLeft; // Phases begin a line of their own.
    y += 18;
    std::array<bool, label::kPhaseCount> has_phase{};
    for (const label::PhaseSpan& span : m_labels.phases) {
        has_phase[static_cast<std::size_t>(span.phase)] = true;
    }
    for (std::size_t p = 0; p < label::kPhaseCount; ++p) {
        const auto phase = static_cast<label::Phase>(p);
        if (has_phase[p] && phase != label::Phase::other) {
            entry(phaseColour(phase), label::phaseName(phase));
        }
    }
}

} // namespace

std::string timelineSvg(const Analysis& analysis, std::size_t device, std::string_view id,
                        Bytes least_top)
{
    return Drawing(analysis, device, id, std::max(least_top, timelineTop(analysis, device))).svg();
}

std::string timelineSentence(const Analysis& analysis, std::size_t device)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    std::string text =
        say("{}: {} at the start, {} at the peak ({}), {} at the end.",
            deviceName(analysis.snapshot->devices[device]), formatBytes({replay.active.front()}),
            formatBytes(replay.activeAt(replay.peak)), momentText(analysis, device, replay.peak),
            formatBytes({replay.active.back()}));
    if (!replay.ooms.empty()) {
        text += ' '
            + say("Out of memory at {}.",
                  momentText(analysis, device, StateId::after(replay.ooms.back())));
    }
    return text;
}

Bytes timelineTop(const Analysis& analysis, std::size_t device)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const Bytes highest{
        std::max(*std::ranges::max_element(replay.reserved), replay.activeAt(replay.peak).value)};
    const auto& capacity = analysis.diagnosis->devices[device].capacity;
    // A capacity far above the curves would press them flat; it is then left out of the drawing.
    const bool is_near = capacity && capacity->value <= highest.value + highest.value / 2;
    return is_near ? std::max(highest, *capacity) : highest;
}

} // namespace tidemark::report
