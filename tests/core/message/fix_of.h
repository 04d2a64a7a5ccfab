// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/explain.h"

#include <algorithm>
#include <string_view>

namespace tidemark::test {

/// The fix of that id, which an explanation must have.
inline const diagnose::Fix& fixOf(const diagnose::Explanation& explanation, std::string_view id)
{
    return *std::ranges::find(explanation.fixes, id, &diagnose::Fix::id);
}

} // namespace tidemark::test
