// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"
#include "core/label/labels.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::ui {

/// Some of a bucket's bytes in every state, to be lit up inside its band.
class LitBytes {
public:
    LitBytes() = default; ///< Nothing is lit up.
    /// What these stacks made of a bucket. O(allocations log).
    LitBytes(const replay::DeviceReplay& replay, const label::DeviceLabels& labels,
             std::span<const StackId> stacks, label::Bucket bucket);

    [[nodiscard]] label::Bucket bucket() const
    {
        return m_bucket;
    }
    [[nodiscard]] bool isEmpty() const
    {
        return !m_is_lit;
    }
    [[nodiscard]] std::int64_t at(StateId state) const; ///< O(log steps)

private:
    bool m_is_lit = false; ///< It may be no bytes that are.
    label::Bucket m_bucket = label::Bucket::unknown;
    std::vector<std::pair<StateId, std::int64_t>> m_steps; ///< From a state on; states rise.
};

} // namespace tidemark::ui
