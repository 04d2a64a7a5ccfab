// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string>
#include <string_view>

namespace tidemark::diagnose {

/// Lines of code and settings as CUDA has them, in the names of the backend that wrote a message
/// (`OomMessage::backend`). What a backend has no name for stays. For lines to paste and sentences
/// of our own, never for what is quoted of a text.
std::string inWordsOf(std::string_view backend, std::string lines);

} // namespace tidemark::diagnose
