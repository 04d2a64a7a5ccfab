// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/samples.h"

#include "core/diagnose/facts/facts.h"

#include <algorithm>

namespace tidemark::diagnose {

std::int64_t samplesOfPass(const Facts& facts)
{
    using label::Bucket;
    const auto& config = facts.analysis.input.config;
    if (config && config->micro_batch) {
        return *config->micro_batch;
    }
    std::int64_t weight = 0;
    std::int64_t bias = 0;
    std::int64_t logits = 0;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) == Bucket::parameter && !facts.allocations().alloc_event[i].isNone()) {
            weight = bias;
            bias = facts.bytes(a);
        } else if (facts.role(a) == label::Role::logits && facts.bucket(a) == Bucket::activation) {
            logits = std::max(logits, facts.bytes(a));
        }
    }
    const bool is_last_layer = bias > 0 && weight > bias && weight % bias == 0;
    return is_last_layer && logits % bias == 0 ? logits / bias : 0;
}

} // namespace tidemark::diagnose
