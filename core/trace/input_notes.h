// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::trace {

/// Something odd in the input that could be survived, and what it means for the reader of the
/// figures.
struct InputNote {
    std::string code; ///< Stable id, kebab case, e.g. "unmatched-free".
    std::int64_t count = 0;
    std::string text; ///< One sentence, from the first occurrence.
};

/// Notes by code, in order of first appearance. The first text of a code is kept, the rest counted.
class InputNotes {
public:
    void add(std::string_view code, std::string_view text, std::int64_t count = 1);
    void merge(const InputNotes& other);
    [[nodiscard]] std::span<const InputNote> all() const
    {
        return m_notes;
    }
    [[nodiscard]] const InputNote* find(std::string_view code) const;

private:
    std::vector<InputNote> m_notes;
};

} // namespace tidemark::trace
