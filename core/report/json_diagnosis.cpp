// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/corrections_report.h"
#include "core/report/fix_words.h"
#include "core/report/json.h"
#include "core/report/json_parts.h"

namespace tidemark::report {

using diagnose::Analysis;

Json messageJson(const std::optional<diagnose::OomMessage>& message)
{
    Json json = Json::object();
    if (!message) {
        return json;
    }
    const auto put = [&json](const char* key, const std::optional<Bytes>& bytes) {
        if (bytes) {
            json[key] = bytes->value;
        }
    };
    put("tried", message->tried);
    put("total", message->total);
    put("free", message->free);
    put("allocated", message->allocated);
    put("reserved", message->reserved);
    put("cached", message->cached);
    put("unallocated", message->unallocated);
    put("allowed", message->allowed);
    put("private", message->private_pools);
    put("this_process", message->this_process);
    if (message->this_process_unknown) {
        json["this_process"] = 0x1p64; // as printed: "not available"
    }
    put("in_use", message->in_use);
    put("other", message->other);
    put("reserve", message->reserve);
    if (message->gpu) {
        json["gpu"] = *message->gpu;
    }
    json["processes"] = Json::array();
    for (const diagnose::MessageProcess& process : message->processes) {
        json["processes"].push_back(Json::array({process.pid, orNull(process.in_use)}));
    }
    if (!message->backend.empty()) {
        json["backend"] = message->backend;
    }
    if (message->rank) {
        json["rank"] = *message->rank;
    }
    for (const diagnose::PrintedFigure& figure : message->printed) {
        json["intervals"][figure.name] = {figure.low.value, figure.high.value};
    }
    return json;
}

namespace {

Json evidenceJson(const Analysis& analysis, const diagnose::Evidence& item)
{
    Json json = {{"text", item.text},
                 {"event", item.at ? Json(item.at->eventNumber()) : Json(nullptr)}};
    addStack(json, *analysis.snapshot, item.stack);
    return json;
}

Json causesJson(const Analysis& analysis, const diagnose::DeviceDiagnosis& diagnosis)
{
    Json json = Json::array();
    for (const diagnose::CauseFinding& finding : diagnosis.causes) {
        Json evidence = Json::array();
        for (const diagnose::Evidence& item : finding.evidence) {
            evidence.push_back(evidenceJson(analysis, item));
        }
        json.push_back({{"cause", diagnose::causeId(finding.cause)},
                        {"score", finding.score},
                        {"evidence", std::move(evidence)},
                        {"to_be_sure", finding.to_be_sure}});
    }
    return json;
}

Json howJson(const std::vector<std::pair<std::string, std::string>>& lines)
{
    Json how = Json::object();
    for (const auto& [framework, line] : lines) {
        how[framework] = line;
    }
    return how;
}

Json findingsJson(const Analysis& analysis, const diagnose::DeviceDiagnosis& diagnosis)
{
    Json json = Json::array();
    for (const diagnose::Finding& finding : diagnosis.findings) {
        Json item = evidenceJson(analysis, finding.evidence);
        item["id"] = finding.id;
        item["bytes"] = finding.bytes.value;
        item["score"] = finding.score;
        item["to_be_sure"] = finding.to_be_sure;
        item["trap"] = finding.trap.empty() ? Json(nullptr) : Json(finding.trap);
        item["how"] = howJson(finding.how);
        json.push_back(std::move(item));
    }
    return json;
}

Json sizeLimitJson(const std::optional<diagnose::SizeLimit>& limit)
{
    if (!limit) {
        return nullptr;
    }
    return {{"ratio", limit->ratio}, {"value", orNull(limit->value)}, {"apply", limit->apply}};
}

} // namespace

Json fixJson(const diagnose::Fix& fix)
{
    return {{"id", fix.id},
            {"knowledge", fix.knowledge},
            {"rung", fix.cost_rank},
            {"title", fix.title},
            {"status", diagnose::fixStatusId(fix.status)},
            {"apply", fix.apply},
            {"short_by_bytes", fix.short_by.value},
            {"saves_bytes", fix.saves.value},
            {"new_peak_bytes", fix.new_peak.value},
            {"new_peak_low_bytes", fix.new_peak_low.value},
            {"new_peak_high_bytes", fix.new_peak_high.value},
            {"new_peak_event", fix.new_peak_state.eventNumber()},
            {"new_need_bytes", fix.new_need.value},
            {"new_reserved_bytes", fix.new_reserved.value},
            {"fits", orNull(fix.fits)},
            {"changes_science", fix.changes_science},
            {"why", fix.why},
            {"cost", fix.cost},
            {"verify", fix.verify},
            {"conflicts", fix.conflicts},
            {"needs",
             {{"torch", fix.needs.torch},
              {"gpu", fix.needs.gpu},
              {"other", fix.needs.other},
              {"host_bytes", orNull(fix.needs.host)}}},
            {"alone",
             {{"apply", fix.alone.apply},
              {"saves_bytes", fix.alone.saves.value},
              {"new_need_bytes", fix.alone.new_need.value},
              {"short_by_bytes", fix.alone.short_by.value}}},
            {"how", howJson(fix.how)}};
}

Json answerJson(const std::optional<diagnose::Answer>& answer)
{
    if (!answer) {
        return nullptr;
    }
    return {{"fixes", answer->fixes},
            {"apply", answer->apply},
            {"new_need_bytes", answer->new_need.value},
            {"new_reserved_bytes", answer->new_reserved.value},
            {"fits", orNull(answer->fits)},
            {"margin_bytes", orNull(answer->margin)},
            {"effective_batch", answer->batch},
            {"sentence", answer->sentence}};
}

Json limitsJson(const diagnose::Limits& limits)
{
    Json gpus = Json::array();
    for (const diagnose::GpuLimit& limit : limits.gpus) {
        gpus.push_back({{"zero", limit.stage}, {"gpus", orNull(limit.gpus)}});
    }
    return {{"micro_batch", sizeLimitJson(limits.micro_batch)},
            {"sequence", sizeLimitJson(limits.sequence)},
            {"gpus", std::move(gpus)}};
}

namespace {

Json momentJson(const diagnose::Moment& moment)
{
    return {{"event", moment.state.eventNumber()},
            {"is_oom", moment.is_oom},
            {"active_bytes", moment.active.value},
            {"reserved_bytes", moment.reserved.value},
            {"requested_bytes", moment.requested.value},
            {"tried_bytes", moment.tried.value},
            {"device_free_bytes", orNull(moment.device_free)},
            {"largest_hole_bytes", moment.largest_hole.value},
            {"buckets", bucketsJson(moment.buckets)}};
}

Json recipeJson(const diagnose::Recipe& recipe)
{
    if (recipe.text.empty()) {
        return nullptr;
    }
    return {{"text", recipe.text},
            {"parameters", recipe.parameters},
            {"weight_bytes_per_parameter", recipe.weight_bytes},
            {"gradient_bytes_per_parameter", recipe.gradient_bytes},
            {"state_bytes_per_parameter", recipe.state_bytes},
            {"master_bytes_per_parameter", recipe.master_bytes},
            {"ema_bytes_per_parameter", recipe.average_bytes},
            {"excluded", recipe.excluded}};
}

Json budgetJson(const std::optional<diagnose::Budget>& budget)
{
    if (!budget) {
        return nullptr;
    }
    return {{"event", budget->state.eventNumber()},   {"buckets", bucketsJson(budget->buckets)},
            {"failed_request_bytes", budget->failed}, {"to_follow_bytes", budget->to_follow},
            {"overhead_bytes", budget->overhead},     {"total_bytes", budget->total()}};
}

Json configJson(const diagnose::UserInput& input)
{
    const std::optional<config::RunConfig>& config = input.config;
    if (!config) {
        return nullptr;
    }
    Json on = Json::object();
    for (const config::SwitchedOn& one : config->on) {
        on[one.fix] = one.by;
    }
    Json read = Json::object();
    for (const auto& [name, value] : config->read) {
        read[name] = value;
    }
    return {{"file", input.config_name},
            {"form", config->form},
            {"micro_batch", orNull(config->micro_batch)},
            {"accumulation", orNull(config->accumulation)},
            {"ranks", orNull(config->ranks)},
            {"effective_batch", orNull(config->effectiveBatch())},
            {"sequence", orNull(config->sequence)},
            {"zero_stage", orNull(config->zero_stage)},
            {"sharding", config->sharding_words},
            {"precision", config->precision},
            {"optimizer", config->optimizer},
            {"allocator", config->allocator},
            {"on", std::move(on)},
            {"read", std::move(read)},
            {"unread", config->unread}};
}

Json predictionJson(const Analysis& analysis, const diagnose::Prediction& p)
{
    return {{"device", analysis.snapshot->devices[p.device].index},
            {"before",
             {{"peak_requested_bytes", p.before_peak.value},
              {"need_bytes", p.before_need.value},
              {"reserved_bytes", p.before_reserved.value},
              {"budget", budgetJson(p.before_budget)}}},
            {"after",
             {{"peak_requested_bytes", p.after_peak.value},
              {"low_bytes", p.after_low.value},
              {"high_bytes", p.after_high.value},
              {"peak_event", p.after_peak_state.eventNumber()},
              {"need_bytes", p.after_need.value},
              {"need_low_bytes", p.after_need_low.value},
              {"need_high_bytes", p.after_need_high.value},
              {"reserved_bytes", p.after_reserved.value},
              {"reserved_low_bytes", p.after_reserved_low.value},
              {"reserved_high_bytes", p.after_reserved_high.value},
              {"budget", budgetJson(p.after_budget)}}},
            {"capacity_bytes", orNull(p.capacity)},
            {"capacity_most_bytes", p.capacity ? Json(p.mostCapacity().value) : Json(nullptr)},
            {"fits", orNull(p.fits)},
            {"by", p.by == diagnose::Engine::walk ? "walk" : "laws"},
            {"assumptions", p.assumptions}};
}

/// What is left after any of several changes, whichever is made; null where there is no such peak.
Json nextPeakJson(const Analysis& analysis, std::size_t device)
{
    const std::vector<const diagnose::Fix*> alike = fixesOfNextPeak(analysis, device);
    if (alike.empty()) {
        return nullptr;
    }
    Json ids = Json::array();
    for (const diagnose::Fix* fix : alike) {
        ids.push_back(fix->id);
    }
    return {{"bytes", alike.front()->new_peak.value},
            {"event", alike.front()->new_peak_state.eventNumber()},
            {"fixes", std::move(ids)},
            {"sentence", nextPeakText(analysis, device)}};
}

/// Of a file without devices.
diagnose::DeviceDiagnosis nothingToExplain()
{
    diagnose::DeviceDiagnosis nothing;
    nothing.headline = say("The file has no events and no segments: nothing to explain.");
    return nothing;
}

} // namespace

Json diagnosisJson(const Analysis& analysis, std::size_t device)
{
    const diagnose::Diagnosis& all = *analysis.diagnosis;
    const bool has_device = device < all.devices.size();
    const diagnose::DeviceDiagnosis nothing = nothingToExplain();
    const diagnose::DeviceDiagnosis& diagnosis = has_device ? all.devices[device] : nothing;
    Json json = {{"file", fileJson(analysis)}};
    Json fixes = Json::array();
    for (const diagnose::Fix& fix : diagnosis.fixes) {
        fixes.push_back(fixJson(fix));
    }
    json.update(Json{
        {"device", has_device ? Json(analysis.snapshot->devices[device].index) : Json(nullptr)},
        {"cause",
         diagnose::causeId(has_device ? diagnosis.causes.front().cause : diagnose::Cause::none)},
        {"causes", causesJson(analysis, diagnosis)},
        {"findings", findingsJson(analysis, diagnosis)},
        {"headline", diagnosis.headline},
        {"explanation", diagnosis.explanation},
        {"message", messageJson(all.message)},
        {"moment", momentJson(diagnosis.moment)},
        {"need_bytes", diagnosis.need.value},
        {"need_low_bytes", diagnosis.need_low.value},
        {"need_high_bytes", diagnosis.need_high.value},
        {"known_to_follow_bytes", diagnosis.known_to_follow.value},
        {"capacity_bytes", orNull(diagnosis.capacity)},
        {"capacity_most_bytes",
         diagnosis.capacity ? Json(diagnosis.mostCapacity().value) : Json(nullptr)},
        {"capacity_source", diagnosis.capacity_source},
        {"overhead_bytes", diagnosis.overhead.value},
        {"recipe", recipeJson(diagnosis.recipe)},
        {"sum_check", all.sum_check},
        {"settings_verdict",
         diagnosis.settings_verdict.empty() ? Json(nullptr) : Json(diagnosis.settings_verdict)},
        {"answer", answerJson(diagnosis.answer)},
        {"next_peak", has_device ? nextPeakJson(analysis, device) : Json(nullptr)},
        {"limits", limitsJson(diagnosis.limits)},
        {"config", configJson(analysis.input)},
        {"fixes", std::move(fixes)}});
    return withCorrections(std::move(json), analysis);
}

Json predictionsJson(const Analysis& analysis, std::span<const diagnose::Prediction> predictions)
{
    Json devices = Json::array();
    for (const diagnose::Prediction& prediction : predictions) {
        devices.push_back(predictionJson(analysis, prediction));
    }
    return withCorrections({{"file", fileJson(analysis)}, {"devices", std::move(devices)}},
                           analysis);
}

} // namespace tidemark::report
