// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/report/json_parts.h"
#include "core/report/plan_report.h"

#include <fmt/format.h>

namespace tidemark::report {

Json rolloutJson(const plan::RolloutSetup& setup, const plan::RolloutPlan& plan)
{
    Json moments = Json::array();
    for (const plan::RolloutMoment& moment : plan.moments) {
        Json parts = Json::array();
        for (const plan::RolloutPart& part : moment.parts) {
            parts.push_back({{"who", part.who}, {"bytes", part.bytes.value}});
        }
        moments.push_back(
            {{"moment", moment.name}, {"bytes", moment.bytes.value}, {"parts", std::move(parts)}});
    }
    return {{"engine_share", setup.engine_share},
            {"engine_sleeps", setup.engine_sleeps},
            {"answers_per_prompt", setup.answers},
            {"peak_moment", plan.moments[plan.largest].name},
            {"peak_bytes", plan.moments[plan.largest].bytes.value},
            {"moments", std::move(moments)},
            {"cache_bytes", plan.cache.value},
            {"cache_tokens", plan.cache_tokens},
            {"cache_sequences", plan.sequences > 0 ? Json(plan.sequences) : Json()},
            {"fits", orNull(plan.fits)},
            {"read", setup.from},
            {"notes", plan.notes}};
}

Section rolloutSection(const plan::RolloutSetup& setup, const plan::RolloutPlan& plan,
                       Bytes capacity)
{
    const plan::RolloutMoment& largest = plan.moments[plan.largest];
    const std::string verdict = !plan.fits ? "whether it fits is not sure"
        : *plan.fits                       ? "it fits"
                                           : "it does not fit";
    Section section{
        "All that shares the card",
        {Paragraph{fmt::format("The most is on the card in {}: {} of {}; {}.", largest.name,
                               formatBytes(largest.bytes), formatBytes(capacity), verdict),
                   Emphasis::lead}}};
    Table table{{{"Moment", Align::left}, {"Bytes", Align::right}}, {}, {}};
    for (const plan::RolloutMoment& moment : plan.moments) {
        table.rows.push_back({moment.name, formatBytes(moment.bytes)});
        for (const plan::RolloutPart& part : moment.parts) {
            table.rows.push_back({"- " + part.who, formatBytes(part.bytes)});
        }
    }
    section.blocks.emplace_back(std::move(table));
    std::vector<std::string> lines{
        fmt::format("The engine takes {} of the card; {} are left for keys and values, {} tokens.",
                    formatPercent(setup.engine_share), formatBytes(plan.cache),
                    formatCount(plan.cache_tokens))};
    if (plan.sequences > 0) {
        lines.push_back(fmt::format("These are {} sequences of full length at once; each prompt "
                                    "has {}.",
                                    formatCount(plan.sequences), formatCount(setup.answers)));
    }
    lines.insert(lines.end(), plan.notes.begin(), plan.notes.end());
    section.blocks.emplace_back(Bullets{std::move(lines)});
    return section;
}

} // namespace tidemark::report
