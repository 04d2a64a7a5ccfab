// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/fit/fit.h"
#include "core/report/json_parts.h"
#include "core/report/plan_report.h"
#include "core/report/program_report.h"

namespace tidemark::report {
namespace {

fit::Fit fitOf(const diagnose::Analysis& analysis, std::size_t device)
{
    return fit::fitTo({*analysis.snapshot, analysis.replay->devices[device],
                       analysis.labels->devices[device], analysis.program(device)});
}

} // namespace

Json fitJson(const diagnose::Analysis& analysis, std::size_t device)
{
    const fit::Fit fit = fitOf(analysis, device);
    const walk::ModelShape& model = fit.model;
    Json found = nullptr;
    if (fit.walks > 0) {
        found = {{"model_type", model.model_type},
                 {"hidden", model.hidden},
                 {"layers", model.layers},
                 {"heads", model.heads},
                 {"key_heads", model.key_heads},
                 {"feed_forward", model.feed_forward},
                 {"vocabulary", model.vocabulary},
                 {"dropout", model.drops_hidden || model.drops_attention}};
    }
    return {{"refused", fit.isAccepted() ? Json(nullptr) : Json(fit.refused)},
            {"same_share", fit.same},
            {"phase_error", fit.off},
            {"walks", fit.walks},
            {"planned_bytes", fit.planned.value},
            {"recorded_bytes", fit.recorded.value},
            {"run", fit.walks > 0 ? runJson(fit.run) : Json(nullptr)},
            {"model", std::move(found)}};
}

Section fitSection(const diagnose::Analysis& analysis, std::size_t device)
{
    const fit::Fit fit = fitOf(analysis, device);
    Section section;
    section.title = say("Fit");
    if (fit.walks > 0) {
        section.blocks.emplace_back(Paragraph{
            say("{}: {} of the peak's bytes match.", wordsOf(fit), formatPercent(fit.same)),
            Emphasis::lead});
    }
    if (!fit.isAccepted()) {
        section.blocks.emplace_back(Paragraph{fit.refused, Emphasis::none});
    }
    return section;
}

} // namespace tidemark::report
