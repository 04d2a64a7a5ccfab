// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/documents.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/pipeline/redaction.h"
#include "core/report/corrections_report.h"
#include "core/report/difference_report.h"
#include "core/report/sections.h"
#include "core/report/svg_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

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
void addLettered(Document& document, std::string_view letter, std::string_view part,
                 Section section)
{
    section.part = part;
    if (!letter.empty() && !section.title.empty()) {
        section.title = fmt::format("{} · {}", letter, section.title);
    }
    addUnlessEmpty(document, std::move(section));
}

/// How two runs differ: the answer, both drawn on one axis, then the tables.
void addComparison(Document& document, const Analysis& a, const Analysis& b,
                   const compare::Difference& difference, const Letters& letters)
{
    static constexpr std::size_t kMostPlaces = 14;
    for (Section& section : differenceSections(a, b, difference, letters, kMostPlaces)) {
        document.sections.push_back(std::move(section));
    }
    document.sections.insert(
        document.sections.begin() + 1,
        Section{say("Both runs"),
                {Figure{lanesSvg(a, b, difference, letters),
                        lanesSentence(a, b, difference, letters), Figure::Kind::lanes}},
                Tone::plain,
                false,
                "timeline"});
}

bool hasVerdict(const Analysis& analysis)
{
    return analysis.deviceCount() > 0 && isDiagnosed(analysis, analysis.mainDevice());
}

/// `letter` is empty for the only run.
void addRun(Document& document, const Analysis& analysis,
            std::span<const pipeline::Bookmark> bookmarks, const std::string& letter,
            std::size_t run)
{
    static constexpr std::size_t kStacks = 2;
    const auto add = [&](std::string_view part, Section section) {
        addLettered(document, letter, part, std::move(section));
    };
    if (hasVerdict(analysis)) {
        const std::size_t device = analysis.mainDevice();
        const StateId moment = analysis.diagnosis->devices[device].moment.state;
        Section verdict = verdictSection(analysis, device);
        verdict.begins_run = true;
        add("verdict", std::move(verdict));
        add("answer", answerSection(analysis, device));
        add("timeline",
            timelineFigureSection(
                analysis, device, run,
                letter.empty() ? "timeline" : fmt::format("timeline-{}", run == 0 ? "A" : "B")));
        add("need", needSection(analysis, device));
        add("message", messageSection(analysis));
        add("bookmarks", bookmarksSection(analysis, bookmarks));
        add("buckets", bucketsSection(analysis, device));
        const label::Details details = label::findDetails(
            *analysis.snapshot, *analysis.replay, *analysis.labels, analysis.programs.get());
        add("modules", modulesSection(analysis, details, device));
        add("growth", growthSection(analysis, device));
        Places places(analysis);
        add("largest", alikeSection(analysis, places, device, moment));
        // All of a stack counts, as in the table above.
        constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
        add("stacks", stacksSection(analysis, largestAtMoment(analysis, device, kAll), kStacks));
        add("fixes", fixesSection(analysis, device));
        add("how", fixDetailSection(analysis, device, FixDetail::all));
        add("budget", budgetSection(analysis, device));
        add("corrections", correctionsSection(analysis));
        add("file", fileSection(analysis));
        add("device", deviceSection(analysis, device, Detail::brief));
        add("devices", devicesSection(analysis, device));
    } else {
        add("verdict", emptySection());
        add("file", fileSection(analysis));
    }
    add("notes", notesSection(analysis));
}

} // namespace

namespace {

/// Where the notes, which say it, are not shown.
void addHiddenNames(Document& document, const Analysis& analysis)
{
    const trace::InputNote* const note = analysis.snapshot->notes.find(pipeline::kRedactedNote);
    if (note != nullptr) {
        document.sections.push_back(
            {"", {Paragraph{note->text, Emphasis::quiet}}, Tone::plain, false, "notes"});
    }
}

} // namespace

std::span<const std::string_view> reportParts()
{
    static constexpr std::array<std::string_view, 25> kParts{
        "verdict", "answer",  "timeline",  "need",      "message", "bookmarks",   "buckets",
        "modules", "growth",  "largest",   "stacks",    "fixes",   "how",         "budget",
        "changes", "places",  "predicted", "allocator", "ranks",   "corrections", "file",
        "device",  "devices", "notes",     "glossary"};
    return kParts;
}

void keepParts(Document& document, std::span<const std::string> only)
{
    if (!only.empty()) {
        std::erase_if(document.sections, [only](const Section& section) {
            return std::ranges::find(only, section.part) == only.end();
        });
    }
}

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
        answerSection(analysis, device),
        fixesSection(analysis, device),
        fixDetailSection(analysis, device, FixDetail::recommended)};
    Section& fixes = document.sections[document.sections.size() - 2];
    Section& answer = document.sections[document.sections.size() - 3];
    if (!answer.blocks.empty()) { // Under one title.
        answer.title.swap(fixes.title);
    }
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

std::optional<compare::Difference> reportDifference(const Analysis& a, const Analysis& b,
                                                    const Letters& letters, std::stop_token stop)
{
    if (!hasVerdict(a) || !hasVerdict(b)) {
        return std::nullopt;
    }
    compare::DifferenceOptions options = compare::mainDevices(a, b);
    options.lists_moments = true;
    options.letter_a = letters[0];
    options.letter_b = letters[1];
    options.stop = std::move(stop);
    return compare::findDifference(a, b, options);
}

Document reportDocument(const Analysis& analysis, const Analysis* other,
                        const ReportOptions& options)
{
    if (other != nullptr) {
        return comparisonDocument(analysis, *other,
                                  reportDifference(analysis, *other, options.letters), options);
    }
    Document document{say("Memory report: {}", titleOf(analysis)), {}};
    addRun(document, analysis, options.bookmarks.own, "", 0);
    addLettered(document, "", "glossary", glossarySection());
    keepParts(document, options.only);
    if (!options.only.empty()) {
        addHiddenNames(document, analysis);
    }
    return document;
}

Document comparisonDocument(const Analysis& analysis, const Analysis& other,
                            const std::optional<compare::Difference>& difference,
                            const ReportOptions& options)
{
    const std::array<const Analysis*, 2> runs{&analysis, &other};
    const std::array<const std::vector<pipeline::Bookmark>*, 2> marks{&options.bookmarks.own,
                                                                      &options.bookmarks.other};
    Document document{say("Memory report: {} and {}", titleOf(analysis), titleOf(other)), {}};
    if (difference) {
        addComparison(document, analysis, other, *difference, options.letters);
    } else {
        document.sections.push_back(
            {"", {Paragraph{say("One of the files has no memory to compare."), Emphasis::lead}}});
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::string& letter = options.letters[i];
        if (!difference || options.single_reports) {
            addRun(document, *runs[i], *marks[i], letter, i);
            continue;
        }
        addLettered(document, letter, "bookmarks", bookmarksSection(*runs[i], *marks[i]));
        addLettered(document, letter, "corrections", correctionsSection(*runs[i]));
    }
    if (difference && !options.single_reports) {
        addLettered(document, "", "file", filesSection(analysis, other, options.letters));
    }
    keepParts(document, options.only);
    addHiddenNames(document, analysis);
    return document;
}

} // namespace tidemark::report
