// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/config/framework.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/cause_words.h"
#include "core/report/fix_words.h"
#include "core/report/sections.h"
#include "core/report/summary_facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::report {
namespace {

using diagnose::Analysis;
using diagnose::DeviceDiagnosis;
using diagnose::Fix;
using diagnose::FixStatus;

std::string fitsText(const std::optional<bool>& fits)
{
    return !fits ? say("not known") : *fits ? say("yes") : say("no");
}

/// Whether the fix's figures say something about this run.
bool hasEffect(const Fix& fix)
{
    return fix.status == FixStatus::recommended || fix.status == FixStatus::would_help
        || fix.status == FixStatus::not_enough;
}

/// Those of the framework that the configuration is written for, else of PyTorch, else all.
std::vector<std::pair<std::string, std::string>> linesFor(const Fix& fix, std::string_view named)
{
    const auto* const line = named.empty() ? nullptr : lineFor(fix, named);
    return line == nullptr ? fix.how : std::vector{*line};
}

/// `named`: the framework of the configuration; empty without one.
void addFixDetail(const Fix& fix, std::string_view named, std::vector<Block>& blocks)
{
    std::string text = fmt::format("{}. {}", fix.title, fix.why);
    if (fix.changes_science) {
        text += ' ' + say("This changes the experiment, not only its cost.");
    }
    blocks.emplace_back(Paragraph{std::move(text), Emphasis::none});
    Bullets terms;
    for (const auto& [name, words] : fixTerms(fix)) {
        terms.items.push_back(fmt::format("{}: {}", name, words));
    }
    if (const std::string alone = aloneText(fix); !alone.empty()) {
        terms.items.push_back("Alone: " + alone);
    }
    if (!terms.items.empty()) {
        blocks.emplace_back(std::move(terms));
    }
    for (const auto& [framework, line] : linesFor(fix, named)) {
        Code code{framework, {}};
        for (std::size_t begin = 0; begin <= line.size();) {
            const std::size_t end = std::min(line.find('\n', begin), line.size());
            code.lines.push_back(line.substr(begin, end - begin));
            begin = end + 1;
        }
        blocks.emplace_back(std::move(code));
    }
}

} // namespace

Section verdictSection(const Analysis& analysis, std::size_t device)
{
    const DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
    Section section{say("Verdict"), {Paragraph{diagnosis.headline, Emphasis::lead}}};
    if (!diagnosis.explanation.empty()) {
        section.blocks.emplace_back(Paragraph{diagnosis.explanation, Emphasis::none});
    }
    Bullets bullets;
    for (const diagnose::Evidence& evidence : diagnosis.causes.front().evidence) {
        bullets.items.push_back(
            evidence.at
                ? fmt::format("{} ({})", evidence.text, momentText(analysis, device, *evidence.at))
                : evidence.text);
    }
    for (const diagnose::Finding& finding : diagnosis.findings) {
        bullets.items.push_back(
            finding.to_be_sure.empty()
                ? finding.evidence.text
                : say("{} ({} sure)", finding.evidence.text, formatPercent(finding.score)));
    }
    if (!bullets.items.empty()) {
        section.blocks.emplace_back(std::move(bullets));
    }
    std::string causes = causesText(diagnosis.causes) + ".";
    if (!diagnosis.causes.front().to_be_sure.empty()) {
        causes += ' ' + say("To confirm: {}", diagnosis.causes.front().to_be_sure);
    }
    section.blocks.emplace_back(Paragraph{causes, Emphasis::quiet});
    if (!diagnosis.settings_verdict.empty()) {
        section.blocks.emplace_back(Paragraph{diagnosis.settings_verdict, Emphasis::quiet});
    }
    if (diagnosis.recipe.text.empty() && !diagnosis.recipe.excluded.empty()) {
        section.blocks.emplace_back(
            Paragraph{say("Recipe: {}", diagnosis.recipe.excluded), Emphasis::none});
    }
    if (!diagnosis.recipe.text.empty()) {
        std::string recipe = say("Recipe: {}.", diagnosis.recipe.text);
        if (!diagnosis.recipe.excluded.empty()) {
            recipe += " " + diagnosis.recipe.excluded;
        }
        section.blocks.emplace_back(Paragraph{recipe, Emphasis::quiet});
    }
    if (device == analysis.mainDevice() && !analysis.diagnosis->sum_check.empty()) {
        section.blocks.emplace_back(Paragraph{analysis.diagnosis->sum_check, Emphasis::quiet});
    }
    return section;
}

Section needSection(const Analysis& analysis, std::size_t device)
{
    const DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
    const diagnose::Moment& moment = diagnosis.moment;
    const OneUnit unit(std::max(diagnosis.need, moment.reserved));
    Rows rows{{say("Active"), unit(moment.active)}};
    if (moment.is_oom) {
        rows.push_back({say("Failed request"), unit(moment.requested)});
        if (diagnosis.known_to_follow.value > 0) {
            rows.push_back({say("Still to come"), unit(diagnosis.known_to_follow)});
        }
        rows.push_back(
            {say("Need"),
             diagnosis.need_low == diagnosis.need_high
                 ? unit(diagnosis.need)
                 : formatInterval(diagnosis.need, diagnosis.need_low, diagnosis.need_high)});
    }
    rows.push_back({say("Remaining overhead"), unit(diagnosis.overhead)});
    rows.push_back({say("Capacity"),
                    fmt::format("{}. {}",
                                diagnosis.capacity
                                    ? formatInterval(*diagnosis.capacity, diagnosis.mostCapacity())
                                    : say("Not known"),
                                diagnosis.capacity_source)});
    rows.push_back({say("Reserved"), unit(moment.reserved)});
    if (moment.is_oom) {
        rows.push_back({say("Free on the card"),
                        moment.device_free ? unit(*moment.device_free) : say("unknown")});
        rows.push_back({say("Requested from CUDA"), unit(moment.tried)});
        rows.push_back({say("Largest usable hole"), unit(moment.largest_hole)});
    }
    const std::string when =
        momentText(analysis, device, moment.is_oom ? StateId::after(moment.oom) : moment.state);
    return {
        fmt::format("{} ({})", moment.is_oom ? say("Need at the OOM") : say("At the peak"), when),
        {factTable(std::move(rows))}};
}

Section fixesSection(const Analysis& analysis, std::size_t device)
{
    const DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
    Table table{{{say("Order"), Align::right},
                 {say("Fix"), Align::left},
                 {say("Status"), Align::left},
                 {say("Saves"), Align::right},
                 {say("New peak"), Align::right},
                 {say("Needs"), Align::right},
                 {say("Fits"), Align::left}},
                {},
                {}};
    const OneUnit unit(std::max(diagnosis.need, diagnosis.moment.reserved));
    std::int64_t others = 0;
    for (const Fix& fix : diagnosis.fixes) {
        if (fix.status == FixStatus::not_applicable) {
            ++others;
            continue;
        }
        const bool shows = hasEffect(fix);
        table.rows.push_back(
            {fmt::format("{}", fix.rung), fix.title, statusText(fix.status),
             shows ? unit.cell(fix.saves) : "-", shows ? unit.cell(fix.new_peak) : "-",
             shows ? unit.cell(fix.new_reserved) : "-", shows ? fitsText(fix.fits) : "-"});
    }
    Section section{say("Fixes, cheapest first"), {}};
    if (!diagnosis.fix_headline.empty()) {
        section.blocks.emplace_back(Paragraph{diagnosis.fix_headline, Emphasis::lead});
    }
    if (!diagnosis.fix_explanation.empty()) {
        section.blocks.emplace_back(Paragraph{diagnosis.fix_explanation, Emphasis::none});
    }
    if (std::string next = nextPeakText(analysis, device); !next.empty()) {
        section.blocks.emplace_back(Paragraph{std::move(next), Emphasis::none});
    }
    if (!table.rows.empty()) {
        section.blocks.emplace_back(std::move(table));
    }
    if (const auto lines = limitLines(diagnosis.limits); !lines.empty()) {
        section.blocks.emplace_back(Paragraph{say("Each of these alone fits:"), Emphasis::none});
        section.blocks.emplace_back(Bullets{lines});
    }
    if (const auto& config = analysis.input.config) {
        section.blocks.emplace_back(Paragraph{
            analysis.input.config_name.empty()
                ? say("From the {}:", translated(config->form))
                : say("From {} ({}):", analysis.input.config_name, translated(config->form)),
            Emphasis::none});
        section.blocks.emplace_back(Bullets{configLines(*config)});
    }
    if (others > 0) {
        section.blocks.emplace_back(Paragraph{
            sayCounted(others, "1 other fix does not apply; the JSON says why.",
                       "{} other fixes do not apply; the JSON says why.", formatCount(others)),
            Emphasis::quiet});
    }
    return section;
}

Section fixDetailSection(const Analysis& analysis, std::size_t device, FixDetail detail)
{
    const auto& fixes = analysis.diagnosis->devices[device].fixes;
    const auto& config = analysis.input.config;
    const std::string_view named = config ? config::frameworkOf(*config) : std::string_view();
    Section section{detail == FixDetail::all ? say("Why and how") : say("How"), {}};
    for (const Fix& fix : fixes) {
        const bool is_wanted =
            detail == FixDetail::all ? hasEffect(fix) : fix.status == FixStatus::recommended;
        if (is_wanted) {
            addFixDetail(fix, named, section.blocks);
        }
    }
    return section;
}

std::string budgetPart(const diagnose::BudgetRow& row)
{
    switch (row.kind) {
    case diagnose::BudgetRow::Kind::bucket:
        return std::string(label::bucketName(row.bucket));
    case diagnose::BudgetRow::Kind::failed:
        return say("Failed request");
    case diagnose::BudgetRow::Kind::to_follow:
        return say("Still to come");
    case diagnose::BudgetRow::Kind::overhead:
        return say("Kept by the allocator");
    case diagnose::BudgetRow::Kind::total:
        break;
    }
    return say("Total needed");
}

Table budgetTable(const diagnose::Budget& before, const diagnose::Budget& after)
{
    Table table{
        {{say("Budget"), Align::left}, {say("Before"), Align::right}, {say("After"), Align::right}},
        {},
        {}};
    const std::vector<diagnose::BudgetRow> rows = diagnose::budgetRows(before, after);
    std::int64_t largest = 0;
    for (const diagnose::BudgetRow& row : rows) {
        largest = std::max({largest, row.before, row.after});
    }
    const OneUnit unit(Bytes{largest});
    for (const diagnose::BudgetRow& row : rows) {
        table.rows.push_back({budgetPart(row), unit.cell({row.before}), unit.cell({row.after})});
    }
    return table;
}

Section budgetSection(const Analysis& analysis, std::size_t device)
{
    Section section{say("The budget before and after"), {}};
    const auto& answer = analysis.diagnosis->devices[device].answer;
    const auto changes = diagnose::parseChanges(answer ? answer->apply : std::string());
    if (!changes.has_value() || changes.value().empty()) {
        return section;
    }
    const diagnose::Prediction p = diagnose::predict(analysis, device, changes.value());
    if (p.before_budget && p.after_budget) {
        section.blocks.emplace_back(Paragraph{answer->sentence, Emphasis::none});
        section.blocks.emplace_back(budgetTable(*p.before_budget, *p.after_budget));
    }
    return section;
}

Section predictionSection(const Analysis& analysis, const diagnose::Prediction& p)
{
    const OneUnit unit(std::max(p.before_reserved, p.after_reserved));
    Table table{{{"", Align::left}, {say("Before"), Align::right}, {say("After"), Align::right}},
                {{say("Peak requested"), unit.cell(p.before_peak),
                  formatInterval(p.after_peak, p.after_low, p.after_high)},
                 {say("Need"), unit.cell(p.before_need),
                  formatInterval(p.after_need, p.after_need_low, p.after_need_high)},
                 {say("Reserved"), unit.cell(p.before_reserved),
                  formatInterval(p.after_reserved, p.after_reserved_low, p.after_reserved_high)}},
                {}};
    Section section{
        deviceName(analysis.snapshot->devices[p.device]),
        {std::move(table),
         factTable({{say("New peak at"), momentText(analysis, p.device, p.after_peak_state)},
                    {say("Capacity"),
                     p.capacity ? formatInterval(*p.capacity, p.mostCapacity()) : say("not known")},
                    {say("Fits"), fitsText(p.fits)}})}};
    if (p.before_budget && p.after_budget) {
        section.blocks.emplace_back(budgetTable(*p.before_budget, *p.after_budget));
    }
    if (!p.assumptions.empty()) {
        section.blocks.emplace_back(Bullets{p.assumptions});
    }
    return section;
}

} // namespace tidemark::report
