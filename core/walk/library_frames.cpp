// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/library_frames.h"

#include "core/base/stable_hash.h"

#include <algorithm>
#include <utility>

namespace tidemark::walk {
namespace {

using label::Phase;
using label::Role;

constexpr std::string_view kPackages = "/opt/train/lib/python3.12/site-packages/";
constexpr std::string_view kModule = "torch/nn/modules/module.py";
constexpr std::string_view kTrainer = "transformers/trainer.py";
constexpr std::uint64_t kLines = 900;

LibraryFrame at(std::string_view function, std::string_view file, std::int32_t line)
{
    return {std::string(function), std::string(kPackages) + std::string(file), line};
}

/// Of a call in a function's body, by what is called: one line for each name.
std::int32_t lineOfCall(std::string_view called)
{
    return 100 + static_cast<std::int32_t>(stableHash(called) % kLines);
}

/// A layer's module without its number: all of them run on the same lines.
std::string_view withoutNumber(std::string_view module)
{
    return module.starts_with("layers.") ? "layers" : module;
}

/// What runs where a module of that name does: a file of a library, or the model's own.
std::string_view fileOf(std::string_view module)
{
    return module.ends_with("(Linear)")   ? "torch/nn/modules/linear.py"
        : module.ends_with("(Embedding)") ? "torch/nn/modules/sparse.py"
        : module.ends_with("(LayerNorm)") ? "torch/nn/modules/normalization.py"
        : module == "act_fn"              ? "transformers/activations.py"
        : module == kFunctional           ? "torch/nn/functional.py"
                                          : std::string_view();
}

void addCall(std::vector<LibraryFrame>& frames)
{
    frames.push_back(at("_call_impl", kModule, 1790));
    frames.push_back(at("_wrapped_call_impl", kModule, 1779));
}

void addLoop(std::vector<LibraryFrame>& frames, std::string_view function, std::int32_t line)
{
    if (!function.empty()) {
        frames.push_back(at(function, kTrainer, line));
    }
    frames.push_back(at("_inner_training_loop", kTrainer, 2700));
    frames.push_back(at("train", kTrainer, 2300));
    frames.push_back({"<module>", "/home/me/train.py", 30});
}

} // namespace

LibraryFrames::LibraryFrames(const Timeline& timeline, const ModelShape& model, const RunShape& run)
    : m_timeline(timeline)
    , m_model(model)
    , m_run(run)
{
}

std::string LibraryFrames::modelFile() const
{
    std::string name = m_model.model_type;
    std::ranges::replace(name, '-', '_');
    return "transformers/models/" + name + "/modeling_" + name + ".py";
}

bool LibraryFrames::isInFusedCall(const PlannedPlace& place) const
{
    return m_run.attention == Attention::sdpa
        && m_timeline.places[place.outer].module == kAttentionCall;
}

std::vector<LibraryFrame> LibraryFrames::of(const PlannedAllocation& allocation) const
{
    switch (m_timeline.phaseAt(allocation.begin)) {
    case Phase::setup:
        return ofSetup(allocation);
    case Phase::input: {
        std::vector<LibraryFrame> frames{
            at("send_to_device", "accelerate/utils/operations.py", 150)};
        addLoop(frames, "_prepare_inputs", 3900);
        return frames;
    }
    case Phase::optimizer:
        return ofStep(allocation);
    case Phase::backward:
        return allocation.role == Role::recomputed ? ofForward(allocation)
                                                   : std::vector<LibraryFrame>();
    default:
        return ofForward(allocation);
    }
}

/// `Module.to`: once more into each child.
std::vector<LibraryFrame> LibraryFrames::ofSetup(const PlannedAllocation& allocation) const
{
    std::vector<LibraryFrame> frames{at("convert", kModule, 1370), at("_apply", kModule, 965)};
    for (std::uint32_t p = allocation.place; p != 0; p = m_timeline.places[p].outer) {
        frames.push_back(at("_apply", kModule, 934));
    }
    frames.push_back(at("to", kModule, 1384));
    frames.push_back(at("to", "transformers/modeling_utils.py", 3706));
    frames.push_back({"<module>", "/home/me/train.py", 20});
    return frames;
}

std::vector<LibraryFrame> LibraryFrames::ofStep(const PlannedAllocation& allocation) const
{
    const bool is_state = allocation.bucket == label::Bucket::optimizer_state;
    std::vector<LibraryFrame> frames;
    const auto torchs = [&](std::string_view file, std::string_view kernel) {
        const bool in_group = is_state && m_run.optimizer != Optimizer::sgd_momentum;
        frames.push_back(in_group ? at("_init_group", file, 178) : at(kernel, file, 560));
        frames.push_back(at("step", file, 240));
        frames.push_back(at("_use_grad", "torch/optim/optimizer.py", 81));
        frames.push_back(at("wrapper", "torch/optim/optimizer.py", 533));
    };
    switch (m_run.optimizer) {
    case Optimizer::adamw:
        torchs("torch/optim/adam.py", "_fused_adam");
        break;
    case Optimizer::adamw_foreach:
        torchs("torch/optim/adam.py", "_multi_tensor_adam");
        break;
    case Optimizer::adamw_for_loop:
        torchs("torch/optim/adam.py", "_single_tensor_adam");
        break;
    case Optimizer::sgd:
    case Optimizer::sgd_momentum:
        torchs("torch/optim/sgd.py", "_multi_tensor_sgd");
        break;
    case Optimizer::adamw_8bit:
        frames.push_back(is_state ? at("init_state", "bitsandbytes/optim/optimizer.py", 440)
                                  : at("update_step", "bitsandbytes/optim/optimizer.py", 500));
        frames.push_back(at("step", "bitsandbytes/optim/optimizer.py", 270));
        break;
    case Optimizer::adafactor:
        frames.push_back(at("step", "transformers/optimization.py", is_state ? 880 : 920));
        break;
    }
    addLoop(frames, {}, 0);
    return frames;
}

std::vector<LibraryFrame> LibraryFrames::ofForward(const PlannedAllocation& allocation) const
{
    std::vector<LibraryFrame> frames;
    const std::string own = modelFile();
    // What runs here; of what a module makes itself, by its place in its order.
    auto line = static_cast<std::int32_t>(10 + allocation.turn);
    bool is_in_head = false;
    bool is_in_layer = false;
    for (std::uint32_t p = allocation.place; p != 0; p = m_timeline.places[p].outer) {
        const PlannedPlace& place = m_timeline.places[p];
        const std::string_view file = fileOf(place.module);
        const bool is_attention = place.module == kAttentionCall;
        is_in_head = place.module == kHead;
        is_in_layer = is_in_layer || place.module.starts_with("layers.");
        if (place.module == kLoss) {
            frames.push_back(place.function == "forward"
                                 ? at("forward", "torch/nn/modules/loss.py", line)
                                 : at(place.function, "transformers/loss/loss_utils.py", line));
        } else if (place.module == kFunctional && isInFusedCall(place)) {
            continue; // The kernels that it has without a fused one call no Python.
        } else if (place.module == kFunctional) {
            frames.push_back(at(place.function, file, lineOfCall(place.function)));
        } else if (is_attention && m_run.attention == Attention::sdpa) {
            frames.push_back(at("sdpa_attention_forward",
                                "transformers/integrations/sdpa_attention.py",
                                frames.empty() ? 96 : line));
        } else if (is_attention) {
            frames.push_back(at("eager_attention_forward", own, line));
        } else if (!file.empty()) {
            frames.push_back(at("forward", file, frames.empty() ? 134 : line));
            addCall(frames);
        } else if (!is_in_head) {
            frames.push_back(at("forward", own, line));
            addCall(frames);
            if (place.module.starts_with("layers.")) {
                frames.push_back(at("__call__", "transformers/modeling_layers.py", 109));
            }
        }
        if (!is_in_head) {
            line = lineOfCall(withoutNumber(place.module));
        }
    }
    if (allocation.role == Role::recomputed) {
        frames.push_back(at("recompute_fn", "torch/utils/checkpoint.py", 1160));
        frames.push_back(at("unpack_hook", "torch/utils/checkpoint.py", 1120));
        return frames; // On the engine's thread.
    }
    if (m_run.checkpoints && is_in_layer) {
        frames.push_back(at("checkpoint", "torch/utils/checkpoint.py", 500));
    }
    if (!is_in_head) {
        frames.push_back(at("forward", own, line)); // The model without its head.
        addCall(frames);
        line = lineOfCall("model");
    }
    frames.push_back(at("forward", own, line));
    addCall(frames);
    if (m_run.mode == Mode::inference) {
        frames.push_back(at("decorate_context", "torch/utils/_contextlib.py", 124));
        frames.push_back({"<module>", "/home/me/evaluate.py", 25});
        return frames;
    }
    frames.push_back(at("compute_loss", kTrainer, 4100));
    addLoop(frames, "training_step", 4000);
    return frames;
}

} // namespace tidemark::walk
