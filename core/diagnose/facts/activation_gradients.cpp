// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/activation_gradients.h"

#include <algorithm>

namespace tidemark::diagnose {

ActivationGradients::ActivationGradients(const DeviceRun& run, const SizeCountsOf& size_counts,
                                         label::Role role)
    : m_is_of_one_moment(role == label::Role::logits)
{
    const StateId last = run.replay.lastState();
    for (const auto& [size, use] : size_counts) {
        const std::uint32_t of_role = m_is_of_one_moment ? use.logits : use.attention;
        const std::uint32_t passing =
            m_is_of_one_moment ? use.passing_logits : use.passing_attention;
        if (of_role > 0) {
            m_by_size[size];
        } else if (use.forward == 0 && passing > 0) {
            // What forward made in passing and saved nowhere: checkpointing computes a matrix
            // again, and logits that a loss widens have a gradient of their own width.
            m_in_passing[size] = static_cast<double>(passing) / static_cast<double>(use.passing);
        }
    }
    if (m_by_size.empty()) {
        return;
    }
    for (const AllocationId a : run.ids()) {
        if (run.bucket(a) != label::Bucket::activation) {
            continue;
        }
        const auto uses = m_by_size.find(run.bytes(a));
        if (uses == m_by_size.end()) {
            continue;
        }
        const bool is_role = run.role(a) == role;
        ++uses->second.all;
        uses->second.of_role += is_role ? 1 : 0;
        if (run.end(a) <= last) {
            uses->second.frees.push_back({run.end(a), is_role});
        } else {
            uses->second.kept_since = std::min(uses->second.kept_since, run.begin(a));
        }
    }
    for (auto& [size, uses] : m_by_size) {
        std::ranges::sort(uses.frees, {}, &Free::at);
    }
}

double ActivationGradients::share(std::int64_t bytes, StateId begin) const
{
    const auto found = m_by_size.find(bytes);
    if (found == m_by_size.end()) {
        const auto again = m_in_passing.find(bytes);
        return again == m_in_passing.end() ? 0 : again->second;
    }
    const Uses& uses = found->second;
    if (uses.of_role == uses.all && (!m_is_of_one_moment || begin >= uses.kept_since)) {
        return 1;
    }
    // Backward frees a saved matrix as soon as the operation that needed it is done, so what it
    // makes for that operation lies right beside that free.
    static constexpr std::uint32_t kNear = 24; // events
    const auto after = std::ranges::lower_bound(uses.frees, begin, {}, &Free::at);
    const Free* nearest = nullptr;
    std::uint32_t distance = kNear + 1;
    const auto consider = [&](const Free& free) {
        const std::uint32_t apart =
            free.at < begin ? begin.value - free.at.value : free.at.value - begin.value;
        if (apart < distance) {
            distance = apart;
            nearest = &free;
        }
    };
    if (after != uses.frees.end()) {
        consider(*after);
    }
    if (after != uses.frees.begin()) {
        consider(*std::prev(after));
    }
    if (nearest != nullptr) {
        return nearest->is_role ? 1 : 0;
    }
    if (uses.of_role == uses.all) {
        return 0; // blocks make it that are recomputed and so save nothing of that size
    }
    return static_cast<double>(uses.of_role) / static_cast<double>(uses.all);
}

} // namespace tidemark::diagnose
