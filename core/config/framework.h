// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/config/run_config.h"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::config {

/// The framework that a configuration is written for, as resources/fixes.json names it, by the
/// first of its settings that only one framework has; empty where none tells. O(settings).
std::string_view frameworkOf(const RunConfig& config);

/// What a configuration combines that does not go together, or costs memory without being a
/// setting of memory; whole sentences.
std::vector<std::string> warningsOn(const RunConfig& config);

} // namespace tidemark::config
