// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/predict/laws.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// Whether an optimizer makes and drops it within its step.
inline bool isOptimizerTransient(const Subject& s)
{
    return s.bucket == label::Bucket::temporary
        && (s.phase == label::Phase::optimizer || s.role == label::Role::optimizer_transient);
}

/// Where optimizers work, as states.
std::vector<Interval<StateId>> optimizerSpans(const Facts& facts);

/// O(log spans).
inline std::vector<Interval<StateId>>::const_iterator
firstEndingAfter(const std::vector<Interval<StateId>>& spans, StateId state)
{
    return std::ranges::upper_bound(spans, state, {}, &Interval<StateId>::end);
}

} // namespace tidemark::diagnose
