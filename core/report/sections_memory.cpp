// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/base/short_text.h"
#include "core/label/stacks/stack_text.h"
#include "core/report/colours.h"
#include "core/report/label_row.h"
#include "core/report/places.h"
#include "core/report/sections.h"
#include "core/report/summary_facts.h"
#include "core/report/svg_timeline.h"
#include "core/report/timeline_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

constexpr std::size_t kPathChars = 60;

std::string shareText(std::int64_t part, std::int64_t whole)
{
    return whole == 0 ? "" : formatPercent(static_cast<double>(part) / static_cast<double>(whole));
}

/// "/home/…/model.py:41 forward".
std::string frameLine(const trace::Snapshot& snapshot, FrameId id)
{
    const Frame& frame = snapshot.stacks.frame(id);
    std::string text = shortenPath(snapshot.text(frame.filename), kPathChars);
    if (frame.line > 0) {
        text += fmt::format(":{}", frame.line);
    }
    return text + "  " + shownName(snapshot.text(frame.name));
}

std::string sinceText(const label::DeviceLabels& labels, const LabelRow& row)
{
    if (!row.alloc_event) {
        return say("before the trace");
    }
    return momentText(labels,
                      StateId::after(EventId(static_cast<std::uint32_t>(*row.alloc_event))));
}

/// The phase alone where it is known.
std::string phaseSince(const label::DeviceLabels& labels, const LabelRow& row)
{
    const std::string phase = row.alloc_event
        ? phaseText(labels, StateId::after(EventId(static_cast<std::uint32_t>(*row.alloc_event))))
        : std::string();
    return phase.empty() ? sinceText(labels, row) : phase;
}

std::string timeSinceStart(const trace::Device& device, StateId state)
{
    if (!device.events.hasTimes() || state == StateId::start()) {
        return state == StateId::start() && device.events.hasTimes() ? formatDuration(Duration{0})
                                                                     : std::string();
    }
    return formatDuration(device.events.time[state.index() - 1] - device.events.time.front());
}

// The ids of a row are for machines.
std::string bucketWords(const LabelRow& row)
{
    const auto bucket = label::bucketFromId(row.bucket);
    return std::string(bucket ? label::bucketName(*bucket) : row.bucket);
}

std::string roleWords(const LabelRow& row)
{
    const auto role = label::roleFromId(row.role);
    return std::string(role ? label::roleWords(*role) : row.role);
}

/// Allocations of a list that were made by one stack, for one purpose.
struct SharedStack {
    StackId stack;
    label::Bucket bucket = label::Bucket::unknown; ///< Of the largest.
    LabelRow largest;
    std::int64_t count = 0;
    Bytes bytes;
};

Code stackCode(const trace::Snapshot& snapshot, const SharedStack& shared)
{
    static constexpr std::size_t kFrames = 4;
    const LabelRow& row = shared.largest;
    const std::string bytes = formatBytes(shared.bytes);
    Code code{shared.count == 1
                  ? say("{}: {}, {} % sure. {}", bytes, bucketWords(row), row.confidence, row.why())
                  : say("{} in {} allocations: {}, {} % sure. {}", bytes, formatCount(shared.count),
                        bucketWords(row), row.confidence, row.why()),
              {}};
    const std::vector<FrameId> frames = label::framesForPeople(snapshot, shared.stack);
    for (std::size_t f = 0; f < std::min(kFrames, frames.size()); ++f) {
        code.lines.push_back(frameLine(snapshot, frames[f]));
    }
    if (frames.size() > kFrames) {
        code.lines.push_back(say("… {} more", frames.size() - kFrames));
    }
    return code;
}

} // namespace

Section bucketsSection(const Analysis& analysis, std::size_t device)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const curves::DeviceCurves& curves = analysis.curves->devices[device];
    const label::BucketBytes peak = curves.at(replay.peak);
    const std::optional<StateId> oom = stateAt(replay, {NamedMoment::Kind::oom, 0});
    const label::BucketBytes at_oom = oom ? curves.at(*oom) : label::BucketBytes{};
    Table table{{{say("Bucket"), Align::left},
                 {say("At the peak"), Align::right},
                 {say("Share"), Align::right}},
                {},
                {}};
    if (oom) {
        table.columns.push_back({say("Before the OOM"), Align::right});
        table.columns.push_back({say("Share"), Align::right});
    }
    table.columns.push_back({say("Largest"), Align::right});
    const OneUnit unit(replay.activeAt(replay.peak));
    // What is beside the total has no share of it, and no largest.
    const auto addRow = [&](std::string name, std::string_view swatch, Bytes at_peak,
                            Bytes before_oom, std::optional<Bytes> most = {}) {
        const auto share = [&](Bytes part, StateId at) {
            return most ? shareText(part.value, replay.activeAt(at).value) : std::string();
        };
        std::vector<std::string> row{std::move(name), unit.cell(at_peak),
                                     share(at_peak, replay.peak)};
        if (oom) {
            row.push_back(unit.cell(before_oom));
            row.push_back(share(before_oom, *oom));
        }
        row.push_back(most ? unit.cell(*most) : std::string());
        table.rows.push_back(std::move(row));
        table.swatches.push_back(swatch);
    };
    const auto addTotal = [&](std::string name, std::string_view swatch, const auto& bytesAt) {
        addRow(std::move(name), swatch, bytesAt(replay.peak), oom ? bytesAt(*oom) : Bytes{});
    };
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const label::Bucket bucket = label::bucketAt(i);
        if (const Bytes most{curves.largestOf(bucket)}; most.value > 0) {
            addRow(std::string(label::bucketName(bucket)), bucketColour(bucket), {peak[i]},
                   {at_oom[i]}, most);
        }
    }
    const Bytes total = replay.activeAt(replay.peak);
    addRow(say("Total"), "", total, oom ? replay.activeAt(*oom) : Bytes{}, total);
    table.sums.push_back(table.rows.size() - 1);
    addTotal(say("Cached"), kTint, [&](StateId s) {
        return replay.reservedAt(s) - replay.activeAt(s) - replay.privateCachedAt(s);
    });
    if (replay.hasPrivatePools()) {
        addTotal(say("Free in private pools"), kDots,
                 [&](StateId s) { return replay.privateCachedAt(s); });
    }
    table.sums.push_back(table.rows.size());
    addTotal(say("Reserved"), "", [&](StateId s) { return replay.reservedAt(s); });
    return {say("What filled memory"), {std::move(table)}};
}

Section allocationsSection(const Analysis& analysis, Places& places,
                           const AllocationSelection& selection)
{
    const trace::Snapshot& snapshot = *analysis.snapshot;
    const label::DeviceLabels& labels = analysis.labels->devices[selection.device];
    const replay::DeviceReplay& replay = analysis.replay->devices[selection.device];
    Table table{{{say("Requested"), Align::right},
                 {say("Bucket"), Align::left},
                 {say("Role"), Align::left},
                 {say("Where"), Align::left},
                 {say("Called at"), Align::left},
                 {say("What"), Align::left},
                 {say("Attached"), Align::left},
                 {say("Since"), Align::left}},
                {},
                {}};
    const label::AttachedTexts attached(snapshot, snapshot.devices[selection.device], replay);
    std::unordered_map<StackId, std::string> operations; // A stack is read once.
    for (const AllocationId id : selection.ids) {
        const LabelRow row = labelRow(analysis, selection.device, id);
        const StackId stack = replay.allocations.stack[id.index()];
        const auto [known, is_new] = operations.try_emplace(stack);
        if (is_new) {
            known->second = label::operationText(snapshot, stack);
        }
        const Place& place = places.of(selection.device, id);
        table.rows.push_back({formatBytes(row.requested), bucketWords(row), roleWords(row),
                              place.text.empty() ? say("no stack recorded") : place.text,
                              place.caller, known->second, attached.wordsOf(id, snapshot),
                              sinceText(labels, row)});
        table.swatches.push_back(bucketColour(labels.bucket[id.index()]));
    }
    dropEmptyColumn(table, 6);
    dropEmptyColumn(table, 4);
    const std::string title =
        say("Largest allocations, {}, {}", deviceName(snapshot.devices[selection.device]),
            momentText(analysis, selection.device, selection.state));
    const std::string count = say("{} of {} allocations, {} in total; {} live.",
                                  formatCount(static_cast<std::int64_t>(selection.ids.size())),
                                  formatCount(static_cast<std::int64_t>(selection.found)),
                                  selection.found_bytes, replay.activeAt(selection.state));
    if (table.rows.empty()) {
        return {title, {Paragraph{count, Emphasis::quiet}}};
    }
    return {title, {Paragraph{count, Emphasis::quiet}, std::move(table)}};
}

Section alikeSection(const Analysis& analysis, Places& places, std::size_t device, StateId state)
{
    static constexpr std::size_t kMost = 6;
    struct Alike {
        AllocationId first;
        std::int64_t count = 0;
    };
    const trace::Snapshot& snapshot = *analysis.snapshot;
    const label::DeviceLabels& labels = analysis.labels->devices[device];
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const auto& all = replay.allocations;
    const std::vector<AllocationId> live = replay::liveAt(replay, state);
    std::vector<Alike> groups; // By size, as `live` is.
    std::map<std::tuple<std::int64_t, StackId, label::Bucket, label::Role>, std::size_t> index;
    for (const AllocationId id : live) {
        const Bytes size = all.requested[id.index()];
        if (groups.size() == kMost && size < all.requested[groups.back().first.index()]) {
            break;
        }
        const auto [known, is_new] = index.try_emplace(
            {size.value, all.stack[id.index()], labels.bucket[id.index()], labels.role[id.index()]},
            groups.size());
        if (!is_new) {
            groups[known->second].count += known->second < groups.size() ? 1 : 0;
        } else if (groups.size() < kMost) {
            groups.push_back({id, 1});
        } else {
            index.erase(known);
        }
    }
    std::ranges::stable_sort(groups, std::greater{}, [&all](const Alike& group) {
        return all.requested[group.first.index()].value * group.count;
    });
    Table table{{{say("Total"), Align::right},
                 {say("Sizes"), Align::right},
                 {say("Bucket"), Align::left},
                 {say("Role"), Align::left},
                 {say("What"), Align::left},
                 {say("Where"), Align::left},
                 {say("Called at"), Align::left},
                 {say("Since"), Align::left}},
                {},
                {}};
    for (const Alike& group : groups) {
        const LabelRow row = labelRow(analysis, device, group.first);
        const Place& place = places.of(device, group.first);
        std::string sizes = formatBytes(row.requested);
        if (group.count > 1) {
            sizes = fmt::format("{} × {}", formatCount(group.count), sizes);
        }
        table.rows.push_back({formatBytes({row.requested.value * group.count}), std::move(sizes),
                              bucketWords(row), roleWords(row),
                              label::operationText(snapshot, all.stack[group.first.index()]),
                              place.text.empty() ? say("no stack recorded") : place.text,
                              place.caller, phaseSince(labels, row)});
        table.swatches.push_back(bucketColour(labels.bucket[group.first.index()]));
    }
    for (const std::size_t column : {6U, 4U, 3U}) {
        dropEmptyColumn(table, column);
    }
    Section section{say("Largest allocations, {}, {}", deviceName(snapshot.devices[device]),
                        momentText(analysis, device, state)),
                    {Paragraph{sayCounted(static_cast<std::int64_t>(live.size()),
                                          "{} live allocation, {}.", "{} live allocations, {}.",
                                          formatCount(static_cast<std::int64_t>(live.size())),
                                          formatBytes(replay.activeAt(state))),
                               Emphasis::quiet}}};
    if (!table.rows.empty()) {
        section.blocks.emplace_back(std::move(table));
    }
    return section;
}

Section stacksSection(const Analysis& analysis, const AllocationSelection& selection,
                      std::size_t count)
{
    const auto& all = analysis.replay->devices[selection.device].allocations;
    const auto& buckets = analysis.labels->devices[selection.device].bucket;
    std::vector<SharedStack> shared;
    for (const AllocationId id : selection.ids) {
        const StackId stack = all.stack[id.index()];
        const label::Bucket bucket = buckets[id.index()];
        auto it = std::ranges::find(shared, stack, &SharedStack::stack);
        if (it == shared.end()) {
            if (shared.size() == count
                || label::framesForPeople(*analysis.snapshot, stack).empty()) {
                continue;
            }
            it = shared.insert(shared.end(),
                               {stack, bucket, labelRow(analysis, selection.device, id), 0, {}});
        }
        if (bucket == it->bucket) {
            ++it->count;
            it->bytes += all.requested[id.index()];
        }
    }
    Section section{say("Their stacks"), {}};
    for (const SharedStack& one : shared) {
        section.blocks.emplace_back(stackCode(*analysis.snapshot, one));
    }
    return section;
}

Section timelineTableSection(const Analysis& analysis, std::size_t device, std::size_t points)
{
    const trace::Device& source = analysis.snapshot->devices[device];
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const curves::DeviceCurves& curves = analysis.curves->devices[device];
    Table table{{{say("Event"), Align::right},
                 {say("Time"), Align::right},
                 {say("Requested"), Align::right},
                 {say("In blocks"), Align::right},
                 {say("Reserved"), Align::right},
                 {say("Lost in holes"), Align::right}},
                {},
                {}};
    const replay::BlockTotals blocks = replay::blockTotals(replay, (*analysis.block_sizes)[device]);
    const std::vector<StateId> states = timelineStates(curves, points);
    const std::vector<replay::Fragmentation> holes = fragmentationAt(analysis, device, states);
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        if (curves.largestOf(label::bucketAt(i)) > 0) {
            shown.push_back(i);
            table.columns.push_back(
                {std::string(label::bucketName(label::bucketAt(i))), Align::right});
        }
    }
    table.columns.push_back({"", Align::left});
    const OneUnit unit(replay.activeAt(replay.peak));
    for (std::size_t s = 0; s < states.size(); ++s) {
        const StateId state = states[s];
        const label::BucketBytes buckets = curves.at(state);
        std::vector<std::string> row{state == StateId::start() ? say("start")
                                                               : formatCount(state.eventNumber()),
                                     timeSinceStart(source, state),
                                     unit.cell(replay.activeAt(state)),
                                     unit.cell({blocks.lower[state.index()]}),
                                     unit.cell(replay.reservedAt(state)),
                                     formatPercent(holes[s].shareOf(replay.reservedAt(state)))};
        for (const std::size_t i : shown) {
            row.push_back(buckets[i] == 0 ? "-" : unit.cell({buckets[i]}));
        }
        const bool is_before_oom =
            std::ranges::binary_search(replay.ooms, state, {}, &StateId::before);
        std::string mark = state == replay.peak ? say("peak") : std::string();
        if (is_before_oom) {
            mark += (mark.empty() ? "" : ", ") + say("before the OOM");
        }
        row.push_back(std::move(mark));
        table.rows.push_back(std::move(row));
    }
    return {deviceName(source), {std::move(table)}};
}

Section timelineFigureSection(const Analysis& analysis, std::size_t device, std::size_t run,
                              std::string_view id)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const bool has_history = !replay.ooms.empty()
        || std::ranges::any_of(replay.event_allocation, [](AllocationId a) { return !a.isNone(); });
    Section section{has_history ? say("Timeline") : say("Memory at the dump"), {}};
    if (!has_history) {
        section.blocks.emplace_back(
            Paragraph{say("The file has no allocation events, so there is no timeline. Call "
                          "torch.cuda.memory._record_memory_history() before the run."),
                      Emphasis::none});
    }
    section.blocks.emplace_back(Figure{timelineSvg(analysis, device, id),
                                       timelineSentence(analysis, device), Figure::Kind::timeline,
                                       run});
    return section;
}

} // namespace tidemark::report
