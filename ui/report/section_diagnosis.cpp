// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/texts.h"
#include "core/label/stacks/code_lines.h"
#include "core/report/fix_words.h"
#include "ui/models/config_file.h"
#include "ui/models/fixes_model.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/report/words.h"
#include "ui/views/look/palette.h"

#include <algorithm>

namespace tidemark::ui::report {
namespace {

using diagnose::Fix;
using diagnose::FixStatus;

void addCause(PageFlow& flow, const RunView& run, const diagnose::CauseFinding& finding, int rank)
{
    std::vector<Run> head{
        {QStringLiteral("%1  ").arg(rank), TextStyle{9.5, true, false, kGrey}},
        {text(diagnose::causeTitle(finding.cause)), TextStyle{9.5, true, false, kInk}},
        {QStringLiteral("   ")
             % ReportWords::tr("%1 · score %2 · %3")
                   .arg(supportWord(finding.score), numberText(finding.score, 2),
                        text(diagnose::causeId(finding.cause))),
         kSmall}};
    flow.space(4);
    flow.ensure(36);
    addParagraph(flow, head, 0, 2);
    const label::LineFinder finder(*run.snapshot);
    for (const diagnose::Evidence& evidence : finding.evidence) {
        std::vector<Run> runs{{shown(evidence.text), kBody}};
        QString place;
        if (evidence.at) {
            place = stateAndPlace(run, *evidence.at);
        }
        const QString line =
            shown(label::linesText(*run.snapshot, finder.of(*run.snapshot, evidence.stack)));
        if (!line.isEmpty()) {
            const QString separator = place.isEmpty() ? QString() : QStringLiteral(" · ");
            place += separator % line;
        }
        if (!place.isEmpty()) {
            runs.push_back({QStringLiteral("  ") % place, kSmall});
        }
        addBullet(flow, runs, 12);
    }
}

/// Whether the run fits after the change, in words.
QString fitText(const diagnose::DeviceDiagnosis& d, const Fix& fix)
{
    if (!fix.fits) {
        return ReportWords::tr("not known whether it fits");
    }
    if (!*fix.fits) {
        return fix.short_by.value > 0
            ? ReportWords::tr("short by %1").arg(columnText(fix.short_by, largestOf(d)))
            : ReportWords::tr("does not fit");
    }
    const auto spare = tidemark::report::certainSpare(fix, d);
    return spare ? ReportWords::tr("fits, at least %1 free").arg(columnText(*spare, largestOf(d)))
                 : ReportWords::tr("fits");
}

Cell changeCell(const Fix& fix)
{
    Cell change = cell(shown(fix.title), kBold);
    if (fix.changes_science) {
        change.runs.push_back({QStringLiteral("  ") % ReportWords::tr("changes the experiment"),
                               TextStyle{7.5, true, false, kGrey}});
    }
    if (!fix.why.empty()) {
        change.runs.push_back({newLine() % shown(fix.why), kSmall});
    }
    if (!fix.cost.empty()) {
        change.runs.push_back({newLine() % ReportWords::tr("Cost:") % u' ', kSmallBold});
        change.runs.push_back({shown(fix.cost), kSmall});
    }
    if (!fix.verify.empty()) {
        change.runs.push_back({newLine() % ReportWords::tr("Check again:") % u' ', kSmallBold});
        change.runs.push_back({shown(fix.verify), kSmall});
    }
    return change;
}

bool hasFigures(const Fix& fix)
{
    return fix.status != FixStatus::not_applicable && fix.status != FixStatus::already_on
        && (fix.new_peak.value > 0 || fix.saves.value > 0);
}

void addLadder(PageFlow& flow, const diagnose::DeviceDiagnosis& d, Bytes largest)
{
    Table table;
    table.columns = {{ReportWords::tr("Order"), 28, TextBlock::Align::right},
                     {ReportWords::tr("Change")},
                     {ReportWords::tr("Saves"), 54, TextBlock::Align::right},
                     {ReportWords::tr("Needs"), 78, TextBlock::Align::right},
                     {ReportWords::tr("Outcome"), 100}};
    const ThemeColours& colours = themeColours(Theme::light);
    for (const Fix& fix : d.fixes) {
        if (fix.status == FixStatus::not_applicable) {
            continue;
        }
        TableRow row;
        row.cells = {cell(QString::number(fix.rung)), changeCell(fix), {}, {}, {}};
        row.cells[4] = cell(text(tidemark::report::statusText(fix.status)),
                            TextStyle{9, true, false, statusColour(fix.status, colours)});
        if (hasFigures(fix)) {
            row.cells[2] = cell(columnText(fix.saves, largest));
            row.cells[3] = cell(columnText(fix.new_reserved, largest));
            row.cells[3].runs.push_back(
                {newLine()
                     % ReportWords::tr("peak %1").arg(
                         fix.new_peak_low == fix.new_peak_high
                             ? columnText(fix.new_peak, largest)
                             : intervalText(fix.new_peak, fix.new_peak_low, fix.new_peak_high)),
                 kSmall});
            if (fix.status != FixStatus::not_needed) {
                row.cells[4].runs.push_back({newLine() % fitText(d, fix), kSmall});
            }
        }
        table.rows.push_back(std::move(row));
    }
    addTable(flow, table);
}

void addLinesToPaste(PageFlow& flow, const diagnose::DeviceDiagnosis& d)
{
    bool has_heading = false;
    for (const FixStatus status : {FixStatus::recommended, FixStatus::would_help}) {
        for (const Fix& fix : d.fixes) {
            if (fix.status != status || fix.how.empty()) {
                continue;
            }
            if (!has_heading) {
                addSubheading(flow, ReportWords::tr("Lines to paste"), 70);
                has_heading = true;
            }
            flow.space(3);
            flow.ensure(20 + codeHeight(flow, shown(fix.how.front().second, true)));
            addParagraph(
                flow,
                {{shown(fix.title), kBold},
                 {QStringLiteral("   ") % text(tidemark::report::statusText(status)),
                  TextStyle{7.5, true, false, statusColour(status, themeColours(Theme::light))}}},
                0, 2);
            for (const auto& [framework, lines] : fix.how) {
                addCode(flow, shown(framework), shown(lines, true));
            }
        }
    }
}

void addMessage(PageFlow& flow, const diagnose::OomMessage& message)
{
    Table table;
    table.columns = {{ReportWords::tr("From the error message"), 180},
                     {ReportWords::tr("Bytes"), 90, TextBlock::Align::right}};
    const auto addFigure = [&](const QString& name, const std::optional<Bytes>& bytes) {
        if (bytes) {
            table.rows.push_back({{cell(name), cell(bytesText(*bytes))}});
        }
    };
    addFigure(ReportWords::tr("Tried to allocate (the segment, not the tensor)"), message.tried);
    addFigure(ReportWords::tr("Capacity of the card"), message.total);
    addFigure(ReportWords::tr("Free"), message.free);
    addFigure(ReportWords::tr("Allocated by PyTorch"), message.allocated);
    addFigure(ReportWords::tr("Reserved by PyTorch"), message.reserved);
    addFigure(ReportWords::tr("Cached"), message.cached);
    addFigure(ReportWords::tr("Reserved but unallocated"), message.unallocated);
    addFigure(ReportWords::tr("In private pools"), message.private_pools);
    addFigure(ReportWords::tr("Allowed"), message.allowed);
    addFigure(ReportWords::tr("In use by this process"), message.this_process);
    for (const diagnose::MessageProcess& process : message.processes) {
        addFigure(ReportWords::tr("In use by process %1").arg(process.pid), process.in_use);
    }
    if (!table.rows.empty()) {
        flow.space(6);
        addTable(flow, table);
    }
}

} // namespace

void addCauses(PageFlow& flow, const RunView& run, int level)
{
    constexpr std::size_t kMost = 5;
    if (run.isEmpty() || run.diagnosis == nullptr || run.diagnosis->causes.empty()) {
        return;
    }
    // A run that did not run out has said so in its verdict.
    if (run.diagnosis->causes.front().cause == diagnose::Cause::none
        && !run.analysis->diagnosis->message) {
        return;
    }
    addHeading(flow, ReportWords::tr("Why"), level);
    const auto& causes = run.diagnosis->causes;
    for (std::size_t i = 0; i < std::min(causes.size(), kMost); ++i) {
        addCause(flow, run, causes[i], static_cast<int>(i) + 1);
    }
    if (run.analysis->diagnosis->message) {
        addMessage(flow, *run.analysis->diagnosis->message);
    }
}

void addFixes(PageFlow& flow, const RunView& run, int level)
{
    if (run.isEmpty() || run.diagnosis == nullptr || run.diagnosis->fixes.empty()) {
        return;
    }
    addHeading(flow, ReportWords::tr("What to change, cheapest first"), level, 100);
    addParagraph(
        flow,
        ReportWords::tr("Each figure comes from recomputing this file's timeline with the affected "
                        "allocations changed, one change at a time. The peak may move."),
        TextStyle{8.5, false, false, kGrey});
    if (const auto& input = run.analysis->input; input.config) {
        const QString name =
            input.config_name.empty() ? shown(input.config->form) : shown(input.config_name);
        addParagraph(
            flow,
            {{ReportWords::tr("Configuration of the run, %1:").arg(name) % u' ', kSmallBold},
             {shown(utf8(configSummary(*input.config))), kSmall}});
    }
    addLadder(flow, *run.diagnosis, run.largest());
    addLinesToPaste(flow, *run.diagnosis);
}

void addSetAside(PageFlow& flow, const RunView& run, int level)
{
    if (run.isEmpty() || run.diagnosis == nullptr) {
        return;
    }
    Table table;
    table.columns = {{ReportWords::tr("Order"), 28, TextBlock::Align::right},
                     {ReportWords::tr("Change"), 190},
                     {ReportWords::tr("Why not here")}};
    table.row_padding = 1.8;
    for (const Fix& fix : run.diagnosis->fixes) {
        if (fix.status == FixStatus::not_applicable) {
            table.rows.push_back({{cell(QString::number(fix.rung), kSmall),
                                   cell(shown(fix.title), kSmall), cell(shown(fix.why), kSmall)}});
        }
    }
    if (!table.rows.empty()) {
        addHeading(flow, ReportWords::tr("Changes looked at and set aside"), level);
        addTable(flow, table);
    }
}

} // namespace tidemark::ui::report
