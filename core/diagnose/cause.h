// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// Why the run ran out (or "none"). Ids as in the command line's contract: kebab case.
enum class Cause : std::uint8_t {
    none,
    model_states,
    optimizer_state,
    gradients,
    activations,
    activations_sequence,
    logits,
    single_huge_tensor,
    longest_batch,
    evaluation_accumulation,
    evaluation_batch,
    kv_cache,
    leak,
    fragmentation,
    compile_workspace,
    loading,
    other_process,
    duplicate_ranks,
    non_pytorch_memory,
    private_pools,
    allocator_setting,
    memory_fraction,
    virtual_only,
    host_memory,
    not_gpu_memory,
    unclear,
};
std::string_view causeId(Cause cause);

/// One observation that speaks for a cause, with a place to jump to where there is one.
struct Evidence {
    std::string text; ///< One sentence with its figures.
    std::optional<StateId> at; ///< A state of the diagnosed device.
    StackId stack; ///< A stack that shows it, or none.
};

struct CauseFinding {
    Cause cause = Cause::unclear;
    double score = 0; ///< 0 to 1; ranked, largest first.
    std::vector<Evidence> evidence;
    std::string to_be_sure; ///< What would raise the score, where it is below 0.8; else empty.
};

/// Something else that is to be seen at the moment: no cause by itself, but part of the story.
struct Finding {
    std::string id; ///< Stable, kebab case: "pinned", "no-second-step".
    Evidence evidence;
    Bytes bytes; ///< How much it is about; 0 where it is about no amount.
    /// How sure it is, 0 to 1: the confidence of the labels that it speaks of, weighted with their
    /// bytes; 1 where it speaks of segments and events alone; of a myth the first cause's.
    double score = 1;
    std::string to_be_sure{}; ///< As of a cause.
};

} // namespace tidemark::diagnose
