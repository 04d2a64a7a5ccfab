// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/solution.h"
#include "core/program/structure.h"

namespace tidemark::program {

/// Whether the sizes bear out what was said: a solution that keeps to it, beside the one that is
/// found without it. They do unless what was said makes a structure that shows without it go away,
/// leaves sizes without an explanation that have one, or needs a width that no weight has. Where no
/// structure shows in either, nothing speaks against it. O(widths).
bool agrees(const Solution& said, const Structure& of_said, const Solution& without,
            const Structure& of_without);

} // namespace tidemark::program
