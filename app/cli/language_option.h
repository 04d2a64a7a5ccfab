// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tidemark::cli {

/// Takes --language LANGUAGE, before or behind the command, out of the arguments and uses it: "en",
/// "de", or a file with a catalogue. Before the commands are added, whose help is in it, too.
/// Errors: badArgument.
Result<Done> useLanguageIn(std::vector<std::string>& arguments);

/// Lists it in the help of the program.
void addLanguageOption(CLI::App& program);

} // namespace tidemark::cli
