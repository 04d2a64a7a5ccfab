// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/check/budget.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <array>

namespace tidemark::check {

std::string deviceWords(std::int32_t device)
{
    return device < 0 ? say("host memory") : say("GPU {}", device);
}

std::string_view measureId(Measure measure)
{
    static constexpr std::array<std::string_view, 5> kIds{"peak", "reserved", "growth_per_step",
                                                          "fragmentation", "ooms"};
    return kIds[static_cast<std::size_t>(measure)];
}

std::string budgetName(const Budget& budget, std::int32_t device)
{
    const std::string where = deviceWords(device);
    if (!budget.name.empty()) {
        return fmt::format("{} ({})", budget.name, where);
    }
    switch (budget.measure) {
    case Measure::reserved:
        return say("reserved peak of {}", where);
    case Measure::growth:
        return say("growth per step on {}", where);
    case Measure::fragmentation:
        return say("fragmentation of {}", where);
    case Measure::ooms:
        return say("OOM events on {}", where);
    case Measure::peak:
        break;
    }
    return budget.bucket ? say("peak of {} on {}", label::bucketNoun(*budget.bucket), where)
                         : say("peak of {}", where);
}

std::string amountText(Measure measure, std::int64_t amount)
{
    if (isBytes(measure)) {
        return formatBytes(Bytes{amount});
    }
    return measure == Measure::fragmentation
        ? formatPercent(static_cast<double>(amount) / static_cast<double>(kFragmentationUnit))
        : formatCount(amount);
}

} // namespace tidemark::check
