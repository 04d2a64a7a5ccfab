// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/batch_words.h"

#include "core/base/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

/// What a list of changes does to a step's batch.
struct BatchChange {
    double ratio = 1;
    int accumulation = 1; ///< Micro-batches for one of the recorded run.
    bool is_one = false;
};

BatchChange batchChangeOf(const std::string& apply)
{
    BatchChange batch;
    const auto changes = parseChanges(apply);
    if (!changes.has_value()) {
        return batch;
    }
    for (const Change& change : changes.value()) {
        if (change.kind == ChangeKind::micro_batch) {
            batch.ratio = change.number;
            batch.is_one = true;
        } else if (change.kind == ChangeKind::accumulation) {
            batch.accumulation = change.count();
        }
    }
    return batch;
}

/// Whole samples.
std::int64_t microBatchOf(std::int64_t known, double ratio)
{
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(known) * ratio));
}

void addBatchFigures(const FixInput& input, const std::string& apply, Figures& figures)
{
    const BatchChange batch = batchChangeOf(apply);
    const int known = input.config == nullptr ? 0 : input.config->micro_batch.value_or(0);
    const int accumulation = input.config == nullptr ? 1 : input.config->accumulation.value_or(1);
    if (known > 0) {
        const std::int64_t micro = microBatchOf(known, batch.ratio);
        figures["micro"] = fmt::format("{} → {}", known, micro);
        figures["new_micro"] = fmt::format("{}", micro);
    } else {
        figures["micro"] = fractionText(batch.ratio);
        figures["new_micro"] = "...";
    }
    const bool is_told = input.config != nullptr && input.config->accumulation.has_value();
    figures["accumulation"] = fmt::format("{}", accumulation * batch.accumulation);
    figures["accumulating"] = known > 0 || is_told
        ? fmt::format("{} → {}", accumulation, accumulation * batch.accumulation)
        : fmt::format("{}", batch.accumulation);
    figures["per_step"] = effectiveBatchText(input, apply);
}

} // namespace

std::string fractionText(double ratio)
{
    for (int below = 1; below <= 64; ++below) {
        const double above = ratio * below;
        if (std::abs(above - std::round(above)) < 1e-4 * below && above >= 1) {
            return below == 1 ? fmt::format("{:.0f}", above)
                              : fmt::format("{:.0f}/{}", above, below);
        }
    }
    return fmt::format("{:.3g}", ratio);
}

std::string effectiveBatchText(const FixInput& input, const std::string& apply)
{
    const BatchChange batch = batchChangeOf(apply);
    if (!batch.is_one) {
        return {};
    }
    const auto before = input.config == nullptr ? std::nullopt : input.config->effectiveBatch();
    if (before && input.config->micro_batch) {
        const std::int64_t known = *input.config->micro_batch;
        const std::int64_t now =
            *before / known * microBatchOf(known, batch.ratio) * batch.accumulation;
        return now == *before ? say("{} sequences per step, unchanged", *before)
                              : say("{} sequences per step, was {}", now, *before);
    }
    const double factor = batch.ratio * batch.accumulation;
    static constexpr double kExact = 1e-4; // ratios are written with six digits
    if (std::abs(factor - 1) > kExact) {
        return say("{:.2f}× the sequences per step", factor);
    }
    return batch.accumulation == 1
        ? say("unchanged")
        : say("unchanged if the micro-batch is divisible by {}", batch.accumulation);
}

void addChangeFigures(const FixInput& input, const std::string& apply, Figures& figures)
{
    const auto changes = parseChanges(apply);
    if (!changes.has_value()) {
        return;
    }
    for (const Change& change : changes.value()) {
        switch (change.kind) {
        case ChangeKind::micro_batch:
            addBatchFigures(input, apply, figures);
            [[fallthrough]];
        case ChangeKind::sequence:
            figures["ratio"] = fmt::format("{:.4g}", change.number);
            figures["fraction"] = fractionText(change.number);
            break;
        case ChangeKind::eval_accumulation:
            figures["batches"] = fmt::format("{:.0f}", change.number);
            break;
        default:
            break;
        }
    }
}

std::vector<std::string> smallerMicroBatches(const FixInput& input)
{
    static constexpr int kMost = 16; // a sixteenth of a batch is as good as one sequence
    const int known = input.config == nullptr ? 0 : input.config->micro_batch.value_or(0);
    std::vector<std::string> changes;
    for (int parts = 2; parts <= std::max(kMost, known); ++parts) {
        const bool divides = known > 0 ? known % parts == 0 : (parts & (parts - 1)) == 0;
        if (divides) {
            changes.push_back(
                fmt::format("micro-batch={:.6g},accumulation={}", 1.0 / parts, parts));
        }
    }
    static constexpr std::size_t kTries = 6; // of many divisors the ends and some between
    while (changes.size() > kTries) {
        changes.erase(changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2));
    }
    return changes;
}

} // namespace tidemark::diagnose
