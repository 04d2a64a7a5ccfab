// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace tidemark {

/// What the program writes on request.
enum class OutputKind : std::uint8_t {
    pdf,
    png,
    svg,
    html,
    json,
    markdown,
    csv,
    module,
    rules,
    perfetto,
    gzip,
    speedscope,
    folded,
    sqlite,
    table,
    cut_pickle,
    cut_json,
    junit,
    metrics,
};

/// Whether a file of this kind may be written under this name: not onto one of the files that are
/// read, by whatever name or link, and not onto a file of another kind, which is known by how it
/// begins; that may be `also`, too, in small letters. What is missing, empty, or no regular file
/// may be. O(files). Errors: badArgument, a
/// sentence that names the file and says how to go on.
Result<Done> checkOutput(const std::filesystem::path& output, OutputKind kind,
                         std::span<const std::filesystem::path> inputs, std::string_view also = {});

} // namespace tidemark
