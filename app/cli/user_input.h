// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::cli {

/// What a person adds to a file, as words.
struct UserInputOptions {
    std::string message;
    std::string capacity;
    std::vector<std::string> config; ///< Files or texts.
    int gpus = 0; ///< 0: not said.
};

enum class WithMessage : std::uint8_t { no, yes };

/// --capacity and --gpus, and --message where the command takes it.
void addUserInputOptions(CLI::App& command, UserInputOptions& options, WithMessage with_message);

/// The words understood. Throws CLI::ValidationError with a sentence.
diagnose::UserInput userInput(const UserInputOptions& options);

} // namespace tidemark::cli
