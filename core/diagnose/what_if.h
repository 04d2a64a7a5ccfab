// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/diagnose/facts/facts.h"
#include "core/diagnose/predict/change.h"
#include "core/diagnose/predict/need.h"
#include "core/diagnose/predict/run_changer.h"
#include "core/diagnose/prediction.h"

#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace tidemark::diagnose {

/// One device under one change after the other; what all predictions share is computed once, which
/// takes longer than a prediction, the fit of a plan when first asked for one. Requires what `run`
/// requires. Asked to stop while it is made, it means nothing, and later only laws answer, soon:
/// the caller looks at the token.
class WhatIf {
public:
    WhatIf(Analysis analysis, std::size_t device, const std::stop_token& stop = {},
           Engine engine = Engine::walk);
    WhatIf(const WhatIf&) = delete;
    WhatIf& operator=(const WhatIf&) = delete;

    /// With curve and budgets. `gpus` of the input holds unless a gpus=… change says otherwise.
    /// O(states + allocations · changes).
    [[nodiscard]] Prediction predict(std::span<const Change> changes) const;
    /// Whether the changes alter any size or lifetime, seen or still to come.
    /// O(states + allocations · changes).
    [[nodiscard]] bool hasEffect(std::span<const Change> changes) const;

    /// The recorded allocations whose size or lifetime the changes alter, rising.
    /// O(states + allocations · changes).
    [[nodiscard]] std::vector<AllocationId> changed(std::span<const Change> changes) const;

private:
    [[nodiscard]] int gpus() const;

    const Analysis m_analysis;
    const label::StackKinds m_stacks;
    const std::optional<OomMessage> m_message;
    const Facts m_facts; ///< Refers to the ones above.
    const NeedBasis m_basis;
    mutable std::mutex m_changing; ///< Guards the one below.
    mutable RunChanger m_changer; ///< Remembers what it made.
};

} // namespace tidemark::diagnose
