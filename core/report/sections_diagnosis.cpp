// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/budget_lines.h"
#include "core/report/cause_words.h"
#include "core/report/colours.h"
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

/// The first of those that are recommended, then of those that fit, then of the rest.
std::vector<const Fix*> fixesToTell(const std::vector<Fix>& fixes)
{
    static constexpr std::size_t kMost = 4;
    const auto urgency = [](const Fix& fix) {
        return fix.status == FixStatus::recommended    ? 0
            : fix.status == FixStatus::not_enough      ? 3
            : fix.fits.has_value() && fix.fits.value() ? 1
                                                       : 2;
    };
    std::vector<const Fix*> told;
    for (const Fix& fix : fixes) {
        if (hasEffect(fix)) {
            told.push_back(&fix);
        }
    }
    std::ranges::stable_sort(told, {}, [&](const Fix* fix) { return urgency(*fix); });
    told.resize(std::min(told.size(), kMost));
    return told;
}

/// The lines are those for one framework.
void addFixDetail(const Fix& fix, std::string_view framework, std::vector<Block>& blocks)
{
    std::string text = fix.why;
    if (fix.changes_science) {
        text += ' ' + say("This changes the experiment, not only its cost.");
    }
    blocks.emplace_back(Paragraph{std::move(text), Emphasis::none, fix.title});
    Bullets terms;
    for (const auto& [name, words] : fixTerms(fix)) {
        // What a fix does not go with matters to those who choose it.
        if (fix.status == FixStatus::recommended || name != translated("Caution")) {
            terms.items.push_back(fmt::format("{}: {}", name, words));
        }
    }
    if (const std::string alone = aloneText(fix); !alone.empty()) {
        terms.items.push_back(say("Alone: {}", alone));
    }
    if (!terms.items.empty()) {
        blocks.emplace_back(std::move(terms));
    }
    const auto* found = lineFor(fix, framework);
    if (found == nullptr && !fix.how.empty()) {
        found = &fix.how.front();
    }
    if (found != nullptr) {
        const std::string& line = found->second;
        Code code{found->first, {}};
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
    Section section{say("Verdict"),
                    {Paragraph{diagnosis.headline, Emphasis::lead}},
                    diagnosis.moment.is_oom ? Tone::alarm : Tone::plain};
    if (!diagnosis.explanation.empty()) {
        section.blocks.emplace_back(Paragraph{diagnosis.explanation, Emphasis::none});
    }
    Bullets bullets;
    for (const diagnose::Evidence& evidence :
         unsaidEvidence(diagnosis.causes.front(), diagnosis.explanation)) {
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
        if (!finding.how.empty()) {
            const auto& [framework, lines] = finding.how.front();
            bullets.items.back() +=
                ' ' + say("{}: {}", framework, lines.substr(0, lines.find('\n')));
        }
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
        rows.push_back({say("Free on the GPU"),
                        moment.device_free ? unit(*moment.device_free) : say("unknown")});
        rows.push_back({say("Requested from CUDA"), unit(moment.tried)});
        rows.push_back({say("Largest usable hole"), unit(moment.largest_hole)});
    }
    // As the JSON and the evidence have it: the last event before an OOM.
    const std::string when = momentText(analysis, device, moment.state);
    return {
        fmt::format("{} ({})", moment.is_oom ? say("Need at the OOM") : say("At the peak"), when),
        {factTable(std::move(rows))}};
}

Section messageSection(const Analysis& analysis)
{
    Section section{say("From the error message"), {}};
    if (!analysis.diagnosis->message) {
        return section;
    }
    const diagnose::OomMessage& message = *analysis.diagnosis->message;
    Rows rows;
    const auto add = [&rows](std::string name, const std::optional<Bytes>& bytes) {
        if (bytes) {
            rows.push_back({std::move(name), formatBytes(*bytes)});
        }
    };
    add(requestName(message), message.tried);
    add(say("Capacity of the GPU"), message.total);
    add(say("Free"), message.free);
    add(say("Allocated by PyTorch"), message.allocated);
    add(say("Reserved by PyTorch"), message.reserved);
    add(say("Cached"), message.cached);
    add(say("Reserved but unallocated"), message.unallocated);
    add(say("In private pools"), message.private_pools);
    add(say("Allowed"), message.allowed);
    add(say("In use by this process"), message.this_process);
    for (const diagnose::MessageProcess& process : message.processes) {
        add(say("In use by process {}", process.pid), process.in_use);
    }
    if (!rows.empty()) {
        section.blocks.emplace_back(factTable(std::move(rows)));
    }
    return section;
}

Section answerSection(const Analysis& analysis, std::size_t device)
{
    const DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
    Section section{"", {}, Tone::good};
    if (!diagnosis.fix_headline.empty()) {
        section.blocks.emplace_back(Paragraph{diagnosis.fix_headline, Emphasis::lead});
    }
    if (!diagnosis.fix_explanation.empty()) {
        section.blocks.emplace_back(Paragraph{diagnosis.fix_explanation, Emphasis::none});
    }
    return section;
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
    Bytes largest = std::max(diagnosis.need, diagnosis.moment.reserved);
    for (const Fix& fix : diagnosis.fixes) {
        if (hasEffect(fix)) {
            largest = std::max({largest, fix.new_peak, fix.new_reserved});
        }
    }
    const OneUnit unit(largest);
    std::int64_t others = 0;
    for (const Fix& fix : diagnosis.fixes) {
        if (fix.status == FixStatus::not_applicable) {
            ++others;
            continue;
        }
        const bool shows = hasEffect(fix);
        table.rows.push_back(
            {fmt::format("{}", fix.cost_rank), fix.title, statusText(fix.status),
             shows ? unit.cell(fix.saves) : "-", shows ? unit.cell(fix.new_peak) : "-",
             shows ? unit.cell(fix.new_reserved) : "-", shows ? fitsText(fix.fits) : "-"});
    }
    for (const std::size_t figures : {6U, 5U, 4U, 3U}) { // None has any where nothing ran out.
        dropEmptyColumn(table, figures);
    }
    Section section{say("Fixes, cheapest first"), {}};
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
    const std::string_view framework = frameworkInUse(analysis);
    if (detail == FixDetail::recommended) {
        Section section{say("How"), {}};
        for (const Fix& fix : fixes) {
            if (fix.status == FixStatus::recommended) {
                addFixDetail(fix, framework, section.blocks);
            }
        }
        return section;
    }
    Section section{say("Why and how"), {}};
    const std::vector<const Fix*> told = fixesToTell(fixes);
    for (const Fix* fix : told) {
        addFixDetail(*fix, framework, section.blocks);
    }
    const std::int64_t others =
        std::ranges::count_if(fixes, hasEffect) - static_cast<std::int64_t>(told.size());
    if (others > 0) {
        section.blocks.emplace_back(
            Paragraph{sayCounted(others, "The JSON has the lines of 1 other fix.",
                                 "The JSON has the lines of {} other fixes.", formatCount(others)),
                      Emphasis::quiet});
    }
    return section;
}

/// What is left of the capacity.
std::string spareText(const OneUnit& unit, Bytes spare)
{
    return spare.value < 0 ? say("{} short", unit.cell(-spare)) : unit.cell(spare);
}

/// Requires both budgets.
Table budgetTable(const diagnose::Prediction& p)
{
    using Kind = BudgetLine::Kind;
    Table table{{{say("Budget"), Align::left},
                 {say("Before"), Align::right},
                 {say("After"), Align::right},
                 {say("Change"), Align::right}},
                {},
                {}};
    const std::vector<BudgetLine> lines = budgetLines(p);
    Bytes largest;
    for (const BudgetLine& line : lines) {
        largest = std::max({largest, Bytes{line.before}, Bytes{line.after}});
    }
    const OneUnit unit(largest);
    const auto cell = [&](Kind kind, Bytes bytes) {
        return kind == Kind::spare ? spareText(unit, bytes)
            : kind == Kind::capacity && p.mostCapacity() != *p.capacity
            ? formatInterval(*p.capacity, p.mostCapacity())
            : unit.cell(bytes);
    };
    for (const BudgetLine& line : lines) {
        if (line.kind == Kind::total) {
            table.sums.push_back(table.rows.size());
        }
        const std::string change = line.kind == Kind::capacity || line.kind == Kind::spare ? ""
            : line.after == line.before                                                    ? "-"
                                        : unit.signedCell({line.after - line.before});
        table.rows.push_back(
            {line.name, cell(line.kind, {line.before}), cell(line.kind, {line.after}), change});
        table.swatches.push_back(line.kind == Kind::bucket ? bucketColour(line.bucket)
                                                           : std::string_view());
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
        section.blocks.emplace_back(budgetTable(p));
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
        section.blocks.emplace_back(budgetTable(p));
    }
    if (!p.assumptions.empty()) {
        section.blocks.emplace_back(Bullets{p.assumptions});
    }
    return section;
}

} // namespace tidemark::report
