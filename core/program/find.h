// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/program.h"
#include "core/program/program_input.h"
#include "core/replay/replay.h"

#include <stop_token>

namespace tidemark::program {

/// Finds what the program was from sizes, lifetimes and order; kinds are evidence.
///
///     replay ─┬─▶ observed ──▶ weights ──▶ hidden, layers, widths ─┐
///     evidence┘        │                                          ▼
///                      └──▶ distinct sizes ──▶ rows ──▶ batch, sequence, heads
///                                                │
///              per size and use: its expressions ◀──▶ what may be stated, and what not
///
/// O(allocations log) with a bounded search over the strongest sizes. Never fails: what is not
/// found is absent. Asked to stop it ends at the next of these steps, with a program of which
/// nothing is known. Source of the products: tensors' shapes in transformers as PyTorch's modules
/// and today's libraries make them.
Program find(const replay::DeviceReplay& replay, const ProgramInput& evidence,
             const std::stop_token& stop = {});

} // namespace tidemark::program
