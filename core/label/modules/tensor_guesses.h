// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::label {

/// What a tensor in an allocation probably is.
struct TensorGuess {
    std::vector<std::int64_t> shape; ///< Empty: not known.
    /// The file does not show which dimension comes first.
    bool any_order = false;
    std::string dtype; ///< As torch calls it; "float16 or bfloat16"; empty: not known.
    std::string reason; ///< One sentence; also why nothing could be said.
    bool is_exact = false; ///< The file says so itself.

    /// "8192 × 768"; empty where not known.
    [[nodiscard]] std::string shapeText() const;
};

/// What all sizes of a run have in common, as far as it shows.
struct TensorFacts {
    std::int64_t element = 0; ///< Bytes per element of the parameters; 0: not known.
    std::int64_t hidden = 0; ///< The most common vector among the parameters, elements.
    std::int64_t tokens = 0; ///< Rows of the activations: tokens or samples of a batch.
    std::string element_reason;
    std::string tokens_reason;
};

/// Likely shapes and element types of the allocations of one device, from sizes alone: vectors
/// among the parameters give the dimensions, matrices of two of them give the width of an element,
/// normalisation statistics and token ids give the rows of the activations. Where several answers
/// fit equally well there is none. What the file states (`user_metadata`, annotations, a capture)
/// wins.
class TensorGuesses {
public:
    TensorGuesses() = default;

    /// Null where nothing was looked for (communication, unknown buckets).
    [[nodiscard]] const TensorGuess* of(AllocationId a) const
    {
        const std::uint32_t i = m_of[a.index()];
        return i == 0 ? nullptr : &m_guesses[i - 1];
    }
    [[nodiscard]] const TensorFacts& facts() const
    {
        return m_facts;
    }

private:
    friend class TensorGuesser;
    std::vector<std::uint32_t> m_of; ///< Per allocation: index into `m_guesses` + 1; 0: none.
    std::vector<TensorGuess> m_guesses;
    TensorFacts m_facts;
};

/// O(allocations + distinct sizes · dimensions); dimensions are bounded.
/// `things` as from `capturedThings`.
TensorGuesses guessTensors(const trace::Snapshot& snapshot, const trace::Device& device,
                           const replay::DeviceReplay& replay, const DeviceLabels& labels,
                           std::span<const std::uint32_t> things = {});

/// What a text such as "weight torch.float16 [768, 3072]" says about an allocation of that many
/// bytes; nullopt where it names no type and shape, or one that does not have this size.
std::optional<TensorGuess> tensorInText(std::string_view text, std::int64_t bytes);

} // namespace tidemark::label
