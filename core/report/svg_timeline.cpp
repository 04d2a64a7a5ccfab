// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/svg_timeline.h"

#include "core/base/format.h"
#include "core/base/interval.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/projection/timeline.h"
#include "core/report/colours.h"
#include "core/report/selection.h"
#include "core/report/summary_facts.h"
#include "core/report/svg_pieces.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

constexpr int kTimelineHeight = 420;
constexpr int kTimelineLeft = 76;
constexpr int kTimelineWidth = 868;
constexpr int kTop = 44;
constexpr int kPlotHeight = 270;
constexpr int kBottom = kTop + kPlotHeight;
constexpr int kPhaseTop = kBottom + 4;
constexpr int kTimelinePhases = 10;
constexpr int kPeakLabel = kTop - 28; ///< Base lines of the labels above the plot.
constexpr int kOomLabel = kTop - 12;

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
                                                m_axis.extent(), kTimelineWidth)
                        .columns)
        , m_plot{kTimelineLeft, kTop, kTimelineWidth, kPlotHeight,
                 std::max<double>(1.0, 1.04 * static_cast<double>(top.value))}
    {
    }

    std::string svg()
    {
        m_out = svgBegin(kSvgWidth, kTimelineHeight, timelineSentence(m_analysis, m_device));
        m_out += svgPatterns(m_id);
        drawName();
        drawScale();
        m_out += svgBands(m_plot, m_columns, m_id);
        m_out += svgReserved(m_plot, m_columns);
        drawCapacity();
        m_out += svgPhases(m_plot, kPhaseTop, kTimelinePhases, m_labels, m_axis, m_axis.extent());
        drawOoms();
        drawPeak();
        drawLegend();
        return std::move(m_out) + "</svg>\n";
    }

private:
    [[nodiscard]] double toX(StateId state) const
    {
        return m_plot.x(m_axis.toX(state), m_axis.extent());
    }
    [[nodiscard]] static Interval<double> labelAt(double x, const std::string& text)
    {
        return svgTextAt(x, text, {kTimelineLeft, kTimelineLeft + kTimelineWidth});
    }
    void label(double x, double y, const std::string& text, std::string_view attributes)
    {
        const Interval<double> place = labelAt(x, text);
        m_out += svgText((place.begin + place.end) / 2, y, "middle", text, attributes);
    }
    [[nodiscard]] std::string oomText() const;

    void drawName();
    void drawScale();
    void drawCapacity();
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
    SvgPlot m_plot;
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
    m_out += svgByteScale(m_plot, 6);
    const double events = m_axis.extent().end;
    const double event_step = std::max(1.0, niceStep(events / 8));
    for (double event = 0; event < events; event += event_step) {
        const double x =
            kTimelineLeft + (event + 1) / events * kTimelineWidth; // The state after it.
        m_out += svgText(x, kPhaseTop + kTimelinePhases + 15, event <= 0 ? "start" : "middle",
                         formatCount(std::llround(event)));
    }
    m_out += svgText(kTimelineLeft - 6, kPhaseTop + kTimelinePhases + 15, "end", say("event"));
}

void Drawing::drawCapacity()
{
    std::vector<Interval<double>> lines{{toX(m_replay.peak), toX(m_replay.peak)}};
    for (const EventId oom : m_replay.ooms) {
        lines.push_back({toX(StateId::before(oom)), toX(StateId::before(oom))});
    }
    m_out += svgCapacity(m_plot, m_analysis.diagnosis->devices[m_device], lines);
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
    label(toX(StateId::before(m_replay.ooms.back())), kOomLabel, oomText(), alarmText());
}

/// Of the last one.
std::string Drawing::oomText() const
{
    const trace::Events& events = m_analysis.snapshot->devices[m_device].events;
    const EventId last = m_replay.ooms.back();
    return say("out of memory: {} requested, {} free", events.size[last.index()],
               events.deviceFree(last));
}

void Drawing::drawPeak()
{
    const Bytes peak = m_replay.activeAt(m_replay.peak);
    const double x = toX(m_replay.peak);
    const double y = m_plot.y(static_cast<double>(peak.value));
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
    label(x, kPeakLabel, say("peak {}", peak), "fill=\"currentColor\"");
}

void Drawing::drawLegend()
{
    label::BucketBytes largest{};
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        largest[b] = m_analysis.curves->devices[m_device].largestOf(label::bucketAt(b));
    }
    SvgLegend legend({kTimelineLeft, kTimelineLeft + kTimelineWidth},
                     kPhaseTop + kTimelinePhases + 40);
    legend.addBuckets(largest);
    legend.add(fmt::format("url(#{}-cached)", m_id), say("Cached, up to the reserved line"));
    if (std::ranges::any_of(m_columns, [](const auto& c) { return c.private_cached > 0; })) {
        legend.add(fmt::format("url(#{}-pools)", m_id), say("Free in private pools"));
    }
    legend.endLine(); // Phases begin a line of their own.
    legend.addPhases(m_labels.phases);
    m_out += legend.svg();
}

} // namespace

std::string timelineSvg(const Analysis& analysis, std::size_t device, std::string_view id)
{
    return Drawing(analysis, device, id, timelineTop(analysis, device)).svg();
}

std::string timelineSentence(const Analysis& analysis, std::size_t device)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    std::string text = say("{}: {} at the start, {} at the peak ({}), {} at the end.",
                           deviceName(analysis.snapshot->devices[device]),
                           Bytes{replay.active.front()}, replay.activeAt(replay.peak),
                           momentText(analysis, device, replay.peak), Bytes{replay.active.back()});
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
