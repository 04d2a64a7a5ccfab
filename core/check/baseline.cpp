// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/check/baseline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace tidemark::check {
namespace {

constexpr std::int64_t kLeastRoom = 2 << 20;
constexpr std::int64_t kLeastGrowth = 64 << 10;

/// Quantiles 0.99 of Student's t, by degrees of freedom from 1 on.
constexpr std::array kStudent{31.821, 6.965, 4.541, 3.747, 3.365, 3.143, 2.998,
                              2.896,  2.821, 2.764, 2.718, 2.681, 2.650, 2.624,
                              2.602,  2.583, 2.567, 2.552, 2.539, 2.528};

std::vector<std::int64_t> valuesOf(std::span<const std::vector<DeviceMeasures>> baselines,
                                   const Budget& budget)
{
    std::vector<std::int64_t> values;
    for (const auto& devices : baselines) {
        for (const DeviceMeasures& measures : devices) {
            const auto value = measures.of(budget);
            if (measures.device == budget.device && value) {
                values.push_back(*value);
            }
        }
    }
    return values;
}

std::int64_t limitOf(std::span<const std::int64_t> values, std::optional<double> tolerance,
                     std::int64_t least_room)
{
    const auto largest = static_cast<double>(*std::ranges::max_element(values));
    const double limit = values.size() > 1 && !tolerance
        ? upperBound(values)
        : largest * (1 + tolerance.value_or(kDefaultTolerance));
    return std::max(std::llround(limit), std::llround(largest) + least_room);
}

} // namespace

double upperBound(std::span<const std::int64_t> values)
{
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const std::int64_t value : values) {
        squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
    }
    const double t = kStudent[std::min(values.size() - 2, kStudent.size() - 1)];
    return mean + t * std::sqrt(squares / (n - 1)) * std::sqrt(1 + 1 / n);
}

std::vector<Budget> learnBudgets(std::span<const std::vector<DeviceMeasures>> baselines,
                                 std::optional<double> tolerance)
{
    std::set<std::int32_t> devices;
    for (const auto& baseline : baselines) {
        for (const DeviceMeasures& measures : baseline) {
            devices.insert(measures.device);
        }
    }
    std::vector<Budget> budgets;
    for (const std::int32_t device : devices) {
        for (const Measure measure : {Measure::peak, Measure::reserved, Measure::growth}) {
            Budget budget;
            budget.measure = measure;
            budget.device = device;
            budget.is_learnt = true;
            const std::vector<std::int64_t> values = valuesOf(baselines, budget);
            if (!values.empty()) {
                budget.limit = limitOf(values, tolerance,
                                       measure == Measure::growth ? kLeastGrowth : kLeastRoom);
                budgets.push_back(budget);
            }
        }
        Budget ooms;
        ooms.measure = Measure::ooms;
        ooms.device = device;
        ooms.is_learnt = true;
        const std::vector<std::int64_t> counts = valuesOf(baselines, ooms);
        if (std::ranges::none_of(counts, [](std::int64_t count) { return count > 0; })) {
            budgets.push_back(ooms);
        }
    }
    return budgets;
}

std::size_t typicalBaseline(std::span<const std::vector<DeviceMeasures>> baselines)
{
    std::vector<std::pair<std::int64_t, std::size_t>> peaks;
    for (std::size_t i = 0; i < baselines.size(); ++i) {
        std::int64_t peak = 0;
        for (const DeviceMeasures& measures : baselines[i]) {
            peak = std::max(peak, measures.peak);
        }
        peaks.emplace_back(peak, i);
    }
    std::ranges::sort(peaks);
    return peaks[(peaks.size() - 1) / 2].second;
}

} // namespace tidemark::check
