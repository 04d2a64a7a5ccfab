// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/format.h"
#include "core/diagnose/facts/facts.h"

#include <optional>
#include <string>

namespace tidemark::diagnose {

/// The bytes this process could have got, and who says so.
struct Capacity {
    std::optional<Bytes> bytes; ///< Of an interval the lower end, which decides what fits.
    std::string source; ///< A sentence: where the figure comes from, or what is missing.
    Bytes unsure{}; ///< How much more it may be.
    bool is_limit = false; ///< Of this process; the GPU has more.

    /// Requires `bytes`.
    [[nodiscard]] Bytes most() const
    {
        return *bytes + unsure;
    }
    /// Requires `bytes`.
    [[nodiscard]] Between ends() const
    {
        return {*bytes, most()};
    }
};
/// What the run had: a limit in the message, the OOM event (reserved + free), message, capture.
Capacity recordedCapacity(const Facts& facts);
/// What the user says holds first: it may be the capacity of another GPU.
Capacity capacityOf(const Facts& facts);

} // namespace tidemark::diagnose
