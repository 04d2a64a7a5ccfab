// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <cstddef>
#include <optional>

namespace tidemark::ui {

/// The pinned memory that a recording has of the host (torch 2.14), beside a GPU of it: how much
/// there was while the GPU was in a state, by the clock that both traces have.
class HostMemory {
public:
    HostMemory() = default; ///< Nothing was recorded.
    /// Requires snapshot and replay. Nothing of the host itself.
    HostMemory(const diagnose::Analysis& analysis, std::size_t device);

    [[nodiscard]] bool isRecorded() const
    {
        return m_host.has_value();
    }
    /// Pinned, in use or not. Requires that it was recorded. O(log n).
    [[nodiscard]] Bytes at(StateId state) const;

private:
    diagnose::Analysis m_analysis; ///< Shares what it reads.
    std::size_t m_device = 0;
    std::optional<std::size_t> m_host; ///< Index of its device.
};

} // namespace tidemark::ui
