// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
//
// tidemark_bench_lanes FILE FILE: what one frame of a comparison costs, the two runs and their
// difference panned and zoomed together in a page of 1920×1080 (offscreen), once over events and
// once aligned. Medians, and the slowest frame, of processor time of the window's thread.
#include "core/pipeline/pipeline.h"
#include "ui/models/roles.h"
#include "ui/views/compare/compare_lanes.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/compare/delta_lane.h"
#include "ui/views/look/theme.h"
#include "ui/views/timeline/timeline_plot.h"

#include <fmt/format.h>

#include <QtCore/QThread>
#include <QtWidgets/QApplication>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

using namespace tidemark;

namespace {

constexpr int kFrames = 120;

double threadMs()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void printFrames(const char* name, ui::CompareLanes& lanes, const std::function<void()>& move)
{
    std::vector<double> cpu;
    std::vector<double> wall;
    for (int i = 0; i < kFrames; ++i) {
        const double begin = threadMs();
        const auto start = std::chrono::steady_clock::now();
        move();
        lanes.basePlot().repaint();
        lanes.againstPlot().repaint();
        lanes.delta().repaint();
        QCoreApplication::sendPostedEvents();
        cpu.push_back(threadMs() - begin);
        wall.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                .count());
    }
    std::ranges::sort(cpu);
    std::ranges::sort(wall);
    fmt::print("{:16} | {:5.1f} ms cpu, {:5.1f} at most | {:5.1f} ms wall, {:5.1f} at most\n", name,
               cpu[cpu.size() / 2], cpu.back(), wall[wall.size() / 2], wall.back());
    std::fflush(stdout);
}

void printAxis(const std::string& name, ui::CompareLanes& lanes)
{
    ui::ViewState& state = lanes.baseState();
    const double end = state.extent().end;
    const auto half = [&] { state.setRange({end * 0.05, end * 0.55}); };
    half();
    const double width = state.range().end - state.range().begin;
    printFrames((name + ", pan").c_str(), lanes, [&] { state.pan(width / 300); });
    half();
    printFrames((name + ", zoom").c_str(), lanes, [&] { state.zoomAround(end / 2, 0.97); });
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    ui::applyTheme(application, ui::Theme::light);
    if (argc != 3) {
        fmt::print(stderr, "usage: tidemark_bench_lanes FILE FILE\n");
        return 2;
    }
    std::vector<ui::ComparedRun> runs;
    for (int i = 1; i < argc; ++i) {
        NoProgress progress;
        auto analysis = pipeline::analyze(argv[i], {}, progress, {});
        if (!analysis.has_value()) {
            fmt::print(stderr, "{}: {}\n", argv[i], analysis.error().message);
            return 2;
        }
        runs.push_back({std::move(analysis).value(), 0, QString(QChar(u'A' + i - 1))});
    }
    ui::ComparePage page;
    page.resize(1920, 1080);
    page.setVisible(true);
    page.show(runs[0], runs[1]);
    page.setFiles({{1, runs[0].letter, QStringLiteral("one"), {}},
                   {2, runs[1].letter, QStringLiteral("two"), {}}},
                  1, 2);
    const auto start = std::chrono::steady_clock::now();
    do {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
        QThread::msleep(5);
    } while (page.isBusy());
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    fmt::print("compared in {:.1f} s\n", passed.count());
    printAxis(page.lanes().canShare() ? "aligned" : "events", page.lanes());
    page.lanes().setAxis(projection::Axis::event);
    printAxis("events", page.lanes());
    return 0;
}
