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
    const bool runs_out = causes.front().cause != diagnose::Cause::none;
    std::string text = runs_out ? say("Cause: {}", diagnose::causeTitle(causes.front().cause))
                                : say("Cause: none");
    std::size_t others = 0;
    for (const diagnose::CauseFinding& finding : causes.subspan(1)) {
        if (finding.cause == diagnose::Cause::unclear || others == kMostOthers) {
            continue;
        }
        // A score says how sure it is that this is to blame; where nothing is, what grows was seen.
        const std::string title(diagnose::causeTitle(finding.cause));
        const std::string one =
            runs_out ? fmt::format("{} ({})", title, formatPercent(finding.score)) : title;
        text = others > 0 ? text + ", " + one
            : runs_out    ? say("{}; maybe {}", text, one)
                          : say("No OOM so far; growing: {}", one);
        ++others;
    }
    return text;
}

std::vector<diagnose::Evidence> unsaidEvidence(const diagnose::CauseFinding& cause,
                                               std::string_view said)
{
    std::vector<diagnose::Evidence> unsaid = cause.evidence;
    std::erase_if(unsaid, [&](const diagnose::Evidence& each) {
        return said.find(each.text) != std::string_view::npos;
    });
    return unsaid;
}

std::string requestName(const diagnose::OomMessage& message)
{
    return message.asks_for_tensor ? say("Tried to allocate")
                                   : say("Tried to allocate (the segment, not the tensor)");
}

} // namespace tidemark::report
