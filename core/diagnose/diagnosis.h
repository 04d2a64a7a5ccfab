// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/units.h"
#include "core/diagnose/answer.h"
#include "core/diagnose/budget.h"
#include "core/diagnose/oom_message.h"
#include "core/label/bucket.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
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

enum class FixStatus : std::uint8_t {
    recommended, ///< The cheapest that fits.
    would_help, ///< Frees memory where it counts; fits, or not known whether.
    already_on,
    not_needed,
    not_enough, ///< Helps, but not enough alone.
    not_applicable,
};
std::string_view fixStatusId(FixStatus status);

/// What must be there before a remedy can be used.
struct FixNeeds {
    std::string torch; ///< The first version that has it: "2.1"; empty: any.
    std::string gpu; ///< The GPU generation in a few words; empty: any.
    std::string other; ///< Packages, systems, settings; empty: nothing.
    std::optional<Bytes> host; ///< Host memory that it takes, where it moves something there.
};

/// A member of a set by itself.
struct OwnEffect {
    std::string apply; ///< In `predict --apply` words; empty if it is no change of sizes.
    Bytes saves;
    Bytes new_need;
    Bytes short_by; ///< 0 if it would be enough.
};

/// One remedy of the ladder, computed for this file. The members of a recommended set of several
/// bear the change and the figures of the whole set.
struct Fix {
    std::string id; ///< Stable, e.g. "micro-batch", "checkpointing-full", "optimizer-8bit".
    std::string knowledge; ///< Its number in the knowledge base, "M5"; may be empty.
    int rung = 0; ///< Place in the cost order, 1 = cheapest.
    std::string title; ///< With the figures filled in: "Micro-batch 1/2 with accumulation 2".
    FixStatus status = FixStatus::not_applicable;
    std::string
        apply; ///< The change in `predict --apply` words; empty if it is no change of sizes.
    Bytes short_by; ///< How much is missing, when not enough.
    Bytes saves; ///< At the moment that counts (the need of a run that died, else the peak).
    Bytes new_peak; ///< Largest requested total after the change, best estimate.
    Bytes new_peak_low;
    Bytes new_peak_high;
    StateId new_peak_state;
    Bytes new_need; ///< Requested bytes the run needs after the change.
    Bytes new_reserved; ///< The same with what the allocator keeps beside it; best estimate.
    std::optional<bool> fits; ///< As the design defines it; unset with the reason in `why`.
    bool changes_science = false; ///< The experiment itself changes, not only its cost.
    std::string why; ///< One or two sentences: what was seen and what follows.
    std::string cost; ///< What it costs in speed and work, one sentence.
    std::string verify; ///< What to check again because the result may differ; empty if it may not.
    std::vector<std::string> conflicts; ///< With what it does not go together, one sentence each.
    FixNeeds needs;
    OwnEffect alone; ///< Of this remedy by itself, where it is part of a set.
    std::vector<std::pair<std::string, std::string>> how; ///< Framework → the line to paste.
};

/// One prediction: the timeline recomputed with the affected allocations changed.
struct Prediction {
    std::size_t device = 0; ///< Index into the snapshot's devices.
    Bytes before_peak;
    Bytes before_need;
    Bytes before_reserved; ///< What the run needs from the driver: need + overhead.
    Bytes after_peak;
    Bytes after_low; ///< Interval of the peak.
    Bytes after_high;
    StateId after_peak_state;
    Bytes after_need;
    Bytes after_need_low;
    Bytes after_need_high;
    Bytes after_reserved; ///< Best estimate.
    Bytes after_reserved_low;
    Bytes after_reserved_high;
    std::optional<Bytes> capacity;
    std::optional<bool> fits;
    std::vector<std::string> assumptions;
    std::vector<std::int64_t> after_active; ///< Per state, bytes: the ghost curve.
    /// What the run is made of at the moment that counts; unset where no curve was wanted.
    std::optional<Budget> before_budget;
    std::optional<Budget> after_budget;
};

/// The recipe read off the persistent buckets: bytes per parameter of weights, gradients and
/// states.
struct Recipe {
    std::int64_t parameters = 0; ///< Number of trainable parameters, estimated.
    double weight_bytes = 0; ///< Per parameter.
    double gradient_bytes = 0;
    double state_bytes = 0;
    double copy_bytes = 0; ///< A full-precision master copy, an average of the weights.
    double master_bytes = 0; ///< The first of these alone.
    double average_bytes = 0; ///< The second alone (EMA).
    std::string text; ///< "fp32 weights + Adam: 16 B × 17.4 M parameters"; empty if not recognised.
    std::string excluded; ///< The recipe that it might be taken for, and why it is not; or empty.
};

/// The moment the diagnosis is about: the last OOM event, else the peak.
struct Moment {
    StateId state; ///< The state just before the OOM, or the peak.
    bool is_oom = false;
    EventId oom; ///< None without OOM.
    Bytes active; ///< Requested bytes live then.
    Bytes reserved;
    Bytes requested; ///< The failed request (rounded as in the trace); 0 without OOM.
    Bytes tried; ///< What the driver was asked for; 0 without OOM.
    std::optional<Bytes> device_free; ///< None without OOM, or where the file does not say.
    Bytes largest_hole; ///< That the request could have used.
    label::BucketBytes buckets{};
};

struct DeviceDiagnosis {
    Moment moment;
    std::vector<CauseFinding> causes; ///< Ranked; at least one.
    std::vector<Finding> findings; ///< In the order of a story; may be empty.
    Bytes need; ///< Requested bytes: active + failed request + what is known to follow; the peak
                ///< without OOM.
    Bytes known_to_follow; ///< Part of the need: e.g. optimizer state not made yet.
    Bytes overhead; ///< Reserved − active that remains: need + overhead is compared with the
                    ///< capacity.
    std::optional<Bytes> capacity;
    std::string capacity_source; ///< Where it comes from, or what is missing.
    Recipe recipe;
    std::vector<Fix> fixes; ///< In the ladder's order: by rung.
    /// Whether other allocator settings would have helped, by replay; empty where none was made.
    std::string settings_verdict;
    std::optional<Answer> answer; ///< Unset where no change helps, or none is needed to be known.
    Limits limits;
    std::string
        headline; ///< "Out of memory in backward of step 2: activations hold 78 % of the card".
    std::string explanation; ///< Two or three sentences under it.
    std::string fix_headline; ///< "Cheapest change that fits: …".
    std::string fix_explanation;
};

struct Diagnosis {
    std::optional<OomMessage> message; ///< If the user gave one that could be read.
    std::vector<DeviceDiagnosis> devices; ///< Same order as the snapshot's.
    std::string
        sum_check; ///< "buckets + cached + private pools + outside PyTorch = …" of the main device.
};

} // namespace tidemark::diagnose
