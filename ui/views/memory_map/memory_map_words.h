// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/memory_map_source.h"
#include "ui/models/stack_texts.h"
#include "ui/models/view_state.h"

#include <QtCore/QString>

#include <cstdint>
#include <vector>

namespace tidemark::ui {

// What the memory map says in words. `streams`: see projection::streamsByAppearance.

/// "Large pool · stream 0", "Private pool (user 7), small · stream 1".
[[nodiscard]] QString poolTitle(const replay::PoolTotals& pool,
                                const std::vector<std::uint64_t>& streams);
/// "3 segments, 9.80 GiB, 12 % free, largest hole 300.00 MiB".
[[nodiscard]] QString poolFigures(const replay::PoolTotals& pool);

/// One line: bucket, size, line of code; or what the hole is pinned by; or the segment.
[[nodiscard]] QString hitLine(const ViewState& state, const MemoryScene& scene,
                              const projection::MapHit& hit, const StackTexts& texts);
/// Several lines with exact bytes.
[[nodiscard]] QString hitDetails(const ViewState& state, const MemoryScene& scene,
                                 const projection::MapHit& hit, const StackTexts& texts,
                                 const std::vector<std::uint64_t>& streams);

/// Reserved, active, cached, largest free block and fragmentation, as rich text, and what these
/// words mean.
[[nodiscard]] QString sumLine(const MemoryScene& scene);
[[nodiscard]] QString sumExplanation(const MemoryScene& scene);

} // namespace tidemark::ui
