// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/documents.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/report/corrections_report.h"
#include "core/report/difference_report.h"
#include "core/report/sections.h"

#include <algorithm>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

constexpr std::size_t kLargest = 10;

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
    return {
        say("Verdict"),
        {Paragraph{say("The file holds no events and no segments, so there is nothing to explain."),
                   Emphasis::lead},
         Paragraph{say("Start recording with torch.cuda.memory._record_memory_history() before the "
                       "run and write the snapshot before recording is switched off."),
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
void addCorrections(Document& document, const Analysis& analysis, std::string title = {})
{
    Section section = correctionsSection(analysis);
    if (!title.empty()) {
        section.title = std::move(title);
    }
    addUnlessEmpty(document, std::move(section));
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
    const label::Details details =
        label::findDetails(*analysis.snapshot, *analysis.replay, *analysis.labels);
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
        allocationsSection(analysis, places, largestAtMoment(analysis, device, kLargest)),
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
                        const ReportBookmarks& bookmarks)
{
    static constexpr std::size_t kStacks = 5;
    Document document{say("Memory report: {}", titleOf(analysis)), {}};
    const std::size_t device = analysis.deviceCount() > 0 ? analysis.mainDevice() : 0;
    const bool is_diagnosed = isDiagnosed(analysis, device);
    auto& sections = document.sections;
    sections.push_back(is_diagnosed ? verdictSection(analysis, device) : emptySection());
    if (other != nullptr && is_diagnosed && other->deviceCount() > 0) {
        const compare::Difference difference =
            compare::findDifference(analysis, *other, compare::mainDevices(analysis, *other));
        for (Section& section : differenceSections(analysis, *other, difference)) {
            sections.push_back(std::move(section));
        }
        sections.push_back(comparisonSection(analysis, *other, difference.headline));
    }
    if (is_diagnosed) {
        const AllocationSelection largest = largestAtMoment(analysis, device, kLargest);
        sections.push_back(timelineFigureSection(analysis, device));
        addUnlessEmpty(document, bookmarksSection(analysis, bookmarks.own));
        sections.push_back(needSection(analysis, device));
        sections.push_back(bucketsSection(analysis, device));
        const label::Details details =
            label::findDetails(*analysis.snapshot, *analysis.replay, *analysis.labels);
        sections.push_back(modulesSection(analysis, details, device));
        sections.push_back(phasePeaksSection(analysis, device));
        sections.push_back(growthSection(analysis, device));
        Places places(analysis);
        sections.push_back(allocationsSection(analysis, places, largest));
        sections.push_back(stacksSection(analysis, largest, kStacks));
        sections.push_back(budgetSection(analysis, device));
        sections.push_back(fixesSection(analysis, device));
        sections.push_back(fixDetailSection(analysis, device, FixDetail::all));
    }
    addCorrections(document, analysis);
    if (other != nullptr) {
        addCorrections(document, *other, say("Corrections of {}", titleOf(*other)));
    }
    if (other != nullptr) {
        Section marks = bookmarksSection(*other, bookmarks.other);
        marks.title = say("Bookmarks of {}", titleOf(*other));
        addUnlessEmpty(document, std::move(marks));
    }
    sections.push_back(fileSection(analysis));
    const diagnose::DetailedDevices devices = diagnose::detailedDevices(analysis);
    for (const std::size_t d : devices.shown) {
        sections.push_back(deviceSection(analysis, d));
    }
    addLeftOut(document, devices);
    sections.push_back(notesSection(analysis));
    return document;
}

} // namespace tidemark::report
