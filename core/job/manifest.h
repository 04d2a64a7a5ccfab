// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/gather.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace tidemark::job {

/// Whether a file's beginning looks like a job's manifest.
bool looksLikeManifest(std::string_view beginning);

/// The files that a manifest names, one job. Errors: cannotOpen, damaged.
Result<std::vector<Dump>> readManifest(const std::filesystem::path& file);

} // namespace tidemark::job
