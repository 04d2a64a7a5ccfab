// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string>
#include <string_view>

namespace tidemark::reader {

/// Text from a file made fit for a sentence: one line, at most 80 characters, nothing but visible
/// ASCII.
std::string printable(std::string_view text);

} // namespace tidemark::reader
