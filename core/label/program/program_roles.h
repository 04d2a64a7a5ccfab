// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/program/program.h"
#include "core/trace/snapshot.h"

#include <optional>
#include <span>
#include <stop_token>

namespace tidemark::label {

/// The last stage of the labels: what the dimensions of each device's program say of the wide
/// matrices of a pass, and of requests that failed. A size that is heads · length · length of every
/// sample is an attention matrix, whatever its function is called; one that is rows · vocabulary
/// holds logits; and one that is another product is neither, whatever stands in its frames. The
/// reason then gives the product. What a person, a capture or the file said stays, as does every
/// label where the program is not identified, and what a key-value cache makes. Nullopt where
/// nothing changes. O(allocations + frames). Asked to stop it may change nothing.
std::optional<Labels> withRolesOf(std::span<const program::Program> programs,
                                  const trace::Snapshot& snapshot, const replay::Replay& replay,
                                  const Labels& labels, const std::stop_token& stop);

} // namespace tidemark::label
