// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/growth.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::diagnose {

/// What ran at the moment that counts, which decides what a fix could change.
enum class RunCase : std::uint8_t {
    unknown, ///< No history, or nothing that tells.
    loading, ///< The model is being made; no pass had begun.
    training,
    scoring, ///< Forward passes with graphs that no backward follows.
    evaluation, ///< Of a run that trains.
    inference,
    generation, ///< Token by token, with a cache of keys and values.
};
/// As resources/fixes.json writes it.
std::string_view runCaseId(RunCase run);
/// "in generation": for sentences.
std::string runCaseWords(RunCase run);

/// `growth` is that of the same facts. O(allocations).
RunCase runCaseOf(const Facts& facts, const Growth& growth);

/// Whether events tell what was made and freed; without them nobody knows whether it ran out.
/// O(events).
bool holdsHistory(const Facts& facts);

/// Whether gradients or state of an optimizer live at the moment. O(1).
bool holdsTrainingState(const Facts& facts);
/// What caches hold at the moment, by their labels, and what was asked for one more.
/// O(allocations).
std::int64_t cacheAtMoment(const Facts& facts);

/// Whether a frame of the stack is of a loop that generates token by token.
bool isOfGeneration(const trace::Snapshot& snapshot, StackId stack);

} // namespace tidemark::diagnose
