// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/documents.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/corrections_report.h"
#include "core/report/difference_report.h"
#include "core/report/sections.h"
#include "core/report/svg_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

constexpr std::size_t kLargestShown = 10;

std::string titleOf(const Analysis& analysis)
{
    return analysis.file.filename().string();
}

bool isDiagnosed(const Analysis& analysis, std::size_t device)
{
    return device < analysis.diagnosis->devices.size()
        && !analysis.snapshot->devices[device].isEmpty();
}

/// For files with nothing to diagnose.
Section emptySection()
{
    return {say("Verdict"),
            {Paragraph{say("The file has no events and no segments: nothing to explain."),
                       Emphasis::lead},
             Paragraph{say("Call torch.cuda.memory._record_memory_history() before the run and "
                           "dump the snapshot before turning it off."),
                       Emphasis::none}}};
}

void addUnlessEmpty(Document& document, Section section)
{
    if (!section.blocks.empty()) {
        document.sections.push_back(std::move(section));
    }
}

void addLeftOut(Document& document, const diagnose::DetailedDevices& devices)
{
    if (devices.left_out > 0) {
        document.sections.push_back(
            {say("Other devices"), {Paragraph{leftOutText(devices), Emphasis::quiet}}});
    }
}

/// What the labels above owe to a person; nothing without corrections.
void addCorrections(Document& document, const Analysis& analysis)
{
    addUnlessEmpty(document, correctionsSection(analysis));
}

/// Of several runs each title begins with the letter of its run.
void addLettered(Document& document, std::string_view letter, Section section)
{
    if (!letter.empty() && !section.title.empty()) {
        section.title = fmt::format("{} · {}", letter, section.title);
    }
    addUnlessEmpty(document, std::move(section));
}

/// How two runs differ: the answer, both drawn on one axis, then the tables.
void addComparison(Document& document, const Analysis& a, const Analysis& b)
{
    compare::DifferenceOptions options = compare::mainDevices(a, b);
    options.lists_moments = true;
    const compare::Difference difference = compare::findDifference(a, b, options);
    for (Section& section : differenceSections(a, b, difference)) {
        document.sections.push_back(std::move(section));
    }
    document.sections.insert(
        document.sections.begin() + 1,
        Section{say("Both runs"),
                {Figure{lanesSvg(a, b, difference), lanesSentence(a, b, difference)}}});
}

void addRun(Document& document, const Analysis& analysis,
            std::span<const pipeline::Bookmark> bookmarks, std::string_view letter)
{
    static constexpr std::size_t kStacks = 5;
    const std::size_t device = analysis.deviceCount() > 0 ? analysis.mainDevice() : 0;
    const auto add = [&](Section section) { addLettered(document, letter, std::move(section)); };
    if (isDiagnosed(analysis, device)) {
        const AllocationSelection largest = largestAtMoment(analysis, device, kLargestShown);
        add(verdictSection(analysis, device));
        add(timelineFigureSection(
            analysis, device, letter.empty() ? "timeline" : fmt::format("timeline-{}", letter)));
        add(bookmarksSection(analysis, bookmarks));
        add(needSection(analysis, device));
        add(bucketsSection(analysis, device));
        const label::Details details = label::findDetails(
            *analysis.snapshot, *analysis.replay, *analysis.labels, analysis.programs.get());
        add(modulesSection(analysis, details, device));
        add(phasePeaksSection(analysis, device));
        add(growthSection(analysis, device));
        Places places(analysis);
        add(allocationsSection(analysis, places, largest));
        add(stacksSection(analysis, largest, kStacks));
        add(budgetSection(analysis, device));
        add(fixesSection(analysis, device));
        add(fixDetailSection(analysis, device, FixDetail::all));
    } else {
        add(emptySection());
    }
    add(correctionsSection(analysis));
    add(fileSection(analysis));
    const diagnose::DetailedDevices devices = diagnose::detailedDevices(analysis);
    for (const std::size_t d : devices.shown) {
        add(deviceSection(analysis, d));
    }
    addLeftOut(document, devices);
    add(notesSection(analysis));
}

} // namespace

AllocationSelection largestAtMoment(const Analysis& analysis, std::size_t device, std::size_t top)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const StateId state = analysis.diagnosis->devices[device].moment.state;
    std::vector<AllocationId> ids = replay::liveAt(replay, state);
    AllocationSelection selection{device, state, {}, ids.size(), replay.activeAt(state)};
    ids.resize(std::min(ids.size(), top));
    selection.ids = std::move(ids);
    return selection;
}

Document summaryDocument(const Analysis& analysis)
{
    Document document{titleOf(analysis), {fileSection(analysis)}};
    const label::Details details = label::findDetails(*analysis.snapshot, *analysis.replay,
                                                      *analysis.labels, analysis.programs.get());
    const diagnose::DetailedDevices devices = diagnose::detailedDevices(analysis);
    for (const std::size_t d : devices.shown) {
        document.sections.push_back(deviceSection(analysis, d));
        Section buckets = bucketsSection(analysis, d);
        buckets.title.clear();
        document.sections.push_back(std::move(buckets));
        document.sections.push_back(modulesSection(analysis, details, d));
        document.sections.push_back(phasePeaksSection(analysis, d));
        document.sections.push_back(growthSection(analysis, d));
    }
    addLeftOut(document, devices);
    addCorrections(document, analysis);
    document.sections.push_back(notesSection(analysis));
    return document;
}

Document timelineDocument(const Analysis& analysis, std::span<const std::size_t> devices,
                          std::size_t points)
{
    Document document{titleOf(analysis), {}};
    for (const std::size_t d : devices) {
        if (devices.size() == 1 || !analysis.snapshot->devices[d].isEmpty()) {
            document.sections.push_back(timelineTableSection(analysis, d, points));
        }
    }
    addCorrections(document, analysis);
    return document;
}

Document allocationsDocument(const Analysis& analysis,
                             std::span<const AllocationSelection> selections)
{
    Document document{titleOf(analysis), {}};
    Places places(analysis); // A stack is read once, not for each device.
    for (const AllocationSelection& selection : selections) {
        document.sections.push_back(allocationsSection(analysis, places, selection));
    }
    addCorrections(document, analysis);
    return document;
}

Document runQueryDocument(const Analysis& analysis, const RunQuery& query,
                          std::span<const RunAnswer> answers)
{
    Document document{titleOf(analysis), {}};
    for (const RunAnswer& answer : answers) {
        document.sections.push_back(runQuerySection(answer, query));
    }
    addCorrections(document, analysis);
    return document;
}

Document diagnosisDocument(const Analysis& analysis, std::size_t device)
{
    Document document{titleOf(analysis), {}};
    if (!isDiagnosed(analysis, device)) {
        document.sections = {emptySection(), notesSection(analysis)};
        return document;
    }
    Places places(analysis);
    document.sections = {
        verdictSection(analysis, device),
        needSection(analysis, device),
        bucketsSection(analysis, device),
        allocationsSection(analysis, places, largestAtMoment(analysis, device, kLargestShown)),
        fixesSection(analysis, device),
        fixDetailSection(analysis, device, FixDetail::recommended)};
    addCorrections(document, analysis);
    return document;
}

Document predictionDocument(const Analysis& analysis,
                            std::span<const diagnose::Prediction> predictions)
{
    Document document{titleOf(analysis), {}};
    for (const diagnose::Prediction& prediction : predictions) {
        document.sections.push_back(predictionSection(analysis, prediction));
    }
    addCorrections(document, analysis);
    return document;
}

Document reportDocument(const Analysis& analysis, const Analysis* other,
                        const ReportOptions& options)
{
    if (other == nullptr) {
        Document document{say("Memory report: {}", titleOf(analysis)), {}};
        addRun(document, analysis, options.bookmarks.own, "");
        return document;
    }
    const auto is_diagnosed = [](const Analysis& run) {
        return run.deviceCount() > 0 && isDiagnosed(run, run.mainDevice());
    };
    const bool is_comparable = is_diagnosed(analysis) && is_diagnosed(*other);
    const std::array<const Analysis*, 2> runs{&analysis, other};
    const std::array<const std::vector<pipeline::Bookmark>*, 2> marks{&options.bookmarks.own,
                                                                      &options.bookmarks.other};
    Document document{say("Memory report: {} and {}", titleOf(analysis), titleOf(*other)), {}};
    if (is_comparable) {
        addComparison(document, analysis, *other);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::string letter = i == 0 ? "A" : "B";
        if (!is_comparable || options.single_reports) {
            addRun(document, *runs[i], *marks[i], letter);
            continue;
        }
        addLettered(document, letter, bookmarksSection(*runs[i], *marks[i]));
        addLettered(document, letter, correctionsSection(*runs[i]));
        addLettered(document, letter, fileSection(*runs[i]));
    }
    return document;
}

} // namespace tidemark::report
