// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/margin.h"
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

/// What a value leaves of the capacity, below zero: what is missing; unset for one that cannot be.
using Left = std::function<std::optional<Bytes>(std::int64_t value)>;

bool isEnough(std::optional<Bytes> left)
{
    return left && *left >= Bytes{};
}

/// The largest value from 1 to `most` that fits, as all smaller ones do. What is left falls nearly
/// in a line, so a line through two values tells where the next question is worth most: four or
/// five questions where it is one, at most four times those of halving.
std::optional<std::int64_t> largestThat(std::int64_t most, const Left& left)
{
    constexpr std::int64_t kFarthest = 16; // times as far: beyond it, no line is to be trusted.
    constexpr int kMostLines = 3; // Then the middle.
    struct Asked {
        std::int64_t value = 0;
        Bytes left;
    };
    std::int64_t bad = most + 1;
    Asked good{0, {}};
    std::optional<Asked> second; // Of the line: one that does not fit, or the one that did before.
    for (int lines = 0; good.value + 1 < bad;) {
        std::int64_t next = good.value == 0 ? 1 : 2 * good.value;
        if (lines == kMostLines) {
            lines = 0;
            next = bad > most ? next : good.value + (bad - good.value) / 2;
        } else if (second) {
            ++lines;
            const double fall = static_cast<double>(good.left.value - second->left.value)
                / static_cast<double>(second->value - good.value);
            const double steps =
                fall > 0 ? static_cast<double>(good.left.value) / fall : static_cast<double>(most);
            next = good.value
                + static_cast<std::int64_t>(
                       std::min(steps, static_cast<double>(kFarthest * good.value)));
        }
        next = std::clamp(next, good.value + 1, bad - 1);
        const std::optional<Bytes> found = left(next);
        if (isEnough(found)) {
            if (good.value > 0 && (!second || second->value < good.value)) {
                second = good;
            }
            good = {next, *found};
            continue;
        }
        if (next == 1) {
            return std::nullopt;
        }
        bad = next;
        if (found) {
            second = Asked{next, *found};
        }
    }
    return good.value > 0 ? std::optional(good.value) : std::nullopt;
}

/// The smallest value from 1 to `most` that fits, as all larger ones do. O(log of it) questions.
std::optional<std::int64_t> smallestThat(std::int64_t most, const Left& left)
{
    if (isEnough(left(1))) {
        return 1;
    }
    if (!isEnough(left(most))) {
        return std::nullopt;
    }
    std::int64_t bad = 1;
    std::int64_t good = most;
    for (std::int64_t next = 2; next < good; next *= 2) {
        (isEnough(left(next)) ? good : bad) = next;
    }
    while (bad + 1 < good) {
        const std::int64_t middle = bad + (good - bad) / 2;
        (isEnough(left(middle)) ? good : bad) = middle;
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
    const auto left = [&](const walk::RunShape& run) {
        return shapes::objectionTo(question.model, run).empty()
            ? std::optional(leftOf(estimate(question, run).need(), *question.capacity))
            : std::nullopt;
    };
    const walk::RunShape& run = question.run;
    const auto batch = largestThat(kMostBatch, [&](std::int64_t value) {
        walk::RunShape changed = run;
        changed.batch = value;
        return left(changed);
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
        return left(changed);
    });
    if (units) {
        limits.sequence = limitOf("sequence", *units * unit, run.sequence);
    }
    if (run.mode == walk::Mode::train && !run.lora) {
        for (const int stage : {1, 2, 3}) {
            const auto gpus = smallestThat(kMostGpus, [&](std::int64_t value) {
                walk::RunShape changed = run;
                changed.gpus = value;
                changed.zero = value > 1 ? stage : 0;
                return left(changed);
            });
            limits.gpus.push_back(
                {stage, gpus ? std::optional(static_cast<int>(*gpus)) : std::nullopt});
        }
    }
    return limits;
}

} // namespace tidemark::plan
