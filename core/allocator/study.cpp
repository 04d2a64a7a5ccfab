// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/study.h"

#include "core/base/parallel.h"
#include "core/replay/changes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <tuple>
#include <utility>

namespace tidemark::allocator {
namespace {

constexpr std::array<std::string_view, 15> kCandidates{
    "",
    "expandable_segments:True",
    "max_split_size_mb:64",
    "max_split_size_mb:128",
    "max_split_size_mb:256",
    "max_split_size_mb:512",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:8",
    "roundup_power2_divisions:16",
    "expandable_segments:True,roundup_power2_divisions:8",
    "max_split_size_mb:64,max_non_split_rounding_mb:128",
    "max_split_size_mb:256,max_non_split_rounding_mb:256",
    "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
    "large_segment_size_mb:12",
    "large_segment_size_mb:64",
};
/// Garbage is collected within a memory fraction alone, and that is a part of a known capacity. A
/// fraction by itself only takes memory away.
constexpr std::array<std::string_view, 2> kCandidatesWithCapacity{
    "garbage_collection_threshold:0.6,per_process_memory_fraction:0.99",
    "garbage_collection_threshold:0.8,per_process_memory_fraction:0.99",
};

Settings onDevice(Settings settings, const Settings& recorded)
{
    settings.is_npu = recorded.is_npu;
    settings.tie_order = recorded.tie_order;
    return settings;
}

/// As large as what lives at once, or a little larger, for best fit leaves holes in any block; no
/// larger than what there is. In MiB, as people write it.
std::vector<Bytes> firstBlocks(const Study& study)
{
    static constexpr std::array<double, 3> kTimes{1.0, 1.05, 1.15};
    static constexpr std::int64_t kUnit = std::int64_t{1} << 20;
    std::vector<Bytes> sizes;
    for (const double times : kTimes) {
        const auto bytes =
            static_cast<std::int64_t>(times * static_cast<double>(study.ideal.bytes.value));
        const Bytes size{(bytes + kUnit - 1) / kUnit * kUnit};
        if (size.value > 0 && (!study.capacity.bytes || size <= *study.capacity.bytes)) {
            sizes.push_back(size);
        }
    }
    return sizes;
}

/// Each with the same trace; the first failure, if any.
Result<std::vector<Simulation>>
simulateAll(const Trace& trace, const std::vector<Conditions>& conditions, const StagePart& part)
{
    std::vector<std::optional<Result<Simulation>>> found(conditions.size());
    std::atomic<std::size_t> done = 0;
    const std::thread::id caller = std::this_thread::get_id();
    forEachInParallel(conditions.size(), [&](std::size_t i) {
        NoProgress silent;
        found[i] = simulate(trace, conditions[i], {silent, part.stop, part.stage, 0, 1});
        ++done;
        if (std::this_thread::get_id() == caller) {
            (void)part.goesOn(done, conditions.size());
        }
    });
    std::vector<Simulation> all;
    for (auto& one : found) {
        if (!one->has_value()) {
            return one->error();
        }
        all.push_back(std::move(*one).value());
    }
    return all;
}

/// `had`: the most that was reserved until the event.
CapacityFound capacityWith(Bytes had, const trace::Snapshot& snapshot, const trace::Device& device,
                           const replay::DeviceReplay& replay, EventId oom)
{
    const Bytes reserved = replay.reservedAt(StateId::before(oom));
    const Bytes with_request =
        reserved + replay::segmentSizeFor(replay::roundToBlock(device.events.size[oom.index()]));
    const auto* const noted = snapshot.capture ? snapshot.capture->device(device.index) : nullptr;
    std::optional<Bytes> limit = noted != nullptr ? noted->limit : std::nullopt;
    // One that the request would have kept to was set at another time.
    limit = limit && *limit < with_request && *limit >= reserved ? limit : std::nullopt;
    const std::optional<Bytes> free = device.events.deviceFree(oom);
    if (limit && (!free || reserved + *free >= *limit)) {
        return {limit, *limit, CapacitySource::limit};
    }
    if (!free) {
        return {};
    }
    if (reserved + *free < with_request) {
        return {reserved + *free, reserved + *free, CapacitySource::oom_event};
    }
    const Bytes most = with_request - Bytes{1};
    return {std::min(had, most), most, CapacitySource::unseen_limit};
}

} // namespace

std::string_view capacitySourceId(CapacitySource source)
{
    switch (source) {
    case CapacitySource::given:
        return "given";
    case CapacitySource::oom_event:
        return "oom-event";
    case CapacitySource::limit:
        return "limit";
    case CapacitySource::unseen_limit:
        return "unseen-limit";
    case CapacitySource::refusal:
        return "refusal";
    case CapacitySource::unknown:
        break;
    }
    return "unknown";
}

CapacityFound capacityAt(const trace::Snapshot& snapshot, const trace::Device& device,
                         const replay::DeviceReplay& replay, EventId oom)
{
    const auto end = replay.reserved.begin() + StateId::before(oom).value + 1;
    const Bytes had{*std::max_element(replay.reserved.begin(), end)};
    return capacityWith(had, snapshot, device, replay, oom);
}

CapacityFound capacityOf(const trace::Snapshot& snapshot, const trace::Device& device,
                         const replay::DeviceReplay& replay, const RequestStream& requests,
                         std::optional<Bytes> given)
{
    if (given) {
        return {given, *given, CapacitySource::given};
    }
    const Bytes had{*std::ranges::max_element(replay.reserved)};
    if (replay.ooms.empty()) {
        return requests.forced_releases > 0 ? CapacityFound{had, had, CapacitySource::refusal}
                                            : CapacityFound{};
    }
    CapacityFound found{had, had, CapacitySource::oom_event};
    std::size_t state = 0;
    std::int64_t most = replay.reserved.front(); // In the states before.
    for (const EventId oom : replay.ooms) {
        for (; state <= StateId::before(oom).index(); ++state) {
            most = std::max(most, replay.reserved[state]);
        }
        const CapacityFound at = capacityWith({most}, snapshot, device, replay, oom);
        if (at.bytes) {
            found = {std::max(*found.bytes, *at.bytes), std::max(found.most, at.most), at.source};
        }
    }
    return found;
}

IdealPeak idealPeak(const trace::Device& device, const replay::DeviceReplay& replay,
                    const replay::Rounding& rounding)
{
    std::vector<std::int64_t> live(replay.stateCount(), 0);
    replay::forEachChange(replay, [&](StateId s, AllocationId a, bool begins) {
        const Bytes size = rounding(replay.allocations.requested[a.index()]);
        live[s.index()] += begins ? size.value : -size.value;
    });
    IdealPeak peak;
    Bytes now;
    std::size_t next_oom = 0;
    for (std::uint32_t s = 0; s < live.size(); ++s) {
        now += Bytes{live[s]};
        Bytes with_failed = now;
        for (; next_oom < replay.ooms.size() && replay.ooms[next_oom].value == s; ++next_oom) {
            with_failed = std::max(with_failed, now + device.events.size[s]);
        }
        if (with_failed > peak.bytes) {
            peak = {with_failed, StateId{s}};
        }
    }
    return peak;
}

std::vector<Settings> candidateSettings(const Settings& recorded, bool has_capacity)
{
    std::vector<Settings> all{recorded};
    const auto add = [&](std::string_view text) {
        const Settings settings = onDevice(parseSettings(text).value(), recorded);
        const bool is_new = std::ranges::none_of(
            all, [&](const Settings& known) { return placeAlike(known, settings); });
        if (is_new) {
            all.push_back(settings);
        }
    };
    std::ranges::for_each(kCandidates, add);
    if (has_capacity) {
        std::ranges::for_each(kCandidatesWithCapacity, add);
    }
    return all;
}

bool isBetter(const Simulation& a, const Simulation& b)
{
    const auto key = [](const Simulation& s) {
        const bool has_event = s.oom && !s.oom->event.isNone();
        const std::int64_t event = has_event ? std::int64_t{s.oom->event.value} : -1;
        const Bytes needed = s.oom ? s.oom->needed() : Bytes{};
        // Where it fits, the plainest text does.
        const std::string& text = s.conditions.settings.text;
        const bool is_enough = s.fits() && s.conditions.capacity;
        const auto options = is_enough ? std::ranges::count(text, ':') : 0;
        return std::tuple(!s.fits(), -event, needed, options, s.reserved_peak);
    };
    return key(a) < key(b);
}

Result<Study> study(const trace::Snapshot& snapshot, std::size_t device,
                    const replay::DeviceReplay& replay, const replay::BlockSizes& sizes,
                    const StudyOptions& options, ProgressSink& progress,
                    const std::stop_token& stop)
{
    Result<Baseline> compared = baseline(snapshot, device, replay, sizes, progress, stop);
    if (!compared.has_value()) {
        return compared.error();
    }
    return study(snapshot, device, replay, sizes, std::move(compared).value(), options, progress,
                 stop);
}

Result<Study> study(const trace::Snapshot& snapshot, std::size_t device,
                    const replay::DeviceReplay& replay, const replay::BlockSizes& sizes,
                    Baseline known, const StudyOptions& options, ProgressSink& progress,
                    const std::stop_token& stop)
{
    Study found;
    found.baseline = std::move(known);
    const Settings& recorded = found.baseline.settings;
    const trace::Device& of = snapshot.devices[device];
    const Trace trace(snapshot, of, replay, sizes, recorded);
    found.capacity = capacityOf(snapshot, of, replay, trace.requests(), options.capacity);
    found.ideal =
        idealPeak(of, replay, recorded.is_npu ? replay::Rounding::ofNpu() : replay::Rounding());
    found.live_at_start = static_cast<std::int64_t>(replay::countAtStart(replay.allocations));
    found.late_frees =
        std::ranges::count(trace.requests().operations, Step::request_free, &Operation::step);
    std::vector<Conditions> wanted;
    const auto want = [&](const Settings& settings, bool anew) {
        wanted.push_back(
            {onDevice(settings, recorded), found.capacity.bytes, anew, options.points});
    };
    const bool has_start = !trace.start().empty();
    want(recorded, false);
    want(options.settings.value_or(recorded), false);
    if (has_start) {
        want(recorded, true);
    }
    const auto first_preallocated = static_cast<std::ptrdiff_t>(wanted.size());
    if (options.preallocates && !found.exceedsIdeal()) {
        for (const Bytes first : firstBlocks(found)) {
            wanted.push_back(
                {onDevice(recorded, recorded), found.capacity.bytes, true, options.points, first});
        }
    }
    const auto first_candidate = static_cast<std::ptrdiff_t>(wanted.size());
    if (options.searches) {
        for (const Settings& settings :
             candidateSettings(recorded, found.capacity.bytes.has_value())) {
            want(settings, has_start);
        }
    }
    Result<std::vector<Simulation>> all =
        simulateAll(trace, wanted, {progress, stop, "simulating", device, snapshot.devices.size()});
    if (!all.has_value()) {
        return all.error();
    }
    auto& simulations = all.value();
    found.recorded = std::move(simulations[0]);
    found.result = std::move(simulations[1]);
    if (has_start) {
        found.recorded_anew = std::move(simulations[2]);
    }
    const auto best = std::min_element(simulations.begin() + first_preallocated,
                                       simulations.begin() + first_candidate, isBetter);
    if (best != simulations.begin() + first_candidate) {
        found.preallocated = std::move(*best);
    }
    found.candidates.assign(std::make_move_iterator(simulations.begin() + first_candidate),
                            std::make_move_iterator(simulations.end()));
    std::ranges::stable_sort(found.candidates, isBetter);
    return found;
}

} // namespace tidemark::allocator
