// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/report/colours.h"
#include "core/report/job_curves.h"
#include "core/report/job_parts.h"
#include "core/report/svg_pieces.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::report {
namespace {

using job::Job;
using job::RankSummary;

constexpr double kFirstPanel = 8;
constexpr double kPanelHeight = 64;
constexpr double kPanelStep = 84;
constexpr double kPanelLeft = 220; ///< Left of it names and bytes.
constexpr int kPanelWidth = 724;
constexpr int kScaleLines = 2;

/// Of a panel's patterns.
std::string panelId(std::size_t row)
{
    return fmt::format("job{}", row);
}

/// A rank's name, its peak, and whether it ran out.
std::string panelNames(const Job& job, std::size_t row, double top)
{
    const bool is_median = job.median == row;
    const std::string name = rankName(job, row);
    std::string out = svgText(4, top + 14, "start", is_median ? say("{} (median)", name) : name,
                              "font-weight=\"bold\"");
    out += svgText(4, top + 31, "start", say("peak {}", job.rows[row].peak));
    if (job.rows[row].hasFailed()) {
        const bool is_first = job.first && job.first->row == row && !job.first->others.empty();
        out += svgText(4, top + 48, "start", is_first ? say("first OOM") : say("OOM"), alarmText());
    }
    return out;
}

std::string alarmLine(double x1, double y1, double x2, double y2, const std::string& title)
{
    return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\" "
                       "stroke-width=\"1.5\"><title>{}</title></path>\n",
                       x1, y1, x2, y2, alarmColour(), title);
}

std::string panel(const Job& job, std::size_t index, const JobAxis& axis, double top)
{
    const RankSummary& row = job.rows[index];
    const SvgPlot plot{kPanelLeft, top, kPanelWidth, kPanelHeight, axis.topBytes()};
    const std::string id = panelId(index);
    const auto columns = columnsOf(row, axis, kPanelWidth);
    std::string out = svgPatterns(id) + panelNames(job, index, top);
    out += svgByteScale(plot, kScaleLines);
    out += svgBands(plot, columns, id) + svgReserved(plot, columns);
    if (showsCapacity(row, axis)) {
        const double y = plot.y(static_cast<double>(row.capacity->value));
        out +=
            alarmLine(plot.left, y, plot.left + plot.width, y, say("capacity {}", *row.capacity));
    }
    if (const std::optional<double> at = oomAt(row, axis)) {
        const double x = plot.left + *at * plot.width;
        out += alarmLine(x, top, x, plot.bottom(), say("OOM"));
    }
    return out;
}

/// The lowest and the highest peak, each with its rank.
std::string altText(const Job& job, const std::vector<std::size_t>& rows, const JobAxis& axis)
{
    const auto peak = [&](std::size_t row) { return job.rows[row].peak; };
    const auto [least, most] = std::ranges::minmax_element(rows, {}, peak);
    const Bytes low = peak(*least);
    const Bytes high = peak(*most);
    const std::string of_low = rankName(job, *least);
    const std::string of_high = rankName(job, *most);
    return axis.is_time ? say("Memory of {} ranks on one clock: peaks from {} ({}) to {} ({}).",
                              rows.size(), low, of_low, high, of_high)
                        : say("Memory of {} ranks by event: peaks from {} ({}) to {} ({}).",
                              rows.size(), low, of_low, high, of_high);
}

} // namespace

std::optional<Figure> jobFigure(const Job& job)
{
    const std::vector<std::size_t> rows = drawnRows(job);
    if (rows.empty()) {
        return std::nullopt;
    }
    const JobAxis axis = jobAxis(job, rows);
    label::BucketBytes largest{};
    std::string panels;
    double top = kFirstPanel;
    for (const std::size_t row : rows) {
        panels += panel(job, row, axis, top);
        top += kPanelStep;
        for (std::size_t b = 0; b < label::kBucketCount; ++b) {
            largest[b] = std::max(largest[b], job.rows[row].largest[b]);
        }
    }
    panels += svgText(kPanelLeft, top, "start", axis.beginText());
    panels += svgText(kPanelLeft + kPanelWidth, top, "end", axis.endText());
    SvgLegend legend({kPanelLeft, kPanelLeft + kPanelWidth}, top + 24);
    legend.addBuckets(largest);
    legend.add(fmt::format("url(#{}-cached)", panelId(rows.front())),
               say("Cached, up to the reserved line"));
    if (std::ranges::any_of(rows,
                            [&](std::size_t r) { return showsCapacity(job.rows[r], axis); })) {
        legend.add(alarmColour(), say("Capacity"));
    }
    Figure figure{{}, altText(job, rows, axis), Figure::Kind::job};
    constexpr int kLegend = 46; ///< Two lines of it.
    figure.svg = svgBegin(kSvgWidth, static_cast<int>(top) + kLegend, figure.alt) + panels
        + legend.svg() + "</svg>\n";
    return figure;
}

} // namespace tidemark::report
