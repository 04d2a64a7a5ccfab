// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::report {

/// A field of a line of comma-separated values. Quoted where RFC 4180 asks for it. What a
/// spreadsheet would take for a formula has an apostrophe ahead, as OWASP's "CSV Injection"
/// advises.
std::string csvField(std::string_view text);
/// Without a line break; control characters are shown.
std::string csvLine(std::span<const std::string> cells);

/// Where a table beside others goes: RUN.TABLE.csv of RUN.csv.
std::filesystem::path csvTableFile(const std::filesystem::path& file, std::string_view table);

} // namespace tidemark::report
