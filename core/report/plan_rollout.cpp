// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/report/json_parts.h"
#include "core/report/plan_report.h"

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
    const std::string_view moment = translated(largest.name);
    const Bare bytes{largest.bytes};
    const Bytes card = capacity;
    const OneUnit unit(largest.bytes);
    std::string verdict = !plan.fits
        ? say("The peak is in {}: {} of {}; it may not fit.", moment, bytes, card)
        : *plan.fits ? say("The peak is in {}: {} of {}; it fits.", moment, bytes, card)
                     : say("The peak is in {}: {} of {}; it does not fit.", moment, bytes, card);
    Section section{say("Everything on the GPU"), {Paragraph{std::move(verdict), Emphasis::lead}}};
    Table table{{{say("Moment"), Align::left}, {say("Bytes"), Align::right}}, {}, {}};
    for (const plan::RolloutMoment& one : plan.moments) {
        table.rows.push_back({std::string(translated(one.name)), unit.cell(one.bytes)});
        for (const plan::RolloutPart& part : one.parts) {
            table.rows.push_back({"- " + std::string(translated(part.who)), unit.cell(part.bytes)});
        }
    }
    section.blocks.emplace_back(std::move(table));
    std::vector<std::string> lines{
        say("The engine takes {} of the GPU; {} remain for the KV cache, {} tokens.",
            formatPercent(setup.engine_share), plan.cache, formatCount(plan.cache_tokens))};
    if (plan.sequences > 0) {
        lines.push_back(say("It holds {} full-length sequences at once; {} per prompt.",
                            formatCount(plan.sequences), formatCount(setup.answers)));
    }
    lines.insert(lines.end(), plan.notes.begin(), plan.notes.end());
    section.blocks.emplace_back(Bullets{std::move(lines)});
    return section;
}

} // namespace tidemark::report
