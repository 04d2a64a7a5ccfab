// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/label/stack_text.h"
#include "ui/models/text.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/views/palette.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tidemark::ui::report {
namespace {

constexpr std::size_t kLines = 8;
constexpr std::size_t kAllocations = 10;
constexpr std::size_t kFrames = 6;
constexpr double kSizeColumn = 84;
constexpr double kBucketColumn = 92;

/// Everything live that one line of code made.
struct CodeLine {
    FrameId frame;
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
        result.runs.push_back({QString(QChar::LineSeparator) % detail, kSmall});
    }
    return result;
}

std::vector<CodeLine> codeLines(const RunView& run, const std::vector<AllocationId>& live)
{
    std::unordered_map<StackId, FrameId> telling;
    std::map<FrameId, CodeLine> lines;
    for (const AllocationId a : live) {
        const StackId stack = run.replay->allocations.stack[a.index()];
        auto [it, is_new] = telling.try_emplace(stack);
        if (is_new) {
            it->second = label::tellingFrame(*run.snapshot, stack);
        }
        CodeLine& line = lines[it->second];
        const Bytes bytes = run.replay->allocations.requested[a.index()];
        line.frame = it->second;
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

/// "model.py:41 Attention.forward" with the function in bold and the whole path, shortened, in
/// grey.
std::vector<Run> frameRuns(const trace::Snapshot& snapshot, FrameId id, double width,
                           bool is_telling)
{
    const Frame& frame = snapshot.stacks.frame(id);
    TextStyle where = kSmall;
    TextStyle what{7.5, is_telling, false, is_telling ? kInk : kGrey};
    QString place = shown(shortenPath(snapshot.text(frame.filename), 48));
    if (place.isEmpty()) {
        place = QStringLiteral("(no file)");
    } else if (frame.line > 0) {
        place += QStringLiteral(":%1").arg(frame.line);
    }
    place = elidedMiddle(place, where, width * 0.7);
    where.color = is_telling ? kInk : kGrey;
    const double left = width - textWidth(place, where) - 8;
    const QString name = elidedEnd(shown(snapshot.text(frame.name)), what, left);
    return {{place % QStringLiteral("  "), where}, {name, what}};
}

void addCodeLines(PageFlow& flow, const RunView& run, const std::vector<AllocationId>& live)
{
    const std::vector<CodeLine> lines = codeLines(run, live);
    const bool has_frames = std::any_of(lines.begin(), lines.end(),
                                        [](const CodeLine& line) { return !line.frame.isNone(); });
    if (!has_frames) {
        return;
    }
    const double total =
        static_cast<double>(std::max<std::int64_t>(1, run.replay->activeAt(run.moment()).value));
    constexpr double kNumber = 62;
    Table table;
    table.columns = {{QStringLiteral("Bytes"), kNumber, TextBlock::Align::right},
                     {QStringLiteral("Share"), 40, TextBlock::Align::right},
                     {QStringLiteral("Live"), 36, TextBlock::Align::right},
                     {QStringLiteral("Mostly"), kBucketColumn},
                     {QStringLiteral("Line of code")}};
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
        Cell where = cell(QStringLiteral("(no stack recorded)"), kSmall);
        if (!line.frame.isNone()) {
            where.runs = frameRuns(*run.snapshot, line.frame, width, true);
        }
        table.rows.push_back({{cell(gibText(line.bytes)),
                               cell(percentText(static_cast<double>(line.bytes.value) / total)),
                               cell(countText(line.count)), bucketCell(bucket), std::move(where)}});
    }
    if (rest.count > 0) {
        table.rows.push_back(
            {{cell(gibText(rest.bytes)),
              cell(percentText(static_cast<double>(rest.bytes.value) / total)),
              cell(countText(rest.count)), cell({}),
              cell(QStringLiteral("%1 other lines").arg(lines.size() - kLines), kSmall)}});
    }
    addSubheading(flow, QStringLiteral("By line of code"), 60);
    addTable(flow, table);
}

std::vector<AllocationGroup> largestGroups(const RunView& run,
                                           const std::vector<AllocationId>& live)
{
    // `live` is sorted by size, so the groups come out by size, too.
    std::vector<AllocationGroup> groups;
    std::map<std::tuple<std::int64_t, StackId, label::Bucket>, std::size_t> index;
    for (const AllocationId a : live) {
        const auto& all = run.replay->allocations;
        const auto key =
            std::tuple(all.requested[a.index()].value, all.stack[a.index()], bucketOf(run, a));
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
    const QString newline(QChar::LineSeparator);
    Cell origin;
    const QString operation = shown(label::operationText(*run.snapshot, stack));
    const EventId made = all.alloc_event[a.index()];
    const QString when = made.isNone() ? QStringLiteral("from before the trace")
                                       : stateAndPlace(run.labels, StateId::after(made));
    origin.runs.push_back(
        {operation.isEmpty() ? QString() : operation % QStringLiteral("  "), kBold});
    origin.runs.push_back({when, kSmall});
    const std::vector<FrameId> frames = label::framesForPeople(*run.snapshot, stack);
    for (std::size_t i = 0; i < std::min(frames.size(), kFrames); ++i) {
        origin.runs.push_back({newline, kSmall});
        const bool is_users =
            label::frameOrigin(*run.snapshot, frames[i]) == label::FrameOrigin::user;
        for (Run& part : frameRuns(*run.snapshot, frames[i], width, is_users)) {
            origin.runs.push_back(std::move(part));
        }
    }
    if (frames.empty()) {
        origin.runs.push_back({newline % QStringLiteral("no stack recorded"), kSmall});
    } else if (frames.size() > kFrames) {
        origin.runs.push_back(
            {newline % QStringLiteral("and %1 more frames").arg(frames.size() - kFrames), kSmall});
    }
    return origin;
}

void addLargest(PageFlow& flow, const RunView& run, const std::vector<AllocationId>& live)
{
    Table table;
    table.columns = {{QStringLiteral("Size"), kSizeColumn, TextBlock::Align::right},
                     {QStringLiteral("Bucket"), kBucketColumn},
                     {QStringLiteral("Made by")}};
    const double width = flow.width() - kSizeColumn - kBucketColumn - 2 * 8;
    for (const AllocationGroup& group : largestGroups(run, live)) {
        const Bytes size = run.replay->allocations.requested[group.first.index()];
        Cell amount = cell(bytesText(size), kBold);
        if (group.count > 1) {
            amount.runs.push_back({QString(QChar::LineSeparator)
                                       % QStringLiteral("%1 alike: ").arg(countText(group.count))
                                       % bytesText({size.value * group.count}),
                                   kSmall});
        }
        QString role;
        if (run.labels != nullptr) {
            role = text(label::roleId(run.labels->role[group.first.index()]));
            role.replace(u'_', u' ');
        }
        table.rows.push_back({{std::move(amount), bucketCell(bucketOf(run, group.first), role),
                               originCell(run, group.first, width)}});
    }
    addSubheading(flow, QStringLiteral("Largest allocations, the user's frames first"), 80);
    addTable(flow, table);
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
    const bool is_state_only = run.replay->lastState() == StateId::start();
    const QString moment = run.isOom() ? QStringLiteral("just before the out-of-memory event")
        : is_state_only                ? QStringLiteral("at the dump")
                                       : QStringLiteral("at the peak");
    addHeading(flow, QStringLiteral("What was alive ") % moment, level, 100);
    addParagraph(flow,
                 QStringLiteral("%1 allocations, together %2.")
                     .arg(countText(static_cast<std::int64_t>(live.size())),
                          bytesText(run.replay->activeAt(run.moment()))));
    addCodeLines(flow, run, live);
    addLargest(flow, run, live);
}

} // namespace tidemark::ui::report
