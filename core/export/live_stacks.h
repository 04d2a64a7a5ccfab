// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/export/formats.h"

#include <cstdint>
#include <vector>

namespace tidemark::exports {

/// Live memory of one stack and bucket.
struct LiveStack {
    StackId stack; ///< None: not recorded.
    label::Bucket bucket = label::Bucket::unknown;
    std::int64_t bytes = 0;
    std::int64_t count = 0;
};

/// The first state with the largest total of a part.
StateId peakOf(const diagnose::Analysis& analysis, const Part& part);
/// What lives there, in the order of stacks and buckets. O(live log live).
std::vector<LiveStack> liveStacks(const diagnose::Analysis& analysis, const Part& part);

/// "forward model.py:10", on one line.
std::string frameText(const trace::Snapshot& snapshot, const Frame& frame);

/// The frame of what was recorded without a stack.
inline constexpr const char* kNoStack = "no stack recorded";

} // namespace tidemark::exports
