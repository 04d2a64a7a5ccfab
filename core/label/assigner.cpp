// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assigner.h"

#include "core/label/stack_text.h"

#include <fmt/format.h>

namespace tidemark::label {

Assigner::Assigner(const Evidence& evidence, DeviceLabels& labels)
    : m_evidence(evidence)
    , m_labels(labels)
{
    const std::size_t n = evidence.replay.allocations.count();
    m_labels.bucket.assign(n, Bucket::unknown);
    m_labels.role.assign(n, Role::none);
    m_labels.confidence.assign(n, 0);
    m_labels.reason.assign(n, 0);
    m_labels.reasons.push_back(
        {"no-evidence", "No stack, no phase and no size that tells what it is."});
}

void Assigner::assign(AllocationId a, Bucket bucket, Role role, int confidence,
                      std::string_view rule, std::string_view what)
{
    const std::size_t i = a.index();
    m_labels.bucket[i] = bucket;
    m_labels.role[i] = role;
    m_labels.confidence[i] = static_cast<std::uint8_t>(confidence);
    const StackId stack = m_evidence.replay.allocations.stack[i];
    const auto [telling, fresh] = m_telling.try_emplace(stack.value);
    if (fresh) {
        telling->second = tellingFrame(m_evidence.snapshot, stack);
    }
    const auto key = std::pair(rule, telling->second.value);
    const auto known = m_reasons.find(key);
    if (known != m_reasons.end()) {
        m_labels.reason[i] = known->second;
        return;
    }
    const auto id = static_cast<std::uint32_t>(m_labels.reasons.size());
    const std::string where = frameText(m_evidence.snapshot, telling->second);
    m_labels.reasons.push_back(
        {std::string(rule),
         where.empty() ? fmt::format("{}.", what) : fmt::format("{}; {}.", what, where)});
    m_reasons.emplace(key, id);
    m_labels.reason[i] = id;
}

} // namespace tidemark::label
