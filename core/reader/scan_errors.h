// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string_view>

namespace tidemark::reader {

// What the scan of a pickle ends in where the file is none that can be read; `at`: byte offset.

/// `what` it asks for, to be put after "asks to".
Error refusedError(std::uint64_t at, std::string_view what);
Error damagedError(std::uint64_t at, std::string_view what);
Error cutOffError(std::uint64_t at);
Error nestingError(std::uint64_t at, std::uint32_t limit);
Error nestedKeyError(std::uint64_t at);
Error otherKeysError(std::uint64_t at, std::uint32_t limit);
Error memoGapError(std::uint64_t at, std::uint64_t index, std::uint64_t due);
Error tooMuchMemoryError(std::uint64_t at, std::uint64_t bytes);

} // namespace tidemark::reader
