// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::label {

/// Per allocation: index + 1 of the capture's thing that lay in it; 0 for none, and where the thing
/// is not what the allocation is labelled as. Empty without a capture. Takes a tensor only where an
/// allocation of exactly its size lives at its address. O(allocations + rows log rows).
std::vector<std::uint32_t> capturedThings(const trace::Snapshot& snapshot,
                                          const trace::Device& device,
                                          const replay::DeviceReplay& replay,
                                          const DeviceLabels& labels);

/// Where the tensor of a captured name belongs: "layers.3.attn.qkv.weight" is in the module
/// "layers.*.attn.qkv" of layer 4.
struct CapturedModule {
    std::string name; ///< Empty where the name holds no module.
    std::uint32_t layer = 0; ///< From 1; 0 where the name has no number, or several.
};
CapturedModule moduleOfName(std::string_view tensor_name);

} // namespace tidemark::label
