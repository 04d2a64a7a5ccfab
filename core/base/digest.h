// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string>
#include <string_view>

namespace tidemark {

/// With padding, as RFC 4648 has it. O(length).
std::string base64(std::string_view bytes);

/// The 32 bytes of SHA-256 (FIPS 180-4). O(length).
std::string sha256(std::string_view bytes);

} // namespace tidemark
