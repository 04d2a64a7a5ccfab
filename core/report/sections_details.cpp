// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/curves/module_bytes.h"
#include "core/curves/phase_peaks.h"
#include "core/curves/step_growth.h"
#include "core/label/modules/details.h"
#include "core/label/stacks/code_lines.h"
#include "core/report/colours.h"
#include "core/report/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

/// "MiB a step" with a sign; slopes are medians, so they may lie between bytes.
std::string perStepText(double bytes)
{
    const Bytes whole{static_cast<std::int64_t>(std::llround(bytes))};
    return formatDifference(whole);
}

std::string significanceText(double p)
{
    return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

/// The end of a path, which tells one row from another.
std::string moduleText(const label::Details& details, label::ModuleId id)
{
    static constexpr std::size_t kMost = 4;
    if (id.isNone()) {
        return "-";
    }
    label::ModulePath path = details.paths.path(id);
    if (path.parts.size() <= kMost) {
        return path.text();
    }
    path.parts.erase(path.parts.begin(), path.parts.end() - kMost);
    return "… › " + path.text();
}

} // namespace

Section modulesSection(const Analysis& analysis, const label::Details& details, std::size_t device)
{
    static constexpr std::size_t kMost = 10;
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const std::vector<curves::ModuleBytes> rows = curves::moduleBytes(
        replay, analysis.labels->devices[device], details.devices[device].modules, replay.peak);
    if (rows.empty()) {
        return {};
    }
    Table table{{{say("Bytes"), Align::right},
                 {say("Bucket"), Align::left},
                 {say("Count"), Align::right},
                 {say("Layers"), Align::right},
                 {say("Likely shape"), Align::left},
                 {say("Module or line"), Align::left}},
                {},
                {}};
    for (std::size_t i = 0; i < std::min(kMost, rows.size()); ++i) {
        const curves::ModuleBytes& row = rows[i];
        const label::TensorGuess* const tensor = details.devices[device].tensors.of(row.largest);
        std::string shape = tensor == nullptr ? std::string() : tensor->shapeText();
        if (!shape.empty() && !tensor->dtype.empty()) {
            shape += " " + tensor->dtype;
        }
        table.rows.push_back({formatBytes({row.bytes}), std::string(label::bucketName(row.bucket)),
                              formatCount(row.count),
                              row.layers == 0 ? "" : formatCount(row.layers),
                              shape.empty() ? "-" : shape, moduleText(details, row.module)});
        table.swatches.push_back(bucketColour(row.bucket));
    }
    dropEmptyColumn(table, 4);
    dropEmptyColumn(table, 3);
    const bool has_shapes = std::ranges::any_of(table.columns, [](const Column& column) {
        return column.title == translated("Likely shape");
    });
    Section section{say("Where in the model, at the peak"), {std::move(table)}};
    if (rows.size() > kMost) {
        std::int64_t rest = 0;
        for (std::size_t i = kMost; i < rows.size(); ++i) {
            rest += rows[i].bytes;
        }
        const std::string more = formatCount(static_cast<std::int64_t>(rows.size() - kMost));
        section.blocks.emplace_back(Paragraph{
            has_shapes ? say("{} more: {} in total. Shapes are those of the largest allocation.",
                             more, Bytes{rest})
                       : say("{} more: {} in total.", more, Bytes{rest}),
            Emphasis::quiet});
    }
    return section;
}

Section phasePeaksSection(const Analysis& analysis, std::size_t device)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const curves::PhasePeaks peaks =
        curves::phasePeaks(replay, replay::blockTotals(replay, (*analysis.block_sizes)[device]),
                           analysis.labels->devices[device]);
    if (peaks.by_phase.empty()) {
        return {};
    }
    Table table{{{say("Phase"), Align::left},
                 {say("Requested"), Align::right},
                 {say("At"), Align::left},
                 {say("In blocks"), Align::right},
                 {say("Reserved"), Align::right}},
                {},
                {}};
    std::int64_t largest = 0;
    for (const curves::PhasePeak& peak : peaks.by_phase) {
        largest = std::max(largest, peak.reserved.bytes);
    }
    const OneUnit unit(Bytes{largest});
    for (const curves::PhasePeak& peak : peaks.by_phase) {
        std::string blocks = unit.cell({peak.blocks.bytes});
        if (peak.blocks_upper != peak.blocks.bytes) {
            blocks = formatInterval({peak.blocks.bytes}, {peak.blocks_upper});
        }
        table.rows.push_back({std::string(label::phaseNoun(peak.phase)),
                              unit.cell({peak.requested.bytes}),
                              formatEventNumber(peak.requested.state.eventNumber()),
                              std::move(blocks), unit.cell({peak.reserved.bytes})});
        table.swatches.push_back(phaseColour(peak.phase));
    }
    return {say("Largest per phase"), {std::move(table)}};
}

Section growthSection(const Analysis& analysis, std::size_t device)
{
    static constexpr std::size_t kMost = 5;
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const curves::StepGrowth growth =
        curves::growthPerStep(replay, analysis.labels->devices[device], replay.lastState());
    Table table{{{say("Per step"), Align::right},
                 {say("Steps"), Align::right},
                 {say("Growth"), Align::right},
                 {say("p-value"), Align::right},
                 {say("Now"), Align::right},
                 {say("Bucket"), Align::left},
                 {say("Where"), Align::left}},
                {},
                {}};
    const label::LineFinder lines(*analysis.snapshot);
    for (const curves::StackGrowth& one : growth.stacks) {
        if (table.rows.size() == kMost) {
            break;
        }
        if (!curves::onlyRose(one)) {
            continue;
        }
        const std::string where =
            label::linesText(*analysis.snapshot, lines.of(*analysis.snapshot, one.stack));
        table.rows.push_back({perStepText(one.bytes_per_step), formatCount(one.steps),
                              formatCount(one.rises), significanceText(one.p),
                              formatBytes({one.last_bytes}),
                              std::string(label::bucketName(one.bucket)),
                              where.empty() ? say("no stack recorded") : where});
        table.swatches.push_back(bucketColour(one.bucket));
    }
    if (table.rows.empty()) {
        return {};
    }
    return {say("What grows from step to step"), {std::move(table)}};
}

} // namespace tidemark::report
