// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>

namespace tidemark::reader {

/// Bytes of memory that can be had without swapping; 0 where the system does not tell.
std::uint64_t availableMemory();

} // namespace tidemark::reader
