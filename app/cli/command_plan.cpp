// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "core/base/language.h"
#include "core/config/settings.h"
#include "core/diagnose/predict/change.h"
#include "core/export/export_file.h"
#include "core/plan/adapters.h"
#include "core/plan/catalog.h"
#include "core/plan/model_states.h"
#include "core/plan/plan.h"
#include "core/plan/request.h"
#include "core/report/plan_report.h"
#include "core/shapes/read_model.h"
#include "core/walk/against.h"
#include "core/walk/planned_trace.h"
#include "core/walk/training.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>

namespace tidemark::cli {
namespace {

struct PlanOptions {
    std::vector<std::string> configs;
    std::optional<std::int64_t> batch;
    std::optional<std::int64_t> sequence;
    std::optional<std::int64_t> target_sequence;
    std::optional<std::int64_t> accumulation;
    std::optional<std::int64_t> gpus;
    std::optional<int> zero;
    std::string lora;
    std::string lora_targets;
    std::string precision;
    std::string optimizer;
    std::string attention;
    std::string quantization;
    std::string offload_states;
    std::string offload_weights;
    std::string checkpointing;
    std::string own_code;
    std::string loop;
    std::string mode;
    std::string target;
    std::string capacity;
    std::string against; ///< A recording,
    std::string reader = "auto"; ///< and what reads it.
    std::string lora_parameters;
    std::string out; ///< The run as a recording.
    walk::Division division;
    bool fuses_loss = false;
    bool is_padded = false;
    bool json = false;
    std::size_t points = 0;
};

/// The arguments told apart: one is the model, the others are what a trainer was told.
struct Given {
    std::string name; ///< Of the model.
    walk::ModelShape model;
    std::optional<config::RunConfig> run;
    std::optional<plan::RolloutSetup> rollout;
    plan::AdaptersSaid adapters;
};

Result<Done> takeModel(Given& given, std::string name, const walk::ModelShape& model)
{
    if (!given.name.empty()) {
        return Error{ErrorCode::badArgument, say("Give one model, not two."), {}};
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
        const bool is_file = namesFile(argument) || argument.starts_with('@');
        if (const plan::KnownModel* const known = is_file ? nullptr : plan::findModel(argument)) {
            const auto taken = takeModel(given, known->name, known->shape);
            if (!taken.has_value()) {
                return taken.error();
            }
            continue;
        }
        if (!is_file && plan::looksLikeModelName(argument)) {
            return Error{ErrorCode::badArgument,
                         say("'{}' is neither a file nor a known model; give the model's "
                             "config.json, or a name such as {}.",
                             argument, plan::similarModels(argument)),
                         {}};
        }
        auto text = fileOrText(argument);
        if (!text.has_value()) {
            return text.error();
        }
        if (!shapes::isModelConfig(text.value())) {
            run_texts.push_back(std::move(text).value());
            continue;
        }
        const auto shape = shapes::readModelShape(text.value());
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
        for (const std::string& text : run_texts) {
            if (const auto settings = config::readSettings(text); !settings.has_value()) {
                return settings.error(); // Perhaps a model's, but damaged.
            }
        }
        return Error{ErrorCode::badArgument,
                     say("No model is given: give its config.json, or a name such as "
                         "Qwen/Qwen2.5-7B."),
                     {}};
    }
    if (!run_texts.empty()) {
        auto run = config::readRunConfigs(run_texts);
        if (!run.has_value()) {
            return run.error();
        }
        given.run = std::move(run).value();
        given.rollout = plan::readRollout(run_texts);
        given.adapters = plan::readAdapters(run_texts);
    }
    return given;
}

/// A word of an option; nothing where it was not given.
template <class Meaning>
std::optional<Meaning> wordOrThrow(const std::string& word,
                                   Result<Meaning> (*parse)(std::string_view), const char* option)
{
    return word.empty() ? std::nullopt : std::optional(valueOrThrow(parse(word), option));
}

/// What the options say; else the configuration, where it has adapters on.
void takeAdapters(const PlanOptions& options, const Given& given, plan::Request& request)
{
    if (!options.lora.empty()) {
        const auto said = valueOrThrow(diagnose::parseChanges("lora=" + options.lora), "--lora");
        if (said.size() > 1) {
            throw CLI::ValidationError("--lora",
                                       say("Give one rank, as in {}.", "16:q_proj,v_proj"));
        }
        request.lora_rank = said.front().count();
        request.lora_targets = said.front().layers;
    }
    if (!options.lora_parameters.empty()) {
        request.lora_parameters =
            valueOrThrow(plan::parseParameterCount(options.lora_parameters), "--lora-parameters");
    }
    std::stringstream names(options.lora_targets);
    for (std::string name; std::getline(names, name, ',');) {
        request.lora_targets.push_back(name);
    }
    const bool is_said = request.lora_rank || request.lora_parameters;
    const bool has_rank = given.run && !given.run->whatHasOn("lora").empty() && given.adapters.rank;
    if (!is_said && has_rank) {
        request.lora_rank = given.adapters.rank;
    }
    if ((is_said || has_rank) && request.lora_targets.empty()) {
        request.lora_targets = given.adapters.targets;
    }
}

plan::Request requestOf(const PlanOptions& options, const Given& given)
{
    plan::Request request;
    request.model = given.model;
    request.config = given.run;
    request.batch = options.batch;
    request.sequence = options.sequence;
    request.target_sequence = options.target_sequence;
    request.accumulation = options.accumulation;
    request.gpus = options.gpus;
    request.zero = options.zero;
    takeAdapters(options, given, request);
    request.precision = wordOrThrow(options.precision, walk::parsePrecision, "--precision");
    request.optimizer = wordOrThrow(options.optimizer, walk::parseOptimizer, "--optimizer");
    request.attention = wordOrThrow(options.attention, walk::parseAttention, "--attention");
    request.quantization = wordOrThrow(options.quantization, walk::parseQuantization, "--quantize");
    request.states = wordOrThrow(options.offload_states, walk::parseOffload, "--offload-states");
    request.weights =
        wordOrThrow(options.offload_weights, walk::parseOffload, "--offload-parameters");
    request.own = wordOrThrow(options.own_code, walk::parseOwnCode, "--own-code");
    request.loop = wordOrThrow(options.loop, walk::parseLoop, "--loop");
    request.mode = wordOrThrow(options.mode, walk::parseMode, "--mode");
    request.target = wordOrThrow(options.target, walk::parseTarget, "--target");
    if (!options.checkpointing.empty()) {
        request.checkpoints = options.checkpointing == "full";
    }
    if (options.fuses_loss) {
        request.fuses_loss = true;
    }
    if (options.is_padded) {
        request.is_padded = true;
    }
    request.division = options.division;
    request.rollout = given.rollout;
    request.capacity = options.capacity;
    return request;
}

/// The plan beside the main device of a recording.
Result<walk::PlanDifference> comparedWith(const PlanOptions& given, const plan::Question& question,
                                          const plan::Plan& plan)
{
    CommonOptions options;
    options.reader = given.reader;
    options.last = pipeline::Stage::curves;
    const auto recording = open(given.against, options);
    if (!recording.has_value()) {
        return recording.error();
    }
    if (recording.value().deviceCount() == 0) {
        return Error{
            ErrorCode::badArgument, say("The recording has no device to compare with."), {}};
    }
    const std::size_t device = recording.value().mainDevice();
    walk::RunShape run = question.run;
    run.division.stage = plan.estimate.budget.stage;
    return walk::compareWith(
        walk::planRun(question.model, run).timeline, plan.estimate.budget.reserved,
        recording.value().replay->devices[device], recording.value().labels->devices[device]);
}

/// The run as a file that other programs read, with the stacks of a recording.
Result<Done> writeRun(const std::string& out, std::span<const std::filesystem::path> inputs,
                      const plan::Question& question, const plan::Plan& plan)
{
    const Result<exports::Format> format = exports::formatOf(out);
    if (!format.has_value()) {
        return format.error();
    }
    exports::Wanted wanted;
    wanted.format = format.value();
    wanted.version = TIDEMARK_VERSION;
    const Result<Done> allowed = exports::checkExport(out, wanted, inputs);
    if (!allowed.has_value()) {
        return allowed.error();
    }
    walk::RunShape run = question.run;
    run.division.stage = plan.estimate.budget.stage;
    const walk::Timeline timeline = walk::planRun(question.model, run).timeline;
    Result<walk::PlannedTrace> trace = walk::recordedTraceOf(timeline, question.model, run);
    if (!trace.has_value()) {
        return trace.error();
    }
    pipeline::MadeRun made;
    made.name = out;
    made.snapshot = std::move(trace.value().snapshot);
    made.labels = [&](const replay::Replay& replay) {
        return walk::labelsOf(timeline, trace.value(), replay);
    };
    pipeline::Options options;
    options.last = pipeline::Stage::programs;
    NoProgress progress;
    const auto analysis = pipeline::analyzeMade(std::move(made), options, progress, {});
    if (!analysis.has_value()) {
        return analysis.error();
    }
    return exports::writeExport(out, analysis.value(), wanted);
}

int runPlan(const plan::Question& question, const Given& given, const PlanOptions& options)
{
    const std::string& name = given.name;
    const auto plan = plan::makePlan(question);
    if (!plan.has_value()) {
        printError("", plan.error().message);
        return exitCodeFor(plan.error());
    }
    if (!options.out.empty()) {
        const std::filesystem::path recording(options.against);
        const std::span<const std::filesystem::path> inputs(&recording,
                                                            options.against.empty() ? 0 : 1);
        const auto written = writeRun(options.out, inputs, question, plan.value());
        if (!written.has_value()) {
            return failed(options.out, written.error());
        }
    }
    std::optional<walk::PlanDifference> against;
    if (!options.against.empty()) {
        const auto compared = comparedWith(options, question, plan.value());
        if (!compared.has_value()) {
            printError(options.against, compared.error().message);
            return exitCodeFor(compared.error());
        }
        against = compared.value();
    }
    std::optional<plan::RolloutPlan> rollout;
    if (given.rollout && question.capacity) {
        const auto planned = plan::planRollout(question, *given.rollout);
        if (!planned.has_value()) {
            printError("", planned.error().message);
            return exitCodeFor(planned.error());
        }
        rollout = planned.value();
    }
    if (options.json) {
        report::Json json = report::planJson(question, plan.value(), name, options.points);
        if (against) {
            json["against"] = report::againstJson(*against);
        }
        if (rollout) {
            json["rollout"] = report::rolloutJson(*given.rollout, *rollout);
        }
        std::cout << report::toString(json) << '\n';
    } else {
        report::Document document = report::planDocument(question, plan.value(), name);
        if (against) {
            document.sections.insert(document.sections.begin() + 1,
                                     report::againstSection(*against));
        }
        if (rollout) {
            document.sections.insert(
                document.sections.begin() + 1,
                report::rolloutSection(*given.rollout, *rollout, *question.capacity));
        } else if (given.rollout) {
            document.sections.back().blocks.emplace_back(report::Bullets{
                {say("A rollout engine shares the GPU; set --capacity to see everything on it.")}});
        }
        std::cout << report::toText(document);
    }
    if (rollout && rollout->fits == false) {
        return kCheckFailed;
    }
    return plan.value().estimate.fits == false ? kCheckFailed : kSuccess;
}

/// How GPUs share one model.
void addDivision(CLI::App& command, walk::Division& division)
{
    const CLI::Validator many = numberIn(1, 4096);
    command
        .add_option("--tensor-parallel", division.tensor,
                    say("Tensor-parallel GPUs (each matrix is split)"))
        ->check(many);
    command.add_flag("--sequence-parallel", division.divides_tokens,
                     say("Also splits the tokens among these GPUs, outside the matrices"));
    command.add_option("--pipeline-parallel", division.pipeline, say("Pipeline-parallel stages"))
        ->check(many);
    command
        .add_option("--context-parallel", division.context,
                    say("Context-parallel GPUs (each sequence is split)"))
        ->check(many);
    command.add_option("--expert-parallel", division.experts, say("Expert-parallel GPUs"))
        ->check(many);
}

} // namespace

void addPlan(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<PlanOptions>();
    command
        .add_option("CONFIG", options->configs,
                    say("The model's config.json, or a name such as Qwen/Qwen2.5-7B; and trainer "
                        "settings, in any form that diagnose --config takes"))
        ->required();
    constexpr std::int64_t kMost = 1 << 22;
    command
        .add_option("--batch", options->batch, say("Sequences per forward on each GPU; default: 1"))
        ->check(numberIn(1, kMost));
    command
        .add_option(
            "--sequence", options->sequence,
            say("Sequence length in tokens; default: 1024, or the model's maximum if lower"))
        ->check(numberIn(1, kMost));
    command
        .add_option("--target-sequence", options->target_sequence,
                    say("Target length of an encoder-decoder, in tokens; default: the same"))
        ->check(numberIn(1, kMost));
    command
        .add_option("--accumulation", options->accumulation,
                    say("Micro-batches per optimizer step; default: 1"))
        ->check(numberIn(1, kMost));
    command.add_option("--precision", options->precision,
                       say("fp32, autocast-bf16, bf16 (weights and states too) or bf16-master "
                           "(with fp32 master weights and states); default: fp32"));
    command.add_option("--optimizer", options->optimizer,
                       say("adamw (fused), adamw-foreach, adamw-for-loop, adamw-8bit, sgd, "
                           "sgd-momentum or adafactor; default: adamw"));
    command.add_option("--attention", options->attention,
                       say("sdpa, eager, flash or own (hand-written in single operations); "
                           "default: sdpa, or eager where the model needs it"));
    command.add_option("--own-code", options->own_code,
                       say("Also hand-written, comma-separated: activation, loss and loop (keeps "
                           "the logits through backward)"));
    command.add_option("--loop", options->loop,
                       say("trainer (Hugging Face) or plain (no Accelerate); default: trainer, "
                           "with a range that covers both"));
    command
        .add_option("--checkpointing", options->checkpointing, say("full or none; default: none"))
        ->check(oneOf({"full", "none"}));
    command.add_flag("--fused-loss", options->fuses_loss,
                     say("Fused linear cross-entropy, as in Liger Kernel"));
    command.add_flag("--padded", options->is_padded,
                     say("Sequences are padded, so attention gets a mask"));
    command.add_option("--lora", options->lora,
                       say("LoRA's RANK, or RANK:LAYERS such as 16:q_proj,v_proj or 16:all-linear; "
                           "default of LAYERS: PEFT's own"));
    command.add_option("--lora-parameters", options->lora_parameters,
                       say("Parameters of all adapters, such as 40M, instead of their rank"));
    command.add_option("--lora-targets", options->lora_targets,
                       say("LAYERS of --lora-parameters, comma-separated"));
    command.add_option("--quantize", options->quantization,
                       say("Quantizes the frozen base's linear layers: 8bit, nf4 or "
                           "nf4-double; default: none"));
    command.add_option("--mode", options->mode,
                       say("train, forward (with a graph) or inference (without); default: train"));
    command.add_option("--gpus", options->gpus, say("Data-parallel GPUs; default: 1"))
        ->check(numberIn(1, 1000000));
    command.add_option("--zero", options->zero, say("ZeRO stage; 3 is also FSDP's full sharding"))
        ->check(numberIn(0, 3));
    addDivision(command, options->division);
    command.add_option("--offload-states", options->offload_states,
                       say("Offloads optimizer states to cpu or nvme, with ZeRO; default: none"));
    command.add_option("--offload-parameters", options->offload_weights,
                       say("Offloads weights to cpu or nvme, with ZeRO-3; default: none"));
    command.add_option("--capacity", options->capacity, capacityHelp());
    command.add_option("--against", options->against,
                       say("A snapshot of such a run: shows where it differs from the plan"));
    command.add_option("-o,--output", options->out,
                       say("Also writes the run as a recording: OUT.pickle, or any format of "
                           "convert"));
    command
        .add_option("--reader", options->reader,
                    say("Reader of that snapshot: auto, cpython or native"))
        ->check(oneOf({"auto", "cpython", "native"}));
    command.add_option("--target", options->target,
                       say("cuda or cpu: kernels differ in what they keep; default: cuda"));
    command.add_flag("--json", options->json, say("Print JSON instead of text"));
    command
        .add_option("--points", options->points,
                    say("Adds the curve to the JSON, with about this many points"))
        ->check(numberIn(1, 1000000));
    command.callback([options, &run] {
        const Given given = valueOrThrow(readArguments(options->configs), "CONFIG");
        const plan::Question question =
            valueOrThrow(plan::questionOf(requestOf(*options, given)), "plan");
        run = [question, given, options] { return runPlan(question, given, *options); };
    });
}

} // namespace tidemark::cli
