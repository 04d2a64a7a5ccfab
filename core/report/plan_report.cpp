// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/plan_report.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/report/json_parts.h"
#include "core/walk/training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tidemark::report {
namespace {

using plan::Estimate;
using plan::EstimateRange;
using plan::Plan;
using plan::Question;
using walk::RunShape;

Json phasePeaksJson(const plan::PlannedBudget& budget)
{
    Json peaks = Json::object();
    for (std::size_t i = 0; i < label::kPhaseCount; ++i) {
        if (budget.phase_peaks[i].value > 0) {
            peaks[std::string(label::phaseId(static_cast<label::Phase>(i)))] =
                budget.phase_peaks[i].value;
        }
    }
    return peaks;
}

Json rolesJson(const walk::PlannedPeak& peak)
{
    Json roles = Json::array();
    for (const walk::RoleBytes& part : peak.roles) {
        roles.push_back({{"bucket", label::bucketId(part.bucket)},
                         {"role", label::roleId(part.role)},
                         {"bytes", part.bytes.value}});
    }
    return roles;
}

/// Of the stage that all figures are of.
Json curveJson(const Question& question, const plan::PlannedBudget& budget, std::size_t points)
{
    Json curve = Json::array();
    RunShape shape = question.run;
    shape.division.stage = budget.stage;
    const walk::PlannedRun run = walk::planRun(question.model, shape);
    for (const walk::PlannedPoint& point : walk::curveOf(run.timeline, points)) {
        curve.push_back({{"moment", point.moment},
                         {"phase", label::phaseId(point.phase)},
                         {"requested_bytes", point.bytes.value}});
    }
    return curve;
}

std::string rangeText(const EstimateRange& range)
{
    return formatInterval(range.expected, range.low, range.high);
}

std::string fitsWord(std::optional<bool> fits)
{
    return !fits ? say("maybe") : *fits ? say("yes") : say("no");
}

/// How GPUs share the work.
std::string sharingText(const RunShape& run)
{
    std::string text;
    const std::string gpus = formatCount(run.allGpus());
    if (run.allGpus() > 1) {
        text = run.zero > 0      ? ", " + say("{} GPUs with ZeRO-{}", gpus, run.zero)
            : run.replicas() > 1 ? ", " + say("{} GPUs with DDP", gpus)
                                 : ", " + say("{} GPUs", gpus);
    } else if (run.zero > 0) {
        text = ' ' + say("with ZeRO-{}", run.zero);
    }
    const walk::Division& division = run.division;
    const auto add = [&](std::int64_t shares, const std::string& words) {
        if (shares > 1) {
            text += fmt::format(", {} × {}", words, shares);
        }
    };
    add(division.tensor,
        division.divides_tokens ? say("tensor and sequence parallel") : say("tensor parallel"));
    add(division.pipeline, say("pipeline stages"));
    add(division.context, say("context parallel"));
    add(division.experts, say("expert parallel"));
    if (run.states != walk::Offload::none) {
        text += ", "
            + (run.states == walk::Offload::cpu ? say("optimizer states in host memory")
                                                : say("optimizer states on NVMe"));
    }
    if (run.weights != walk::Offload::none) {
        text += ", "
            + (run.weights == walk::Offload::cpu ? say("weights in host memory")
                                                 : say("weights on NVMe"));
    }
    return text;
}

std::string runText(const RunShape& run)
{
    // What is not trained has no optimizer.
    const std::string_view does =
        run.mode == walk::Mode::train ? walk::wordOf(run.optimizer) : walk::wordOf(run.mode);
    std::string text = say("{} × {} tokens, {}, {}, {} attention", formatCount(run.batch),
                           formatCount(run.sequence), walk::wordOf(run.precision), does,
                           walk::wordOf(run.attention));
    if (run.accumulation > 1) {
        text += ", " + say("accumulation {}", formatCount(run.accumulation));
    }
    if (run.checkpoints) {
        text += ", " + say("full activation checkpointing");
    }
    if (run.fuses_loss) {
        text += ", " + say("fused loss");
    }
    if (run.own.isAny()) {
        text += ", " + say("custom {}", fmt::join(walk::wordsOf(run.own), ", "));
    }
    if (run.lora) {
        text += ", " + say("LoRA rank {}", formatCount(run.lora->rank));
    }
    if (run.quantization != walk::Quantization::none) {
        text += ", " + say("{} base", walk::wordOf(run.quantization));
    }
    return text + sharingText(run);
}

std::string verdict(const Question& question, const Estimate& estimate)
{
    const std::string peak = say("The peak is {}, in {}.", estimate.budget.peak.bytes,
                                 label::phaseNoun(estimate.budget.peak.phase));
    if (!question.capacity) {
        return peak;
    }
    const Bytes card = *question.capacity;
    const EstimateRange range = estimate.need();
    const Around need{range.expected, range.low, range.high};
    return peak + ' '
        + (!estimate.fits ? say("It may not fit: it needs about {} of {}.", need, card)
               : *estimate.fits
               ? say("It fits: it needs about {} of {}.", need, card)
               : say("It does not fit: it needs about {}; {} available.", need, card));
}

/// What lies beside the card, per process.
void addHostRows(std::vector<std::vector<std::string>>& rows, const plan::HostBudget& host)
{
    if (host.memory.value > 0) {
        rows.push_back({say("Host memory"),
                        say("{} per GPU, up to {} with buffers", host.memory, host.memory_high)});
    }
    if (host.disk.value > 0) {
        rows.push_back({say("NVMe"), say("{} per GPU", host.disk)});
    }
}

std::string stageText(const plan::PlannedBudget& budget, const walk::Division& division)
{
    return budget.stage == 0
        ? say("the first of {}; all figures here are for it", division.pipeline)
        : budget.stage + 1 == division.pipeline
        ? say("the last of {}; all figures here are for it", division.pipeline)
        : say("the second of {}; all figures here are for it", division.pipeline);
}

Section figuresSection(const Question& question, const Plan& plan, const std::string& name)
{
    const Estimate& e = plan.estimate;
    std::vector<std::vector<std::string>> rows{
        {say("Model"),
         question.run.division.isDivided()
             ? say("{} ({}), {} parameters on this GPU", name, question.model.model_type,
                   formatCount(e.budget.parameters))
             : say("{} ({}), {} parameters", name, question.model.model_type,
                   formatCount(e.budget.parameters))},
        {say("Run"), runText(question.run)},
        {say("Peak"), rangeText(e.peak)},
        {say("Reserved"), rangeText(e.reserved)}};
    if (e.context.high.value > 0) {
        rows.push_back({"cuBLAS", rangeText(e.workspace)});
        rows.push_back({say("CUDA context"), rangeText(e.context)});
        rows.push_back({say("Total"), rangeText(e.need())});
    }
    addHostRows(rows, e.budget.host);
    if (question.run.division.pipeline > 1) {
        rows.push_back({say("Largest stage"), stageText(e.budget, question.run.division)});
    }
    if (e.budget.trained > 0 && e.budget.trained < e.budget.parameters) {
        rows.insert(rows.begin() + 1,
                    {say("Trained"), say("{} parameters", formatCount(e.budget.trained))});
    }
    return {"", {Paragraph{verdict(question, e), Emphasis::lead}, factTable(std::move(rows))}};
}

/// Rows under a bucket: the roles that make out a part of it worth naming.
void addRoles(Table& table, const walk::PlannedPeak& peak, label::Bucket bucket)
{
    const OneUnit unit(peak.bytes);
    constexpr double kWorthNaming = 0.01;
    for (const walk::RoleBytes& part : peak.roles) {
        const double share =
            static_cast<double>(part.bytes.value) / static_cast<double>(peak.bytes.value);
        if (part.bucket == bucket && share >= kWorthNaming) {
            table.rows.push_back({"- " + std::string(label::roleWords(part.role)),
                                  unit.cell(part.bytes), formatPercent(share)});
        }
    }
}

Section bucketsSection(const Plan& plan)
{
    const walk::PlannedPeak& peak = plan.estimate.budget.peak;
    const OneUnit unit(peak.bytes);
    Table buckets{{{say("At the peak"), Align::left},
                   {say("Bytes"), Align::right},
                   {say("Share"), Align::right}},
                  {},
                  {}};
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        if (peak.buckets[i] > 0) {
            const double share =
                static_cast<double>(peak.buckets[i]) / static_cast<double>(peak.bytes.value);
            buckets.rows.push_back({std::string(label::bucketName(label::bucketAt(i))),
                                    unit.cell({peak.buckets[i]}), formatPercent(share)});
            addRoles(buckets, peak, label::bucketAt(i));
        }
    }
    Table phases{{{say("Phase"), Align::left}, {say("Peak"), Align::right}}, {}, {}};
    for (std::size_t i = 0; i < label::kPhaseCount; ++i) {
        const Bytes bytes = plan.estimate.budget.phase_peaks[i];
        if (bytes.value > 0) {
            phases.rows.push_back(
                {std::string(label::phaseName(static_cast<label::Phase>(i))), unit.cell(bytes)});
        }
    }
    return {say("Breakdown"), {std::move(buckets), std::move(phases)}};
}

/// The knobs solved backwards.
std::vector<std::string> planLimitLines(const diagnose::Limits& limits)
{
    std::vector<std::string> lines;
    if (limits.micro_batch) {
        lines.push_back(say("Batch: at most {}.", formatCount(*limits.micro_batch->value)));
    }
    if (limits.sequence) {
        lines.push_back(say("Sequence: at most {} tokens.", formatCount(*limits.sequence->value)));
    }
    // Of one replica nothing is sharded, whatever the stage.
    const bool is_one_enough = std::ranges::any_of(
        limits.gpus, [](const diagnose::GpuLimit& limit) { return limit.gpus == 1; });
    if (is_one_enough) {
        lines.push_back(say("ZeRO: not needed."));
    }
    for (const diagnose::GpuLimit& limit : limits.gpus) {
        if (limit.gpus && !is_one_enough) {
            lines.push_back(sayCounted(*limit.gpus, "ZeRO stage {}: at least {} GPU.",
                                       "ZeRO stage {}: at least {} GPUs.", limit.stage,
                                       formatCount(*limit.gpus)));
        }
    }
    return lines;
}

Section changesSection(const Plan& plan)
{
    Section section{plan.fixes.empty() ? say("What fits") : say("Fixes, cheapest first"), {}};
    if (plan.answer) {
        section.blocks.emplace_back(Paragraph{plan.answer->sentence, Emphasis::lead});
    }
    Table table{{{say("Order"), Align::right},
                 {say("Fix"), Align::left},
                 {say("Saves"), Align::right},
                 {say("New peak"), Align::right},
                 {say("Total"), Align::right},
                 {say("Fits"), Align::left}},
                {},
                {}};
    const OneUnit unit(plan.estimate.need().expected);
    for (const diagnose::Fix& fix : plan.fixes) {
        table.rows.push_back({fmt::format("{}", fix.cost_rank), fix.title, unit.cell(fix.saves),
                              unit.cell(fix.new_peak), unit.cell(fix.new_reserved),
                              plan.estimate.fits || fix.fits ? fitsWord(fix.fits) : "-"});
    }
    if (!table.rows.empty()) {
        dropEmptyColumn(table, table.columns.size() - 1);
        section.blocks.emplace_back(std::move(table));
    }
    if (plan.smallest_card != nullptr) {
        section.blocks.emplace_back(Paragraph{
            say("Smallest GPU sure to fit: {}.", plan.smallest_card->name), Emphasis::none});
    }
    if (const auto lines = planLimitLines(plan.limits); !lines.empty()) {
        section.blocks.emplace_back(
            Paragraph{say("Each of these alone is sure to fit:"), Emphasis::none});
        section.blocks.emplace_back(Bullets{lines});
    }
    return section;
}

} // namespace

Json runJson(const RunShape& run)
{
    Json lora = nullptr;
    if (run.lora) {
        lora = {{"rank", run.lora->rank}, {"targets", run.lora->targets}};
    }
    return {{"batch", run.batch},
            {"sequence", run.sequence},
            {"target_sequence", run.target_sequence > 0 ? Json(run.target_sequence) : Json()},
            {"accumulation", run.accumulation},
            {"padded", run.is_padded},
            {"precision", walk::wordOf(run.precision)},
            {"optimizer", walk::wordOf(run.optimizer)},
            {"attention", walk::wordOf(run.attention)},
            {"checkpointing", run.checkpoints ? "full" : "none"},
            {"fused_loss", run.fuses_loss},
            {"own_code", walk::wordsOf(run.own)},
            {"lora", std::move(lora)},
            {"gpus", run.gpus},
            {"zero", run.zero},
            {"tensor_parallel", run.division.tensor},
            {"sequence_parallel", run.division.divides_tokens},
            {"pipeline_parallel", run.division.pipeline},
            {"context_parallel", run.division.context},
            {"expert_parallel", run.division.experts},
            {"quantization", walk::wordOf(run.quantization)},
            {"offload_states", walk::wordOf(run.states)},
            {"offload_parameters", walk::wordOf(run.weights)},
            {"mode", walk::wordOf(run.mode)},
            {"target", walk::wordOf(run.target)}};
}

Json planJson(const Question& question, const Plan& plan, const std::string& name,
              std::size_t points)
{
    const Estimate& e = plan.estimate;
    Json fixes = Json::array();
    for (const diagnose::Fix& fix : plan.fixes) {
        fixes.push_back(fixJson(fix));
    }
    Json json = {{"model",
                  {{"name", name},
                   {"model_type", question.model.model_type},
                   {"parameters", e.budget.parameters},
                   {"trained_parameters", e.budget.trained}}},
                 {"run", runJson(question.run)},
                 {"peak_requested_bytes", e.peak.expected.value},
                 {"low_bytes", e.peak.low.value},
                 {"high_bytes", e.peak.high.value},
                 {"peak_phase", label::phaseId(e.budget.peak.phase)},
                 {"phase_peaks", phasePeaksJson(e.budget)},
                 {"buckets", bucketsJson(e.budget.peak.buckets)},
                 {"roles", rolesJson(e.budget.peak)},
                 {"states",
                  {{"parameter_bytes", e.budget.parameter_bytes.value},
                   {"gradient_bytes", e.budget.gradient_bytes.value},
                   {"optimizer_bytes", e.budget.state_bytes.value}}},
                 {"stage", e.budget.stage},
                 {"host_bytes", e.budget.host.memory.value},
                 {"host_high_bytes", e.budget.host.memory_high.value},
                 {"nvme_bytes", e.budget.host.disk.value},
                 {"reserved_bytes", e.reserved.expected.value},
                 {"reserved_low_bytes", e.reserved.low.value},
                 {"reserved_high_bytes", e.reserved.high.value},
                 {"workspace_bytes", e.workspace.expected.value},
                 {"context_bytes", e.context.expected.value},
                 {"need_bytes", e.need().expected.value},
                 {"need_low_bytes", e.need().low.value},
                 {"need_high_bytes", e.need().high.value},
                 {"capacity_bytes", orNull(question.capacity)},
                 {"fits", orNull(e.fits)},
                 {"assumptions", plan.assumptions},
                 {"answer", answerJson(plan.answer)},
                 {"limits", limitsJson(plan.limits)},
                 {"smallest_card", plan.smallest_card ? Json(plan.smallest_card->name) : Json()},
                 {"fixes", std::move(fixes)}};
    if (points > 0) {
        json["curve"] = curveJson(question, e.budget, points);
    }
    return json;
}

Document planDocument(const Question& question, const Plan& plan, const std::string& name)
{
    Document document{say("Plan of {}", name),
                      {figuresSection(question, plan, name), bucketsSection(plan)}};
    if (Section changes = changesSection(plan); !changes.blocks.empty()) {
        document.sections.push_back(std::move(changes));
    }
    document.sections.push_back({say("Assumed"), {Bullets{plan.assumptions}}});
    return document;
}

} // namespace tidemark::report
