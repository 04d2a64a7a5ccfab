// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::query {

/// "model.py:24", with any end of the file's path, in any case: line 24, not 241, of that file, not
/// of "my_model.py".
struct CodeLine {
    std::string file; ///< Lowered.
    std::int32_t line = 0;

    [[nodiscard]] bool isOf(const trace::Snapshot& snapshot, const Frame& frame) const;
    /// Whether a text says it: "model.py:24 forward". O(text).
    [[nodiscard]] bool isIn(std::string_view text) const;
};

/// Nullopt for every other text: without a line, or without a file's ending ("cuda:0").
std::optional<CodeLine> codeLineOf(std::string_view text);

} // namespace tidemark::query
