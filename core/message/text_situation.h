// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/run_activity.h"

#include <cstdint>
#include <string_view>

namespace tidemark::diagnose {

/// What kind of program ran out, by what a text names of it.
enum class RunKind : std::uint8_t {
    unknown,
    training,
    rollout, ///< Training that generates with an inference engine beside it.
    evaluation,
    engine, ///< An inference engine: vLLM, SGLang, llama.cpp.
    diffusion, ///< Images or video, not trained.
    loading,
    inference,
};

/// What a text is of, where neither figures nor frames say what filled the memory.
struct TextSituation {
    RunActivity activity = RunActivity::unknown;
    RunKind kind = RunKind::unknown;
    bool is_host = false; ///< Its words are of host memory alone.
    bool keeps = false; ///< Memory that is never freed, or leaks.
    bool ends_loading = false; ///< A load that stops halfway, without any error.
    bool names_trainer = false; ///< transformers' Trainer, which collects predictions.
    bool keeps_no_graph = false; ///< no_grad or inference_mode is there.
    bool names_large_model = false; ///< A transformer, or a library that trains or runs large ones.
    bool is_convolutional = false; ///< Small weights, large activations: a ResNet, a U-Net, a NeRF.
    bool is_of_images = false; ///< Or of videos, volumes, points.
};
/// `error_at` as in `runActivity`. Of the first `kPostedText` bytes; O(that).
TextSituation situationOf(std::string_view text, std::size_t error_at);

/// Whether a sentence of a person says that memory ran out or leaks, in whatever language; not "no
/// OOM". Of the first `kPostedText` bytes; O(that).
bool saysMemoryRanOut(std::string_view text);

} // namespace tidemark::diagnose
