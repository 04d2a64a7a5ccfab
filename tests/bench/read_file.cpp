// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
//
// tidemark_bench_read FILE [native|cpython]: reads one file and says in JSON what that took. The
// first report and the longest silence between two are those of the progress sink.
#include "core/reader/reader.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class Watch final : public tidemark::ProgressSink {
public:
    void report(std::string_view /*stage*/, double /*fraction*/) override
    {
        longest = std::max(longest, secondsSince(m_last));
        m_last = Clock::now();
    }
    double longest = 0.0;

private:
    Clock::time_point m_last = Clock::now();
};

} // namespace

int main(int argc, char** argv)
{
    using namespace tidemark;
    reader::ReadOptions options;
    const auto choice = reader::readerChoiceFromName(argc == 3 ? argv[2] : "auto");
    if (argc < 2 || argc > 3 || !choice) {
        fmt::print(stderr, "usage: tidemark_bench_read FILE [native|cpython]\n");
        return 2;
    }
    options.reader = *choice;
    Watch watch;
    const Clock::time_point start = Clock::now();
    const auto result = reader::read(argv[1], options, watch, {});
    const double seconds = secondsSince(start);
    watch.report("", 1.0);
    if (!result.has_value()) {
        fmt::print(stderr, "{}\n", result.error().message);
        return 2;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::size_t events = 0;
    for (const trace::Device& device : result.value().devices) {
        events += device.events.count();
    }
    const auto cpu = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    fmt::print("{{\"reader\":\"{}\",\"events\":{},\"seconds\":{:.4f},\"cpu_seconds\":{:.4f},"
               "\"peak_bytes\":{},\"longest_silence_seconds\":{:.4f}}}\n",
               result.value().format.reader, events, seconds,
               cpu(usage.ru_utime) + cpu(usage.ru_stime), usage.ru_maxrss * 1024, watch.longest);
    return 0;
}
