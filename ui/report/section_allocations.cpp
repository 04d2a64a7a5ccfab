// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/short_text.h"
#include "core/diagnose/moment.h"
#include "core/label/stacks/stack_text.h"
#include "core/report/places.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/report/words.h"
#include "ui/views/look/palette.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tidemark::ui::report {
namespace {

constexpr std::size_t kLines = 8;
constexpr std::size_t kAllocations = 10;
constexpr std::size_t kFrames = 6;
constexpr double kSizeColumn = 84;
constexpr double kBucketColumn = 108;

/// Everything live that one line of code made.
struct CodeLine {
    FrameId frame;
    std::string said; ///< Without a frame: what the file says of the forward pass; may be empty.
    Bytes bytes;
    std::int64_t count = 0;
    label::BucketBytes buckets{};
};

/// Live allocations of one size from one stack.
struct AllocationGroup {
    AllocationId first;
    std::int64_t count = 0;
};

label::Bucket bucketOf(const RunView& run, AllocationId a)
{
    return run.labels == nullptr ? label::Bucket::unknown : run.labels->bucket[a.index()];
}

Cell bucketCell(label::Bucket bucket, const QString& detail = {})
{
    Cell result = cell(text(label::bucketName(bucket)));
    result.swatch = Swatch{bucketColour(bucket)};
    if (!detail.isEmpty()) {
        result.runs.push_back({newLine() % detail, kSmall});
    }
    return result;
}

std::vector<CodeLine> codeLines(const RunView& run, const std::vector<AllocationId>& live)
{
    tidemark::report::Places places(*run.analysis);
    std::map<std::pair<FrameId, std::string>, CodeLine> lines;
    for (const AllocationId a : live) {
        const tidemark::report::Place& place = places.of(run.device_index, a);
        const FrameId frame = place.lines.shown;
        const std::string said = frame.isNone() ? place.text : std::string();
        CodeLine& line = lines[{frame, said}];
        const Bytes bytes = run.replay->allocations.requested[a.index()];
        line.frame = frame;
        line.said = said;
        line.bytes += bytes;
        ++line.count;
        line.buckets[label::indexOf(bucketOf(run, a))] += bytes.value;
    }
    std::vector<CodeLine> sorted;
    for (const auto& entry : lines) {
        sorted.push_back(entry.second);
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const CodeLine& a, const CodeLine& b) { return a.bytes > b.bytes; });
    return sorted;
}

/// The file and line of a frame, shortened at path separators to fit; empty where neither is known.
QString placeOf(const trace::Snapshot& snapshot, const Frame& frame, const TextStyle& style,
                double width)
{
    const std::string_view file = snapshot.text(frame.filename);
    if (file.empty() || file == "??") {
        return {};
    }
    const QString line = frame.line > 0 ? QStringLiteral(":%1").arg(frame.line) : QString();
    QString place;
    for (std::size_t characters = 72; characters >= 16; characters -= 4) {
        place = shown(shownName(shortenPath(file, characters))) % line;
        if (textWidth(place, style) <= width) {
            return place;
        }
    }
    return elidedMiddle(place, style, width);
}

/// "train/model.py:41  Attention.forward" in one line.
std::vector<Run> frameRuns(const trace::Snapshot& snapshot, FrameId id, double width,
                           bool is_telling)
{
    constexpr double kShareOfPlace = 0.68;
    const Frame& frame = snapshot.stacks.frame(id);
    const TextStyle where{7.5, false, false, is_telling ? kInk : kGrey};
    const TextStyle what{7.5, is_telling, false, is_telling ? kInk : kGrey};
    QString place = placeOf(snapshot, frame, where, width * kShareOfPlace);
    if (!place.isEmpty()) {
        place += QStringLiteral("  ");
    }
    const double left = width - textWidth(place, where) - 4;
    return {{place, where},
            {elidedEnd(shown(shownName(snapshot.text(frame.name))), what, left), what}};
}

void addCodeLines(PageFlow& flow, const RunView& run, const std::vector<AllocationId>& live)
{
    const std::vector<CodeLine> lines = codeLines(run, live);
    const bool has_places = std::any_of(lines.begin(), lines.end(), [](const CodeLine& line) {
        return !line.frame.isNone() || !line.said.empty();
    });
    if (!has_places) {
        return;
    }
    const double total =
        static_cast<double>(std::max<std::int64_t>(1, run.replay->activeAt(run.moment()).value));
    constexpr double kNumber = 58;
    Table table;
    table.columns = {{ReportWords::tr("Bytes"), kNumber, TextBlock::Align::right},
                     {ReportWords::tr("Share"), 40, TextBlock::Align::right},
                     {ReportWords::tr("Live"), 36, TextBlock::Align::right},
                     {ReportWords::tr("Mostly"), kBucketColumn},
                     {ReportWords::tr("Line of code")}};
    const double width = flow.width() - kNumber - 40 - 36 - kBucketColumn - 4 * 8;
    CodeLine rest;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i >= kLines) {
            rest.bytes += lines[i].bytes;
            rest.count += lines[i].count;
            continue;
        }
        const CodeLine& line = lines[i];
        const auto largest = std::max_element(line.buckets.begin(), line.buckets.end());
        const auto bucket =
            label::bucketAt(static_cast<std::size_t>(largest - line.buckets.begin()));
        Cell where = cell(line.said.empty() ? ReportWords::tr("(no stack recorded)")
                                            : elidedEnd(shown(line.said), kSmall, width),
                          kSmall);
        if (!line.frame.isNone()) {
            where.runs = frameRuns(*run.snapshot, line.frame, width, true);
        }
        table.rows.push_back({{cell(columnText(line.bytes, run.largest())),
                               cell(percentText(static_cast<double>(line.bytes.value) / total)),
                               cell(countText(line.count)), bucketCell(bucket), std::move(where)}});
    }
    if (rest.count > 0) {
        table.rows.push_back(
            {{cell(columnText(rest.bytes, run.largest())),
              cell(percentText(static_cast<double>(rest.bytes.value) / total)),
              cell(countText(rest.count)), cell({}),
              cell(ReportWords::tr("%Ln other line|"
                                   "%Ln other lines",
                                   nullptr,
                                   plural(static_cast<std::int64_t>(lines.size() - kLines))),
                   kSmall)}});
    }
    addTable(flow, table, ReportWords::tr("By line of code"));
}

/// The first frames that tell most: those in C++ only where there are none in Python.
std::vector<FrameId> toldFrames(const trace::Snapshot& snapshot, const std::vector<FrameId>& frames)
{
    std::vector<FrameId> told;
    for (const FrameId frame : frames) {
        if (told.size() < kFrames
            && label::frameOrigin(snapshot, frame) != label::FrameOrigin::native) {
            told.push_back(frame);
        }
    }
    if (told.empty()) {
        told.assign(frames.begin(),
                    frames.begin() + static_cast<std::ptrdiff_t>(std::min(frames.size(), kFrames)));
    }
    return told;
}

/// The frames by which two stacks look alike to their reader: the user's, else all that are told.
std::vector<FrameId> likeness(const trace::Snapshot& snapshot, StackId stack)
{
    const std::vector<FrameId> frames = label::framesForPeople(snapshot, stack);
    std::vector<FrameId> users;
    std::copy_if(frames.begin(), frames.end(), std::back_inserter(users), [&](FrameId frame) {
        return label::frameOrigin(snapshot, frame) == label::FrameOrigin::user;
    });
    return users.empty() ? toldFrames(snapshot, frames) : users;
}

std::vector<AllocationGroup> largestGroups(const RunView& run,
                                           const std::vector<AllocationId>& live)
{
    // `live` is sorted by size, so the groups come out by size, too.
    std::vector<AllocationGroup> groups;
    std::unordered_map<StackId, std::vector<FrameId>> looks;
    std::map<std::tuple<std::int64_t, std::vector<FrameId>, label::Bucket>, std::size_t> index;
    const auto& all = run.replay->allocations;
    for (const AllocationId a : live) {
        const Bytes size = all.requested[a.index()];
        if (groups.size() == kAllocations && size < all.requested[groups.back().first.index()]) {
            break;
        }
        const StackId stack = all.stack[a.index()];
        auto [look, is_new] = looks.try_emplace(stack);
        if (is_new) {
            look->second = likeness(*run.snapshot, stack);
        }
        const auto key = std::tuple(size.value, look->second, bucketOf(run, a));
        const auto found = index.find(key);
        if (found != index.end()) {
            ++groups[found->second].count;
        } else if (groups.size() < kAllocations) {
            index.emplace(key, groups.size());
            groups.push_back({a, 1});
        }
    }
    return groups;
}

/// What made it, when, and its stack: the user's frames first.
Cell originCell(const RunView& run, AllocationId a, double width)
{
    const auto& all = run.replay->allocations;
    const StackId stack = all.stack[a.index()];
    Cell origin;
    const QString operation = shown(label::operationText(*run.snapshot, stack));
    const EventId made = all.alloc_event[a.index()];
    const QString when = made.isNone() ? ReportWords::tr("from before the trace")
                                       : stateAndPlace(run, StateId::after(made));
    origin.runs.push_back(
        {operation.isEmpty() ? QString() : operation % QStringLiteral("  "), kBold});
    origin.runs.push_back({when, kSmall});
    const std::vector<FrameId> frames = label::framesForPeople(*run.snapshot, stack);
    const std::vector<FrameId> told = toldFrames(*run.snapshot, frames);
    for (const FrameId frame : told) {
        origin.runs.push_back({newLine(), kSmall});
        const bool is_users = label::frameOrigin(*run.snapshot, frame) == label::FrameOrigin::user;
        for (Run& part : frameRuns(*run.snapshot, frame, width, is_users)) {
            origin.runs.push_back(std::move(part));
        }
    }
    if (frames.empty()) {
        origin.runs.push_back({newLine() % ReportWords::tr("no stack recorded"), kSmall});
    } else if (frames.size() > told.size()) {
        const std::size_t more = frames.size() - told.size();
        origin.runs.push_back(
            {newLine()
                 % ReportWords::tr("and %Ln more frame|"
                                   "and %Ln more frames",
                                   nullptr, plural(static_cast<std::int64_t>(more))),
             kSmall});
    }
    return origin;
}

void addLargest(PageFlow& flow, const RunView& run, const std::vector<AllocationId>& live)
{
    Table table;
    table.columns = {{ReportWords::tr("Size"), kSizeColumn, TextBlock::Align::right},
                     {ReportWords::tr("Bucket"), kBucketColumn},
                     {ReportWords::tr("Made by")}};
    const double width = flow.width() - kSizeColumn - kBucketColumn - 2 * 8;
    for (const AllocationGroup& group : largestGroups(run, live)) {
        const Bytes size = run.replay->allocations.requested[group.first.index()];
        Cell amount = cell(bytesText(size), kBold);
        if (group.count > 1) {
            amount.runs.push_back(
                {newLine()
                     % ReportWords::tr("%1 alike: %2")
                           .arg(countText(group.count), bytesText({size.value * group.count})),
                 kSmall});
        }
        QString role;
        if (run.labels != nullptr) {
            role = text(label::roleWords(run.labels->role[group.first.index()]));
        }
        table.rows.push_back({{std::move(amount), bucketCell(bucketOf(run, group.first), role),
                               originCell(run, group.first, width)}});
    }
    addTable(flow, table, ReportWords::tr("Largest allocations, the user's frames first"));
}

} // namespace

void addAllocations(PageFlow& flow, const RunView& run, int level)
{
    if (run.isEmpty()) {
        return;
    }
    const std::vector<AllocationId> live = replay::liveAt(*run.replay, run.moment());
    if (live.empty()) {
        return;
    }
    const QString title = run.isOom()
        ? ReportWords::tr("What was alive just before the out-of-memory event")
        : !run.hasHistory() ? ReportWords::tr("What was alive at the dump")
                            : ReportWords::tr("What was alive at the peak");
    addHeading(flow, title, level, 150);
    addParagraph(flow,
                 ReportWords::tr("%Ln allocation, together %1.|"
                                 "%Ln allocations, together %1.",
                                 nullptr, plural(static_cast<std::int64_t>(live.size())))
                     .arg(bytesText(run.replay->activeAt(run.moment()))));
    addCodeLines(flow, run, live);
    addLargest(flow, run, live);
}

} // namespace tidemark::ui::report
