// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/frameless/frameless_trace.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace tidemark::label {

constexpr std::size_t kShortestPass = 5; ///< Fewer allocations are no pass of their own.

/// Allocations by index: half-open.
struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;

    [[nodiscard]] std::size_t count() const
    {
        return end - begin;
    }
};

/// What was found out about the way to one backward.
struct PassParts {
    Part before; ///< What comes before the batch: setup, or an optimizer and evaluation.
    Part input;
    Part forward;
    bool is_derived = false; ///< A pass without gradients made what looks like a batch.
};

/// How many allocations of a part tell something, and what.
struct PartMix {
    std::size_t judged = 0;
    std::size_t passing = 0; ///< Of those: not as large as something of the model.
    std::size_t sizes = 0; ///< Different ones of the passing.
    std::size_t model_sizes = 0; ///< Different ones of the others.
    double judged_weight = 0.0; ///< Sums of square roots of bytes.
    double passing_weight = 0.0;

    /// Enough memory of a pass, not just an optimizer's odd sizes.
    [[nodiscard]] bool isMostlyPassing() const
    {
        return passing >= kShortestPass && passing_weight * 2 >= judged_weight;
    }
    /// Layers make the same sizes again.
    [[nodiscard]] bool repeats() const
    {
        constexpr std::size_t kEnough = 32;
        return passing < kEnough || sizes * 2 <= passing;
    }
};

/// Reads parts of a trace without stacks: where an optimizer ends, what is a batch, where passes
/// begin. Every call is O(allocations of the part), with a logarithm for sets of sizes.
class FramelessGaps {
public:
    explicit FramelessGaps(const FramelessTrace& trace)
        : m_t(trace)
        , m_is_saved(trace.count())
    {
    }

    /// Learns from the backward passes what is saved for one and which sizes gradients have.
    /// O(allocations log backwards).
    void learn(const std::vector<BackwardSpan>& spans);

    /// Where the setup or optimizer that a part begins with ends.
    [[nodiscard]] std::size_t modelSizedPrefix(Part part) const;
    [[nodiscard]] PartMix mixOf(Part part) const;
    [[nodiscard]] bool hasOptimizerIn(Part part) const;
    /// Splits what lies before a backward that ends at an event.
    [[nodiscard]] PassParts approach(Part gap, std::int64_t ends, bool may_derive) const;
    [[nodiscard]] Part inputOf(Part pass) const;
    [[nodiscard]] std::vector<Part> passesIn(Part part) const;
    [[nodiscard]] bool keepsLittle(Part part) const;

private:
    [[nodiscard]] std::vector<bool> tells(Part part) const;
    [[nodiscard]] bool endsInOptimizer(Part part) const;
    /// A quarter or half as large as something of the model, or a pair of such, and never saved for
    /// a backward: a mask, a copy in another type.
    [[nodiscard]] bool isFractionOfModelSize(std::size_t i) const;
    [[nodiscard]] bool pairsWithRecent(std::size_t i) const;
    [[nodiscard]] bool isBatch(std::size_t i, std::int64_t ends) const
    {
        return !m_t.is_model_sized[i] && m_t.death[i] > ends && !m_is_saved[i];
    }
    [[nodiscard]] Part lastBatchIn(Part part, std::int64_t ends) const;
    [[nodiscard]] bool isDerived(Part batch, std::size_t cut) const;

    const FramelessTrace& m_t;
    std::vector<bool> m_is_saved; ///< Per allocation: made before a backward and freed in it.
    std::set<std::int64_t> m_saved_sizes;
    std::set<std::int64_t> m_gradient_sizes;
    std::vector<std::int64_t> m_model_sizes; ///< Sorted.
};

} // namespace tidemark::label
