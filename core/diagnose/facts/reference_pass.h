// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

#include <cstdint>

namespace tidemark::diagnose {

/// The training pass that the moment cuts off, or null.
const Pass* cutPass(const Facts& facts);

/// A pass like the cut one that ran to its end, compared at the same place in the program.
struct ReferencePass {
    const Pass* pass = nullptr; ///< Null if there is none.
    StateId same_place; ///< State in `pass` before the request that failed now.
    std::int64_t same_request = 0; ///< What that request was then, bytes.
    /// Bytes beside gradients that the cut pass found when it began and dropped until the moment,
    /// beyond what this one did: results that a loop's name keeps until it has the next ones.
    std::int64_t older_results = 0;
    /// In its backward, or that of the cut pass where there is none: where the most is live beside
    /// gradients, but for the one just made. In an optimizer step that was cut off: in the backward
    /// before it.
    StateId most_beside_gradients;
    std::int64_t gradient_then = 0; ///< That one, bytes; 0 if something else was made there.
    /// Gradients that the cut pass found are added to, as in one step; else they are taken to be
    /// cleared before its backward makes others.
    bool adds_to_gradients = false;
    /// That they are is only likely: `zero_grad()` zeroes them by default before torch 2.0.
    bool perhaps_cleared = false;
    /// What the cut pass had added to the live bytes, the request included, to what this one had.
    double ratio = 0;
};
/// The latest complete pass whose allocations come from the same stacks in the same order.
ReferencePass findReferencePass(const Facts& facts);

/// The cut pass against the largest of the complete ones before it, at the same places.
struct BatchRatio {
    double ratio = 0; ///< Of bytes allocated so far; 0 without a pass to compare with.
    std::uint32_t passes = 0; ///< How many were compared.
    std::int64_t input_now = 0; ///< Bytes of the inputs that are live.
    std::int64_t input_then = 0; ///< The largest before.
};
BatchRatio compareBatch(const Facts& facts);

} // namespace tidemark::diagnose
