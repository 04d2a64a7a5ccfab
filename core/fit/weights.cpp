// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/fit/weights.h"

#include <utility>

namespace tidemark::fit {
namespace {

constexpr std::int64_t kLeastRows = 8; ///< Fewer are a vector's.
constexpr std::size_t kMostRows = 200; ///< Bound of work: matrices of a model have few sizes.

bool isMatrix(const program::WeightSize& weight)
{
    return weight.shape.size() == 2;
}

/// Nothing where the hidden size does not divide them.
void countRows(Weights& found)
{
    found.rows.clear();
    for (const auto& [bytes, count] : found.bytes) {
        const std::int64_t size = found.elementsOf(bytes);
        if (size % found.hidden == 0 && size / found.hidden > kLeastRows) {
            found.rows[size / found.hidden] += count;
        }
    }
}

} // namespace

std::int64_t mostFrequent(const Counts& counts)
{
    const auto most =
        std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second, a.first) < std::pair(b.second, b.first);
        });
    return most == counts.end() ? 0 : most->first;
}

std::vector<Weights> weightsOf(const program::Program& program)
{
    const program::Weights& weights = program.weights;
    if (weights.sizes.empty()) {
        return {};
    }
    Weights found;
    found.adapts = weights.trainable * 2 < weights.parameters;
    found.trained = weights.trainable;
    const auto isAdapter = [&](const program::WeightSize& weight) {
        return found.adapts && weight.trainable.value_or(false);
    };
    Counts columns;
    Counts states;
    Counts sides;
    for (const program::WeightSize& weight : weights.sizes) {
        if (weight.trainable.value_or(false)) {
            states[weight.states] += weight.bytes * weight.count;
        }
        if (isAdapter(weight)) {
            if (isMatrix(weight)) {
                sides[std::min(weight.shape[0], weight.shape[1])] += weight.count;
            }
            continue;
        }
        if (!weight.shape.empty() && weight.element_bytes == 2) {
            found.width = 2;
        }
        if (isMatrix(weight) && weight.shape[0] >= kLeastRows) {
            columns[weight.shape[1]] += weight.count;
        }
    }
    found.states = mostFrequent(states); // Of most bytes: a scalar's twin is no momentum.
    Counts elements;
    for (const program::WeightSize& weight : weights.sizes) {
        if (!isAdapter(weight)) {
            found.bytes[weight.bytes] += weight.count;
            elements[found.elementsOf(weight.bytes)] += weight.count;
        }
    }
    // PEFT's adapters have 32 bits, but their sizes are told in elements of the base.
    constexpr std::int64_t kAdapterWidth = 4;
    found.rank = mostFrequent(sides) * found.width / kAdapterWidth;
    if (found.adapts) {
        found.trained = found.trained * found.width / kAdapterWidth;
    }
    // Without matrices: norms are the most frequent weights.
    found.hidden = mostFrequent(columns.empty() ? elements : columns);
    if (found.hidden <= 0) {
        return {};
    }
    countRows(found);
    if (found.rows.size() > kMostRows) {
        return {};
    }
    std::vector<Weights> readings{found};
    // Sizes alone do not tell a model from one of half its width in 32 bits.
    const std::int64_t width = found.width == 2 ? 4 : 2;
    const std::int64_t hidden = found.hidden * found.width / width;
    if (!found.adapts && hidden > 0) {
        Weights other = found;
        other.width = static_cast<std::int32_t>(width);
        other.hidden = hidden;
        other.trained = found.trained * found.width / width;
        countRows(other);
        if (other.rows.size() <= kMostRows) {
            readings.push_back(std::move(other));
        }
    }
    return readings;
}

} // namespace tidemark::fit
