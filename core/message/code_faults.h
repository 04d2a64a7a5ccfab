// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// What the Python of a post does that keeps or takes memory.
enum class CodeFault : std::uint8_t {
    loss_kept, ///< A loss with its graph is summed or stored from step to step.
    outputs_kept, ///< Outputs with their graphs collect in a list or a tensor.
    outputs_on_gpu, ///< Outputs without graphs collect on the GPU.
    retains_graph, ///< Every backward has retain_graph=True.
    creates_graph, ///< backward(create_graph=True).
    evaluates_with_graph, ///< An evaluation without no_grad.
    generates_with_graph, ///< A loop that feeds a model its own output, without no_grad.
    model_in_loop, ///< A model on the GPU is made anew in each turn of a loop.
    gpu_in_dataset, ///< A Dataset's or collate function's own .cuda().
    loads_on_gpu, ///< torch.load without a map_location, or with one of the GPU.
    data_parallel, ///< nn.DataParallel.
    state_carried, ///< A recurrent state goes into the next step with its graph.
    attention_matrix, ///< q @ k.transpose(...).
};
/// By its id in resources/traps.json, "loss-kept".
std::optional<CodeFault> codeFaultOf(std::string_view id);

struct CodeHit {
    CodeFault fault = CodeFault::loss_kept;
    std::size_t end = 0; ///< Of its line, in the text.
    std::int64_t line_number = 0; ///< 1-based.
    std::string line; ///< Trimmed, shortened.
};

/// The first line of each fault, in the order of lines. What is not sure is none: names that the
/// text takes through detach(), a no_grad somewhere, a sum that backward() runs on. O(text).
std::vector<CodeHit> codeFaults(std::string_view text);

} // namespace tidemark::diagnose
