// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"
#include "core/diagnose/predict/laws.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// Allocations whose size every law changes alike: of one bucket, role, phase, size and use (as the
/// program has it, and as an input of layers), in or outside a pass, with the same share of
/// attention matrices, logits and copies of weights. Training repeats itself, so there are far
/// fewer kinds than allocations, and a law is asked once for each.
struct SizeKinds {
    /// What the event before a state does, in one number, so that going through all states reads
    /// little.
    class Step {
    public:
        constexpr Step() = default;
        constexpr Step(std::uint32_t kind, bool begins, bool outlasts)
            : m_code(kind << 2U | (outlasts ? 2U : 0U) | (begins ? 1U : 0U))
        {
        }
        [[nodiscard]] constexpr bool isNone() const
        {
            return m_code == kNone;
        }
        [[nodiscard]] constexpr std::uint32_t kind() const
        {
            return m_code >> 2U;
        }
        /// An allocation of the kind begins in the state, or ends.
        [[nodiscard]] constexpr bool begins() const
        {
            return (m_code & 1U) != 0;
        }
        /// What begins is there beyond a boundary of the facts.
        [[nodiscard]] constexpr bool outlasts() const
        {
            return (m_code & 2U) != 0;
        }

    private:
        static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
        std::uint32_t m_code = kNone;
    };

    std::vector<std::uint32_t> of; ///< Per allocation.
    std::vector<Step> steps; ///< Per state; none where several allocations begin or end, too.
    std::vector<Subject> examples; ///< Per kind, its first allocation.

    [[nodiscard]] std::size_t count() const
    {
        return examples.size();
    }
};

/// O(states).
SizeKinds sizeKinds(const Facts& facts);

/// An allocation as laws see it, of the same kind as `example`.
Subject subjectOf(const Facts& facts, AllocationId a, const Subject& example);
/// With what its size, moment and stack tell of its shares.
Subject withShares(const Facts& facts, Subject subject);

} // namespace tidemark::diagnose
