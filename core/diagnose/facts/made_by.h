// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

struct DeviceRun;

/// What kind of layer a stack's innermost frames are of.
enum class MadeBy : std::uint8_t {
    other,
    linear,
    attention, ///< `multi_head_attention_forward`, which multiplies with weights of its own.
    convolution, ///< In Python, or in the C++ below it or of its backward.
    recurrent,
    norm, ///< Of layers or groups.
    activation, ///< An activation function of torch.
    table, ///< Of embeddings, whose rows are looked up.
};
/// Per stack: frames further out than the innermost module did not make it. O(frames).
std::vector<MadeBy> makers(const trace::Snapshot& snapshot);
/// Per stack, whether it lies inside the call of a module, as frames of torch's Module and methods
/// named `forward` tell. A loss is a module as well; it stands outside. O(frames).
std::vector<bool> inModules(const trace::Snapshot& snapshot);

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

} // namespace tidemark::diagnose
