// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/diagnose/moment.h"
#include "core/label/stacks/stack_kinds.h"

#include <cstddef>

namespace tidemark::diagnose {

/// The moment that a diagnosis of a device is about, of one that is not diagnosed further.
/// O(live allocations). Requires what `run` requires.
Moment momentOf(const Analysis& analysis, std::size_t device, const label::StackKinds& stacks);

} // namespace tidemark::diagnose
