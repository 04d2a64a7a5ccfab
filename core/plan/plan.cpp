// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/plan.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/plan/adapters.h"
#include "core/plan/layers.h"
#include "core/plan/remedies.h"
#include "core/program/cublas_workspaces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tidemark::plan {
namespace {

/// How far a peak may be from the planned one. CPU: what the 57 runs of docs/plan.md are off once
/// known causes were mended, rounded up. CUDA: an H100 was met within 0.1 % as a rule; other
/// cards' kernels make other workspaces.
constexpr double kCpuMargin = 0.012;
constexpr double kCudaLow = 0.02;
constexpr double kCudaHigh = 0.05;
/// Of code of one's own: of 34 recordings of such models on GPUs 24 are met to 1 %.
constexpr double kOwnLow = 0.05;
/// How far the reserved bytes may be from the planned ones: of 87 recordings 51 were met to 0.01 %,
/// the others were up to 5.2 % below and 8.0 % above the plan.
constexpr double kReservedLow = 0.08;
constexpr double kReservedHigh = 0.08;
/// Of the capacity, free before "fits" is said; as predictions have it.
constexpr double kFreeShare = 0.02;

/// Of a CUDA context with PyTorch's kernels; reports name 0.3 to 1 GiB.
constexpr Range kContext{{307LL << 20}, {512LL << 20}, {1024LL << 20}};
/// Forward and backward run in threads of their own, each with a handle.
constexpr std::int64_t kTrainingThreads = 2;

Bytes scaled(Bytes bytes, double factor)
{
    return {std::llround(static_cast<double>(bytes.value) * factor)};
}

/// Whether padding or a window gives layers a mask.
bool masksLayers(const ModelShape& model, const RunShape& run)
{
    return run.is_padded || (model.window > 0 && run.sequence >= model.window);
}

/// Written by hand, at least in a part.
bool isOwn(const RunShape& run)
{
    return run.attention == Attention::own || run.own.isAny();
}

/// Whether Trainer makes the logits wider than the loss does, which takes more than backward: the
/// loss of causal models makes them as wide.
bool handsOutWide(const ModelShape& model, const RunShape& run)
{
    return run.mode == Mode::train && run.precision == Precision::autocast_bf16 && !run.own.loop
        && !model.widensLogits() && run.loop != Loop::plain;
}

/// Runs that this one may turn out to be, by what is assumed of it.
std::vector<RunShape> alternativesTo(const Question& question, const RunShape& run)
{
    std::vector<RunShape> others;
    if (run.target == Target::cuda && run.attention == Attention::sdpa && !run.unsaid.kernel
        && question.model.architecture == Architecture::decoder) {
        RunShape other = run;
        const bool is_masked = masksLayers(question.model, run);
        const Kernel taken = kernelOf(question.model, run, is_masked);
        other.unsaid.kernel = taken == Kernel::efficient ? Kernel::math : Kernel::efficient;
        others.push_back(other);
    }
    if (question.optimizer_is_assumed && run.optimizer == Optimizer::adamw) {
        RunShape other = run;
        other.optimizer = Optimizer::adamw_foreach;
        others.push_back(other);
    }
    if (run.mode == Mode::inference && run.precision == Precision::autocast_bf16 && !run.lora) {
        RunShape other = run;
        other.unsaid.freezes_weights = true;
        others.push_back(other);
    }
    if (handsOutWide(question.model, run) && !run.loop) {
        RunShape other = run;
        other.loop = Loop::plain;
        others.push_back(other);
    }
    if (isOwn(run)) {
        RunShape less = run;
        less.own.loss = false;
        less.own.loop = run.own.loop && run.mode != Mode::train;
        others.push_back(less);
        RunShape more = run;
        more.unsaid.repeats_exponentials = true;
        if (run.own.loop && run.mode == Mode::train) {
            more.accumulation = std::max<std::int64_t>(2, run.accumulation);
        }
        others.push_back(more);
    }
    return others;
}

std::vector<std::string> assumptionsOf(const Question& question)
{
    const RunShape& run = question.run;
    const ModelShape& model = question.model;
    std::vector<std::string> sentences = question.assumed;
    const auto add = [&sentences](std::string text) { sentences.push_back(std::move(text)); };
    if (question.optimizer_is_assumed) {
        add(say("The optimizer is AdamW as transformers 5 makes it, fused; older releases and "
                "torch.optim.AdamW work on lists (foreach), which the upper end has."));
    }
    if (run.attention == Attention::own) {
        add(say("The attention is written out: scores, scale, mask, exp(x − max) and its division "
                "are tensors each; the upper end computes the exponentials twice."));
    }
    if (run.own.loss) {
        add(say("The loss is written out over all tokens and the whole vocabulary; the lower end "
                "has torch's kernel."));
    }
    const bool is_masked = masksLayers(model, run);
    if (run.attention == Attention::sdpa && run.target == Target::cuda) {
        const Kernel kernel = kernelOf(model, run, is_masked);
        add(kernel == Kernel::math
                ? say("scaled_dot_product_attention takes its fallback, which makes the attention "
                      "matrices: fused kernels know no grouped queries in 32 bits.")
                : kernel == Kernel::flash
                ? say("scaled_dot_product_attention takes the flash kernel.")
                : say("scaled_dot_product_attention takes the memory-efficient kernel."));
    }
    if (model.needsScores() && run.attention == Attention::eager) {
        add(model.caps_scores
                ? say("Attention is eager: this model caps its scores, which sdpa cannot.")
                : say("Attention is eager: this model's code makes the scores itself."));
    }
    if (run.mode == Mode::train) {
        add(run.own.loop
                ? say("The loop's names hold the logits until the next forward has others; the "
                      "upper end has gradients that are dropped behind the forward only.")
                : run.loop == Loop::plain
                ? say("The loop is a plain one that drops the logits before backward.")
                : say("The loop is that of Hugging Face's Trainer: it drops the logits before "
                      "backward."));
        if (handsOutWide(model, run)) {
            add(run.loop ? say("Under autocast its Accelerate hands the logits out in 32 bits.")
                         : say("Under autocast its Accelerate hands the logits out in 32 bits; the "
                               "lower end has a plain loop, which does not (--loop plain)."));
        }
        if (!run.is_padded) {
            add(say("No sequence is padded; say --padded where some are."));
        }
    }
    if (run.precision == Precision::bf16) {
        add(run.lora
                ? say("The base has 16 bits and is frozen; adapters have 32, as PEFT makes them.")
                : say("Weights, gradients and the optimizer's states have 16 bits; there is no "
                      "master copy."));
    }
    if (run.zero == 3) {
        add(say(
            "As FSDP has them, embeddings and the head are gathered throughout (in the lower end "
            "not at all) and one layer at a time, with its whole gradients; the upper end has what "
            "is fetched ahead and copied to be reduced. DeepSpeed's buckets come on top."));
    } else if (run.zero > 0) {
        add(say("Each gradient is reduced as soon as it is there; the buckets of DeepSpeed come on "
                "top."));
    }
    if (run.division.tensor > 1) {
        add(say(
            "Matrices are divided as torchtitan does it: by columns, then by rows, the vocabulary "
            "too, and the loss is computed on its parts; Megatron keeps less of what it gathers."));
    }
    if (run.division.pipeline > 1) {
        add(say("Stages take turns, one forward and one backward (1F1B), and have as many layers "
                "each."));
    }
    if (run.division.context > 1) {
        add(say("Keys and values of the whole sequence are gathered in each layer, as PyTorch's "
                "context parallelism does by default."));
    }
    if (run.division.experts > 1) {
        add(say("Tokens are spread evenly over the experts."));
    }
    if (run.states != Offload::none) {
        add(say("Gradients leave the card as soon as they are reduced; the upper end has "
                "DeepSpeed's bucket for that."));
    }
    if (run.quantization != Quantization::none) {
        add(run.hasNarrowWeights() ? say("Embeddings, norms and the head have 16 bits; PEFT's "
                                         "prepare_model_for_kbit_training makes them 32.")
                                   : say("Embeddings, norms and the head have 32 bits, as PEFT's "
                                         "prepare_model_for_kbit_training makes them."));
    }
    if (run.zero > 0 && run.precision == Precision::bf16 && !run.lora) {
        add(say("DeepSpeed keeps the optimizer's states and a master copy in 32 bits, 8 bytes per "
                "parameter more, sharded: --precision bf16-master has them."));
    }
    add(run.target == Target::cpu ? say(
            "Measured on recordings of the CPU: the range is a little wider than they were off.")
            : isOwn(run) ? say("Written by hand, models differ in what nobody says; the range has "
                               "what 34 recordings on GPUs showed of that.")
                         : say("The plan was measured on an H100 and on the CPU; the range allows "
                               "for other cards' kernels and workspaces."));
    return sentences;
}

std::int64_t threadsOf(const RunShape& run)
{
    return run.mode == Mode::train ? kTrainingThreads : 1;
}

Range workspaceOf(const Question& question, const RunShape& run)
{
    if (run.target == Target::cpu) {
        return {};
    }
    const std::int64_t threads = threadsOf(run);
    if (question.workspace) {
        const Bytes all{question.workspace->value * threads};
        return {all, all, all};
    }
    const Bytes on_hopper{program::kHopperCublasWorkspace * threads};
    return {{program::kDefaultCublasWorkspace * threads}, on_hopper, on_hopper};
}

std::optional<bool> fitsInto(const Range& need, std::optional<Bytes> capacity)
{
    if (!capacity) {
        return std::nullopt;
    }
    if (need.high + scaled(*capacity, kFreeShare) <= *capacity) {
        return true;
    }
    return need.low > *capacity ? std::optional(false) : std::nullopt;
}

/// With the workspaces that cuBLAS has there.
bool holdsForCertain(const KnownCard& card, const Question& question, Estimate estimate)
{
    Question on_card = question;
    on_card.workspace = card.workspace;
    estimate.workspace = workspaceOf(on_card, question.run);
    return fitsInto(estimate.need(), card.total) == true;
}

/// reduce_bucket_size of DeepSpeed by default, through which gradients go to the host.
Bytes offloadBucket(const PlannedBudget& budget, const RunShape& run)
{
    constexpr std::int64_t kReduceBucket = 500'000'000;
    const std::int64_t width = run.hasNarrowWeights() ? 2 : 4;
    return run.states == Offload::none ? Bytes{}
                                       : Bytes{width * std::min(budget.trained, kReduceBucket)};
}

/// More than all tensors of a run take, so that sums stay far from overflow.
double roughBytes(const ModelShape& model, const RunShape& run)
{
    const auto of = [](std::int64_t size) { return static_cast<double>(size); };
    constexpr double kOften = 64;
    const double experts = model.experts
        ? of(model.experts->per_token) * (of(model.experts->width) + of(model.hidden))
        : 0;
    const double tokens = of(std::max(run.sequence, run.targetSequence()));
    const double row = of(model.hidden) + of(model.feed_forward) + experts + of(model.queryWidth())
        + of(model.heads) * tokens + (run.lora ? of(run.lora->rank) : 0)
        + (model.images ? of(model.images->pixels()) : 0);
    return kOften * of(run.batch) * tokens * (of(model.layers) * row + of(model.vocabulary));
}

} // namespace

Estimate estimate(const Question& question, const RunShape& run)
{
    Estimate made;
    const Range workspaces = workspaceOf(question, run);
    const Bytes workspace{workspaces.expected.value / threadsOf(run)};
    made.budget = budgetOf(question.model, run, workspace);
    Bytes low = made.budget.peak.bytes;
    Bytes high = low;
    Bytes reserved_low = made.budget.reserved;
    Bytes reserved_high = reserved_low;
    for (const RunShape& other : alternativesTo(question, run)) {
        const PlannedBudget budget = budgetOf(question.model, other, workspace);
        low = std::min(low, budget.peak.bytes);
        high = std::max(high, budget.peak.bytes);
        reserved_low = std::min(reserved_low, budget.reserved);
        reserved_high = std::max(reserved_high, budget.reserved);
    }
    // FSDP fetches a layer ahead and copies a layer's gradients to reduce them; DeepSpeed lets
    // embeddings and the head go after their use.
    const Bytes ahead = made.budget.gathered_layer + made.budget.gathered_layer;
    const Bytes bucket = offloadBucket(made.budget, run);
    high += ahead + bucket;
    reserved_high += ahead + bucket;
    low -= made.budget.gathered_root;
    reserved_low -= made.budget.gathered_root;
    const bool is_cpu = run.target == Target::cpu;
    const double less = 1 - (isOwn(run) ? kOwnLow : is_cpu ? kCpuMargin : kCudaLow);
    const double more = 1 + (is_cpu ? kCpuMargin : kCudaHigh);
    made.peak = {scaled(low, less), made.budget.peak.bytes, scaled(high, more)};
    made.reserved = {scaled(reserved_low, 1 - kReservedLow), made.budget.reserved,
                     scaled(reserved_high, 1 + kReservedHigh)};
    made.workspace = workspaces;
    made.context = is_cpu ? Range{} : kContext;
    made.fits = fitsInto(made.need(), question.capacity);
    return made;
}

namespace {

bool divides(std::int64_t part, std::int64_t whole)
{
    return whole % part == 0;
}

/// Of the ways to divide one model.
std::string objectionToDivision(const ModelShape& model, const RunShape& run)
{
    const Division& d = run.division;
    const bool is_divided = d.tensor > 1 || d.pipeline > 1 || d.context > 1;
    if (is_divided && !model.isLlamaKind()) {
        return say(
            "Tensor, pipeline and context parallelism are planned for decoders such as llama.");
    }
    if (!divides(d.tensor, model.heads) || !divides(d.tensor, model.key_heads)
        || !divides(d.tensor, model.feed_forward)) {
        return say("{} GPUs cannot share the model's matrices: it has {} heads, {} of keys "
                   "and a feed-forward of {}; take a number that divides them.",
                   d.tensor, model.heads, model.key_heads, model.feed_forward);
    }
    if (d.divides_tokens && (d.tensor == 1 || !divides(d.tensor, run.sequence))) {
        return say(
            "Sequence parallelism divides the tokens among tensor-parallel GPUs; say how many "
            "there are, and take a sequence that they divide.");
    }
    if (!divides(d.pipeline, model.layers)) {
        return say("{} stages cannot share {} layers; take a number that divides them.", d.pipeline,
                   model.layers);
    }
    if (d.pipeline > 1 && run.mode != Mode::train) {
        return say("A pipeline is planned in training only.");
    }
    if (!divides(d.context, run.sequence)) {
        return say("{} GPUs cannot share a sequence of {} tokens; take one that they "
                   "divide.",
                   d.context, run.sequence);
    }
    const bool makes_scores = run.attention == Attention::eager || run.attention == Attention::own;
    if (d.context > 1 && (makes_scores || model.window > 0)) {
        return say("Context parallelism needs fused attention over the whole sequence; eager and "
                   "sliding attention cannot be divided.");
    }
    if (d.experts > 1
        && (!model.experts || !divides(d.experts, model.experts->count)
            || !divides(d.experts, run.replicas()))) {
        return model.experts
            ? say("{} GPUs cannot share the experts: there are {}; take a number that divides them "
                  "and the data-parallel GPUs.",
                  d.experts, model.experts->count)
            : say("{} GPUs cannot share the experts: the model has none; take a number that "
                  "divides them and the data-parallel GPUs.",
                  d.experts);
    }
    return {};
}

std::string objectionToSharing(const ModelShape& model, const RunShape& run)
{
    const bool offloads = run.states != Offload::none || run.weights != Offload::none;
    if (run.zero > 0 && run.replicas() < 2 && !offloads) {
        return say("Sharding needs several GPUs; say how many there are.");
    }
    if (run.states != Offload::none && run.zero == 0) {
        return say("States go to the host with ZeRO or FSDP only; say its stage.");
    }
    if (run.weights != Offload::none && run.zero != 3) {
        return say("Weights go to the host with stage 3 of ZeRO or FSDP only.");
    }
    if ((run.states == Offload::nvme || run.weights == Offload::nvme) && run.zero != 3) {
        return say("NVMe is for stage 3 of ZeRO only.");
    }
    return objectionToDivision(model, run);
}

std::string objectionToFewBits(const RunShape& run)
{
    if (run.quantization == Quantization::none) {
        return {};
    }
    if (run.mode == Mode::train && !run.lora) {
        return say("Quantized weights cannot be trained; add adapters with --lora, or take mode "
                   "inference.");
    }
    if (run.zero == 3) {
        return say("Quantized weights are planned unsharded only; take ZeRO stage 2 at most.");
    }
    return {};
}

} // namespace

std::string objectionTo(const ModelShape& model, const RunShape& run)
{
    constexpr double kMostBytes = 0x1p58;
    if (roughBytes(model, run) > kMostBytes) {
        return say("So many tokens in one forward are none that a card could hold; take a smaller "
                   "batch or a shorter sequence.");
    }
    const bool has_learned_positions = model.architecture != Architecture::decoder;
    const std::int64_t longest = std::max(run.sequence, model.decoder ? run.targetSequence() : 0);
    if (has_learned_positions && longest > model.positions) {
        return say("The model has {} positions, so no sequence of {} tokens; take a "
                   "shorter one.",
                   formatCount(model.positions), formatCount(longest));
    }
    if (model.images && run.sequence != model.images->tokens()) {
        return say("An image of this model has {} tokens; leave --sequence out.",
                   formatCount(model.images->tokens()));
    }
    if (run.target_sequence > 0 && !model.decoder) {
        return say("This model has no second half with targets of its own; leave --target-sequence "
                   "out.");
    }
    if (run.attention == Attention::own && model.architecture == Architecture::t5) {
        return say("T5 adds numbers of its own to the scores; its attention is planned as sdpa or "
                   "eager.");
    }
    if (model.architecture == Architecture::t5 && run.attention == Attention::flash) {
        return say(
            "T5 adds numbers of its own to the scores, which flash attention cannot; take sdpa "
            "or eager.");
    }
    if (run.own.loss && model.images) {
        return say("A loss written out is planned for language models only.");
    }
    if (run.fuses_loss && !model.isCausal()) {
        return say("A loss in parts is planned for causal language models only.");
    }
    if (std::string why = objectionToSharing(model, run); !why.empty()) {
        return why;
    }
    if (std::string why = objectionToFewBits(run); !why.empty()) {
        return why;
    }
    if (run.lora) {
        const std::vector<std::string> names = linearNames(model);
        for (const std::string& target : run.lora->targets) {
            if (std::ranges::find(names, target) == names.end()) {
                return say("The model has no linear layer of that name for an adapter; it "
                           "has {}.",
                           fmt::join(names, ", "));
            }
        }
        if (run.lora->targets.empty()) {
            return say("Adapters need at least one linear layer.");
        }
    }
    if (model.needsScores() && run.attention != Attention::eager) {
        return model.caps_scores
            ? say("This model caps its attention scores, which transformers runs in eager "
                  "attention only; take eager attention.")
            : say("This model's code makes the attention scores itself; take eager attention.");
    }
    return {};
}

Result<Plan> makePlan(const Question& question)
{
    if (std::string why = objectionTo(question.model, question.run); !why.empty()) {
        return Error{ErrorCode::badArgument, std::move(why), {}};
    }
    Plan plan;
    plan.estimate = estimate(question, question.run);
    plan.assumptions = assumptionsOf(question);
    if (question.run.mode == Mode::train) {
        Remedies remedies = findRemedies(question, plan.estimate);
        plan.fixes = std::move(remedies.fixes);
        plan.answer = std::move(remedies.answer);
    }
    plan.limits = findLimits(question);
    for (const KnownCard& card : knownCards()) {
        const bool is_smaller = !plan.smallest_card || card.total < plan.smallest_card->total;
        if (card.is_cuda && is_smaller && holdsForCertain(card, question, plan.estimate)) {
            plan.smallest_card = &card;
        }
    }
    return plan;
}

} // namespace tidemark::plan
