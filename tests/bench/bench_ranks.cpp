// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What one frame of a job's page costs while its ranks are scrolled and zoomed, and what a new job
// costs while ranks arrive. With a path it writes a picture of the page there.
#include "core/job/job.h"
#include "ui/models/job_lines.h"
#include "ui/views/job/job_page.h"
#include "ui/views/job/rank_bands.h"
#include "ui/views/look/theme.h"

#include <fmt/format.h>

#include <QtCore/QElapsedTimer>
#include <QtWidgets/QApplication>
#include <QtWidgets/QScrollBar>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace tidemark;

namespace {

constexpr int kFrames = 60;
constexpr int kRoundsToSettle = 5;

/// Ranks of a pipeline of eight stages that hold all buckets; every hundredth holds more.
std::shared_ptr<const job::Job> jobOf(std::uint32_t ranks)
{
    auto made = std::make_shared<job::Job>();
    std::mt19937 random(1); // NOLINT(cert-msc51-cpp): the same each time
    const TimePoint start{Duration{1'795'800'000'000'000}};
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        job::RankSummary row;
        row.file = "rank" + std::to_string(rank) + ".pickle";
        row.rank = rank;
        row.coordinates = {{"pp", rank * 8 / ranks}, {"dp", rank % std::max(1U, ranks / 8)}};
        row.events = 100'000;
        row.first_time = start;
        const bool is_odd = rank % 100 == 50;
        for (std::size_t i = 0; i < job::kCurvePoints; ++i) {
            job::RankCurve::Point point;
            point.event = static_cast<std::int64_t>(i) * 625;
            point.time = start + Duration{static_cast<std::int64_t>(i) * 10'000};
            for (std::size_t b = 0; b < label::kBucketCount; ++b) {
                const std::int64_t size = (is_odd && b == 5 ? 3 : 1) * kGiB.value;
                point.buckets[b] = size + static_cast<std::int64_t>(random() % 1000) * 100'000;
            }
            point.reserved = {ui::totalOf(point.buckets) + kGiB.value};
            row.peak = std::max(row.peak, Bytes{ui::totalOf(point.buckets)});
            row.reserved = std::max(row.reserved, point.reserved);
            row.decisive = point.buckets;
            row.curve.points.push_back(point);
        }
        row.largest = row.decisive;
        row.last_time = row.curve.points.back().time;
        made->deciding.push_back(rank);
        if (is_odd) {
            made->outliers.push_back({rank, 0, kGiB, label::Bucket::activation, kGiB, ""});
        }
        made->rows.push_back(std::move(row));
    }
    made->median = 0;
    made->world_size = ranks;
    made->sentences = {{job::Says::outlier, "Rank 50 holds 2.00 GiB more than rank 0.", 50}};
    return made;
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void print(std::size_t ranks, const char* what, const std::function<void(int)>& frame)
{
    std::vector<double> times;
    for (int i = 0; i < kFrames; ++i) {
        QElapsedTimer timer;
        timer.start();
        frame(i);
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    fmt::print("{:5} ranks | {:28} | median {:6.2f} ms | worst {:6.2f} ms\n", ranks, what,
               median(times), *std::ranges::max_element(times));
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    ui::applyTheme(*qApp, ui::Theme::light);
    for (const std::uint32_t ranks : {8U, 512U, 4096U}) {
        const auto job = jobOf(ranks);
        ui::JobPage page;
        page.resize(1920, 1080);
        page.show();
        page.setJob(job);
        for (int i = 0; i < kRoundsToSettle; ++i) {
            QCoreApplication::processEvents(); // Nothing is painted before it is exposed.
        }
        ui::RankBands& bands = page.bands();
        QScrollBar& bar = *bands.verticalScrollBar();
        print(ranks, "scrolled", [&](int i) {
            bar.setValue(bar.maximum() * i / kFrames);
            bands.viewport()->repaint();
        });
        print(ranks, "zoomed", [&](int i) {
            bands.setPart({0, 1.0 - 0.01 * i});
            bands.viewport()->repaint();
        });
        print(ranks, "the next outlier, whole page", [&](int) {
            bands.stepOutlier(1);
            page.repaint();
        });
        print(ranks, "a job that grew", [&](int) {
            page.setJob(std::make_shared<const job::Job>(*job));
            page.repaint();
        });
        if (argc > 1 && ranks == 512) {
            bands.setPart({0, 1});
            page.resize(1400, 860);
            QCoreApplication::processEvents();
            page.grab().save(QString::fromLocal8Bit(argv[1]));
        }
    }
    return 0;
}
