// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/corrections_report.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/label/corrections/corrections_json.h"

#include <fmt/format.h>

namespace tidemark::report {

using diagnose::Analysis;

Json correctionsJson(const Analysis& analysis)
{
    Json list = Json::array();
    if (!analysis.corrections) {
        return list;
    }
    const label::Corrections& corrections = *analysis.corrections;
    for (std::size_t i = 0; i < corrections.rules.size(); ++i) {
        const label::Correction& rule = corrections.rules[i];
        const label::CorrectionEffect& effect = corrections.effects[i];
        Json role = nullptr;
        if (rule.role) {
            role = *rule.role == label::Role::none ? "none" : label::roleId(*rule.role);
        }
        list.push_back(
            {{"id", rule.id.empty() ? Json(nullptr) : Json(rule.id)},
             {"source", rule.source.empty() ? Json(nullptr) : Json(rule.source)},
             {"match", label::matchJson(rule.match)},
             {"bucket", rule.dimension ? Json(nullptr) : Json(label::bucketId(rule.bucket))},
             {"role", std::move(role)},
             {"dimension",
              rule.dimension ? Json(program::idOf(rule.dimension->name)) : Json(nullptr)},
             {"value", rule.dimension ? Json(rule.dimension->value) : Json(nullptr)},
             {"note", rule.note},
             {"what", label::describeSubject(rule)},
             {"allocations", effect.allocations},
             {"bytes", effect.bytes.value},
             {"peak_bytes", effect.peak_bytes.value}});
    }
    return list;
}

Json withCorrections(Json object, const Analysis& analysis)
{
    Json list = correctionsJson(analysis);
    if (!list.empty()) {
        object["corrections"] = std::move(list);
    }
    return object;
}

Section correctionsSection(const Analysis& analysis)
{
    if (!analysis.corrections || analysis.corrections->rules.empty()) {
        return {say("Corrections"), {}};
    }
    Table table{{{"", Align::right},
                 {say("What"), Align::left},
                 {say("Label"), Align::left},
                 {say("Allocations"), Align::right},
                 {say("Total bytes"), Align::right},
                 {say("At the peak"), Align::right},
                 {say("Reason"), Align::left}},
                {},
                {}};
    const label::Corrections& corrections = *analysis.corrections;
    for (std::size_t i = 0; i < corrections.rules.size(); ++i) {
        const label::Correction& rule = corrections.rules[i];
        const label::CorrectionEffect& effect = corrections.effects[i];
        const bool is_label = !rule.dimension;
        table.rows.push_back(
            {fmt::format("{}", i + 1), label::describeSubject(rule), label::describeTarget(rule),
             is_label ? formatCount(effect.allocations) : std::string(),
             is_label ? formatBytes(effect.bytes) : std::string(),
             is_label ? formatBytes(effect.peak_bytes) : std::string(), rule.note});
    }
    return {say("Corrections"),
            {Paragraph{say("Labels corrected by hand; later corrections win."), Emphasis::quiet},
             std::move(table)}};
}

} // namespace tidemark::report
