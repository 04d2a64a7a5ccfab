// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors

// Predictions and the whole diagnosis beside the reading of the same file and one pass over its
// events. TIDEMARK_BENCH_FILE names the file; repeat_steps.py makes long ones of short ones.
#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/facts/facts.h"
#include "core/diagnose/predict/need.h"
#include "core/diagnose/predict/predict.h"
#include "core/pipeline/pipeline.h"
#include "core/replay/changes.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace tidemark;
using namespace tidemark::diagnose;

const char* fileName()
{
    return std::getenv("TIDEMARK_BENCH_FILE");
}

/// The file, read once, with what all predictions start from. It lacks a tenth of what it had, so
/// that the whole ladder is climbed.
class Opened {
public:
    explicit Opened(Analysis opened)
        : analysis(std::move(opened))
        , m_stacks(*analysis.snapshot)
        , facts(gatherFacts(analysis, analysis.mainDevice(), m_stacks, m_message))
        , basis(needBasis(facts))
    {
    }

    Analysis analysis;

private:
    label::StackKinds m_stacks;
    std::optional<OomMessage> m_message;

public:
    Facts facts;
    NeedBasis basis;
};

const Opened* openedFile(benchmark::State& state)
{
    static const std::unique_ptr<Opened> kOpened = []() -> std::unique_ptr<Opened> {
        NoProgress progress;
        pipeline::Options options;
        options.last = pipeline::Stage::block_sizes;
        options.input.gpus = 8;
        auto analysis = fileName() == nullptr
            ? Result<Analysis>(Error{})
            : pipeline::analyze(fileName(), options, progress, {});
        if (!analysis.has_value()) {
            return nullptr;
        }
        Analysis opened = std::move(analysis).value();
        const replay::DeviceReplay& replay = opened.replay->devices[opened.mainDevice()];
        opened.input.capacity = Bytes{replay.activeAt(replay.peak).value / 10 * 9};
        return std::make_unique<Opened>(std::move(opened));
    }();
    if (kOpened == nullptr) {
        state.SkipWithError("set TIDEMARK_BENCH_FILE to a snapshot");
    }
    return kOpened.get();
}

void readFile(benchmark::State& state)
{
    if (openedFile(state) == nullptr) {
        return;
    }
    for ([[maybe_unused]] auto _ : state) {
        NoProgress progress;
        auto snapshot = reader::read(fileName(), {}, progress, {});
        benchmark::DoNotOptimize(snapshot);
    }
}
BENCHMARK(readFile)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

void onePassOverTheEvents(benchmark::State& state)
{
    const Opened* const opened = openedFile(state);
    if (opened == nullptr) {
        return;
    }
    for ([[maybe_unused]] auto _ : state) {
        std::int64_t live = 0;
        std::int64_t largest = 0;
        replay::forEachChange(opened->facts.replay, [&](StateId, AllocationId a, bool begins) {
            live += begins ? opened->facts.bytes(a) : -opened->facts.bytes(a);
            largest = std::max(largest, live);
        });
        benchmark::DoNotOptimize(largest);
    }
    state.counters["events"] = static_cast<double>(opened->facts.device.events.count());
}
BENCHMARK(onePassOverTheEvents)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

/// Those of the ladder, in twos and threes.
std::vector<std::vector<Change>> scenarios()
{
    static constexpr std::array kSizes{"micro-batch=0.5,accumulation=2", "sequence=0.75",
                                       "checkpointing=full", "fused-loss=on"};
    static constexpr std::array kStates{"optimizer=adamw8bit", "zero=2,gpus=8", "offload=optimizer",
                                        "lora=16"};
    std::vector<std::vector<Change>> all;
    for (const char* const sizes : kSizes) {
        for (const char* const states : kStates) {
            const std::string both = std::string(sizes) + "," + states;
            all.push_back(parseChanges(both).value());
            all.push_back(parseChanges(both + ",attention=flash").value());
        }
    }
    return all;
}

void predict32(benchmark::State& state)
{
    const Opened* const opened = openedFile(state);
    if (opened == nullptr) {
        return;
    }
    const auto lists = scenarios();
    for ([[maybe_unused]] auto _ : state) {
        RunChanger changer(opened->facts);
        auto predicted = predictRuns(changer, opened->basis, lists, 8);
        benchmark::DoNotOptimize(predicted);
    }
    state.counters["scenarios"] = static_cast<double>(lists.size());
}
BENCHMARK(predict32)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

void diagnosisWithLadder(benchmark::State& state)
{
    const Opened* const opened = openedFile(state);
    if (opened == nullptr) {
        return;
    }
    for ([[maybe_unused]] auto _ : state) {
        NoProgress progress;
        auto diagnosis = diagnose::run(opened->analysis, progress, {});
        benchmark::DoNotOptimize(diagnosis);
    }
}
BENCHMARK(diagnosisWithLadder)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

} // namespace
