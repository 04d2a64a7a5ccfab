// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/check/verdict.h"

#include <span>
#include <string>
#include <string_view>

namespace tidemark::check {

/// A value of a workflow command, or of its message, that the runner takes as text: "%", line
/// breaks, and in properties ":" and "," are escaped, as GitHub's toolkit does (actions/toolkit,
/// packages/core/src/command.ts).
std::string githubData(std::string_view text);
std::string githubProperty(std::string_view text);

/// A text that the runner may read, in which it finds no command of its older form, "##[…]", which
/// counts anywhere in a line. `is_json`: the values stay the same for those who parse it.
std::string withoutOldCommands(std::string text, bool is_json);

/// Workflow commands, one a line, for what broke: an error each, at the line that grew where that
/// lies below `workspace` (GITHUB_WORKSPACE; empty: nowhere). GitHub shows ten of a step; with more
/// the tenth counts the rest.
std::string githubAnnotations(std::span<const Verdict> verdicts, std::string_view workspace);

/// The table for a step's summary in Markdown: what broke first, at most 100 rows.
std::string githubSummary(std::span<const Verdict> verdicts);

} // namespace tidemark::check
