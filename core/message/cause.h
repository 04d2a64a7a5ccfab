// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/in_order.h"
#include "core/base/units.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
    checkpoint_load,
    collective_buffers,
    wrong_device,
    preallocation,
    graph_kept,
    library_no_memory,
    pinned_host,
    hidden_oom,
    upcast,
    cuda_graphs,
    not_capacity,
    unclear,
};

/// What is known of a cause by itself; its texts are in resources/causes.json, by its id.
struct CauseInfo {
    Cause cause = Cause::unclear;
    std::string_view id;
    bool rests_on_labels = false; ///< Surer or less sure as the labels of the allocations are.
    bool is_told_elsewhere = false; ///< Request and place explain it; its evidence need not.
};
inline constexpr std::array kCauses{
    CauseInfo{Cause::none, "none", true, true},
    CauseInfo{Cause::model_states, "model-states", true},
    CauseInfo{Cause::optimizer_state, "optimizer-state", true},
    CauseInfo{Cause::gradients, "gradients", true},
    CauseInfo{Cause::activations, "activations", true, true},
    CauseInfo{Cause::activations_sequence, "activations-sequence", true, true},
    CauseInfo{Cause::logits, "logits", true},
    CauseInfo{Cause::single_huge_tensor, "single-huge-tensor"},
    CauseInfo{Cause::longest_batch, "longest-batch"},
    CauseInfo{Cause::evaluation_accumulation, "evaluation-accumulation"},
    CauseInfo{Cause::evaluation_batch, "evaluation-batch", true},
    CauseInfo{Cause::kv_cache, "kv-cache", true},
    CauseInfo{Cause::leak, "leak"},
    CauseInfo{Cause::fragmentation, "fragmentation", false, true},
    CauseInfo{Cause::compile_workspace, "compile-workspace", true},
    CauseInfo{Cause::loading, "loading", true},
    CauseInfo{Cause::other_process, "other-process"},
    CauseInfo{Cause::duplicate_ranks, "duplicate-ranks"},
    CauseInfo{Cause::non_pytorch_memory, "non-pytorch-memory"},
    CauseInfo{Cause::private_pools, "private-pools"},
    CauseInfo{Cause::allocator_setting, "allocator-setting"},
    CauseInfo{Cause::memory_fraction, "memory-fraction"},
    CauseInfo{Cause::virtual_only, "virtual-only"},
    CauseInfo{Cause::host_memory, "host-memory"},
    CauseInfo{Cause::not_gpu_memory, "not-gpu-memory"},
    CauseInfo{Cause::checkpoint_load, "checkpoint-load"},
    CauseInfo{Cause::collective_buffers, "collective-buffers"},
    CauseInfo{Cause::wrong_device, "wrong-device"},
    CauseInfo{Cause::preallocation, "preallocation"},
    CauseInfo{Cause::graph_kept, "graph-kept"},
    CauseInfo{Cause::library_no_memory, "library-no-memory"},
    CauseInfo{Cause::pinned_host, "pinned-host"},
    CauseInfo{Cause::hidden_oom, "hidden-oom"},
    CauseInfo{Cause::upcast, "upcast"},
    CauseInfo{Cause::cuda_graphs, "cuda-graphs"},
    CauseInfo{Cause::not_capacity, "not-capacity"},
    CauseInfo{Cause::unclear, "unclear", false, true},
};

constexpr const CauseInfo& infoOf(Cause cause)
{
    return kCauses[static_cast<std::size_t>(cause)];
}
static_assert(isInOrder(kCauses, &CauseInfo::cause));
static_assert(kCauses.size() == static_cast<std::size_t>(Cause::unclear) + 1);

constexpr std::string_view causeId(Cause cause)
{
    return infoOf(cause).id;
}

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
    std::string trap{}; ///< The known trap (resources/traps.json) that stacks show; may be empty.
    std::vector<std::pair<std::string, std::string>> how{}; ///< Lines to paste, as fixes have them.
};

} // namespace tidemark::diagnose
