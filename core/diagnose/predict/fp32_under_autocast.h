// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/keyed_hash.h"
#include "core/diagnose/facts/facts.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tidemark::diagnose {

/// What autocast leaves of the activations of one size: all of what a layer's or a group's norm
/// reads, half of what norms, products with weights and activation functions make, of others as is
/// usual: models keep 0.55 to 0.7 of all. Of a norm that is written out what it makes stays in 32
/// bits (powers and roots do), but for its result, of which a product reads a copy:
///
///     x ─▶ x² ─▶ mean ─▶ root ─▶ x · root ─▶ … · weight ─▶ (copy) ─▶ linear
///     32                         32          16 instead of 32
///
/// Each product that reads what a norm made saves a copy of its own in 16 bits: autocast keeps only
/// the copies of weights (ATen's autocast_mode.cpp). Query, key and value save one and a half of
/// what they share in 32 bits.
class Fp32UnderAutocast {
public:
    static constexpr double kUsual = 0.62;
    static constexpr double kHalf = 0.5;

    /// O(allocations + frames of all stacks).
    explicit Fp32UnderAutocast(const Facts& facts);
    /// Of activations of that size, 0 to 1.
    [[nodiscard]] double of(std::int64_t bytes) const;

private:
    struct Sum {
        double left = 0; ///< Of as many as there are.
        int count = 0;
    };
    std::unordered_map<std::int64_t, Sum, KeyedNumberHash> m_sums; ///< By bytes.
};

} // namespace tidemark::diagnose
