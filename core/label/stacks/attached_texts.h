// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::label {

/// The texts that a program attached to the allocations of a device, by `_set_memory_metadata` or
/// `_annotate_tensor`, but for those of the capture module, which become labels.
class AttachedTexts {
public:
    AttachedTexts() = default;
    /// O(events log allocations).
    AttachedTexts(const trace::Snapshot& snapshot, const trace::Device& device,
                  const replay::DeviceReplay& replay);

    /// In the order of the trace. O(log texts).
    [[nodiscard]] std::span<const StringId> of(AllocationId allocation) const;
    /// For people, each by `attachedWords`.
    [[nodiscard]] std::string wordsOf(AllocationId allocation,
                                      const trace::Snapshot& snapshot) const;

private:
    std::vector<AllocationId> m_allocations; ///< Sorted, one for each text.
    std::vector<StringId> m_texts;
};

/// A text as people read it. Torch 2.15 writes a dictionary as compact JSON: "phase: forward,
/// layer: 3", of what lies in it the JSON. Any other text stays. Long ones are cut off.
std::string attachedWords(std::string_view text);

} // namespace tidemark::label
