// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/device_run.h"

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// Whether a dropout made what this stack allocated. O(frames of the stack).
bool isOfDropout(const DeviceRun& run, StackId stack);

/// What an operation has to do with attention, besides its matrices' role.
enum class AttentionPart : std::uint8_t {
    none,
    /// Repeats keys or values, a copy for each query head that reads them, as transformers does for
    /// attention written in Python.
    repeated,
    dropped, ///< Which elements of a matrix its dropout left: a byte each, made beside the matrix.
    matrix, ///< Of a call of scaled_dot_product_attention, larger than what it reads and makes.
    /// A call of scaled_dot_product_attention with grouped keys and values (enable_gqa) that wrote
    /// its matrices: in 32 bits no fused kernel takes them on a GPU; in 16 flash does.
    unfused_call,
    unfused_matrix, ///< Of such a call, the matrices themselves.
};

/// Of the queries' width, that of keys or values, as the program has it; 1 where it does not say.
double groupedShare(const DeviceRun& run);

/// Per allocation. O(allocations log sizes + frames).
std::vector<AttentionPart> attentionParts(const DeviceRun& run);

/// Whether a module of tables made the weight, whose rows are looked up: an embedding. O(frames of
/// the stack).
bool isOfTable(const DeviceRun& run, StackId stack);

} // namespace tidemark::diagnose
