// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/fix.h"

#include <span>
#include <string>
#include <vector>

namespace tidemark::report {

/// The short run that shows whether a change did what it should.
struct CheckRun {
    std::string what; ///< A sentence: how long, and what to look at.
    std::string line; ///< To paste; empty: no framework in use has one for it.
    std::string framework; ///< Whose line it is.
    friend bool operator==(const CheckRun&, const CheckRun&) = default;
};

/// For one fix. `frameworks`: those in use, the first one's line is taken; none: PyTorch. Names of
/// options: transformers 5.24, TRL 1.16, Lightning 2.6, veRL's ppo_trainer.yaml, Megatron-Core's
/// arguments.py and torchtune's recipes, November 2026.
CheckRun checkRunOf(const diagnose::Fix& fix, std::span<const std::string> frameworks);

/// For all fixes that may help, each kind of run once.
std::vector<CheckRun> checkRunsOf(std::span<const diagnose::Fix> fixes,
                                  std::span<const std::string> frameworks);

} // namespace tidemark::report
