// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/terminal_timeline.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/projection/timeline.h"
#include "core/report/colours.h"
#include "core/report/selection.h"
#include "core/report/summary_facts.h"
#include "core/report/terminal_colours.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

constexpr int kEighths = 8;
constexpr std::array<std::string_view, kEighths + 1> kBlocks{" ", "▁", "▂", "▃", "▄",
                                                             "▅", "▆", "▇", "█"};
constexpr int kAxisWidth = 12; // "10.15 GiB ┤"
/// What an eighth of a cell shows: a bucket, or nothing.
using Shade = std::uint8_t;
constexpr Shade kNothing = label::kBucketCount;
constexpr Shade kCached = label::kBucketCount + 1;

/// One cell: the lower `eighths` show `lower`, the rest `upper`.
struct Cell {
    Shade lower = kNothing;
    Shade upper = kNothing;
    int eighths = 0;
};

/// A cell has two colours and one boundary, at an eighth of its height:
///
///     ▔▔▔▔  upper: what is behind the letter
///     ▂▂▂▂  lower: the letter "▂" itself
///
/// The boundary is that which shows most of the eighths as they are.
Cell cellOf(const std::array<Shade, kEighths>& eighths)
{
    Cell best;
    int best_right = -1;
    const auto commonest = [&](int from, int to) {
        std::array<int, kCached + 1> counts{};
        for (int i = from; i < to; ++i) {
            ++counts[eighths[static_cast<std::size_t>(i)]];
        }
        const auto most = std::ranges::max_element(counts);
        return std::pair{static_cast<Shade>(most - counts.begin()), *most};
    };
    for (int split = 0; split < kEighths; ++split) {
        const auto [lower, lower_right] = split == 0 ? std::pair{kNothing, 0} : commonest(0, split);
        const auto [upper, upper_right] = commonest(split, kEighths);
        if (lower_right + upper_right > best_right) {
            best_right = lower_right + upper_right;
            best = {lower, upper, split};
        }
    }
    return best;
}

class Picture {
public:
    Picture(const Analysis& analysis, std::size_t device, const Terminal& terminal)
        : m_analysis(analysis)
        , m_device(device)
        , m_terminal(terminal)
        , m_rows(std::max(4, terminal.rows))
        , m_width(std::max(40, terminal.columns) - kAxisWidth)
        , m_blocks(terminal.has_unicode && terminal.depth >= ColourDepth::palette)
        , m_replay(analysis.replay->devices[device])
        , m_labels(analysis.labels->devices[device])
        , m_axis(analysis.snapshot->devices[device], projection::Axis::event)
        , m_projection(projection::projectTimeline(analysis.curves->devices[device], m_axis,
                                                   m_axis.extent(), m_width))
    {
        const projection::TimelineHeights heights = projection::heights(m_projection);
        m_top = std::max<std::int64_t>({1, heights.total, heights.reserved});
    }

    std::string text()
    {
        drawMarks();
        for (int row = m_rows - 1; row >= 0; --row) {
            drawRow(row);
        }
        drawPhases();
        drawSteps();
        drawLegend();
        drawCaptions();
        return std::move(m_out);
    }

private:
    [[nodiscard]] int columnOf(StateId state) const
    {
        const auto extent = m_axis.extent();
        const double part =
            (m_axis.toX(state) - extent.begin) / (extent.end - extent.begin) * m_width;
        return std::clamp(static_cast<int>(part), 0, m_width - 1);
    }
    [[nodiscard]] std::string_view sign(std::string_view unicode, std::string_view ascii) const
    {
        return m_terminal.has_unicode ? unicode : ascii;
    }
    [[nodiscard]] std::string coloured(std::string_view text, std::string_view colour) const
    {
        return fmt::format("{}{}{}", foreground(colour, m_terminal.depth), text,
                           plain(m_terminal.depth));
    }
    [[nodiscard]] Shade shadeAt(const projection::TimelineColumn& column, std::int64_t bytes) const;

    void drawMarks();
    void drawRow(int row);
    void drawBlocks(int row);
    void drawLetters(int row);
    void drawPhases();
    void drawSteps();
    void drawLegend();
    void drawCaptions();

    const Analysis& m_analysis;
    std::size_t m_device;
    Terminal m_terminal;
    int m_rows;
    int m_width;
    bool m_blocks;
    const replay::DeviceReplay& m_replay;
    const label::DeviceLabels& m_labels;
    projection::AxisMap m_axis;
    projection::TimelineProjection m_projection;
    std::int64_t m_top = 1;
    std::string m_out;
};

/// What stands at a height above the floor.
Shade Picture::shadeAt(const projection::TimelineColumn& column, std::int64_t bytes) const
{
    std::int64_t floor = 0;
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        floor += column.buckets[b];
        if (bytes < floor) {
            return static_cast<Shade>(b);
        }
    }
    return bytes < column.reserved ? kCached : kNothing;
}

/// The peak and the OOM events, above the plot.
void Picture::drawMarks()
{
    std::vector<std::string> marks(static_cast<std::size_t>(m_width), " ");
    if (m_replay.activeAt(m_replay.peak).value > 0) {
        marks[static_cast<std::size_t>(columnOf(m_replay.peak))] = sign("▼", "v");
    }
    for (const EventId oom : m_replay.ooms) {
        marks[static_cast<std::size_t>(columnOf(StateId::before(oom)))] =
            coloured(sign("✖", "X"), alarmColour());
    }
    std::string line(kAxisWidth, ' ');
    for (const std::string& mark : marks) {
        line += mark;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    m_out += line + '\n';
}

void Picture::drawRow(int row)
{
    // A figure at the top, in the middle and at the floor.
    const bool has_figure = row == m_rows - 1 || row == 0 || row == (m_rows - 1) / 2;
    const std::int64_t bytes =
        row == 0 ? 0 : static_cast<std::int64_t>(static_cast<double>(m_top) * (row + 1) / m_rows);
    m_out += has_figure ? fmt::format("{:>10} {}", formatBytes({bytes}), sign("┤", "|"))
                        : fmt::format("{:>10} {}", "", sign("│", "|"));
    if (m_blocks) {
        drawBlocks(row);
    } else {
        drawLetters(row);
    }
    m_out += '\n';
}

void Picture::drawBlocks(int row)
{
    const auto colourOf = [](Shade shade) { return bucketColour(label::bucketAt(shade)); };
    const auto isBand = [](Shade shade) { return shade < label::kBucketCount; };
    std::string sequence;
    for (const projection::TimelineColumn& column : m_projection.columns) {
        std::array<Shade, kEighths> eighths{};
        bool is_cached = true;
        for (int i = 0; i < kEighths; ++i) {
            const double height = (row * kEighths + i + 0.5) / (m_rows * kEighths);
            const Shade shade =
                shadeAt(column, static_cast<std::int64_t>(height * static_cast<double>(m_top)));
            is_cached = is_cached && shade == kCached;
            eighths[static_cast<std::size_t>(i)] = shade == kCached ? kNothing : shade;
        }
        const Cell cell = cellOf(eighths);
        const std::string_view letter =
            is_cached ? "░" : kBlocks[static_cast<std::size_t>(cell.eighths)];
        std::string next{plain(m_terminal.depth)};
        if (isBand(cell.upper)) {
            next += background(colourOf(cell.upper), m_terminal.depth);
        }
        if (isBand(cell.lower)) {
            next += foreground(colourOf(cell.lower), m_terminal.depth);
        }
        if (next != sequence) {
            m_out += next;
            sequence = next;
        }
        m_out += letter;
    }
    m_out += plain(m_terminal.depth);
}

void Picture::drawLetters(int row)
{
    std::string_view colour;
    std::string line;
    for (const projection::TimelineColumn& column : m_projection.columns) {
        const Shade shade = shadeAt(
            column, static_cast<std::int64_t>(static_cast<double>(m_top) * (row + 0.5) / m_rows));
        if (shade >= label::kBucketCount) {
            line += shade == kCached ? "." : " ";
            continue;
        }
        const std::string_view wanted = bucketColour(label::bucketAt(shade));
        if (wanted != colour) {
            line += foreground(wanted, m_terminal.depth);
            colour = wanted;
        }
        line += label::infoOf(label::bucketAt(shade)).letter;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    m_out += line;
    m_out += plain(m_terminal.depth);
}

/// Of each column the phase in which it begins.
void Picture::drawPhases()
{
    if (m_labels.phases.empty() || m_replay.stateCount() < 2) {
        return;
    }
    std::string line = fmt::format("{:>10}  ", say("phase"));
    for (const projection::TimelineColumn& column : m_projection.columns) {
        const std::size_t last = m_replay.stateCount() - 2;
        const label::PhaseSpan* const span =
            m_labels.phaseAt(EventId(std::min<std::size_t>(column.state.index(), last)));
        if (span == nullptr) {
            line += ' ';
        } else if (m_blocks) {
            line += foreground(phaseColour(span->phase), m_terminal.depth);
            line += "▀";
        } else {
            line += label::phaseId(span->phase).front();
        }
    }
    m_out += line;
    m_out += m_blocks ? plain(m_terminal.depth) : "";
    m_out += '\n';
}

/// The number of each step under its first event, those that have room.
void Picture::drawSteps()
{
    std::string line;
    const std::vector<label::Step> steps = m_labels.stepsBegun();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto column =
            static_cast<std::size_t>(columnOf(StateId::before(steps[i].first_event)));
        const std::string number =
            std::to_string(m_labels.numbers.of(static_cast<std::uint32_t>(i + 1)));
        const bool has_room = line.empty() || column > line.size();
        if (has_room && column + number.size() <= static_cast<std::size_t>(m_width)) {
            line.resize(column, ' ');
            line += number;
        }
    }
    if (!line.empty()) {
        m_out += fmt::format("{:>10}  {}\n", say("step"), line);
    }
}

/// Buckets at the peak, largest first.
void Picture::drawLegend()
{
    const label::BucketBytes at_peak = m_analysis.curves->devices[m_device].at(m_replay.peak);
    std::array<std::size_t, label::kBucketCount> order{};
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t b) { return at_peak[b]; });
    const auto width = static_cast<std::size_t>(m_width + kAxisWidth);
    std::size_t used = 0;
    for (const std::size_t b : order) {
        if (at_peak[b] <= 0) {
            break;
        }
        const label::Bucket bucket = label::bucketAt(b);
        const std::string words =
            fmt::format(" {} {}", label::bucketName(bucket), formatBytes({at_peak[b]}));
        const std::size_t needed = words.size() + 1 + (used == 0 ? 2 : 3);
        if (used > 0 && used + needed > width) {
            m_out += '\n';
            used = 0;
        }
        m_out += used == 0 ? "  " : "   ";
        m_out += coloured(m_blocks ? std::string_view("■")
                                   : std::string_view(&label::infoOf(bucket).letter, 1),
                          bucketColour(bucket));
        m_out += words;
        used += needed;
    }
    m_out += used > 0 ? "\n" : "";
}

void Picture::drawCaptions()
{
    std::vector<std::string> captions;
    if (const Bytes peak = m_replay.activeAt(m_replay.peak); peak.value > 0) {
        captions.push_back(
            say("{} peak {} at {}", sign("▼", "v"), peak, momentText(m_labels, m_replay.peak)));
    }
    if (!m_replay.ooms.empty()) {
        const trace::Events& events = m_analysis.snapshot->devices[m_device].events;
        const EventId last = m_replay.ooms.back();
        captions.push_back(say("{} out of memory at {}: {} requested, {} free", sign("✖", "X"),
                               momentText(m_labels, StateId::after(last)),
                               events.size[last.index()], events.deviceFree(last)));
    }
    for (const std::string& caption : captions) {
        for (const std::string& line :
             wrapText(caption, static_cast<std::size_t>(m_width + kAxisWidth - 2))) {
            m_out += "  " + line + '\n';
        }
    }
}

} // namespace

std::string terminalTimeline(const Analysis& analysis, std::size_t device, const Terminal& terminal)
{
    return Picture(analysis, device, terminal).text();
}

} // namespace tidemark::report
