// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/report/json.h"
#include "core/report/page_data.h"
#include "core/report/text_tools.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::report {

// What the data of a page is put together from.

/// Each text once, as it may be shown.
class TextPool {
public:
    std::size_t add(std::string_view text);
    [[nodiscard]] const std::vector<std::string>& texts() const
    {
        return m_texts;
    }

private:
    std::map<std::string, std::size_t, std::less<>> m_index;
    std::vector<std::string> m_texts;
};

/// How much a page lists.
struct ListLimits {
    std::size_t allocations = kPageAllocations; ///< Of each moment.
    std::size_t calls = kPageCalls; ///< Of each tree.
};

/// Adds `moments` (each with its trees of stacks) and the `allocations` that live in them.
void addMoments(Json& page, const diagnose::Analysis& analysis, std::size_t device, TextPool& texts,
                const ListLimits& limits = {});

/// What the script says, in the language in use.
Json pageWords();

} // namespace tidemark::report
