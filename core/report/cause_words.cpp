// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/cause_words.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/message/texts.h"

#include <fmt/format.h>

#include <cstddef>

namespace tidemark::report {

std::string causesText(std::span<const diagnose::CauseFinding> causes)
{
    static constexpr std::size_t kMostOthers = 2;
    std::string text = causes.front().cause == diagnose::Cause::none
        ? say("Cause: none")
        : say("Cause: {}", diagnose::causeTitle(causes.front().cause));
    std::size_t others = 0;
    for (const diagnose::CauseFinding& finding : causes.subspan(1)) {
        if (finding.cause == diagnose::Cause::unclear || others == kMostOthers) {
            continue;
        }
        const std::string one = fmt::format("{} ({})", diagnose::causeTitle(finding.cause),
                                            formatPercent(finding.score));
        text = others == 0 ? say("{}; maybe {}", text, one) : text + ", " + one;
        ++others;
    }
    return text;
}

} // namespace tidemark::report
