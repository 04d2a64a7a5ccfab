// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/export/formats.h"

#include <filesystem>
#include <span>

namespace tidemark::exports {

/// By the file's ending, in any case. Errors: badArgument naming what is possible.
Result<Format> formatOf(const std::filesystem::path& file);

/// Whether `writeExport` would write this file: not one that is read, and not a file that is there
/// already and has another kind of content, and the wanted table is there. Errors: badArgument.
Result<Done> checkExport(const std::filesystem::path& file, const Wanted& wanted,
                         std::span<const std::filesystem::path> inputs);

/// Writes a run in the format of another program. The file appears under its name only when it is
/// complete. Requires programs, and what `checkExport` wants. Errors: badArgument for a device or a
/// range that is not there; cannotWrite.
Result<Done> writeExport(const std::filesystem::path& file, const diagnose::Analysis& analysis,
                         const Wanted& wanted);

} // namespace tidemark::exports
