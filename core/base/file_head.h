// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tidemark {

/// The first bytes of a file, `size` at most; empty where it cannot be read.
std::string fileHead(const std::filesystem::path& file, std::size_t size);

} // namespace tidemark
