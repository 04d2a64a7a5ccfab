// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/irregularities.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/replay/changes.h"
#include "core/replay/rounding.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace tidemark::replay {
namespace {

using trace::Action;

constexpr std::size_t kActions = trace::kActionNames.size();
using ActionCounts = std::array<std::int64_t, kActions>;

ActionCounts countActions(const trace::Events& events)
{
    ActionCounts counts{};
    for (const Action action : events.action) {
        ++counts[static_cast<std::size_t>(action)];
    }
    return counts;
}

std::int64_t countOf(const ActionCounts& counts, Action action)
{
    return counts[static_cast<std::size_t>(action)];
}

void noteHalfPairs(const ActionCounts& counts, DeviceReplay& replay)
{
    if (countOf(counts, Action::free_requested) == 0) {
        return; // A writer that knows only completions.
    }
    const Allocations& a = replay.allocations;
    std::int64_t pairs = 0;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < countAtStart(a); ++i) {
        if (!a.free_event[i].isNone() && a.free_requested_event[i].isNone()) {
            ++pairs;
            bytes += a.requested[i].value;
        }
    }
    if (pairs > 0) {
        replay.notes.add("half-pair",
                         say("{} allocations ({}) were pending free at the trace's start; they "
                             "count as active until completed.",
                             pairs, Bytes{bytes}),
                         pairs);
    }
}

/// Frees that do not complete at once wait for another stream, or for the end of a graph capture.
void notePendingFrees(DeviceReplay& replay)
{
    const Allocations& a = replay.allocations;
    std::int64_t frees = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < a.count(); ++i) {
        const bool is_pair = !a.free_requested_event[i].isNone() && !a.free_event[i].isNone();
        if (is_pair && a.free_event[i].value != a.free_requested_event[i].value + 1) {
            first = frees == 0 ? i : first;
            ++frees;
        }
    }
    if (frees > 0) {
        replay.notes.add(
            "pending-frees",
            say("{} frees completed after they were requested (record_stream or graph capture), "
                "the first at {}; until then the memory is active, as for the allocator.",
                frees, formatEventNumber(a.free_requested_event[first].value)),
            frees);
    }
}

/// `skip_actions`, and backends that record less.
constexpr std::int64_t kTellingFrees = 20; ///< So many in a row are no accident of the buffer.

void noteSkippedActions(const ActionCounts& counts, DeviceReplay& replay)
{
    const std::int64_t allocs = countOf(counts, Action::alloc);
    const std::int64_t frees =
        countOf(counts, Action::free_requested) + countOf(counts, Action::free_completed);
    const std::int64_t segments = countOf(counts, Action::segment_alloc)
        + countOf(counts, Action::segment_map) + countOf(counts, Action::segment_free)
        + countOf(counts, Action::segment_unmap);
    if (allocs > 0 && frees == 0 && replay.notes.find("lost-free") != nullptr) {
        replay.notes.add("skipped-frees",
                         say("The trace has no frees (skip_actions), so nothing seems freed and "
                             "totals are too high. Record without skip_actions."));
    }
    if (allocs == 0 && frees >= kTellingFrees) {
        replay.notes.add(
            "skipped-allocs",
            say("The trace has no allocations, only frees (skip_actions), so everything seems "
                "allocated from the start. Record without skip_actions."));
    }
    if (segments == 0 && replay.notes.find("active-above-reserved") != nullptr) {
        replay.notes.add("skipped-segments",
                         say("The trace has no segment events, so the reserved line is the final "
                             "value throughout. Record without skip_actions."));
    }
}

void notePrefixPairs(const trace::Events& events, StringId prefix_tag, DeviceReplay& replay)
{
    if (prefix_tag.isNone()) {
        return;
    }
    const std::int64_t count = std::ranges::count(events.internal_metadata, prefix_tag);
    if (count > 0) {
        replay.notes.add("prefix-pairs",
                         say("{} events are the allocator's own, to place blocks at given "
                             "addresses ({}); they do not count as memory.",
                             count, kPrefixTag),
                         count);
    }
}

/// Restoring a graph pool hands out every block of the checkpoint again, with its block size in the
/// place of the requested one.
void noteCheckpoints(DeviceReplay& replay)
{
    const Allocations& a = replay.allocations;
    if (a.pool.empty()) {
        return;
    }
    std::unordered_map<Address, Bytes> last_requested;
    std::int64_t restored = 0;
    std::int64_t more = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (!a.pool[i].isPrivate()) {
            continue;
        }
        const auto [known, is_new] = last_requested.try_emplace(a.address[i], a.requested[i]);
        if (!is_new && !a.alloc_event[i].isNone() && known->second < a.requested[i]
            && roundToBlock(known->second) == a.requested[i]) {
            first = restored == 0 ? i : first;
            ++restored;
            more += (a.requested[i] - known->second).value;
        }
        known->second = a.requested[i];
    }
    if (restored > 0) {
        replay.notes.add(
            "graph-checkpoint",
            say("{} allocations in private pools look like a restored CUDA graph pool, the first "
                "at {}; torch records their block sizes as requested sizes, {} more in all.",
                restored, formatEventNumber(a.alloc_event[first].value), Bytes{more}),
            restored);
    }
}

/// Before `pool_id` (torch 2.12) pools are known from the final segments only.
void noteUnknownPools(const trace::Device& device, DeviceReplay& replay)
{
    const auto is_private = [](const trace::Segment& s) { return s.pool.isPrivate(); };
    if (!device.events.pool.empty() || !std::ranges::any_of(device.segments, is_private)) {
        return;
    }
    std::int64_t gone = 0;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < device.events.count(); ++i) {
        const Action action = device.events.action[i];
        if (action == Action::segment_free || action == Action::segment_unmap) {
            ++gone;
            bytes += device.events.size[i].value;
        }
    }
    if (gone > 0) {
        replay.notes.add("pools-unknown",
                         say("{} segments ({}) were freed during the trace; this torch version "
                             "does not record their pool, so they count as the main pool.",
                             gone, Bytes{bytes}),
                         gone);
    }
}

/// Engines switch expandable segments off and on inside a process (MemPools with an allocator of
/// their own cannot have them); the file has the last setting alone.
void noteMixedSegments(DeviceReplay& replay)
{
    const SegmentSpans& spans = replay.segments;
    std::int64_t expandable = 0;
    std::int64_t others = 0;
    for (std::size_t i = 0; i < spans.count(); ++i) {
        if (!spans.pool[i].isPrivate()) {
            (spans.isExpandable(i) ? expandable : others) += 1;
        }
    }
    if (expandable > 0 && others > 0) {
        replay.notes.add(
            "mixed-segments",
            say("The main pool has expandable ({}) and other segments ({}): expandable_segments "
                "was switched mid-run; the file has the final setting.",
                expandable, others));
    }
}

/// What lived at the start by the books: the end, minus all that came, plus all that went.
struct Books {
    std::int64_t all = 0;
    std::int64_t in_private = 0; ///< Where the events name their pools.
};

Books booksOf(const trace::Device& device, StringId prefix_tag)
{
    const trace::Events& events = device.events;
    Books books;
    for (const trace::Segment& segment : device.segments) {
        for (const trace::Block& block : device.blocksOf(segment)) {
            books.all += block.requested.value;
            books.in_private += segment.pool.isPrivate() ? block.requested.value : 0;
        }
    }
    const bool has_tags = !prefix_tag.isNone() && !events.internal_metadata.empty();
    for (std::size_t i = 0; i < events.count(); ++i) {
        const Action action = events.action[i];
        const bool counts = action == Action::alloc || action == Action::free_completed;
        if (!counts || (has_tags && events.internal_metadata[i] == prefix_tag)) {
            continue;
        }
        const std::int64_t bytes =
            action == Action::alloc ? -events.size[i].value : events.size[i].value;
        books.all += bytes;
        books.in_private += !events.pool.empty() && events.pool[i].isPrivate() ? bytes : 0;
    }
    return books;
}

void noteClosedForm(bool in_private, std::int64_t by_the_books, std::int64_t live,
                    std::int32_t device, DeviceReplay& replay)
{
    if (by_the_books != live) {
        ++replay.violations;
        replay.notes.add(
            "closed-form",
            in_private
                ? say("Private pools: replaying the trace backwards gives {} at the start, but {} "
                      "were allocated on device {}; totals may be off by the difference.",
                      formatExactBytes({by_the_books}), formatExactBytes({live}), device)
                : say("Replaying the trace backwards gives {} at the start, but {} were allocated "
                      "on device {}; totals may be off by the difference.",
                      formatExactBytes({by_the_books}), formatExactBytes({live}), device));
    }
}

/// Contradictions have been counted one by one; without any, this must hold to the byte.
void checkClosedForm(const trace::Device& device, const ActionCounts& counts, StringId prefix_tag,
                     DeviceReplay& replay)
{
    if (replay.violations > 0 || countOf(counts, Action::free_completed) == 0) {
        return;
    }
    const Books books = booksOf(device, prefix_tag);
    noteClosedForm(false, books.all, replay.active.front(), device.index, replay);
    if (!device.events.pool.empty() && replay.hasPrivatePools()) {
        noteClosedForm(true, books.in_private, replay.private_active.front(), device.index, replay);
    }
}

} // namespace

void noteIrregularities(const trace::Device& device, StringId prefix_tag, DeviceReplay& replay)
{
    const ActionCounts counts = countActions(device.events);
    checkClosedForm(device, counts, prefix_tag, replay);
    noteHalfPairs(counts, replay);
    notePendingFrees(replay);
    noteSkippedActions(counts, replay);
    notePrefixPairs(device.events, prefix_tag, replay);
    noteCheckpoints(replay);
    noteUnknownPools(device, replay);
    noteMixedSegments(replay);
}

void noteCoverage(const trace::Snapshot& snapshot, Replay& replay)
{
    struct Coverage {
        std::size_t device;
        TimePoint first;
        TimePoint last;
    };
    std::vector<Coverage> all;
    for (std::size_t d = 0; d < snapshot.devices.size(); ++d) {
        const std::vector<TimePoint>& times = snapshot.devices[d].events.time;
        if (times.size() > 1) {
            const auto [first, last] = std::ranges::minmax(times);
            all.push_back({d, first, last});
        }
    }
    if (all.size() < 2) {
        return;
    }
    const auto latest = std::ranges::max(all, {}, &Coverage::first);
    const auto earliest = std::ranges::min(all, {}, &Coverage::first);
    const TimePoint end = std::ranges::max(all, {}, &Coverage::last).last;
    const Duration missing = latest.first - earliest.first;
    // A device on which nothing lived before may simply have been idle; a tenth of the whole is
    // more than devices differ by when they start together.
    const bool was_idle = replay.devices[latest.device].active.front() == 0;
    if (was_idle || missing * 10 <= end - earliest.first) {
        return;
    }
    replay.devices[earliest.device].notes.add(
        "coverage-differs",
        say("Traces start at different times: device {} starts {} after device {}, since ring "
            "buffers fill at different rates. Compare devices only where both have events.",
            snapshot.devices[latest.device].index, formatDuration(missing),
            snapshot.devices[earliest.device].index));
}

} // namespace tidemark::replay
