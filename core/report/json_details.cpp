// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/json_depth.h"
#include "core/curves/module_bytes.h"
#include "core/curves/phase_peaks.h"
#include "core/curves/step_growth.h"
#include "core/report/json_parts.h"

#include <algorithm>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

Json moduleJson(const label::Details& details, label::ModuleId id)
{
    return id.isNone() ? Json(nullptr) : Json(details.paths.path(id).text());
}

/// A dictionary as one, anything else as a text; one that is no JSON or too deep stays a text.
Json attachedJson(std::string_view text)
{
    if (text.starts_with('{')) {
        try {
            return Json::parse(text, limitJsonDepth);
        } catch (const std::exception&) {
            return Json(text);
        }
    }
    return Json(text);
}

Json peakJson(const curves::PhasePeak& peak)
{
    Json json = {{"phase", label::phaseId(peak.phase)}};
    if (peak.step > 0) {
        json["step"] = peak.step;
    }
    json["requested"] = {{"event", peak.requested.state.eventNumber()},
                         {"bytes", peak.requested.bytes}};
    json["block"] = {{"event", peak.blocks.state.eventNumber()},
                     {"bytes", peak.blocks.bytes},
                     {"bytes_high", peak.blocks_upper}};
    json["reserved"] = {{"event", peak.reserved.state.eventNumber()},
                        {"bytes", peak.reserved.bytes}};
    return json;
}

} // namespace

Json modulesJson(const Analysis& analysis, const label::Details& details, std::size_t d,
                 StateId state)
{
    static constexpr std::size_t kMost = 50;
    const std::vector<curves::ModuleBytes> rows =
        curves::moduleBytes(analysis.replay->devices[d], analysis.labels->devices[d],
                            details.devices[d].modules, state);
    Json json = Json::array();
    for (std::size_t i = 0; i < std::min(kMost, rows.size()); ++i) {
        const curves::ModuleBytes& row = rows[i];
        json.push_back({{"bucket", label::bucketId(row.bucket)},
                        {"module", moduleJson(details, row.module)},
                        {"bytes", row.bytes},
                        {"count", row.count},
                        {"layers", row.layers == 0 ? Json(nullptr) : Json(row.layers)}});
    }
    return json;
}

Json phasePeaksJson(const Analysis& analysis, std::size_t d,
                    const replay::BlockTotals& block_totals)
{
    const curves::PhasePeaks peaks =
        curves::phasePeaks(analysis.replay->devices[d], block_totals, analysis.labels->devices[d]);
    Json by_phase = Json::array();
    std::ranges::transform(peaks.by_phase, std::back_inserter(by_phase), peakJson);
    Json by_step = Json::array();
    for (const curves::PhasePeak& peak : peaks.by_step) {
        if (peak.step > 0) {
            by_step.push_back(peakJson(peak));
        }
    }
    return {{"by_phase", std::move(by_phase)}, {"by_step", std::move(by_step)}};
}

Json growthJson(const Analysis& analysis, const label::Details& details, std::size_t d)
{
    static constexpr std::size_t kMost = 20;
    const replay::DeviceReplay& replay = analysis.replay->devices[d];
    const curves::StepGrowth growth =
        curves::growthPerStep(replay, analysis.labels->devices[d], replay.lastState());
    Json json = Json::array();
    for (std::size_t i = 0; i < std::min(kMost, growth.stacks.size()); ++i) {
        const curves::StackGrowth& one = growth.stacks[i];
        Json row = Json::object();
        addStack(row, *analysis.snapshot, one.stack);
        row.update({{"module", moduleJson(details, details.paths.of(one.stack))},
                    {"bucket", label::bucketId(one.bucket)},
                    {"verdict", curves::growthVerdictId(one.verdict)},
                    {"bytes_per_step", one.bytes_per_step},
                    {"first_bytes", one.first_bytes},
                    {"last_bytes", one.last_bytes},
                    {"steps", one.steps},
                    {"rises", one.rises},
                    {"falls", one.falls},
                    {"p", one.p}});
        json.push_back(std::move(row));
    }
    return json;
}

void addDetails(Json& row, const trace::Snapshot& snapshot, const label::Details& details,
                std::size_t d, AllocationId a)
{
    const label::DeviceDetails& device = details.devices[d];
    const std::uint16_t layer = device.modules.layer[a.index()];
    row["module"] = moduleJson(details, device.modules.module[a.index()]);
    row["module_by_size"] = bool{device.modules.by_size[a.index()]};
    row["layer"] = layer == 0 ? Json(nullptr) : Json(layer);
    const label::TensorGuess* const tensor = device.tensors.of(a);
    const bool has_shape = tensor != nullptr && !tensor->shape.empty();
    const bool has_type = tensor != nullptr && !tensor->dtype.empty();
    row["shape"] = has_shape ? Json(tensor->shape) : Json(nullptr);
    row["shape_order_known"] = has_shape ? Json(!tensor->any_order) : Json(nullptr);
    row["dtype"] = has_type ? Json(tensor->dtype) : Json(nullptr);
    row["tensor_reason"] = tensor == nullptr ? Json(nullptr) : Json(tensor->reason);
    Json attached(nullptr);
    for (const StringId text : device.attached.of(a)) {
        attached.push_back(attachedJson(snapshot.text(text)));
    }
    row["metadata"] = std::move(attached);
}

} // namespace tidemark::report
