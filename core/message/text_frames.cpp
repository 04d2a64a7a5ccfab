// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Where the traceback before a message ends, and what that tells.
#include "core/message/log_window.h"
#include "core/message/text_rules.h"

#include <algorithm>
#include <array>

namespace tidemark::diagnose {
namespace {

struct FrameRule {
    std::string_view words;
    std::string_view and_also; ///< Empty: nothing.
    Cause cause;
    std::string_view evidence;
    double score;
};
constexpr std::array<FrameRule, 48> kFrames{{
    {"torch/serialization", "", Cause::loading, "frame-loading", 0.66},
    {"_load_optimizer", "", Cause::loading, "frame-loading", 0.66},
    {"invalidat", "append(", Cause::evaluation_accumulation, "frame-evaluation", 0.6},
    {"inevaluat", "append(", Cause::evaluation_accumulation, "frame-evaluation", 0.6},
    {"inpredict", "append(", Cause::evaluation_accumulation, "frame-evaluation", 0.6},
    {"intest", "append(", Cause::evaluation_accumulation, "frame-evaluation", 0.6},
    {"nested_concat", "", Cause::evaluation_accumulation, "frame-evaluation", 0.6},
    {"pad_across_processes", "", Cause::evaluation_accumulation, "frame-evaluation", 0.6},
    {"_init_group", "", Cause::optimizer_state, "frame-optimizer", 0.6},
    {"_multi_tensor_adam", "", Cause::optimizer_state, "frame-optimizer", 0.6},
    {"torch/optim/", "", Cause::optimizer_state, "frame-optimizer", 0.6},
    {"bitsandbytes/optim/", "", Cause::optimizer_state, "frame-optimizer", 0.6},
    {"kv_cache", "", Cause::kv_cache, "frame-cache", 0.62},
    {"cache_engine", "", Cause::kv_cache, "frame-cache", 0.62},
    {"key_cache", "", Cause::kv_cache, "frame-cache", 0.62},
    {"past_key_value", "", Cause::kv_cache, "frame-cache", 0.58},
    {"k_cache", "v_cache", Cause::kv_cache, "frame-cache", 0.58},
    {"cross_entropy", "", Cause::logits, "frame-logits", 0.6},
    {"log_softmax", "", Cause::logits, "frame-logits", 0.6},
    {"lm_head", "", Cause::logits, "frame-logits", 0.6},
    {"logits=", "", Cause::logits, "frame-logits", 0.6},
    {"logprobs_from_logits", "", Cause::logits, "frame-logits", 0.6},
    {"log_probs_from_logits", "", Cause::logits, "frame-logits", 0.6},
    {"selective_log_softmax", "", Cause::logits, "frame-logits", 0.6},
    {"logits.float()", "", Cause::logits, "frame-logits", 0.6},
    {"__deepcopy__", "", Cause::model_states, "frame-copy", 0.58},
    {"from_pretrained", "", Cause::loading, "frame-loading", 0.58},
    {"load_state_dict", "", Cause::loading, "frame-loading", 0.58},
    {"load_checkpoint", "", Cause::loading, "frame-loading", 0.58},
    {"load_model", "", Cause::loading, "frame-loading", 0.58},
    {"returnt.to(device", "", Cause::loading, "frame-loading", 0.56},
    {"_cuda_deserialize", "", Cause::loading, "frame-loading", 0.58},
    {"attention_scores", "", Cause::activations_sequence, "frame-attention", 0.58},
    {"attn_weights", "", Cause::activations_sequence, "frame-attention", 0.58},
    {"eager_attention", "", Cause::activations_sequence, "frame-attention", 0.58},
    {"baddbmm", "", Cause::activations_sequence, "frame-attention", 0.58},
    {"softmax(", "", Cause::activations_sequence, "frame-attention", 0.55},
    {";inevaluat", "", Cause::evaluation_batch, "frame-evaluating", 0.56},
    {";invalid", "", Cause::evaluation_batch, "frame-evaluating", 0.56},
    {";intest", "", Cause::evaluation_batch, "frame-evaluating", 0.56},
    {";inpredict", "", Cause::evaluation_batch, "frame-evaluating", 0.56},
    {"_engine_run_backward", "", Cause::activations, "frame-backward", 0.56},
    {"torch.autograd.backward", "", Cause::activations, "frame-backward", 0.56},
    {"loss.backward(", "", Cause::activations, "frame-backward", 0.55},
    {"nn/functional", "", Cause::activations, "frame-forward", 0.53},
    {"nn/modules/activation", "", Cause::activations, "frame-forward", 0.55},
    {"nn/modules/conv", "", Cause::activations, "frame-forward", 0.55},
    {"inforward", "", Cause::activations, "frame-forward", 0.53},
}};

/// The last frames of the traceback that ends in the message, squeezed; empty without one.
std::string innermostFrames(const TextCase& in)
{
    static constexpr std::size_t kNear = 420;
    static constexpr std::size_t kBoxed = 2000;
    const Window window = windowAround(in.log, in.message->offset);
    const std::string_view before =
        std::string_view(window.text).substr(0, std::min(window.anchor, window.text.size()));
    const std::size_t at = std::min(in.message->offset, in.log.size());
    const std::size_t from = at - std::min(at, kBoxed);
    // Rich prints tracebacks in boxes, without the words that others have.
    const bool is_boxed = in.log.substr(from, at - from).find("❱") != std::string_view::npos;
    if (!is_boxed && before.find("file\"") == std::string_view::npos
        && before.find(".py") == std::string_view::npos) {
        return {};
    }
    return std::string(before.substr(before.size() - std::min(kNear, before.size())));
}

} // namespace

bool startsUp(const TextCase& in)
{
    static constexpr std::array<std::string_view, 6> kStarts{
        "_lazy_init", "in_apply", "incuda", ".cuda()", ".to(device", "in__init__"};
    const std::string frames = innermostFrames(in);
    return std::ranges::any_of(
               kStarts,
               [&](std::string_view start) { return frames.find(start) != std::string::npos; })
        && frames.find("inforward") == std::string::npos;
}

std::optional<TextFinding> frameFinding(const TextCase& in)
{
    const std::string frames = innermostFrames(in);
    const auto found = std::ranges::find_if(kFrames, [&](const FrameRule& frame) {
        return frames.find(frame.words) != std::string::npos
            && frames.find(frame.and_also) != std::string::npos;
    });
    if (found == kFrames.end()) {
        return std::nullopt;
    }
    if (found->cause == Cause::logits && in.situation.is_of_images) {
        return TextFinding{Cause::activations, 0.55, "frame-forward", {}}; // a map per class
    }
    return TextFinding{found->cause, found->score, found->evidence, {}};
}

} // namespace tidemark::diagnose
