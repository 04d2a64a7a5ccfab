// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/diagnosis.h"
#include "core/diagnose/facts/facts.h"

namespace tidemark::diagnose {

/// Bytes per parameter as the persistent buckets show them: a check that the labels make sense. A
/// file holds no element types: 32 bits are taken unless something shows 16.
Recipe readRecipe(const Facts& facts);
/// Whether what is trained is known well enough to advise another way of training it: there is a
/// recipe, or less state than any optimizer keeps, as on one of several ranks.
bool knowsRecipe(const Facts& facts);

} // namespace tidemark::diagnose
