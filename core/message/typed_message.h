// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/oom_message.h"

#include <optional>
#include <string_view>

namespace tidemark::diagnose {

/// What a person says in own words about a GPU that ran out of memory: "CUDA OOM, tried to alloc
/// 12GB, only 3.2GB left of 24GB". A bare message where no figure can be told; nullopt where the
/// text says no such thing. For texts that are short enough to be typed. O(text).
std::optional<OomMessage> readTypedMessage(std::string_view text);

} // namespace tidemark::diagnose
