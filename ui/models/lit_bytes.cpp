// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/lit_bytes.h"

#include <algorithm>

namespace tidemark::ui {

LitBytes::LitBytes(const replay::DeviceReplay& replay, const label::DeviceLabels& labels,
                   std::span<const StackId> stacks, label::Bucket bucket)
    : m_is_lit(true)
    , m_bucket(bucket)
{
    const replay::Allocations& all = replay.allocations;
    std::vector<StackId> sorted(stacks.begin(), stacks.end());
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (labels.bucket[i] == bucket && std::ranges::binary_search(sorted, all.stack[i])) {
            m_steps.emplace_back(all.begin[i], all.requested[i].value);
            m_steps.emplace_back(all.end[i], -all.requested[i].value);
        }
    }
    std::ranges::sort(m_steps);
    std::int64_t sum = 0;
    for (auto& [state, bytes] : m_steps) {
        sum += bytes;
        bytes = sum;
    }
}

std::int64_t LitBytes::at(StateId state) const
{
    const auto after =
        std::ranges::upper_bound(m_steps, state, {}, &std::pair<StateId, std::int64_t>::first);
    return after == m_steps.begin() ? 0 : std::prev(after)->second;
}

} // namespace tidemark::ui
