// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/log_findings.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

// Figures about memory that stand behind a name, as frameworks and programs print them.

/// Their names, squeezed, each once.
std::span<const std::string_view> valueAnchors();

/// What stands behind `anchor`, which ends at `place`; nothing where the line is another program's
/// or a longer name ends there. O(length of the line).
void addValues(std::string_view log, std::size_t place, std::string_view anchor,
               std::vector<MemoryReading>& readings);

/// Where the value of a name begins that ends at `place`: behind blanks, quotes and signs of
/// assignment. `place` where none of these follows. O(1).
std::size_t valueBehind(std::string_view log, std::size_t place);

} // namespace tidemark::diagnose
