// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/against.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <algorithm>
#include <cmath>

namespace tidemark::walk {
namespace {

using label::Bucket;
using label::Role;

/// How many tensors of a size one side has, by what they are.
using Kinds = std::map<std::pair<Bucket, Role>, std::int64_t>;
using Sizes = std::map<std::int64_t, Kinds>;

std::int64_t countOf(const Kinds& kinds)
{
    std::int64_t all = 0;
    for (const auto& [kind, count] : kinds) {
        all += count;
    }
    return all;
}

Sizes plannedKinds(const Timeline& timeline, CallCount moment)
{
    Sizes sizes;
    for (const PlannedAllocation& a : timeline.allocations) {
        if (a.begin <= moment && moment < a.end) {
            ++sizes[a.bytes.value][{a.bucket, a.role}];
        }
    }
    return sizes;
}

Sizes recordedKinds(const replay::DeviceReplay& replay, const label::DeviceLabels& labels)
{
    Sizes sizes;
    for (const AllocationId a : replay::livingAt(replay, replay.peak)) {
        ++sizes[replay.allocations.requested[a.index()].value]
               [{labels.bucket[a.index()], labels.role[a.index()]}];
    }
    return sizes;
}

label::BucketBytes bucketsOf(const Sizes& sizes)
{
    label::BucketBytes buckets{};
    for (const auto& [bytes, kinds] : sizes) {
        for (const auto& [kind, count] : kinds) {
            buckets[label::indexOf(kind.first)] += bytes * count;
        }
    }
    return buckets;
}

/// The kind of which one side has most more than the other.
std::pair<Bucket, Role> kindOf(const Kinds& more, const Kinds& fewer)
{
    std::pair<Bucket, Role> found{Bucket::unknown, Role::none};
    std::int64_t most = 0;
    for (const auto& [kind, count] : more) {
        const auto other = fewer.find(kind);
        const std::int64_t excess = count - (other == fewer.end() ? 0 : other->second);
        if (excess > most) {
            most = excess;
            found = kind;
        }
    }
    return found;
}

std::string nameOf(const SizeDifference& size)
{
    return std::string(size.role == label::Role::none ? label::bucketName(size.bucket)
                                                      : label::roleWords(size.role));
}

std::string sentenceOf(const PlanDifference& found)
{
    const double off = static_cast<double>(found.recorded.value)
            / static_cast<double>(std::max<std::int64_t>(1, found.planned.value))
        - 1;
    const std::string share = formatRatio(1 + off);
    const std::string text = found.planned_phase == found.recorded_phase
        ? say("Planned {}, recorded {} ({})", found.planned, found.recorded, share)
        : say("Planned {}, recorded {} ({}); peaks in {} (plan) and {} (recording)", found.planned,
              found.recorded, share, label::phaseNoun(found.planned_phase),
              label::phaseNoun(found.recorded_phase));
    // What is worth a word: the largest difference that goes the same way as that of the peaks.
    const bool is_more = found.recorded > found.planned;
    const auto cause = std::ranges::find_if(found.sizes, [&](const SizeDifference& size) {
        return (size.delta().value > 0) == is_more;
    });
    constexpr double kWorthAWord = 0.001;
    if (cause == found.sizes.end() || std::abs(off) < kWorthAWord) {
        return text + ".";
    }
    return say("{}: mostly {}, {} of {} recorded and {} planned.", text, nameOf(*cause),
               formatCount(cause->recorded), cause->bytes, formatCount(cause->planned));
}

label::Phase phaseOf(const label::DeviceLabels& labels, const replay::DeviceReplay& replay)
{
    const std::uint32_t event =
        replay.peak.index() > 0 ? static_cast<std::uint32_t>(replay.peak.index()) - 1 : 0;
    const label::PhaseSpan* const span = labels.phaseAt(EventId{event});
    return span != nullptr ? span->phase : label::Phase::other;
}

} // namespace

SizeCounts recordedSizes(const replay::DeviceReplay& replay)
{
    SizeCounts sizes;
    for (const AllocationId a : replay::livingAt(replay, replay.peak)) {
        ++sizes[replay.allocations.requested[a.index()].value];
    }
    return sizes;
}

Bytes sameBytes(const Timeline& timeline, CallCount moment, const SizeCounts& recorded)
{
    SizeCounts planned;
    for (const PlannedAllocation& a : timeline.allocations) {
        if (a.begin <= moment && moment < a.end) {
            ++planned[a.bytes.value];
        }
    }
    Bytes same;
    for (const auto& [bytes, count] : planned) {
        const auto found = recorded.find(bytes);
        same += Bytes{found == recorded.end() ? 0 : bytes * std::min(count, found->second)};
    }
    return same;
}

PlanDifference compareWith(const Timeline& timeline, Bytes planned_reserved,
                           const replay::DeviceReplay& replay, const label::DeviceLabels& labels)
{
    const PlannedPeak peak = peakOf(timeline);
    const Sizes recorded = recordedKinds(replay, labels);
    PlanDifference found;
    found.planned = peak.bytes;
    found.recorded = replay.activeAt(replay.peak);
    found.planned_phase = peak.phase;
    found.recorded_phase = phaseOf(labels, replay);
    found.planned_buckets = peak.buckets;
    found.recorded_buckets = bucketsOf(recorded);
    found.planned_reserved = planned_reserved;
    found.recorded_reserved = {*std::ranges::max_element(replay.reserved)};
    Sizes sizes = plannedKinds(timeline, peak.moment);
    for (const auto& [bytes, kinds] : recorded) {
        sizes.try_emplace(bytes);
    }
    for (const auto& [bytes, kinds] : sizes) {
        const auto other = recorded.find(bytes);
        const Kinds theirs = other == recorded.end() ? Kinds() : other->second;
        SizeDifference size{{bytes}, countOf(kinds), countOf(theirs)};
        found.same += Bytes{bytes * std::min(size.planned, size.recorded)};
        if (size.planned == size.recorded || bytes == 0) {
            continue;
        }
        const auto [bucket, role] =
            size.recorded > size.planned ? kindOf(theirs, kinds) : kindOf(kinds, theirs);
        size.bucket = bucket;
        size.role = role;
        found.sizes.push_back(size);
    }
    std::ranges::stable_sort(found.sizes, std::ranges::greater{}, [](const SizeDifference& size) {
        return std::abs(size.delta().value);
    });
    found.sentence = sentenceOf(found);
    return found;
}

} // namespace tidemark::walk
