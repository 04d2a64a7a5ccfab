// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemark {

/// What `useLanguage` takes.
struct BuiltInLanguage {
    std::string_view id; ///< "de".
    std::string_view name; ///< In the language itself.
};

/// English, which the sources are written in, then each catalogue of resources/languages.
const std::vector<BuiltInLanguage>& builtInLanguages();

/// "en, de".
std::string languageIds();

} // namespace tidemark
