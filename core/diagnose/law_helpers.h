// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/laws.h"

#include <cstdint>

namespace tidemark::diagnose {

/// Whether an optimizer makes and drops it within its step.
inline bool isOptimizerTransient(const Subject& s)
{
    return s.bucket == label::Bucket::temporary
        && (s.phase == label::Phase::optimizer || s.role == label::Role::optimizer_transient);
}

} // namespace tidemark::diagnose
