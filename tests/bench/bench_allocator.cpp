// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors

// The replay of the allocator beside the reading of the same file, and the search for settings.
#include "core/allocator/study.h"
#include "core/reader/reader.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>

namespace {

using namespace tidemark;

/// A snapshot given in TIDEMARK_BENCH_FILE, read once.
struct Opened {
    trace::Snapshot snapshot;
    replay::Replay replay;
    std::vector<replay::BlockSizes> sizes;

    static const Opened* get()
    {
        static const std::unique_ptr<Opened> opened = open();
        return opened.get();
    }

private:
    static std::unique_ptr<Opened> open()
    {
        const char* const file = std::getenv("TIDEMARK_BENCH_FILE");
        NoProgress progress;
        auto snapshot = file == nullptr ? Result<trace::Snapshot>(Error{})
                                        : reader::read(file, {}, progress, {});
        if (!snapshot.has_value()) {
            return nullptr;
        }
        auto opened = std::make_unique<Opened>();
        opened->snapshot = std::move(snapshot).value();
        opened->replay = replay::run(opened->snapshot, progress, {}).value();
        opened->sizes = replay::blockSizeBounds(opened->snapshot, opened->replay);
        return opened;
    }
};

/// Whether there is a file; says what to do where there is none.
const Opened* needFile(benchmark::State& state)
{
    const Opened* const opened = Opened::get();
    if (opened == nullptr) {
        state.SkipWithError("set TIDEMARK_BENCH_FILE to a snapshot");
    }
    return opened;
}

void readFile(benchmark::State& state)
{
    if (needFile(state) == nullptr) {
        return;
    }
    for ([[maybe_unused]] auto _ : state) {
        NoProgress progress;
        auto snapshot = reader::read(std::getenv("TIDEMARK_BENCH_FILE"), {}, progress, {});
        benchmark::DoNotOptimize(snapshot);
    }
}
BENCHMARK(readFile)->Unit(benchmark::kMillisecond)->UseRealTime();

void replayBaseline(benchmark::State& state)
{
    const Opened* const opened = needFile(state);
    if (opened == nullptr) {
        return;
    }
    for ([[maybe_unused]] auto _ : state) {
        NoProgress progress;
        auto found = allocator::baseline(opened->snapshot, 0, opened->replay.devices[0],
                                         opened->sizes[0], progress, {});
        benchmark::DoNotOptimize(found);
    }
    state.counters["events"] = static_cast<double>(opened->snapshot.devices[0].events.count());
}
BENCHMARK(replayBaseline)->Unit(benchmark::kMillisecond)->UseRealTime();

void searchSettings(benchmark::State& state)
{
    const Opened* const opened = needFile(state);
    if (opened == nullptr) {
        return;
    }
    for ([[maybe_unused]] auto _ : state) {
        NoProgress progress;
        allocator::StudyOptions options;
        options.searches = true;
        auto found = allocator::study(opened->snapshot, 0, opened->replay.devices[0],
                                      opened->sizes[0], options, progress, {});
        benchmark::DoNotOptimize(found);
    }
}
BENCHMARK(searchSettings)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
