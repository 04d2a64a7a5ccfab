// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What one frame of the timeline costs, as a ratio to a reference frame of the same run.
#include "core/diagnose/analysis.h"
#include "tests/bench/synthetic_trace.h"
#include "ui/models/view_state.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/theme.h"
#include "ui/views/timeline/timeline_pixels.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_scene.h"

#include <fmt/format.h>

#include <QtGui/QPainter>
#include <QtWidgets/QApplication>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace tidemark;

namespace {

constexpr int kWidth = 1920;
constexpr int kHeight = 1080;
// Taking turns, so that both see the same machine; several at once, so that both see warm caches.
constexpr int kBlocks = 6;
constexpr int kFramesPerBlock = 10;
constexpr int kRectangles = 20000;

struct Cost {
    double cpu_ms = 0;
    double wall_ms = 0;
};

double processMs()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// One measurement of something.
Cost costOf(const std::function<void()>& work)
{
    const double cpu = processMs();
    const auto wall = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - wall;
    return {processMs() - cpu, passed.count()};
}

/// Medians of frames and of the reference frames between them.
struct Measured {
    Cost frame;
    double reference_ms = 0; ///< CPU.
};

/// 20,000 rectangles that are together as large as the picture, grouped by colour.
void paintReference(QImage& image)
{
    constexpr int kColumns = 160;
    constexpr int kRows = kRectangles / kColumns;
    QPainter painter(&image);
    for (int b = 0; b < static_cast<int>(label::kBucketCount); ++b) {
        const QColor colour = ui::bucketColour(label::bucketAt(static_cast<std::size_t>(b)));
        constexpr int kBuckets = static_cast<int>(label::kBucketCount);
        for (int i = kRectangles * b / kBuckets; i < kRectangles * (b + 1) / kBuckets; ++i) {
            const int place = static_cast<int>(i * 7919LL % kRectangles);
            painter.fillRect(place % kColumns * 12, place / kColumns * kHeight / kRows, 12, 9,
                             colour);
        }
    }
}

Measured measure(const std::function<void()>& frame)
{
    QImage image(kWidth, kHeight, QImage::Format_ARGB32_Premultiplied);
    std::vector<double> reference;
    std::vector<double> cpu;
    std::vector<double> wall;
    for (int block = 0; block < kBlocks; ++block) {
        for (int i = 0; i < kFramesPerBlock; ++i) {
            reference.push_back(costOf([&] { paintReference(image); }).cpu_ms);
        }
        for (int i = 0; i < kFramesPerBlock; ++i) {
            const Cost cost = costOf(frame);
            cpu.push_back(cost.cpu_ms);
            wall.push_back(cost.wall_ms);
        }
    }
    return {{median(cpu), median(wall)}, median(reference)};
}

diagnose::Analysis analysisOf(const bench::TraceShape& shape)
{
    bench::SyntheticTrace trace = bench::makeTrace(shape);
    NoProgress progress;
    diagnose::Analysis analysis;
    auto replay =
        std::make_shared<const replay::Replay>(replay::run(trace.snapshot, progress, {}).value());
    auto labels = std::make_shared<const label::Labels>(bench::labelsOf(trace, *replay));
    analysis.curves = std::make_shared<const curves::Curves>(curves::build(replay, *labels));
    analysis.replay = std::move(replay);
    analysis.labels = std::move(labels);
    analysis.snapshot = std::make_shared<const trace::Snapshot>(std::move(trace.snapshot));
    analysis.file = fmt::format("{} events, {} steps", shape.events, shape.steps);
    return analysis;
}

/// Frames of one trace in one mode: the picture alone, from the curves to the pixels with marks, or
/// the window's widget with axes, phases and steps as well.
class Frames {
public:
    Frames(const diagnose::Analysis& analysis, ui::TimelineMode mode)
    {
        m_state.show(analysis, 0);
        m_state.setTimelineMode(mode);
        m_plot.resize(kWidth, kHeight);
        m_plot.show();
        QCoreApplication::processEvents();
    }
    Measured pan(bool is_widget)
    {
        begin(is_widget);
        const double width = m_state.range().end - m_state.range().begin;
        return measure([&] {
            m_state.pan(width / 150);
            paint(is_widget);
        });
    }
    Measured zoom(bool is_widget)
    {
        begin(is_widget);
        return measure([&] {
            m_state.zoomAround(m_state.extent().end / 2, 0.97);
            paint(is_widget);
        });
    }

private:
    void begin(bool is_widget) // half of the trace in view
    {
        const double end = m_state.extent().end;
        m_state.setRange({end * 0.05, end * 0.55});
        paint(is_widget);
    }
    void paint(bool is_widget)
    {
        if (is_widget) {
            m_plot.repaint();
            return;
        }
        m_scene.prepare(m_image.rect(), m_state.range(), {0, m_plot.yAxis->range().upper}, 1.0,
                        ui::TimelineScene::Detail::coarse_first);
        m_image.fill(m_scene.style().colours.card);
        QPainter painter(&m_image);
        painter.drawImage(0, 0, m_scene.bands());
        painter.setRenderHint(QPainter::Antialiasing);
        ui::paintReserved(painter, m_scene.scale(), m_scene.projection(), m_scene.style());
        ui::paintMarks(painter, m_scene.scale(), m_scene.projection(), m_scene.marks(),
                       m_scene.style());
    }

    ui::ViewState m_state;
    ui::TimelinePlot m_plot{m_state};
    ui::TimelineScene m_scene{m_state};
    QImage m_image{kWidth, kHeight, QImage::Format_ARGB32_Premultiplied};
};

void printRow(const diagnose::Analysis& analysis, ui::TimelineMode mode, bool is_widget,
              bool is_pan, const Measured& m)
{
    fmt::print("{:24} | {:11} | {:7} | {:4} | {:5.2f} ms | {:5.1f} ms | {:5.1f} ms | {:5.2f}\n",
               analysis.file.string(), mode == ui::TimelineMode::bands ? "bands" : "allocations",
               is_widget ? "widget" : "picture", is_pan ? "pan" : "zoom", m.reference_ms,
               m.frame.cpu_ms, m.frame.wall_ms, m.frame.cpu_ms / m.reference_ms);
    std::fflush(stdout);
}

/// What refines a coarse picture, off the window's thread.
void printRefinement(std::size_t lasting)
{
    const diagnose::Analysis analysis = analysisOf({1'000'000, 40, lasting});
    const curves::DeviceCurves& curves = analysis.curves->devices[0];
    const projection::AxisMap axis(analysis.snapshot->devices[0], projection::Axis::event);
    const Interval<double> all = ui::viewExtent(axis);
    const projection::TimelineProjection timeline =
        projection::projectTimeline(curves, axis, all, kWidth);
    const projection::LayersRequest request{
        kHeight, static_cast<double>(projection::heights(timeline).total), ui::kAllBuckets,
        AllocationId::none(), 1};
    const Measured m =
        measure([&] { (void)projection::projectAllocations(curves, timeline, request, {}); });
    fmt::print(
        "refining {:6} live allocations at 1e6 events: {:5.1f} ms cpu, {:5.1f} ms wall, {:5.2f}\n",
        lasting, m.frame.cpu_ms, m.frame.wall_ms, m.frame.cpu_ms / m.reference_ms);
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    ui::applyTheme(*qApp, ui::Theme::light);
    const std::size_t least = argc > 1 ? std::stoul(argv[1]) : 100'000;
    const std::size_t most = argc > 2 ? std::stoul(argv[2]) : 10'000'000;
    fmt::print("{:24} | {:11} | {:7} | {:4} | {:8} | {:8} | {:8} | {:5}\n", "trace", "stacked",
               "drawn", "move", "reference", "cpu", "wall", "ratio");
    for (std::size_t events = least; events <= most; events *= 10) {
        for (const std::size_t steps : {std::size_t{8000}, std::size_t{40}}) {
            const diagnose::Analysis analysis = analysisOf({events, steps});
            for (const ui::TimelineMode mode :
                 {ui::TimelineMode::bands, ui::TimelineMode::allocations}) {
                Frames frames(analysis, mode);
                for (const bool is_widget : {false, true}) {
                    printRow(analysis, mode, is_widget, true, frames.pan(is_widget));
                    printRow(analysis, mode, is_widget, false, frames.zoom(is_widget));
                }
            }
        }
    }
    for (const std::size_t lasting : {1'200, 10'000, 40'000}) {
        printRefinement(lasting);
    }
    return 0;
}
