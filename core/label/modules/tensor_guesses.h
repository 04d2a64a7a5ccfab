// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/program/program.h"
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

/// Shapes and element types of the allocations of one device. What the file states
/// (`user_metadata`, annotations, a capture) is exact; else the program's dimensions tell, where
/// exactly one product of them has the size.
class TensorGuesses {
public:
    TensorGuesses() = default;

    /// Null where nothing is told (workspaces, communication, what nothing is known of).
    [[nodiscard]] const TensorGuess* of(AllocationId a) const
    {
        const std::uint32_t i = m_of[a.index()];
        return i == 0 ? nullptr : &m_guesses[i - 1];
    }

private:
    friend class TensorGuesser;
    std::vector<std::uint32_t> m_of; ///< Per allocation: index into `m_guesses` + 1; 0: none.
    std::vector<TensorGuess> m_guesses;
};

/// O(allocations + sizes). `program` may be null: then only what the file states is told. `things`
/// as from `capturedThings`.
TensorGuesses guessTensors(const trace::Snapshot& snapshot, const trace::Device& device,
                           const replay::DeviceReplay& replay, const program::Program* program,
                           std::span<const std::uint32_t> things = {});

/// What a text such as "weight torch.float16 [768, 3072]" says about an allocation of that many
/// bytes; nullopt where it names no type and shape, or one that does not have this size.
std::optional<TensorGuess> tensorInText(std::string_view text, std::int64_t bytes);

} // namespace tidemark::label
