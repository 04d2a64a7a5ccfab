// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <string>
#include <string_view>

namespace tidemark::label {

/// What the file says about the forward pass of something that autograd's thread made, which has no
/// frames of Python; none where it does not tell. O(1).
StringId forwardFramesOf(const trace::Device& device, const replay::Allocations& allocations,
                         AllocationId a);
/// The line of such a text as `CodeLines::shown`; empty where it has none. O(characters).
std::string forwardLineText(std::string_view forward_frames);

} // namespace tidemark::label
