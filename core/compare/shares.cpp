// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/shares.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace tidemark::compare {
namespace {

/// Sums that are equal on paper differ by their last bits, and must be rounded alike.
constexpr double kQuantum = 1000;

std::int64_t roundedAlike(double bytes)
{
    return std::llround(std::round(bytes * kQuantum) / kQuantum);
}

/// Of the orders of `count` changes, the share in which just `before` certain ones come before
/// another one.
double shareOfOrders(int before, int count)
{
    return std::exp(std::lgamma(before + 1) + std::lgamma(count - before) - std::lgamma(count + 1));
}

/// What factor `i` adds to `start` on average over all orders.
double averageOf(std::size_t i, double start, std::span<const double> ratios)
{
    const int count = static_cast<int>(ratios.size());
    double sum = 0;
    for (std::uint32_t before = 0; before < (1U << ratios.size()); ++before) {
        if ((before >> i & 1U) != 0) {
            continue;
        }
        double size = start;
        for (std::size_t j = 0; j < ratios.size(); ++j) {
            size *= (before >> j & 1U) != 0 ? ratios[j] : 1;
        }
        sum += shareOfOrders(std::popcount(before), count) * size * (ratios[i] - 1);
    }
    return sum;
}

} // namespace

std::vector<ChangeShare> sharesOf(std::int64_t a, std::int64_t b,
                                  std::span<const ChangeFactor> factors)
{
    // From the larger one, so that both ways are computed alike.
    const bool is_back = b > a;
    std::vector<double> ratios;
    for (const ChangeFactor& factor : factors) {
        ratios.push_back(is_back ? 1 / factor.ratio : factor.ratio);
    }
    const auto start = static_cast<double>(std::max(a, b));
    std::vector<ChangeShare> shares;
    std::int64_t left = b - a;
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const std::int64_t bytes = roundedAlike(averageOf(i, start, ratios));
        shares.push_back({factors[i].of, is_back ? -bytes : bytes});
        left -= shares.back().bytes;
    }
    const auto largest = std::ranges::max_element(
        shares, {}, [](const ChangeShare& share) { return std::abs(share.bytes); });
    if (largest != shares.end()) {
        largest->bytes += left;
    }
    return shares;
}

} // namespace tidemark::compare
