// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/query/query.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemark::query {

enum class Comparison : std::uint8_t { equal, less, less_equal, greater, greater_equal };

// What may stand behind a key, read by kind. All errors are badArgument and name the word.

/// "100MiB" and such; a number alone counts bytes. `..` between two only behind `equal`.
Result<Range> readBytes(std::string_view value, Comparison comparison);
/// "1.5ms", in nanoseconds.
Result<Range> readDuration(std::string_view value, Comparison comparison);
/// "12events", "12ev": a duration where a file has no times. Nullopt where it is none of those.
std::optional<Result<Range>> readEvents(std::string_view value, Comparison comparison);
Result<Range> readNumber(std::string_view value, Comparison comparison);
/// "0x7f00", or all digits.
Result<Address> readAddress(std::string_view value);

/// Whether a text is a unit of bytes or time alone: "358.00 MiB" is one figure in two words.
bool isUnit(std::string_view text);

} // namespace tidemark::query
