// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/shared_axis.h"

#include <algorithm>

namespace tidemark::projection {
namespace {

/// A knot that says nothing new is left out.
void add(AxisKnots& knots, StateId state, double x)
{
    if (knots.empty() || knots.back().state != state || knots.back().x != x) {
        knots.push_back({state, x});
    }
}

double eventsBetween(StateId from, StateId to)
{
    return static_cast<double>(to.value) - static_cast<double>(from.value);
}

} // namespace

SharedAxis shareAxis(std::span<const std::pair<StateId, StateId>> matched, StateId last_a,
                     StateId last_b)
{
    AxisKnots a;
    AxisKnots b;
    std::pair<StateId, StateId> before{StateId::start(), StateId::start()};
    double x = 0;
    if (!matched.empty()) {
        before = matched.front();
        x = std::max(eventsBetween(StateId::start(), before.first),
                     eventsBetween(StateId::start(), before.second));
    }
    add(a, StateId::start(), x - eventsBetween(StateId::start(), before.first));
    add(b, StateId::start(), x - eventsBetween(StateId::start(), before.second));
    for (const auto& moment : matched) {
        x += std::max(eventsBetween(before.first, moment.first),
                      eventsBetween(before.second, moment.second));
        add(a, moment.first, x);
        add(b, moment.second, x);
        before = moment;
    }
    add(a, last_a, x + eventsBetween(before.first, last_a));
    add(b, last_b, x + eventsBetween(before.second, last_b));
    return {std::make_shared<const AxisKnots>(std::move(a)),
            std::make_shared<const AxisKnots>(std::move(b))};
}

} // namespace tidemark::projection
