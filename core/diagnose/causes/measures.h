// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::diagnose {

/// Bytes and number of what is live at the moment, the failed request included.
struct Sum {
    std::int64_t bytes = 0;
    std::uint32_t count = 0;
    std::int64_t largest = 0;
    std::int64_t failed = 0; ///< Part of `bytes` that was asked for and not given.
    StackId stack; ///< Of the largest.
    void add(std::int64_t amount, StackId from, bool was_given = true);
    [[nodiscard]] std::int64_t live() const
    {
        return bytes - failed;
    }
    /// For "they take …": what is live, or all where nothing but the request that failed is theirs.
    [[nodiscard]] std::int64_t taken() const
    {
        return live() > 0 ? live() : bytes;
    }
    [[nodiscard]] std::uint32_t liveCount() const
    {
        return failed > 0 ? count - 1 : count; // one request fails at a time
    }
};

/// One place of the user's program with what it holds: lines of one function that lie close
/// together.
struct PlaceSum {
    std::string file; ///< Base name; empty for C++, where `function` is all there is to say.
    std::string function;
    std::int32_t first_line = 0;
    std::int32_t last_line = 0;
    Sum sum;
    std::string caller; ///< The user's line that the largest comes from; empty where that is it.
    /// "model.py:39–41 Attention.forward".
    [[nodiscard]] std::string text() const;
};

/// What holds memory at the moment, by what it is for.
struct Measures {
    Sum pass; ///< Activations, inputs and temporaries of forward and backward.
    Sum saved; ///< Activations alone.
    Sum attention; ///< Attention matrices, and backward's temporaries for them.
    Sum logits; ///< Logits, their copies and gradients.
    Sum optimizer_transients;
    Sum outputs;
    std::vector<PlaceSum> places; ///< Of pass memory and outputs, largest first.
    std::uint32_t attention_layers = 0; ///< In how many blocks attention matrices lie.
    std::int64_t largest_ever = 0; ///< Largest allocation of the whole trace.
};

/// O(allocations).
Measures measure(const Facts& facts);

} // namespace tidemark::diagnose
