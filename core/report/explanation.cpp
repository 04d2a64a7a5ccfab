// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/explanation.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/message/backend_words.h"
#include "core/message/texts.h"
#include "core/report/cause_words.h"
#include "core/report/check_run.h"
#include "core/report/fix_words.h"
#include "core/report/json_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::report {
namespace {

using diagnose::Explanation;
using diagnose::Fix;
using diagnose::FixStatus;
using diagnose::MemoryReading;

constexpr std::size_t kMostMessages = 100; ///< Printed; a log may hold hundreds.

Json wentOnJson(const std::optional<diagnose::WentOn>& went_on)
{
    return went_on ? Json{{"line", went_on->line}, {"step", went_on->step}} : Json();
}

Json trapJson(const Explanation& explanation)
{
    const auto& trap = explanation.trap;
    return trap ? Json{{"id", trap->id}, {"next", trap->next}, {"source", trap->source}}
                : Json(nullptr);
}

Json messagesJson(const Explanation& explanation)
{
    Json json = Json::array();
    const auto& messages = explanation.findings.messages;
    for (std::size_t i = 0; i < std::min(kMostMessages, messages.size()); ++i) {
        Json message = messageJson(messages[i]);
        message["line"] = explanation.findings.message_lines[i];
        json.push_back(std::move(message));
    }
    return json;
}

Json eventsJson(const Explanation& explanation)
{
    Json json = Json::array();
    for (const diagnose::LogEvent& event : explanation.findings.events) {
        json.push_back(
            {{"kind", diagnose::logEventId(event.kind)},
             {"text", event.line},
             {"line", event.line_number},
             {"rank", orNull(event.rank)},
             {"count", explanation.findings.event_counts[static_cast<std::size_t>(event.kind)]}});
    }
    return json;
}

Json readingsJson(const Explanation& explanation)
{
    Json json = Json::array();
    for (const MemoryReading& reading : explanation.findings.readings) {
        json.push_back({{"source", reading.source},
                        {"what", reading.what},
                        {"gpu", orNull(reading.gpu)},
                        {"pid", orNull(reading.pid)},
                        {"bytes", reading.bytes.value},
                        {"low_bytes", reading.low.value},
                        {"high_bytes", reading.high.value},
                        {"unit_is_open", reading.unit_is_open}});
    }
    return json;
}

std::string fieldName(std::string_view field, const diagnose::OomMessage& message)
{
    if (field == "tried") {
        return requestName(message);
    }
    // What MPS calls allocated are its heaps, with what is cached in them (MPSAllocator).
    if (field == "allocated" && message.backend == "MPS") {
        field = "reserved";
    }
    struct Name {
        std::string_view field;
        std::string_view words;
    };
    static constexpr std::array<Name, 12> kNames{{
        {"total", toSay("GPU capacity")},
        {"free", toSay("Free on the GPU")},
        {"allocated", toSay("Allocated by PyTorch")},
        {"reserved", toSay("Reserved by PyTorch")},
        {"cached", toSay("Cached")},
        {"unallocated", toSay("Reserved but unallocated")},
        {"allowed", toSay("Limit of this process")},
        {"private", toSay("Free in private pools")},
        {"this_process", toSay("In use by this process")},
        {"in_use", toSay("In use on the GPU")},
        {"reserve", toSay("Address range of the stream")},
        {"other", toSay("By Metal outside PyTorch's allocator")},
    }};
    const auto* const found = std::ranges::find(kNames, field, &Name::field);
    return std::string(found == kNames.end() ? field : translated(found->words));
}

std::string exactness(Bytes value, Bytes low, Bytes high)
{
    return low == high ? say("exact")
                       : fmt::format("± {}", formatBytes(std::max(high - value, value - low)));
}

void addVerdict(const Explanation& explanation, Document& document)
{
    Section section{say("Verdict"), {Paragraph{explanation.headline + ".", Emphasis::lead}}};
    Bullets bullets;
    for (const diagnose::Evidence& evidence : explanation.causes.front().evidence) {
        bullets.items.push_back(evidence.text);
    }
    if (!bullets.items.empty()) {
        section.blocks.emplace_back(std::move(bullets));
    }
    if (!explanation.explanation.empty()) {
        section.blocks.emplace_back(Paragraph{explanation.explanation, Emphasis::none});
    }
    section.blocks.emplace_back(Paragraph{causesText(explanation.causes) + ".", Emphasis::quiet});
    if (explanation.trap || explanation.ending == diagnose::Ending::question) {
        section.blocks.emplace_back(Paragraph{
            say("To be sure: {}", explanation.causes.front().to_be_sure), Emphasis::none});
    }
    document.sections.push_back(std::move(section));
}

void addFigures(const Explanation& explanation, Document& document)
{
    if (!explanation.message) {
        return;
    }
    Table table{{{say("The message says"), Align::left},
                 {say("Amount"), Align::right},
                 {say("As printed"), Align::right}},
                {},
                {}};
    for (const diagnose::PrintedFigure& figure : explanation.message->printed) {
        table.rows.push_back({fieldName(figure.name, *explanation.message),
                              formatBytes(figure.bytes),
                              exactness(figure.bytes, figure.low, figure.high)});
    }
    for (const diagnose::MessageProcess& process : explanation.message->processes) {
        table.rows.push_back({say("In use by process {}", process.pid),
                              process.in_use ? formatBytes(*process.in_use) : say("not known"),
                              ""});
    }
    if (table.rows.empty()) {
        return;
    }
    document.sections.push_back({say("Figures"), {std::move(table)}});
    if (explanation.capacity && explanation.need.value > 0) {
        document.sections.back().blocks.emplace_back(Paragraph{
            explanation.message->backend == "MPS"
                ? say("Reserved and the request: {}. This process could get {}. {}",
                      explanation.need, *explanation.capacity, explanation.capacity_source)
                : explanation.message->allocated
                ? say("Allocated and the request: {}. This process could get {}. {}",
                      explanation.need, *explanation.capacity, explanation.capacity_source)
                : say("The request: {}. This process could get {}. {}", explanation.need,
                      *explanation.capacity, explanation.capacity_source),
            Emphasis::quiet});
    }
}

void addReadings(const Explanation& explanation, Document& document)
{
    Table table{{{say("Also in the text"), Align::left},
                 {say("GPU"), Align::left},
                 {say("What"), Align::left},
                 {say("Amount"), Align::right},
                 {say("Unit"), Align::left}},
                {},
                {}};
    for (const MemoryReading& reading : explanation.findings.readings) {
        table.rows.push_back(
            {reading.source, reading.gpu ? fmt::format("{}", *reading.gpu) : "-",
             reading.pid ? fmt::format("{} {}", diagnose::readingWords(reading.what), *reading.pid)
                         : std::string(diagnose::readingWords(reading.what)),
             formatBytes(reading.bytes),
             reading.unit_is_open ? say("GB may mean GiB: up to {}", reading.high) : ""});
    }
    if (!table.rows.empty()) {
        document.sections.push_back({"", {std::move(table)}});
    }
}

std::vector<std::string> linesOf(std::string_view text)
{
    std::vector<std::string> lines;
    while (true) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return lines;
        }
        text.remove_prefix(end + 1);
    }
}

/// With one at its end: titles are lines of code, too, and some are cut.
std::string withStop(const std::string& title)
{
    return title.ends_with('.') || title.ends_with("…") ? title : title + '.';
}

/// Why a fix, and its lines: of a recommended one those of the frameworks that the text names, or
/// of all; of one that may help the first alone.
void addHow(const Fix& fix, const std::vector<std::string>& named, std::vector<Block>& how)
{
    how.emplace_back(Paragraph{fmt::format("{} {}", withStop(fix.title), fix.why), Emphasis::none});
    const auto is_named = [&named](const auto& line) {
        return line.first == "PyTorch" || std::ranges::find(named, line.first) != named.end();
    };
    const bool any_named = !named.empty() && std::ranges::any_of(fix.how, is_named);
    const bool is_first_choice = fix.status == FixStatus::recommended;
    if (fix.is_of_trap) {
        for (const auto& [framework, lines] : fix.how) {
            how.emplace_back(Code{framework, linesOf(lines)});
        }
        return;
    }
    if (!is_first_choice && fix.status != FixStatus::would_help) {
        return;
    }
    for (const auto& line : fix.how) {
        if (!any_named || is_named(line)) {
            how.emplace_back(Code{line.first, {line.second}});
            if (!is_first_choice) {
                return;
            }
        }
    }
}

/// None where a GPU's figures say nothing: host memory ran out, or no memory at all.
std::vector<CheckRun> checkRuns(const Explanation& explanation)
{
    using enum diagnose::Cause;
    const diagnose::Cause cause = explanation.causes.front().cause;
    const bool is_elsewhere = cause == host_memory || cause == pinned_host
        || cause == not_gpu_memory || cause == not_capacity;
    std::vector<CheckRun> runs;
    if (!is_elsewhere) {
        runs = checkRunsOf(explanation.fixes, explanation.findings.frameworks);
    }
    for (CheckRun& run : runs) {
        run.what = diagnose::inWordsOf(
            explanation.message ? explanation.message->backend : std::string(), run.what);
    }
    return runs;
}

void addFixes(const Explanation& explanation, Document& document)
{
    Table table{
        {{say("Fix"), Align::left}, {say("Status"), Align::left}, {say("Fits"), Align::left}},
        {},
        {}};
    std::vector<Block> how;
    for (const Fix& fix : explanation.fixes) {
        if (fix.status == FixStatus::not_applicable) {
            continue;
        }
        table.rows.push_back({fix.title, statusText(fix.status, FixSource::text),
                              fix.fits == false ? say("no") : std::string()});
        addHow(fix, explanation.findings.frameworks, how);
    }
    dropEmptyColumn(table, 2);
    Section section{say("Fixes"), {}};
    if (!explanation.fix_headline.empty()) {
        section.blocks.emplace_back(Paragraph{withStop(explanation.fix_headline), Emphasis::lead});
    }
    if (!table.rows.empty()) {
        section.blocks.emplace_back(std::move(table));
    }
    section.blocks.insert(section.blocks.end(), how.begin(), how.end());
    for (const CheckRun& run : checkRuns(explanation)) {
        section.blocks.emplace_back(Paragraph{say("To check it: {}", run.what), Emphasis::none});
        if (!run.line.empty()) {
            section.blocks.emplace_back(Code{run.framework, {run.line}});
        }
    }
    if (!section.blocks.empty()) {
        document.sections.push_back(std::move(section));
    }
}

} // namespace

Json explanationJson(const Explanation& explanation, std::string_view source)
{
    Json causes = Json::array();
    for (const diagnose::CauseFinding& finding : explanation.causes) {
        Json evidence = Json::array();
        for (const diagnose::Evidence& item : finding.evidence) {
            evidence.push_back({{"text", item.text}, {"event", nullptr}, {"stack", Json::array()}});
        }
        causes.push_back({{"cause", diagnose::causeId(finding.cause)},
                          {"score", finding.score},
                          {"evidence", std::move(evidence)},
                          {"to_be_sure", finding.to_be_sure}});
    }
    Json check_runs = Json::array();
    for (const CheckRun& run : checkRuns(explanation)) {
        check_runs.push_back(
            {{"what", run.what}, {"line", run.line}, {"framework", run.framework}});
    }
    Json fixes = Json::array();
    for (const Fix& fix : explanation.fixes) {
        fixes.push_back(fixJson(fix));
    }
    return {{"file", source},
            {"cause", diagnose::causeId(explanation.causes.front().cause)},
            {"causes", std::move(causes)},
            {"headline", explanation.headline},
            {"explanation", explanation.explanation},
            {"message", messageJson(explanation.message)},
            {"need_bytes", explanation.need.value},
            {"capacity_bytes", orNull(explanation.capacity)},
            {"capacity_source", explanation.capacity_source},
            {"overhead_bytes", explanation.overhead.value},
            {"fix_headline", explanation.fix_headline},
            {"fixes", std::move(fixes)},
            {"check_runs", std::move(check_runs)},
            {"messages", messagesJson(explanation)},
            {"events", eventsJson(explanation)},
            {"readings", readingsJson(explanation)},
            {"trap", trapJson(explanation)},
            {"went_on", wentOnJson(explanation.findings.went_on)},
            {"ending", diagnose::endingId(explanation.ending)}};
}

Document jobLogsDocument(std::span<const diagnose::JobLog> logs, std::optional<std::size_t> first)
{
    Table table{
        {{say("Log"), Align::left}, {say("Cause"), Align::left}, {say("Failed at"), Align::left}},
        {},
        {}};
    std::size_t failed = 0;
    std::int64_t caught = 0;
    for (const diagnose::JobLog& log : logs) {
        const diagnose::Cause cause = log.explanation.causes.front().cause;
        const std::string title(diagnose::causeTitle(cause));
        const bool has_error = cause != diagnose::Cause::none;
        failed += log.hasFailed() ? 1U : 0U;
        caught += has_error && !log.hasFailed() ? 1 : 0;
        table.rows.push_back({log.name,
                              log.hasFailed() ? title
                                  : has_error ? say("{} (caught)", title)
                                              : say("no error"),
                              has_error && log.failed_at ? log.failed_at_text : ""});
    }
    dropEmptyColumn(table, 2);
    std::string sentence = caught > 0
        ? sayCounted(caught, "{} of {} logs have failed, and {} has caught its error.",
                     "{} of {} logs have failed, and {} have caught their error.", failed,
                     logs.size(), formatCount(caught))
        : say("{} of {} logs have an error.", failed, logs.size());
    if (first) {
        // One that ran out of memory itself did not fail for want of a peer.
        bool ran_out = false;
        for (std::size_t i = 0; i < logs.size(); ++i) {
            ran_out =
                ran_out || (i != *first && logs[i].hasFailed() && logs[i].explanation.message);
        }
        sentence += ' ';
        sentence += failed > 1 && !ran_out
            ? say("{} failed first; the others then lost a peer.", logs[*first].name)
            : say("{} failed first.", logs[*first].name);
    } else if (failed > 1) {
        sentence += ' '
            + say("Which failed first is unknown: their errors have no timestamps, or equal ones.");
    }
    return {say("Job"), {{"", {Paragraph{std::move(sentence), Emphasis::lead}, std::move(table)}}}};
}

Document explanationDocument(const Explanation& explanation, std::string_view source)
{
    Document document{std::string(source), {}};
    addVerdict(explanation, document);
    addFigures(explanation, document);
    addReadings(explanation, document);
    addFixes(explanation, document);
    return document;
}

} // namespace tidemark::report
