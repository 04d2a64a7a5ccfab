// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::label {

/// Whether more than its phase tells that a step is over with a span.
template <class Span>
bool endsStep(const Span& span)
{
    if constexpr (requires { span.ends_step; }) {
        return span.ends_step;
    } else {
        return false;
    }
}

/// Numbers spans in the order of the trace by the step they belong to and returns the steps. A step
/// ends where the first pass after an optimizer span begins, or after a span that says so: several
/// optimizers, or an average of the weights kept after the step, belong to it. `Span` has `first`,
/// `end`, `phase` and `step`, as PhaseSpan and Run have. O(spans).
template <class Span>
std::vector<Step> numberSteps(std::vector<Span>& spans)
{
    std::vector<Step> steps;
    std::uint32_t step = 0;
    bool open = false;
    bool has_optimizer = false;
    EventId first;
    EventId end;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        Span& span = spans[i];
        const bool feeds_training = span.phase == Phase::input && i + 1 < spans.size()
            && spans[i + 1].phase == Phase::forward;
        const bool begins =
            feeds_training || span.phase == Phase::forward || span.phase == Phase::backward;
        if (open && has_optimizer && begins) {
            steps.push_back({first, EventId(end.index() - 1)});
            open = false;
        }
        if (!open && (begins || span.phase == Phase::optimizer)) {
            open = true;
            has_optimizer = false;
            first = span.first;
            ++step;
        }
        if (span.phase == Phase::optimizer || endsStep(span)) {
            has_optimizer = true;
            end = span.end;
        }
        span.step = step;
    }
    if (open && has_optimizer) {
        steps.push_back({first, EventId(end.index() - 1)});
    }
    return steps;
}

} // namespace tidemark::label
