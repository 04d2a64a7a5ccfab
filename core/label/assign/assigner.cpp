// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/assigner.h"

#include "core/base/column.h"
#include "core/base/language.h"
#include "core/label/stacks/stack_text.h"

namespace tidemark::label {

Assigner::Assigner(const RuleInputs& evidence, DeviceLabels& labels)
    : m_evidence(evidence)
    , m_labels(labels)
    , m_recent(kRecent)
{
    const std::size_t n = evidence.replay.allocations.count();
    assignColumn(m_labels.bucket, n, Bucket::unknown);
    assignColumn(m_labels.role, n, Role::none);
    assignColumn(m_labels.confidence, n, std::uint8_t{0});
    assignColumn(m_labels.reason, n, 0U);
    const RuleInfo& none = infoOf(Rule::no_evidence);
    m_labels.reasons.push_back({std::string(none.id), std::string(translated(none.what)) + '.'});
}

void Assigner::assign(AllocationId a, Bucket bucket, Role role, Rule rule)
{
    const std::size_t i = a.index();
    m_labels.bucket[i] = bucket;
    m_labels.role[i] = role;
    m_labels.confidence[i] = confidence(rule);
    const StackId stack = m_evidence.replay.allocations.stack[i];
    const auto at = static_cast<std::size_t>(rule) + std::size_t{stack.value} * 97;
    Recent& recent = m_recent[at % kRecent];
    if (recent.rule != rule || recent.stack != stack) {
        recent = {rule, stack, reasonFor(stack, rule)};
    }
    m_labels.reason[i] = recent.reason;
}

std::uint32_t Assigner::reasonFor(StackId stack, Rule rule)
{
    const FrameId telling = m_evidence.kinds.lines(stack).shown;
    const auto id = static_cast<std::uint32_t>(m_labels.reasons.size());
    const auto [known, fresh] = m_reasons.try_emplace(std::pair(rule, telling.value), id);
    if (fresh) {
        const std::string where = frameText(m_evidence.snapshot, telling);
        std::string seen(translated(infoOf(rule).what));
        if (!where.empty()) {
            seen += "; " + where;
        }
        if (m_evidence.runs.is_frameless) {
            seen = say("{}; phases inferred from sizes and lifetimes, without frames", seen);
        }
        m_labels.reasons.push_back({std::string(infoOf(rule).id), std::move(seen) + '.'});
    }
    return known->second;
}

} // namespace tidemark::label
