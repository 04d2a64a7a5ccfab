// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/corrections/corrections.h"
#include "core/trace/snapshot.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::label {

/// For each stack as rules write it (`CorrectionMatch::stack`, none empty) the stacks of a snapshot
/// that it means, in order; nullopt where they are more than `most` in all. Every stack of the
/// snapshot is read once, however many are written. For use inside core/label.
std::optional<std::vector<std::vector<StackId>>>
findWrittenStacks(const trace::Snapshot& snapshot,
                  std::span<const std::vector<FrameText>* const> written, std::size_t most);

} // namespace tidemark::label
