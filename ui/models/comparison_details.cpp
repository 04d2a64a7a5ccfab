// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/comparison_details.h"

#include "core/curves/phase_peaks.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/what_if.h"
#include "core/replay/block_sizes.h"
#include "core/report/fix_words.h"
#include "ui/models/comparison_tables.h"
#include "ui/models/comparison_words.h"
#include "ui/models/numbers.h"
#include "ui/models/one_unit.h"
#include "ui/models/text.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::ui {
namespace {

/// Bytes of both runs under one name.
struct Sides {
    Bytes base;
    Bytes against;
    [[nodiscard]] Bytes delta() const
    {
        return against - base;
    }
};

RowCell amount(const OneUnit& unit, Bytes bytes)
{
    return {unit.cell(bytes), bytes};
}

RowCell difference(const OneUnit& unit, Bytes bytes)
{
    return {unit.signedCell(bytes), bytes};
}

using StepKey = std::pair<std::int64_t, label::Phase>;

void addSteps(const ComparedRun& run, Bytes Sides::*side, std::map<StepKey, Sides>& peaks)
{
    const replay::DeviceReplay& replay = run.analysis.replay->devices[run.device];
    const label::StepNumbers& numbers = run.labels().numbers;
    const curves::PhasePeaks found = curves::phasePeaks(
        replay, replay::blockTotals(replay, (*run.analysis.block_sizes)[run.device]), run.labels());
    for (const curves::PhasePeak& peak : found.by_step) {
        peaks[{numbers.of(peak.step), peak.phase}].*side = replay.activeAt(peak.requested.state);
    }
}

const diagnose::DeviceDiagnosis& diagnosisOf(const ComparedRun& run)
{
    return run.analysis.diagnosis->devices[run.device];
}

bool says(const diagnose::Fix* fix)
{
    return fix != nullptr && fix->status != diagnose::FixStatus::not_applicable;
}

/// What tells the runs apart, tried in the base: one by one, then together.
void addTried(const ComparedRuns& runs, const OneUnit& unit, TextTable& table,
              const std::stop_token& stop)
{
    std::vector<std::pair<QString, std::vector<diagnose::Change>>> tried;
    std::vector<diagnose::Change> all;
    for (const compare::RunChange& change : runs.difference.parts.changes) {
        if (change.apply) {
            tried.emplace_back(ComparisonWords::tr("As in %1: %2 (%3 → %4)")
                                   .arg(runs.against.letter, text(compare::wordsOf(change.of)),
                                        text(change.from), text(change.to)),
                               std::vector{*change.apply});
            all.push_back(*change.apply);
        }
    }
    if (tried.empty() || runs.base.analysis.block_sizes == nullptr || stop.stop_requested()) {
        return;
    }
    if (tried.size() > 1) {
        tried.emplace_back(ComparisonWords::tr("All of these"), all);
    }
    const diagnose::WhatIf what_if(runs.base.analysis, runs.base.device, stop);
    for (const auto& [words, changes] : tried) {
        if (stop.stop_requested()) {
            return;
        }
        const diagnose::Prediction then = what_if.predict(changes);
        table.rows.push_back(
            {{{words, {}, QStringLiteral("--apply ") % text(diagnose::changesText(changes))},
              {ComparisonWords::tr("tried")},
              amount(unit, then.after_need),
              {ComparisonWords::tr("has it")},
              amount(unit, runs.difference.headline.peak_b)},
             Emphasis::strong});
    }
}

} // namespace

TextTable stepsTable(const ComparedRuns& runs)
{
    std::map<StepKey, Sides> peaks;
    addSteps(runs.base, &Sides::base, peaks);
    addSteps(runs.against, &Sides::against, peaks);
    Bytes largest;
    for (const auto& [key, sides] : peaks) {
        largest = std::max({largest, sides.base, sides.against});
    }
    const OneUnit unit(largest);
    TextTable table{{{ComparisonWords::tr("step")},
                     {ComparisonWords::tr("phase")},
                     {runs.base.letter, true},
                     {runs.against.letter, true},
                     {runs.differenceTitle(), true},
                     {ComparisonWords::tr("change"), true}},
                    {}};
    std::int64_t equal = 0;
    for (const auto& [key, sides] : peaks) {
        if (sides.delta().value == 0) {
            ++equal;
            continue;
        }
        const auto shown = [&](Bytes bytes) {
            return bytes.value == 0 ? RowCell{QStringLiteral("–")} : amount(unit, bytes);
        };
        const bool in_both = sides.base.value > 0 && sides.against.value > 0;
        table.rows.push_back(
            {{{key.first == 0 ? ComparisonWords::tr("before the first") : countText(key.first)},
              {text(label::phaseName(key.second))},
              shown(sides.base),
              shown(sides.against),
              in_both ? difference(unit, sides.delta()) : RowCell{},
              {in_both ? changeText(sides.base, sides.against)
                       : ComparisonWords::tr("only in %1")
                             .arg(sides.base.value > 0 ? runs.base.letter : runs.against.letter)}},
             in_both ? Emphasis::normal : Emphasis::secondary,
             {},
             TextRow::kNone,
             {}});
    }
    if (equal > 0) {
        table.rows.push_back({{{},
                               {ComparisonWords::tr("%Ln peak is equal|"
                                                    "%Ln peaks are equal",
                                                    nullptr, plural(equal))}},
                              Emphasis::secondary});
        table.rows.back().cells.resize(table.columns.size());
    }
    return table;
}

TextTable fixesTable(const ComparedRuns& runs, const std::stop_token& stop)
{
    const auto& of_base = diagnosisOf(runs.base).fixes;
    const auto& of_against = diagnosisOf(runs.against).fixes;
    const auto find = [](const std::vector<diagnose::Fix>& fixes, const std::string& id) {
        const auto found = std::ranges::find(fixes, id, &diagnose::Fix::id);
        return found == fixes.end() ? nullptr : &*found;
    };
    TextTable table{{{ComparisonWords::tr("fix")},
                     {ComparisonWords::tr("%1: status").arg(runs.base.letter)},
                     {ComparisonWords::tr("%1: then needs").arg(runs.base.letter), true},
                     {ComparisonWords::tr("%1: status").arg(runs.against.letter)},
                     {ComparisonWords::tr("%1: then needs").arg(runs.against.letter), true}},
                    {}};
    const OneUnit unit = unitOf(runs);
    addTried(runs, unit, table, stop);
    const auto cells = [&](const diagnose::Fix* fix, std::vector<RowCell>& row) {
        row.push_back(
            {fix == nullptr ? QStringLiteral("–") : text(report::statusText(fix->status))});
        row.push_back(!says(fix) || fix->new_need.value == 0 ? RowCell{QStringLiteral("–")}
                                                             : amount(unit, fix->new_need));
    };
    const auto add = [&](const diagnose::Fix* a, const diagnose::Fix* b) {
        if (!says(a) && !says(b)) {
            return;
        }
        const diagnose::Fix& named = says(a) ? *a : *b;
        TextRow row{{{text(named.title), {}, text(named.why)}}};
        cells(a, row.cells);
        cells(b, row.cells);
        const bool differs = a == nullptr || b == nullptr || a->status != b->status;
        row.emphasis = differs ? Emphasis::normal : Emphasis::secondary;
        table.rows.push_back(std::move(row));
    };
    for (const diagnose::Fix& fix : of_base) {
        add(&fix, find(of_against, fix.id));
    }
    for (const diagnose::Fix& fix : of_against) {
        if (find(of_base, fix.id) == nullptr) {
            add(nullptr, &fix);
        }
    }
    return table;
}

PredictionBeside predictionOf(const ComparedRuns& runs, const std::stop_token& stop)
{
    const auto beside =
        compare::predictBeside(runs.base.analysis, runs.base.device, runs.difference.parts.changes,
                               runs.difference.headline.delta(), stop);
    if (!beside) {
        return {};
    }
    const Bytes predicted = beside->prediction.after_peak;
    const Bytes measured = runs.difference.headline.peak_b;
    const OneUnit unit(std::max(predicted, measured));
    TextTable table{{{ComparisonWords::tr("bucket")},
                     {runs.base.letter, true},
                     {ComparisonWords::tr("predicted"), true},
                     {ComparisonWords::tr("measured, %1").arg(runs.against.letter), true},
                     {ComparisonWords::tr("miss"), true}},
                    {}};
    const auto row = [&](const QString& name, Bytes before, Bytes then, Bytes now) {
        return TextRow{
            {{name},
             amount(unit, before),
             amount(unit, then),
             amount(unit, now),
             {unit.signedCell(then - now) % QStringLiteral(" · ") % changeText(now, then),
              then - now}}};
    };
    const curves::DeviceCurves& base = runs.base.curves();
    const curves::DeviceCurves& against = runs.against.curves();
    const label::BucketBytes before = base.at(base.replay().peak);
    const label::BucketBytes now = against.at(against.replay().peak);
    for (std::size_t i = label::kBucketCount; i-- > 0;) {
        if (before[i] > 0 || beside->buckets[i] > 0 || now[i] > 0) {
            TextRow of_bucket = row(text(label::bucketName(label::bucketAt(i))), {before[i]},
                                    {beside->buckets[i]}, {now[i]});
            of_bucket.bucket = label::bucketAt(i);
            table.rows.push_back(std::move(of_bucket));
        }
    }
    TextRow total =
        row(ComparisonWords::tr("Peak"), runs.difference.headline.peak_a, predicted, measured);
    total.emphasis = Emphasis::strong;
    table.rows.push_back(std::move(total));
    return {ComparisonWords::tr("Predicted from %1 with %2, next to what %3 measured.")
                .arg(runs.base.letter, text(beside->apply), runs.against.letter),
            std::move(table)};
}

TextTable runsTable(const std::vector<NamedRun>& runs)
{
    TextTable table{{{ComparisonWords::tr("run")},
                     {ComparisonWords::tr("peak"), true},
                     {ComparisonWords::tr("vs. first"), true},
                     {ComparisonWords::tr("change"), true},
                     {ComparisonWords::tr("largest bucket"), true},
                     {ComparisonWords::tr("peak reserved"), true}},
                    {}};
    const auto peakOf = [](const NamedRun& named) {
        const replay::DeviceReplay& replay = named.run.curves().replay();
        return replay.activeAt(replay.peak);
    };
    Bytes largest;
    for (const NamedRun& named : runs) {
        largest = std::max(largest, peakOf(named));
    }
    const OneUnit unit(largest);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const replay::DeviceReplay& replay = runs[i].run.curves().replay();
        const Bytes first = peakOf(runs.front());
        const Bytes peak = peakOf(runs[i]);
        const label::BucketBytes buckets = runs[i].run.curves().at(replay.peak);
        const auto most = std::ranges::max_element(buckets);
        const auto bucket = label::bucketAt(static_cast<std::size_t>(most - buckets.begin()));
        const Bytes reserved{replay.reserved.empty() ? 0
                                                     : *std::ranges::max_element(replay.reserved)};
        TextRow row{{{runs[i].run.letter % QStringLiteral("  ") % runs[i].name, {}, runs[i].name},
                     amount(unit, peak),
                     i == 0 ? RowCell{} : difference(unit, peak - first),
                     {i == 0 ? QString() : changeText(first, peak)},
                     {text(label::bucketName(bucket)) % u' ' % unit.text({*most}), Bytes{*most}},
                     amount(unit, reserved)}};
        row.source = i;
        row.emphasis = i == 0 ? Emphasis::strong : Emphasis::normal;
        table.rows.push_back(std::move(row));
    }
    return table;
}

ComparisonDetails detailsOf(const ComparedRuns& runs, const std::stop_token& stop)
{
    ComparisonDetails details;
    details.steps = stepsTable(runs);
    details.fixes = fixesTable(runs, stop);
    if (!stop.stop_requested()) {
        details.modules = moduleDifferences(runs, stop);
    }
    if (!stop.stop_requested()) {
        details.prediction = predictionOf(runs, stop);
    }
    return details;
}

} // namespace tidemark::ui
