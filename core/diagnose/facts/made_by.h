// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

#include <vector>

namespace tidemark::diagnose {

/// Whether a dropout made what this stack allocated. O(frames of the stack).
bool isOfDropout(const Facts& facts, StackId stack);

/// Per stack: whether it repeats keys or values, a copy for each query head that reads them, as
/// transformers does for attention written in Python. O(frames).
std::vector<bool> repeatingStacks(const Facts& facts);

/// Whether a module of tables made the weight, whose rows are looked up: an embedding. O(frames of
/// the stack).
bool isOfTable(const Facts& facts, StackId stack);

} // namespace tidemark::diagnose
