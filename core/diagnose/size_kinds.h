// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts.h"
#include "core/diagnose/laws.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// Allocations whose size every law changes alike: of one bucket, role, phase, size and use, in or
/// outside a pass, with the same share of attention matrices, logits and copies of weights.
/// Training repeats itself, so there are far fewer kinds than allocations, and a law is asked once
/// for each.
struct SizeKinds {
    std::vector<std::uint32_t> of; ///< Per allocation.
    std::vector<Subject> examples; ///< Per kind, its first allocation.

    [[nodiscard]] std::size_t count() const
    {
        return examples.size();
    }
};

/// O(allocations).
SizeKinds sizeKinds(const Facts& facts);

/// An allocation as laws see it; `use` is among `inputUses`.
Subject subjectOf(const Facts& facts, AllocationId a, InputUse use);

} // namespace tidemark::diagnose
