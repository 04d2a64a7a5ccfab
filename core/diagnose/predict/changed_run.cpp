// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/changed_run.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {

Totals totalsOf(const Amount& bytes)
{
    const auto rounded = [](double b) {
        return static_cast<std::int64_t>(std::llround(std::max(b, 0.0)));
    };
    return {rounded(std::min({bytes.low, bytes.mid, bytes.high})), rounded(bytes.mid),
            rounded(std::max({bytes.low, bytes.mid, bytes.high}))};
}

ChangedRun unchangedRun(const Facts& facts)
{
    ChangedRun run;
    run.failed = Amount::exactly(static_cast<double>(facts.moment.requested.value));
    return run;
}

} // namespace tidemark::diagnose
