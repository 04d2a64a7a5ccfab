// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// One setting as it was written: "zero_optimization.stage", "2".
struct Setting {
    std::string path; ///< Names with dots between them, "-" as "_", without leading dashes.
    std::string value; ///< Items of a list with commas between them; a bare flag has "true".
};

/// A configuration without any meaning given to its names.
struct Settings {
    std::string form; ///< "JSON", "YAML", "trainer arguments", "launch line", "overrides"
    std::vector<Setting> all; ///< In the order of the text.
};

/// Finds out how a configuration is written and takes it apart. O(length). Errors: badArgument,
/// tooLarge.
Result<Settings> readSettings(std::string_view text);

// The forms, each in the file of its family. Unset: not written in that form.
std::optional<Settings> settingsFromJson(std::string_view text);
std::optional<Settings> settingsFromYaml(std::string_view text);
/// "TrainingArguments(bf16=True, …)" as Python prints it.
std::optional<Settings> settingsFromPython(std::string_view text);
/// Overrides "a.b=c", and command lines with options, overrides and environment variables.
std::optional<Settings> settingsFromWords(std::string_view text);

/// Limits against configurations that were never meant to be one.
inline constexpr std::size_t kMostConfigBytes = 256U << 10;
inline constexpr std::size_t kMostSettings = 4096;
inline constexpr int kMostDepth = 32;

/// "--Per-Device-Size" → "per_device_size".
std::string plainName(std::string_view name);
/// Without blanks at the ends.
std::string_view trimmedText(std::string_view text);

} // namespace tidemark::diagnose
