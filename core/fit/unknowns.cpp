// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/fit/unknowns.h"

#include "core/shapes/linear_names.h"
#include "core/shapes/objection.h"
#include "core/shapes/read_model.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tidemark::fit {
namespace {

using program::DimensionName;
using walk::Attention;
using walk::Optimizer;
using walk::Precision;
using walk::Target;

/// An unknown whose values are those of a member of the run.
template <class Member>
Unknown ofRun(Member walk::RunShape::*member, const std::vector<Member>& values)
{
    Unknown unknown;
    for (const Member& value : values) {
        unknown.emplace_back([member, value](Candidate& c) { c.run.*member = value; });
    }
    return unknown;
}

std::int64_t tokensOf(const Evidence& evidence)
{
    constexpr std::int64_t kWidthOfIds = 8;
    constexpr std::size_t kLooked = 3;
    std::int64_t tokens = valueOf(evidence.recording.program, DimensionName::tokens);
    const std::vector<std::int64_t>& inputs = evidence.sizes.inputs;
    for (std::size_t i = 0; i < std::min(kLooked, inputs.size()); ++i) {
        if (valueOf(evidence.recording.program, DimensionName::tokens) == 0
            && inputs[i] % kWidthOfIds == 0) {
            tokens = std::max(tokens, inputs[i] / kWidthOfIds);
        }
    }
    return tokens;
}

/// Batch × sequence that the tokens may be.
Unknown splitsOf(const Evidence& evidence)
{
    constexpr std::int64_t kMostSequences = 512;
    constexpr std::int64_t kShortest = 16;
    constexpr double kUsualLength = 256;
    constexpr std::size_t kTried = 7;
    const std::int64_t tokens = tokensOf(evidence);
    std::vector<std::int64_t> said;
    for (const std::int64_t length :
         valuesOf(evidence.recording.program, DimensionName::sequence)) {
        if (tokens % length == 0) {
            said.push_back(tokens / length);
        }
    }
    std::vector<std::tuple<std::int64_t, double, std::int64_t>> ranked;
    for (std::int64_t batch = 1; batch <= kMostSequences && tokens > 0; ++batch) {
        const std::int64_t length = tokens / batch;
        if (tokens % batch != 0 || length < kShortest || length > evidence.shape.positions) {
            continue;
        }
        const Sizes& sizes = evidence.sizes;
        // Labels that are shifted by a row per sample (loss_utils.py), positions, and what is
        // looked up of their table.
        std::int64_t points = sizes.has(8 * (tokens + batch)) ? 2 : 0;
        if (batch > 1) { // Else they are as large as ids and hidden states.
            points += sizes.has(8 * length) ? 1 : 0;
            points += sizes.has(4 * length * evidence.weights.hidden) ? 1 : 0;
        }
        if (!said.empty() && said.front() == batch) {
            points += 3;
        } else if (std::ranges::find(said, batch) != said.end()) {
            points += 1;
        }
        ranked.emplace_back(-points,
                            std::abs(std::log2(static_cast<double>(length) / kUsualLength)), batch);
    }
    std::ranges::sort(ranked);
    ranked.resize(std::min(ranked.size(), kTried));
    Unknown splits;
    for (const auto& row : ranked) {
        const std::int64_t batch = std::get<2>(row);
        splits.emplace_back([batch, tokens](Candidate& c) {
            c.run.batch = batch;
            c.run.sequence = tokens / batch;
        });
    }
    return splits;
}

Unknown batchesOf(const std::vector<std::int64_t>& batches)
{
    return ofRun(&walk::RunShape::batch, batches);
}

Unknown attentionsOf(const Frames& frames)
{
    return ofRun(&walk::RunShape::attention,
                 frames.call({"sdpa_attention_forward"})        ? std::vector{Attention::sdpa}
                     : frames.call({"eager_attention_forward"}) ? std::vector{Attention::eager}
                     : frames.call({"flash_attention_forward"})
                     ? std::vector{Attention::flash}
                     : std::vector{Attention::eager, Attention::sdpa});
}

Unknown optimizersOf(const Evidence& evidence)
{
    const Frames& frames = evidence.frames;
    const std::int64_t states = evidence.weights.states;
    std::vector<Optimizer> found{Optimizer::adamw, Optimizer::adamw_foreach,
                                 Optimizer::adamw_for_loop};
    if (frames.call({"adafactor"}) || frames.hasFile("adafactor")) {
        found = {Optimizer::adafactor};
    } else if (states == 1) {
        found = {Optimizer::sgd_momentum};
    } else if (frames.call({"_multi_tensor_adam"})) {
        found = {Optimizer::adamw_foreach};
    } else if (frames.call({"_fused_adam"})) {
        found = {Optimizer::adamw};
    } else if (frames.call({"_single_tensor_adam"})) {
        found = {Optimizer::adamw_for_loop};
    } else if (states == 0) {
        found = {Optimizer::sgd};
    }
    return ofRun(&walk::RunShape::optimizer, found);
}

/// Kernels of CUDA or of the CPU, whose recordings have no workspaces of cuBLAS; with a mask or
/// without one.
Unknown kernelsOf(const Sizes& sizes)
{
    const Target first = sizes.workspace > 0 ? Target::cuda : Target::cpu;
    const Target second = sizes.workspace > 0 ? Target::cpu : Target::cuda;
    Unknown kernels;
    for (const bool is_padded : {false, true}) {
        for (const Target target : {first, second}) {
            kernels.emplace_back([target, is_padded](Candidate& c) {
                c.run.target = target;
                c.run.is_padded = is_padded;
            });
        }
    }
    return kernels;
}

Unknown targetsOf()
{
    const std::vector<std::vector<std::string>> known{
        {"all-linear"},       {},
        {"q_proj", "v_proj"}, {"q_proj", "k_proj", "v_proj", "o_proj"},
        {"c_attn"},           {"query", "value"}};
    Unknown targets;
    for (const std::vector<std::string>& names : known) {
        targets.emplace_back([names](Candidate& c) { c.targets = names; });
    }
    return targets;
}

} // namespace

std::vector<Unknown> unknownsOf(const Evidence& evidence)
{
    const Frames& frames = evidence.frames;
    const Weights& weights = evidence.weights;
    std::vector<Unknown> unknowns{
        evidence.shape.batches.empty() ? splitsOf(evidence) : batchesOf(evidence.shape.batches)};
    if (unknowns.front().empty() || (weights.adapts && weights.rank == 0)) {
        return {};
    }
    // Before heads, which may make up for the wrong kernels' bytes.
    unknowns.push_back(kernelsOf(evidence.sizes));
    Unknown& heads = unknowns.emplace_back();
    for (const std::int64_t count : evidence.shape.heads) {
        heads.emplace_back([count](Candidate& c) { c.heads = count; });
    }
    if (weights.adapts) {
        unknowns.push_back(targetsOf());
    }
    unknowns.push_back(ofRun(&walk::RunShape::precision,
                             weights.width == 2
                                 ? std::vector{Precision::bf16}
                                 : std::vector{Precision::fp32, Precision::autocast_bf16}));
    unknowns.push_back(attentionsOf(frames));
    Unknown& drops = unknowns.emplace_back();
    if (evidence.family.drops() && frames.call({"dropout"})) {
        drops.emplace_back([](Candidate& c) { c.drops = true; });
    }
    drops.emplace_back([](Candidate& c) { c.drops = false; });
    unknowns.push_back(optimizersOf(evidence));
    // What is certain.
    const bool remakes =
        frames.call({"recompute_fn", "unpack_hook"}) && frames.hasFile("checkpoint.py");
    unknowns.push_back(ofRun(&walk::RunShape::checkpoints, {remakes}));
    unknowns.push_back(ofRun(&walk::RunShape::accumulation, {evidence.sizes.micro_batches}));
    const bool trains =
        frames.call({"_inner_training_loop", "training_step"}) && frames.hasFile("trainer.py");
    unknowns.push_back(ofRun<std::optional<walk::Loop>>(
        &walk::RunShape::loop, {trains ? walk::Loop::trainer : walk::Loop::plain}));
    return unknowns;
}

Result<walk::ModelShape> modelOf(const Evidence& evidence, Candidate& candidate)
{
    const ShapeReading& shape = evidence.shape;
    const Family& family = evidence.family;
    nlohmann::json config = shape.config;
    for (const std::string_view name : family.dropouts) {
        if (!name.empty()) {
            config[std::string(name)] = candidate.drops ? 0.1 : 0.0;
        }
    }
    if (!family.heads.empty()) {
        const std::int64_t width = shape.query_width / candidate.heads;
        config[std::string(family.heads)] = candidate.heads;
        config["decoder_attention_heads"] = candidate.heads;
        config["num_key_value_heads"] = std::max<std::int64_t>(1, shape.key_width / width);
        config["head_dim"] = width;
    }
    Result<walk::ModelShape> model = shapes::readModelShape(config.dump());
    if (!model.has_value()) {
        return model;
    }
    walk::RunShape& run = candidate.run;
    run.lora.reset();
    if (model.value().images) {
        run.sequence = model.value().images->tokens();
    }
    run.target_sequence = model.value().decoder ? run.sequence : 0;
    if (evidence.weights.adapts) {
        run.lora = walk::Lora{evidence.weights.rank,
                              candidate.targets.empty()
                                  ? shapes::usualTargets(model.value())
                                  : shapes::targetsOf(model.value(), candidate.targets)};
    }
    if (std::string why = shapes::objectionTo(model.value(), run); !why.empty()) {
        return Error{ErrorCode::badArgument, std::move(why), {}};
    }
    return model;
}

} // namespace tidemark::fit
