// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "app/cli/session.h"
#include "core/base/language.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace tidemark::cli {

/// Runs the chosen command and returns the exit code.
using Run = std::function<int()>;

// Each adds one command with its options to the program. When the command is chosen, `run` is set
// to what executes it.

void addSummary(CLI::App& program, Run& run);
void addTimeline(CLI::App& program, Run& run);
void addAllocations(CLI::App& program, Run& run);
void addLabels(CLI::App& program, Run& run);
void addDiagnose(CLI::App& program, Run& run);
void addExplain(CLI::App& program, Run& run);
void addCompare(CLI::App& program, Run& run);
void addPlan(CLI::App& program, Run& run);
void addPredict(CLI::App& program, Run& run);
void addProgram(CLI::App& program, Run& run);
void addRanks(CLI::App& program, Run& run);
void addSimulate(CLI::App& program, Run& run);
void addStacks(CLI::App& program, Run& run);
void addStates(CLI::App& program, Run& run);
void addWatch(CLI::App& program, Run& run);
void addReport(CLI::App& program, Run& run);
void addCaptureModule(CLI::App& program, Run& run);
void addCapabilities(CLI::App& program, Run& run);

/// FILE..., --json, --reader, --rules and --no-saved-rules. `options` outlives the command.
void addCommonOptions(CLI::App& command, CommonOptions& options);

/// --device, a CUDA index or "host"; `otherwise` says what is taken without it. `device` outlives
/// the command.
void addDeviceOption(CLI::App& command, std::optional<std::int32_t>& device,
                     const std::string& otherwise = say("all"));

/// For an option whose words are parsed by a function that returns a Result: a bad word ends the
/// program with its sentence.
template <class T>
T valueOrThrow(Result<T> result, const std::string& option)
{
    if (!result.has_value()) {
        throw CLI::ValidationError(option, result.error().message);
    }
    return std::move(result).value();
}

} // namespace tidemark::cli
