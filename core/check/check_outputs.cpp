// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/check/check_outputs.h"

#include "core/base/language.h"
#include "core/base/short_text.h"
#include "core/report/selection.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tidemark::check {
namespace {

using report::Json;

/// Exact: bytes and counts whole, a share as a fraction.
Json amountJson(Measure measure, std::int64_t amount)
{
    return measure == Measure::fragmentation
        ? Json(static_cast<double>(amount) / static_cast<double>(kFragmentationUnit))
        : Json(amount);
}

Json deviceJson(std::int32_t device)
{
    return device < 0 ? Json("host") : Json(device);
}

Json verdictJson(const Verdict& verdict)
{
    const Budget& budget = verdict.budget;
    Json json = {{"file", verdict.file},
                 {"budget", budgetName(budget, verdict.device)},
                 {"measure", measureId(budget.measure)},
                 {"device", deviceJson(verdict.device)},
                 {"bucket", budget.bucket ? Json(label::bucketId(*budget.bucket)) : Json()},
                 {"limit", amountJson(budget.measure, budget.limit)},
                 {"actual", amountJson(budget.measure, verdict.actual)},
                 {"learnt", budget.is_learnt},
                 {"holds", verdict.holds()}};
    if (!verdict.holds()) {
        const GrewAt& where = verdict.where;
        const bool is_known = !where.text.empty();
        json["where"] = is_known ? Json(where.text) : Json();
        json["where_file"] = where.filename.empty() ? Json() : Json(where.filename);
        json["where_line"] = where.line > 0 ? Json(where.line) : Json();
        json["where_bytes"] = is_known ? Json(where.bytes) : Json();
        json["where_grew"] = where.is_growth;
        json["sentence"] = sentenceOf(verdict);
    }
    return json;
}

std::string nameOf(const std::string& file)
{
    return std::filesystem::path(file).filename().string();
}

std::int64_t brokenCount(std::span<const Verdict> verdicts)
{
    return std::ranges::count_if(verdicts, [](const Verdict& v) { return !v.holds(); });
}

} // namespace

Json checkJson(std::span<const Verdict> verdicts, std::span<const std::string> notes)
{
    Json json = {{"ok", brokenCount(verdicts) == 0},
                 {"broken", Json::array()},
                 {"held", Json::array()},
                 {"notes", Json::array()}};
    for (const Verdict& verdict : verdicts) {
        json[verdict.holds() ? "held" : "broken"].push_back(verdictJson(verdict));
    }
    for (const std::string& note : notes) {
        json["notes"].push_back(note);
    }
    return json;
}

std::string checkText(std::span<const Verdict> verdicts, std::span<const std::string> notes)
{
    std::string text;
    for (const Verdict& verdict : verdicts) {
        if (!verdict.holds()) {
            text += report::visibleText(
                        say("Broken: {}: {}.", verdict.file, shownName(sentenceOf(verdict))))
                + '\n';
        }
    }
    for (const std::string& note : notes) {
        text += note + '\n';
    }
    const std::int64_t broken = brokenCount(verdicts);
    const auto all = static_cast<std::int64_t>(verdicts.size());
    text += broken == 0 ? sayCounted(all, "The budget holds.", "{0} of {0} budgets hold.", all)
                        : say("{} of {} budgets broken.", broken, all);
    return text + '\n';
}

std::string checkJunit(std::span<const Verdict> verdicts)
{
    const auto all = verdicts.size();
    const auto broken = brokenCount(verdicts);
    std::string xml = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                  "<testsuites tests=\"{0}\" failures=\"{1}\">\n"
                                  "<testsuite name=\"tidemark\" tests=\"{0}\" failures=\"{1}\" "
                                  "errors=\"0\" skipped=\"0\" time=\"0\">\n",
                                  all, broken);
    // Of cases with one name many readers show the last alone.
    std::map<std::pair<std::string, std::string>, int> seen;
    for (const Verdict& verdict : verdicts) {
        std::string name = budgetName(verdict.budget, verdict.device);
        if (const int times = ++seen[{verdict.file, name}]; times > 1) {
            name += fmt::format(" ({})", times);
        }
        xml += fmt::format("<testcase classname=\"{}\" name=\"{}\" time=\"0\"",
                           report::escapeHtml(verdict.file), report::escapeHtml(name));
        const std::string sentence = report::escapeHtml(sentenceOf(verdict));
        xml += verdict.holds() ? "/>\n"
                               : fmt::format("><failure message=\"{0}\" type=\"{1}\">{0}"
                                             "</failure></testcase>\n",
                                             sentence, measureId(verdict.budget.measure));
    }
    return xml + "</testsuite>\n</testsuites>\n";
}

Json checkBencher(std::span<const Verdict> verdicts)
{
    std::map<std::string, std::set<std::string>> files; // by name
    for (const Verdict& verdict : verdicts) {
        files[nameOf(verdict.file)].insert(verdict.file);
    }
    Json json = Json::object();
    for (const Verdict& verdict : verdicts) {
        const Budget& budget = verdict.budget;
        const std::string name = nameOf(verdict.file);
        const std::string benchmark = (files[name].size() > 1 ? verdict.file : name) + ' '
            + report::deviceKey(verdict.device);
        std::string measure(measureId(budget.measure));
        measure += budget.bucket ? '-' + std::string(label::bucketId(*budget.bucket)) : "";
        Json& figure = json[benchmark][measure];
        const Json limit = amountJson(budget.measure, budget.limit);
        if (figure.is_null() || limit < figure["upper_value"]) { // The tightest of several.
            figure = {{"value", amountJson(budget.measure, verdict.actual)},
                      {"upper_value", limit}};
        }
    }
    return json;
}

} // namespace tidemark::check
