// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/request.h"

#include "core/base/ascii.h"
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/plan/adapters.h"
#include "core/plan/capacity_text.h"
#include "core/plan/catalog.h"
#include "core/shapes/linear_names.h"
#include "core/shapes/objection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tidemark::plan {
namespace {

/// Where nobody says how long a sequence is.
constexpr std::int64_t kUsualSequence = 1024;

Error bad(std::string sentence)
{
    return {ErrorCode::badArgument, std::move(sentence), {}};
}

/// The optimizer as a configuration names it; nothing: it is none of those that are planned.
std::optional<walk::Optimizer> optimizerOf(const config::RunConfig& config)
{
    const std::string name = lowered(config.optimizer);
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    if (has("adafactor")) {
        return walk::Optimizer::adafactor;
    }
    if (has("8bit") && has("adam")) {
        return walk::Optimizer::adamw_8bit;
    }
    if (name == "adamw_torch" || has("foreach")) {
        return walk::Optimizer::adamw_foreach;
    }
    if (has("adam") && !has("mini") && !has("apollo") && !has("galore") && !has("ademamix")) {
        return walk::Optimizer::adamw;
    }
    if (name != "sgd") {
        return std::nullopt;
    }
    return config.momentum.value_or(0) > 0 ? walk::Optimizer::sgd_momentum : walk::Optimizer::sgd;
}

/// The device that the setting names which has an offload on.
walk::Offload offloadNamed(std::string_view by)
{
    return by.find("nvme") != std::string_view::npos ? walk::Offload::nvme : walk::Offload::cpu;
}

/// What the trainer was told.
Result<Done> applyConfig(const config::RunConfig& config, Question& question)
{
    walk::RunShape& run = question.run;
    run.batch = config.micro_batch.value_or(1);
    run.accumulation = config.accumulation.value_or(1);
    run.gpus = config.ranks.value_or(1);
    run.sequence = config.sequence.value_or(static_cast<int>(run.sequence));
    const auto is_on = [&](std::string_view fix) { return !config.whatHasOn(fix).empty(); };
    if (is_on("bf16-pure")) {
        run.precision = walk::Precision::bf16;
    } else if (is_on("bf16")) {
        run.precision = walk::Precision::autocast_bf16;
    }
    run.checkpoints = is_on("checkpointing-full");
    if (is_on("attention-flash")) {
        run.attention = walk::Attention::flash;
    }
    run.fuses_loss = is_on("fused-loss");
    if (is_on("offload-optimizer")) {
        run.states = offloadNamed(config.whatHasOn("offload-optimizer"));
    }
    if (is_on("offload-parameters")) {
        run.weights = offloadNamed(config.whatHasOn("offload-parameters"));
    }
    const bool offloads = run.states != walk::Offload::none || run.weights != walk::Offload::none;
    run.zero = run.gpus > 1 || offloads ? config.zero_stage.value_or(0) : 0;
    if (!config.optimizer.empty()) {
        const auto optimizer = optimizerOf(config);
        if (!optimizer) {
            return bad(
                say("Unsupported optimizer in the configuration: choose one with --optimizer."));
        }
        run.optimizer = *optimizer;
        question.optimizer_is_assumed = false;
    }
    return Done{};
}

Result<Done> applyAdapters(const Request& request, Question& question)
{
    if (!request.lora_rank && !request.lora_parameters) {
        return request.lora_targets.empty() ? Result<Done>(Done{})
                                            : bad(say("Adapter targets need a rank: --lora."));
    }
    walk::Lora& lora = question.run.lora.emplace();
    lora.rank = request.lora_rank.value_or(1);
    lora.targets = shapes::targetsOf(question.model, request.lora_targets);
    if (lora.targets.empty()) {
        lora.targets = shapes::usualTargets(question.model);
        question.assumed.push_back(say("Adapters on {}.", fmt::join(lora.targets, ", ")));
    }
    if (std::string why = shapes::objectionTo(question.model, question.run); !why.empty()) {
        return bad(std::move(why)); // Before the model is walked through.
    }
    const std::int64_t each = adapterParametersPerRank(question.model, lora.targets);
    if (!request.lora_rank) {
        lora.rank = std::max<std::int64_t>(1, (*request.lora_parameters + each / 2) / each);
    }
    question.assumed.push_back(say("Adapters on {}: {} parameters per rank unit; rank {}: {}.",
                                   fmt::join(lora.targets, ", "), formatCount(each),
                                   formatCount(lora.rank), formatCount(each * lora.rank)));
    return Done{};
}

void applyWords(const Request& request, Question& question)
{
    walk::RunShape& run = question.run;
    const auto take = [](const auto& said, auto& value) {
        if (said) {
            value = *said;
        }
    };
    take(request.batch, run.batch);
    take(request.sequence, run.sequence);
    take(request.target_sequence, run.target_sequence);
    take(request.accumulation, run.accumulation);
    take(request.gpus, run.gpus);
    take(request.zero, run.zero);
    take(request.precision, run.precision);
    take(request.optimizer, run.optimizer);
    take(request.quantization, run.quantization);
    take(request.states, run.states);
    take(request.weights, run.weights);
    take(request.is_padded, run.is_padded);
    take(request.checkpoints, run.checkpoints);
    take(request.fuses_loss, run.fuses_loss);
    if (request.loop) {
        run.loop = request.loop;
    }
    take(request.own, run.own);
    take(request.mode, run.mode);
    take(request.target, run.target);
    take(request.division, run.division);
    if (question.model.needsScores()) {
        run.attention = walk::Attention::eager;
    }
    take(request.attention, run.attention);
    question.optimizer_is_assumed = question.optimizer_is_assumed && !request.optimizer;
}

Result<Done> applyCapacity(const std::string& words, Question& question)
{
    if (words.empty()) {
        return Done{};
    }
    const auto capacity = parseCapacity(words);
    if (!capacity.has_value()) {
        return capacity.error();
    }
    question.capacity = capacity.value().gpu;
    if (capacity.value().card != nullptr) {
        question.workspace = capacity.value().card->workspace;
    }
    return Done{};
}

void tellDefaults(const Request& request, Question& question)
{
    const config::RunConfig* const config = request.config ? &*request.config : nullptr;
    const bool says_batch = request.batch || (config != nullptr && config->micro_batch);
    const bool says_sequence =
        request.sequence || request.model.images || (config != nullptr && config->sequence);
    if (!says_batch || !says_sequence) {
        question.assumed.push_back(
            say("Batch: {} × {} tokens.", question.run.batch, question.run.sequence));
    }
    const bool says_precision =
        request.precision || (config != nullptr && !config->precision.empty());
    if (!says_precision) {
        const std::string& stored = request.model.stored_type;
        question.assumed.emplace_back(
            stored.empty() || stored == "float32"
                ? say("fp32 weights, no autocast.")
                : say("fp32 weights, no autocast; transformers 5 loads them in the checkpoint's 16 "
                      "bits (--precision bf16)."));
    }
}

} // namespace

Result<Question> questionOf(const Request& request)
{
    Question question;
    question.model = request.model;
    question.optimizer_is_assumed = true;
    question.run.sequence = request.model.images
        ? request.model.images->tokens()
        : std::min(kUsualSequence, request.model.positions);
    if (request.config) {
        if (const auto applied = applyConfig(*request.config, question);
            !applied.has_value() && !request.optimizer) {
            return applied.error();
        }
    }
    if (request.rollout) {
        const config::RunConfig* const config = request.config ? &*request.config : nullptr;
        applyRollout(*request.rollout,
                     {config != nullptr && config->sequence.has_value(),
                      config != nullptr && !config->precision.empty()},
                     question.run);
    }
    applyWords(request, question);
    if (const auto applied = applyAdapters(request, question); !applied.has_value()) {
        return applied.error();
    }
    if (const auto applied = applyCapacity(request.capacity, question); !applied.has_value()) {
        return applied.error();
    }
    tellDefaults(request, question);
    return question;
}

} // namespace tidemark::plan
