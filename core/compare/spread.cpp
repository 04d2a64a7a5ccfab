// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/spread.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace tidemark::compare {

void spread(Bytes moved, std::vector<RunChange>& changes, Bytes& unexplained)
{
    if (moved.value == 0) {
        return;
    }
    std::int64_t sum = unexplained.value;
    for (const RunChange& change : changes) {
        sum += change.explains.value;
    }
    const auto counted = [sum](Bytes bytes) {
        return (bytes.value > 0) == (sum > 0) ? static_cast<double>(std::abs(bytes.value)) : 0.0;
    };
    const double open = counted(unexplained);
    double whole = open;
    for (const RunChange& change : changes) {
        whole += counted(change.explains);
    }
    if (whole <= 0) {
        unexplained = unexplained + moved;
        return;
    }
    // Rounding belongs to what explains the most.
    const auto most = std::ranges::max_element(
        changes, {}, [&](const RunChange& change) { return counted(change.explains); });
    std::int64_t left = moved.value;
    for (RunChange& change : changes) {
        const double share = counted(change.explains) / whole;
        const std::int64_t part = std::llround(share * static_cast<double>(moved.value));
        change.explains = change.explains + Bytes{part};
        left -= part;
    }
    if (open <= 0) {
        most->explains = most->explains + Bytes{left};
    } else {
        unexplained = unexplained + Bytes{left};
    }
}

} // namespace tidemark::compare
