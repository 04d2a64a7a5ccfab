// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tidemark::label {

// All that is known of a rule of labels by itself is one row of the table in label_rules.cpp.

/// Why an allocation has its bucket: what was seen of it.
enum class Rule : std::uint8_t {
    no_evidence,
    corrected,
    captured,
    captured_phase,
    named_by_program,
    profiler_category,
    library_workspace,
    ddp_bucket,
    unsharded_parameter,
    collective_buffer,
    optimizer_state_loaded,
    generation_cache,
    model_loaded,
    autocast_copy,
    autocast_input,
    setup_temporary,
    setup_survivor,
    input_temporary,
    pass_input,
    gradient_sized,
    forward_temporary,
    saved_for_backward,
    kept_from_the_first_call,
    buffer_made_in_first_pass,
    recomputed,
    backward_temporary,
    backward_survivor,
    cut_off_gradient,
    optimizer_transient,
    optimizer_step_survivor,
    parameter_replaced,
    gradient_of_master_copy,
    kept_past_its_step,
    pass_temporary,
    pass_result,
    short_lived,
    kept_by_program,
    blas_workspace,
    grows_every_pass,
    serves_many_passes,
    perturbation,
    updated_weights,
    copy_of_the_weights,
    master_copy,
    state_made_beforehand,
    cache_made_beforehand,
    freed_after_the_last,
    further_set_in_setup,
    untrained_and_large,
    static_cache,
    graph_of_last_pass,
    kept_like_its_twins,
    forward_before_trace,
    backward_before_trace,
    freed_like_its_twins,
    replaced_by_its_like,
    state_replaced,
    gradient_freed,
    freed_after_step,
    freed_in_backward,
    freed_in_optimizer,
    freed_early,
    before_history,
    blas_workspace_sized,
    ddp_bucket_sized,
    side_by_side_in_pairs,
    beside_pairs,
    kept_gradients,
    bare_gradients,
    oldest_of_copies,
    gradients_of_copies,
    latest_of_copies,
    first_gradient_sized_set,
    further_gradient_sized_set,
    twice_gradient_sized,
    kept_without_gradient,
    kept_through_passes,
};
inline constexpr std::size_t kRuleCount = static_cast<std::size_t>(Rule::kept_through_passes) + 1;

/// How sure its label is, in percent, where the trace has frames and where phases come from sizes
/// and lifetimes: the share of a rule's bytes x events that carry their true bucket, rounded down
/// to a level. `tests/deep/rule_coverage.py --write` measures it and writes it here and, with what
/// it rests on, to docs/label-rules.md.
struct RuleInfo {
    Rule rule = Rule::no_evidence;
    std::string_view id; ///< "optimizer-step-survivor": stable.
    std::uint8_t confidence = 0;
    std::uint8_t without_frames = 0;
    std::string_view what; ///< What was seen, in English, without a full stop.
};

inline constexpr std::string_view kUpdatedWeights = "updated-weights"; ///< Of its rule, as an id.
/// What the program or a person said and nobody inferred.
inline constexpr std::uint8_t kSaid = 100;
/// Of a rule that fewer than three runs with a known truth show, and of what has no rule.
inline constexpr std::uint8_t kUnmeasured = 50;

extern const std::array<RuleInfo, kRuleCount> kRules; ///< In the order of `Rule`.

inline const RuleInfo& infoOf(Rule rule)
{
    return kRules[static_cast<std::size_t>(rule)];
}

} // namespace tidemark::label
