// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/reader/limits.h"

#include <cstddef>
#include <string>

namespace tidemark::cli {

/// Longest text that is read from a file or a pipe.
inline constexpr std::size_t kMostTextBytes = reader::ReaderLimits().max_log_bytes;

/// All bytes of a file, a pipe or a device, no more than the beginning of what is no log
/// (`reader::beginsAsNoLog`); "-": standard input. Errors: badArgument with a
/// sentence that names it, where it cannot be read or is longer than `kMostTextBytes`.
Result<std::string> readTextInput(const std::string& name);

/// Fills the numbers of standard streams that the caller closed, so that no file that is opened
/// later takes their place: what is printed would go into it. Using them stays an error. To be
/// called first.
void keepStandardStreams();

} // namespace tidemark::cli
