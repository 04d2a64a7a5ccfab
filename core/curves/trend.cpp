// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/trend.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace tidemark::curves {
namespace {

/// How often each value occurs, values that occur once included.
std::vector<std::size_t> tieSizes(std::span<const std::int64_t> values)
{
    std::vector<std::int64_t> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    std::vector<std::size_t> sizes;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || sorted[i] != sorted[i - 1]) {
            sizes.push_back(0);
        }
        ++sizes.back();
    }
    return sizes;
}

/// Number of orders of a multiset by their inversions: the Gaussian multinomial coefficient, as the
/// product of (1 − q^(m + j)) / (1 − q^j) over the j of each tied group, m the size of those before
/// it. All values are integers below 18! < 2^53, so doubles hold them exactly.
std::vector<double> ordersByInversions(const std::vector<std::size_t>& sizes, std::size_t pairs)
{
    std::vector<double> orders(pairs + 1, 0);
    orders[0] = 1;
    std::size_t before = 0;
    for (const std::size_t size : sizes) {
        for (std::size_t j = 1; j <= size; ++j) {
            const std::size_t up = before + j;
            for (std::size_t k = orders.size(); k-- > up;) {
                orders[k] -= orders[k - up];
            }
            for (std::size_t k = j; k < orders.size(); ++k) {
                orders[k] += orders[k - j];
            }
        }
        before += size;
    }
    return orders;
}

double exactSignificance(const std::vector<std::size_t>& sizes, std::size_t untied, std::int64_t s)
{
    // S = untied pairs − 2 × inversions, so a rise at least as large has at most this many.
    const auto most = static_cast<std::size_t>((static_cast<std::int64_t>(untied) - s) / 2);
    const std::vector<double> orders = ordersByInversions(sizes, untied);
    double all = 0;
    double as_large = 0;
    for (std::size_t k = 0; k < orders.size(); ++k) {
        all += orders[k];
        as_large += k <= most ? orders[k] : 0;
    }
    return as_large / all;
}

} // namespace

std::int64_t kendallS(std::span<const std::int64_t> values)
{
    std::int64_t s = 0;
    for (std::size_t j = 1; j < values.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            s += values[j] > values[i] ? 1 : values[j] < values[i] ? -1 : 0;
        }
    }
    return s;
}

double trendSignificance(std::span<const std::int64_t> values)
{
    static constexpr std::size_t kMostExact = 18;
    const std::vector<std::size_t> sizes = tieSizes(values);
    if (sizes.size() < 2) {
        return 1;
    }
    const std::int64_t s = kendallS(values);
    const std::size_t n = values.size();
    std::size_t untied = n * (n - 1) / 2;
    for (const std::size_t t : sizes) {
        untied -= t * (t - 1) / 2;
    }
    if (n <= kMostExact) {
        return exactSignificance(sizes, untied, s);
    }
    const auto term = [](std::size_t t) {
        const auto x = static_cast<double>(t);
        return x * (x - 1) * (2 * x + 5);
    };
    double variance = term(n);
    for (const std::size_t t : sizes) {
        variance -= term(t);
    }
    const double z = (static_cast<double>(s) - 1) / std::sqrt(variance / 18);
    return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double medianSlope(std::span<const std::uint32_t> at, std::span<const std::int64_t> values)
{
    std::vector<double> slopes;
    for (std::size_t j = 1; j < values.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            slopes.push_back(static_cast<double>(values[j] - values[i])
                             / static_cast<double>(at[j] - at[i]));
        }
    }
    if (slopes.empty()) {
        return 0;
    }
    const std::size_t half = slopes.size() / 2;
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(half);
    std::nth_element(slopes.begin(), middle, slopes.end());
    if (slopes.size() % 2 == 1) {
        return *middle;
    }
    return (*middle + *std::max_element(slopes.begin(), middle)) / 2;
}

} // namespace tidemark::curves
