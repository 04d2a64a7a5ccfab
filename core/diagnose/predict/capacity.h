// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

#include <optional>
#include <string>

namespace tidemark::diagnose {

/// The bytes this process could have got, and who says so.
struct Capacity {
    std::optional<Bytes> bytes;
    std::string source; ///< A sentence: where the figure comes from, or what is missing.
};
/// What the user says holds first, then the OOM event (reserved + free), then the message.
Capacity capacityOf(const Facts& facts);

} // namespace tidemark::diagnose
