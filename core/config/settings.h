// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::config {

/// One setting as it was written: "zero_optimization.stage", "2".
struct Setting {
    std::string path; ///< Names with dots between them, "-" as "_", without leading dashes.
    std::string value; ///< Items of a list with commas between them; a bare flag has "true".
};

/// A configuration without any meaning given to its names.
struct Settings {
    /// "JSON", "YAML", "sections", "trainer arguments", "launch line", "overrides",
    /// "Python assignments"
    std::string form;
    std::vector<Setting> all; ///< In the order of the text.
};

/// Finds out how a configuration is written and takes it apart. O(length). Errors: badArgument,
/// tooLarge.
Result<Settings> readSettings(std::string_view text);

// The forms, each in the file of its family. Unset: not written in that form.
std::optional<Settings> settingsFromJson(std::string_view text);
std::optional<Settings> settingsFromYaml(std::string_view text);
/// INI, and TOML as far as it looks like that: "[training]" and "name = value" lines.
std::optional<Settings> settingsFromSections(std::string_view text);
/// "TrainingArguments(bf16=True, …)" as Python prints it, or such calls in a Python file.
std::optional<Settings> settingsFromPython(std::string_view text);
/// "MAX_SEQ_LENGTH = 1536" and entries of dictionaries, one per line, in a Python file.
std::optional<Settings> settingsFromAssignments(std::string_view text);
/// Overrides "a.b=c", and command lines with options, overrides and environment variables.
std::optional<Settings> settingsFromWords(std::string_view text);
/// A shell script with the variables that it sets put where it uses them: Megatron's scripts hold
/// their options in some. At most `kMostConfigBytes`; O(that).
std::string withShellVariables(std::string_view text);

/// Limits against configurations that were never meant to be one.
inline constexpr std::size_t kMostConfigBytes = 256U << 10;
inline constexpr std::size_t kMostSettings = 4096;
inline constexpr int kMostDepth = 32;

/// "--Per-Device-Size" → "per_device_size".
std::string plainName(std::string_view name);

} // namespace tidemark::config
