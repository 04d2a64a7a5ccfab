// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/program_input.h"
#include "core/replay/replay.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::test {

/// Allocations one after the other, each alloc and free an event, with the kinds that are claimed.
class MadeProgram {
public:
    /// Alive before the trace.
    std::size_t before(std::int64_t bytes, program::Usage kind);
    std::size_t make(std::int64_t bytes, program::Usage kind);
    void free(std::size_t allocation);
    /// Makes it and frees it at once.
    void scratch(std::int64_t bytes);
    /// What was not freed lives to the end.
    replay::DeviceReplay replay() const;

    program::ProgramInput evidence;

private:
    std::size_t add(std::int64_t bytes, program::Usage kind);

    struct Life {
        std::int64_t bytes;
        std::uint32_t begin;
        std::uint32_t end; ///< 0: not freed.
    };
    std::vector<Life> m_lives;
    std::uint32_t m_state = 0;
};

/// The dimensions that a transformer is made of.
struct MadeShape {
    std::int64_t hidden = 512;
    std::int64_t feed_forward = 2048;
    std::int64_t layers = 4;
    std::int64_t heads = 8;
    std::int64_t vocabulary = 8000;
    std::int64_t batch = 4;
    std::int64_t sequence = 128;
    int steps = 2;
    bool trains = true; ///< Else forward passes alone.
    bool frozen_embedding = false;
    std::int64_t positions = 0; ///< Rows of a table of them; 0: none.
    bool has_head = true; ///< Else it classifies: no logits over the vocabulary.
    /// Cosines and sines, inverse frequencies, a mask, positions, a counter, as rotary embedding
    /// and attention written by hand keep them.
    bool has_buffers = false;
    bool casts = false; ///< Feed-forward's rows are made in 16 bits as well.
};

/// A decoder with attention written by hand, in float32, with Adam: what each line of it allocates.
MadeProgram madeTransformer(const MadeShape& shape);

} // namespace tidemark::test
