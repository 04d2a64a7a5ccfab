// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/remedies.h"
#include "core/shapes/objection.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace tidemark::plan {
namespace {

constexpr std::int64_t kMostBatch = 1 << 16;
constexpr std::int64_t kMostSequence = 1 << 22;
constexpr std::int64_t kMostGpus = 1 << 14;

/// The largest value from 1 to `most` for which `fits` holds, which holds for all smaller ones.
/// O(log most) questions.
std::optional<std::int64_t> largestThat(std::int64_t most,
                                        const std::function<bool(std::int64_t)>& fits)
{
    if (!fits(1)) {
        return std::nullopt;
    }
    std::int64_t good = 1;
    std::int64_t bad = most + 1;
    while (good * 2 < bad && fits(good * 2)) {
        good *= 2;
    }
    bad = std::min(bad, good * 2);
    while (good + 1 < bad) {
        const std::int64_t middle = good + (bad - good) / 2;
        (fits(middle) ? good : bad) = middle;
    }
    return good;
}

diagnose::SizeLimit limitOf(std::string_view word, std::int64_t value, std::int64_t now)
{
    diagnose::SizeLimit limit;
    limit.ratio = static_cast<double>(value) / static_cast<double>(now);
    limit.value = static_cast<int>(value);
    limit.apply = fmt::format("{}={:g}", word, limit.ratio);
    return limit;
}

} // namespace

diagnose::Limits findLimits(const Question& question)
{
    diagnose::Limits limits;
    if (!question.capacity) {
        return limits;
    }
    const auto fits = [&](const walk::RunShape& run) {
        return shapes::objectionTo(question.model, run).empty()
            && estimate(question, run).fits == true;
    };
    const walk::RunShape& run = question.run;
    const auto batch = largestThat(kMostBatch, [&](std::int64_t value) {
        walk::RunShape changed = run;
        changed.batch = value;
        return fits(changed);
    });
    if (batch) {
        limits.micro_batch = limitOf("micro-batch", *batch, run.batch);
    }
    // Images have the tokens that they have; GPUs that share a sequence need a multiple of their
    // number.
    const std::int64_t unit =
        std::lcm(run.division.context, run.division.divides_tokens ? run.division.tensor : 1);
    const std::int64_t longest =
        question.model.images ? 0 : std::min(kMostSequence, question.model.positions) / unit;
    const auto units = largestThat(longest, [&](std::int64_t value) {
        walk::RunShape changed = run;
        changed.sequence = value * unit;
        return fits(changed);
    });
    if (units) {
        limits.sequence = limitOf("sequence", *units * unit, run.sequence);
    }
    if (run.mode == walk::Mode::train && !run.lora) {
        for (const int stage : {1, 2, 3}) {
            const auto fits_over = [&](std::int64_t gpus) {
                walk::RunShape changed = run;
                changed.gpus = gpus;
                changed.zero = gpus > 1 ? stage : 0;
                return fits(changed);
            };
            diagnose::GpuLimit limit{stage, std::nullopt};
            if (fits_over(kMostGpus)) {
                std::int64_t good = kMostGpus;
                std::int64_t bad = 0;
                while (bad + 1 < good) {
                    const std::int64_t middle = bad + (good - bad) / 2;
                    (fits_over(middle) ? good : bad) = middle;
                }
                limit.gpus = static_cast<int>(good);
            }
            limits.gpus.push_back(limit);
        }
    }
    return limits;
}

} // namespace tidemark::plan
