// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/check/github.h"

#include "core/base/language.h"
#include "core/base/short_text.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tidemark::check {
namespace {

constexpr std::size_t kMostAnnotations = 10;
constexpr std::size_t kMostRows = 100;

void replaceAll(std::string& text, std::string_view what, std::string_view with)
{
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size())) {
        text.replace(at, what.size(), with);
    }
}

/// The file as GitHub knows it; empty for one outside.
std::string_view inWorkspace(std::string_view file, std::string_view workspace)
{
    while (workspace.ends_with('/')) {
        workspace.remove_suffix(1);
    }
    const bool is_below = !workspace.empty() && file.size() > workspace.size() + 1
        && file.starts_with(workspace) && file[workspace.size()] == '/';
    return is_below ? file.substr(workspace.size() + 1) : std::string_view();
}

std::vector<const Verdict*> brokenFirst(std::span<const Verdict> verdicts)
{
    std::vector<const Verdict*> sorted;
    for (const Verdict& verdict : verdicts) {
        sorted.push_back(&verdict);
    }
    std::ranges::stable_sort(sorted, {}, [](const Verdict* v) { return v->holds(); });
    return sorted;
}

} // namespace

std::string githubData(std::string_view text)
{
    std::string escaped(text);
    replaceAll(escaped, "%", "%25");
    replaceAll(escaped, "\r", "%0D");
    replaceAll(escaped, "\n", "%0A");
    return escaped;
}

std::string githubProperty(std::string_view text)
{
    std::string escaped = githubData(text);
    replaceAll(escaped, ":", "%3A");
    replaceAll(escaped, ",", "%2C");
    return escaped;
}

std::string withoutOldCommands(std::string text, bool is_json)
{
    replaceAll(text, "##[", is_json ? "#\\u0023[" : "# #[");
    return text;
}

std::string githubAnnotations(std::span<const Verdict> verdicts, std::string_view workspace)
{
    std::vector<const Verdict*> broken = brokenFirst(verdicts);
    std::erase_if(broken, [](const Verdict* v) { return v->holds(); });
    const std::size_t shown =
        broken.size() > kMostAnnotations ? kMostAnnotations - 1 : broken.size();
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
        const Verdict& verdict = *broken[i];
        std::string properties = "title="
            + githubProperty(report::visibleText(
                say("Memory: {}", shownName(budgetName(verdict.budget, verdict.device)))));
        const std::string_view file = inWorkspace(verdict.where.filename, workspace);
        if (!file.empty()) {
            properties += ",file=" + githubProperty(report::visibleText(file));
            properties += verdict.where.line > 0 ? fmt::format(",line={}", verdict.where.line) : "";
        }
        text +=
            fmt::format("::error {}::{}\n", properties,
                        githubData(report::visibleText(fmt::format(
                            "{}: {}", shownName(verdict.file), shownName(sentenceOf(verdict))))));
    }
    if (broken.size() > shown) {
        text += fmt::format("::error title={}::{}\n", githubProperty(say("Memory")),
                            githubData(say("{} more budgets are broken; the step's summary lists "
                                           "them.",
                                           broken.size() - shown)));
    }
    return text;
}

std::string githubSummary(std::span<const Verdict> verdicts)
{
    const auto cell = [](std::string_view text) { return report::escapeMarkdown(shownName(text)); };
    const std::vector<const Verdict*> sorted = brokenFirst(verdicts);
    std::string text = fmt::format("### {}\n\n| {} | {} | {} | {} | {} |\n|---|---|--:|--:|---|\n",
                                   say("Memory budgets"), say("File"), say("Budget"), say("Limit"),
                                   say("Actual"), say("Where it grew"));
    for (std::size_t i = 0; i < std::min(sorted.size(), kMostRows); ++i) {
        const Verdict& verdict = *sorted[i];
        const Measure measure = verdict.budget.measure;
        text += fmt::format("| {} | {}{} | {} | {} | {} |\n", cell(verdict.file),
                            verdict.holds() ? "✅ " : "❌ ",
                            cell(budgetName(verdict.budget, verdict.device)),
                            amountText(measure, verdict.budget.limit),
                            amountText(measure, verdict.actual), cell(verdict.where.text));
    }
    if (sorted.size() > kMostRows) {
        text += '\n' + say("{} more are left out.", sorted.size() - kMostRows) + '\n';
    }
    return text;
}

} // namespace tidemark::check
