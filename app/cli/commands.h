// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "app/cli/session.h"
#include "core/base/language.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark::cli {

/// Runs the chosen command and returns the exit code.
using Run = std::function<int()>;

// Each adds the options of one command, whose file is app/cli/command_NAME.cpp. When it is chosen,
// `run` is set to what executes it.

void addSummary(CLI::App& command, Run& run);
void addTimeline(CLI::App& command, Run& run);
void addAllocations(CLI::App& command, Run& run);
void addLabels(CLI::App& command, Run& run);
void addDiagnose(CLI::App& command, Run& run);
void addExplain(CLI::App& command, Run& run);
void addPredict(CLI::App& command, Run& run);
void addPlan(CLI::App& command, Run& run);
void addProgram(CLI::App& command, Run& run);
void addCompare(CLI::App& command, Run& run);
void addRanks(CLI::App& command, Run& run);
void addSimulate(CLI::App& command, Run& run);
void addStacks(CLI::App& command, Run& run);
void addStates(CLI::App& command, Run& run);
void addWatch(CLI::App& command, Run& run);
void addCheck(CLI::App& command, Run& run);
void addConvert(CLI::App& command, Run& run);
void addReport(CLI::App& command, Run& run);
void addCaptureModule(CLI::App& command, Run& run);
void addCapabilities(CLI::App& command, Run& run);

struct Command {
    std::string_view name;
    const char* sentence; ///< What it does, in English.
    void (*add)(CLI::App& command, Run& run);
    /// Version of docs/schema/NAME.json, which says what --json prints; 0: no JSON.
    int schema = 1;
};
/// In the order of --help.
inline constexpr auto kCommands = std::to_array<Command>({
    {"summary", toSay("Shows what a file contains: events, totals, peak, OOM events"), addSummary},
    {"timeline",
     toSay("Shows bytes per bucket over time, downsampled but with the peak and OOM events"),
     addTimeline},
    {"allocations",
     toSay("Lists allocations live at a moment, or of the whole run, with buckets and stacks"),
     addAllocations},
    {"labels", toSay("Lists every allocation with its bucket, role, confidence and reason"),
     addLabels},
    {"diagnose",
     toSay("Explains why the run ran out of memory, with evidence and fixes, cheapest first"),
     addDiagnose},
    {"explain", toSay("Explains an out-of-memory message or a whole log, without a snapshot"),
     addExplain},
    {"predict", toSay("Predicts the peak and the need after a change, and whether it fits"),
     addPredict},
    {"plan", toSay("Predicts the peak of a training run from the model's configuration"), addPlan},
    {"program",
     toSay("Infers the program from its sizes: batch, sequence, the model's dimensions, and what "
           "each size is"),
     addProgram},
    {"compare", toSay("Compares two runs: the bytes each change explains, and the rest"),
     addCompare},
    {"ranks", toSay("Analyzes a job of many ranks: which failed first, which differ, and why"),
     addRanks},
    {"simulate",
     toSay("Replays the requests under other allocator settings and shows whether they fit"),
     addSimulate},
    {"stacks", toSay("Shows who allocated: the call tree of all stacks, with bytes"), addStacks},
    {"states", toSay("Estimates weights, gradients and optimizer state from a parameter count"),
     addStates},
    {"watch", toSay("Watches a folder for snapshots; draws and explains each as it arrives"),
     addWatch},
    {"report",
     toSay("Writes a report to share: of one file, of two compared, or of a job's folder"),
     addReport},
    {"check",
     toSay("Holds runs against budgets or earlier runs, for CI; exit 1 where one is broken"),
     addCheck},
    {"convert",
     toSay("Writes a run for other tools (Perfetto, pprof, speedscope, SQLite), or cuts a range"),
     addConvert},
    {"capture-module",
     toSay(
         "Prints the Python module that records snapshots with exact labels; copy it to your code"),
     addCaptureModule, 0},
    {"capabilities", toSay("Lists what this build can do, for scripts"), addCapabilities},
});

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
