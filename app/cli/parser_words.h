// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::cli {

// What the parser of the command line says by itself, in the language in use.

/// The headings of the help, once all options and commands are added.
void translateHelp(CLI::App& program);

/// More rows than any list has.
inline constexpr std::int64_t kMostRows = 1'000'000'000;

/// A check of an option: a whole number from `least` to `most`, in decimal digits.
CLI::Validator numberIn(std::int64_t least, std::int64_t most);
/// The same of any number.
CLI::Validator fractionIn(double least, double most);
/// One of these words.
CLI::Validator oneOf(const std::vector<std::string>& words);

/// The word of `known` that was most likely meant by `word`; empty if none is like it.
std::string likeliest(std::string_view word, const std::vector<std::string>& known);

/// In brackets: which call shows the help of the chosen command, or of the program.
std::string whatShowsMore(const CLI::App& program);

/// Why the arguments cannot be used, and what shows more. `error` is what parsing them with
/// `program` threw: no call for help.
std::string sentenceOf(const CLI::App& program, const CLI::ParseError& error);

} // namespace tidemark::cli
