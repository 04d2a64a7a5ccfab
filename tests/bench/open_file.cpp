// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
//
// tidemark_bench_open FILE [curves]: opens a file as the window does and says in JSON when the
// first frame of the timeline was painted (offscreen, 1920×1080), when each stage began, when
// everything was known, and how much memory is resident then. With "curves" it ends before the
// diagnosis.
#include "core/diagnose/diagnosis.h"
#include "core/pipeline/pipeline.h"
#include "ui/models/view_state.h"
#include "ui/views/look/theme.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <QtGui/QImage>
#include <QtWidgets/QApplication>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// When each stage was heard of first.
class Stages final : public tidemark::ProgressSink {
public:
    explicit Stages(Clock::time_point start)
        : m_start(start)
    {
    }
    void report(std::string_view stage, double /*fraction*/) override
    {
        if (begins.empty() || begins.back().first != stage) {
            begins.emplace_back(stage, secondsSince(m_start));
        }
    }
    std::vector<std::pair<std::string, double>> begins;

private:
    Clock::time_point m_start;
};

std::uint64_t residentBytes()
{
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    file >> pages >> pages;
    return pages * 4096;
}

} // namespace

int main(int argc, char** argv)
{
    using namespace tidemark;
    const Clock::time_point start = Clock::now();
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    if (argc < 2 || argc > 3) {
        fmt::print(stderr, "usage: tidemark_bench_open FILE [curves]\n");
        return 2;
    }
    ui::applyTheme(*qApp, ui::Theme::light);
    pipeline::Options options;
    options.last = argc == 3 ? pipeline::Stage::curves : pipeline::Stage::diagnosis;
    Stages stages(start);
    ui::ViewState state;
    ui::TimelineView view(state);
    view.resize(1920, 1080);
    double first_frame = 0;
    std::uint64_t resident_at_first_frame = 0;
    const auto paint = [&](const diagnose::Analysis& analysis) {
        if (first_frame > 0) {
            return;
        }
        state.show(analysis, analysis.mainDevice());
        QImage frame(view.size(), QImage::Format_ARGB32_Premultiplied);
        view.render(&frame);
        view.plot().repaint();
        view.render(&frame);
        first_frame = secondsSince(start);
        resident_at_first_frame = residentBytes();
    };
    const auto analysis = pipeline::analyze(argv[1], options, stages, {}, paint);
    if (!analysis.has_value()) {
        fmt::print(stderr, "{}\n", analysis.error().message);
        return 2;
    }
    std::string begins;
    for (const auto& [stage, seconds] : stages.begins) {
        begins += fmt::format("{}\"{}\": {:.3f}", begins.empty() ? "" : ", ", stage, seconds);
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::uint64_t events = 0;
    for (const trace::Device& device : analysis.value().snapshot->devices) {
        events += device.events.count();
    }
    fmt::print("{{\"events\": {}, \"first_frame_seconds\": {:.3f}, \"seconds\": {:.3f}, "
               "\"stages\": {{{}}}, \"resident_at_first_frame\": {}, \"resident\": {}, "
               "\"peak_bytes\": {}}}\n",
               events, first_frame, secondsSince(start), begins, resident_at_first_frame,
               residentBytes(), static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
    return 0;
}
