// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/fit/families.h"
#include "core/fit/read_shape.h"
#include "core/fit/recording.h"
#include "core/fit/weights.h"
#include "core/walk/model_shape.h"
#include "core/walk/run_shape.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tidemark::fit {

/// What frames, weights and sizes say of a recording.
struct Evidence {
    const Recording& recording;
    const Frames& frames;
    const Sizes& sizes;
    const Weights& weights;
    const Family& family;
    const ShapeReading& shape;
};

/// A model and a run that the recording may be of.
struct Candidate {
    std::int64_t heads = 0;
    bool drops = true; ///< With the family's dropout.
    std::vector<std::string> targets; ///< Of adapters, as PEFT is told.
    walk::RunShape run;
};
/// One of the values that something open may have.
using Value = std::function<void(Candidate&)>;
/// What a recording leaves open, with its values, likeliest first; at least one.
using Unknown = std::vector<Value>;

/// In the order in which they are worth trying; a first candidate has the first value of each.
/// Nothing where the tokens of a batch are not known, or frozen weights have no adapters.
std::vector<Unknown> unknownsOf(const Evidence& evidence);

/// The candidate as a plan would have it. Errors: badArgument, where there is no such model or run.
Result<walk::ModelShape> modelOf(const Evidence& evidence, Candidate& candidate);

} // namespace tidemark::fit
