// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/language.h"
#include "core/base/result.h"
#include "core/config/run_config.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::cli {

/// What --capacity takes.
inline std::string capacityHelp()
{
    return say("What PyTorch may reserve, such as 23.65GiB, or the GPU: A100-80GB, RTX-4090, 24GB; "
               "of a GPU CUDA's context takes 0.3 to 1 GiB");
}

/// What --config takes.
inline std::string configHelp()
{
    return say(
        "The run's configuration, a file or its text: DeepSpeed's JSON, trainer arguments, YAML or "
        "TOML, overrides a.b=c, the launch line or script, or the Python file that makes the "
        "trainer; "
        "of several a later one holds");
}

/// The text itself, or with a leading @ the content of the file named after it ("@-": standard
/// input), unpacked where it is packed. Errors: badArgument if the file cannot be read or is a
/// snapshot.
Result<std::string> textOrFile(const std::string& argument);

/// Whether a file of that name is there to be read, or a pipe such as the shell's <(…).
bool namesFile(const std::string& argument);

/// The content of the file that the argument names, with or without a leading @; else, if it can be
/// no file's name, the argument itself. Errors: badArgument if the file is not there or cannot be
/// read.
Result<std::string> fileOrText(const std::string& argument);

/// The name of the file that such an argument names; empty if it is a text.
std::string fileNameIn(const std::string& argument);
/// Of several, with " + " between them; what is no file has none.
std::string fileNamesIn(const std::vector<std::string>& arguments);

/// The configuration in files or texts that belong to one run; of several a later one holds.
/// Errors: as `fileOrText` and `readRunConfigs`.
Result<config::RunConfig> configFrom(const std::vector<std::string>& arguments);

/// A CUDA index, or "host" for host memory (−1). Errors: badArgument.
Result<std::int32_t> parseDevice(std::string_view text);

} // namespace tidemark::cli
