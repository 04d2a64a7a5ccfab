// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/short_text.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/selection.h"
#include "ui/models/facts_model.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/report/words.h"
#include "ui/views/look/palette.h"

#include <QtCore/QStringList>

#include <algorithm>
#include <array>

namespace tidemark::ui::report {

using tidemark::report::leftOutText;

namespace {

constexpr TextStyle kFactName{8.5, false, false, kGrey};
constexpr TextStyle kFact{8.5, false, false, kInk};

/// A table of two columns without a header's weight: name and fact.
class FactList {
public:
    void add(const QString& name, const QString& fact)
    {
        if (!fact.isEmpty()) {
            m_table.rows.push_back({{cell(name, kFactName), cell(fact, kFact)}});
        }
    }
    void flowInto(PageFlow& flow) const
    {
        addTable(flow, m_table);
    }

private:
    Table m_table{{{QString(), 150}, {QString()}}, {}, {}, 1.8};
};

QString formatText(const trace::Format& format)
{
    QStringList parts{shown(format.route)};
    if (format.protocol >= 0) {
        parts << ReportWords::tr("protocol %1").arg(format.protocol);
    }
    if (!format.reader.empty()) {
        parts << ReportWords::tr("read by the %1 reader").arg(shown(format.reader));
    }
    return parts.join(QStringLiteral(", "));
}

QString actionsText(const trace::Device& device)
{
    std::array<std::int64_t, trace::kActionNames.size()> counts{};
    for (const trace::Action action : device.events.action) {
        ++counts[static_cast<std::size_t>(action)];
    }
    QStringList parts;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0) {
            parts << countText(counts[i]) % QChar(QChar::Nbsp) % text(trace::kActionNames[i]);
        }
    }
    return parts.join(QStringLiteral(" · "));
}

QString durationOf(const trace::Device& device)
{
    if (!device.events.hasTimes()) {
        return ReportWords::tr("the events carry no times");
    }
    const auto [first, last] =
        std::minmax_element(device.events.time.begin(), device.events.time.end());
    return durationText(*last - *first);
}

QString stepsText(const RunView& run)
{
    const label::DeviceLabels& labels = *run.labels;
    QStringList parts;
    constexpr std::size_t kMost = 6;
    for (std::size_t i = 0; i < std::min(labels.steps.size(), kMost); ++i) {
        const label::Step& step = labels.steps[i];
        parts << ReportWords::tr("%1: events %2 to %3")
                     .arg(run.steps.of(static_cast<std::uint32_t>(i) + 1))
                     .arg(countText(step.first_event.value), countText(step.last_event.value));
    }
    if (labels.steps.size() > kMost) {
        parts << ReportWords::tr("… %1 in all").arg(labels.steps.size());
    }
    return parts.join(QStringLiteral(" · "));
}

QString agreementText(const replay::DeviceReplay& replay)
{
    const QString end = replay.end_matches_segments
        ? ReportWords::tr("the trace ends at the file's own sum of live bytes")
        : ReportWords::tr("the trace does not end at the file's own sum of live bytes");
    return end % QStringLiteral("; ")
        % (replay.violations == 0
               ? ReportWords::tr("no contradictions")
               : ReportWords::tr("%Ln place where trace and segments contradict each other|"
                                 "%Ln places where trace and segments contradict each other",
                                 nullptr, plural(replay.violations)));
}

void addDeviceFacts(FactList& facts, const RunView& run)
{
    const trace::Device& device = *run.device;
    facts.add(ReportWords::tr("Device"), deviceName(device));
    facts.add(ReportWords::tr("Events"),
              countText(static_cast<std::int64_t>(device.events.count())));
    facts.add(ReportWords::tr("Actions"), actionsText(device));
    if (device.events.count() > 0) {
        facts.add(ReportWords::tr("Recorded time"), durationOf(device));
    }
    facts.add(ReportWords::tr("Segments at the dump"),
              ReportWords::tr("%1, with %Ln block|"
                              "%1, with %Ln blocks",
                              nullptr, plural(static_cast<std::int64_t>(device.blocks.size())))
                  .arg(countText(static_cast<std::int64_t>(device.segments.size()))));
    if (run.replay != nullptr && run.replay->stateCount() > 0) {
        const replay::DeviceReplay& r = *run.replay;
        facts.add(ReportWords::tr("Allocations"),
                  countText(static_cast<std::int64_t>(r.allocations.count())));
        facts.add(ReportWords::tr("Requested at the start"),
                  bytesText(r.activeAt(StateId::start())));
        facts.add(ReportWords::tr("Requested at the end"), bytesText(r.activeAt(r.lastState())));
        facts.add(ReportWords::tr("Reserved at the end"), bytesText(r.reservedAt(r.lastState())));
        facts.add(ReportWords::tr("Agreement"), agreementText(r));
    }
    if (run.labels != nullptr) {
        facts.add(ReportWords::tr("Steps"), stepsText(run));
    }
}

QString onOff(bool value)
{
    return value ? QLatin1String("True") : QLatin1String("False");
}

void addSettings(FactList& facts, const trace::AllocatorSettings& settings)
{
    if (!settings.present) {
        facts.add(ReportWords::tr("Allocator settings"), ReportWords::tr("not in the file"));
        return;
    }
    facts.add(ReportWords::tr("Allocator settings"),
              settings.conf.empty() ? ReportWords::tr("none given")
                                    : shown(shownName(settings.conf)));
    if (settings.expandable_segments) {
        facts.add(QLatin1String("expandable_segments"), onOff(*settings.expandable_segments));
    }
    if (settings.max_split_size_bytes) {
        facts.add(QLatin1String("max_split_size"),
                  *settings.max_split_size_bytes < 0 ? ReportWords::tr("unlimited")
                                                     : bytesText({*settings.max_split_size_bytes}));
    }
    if (settings.garbage_collection_threshold) {
        facts.add(QLatin1String("garbage_collection_threshold"),
                  numberText(*settings.garbage_collection_threshold));
    }
    QStringList divisions;
    for (const auto& [size, count] : settings.roundup_power2_divisions) {
        if (count != 0) {
            divisions << shown(size) % u':' % QString::number(count);
        }
    }
    facts.add(QLatin1String("roundup_power2_divisions"), divisions.join(QStringLiteral(", ")));
    for (const auto& [name, value] : settings.others) {
        facts.add(shown(name), shown(value));
    }
}

void addNotes(PageFlow& flow, const RunView& run)
{
    struct Note {
        QString where;
        const trace::InputNote* note;
    };
    std::vector<Note> notes;
    for (const trace::InputNote& note : run.snapshot->notes.all()) {
        notes.push_back({{}, &note});
    }
    if (run.analysis->replay) {
        const auto& devices = run.analysis->replay->devices;
        for (std::size_t i = 0; i < devices.size(); ++i) {
            for (const trace::InputNote& note : devices[i].notes.all()) {
                notes.push_back({deviceName(run.snapshot->devices[i]), &note});
            }
        }
    }
    if (run.analysis->labels) {
        const auto& devices = run.analysis->labels->devices;
        for (std::size_t i = 0; i < devices.size(); ++i) {
            for (const trace::InputNote& note : devices[i].notes.all()) {
                notes.push_back({deviceName(run.snapshot->devices[i]), &note});
            }
        }
    }
    if (run.analysis->corrections) {
        for (const trace::InputNote& note : run.analysis->corrections->notes.all()) {
            notes.push_back({{}, &note});
        }
    }
    addSubheading(flow, ReportWords::tr("Input notes"));
    if (notes.empty()) {
        addParagraph(flow, ReportWords::tr("Nothing odd was met while reading this file."), kFact);
        return;
    }
    for (const Note& entry : notes) {
        std::vector<Run> runs;
        if (!entry.where.isEmpty() && run.snapshot->devices.size() > 1) {
            runs.push_back({entry.where % QStringLiteral(": "), kFact});
        }
        runs.push_back({shown(entry.note->text), kFact});
        runs.push_back({QStringLiteral("  (%1 × %2)")
                            .arg(countText(entry.note->count), shown(entry.note->code)),
                        kSmall});
        addBullet(flow, runs);
    }
}

TableRow deviceRow(const RunView& run, bool is_main, Bytes largest)
{
    const TextStyle style = is_main ? kBold : kBody;
    TableRow row;
    row.cells.push_back(cell(deviceName(*run.device), style));
    row.cells.push_back(
        cell(countText(static_cast<std::int64_t>(run.device->events.count())), style));
    if (run.replay == nullptr || run.replay->stateCount() == 0) {
        row.cells.insert(row.cells.end(), 4, cell(QStringLiteral("–"), style));
        return row;
    }
    const replay::DeviceReplay& r = *run.replay;
    row.cells.push_back(cell(columnText(r.activeAt(r.peak), largest), style));
    row.cells.push_back(cell(
        columnText({*std::max_element(r.reserved.begin(), r.reserved.end())}, largest), style));
    row.cells.push_back(cell(columnText(r.activeAt(r.lastState()), largest), style));
    TextStyle ooms = style;
    if (!r.ooms.empty()) {
        ooms.color = themeColours(Theme::light).danger_text;
    }
    row.cells.push_back(cell(countText(static_cast<std::int64_t>(r.ooms.size())), ooms));
    return row;
}

struct Term {
    const char* name;
    const char* meaning;
};

constexpr std::array<Term, 12> kTerms{{
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Requested"),
     QT_TRANSLATE_NOOP("tidemark::ui::Report",
                       "Bytes the program asked for. Bands, buckets and peaks count these.")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Active"),
     QT_TRANSLATE_NOOP(
         "tidemark::ui::Report",
         "The sum of all live allocations, including those freed but still awaited by a stream.")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Reserved"),
     QT_TRANSLATE_NOOP("tidemark::ui::Report",
                       "What PyTorch holds of the card: the sum of its segments. nvidia-smi shows "
                       "this plus memory "
                       "outside PyTorch (the CUDA context, NCCL, other libraries and processes).")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Cached"),
     QT_TRANSLATE_NOOP("tidemark::ui::Report",
                       "Reserved minus active: held by PyTorch, but in use by no tensor. It is "
                       "reused only where a "
                       "hole is large enough. It includes what rounding to block sizes costs.")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Peak"),
     QT_TRANSLATE_NOOP("tidemark::ui::Report",
                       "The first moment of the largest active total on the device.")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "OOM event"),
     QT_TRANSLATE_NOOP(
         "tidemark::ui::Report",
         "A request that the allocator refused. Figures at an OOM are those just before it.")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Need"),
     QT_TRANSLATE_NOOP("tidemark::ui::Report",
                       "Active just before the OOM, plus the refused request, plus what is known "
                       "to follow in the "
                       "step. "
                       "A run that died never reached its true peak.")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Capacity"),
     QT_TRANSLATE_NOOP("tidemark::ui::Report", "What this process could have got from the card.")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Fits"),
     QT_TRANSLATE_NOOP("tidemark::ui::Report",
                       "Need and overhead after the change stay below the capacity with a margin. "
                       "Where the estimate "
                       "straddles the capacity, it says “not known”.")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Order"),
     QT_TRANSLATE_NOOP("tidemark::ui::Report",
                       "Place in the order of cost: 1 costs least in speed, work and results.")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Needs"),
     QT_TRANSLATE_NOOP("tidemark::ui::Report",
                       "What the run takes from the driver after the change: live bytes and what "
                       "the allocator keeps "
                       "beside them. It is what the capacity must hold; “peak” is the highest "
                       "point of the curve.")},
    {QT_TRANSLATE_NOOP("tidemark::ui::Report", "Bucket"),
     QT_TRANSLATE_NOOP(
         "tidemark::ui::Report",
         "What an allocation is for. It is read off stacks, lifetimes and sizes; “Unknown” is said "
         "where they do not tell.")},
}};

} // namespace

void addDevices(PageFlow& flow, const RunView& run, int level)
{
    const std::size_t count = run.snapshot->devices.size();
    if (count < 2 || run.analysis->replay == nullptr) {
        return;
    }
    const diagnose::DetailedDevices devices = diagnose::detailedDevices(*run.analysis);
    Table table;
    table.columns = {{ReportWords::tr("Device")},
                     {ReportWords::tr("Events"), 60, TextBlock::Align::right},
                     {ReportWords::tr("Peak requested"), 82, TextBlock::Align::right},
                     {ReportWords::tr("Most reserved"), 82, TextBlock::Align::right},
                     {ReportWords::tr("At the end"), 82, TextBlock::Align::right},
                     {ReportWords::tr("OOM events"), 60, TextBlock::Align::right}};
    for (std::size_t i = 0; i < count; ++i) {
        if (devices.left_out == 0 || devices.has(i)) {
            table.rows.push_back(
                deviceRow(runOfDevice(*run.analysis, i), i == run.device_index, run.largest()));
        }
    }
    addHeading(flow, ReportWords::tr("All devices"), level, 80);
    addParagraph(flow,
                 ReportWords::tr("This report shows %1 in full.").arg(deviceName(*run.device)));
    addTable(flow, table);
    if (devices.left_out > 0) {
        addParagraph(flow, text(leftOutText(devices)));
    }
    for (const std::size_t i : devices.shown) {
        const RunView other = runOfDevice(*run.analysis, i);
        if (i == run.device_index || other.diagnosis == nullptr || other.isEmpty()
            || other.diagnosis->headline.empty()) {
            continue;
        }
        addBullet(flow,
                  {{deviceName(*other.device) % QStringLiteral(": "), kBold},
                   {shown(other.diagnosis->headline), kBody}});
    }
}

void addFacts(PageFlow& flow, const RunView& run, int level)
{
    addHeading(flow, ReportWords::tr("About the file"), level, 90);
    FactList facts;
    facts.add(ReportWords::tr("File"), shown(utf8(pathText(run.analysis->file))));
    facts.add(ReportWords::tr("Size"),
              bytesText({static_cast<std::int64_t>(run.snapshot->file_bytes)}));
    facts.add(ReportWords::tr("Format"), formatText(run.snapshot->format));
    facts.add(ReportWords::tr("Devices"),
              countText(static_cast<std::int64_t>(run.snapshot->devices.size())));
    if (run.device != nullptr) {
        addDeviceFacts(facts, run);
    }
    addSettings(facts, run.snapshot->settings);
    facts.flowInto(flow);
    addNotes(flow, run);
}

void addGlossary(PageFlow& flow, int level)
{
    Table table;
    table.columns = {{ReportWords::tr("Word"), 70}, {ReportWords::tr("Meaning")}};
    for (const Term& term : kTerms) {
        table.rows.push_back({{cell(ReportWords::tr(term.name), TextStyle{8.5, true, false, kInk}),
                               cell(ReportWords::tr(term.meaning), kFact)}});
    }
    // A page to lay beside the others, so in one piece.
    constexpr double kParagraph = 40;
    addHeading(flow, ReportWords::tr("How to read the figures"), level,
               kParagraph + tableHeight(flow, table));
    addParagraph(
        flow,
        ReportWords::tr("The timeline has one column per half point of paper. A column shows the "
                        "buckets at the event of the largest total inside it, so no peak is lost. "
                        "Bands are stacked in the order of the legend. All units are binary: "
                        "1 GiB = 1,073,741,824 B."),
        kFact);
    addTable(flow, table);
}

} // namespace tidemark::ui::report
