// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "core/plan/capacity_text.h"
#include "core/plan/catalog.h"
#include "core/plan/plan.h"
#include "core/report/plan_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>

namespace tidemark::cli {
namespace {

/// Where nobody says how long a sequence is.
constexpr std::int64_t kUsualSequence = 1024;

struct Options {
    std::vector<std::string> configs;
    std::optional<std::int64_t> batch;
    std::optional<std::int64_t> sequence;
    std::optional<std::int64_t> accumulation;
    std::optional<std::int64_t> lora;
    std::optional<std::int64_t> gpus;
    std::optional<int> zero;
    std::string lora_targets;
    std::string precision;
    std::string optimizer;
    std::string attention;
    std::string checkpointing;
    std::string mode;
    std::string target;
    std::string capacity;
    bool fuses_loss = false;
    bool json = false;
    std::size_t points = 0;
};

/// The arguments told apart: one is the model, the others are what a trainer was told.
struct Given {
    std::string name; ///< Of the model.
    plan::ModelShape model;
    std::optional<diagnose::RunConfig> run;
};

Result<Done> takeModel(Given& given, std::string name, const plan::ModelShape& model)
{
    if (!given.name.empty()) {
        return Error{ErrorCode::badArgument, "Two models are given; give one.", {}};
    }
    given.name = std::move(name);
    given.model = model;
    return Done{};
}

Result<Given> readArguments(const std::vector<std::string>& arguments)
{
    Given given;
    std::vector<std::string> run_texts;
    for (const std::string& argument : arguments) {
        std::error_code ignored;
        const bool is_file =
            std::filesystem::is_regular_file(argument, ignored) || argument.starts_with('@');
        if (const plan::KnownModel* const known = is_file ? nullptr : plan::findModel(argument)) {
            const auto taken = takeModel(given, known->name, known->shape);
            if (!taken.has_value()) {
                return taken.error();
            }
            continue;
        }
        if (!is_file && plan::looksLikeModelName(argument)) {
            return Error{ErrorCode::badArgument,
                         fmt::format("'{}' is neither a file nor a known model; give the model's "
                                     "config.json, or a name such as {}.",
                                     argument, plan::similarModels(argument)),
                         {}};
        }
        auto text = fileOrText(argument);
        if (!text.has_value()) {
            return text.error();
        }
        if (!plan::isModelConfig(text.value())) {
            run_texts.push_back(std::move(text).value());
            continue;
        }
        const auto shape = plan::readModelShape(text.value());
        if (!shape.has_value()) {
            return shape.error();
        }
        const std::string file = fileNameIn(argument);
        const auto taken =
            takeModel(given, file.empty() ? shape.value().model_type : file, shape.value());
        if (!taken.has_value()) {
            return taken.error();
        }
    }
    if (given.name.empty()) {
        return Error{ErrorCode::badArgument,
                     "No model is given: give its config.json, or a name such as "
                     "Qwen/Qwen2.5-7B.",
                     {}};
    }
    if (!run_texts.empty()) {
        auto run = diagnose::readRunConfigs(run_texts);
        if (!run.has_value()) {
            return run.error();
        }
        given.run = std::move(run).value();
    }
    return given;
}

/// The optimizer as a configuration names it; nothing: it is none of those that are planned.
std::optional<plan::Optimizer> optimizerNamed(std::string name)
{
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    if (has("adafactor")) {
        return plan::Optimizer::adafactor;
    }
    if (has("8bit") && has("adam")) {
        return plan::Optimizer::adamw_8bit;
    }
    if (name == "adamw_torch" || has("foreach")) {
        return plan::Optimizer::adamw_foreach;
    }
    if (has("adam") && !has("mini") && !has("apollo") && !has("galore") && !has("ademamix")) {
        return plan::Optimizer::adamw;
    }
    return name == "sgd" ? std::optional(plan::Optimizer::sgd) : std::nullopt;
}

/// What the trainer was told.
void applyRunConfig(const diagnose::RunConfig& config, plan::Question& question)
{
    plan::RunShape& run = question.run;
    run.batch = config.micro_batch.value_or(1);
    run.accumulation = config.accumulation.value_or(1);
    run.gpus = config.ranks.value_or(1);
    run.zero = run.gpus > 1 ? config.zero_stage.value_or(0) : 0;
    if (config.sequence) {
        run.sequence = *config.sequence;
    }
    if (!config.whatHasOn("bf16-pure").empty()) {
        run.precision = plan::Precision::bf16;
    } else if (!config.whatHasOn("bf16").empty()) {
        run.precision = plan::Precision::autocast_bf16;
    }
    run.checkpoints = !config.whatHasOn("checkpointing-full").empty();
    if (!config.whatHasOn("attention-flash").empty()) {
        run.attention = plan::Attention::flash;
    }
    run.fuses_loss = !config.whatHasOn("fused-loss").empty();
    if (!config.optimizer.empty()) {
        const auto optimizer = optimizerNamed(config.optimizer);
        if (!optimizer) {
            throw CLI::ValidationError(
                "CONFIG", "Its optimizer is not planned; say with --optimizer what to take.");
        }
        run.optimizer = *optimizer;
        question.optimizer_is_assumed = false;
    }
}

void applyOptions(const Options& options, plan::Question& question)
{
    plan::RunShape& run = question.run;
    run.batch = options.batch.value_or(run.batch);
    run.sequence = options.sequence.value_or(run.sequence);
    run.accumulation = options.accumulation.value_or(run.accumulation);
    run.gpus = options.gpus.value_or(run.gpus);
    run.zero = options.zero.value_or(run.zero);
    run.fuses_loss = run.fuses_loss || options.fuses_loss;
    if (!options.precision.empty()) {
        run.precision = valueOrThrow(plan::parsePrecision(options.precision), "--precision");
    }
    if (!options.optimizer.empty()) {
        run.optimizer = valueOrThrow(plan::parseOptimizer(options.optimizer), "--optimizer");
        question.optimizer_is_assumed = false;
    }
    if (!options.checkpointing.empty()) {
        run.checkpoints = options.checkpointing == "full";
    }
    if (!options.mode.empty()) {
        run.mode = valueOrThrow(plan::parseMode(options.mode), "--mode");
    }
    if (!options.target.empty()) {
        run.target = valueOrThrow(plan::parseTarget(options.target), "--target");
    }
    if (!options.attention.empty()) {
        run.attention = valueOrThrow(plan::parseAttention(options.attention), "--attention");
    } else if (question.model.caps_scores) {
        run.attention = plan::Attention::eager;
    }
    if (options.lora) {
        run.lora = plan::Lora{*options.lora, plan::usualTargets(question.model)};
        if (!options.lora_targets.empty()) {
            run.lora->targets.clear();
            std::stringstream names(options.lora_targets);
            for (std::string name; std::getline(names, name, ',');) {
                run.lora->targets.push_back(name);
            }
        } else {
            question.assumed.push_back(
                fmt::format("Adapters go to {}.", fmt::join(run.lora->targets, ", ")));
        }
    } else if (!options.lora_targets.empty()) {
        throw CLI::ValidationError("--lora-targets", "It needs --lora.");
    }
}

void applyCapacity(const std::string& words, plan::Question& question)
{
    if (words.empty()) {
        return;
    }
    if (const plan::KnownCard* const card = plan::findCard(words)) {
        question.capacity = card->total;
        question.workspace = card->workspace;
        return;
    }
    question.capacity = valueOrThrow(plan::parseCapacity(words), "--capacity");
}

plan::Question questionOf(const Options& options, const Given& given)
{
    plan::Question question;
    question.model = given.model;
    question.optimizer_is_assumed = true;
    question.run.sequence = std::min(kUsualSequence, given.model.positions);
    if (given.run) {
        applyRunConfig(*given.run, question);
    }
    applyOptions(options, question);
    applyCapacity(options.capacity, question);
    const bool says_batch = options.batch || (given.run && given.run->micro_batch);
    const bool says_sequence = options.sequence || (given.run && given.run->sequence);
    if (!says_batch || !says_sequence) {
        question.assumed.push_back(
            fmt::format("A batch is {} × {} tokens.", question.run.batch, question.run.sequence));
    }
    const bool says_precision =
        !options.precision.empty() || (given.run && !given.run->precision.empty());
    if (!says_precision) {
        question.assumed.emplace_back(
            given.model.stored_type.empty() || given.model.stored_type == "float32"
                ? "Weights have 32 bits and nothing is cast."
                : "Weights have 32 bits and nothing is cast; transformers 5 loads them as the "
                  "checkpoint has them, in 16: say --precision bf16 for that.");
    }
    return question;
}

int runPlan(const plan::Question& question, const std::string& name, const Options& options)
{
    const auto plan = plan::makePlan(question);
    if (!plan.has_value()) {
        printError("", plan.error().message);
        return exitCodeFor(plan.error());
    }
    if (options.json) {
        std::cout << report::toString(
            report::planJson(question, plan.value(), name, options.points))
                  << '\n';
    } else {
        std::cout << report::toText(report::planDocument(question, plan.value(), name));
    }
    return plan.value().estimate.fits == false ? kCheckFailed : kSuccess;
}

} // namespace

void addPlan(CLI::App& program, Run& run)
{
    CLI::App* const command = program.add_subcommand(
        "plan", "The peak of a training run that was never made, from the model's configuration");
    const auto options = std::make_shared<Options>();
    command
        ->add_option("CONFIG", options->configs,
                     "The model: its config.json, or a name such as Qwen/Qwen2.5-7B; and what its "
                     "trainer is told, in the forms of --config of diagnose")
        ->required();
    constexpr std::int64_t kMost = 1 << 22;
    command->add_option("--batch", options->batch, "Sequences per forward on each GPU; default: 1")
        ->check(CLI::Range(std::int64_t{1}, kMost));
    command
        ->add_option("--sequence", options->sequence,
                     "Tokens of a sequence; default: 1024, or as many as the model takes")
        ->check(CLI::Range(std::int64_t{1}, kMost));
    command
        ->add_option("--accumulation", options->accumulation,
                     "Micro-batches per optimizer step; default: 1")
        ->check(CLI::Range(std::int64_t{1}, kMost));
    command->add_option("--precision", options->precision,
                        "fp32, autocast-bf16 or bf16 (weights and states, too); default: fp32");
    command->add_option("--optimizer", options->optimizer,
                        "adamw (fused), adamw-foreach, adamw-8bit, sgd or adafactor; default: "
                        "adamw");
    command->add_option("--attention", options->attention,
                        "sdpa, eager or flash; default: sdpa, or eager where the model needs it");
    command->add_option("--checkpointing", options->checkpointing, "full or none; default: none")
        ->check(CLI::IsMember({"full", "none"}));
    command->add_flag("--fused-loss", options->fuses_loss,
                      "Head and loss in parts, as Liger Kernel has them");
    command->add_option("--lora", options->lora, "Rank of LoRA's adapters; the rest is frozen")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{65536}));
    command->add_option("--lora-targets", options->lora_targets,
                        "Linear layers that get adapters, with commas between them; default: "
                        "those behind a norm");
    command->add_option("--mode", options->mode,
                        "train, forward (with a graph) or inference (without); default: train");
    command->add_option("--gpus", options->gpus, "Data-parallel GPUs; default: 1")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
    command->add_option("--zero", options->zero, "Stage of ZeRO; 3: also FSDP's full sharding")
        ->check(CLI::Range(0, 3));
    command->add_option("--capacity", options->capacity, kCapacityHelp);
    command->add_option("--target", options->target,
                        "cuda or cpu: kernels differ in what they keep; default: cuda");
    command->add_flag("--json", options->json, "Print JSON instead of text");
    command
        ->add_option("--points", options->points,
                     "Adds about as many points of the curve to the JSON")
        ->check(CLI::Range(1, 1000000));
    command->callback([options, &run] {
        const Given given = valueOrThrow(readArguments(options->configs), "CONFIG");
        const plan::Question question = questionOf(*options, given);
        run = [question, name = given.name, options] { return runPlan(question, name, *options); };
    });
}

} // namespace tidemark::cli
