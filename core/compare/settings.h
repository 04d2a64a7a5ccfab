// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/run_traits.h"
#include "core/compare/side.h"

#include <string>
#include <vector>

namespace tidemark::compare {

/// One thing that a run was told, or that it shows of itself.
struct Setting {
    std::string name; ///< "expandable_segments", "sequence".
    std::string a; ///< Empty: not set, or not known.
    std::string b;

    [[nodiscard]] bool differs() const
    {
        return a != b;
    }
};

/// What the files state about torch and its allocator; rows that neither states are left out.
/// O(settings).
std::vector<Setting> allocatorSettings(const trace::Snapshot& a, const trace::Snapshot& b);

/// These and what the runs were, as far as it is known: the recipe, dimensions, steps, capacity.
/// What differs comes first, else in a fixed order. O(frames).
std::vector<Setting> settingsOf(const Side& a, const RunTraits& traits_a, const Side& b,
                                const RunTraits& traits_b);

} // namespace tidemark::compare
