// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/pickle_scanner.h"
#include "core/reader/reader.h"
#include "tests/bench/synthetic_pickle.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>

using namespace tidemark;

namespace {

const std::string& pickleOf(std::uint64_t events)
{
    static std::map<std::uint64_t, std::string> made;
    std::string& bytes = made[events];
    if (bytes.empty()) {
        bench::writeSyntheticPickle({events}, [&](std::string_view piece) { bytes += piece; });
    }
    return bytes;
}

void count(benchmark::State& state, const std::string& bytes)
{
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

void read(benchmark::State& state, reader::ReaderChoice choice)
{
    const std::string& bytes = pickleOf(static_cast<std::uint64_t>(state.range(0)));
    reader::ReadOptions options;
    options.reader = choice;
    NoProgress progress;
    for ([[maybe_unused]] auto _ : state) {
        const auto result =
            reader::readBytes(std::as_bytes(std::span(bytes)), options, progress, {});
        if (!result.has_value()) {
            state.SkipWithError(result.error().message.c_str());
        }
    }
    count(state, bytes);
}

void nativeReader(benchmark::State& state)
{
    read(state, reader::ReaderChoice::native);
}

void cpythonReader(benchmark::State& state)
{
    read(state, reader::ReaderChoice::cpython);
}

void scanner(benchmark::State& state)
{
    const std::string& bytes = pickleOf(static_cast<std::uint64_t>(state.range(0)));
    NoProgress progress;
    for ([[maybe_unused]] auto _ : state) {
        benchmark::DoNotOptimize(
            reader::scanPickle(std::as_bytes(std::span(bytes)), {}, progress, {}).has_value());
    }
    count(state, bytes);
}

/// The physical bound: every byte looked at once.
void onePassOverTheBytes(benchmark::State& state)
{
    const std::string& bytes = pickleOf(static_cast<std::uint64_t>(state.range(0)));
    for ([[maybe_unused]] auto _ : state) {
        unsigned sum = 0;
        for (const char c : bytes) {
            sum += static_cast<unsigned char>(c);
        }
        benchmark::DoNotOptimize(sum);
    }
    count(state, bytes);
}

BENCHMARK(onePassOverTheBytes)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(nativeReader)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(scanner)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(cpythonReader)->Arg(100'000)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace

BENCHMARK_MAIN();
