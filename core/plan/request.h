// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/config/run_config.h"
#include "core/plan/plan.h"
#include "core/plan/rollout.h"

#include <optional>
#include <string>
#include <vector>

namespace tidemark::plan {

/// What somebody asks for, on the command line or in the window's form; what is not said is taken
/// from the run's configuration, else it has a default, of which an assumption tells.
struct Request {
    walk::ModelShape model;
    std::optional<config::RunConfig> config; ///< What the trainer was told.
    std::optional<std::int64_t> batch;
    std::optional<std::int64_t> sequence;
    std::optional<std::int64_t> target_sequence;
    std::optional<std::int64_t> accumulation;
    std::optional<std::int64_t> gpus;
    std::optional<int> zero;
    std::optional<std::int64_t> lora_rank;
    /// Of all adapters, in place of their rank, which follows from it.
    std::optional<std::int64_t> lora_parameters;
    std::vector<std::string> lora_targets; ///< None: the usual ones; "all-linear": all of them.
    std::optional<walk::Precision> precision;
    std::optional<walk::Optimizer> optimizer;
    std::optional<walk::Attention> attention;
    std::optional<walk::Quantization> quantization;
    std::optional<walk::Offload> states;
    std::optional<walk::Offload> weights;
    std::optional<bool> is_padded;
    std::optional<bool> checkpoints;
    std::optional<bool> fuses_loss;
    std::optional<walk::Loop> loop;
    std::optional<walk::OwnCode> own;
    std::optional<walk::Mode> mode;
    std::optional<walk::Target> target;
    std::optional<walk::Division> division;
    std::optional<RolloutSetup> rollout; ///< What else is on the card.
    std::string capacity; ///< In words: a size, or a card's name; empty: not known.
};

/// Errors: badArgument: an optimizer of the configuration that is not planned, targets without
/// adapters, a capacity that is none.
Result<Question> questionOf(const Request& request);

} // namespace tidemark::plan
