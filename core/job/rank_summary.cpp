// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/rank_summary.h"

#include "core/allocator/study.h"
#include "core/diagnose/facts/in_use.h"
#include "core/label/stacks/code_lines.h"
#include "core/label/stacks/forward_lines.h"
#include "core/label/stacks/stack_text.h"
#include "core/trace/cut_trace.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tidemark::job {
namespace {

/// One device of a dump to its summary.
class DeviceSummary {
public:
    DeviceSummary(const diagnose::Analysis& analysis, std::size_t d)
        : m_analysis(analysis)
        , m_snapshot(*analysis.snapshot)
        , m_device(m_snapshot.devices[d])
        , m_replay(analysis.replay->devices[d])
        , m_labels(analysis.labels->devices[d])
        , m_curves(analysis.curves->devices[d])
        , m_d(d)
    {
    }

    void fill(RankSummary& row, const label::LineFinder& finder) const
    {
        row.device = m_device.index;
        row.starts_in_use = m_replay.active.front() > 0;
        row.events = static_cast<std::int64_t>(m_device.events.count());
        if (m_device.events.hasTimes() && row.events > 0) {
            row.first_time = m_device.events.time.front();
            row.last_time = m_device.events.time.back();
        }
        row.steps = static_cast<std::uint32_t>(m_labels.steps.size());
        row.peak = m_replay.activeAt(m_replay.peak);
        row.reserved = Bytes{*std::ranges::max_element(m_replay.reserved)};
        addMoment(row);
        for (std::size_t b = 0; b < label::kBucketCount; ++b) {
            row.largest[b] = m_curves.largestOf(static_cast<label::Bucket>(b));
        }
        row.at_end = m_curves.at(m_replay.lastState());
        row.places = places(finder, decisive(row));
        row.curve = curve();
        addProgram(row);
    }

private:
    /// Just before the request that ended the run; else at the peak. A failure that the program
    /// caught decides nothing.
    [[nodiscard]] StateId decisive(const RankSummary& row) const
    {
        return row.hasFailed() ? StateId::before(m_replay.ooms.back()) : m_replay.peak;
    }

    void addMoment(RankSummary& row) const
    {
        if (!m_replay.ooms.empty()) {
            addOom(row);
        }
        const StateId state = decisive(row);
        row.decisive = m_curves.at(state);
        if (const label::PhaseSpan* const span =
                state == StateId::start() ? nullptr : m_labels.phaseAt(EventId(state.value - 1))) {
            row.decisive_phase = label::phaseId(span->phase);
            row.decisive_step = span->step;
        }
    }

    /// What unwinds frees, and may save a checkpoint; a quarter of all that was allocated before,
    /// and at least a thousand, is another run of the program's loop.
    [[nodiscard]] bool wentOn(EventId oom) const
    {
        constexpr std::int64_t kLeast = 1000;
        constexpr std::int64_t kQuarter = 4;
        const auto& actions = m_device.events.action;
        const auto at = actions.begin() + static_cast<std::ptrdiff_t>(oom.index());
        const std::int64_t before = std::count(actions.begin(), at, trace::Action::alloc);
        const std::int64_t after = std::count(at, actions.end(), trace::Action::alloc);
        return after >= std::max(kLeast, before / kQuarter);
    }

    void addOom(RankSummary& row) const
    {
        const EventId event = m_replay.ooms.back();
        const label::PhaseSpan* const span = m_labels.phaseAt(event);
        row.oom =
            RankOom{static_cast<std::int64_t>(event.value),
                    m_device.events.hasTimes() ? std::optional(m_device.events.time[event.index()])
                                               : std::nullopt,
                    m_device.events.size[event.index()],
                    m_device.events.deviceFree(event),
                    m_replay.activeAt(StateId::before(event)),
                    m_replay.reservedAt(StateId::before(event)),
                    span == nullptr ? std::string() : std::string(label::phaseId(span->phase)),
                    span == nullptr ? 0 : span->step,
                    span == nullptr ? std::nullopt : statedStep(span->step),
                    wentOn(event)};
        row.capacity = allocator::capacityAt(m_snapshot, m_device, m_replay, event).bytes;
    }

    [[nodiscard]] std::optional<std::int64_t> statedStep(std::uint32_t step) const
    {
        return step == 0 || m_labels.numbers.stated().empty()
            ? std::nullopt
            : std::optional(m_labels.numbers.of(step));
    }

    /// The line that made an allocation; where a backward has none, that of its forward.
    [[nodiscard]] std::string lineOf(const label::LineFinder& finder, AllocationId a,
                                     std::unordered_map<StackId, std::string>& known) const
    {
        const StackId stack = m_replay.allocations.stack[a.index()];
        const auto [line, is_new] = known.try_emplace(stack);
        if (is_new) {
            line->second = label::frameText(m_snapshot, finder.of(m_snapshot, stack).shown);
        }
        const StringId forward = line->second.empty()
            ? label::forwardFramesOf(m_device, m_replay.allocations, a)
            : StringId::none();
        return forward.isNone() ? line->second : label::forwardLineText(m_snapshot.text(forward));
    }

    [[nodiscard]] std::vector<PlaceBytes> places(const label::LineFinder& finder,
                                                 StateId state) const
    {
        using Key = std::tuple<std::string, std::string, label::Bucket>;
        std::map<Key, PlaceBytes> sums;
        std::unordered_map<StackId, std::string> lines;
        std::unordered_map<StackId, std::string> operations;
        for (const AllocationId a : replay::livingAt(m_replay, state)) {
            const StackId stack = m_replay.allocations.stack[a.index()];
            const auto [operation, is_new] = operations.try_emplace(stack);
            if (is_new && !stack.isNone()) {
                operation->second = label::operationText(m_snapshot, stack);
            }
            const label::Bucket bucket = m_labels.bucket[a.index()];
            PlaceBytes& place = sums[{lineOf(finder, a, lines), operation->second, bucket}];
            place.bytes += m_replay.allocations.requested[a.index()];
            ++place.count;
        }
        std::vector<PlaceBytes> list;
        for (auto& [key, place] : sums) {
            std::tie(place.line, place.operation, place.bucket) = key;
            list.push_back(std::move(place));
        }
        std::ranges::stable_sort(list, std::ranges::greater{}, &PlaceBytes::bytes);
        list.resize(std::min(list.size(), kMostPlaces));
        return list;
    }

    [[nodiscard]] RankCurve curve() const
    {
        RankCurve curve;
        const std::size_t states = m_replay.stateCount();
        const std::size_t points = std::min(states, kCurvePoints);
        for (std::size_t i = 0; i < points; ++i) {
            const Interval<StateId> interval{
                {static_cast<std::uint32_t>(i * states / points)},
                {static_cast<std::uint32_t>((i + 1) * states / points)}};
            const StateId fullest = m_curves.largest(interval);
            RankCurve::Point point;
            point.event = fullest.eventNumber();
            if (m_device.events.hasTimes() && fullest != StateId::start()) {
                point.time = m_device.events.time[fullest.value - 1];
            }
            point.reserved = Bytes{m_curves.largestReserved(interval)};
            point.buckets = m_curves.at(fullest);
            curve.points.push_back(point);
        }
        return curve;
    }

    void addProgram(RankSummary& row) const
    {
        const program::Program& program = m_analysis.program(m_d);
        for (const program::Dimension& dimension : program.dimensions) {
            row.dimensions.emplace(program::idOf(dimension.name), dimension.value);
        }
        row.parameters += program.weights.parameters;
    }

    const diagnose::Analysis& m_analysis;
    const trace::Snapshot& m_snapshot;
    const trace::Device& m_device;
    const replay::DeviceReplay& m_replay;
    const label::DeviceLabels& m_labels;
    const curves::DeviceCurves& m_curves;
    std::size_t m_d;
};

/// What the capture module noted of the process and its cards.
void addCapture(RankSummary& row, const trace::Capture& capture)
{
    const auto number = [](const std::optional<std::int64_t>& value) {
        return value && *value >= 0 && *value <= UINT32_MAX
            ? std::optional(static_cast<std::uint32_t>(*value))
            : std::nullopt;
    };
    const auto rank = number(capture.rank);
    const auto world = number(capture.world_size);
    row.rank = rank ? rank : row.rank;
    row.world_size = world ? world : row.world_size;
    row.reason = capture.reason;
    row.torch = capture.torch;
    if (!capture.error_type.empty()) {
        row.failure = capture.error_type;
        if (const std::string_view message = capture.error_message; !message.empty()) {
            row.failure.append(": ").append(message.substr(0, message.find('\n')));
        }
    }
    if (row.moment.kind == DumpKind::periodic && capture.reason == "oom") {
        row.moment.kind = DumpKind::oom;
    }
    if (const trace::CaptureDevice* const device = capture.device(row.device)) {
        row.card = device->name;
        row.capacity = row.capacity ? row.capacity : device->capacity;
    }
}

/// Devices with memory of their own: the file of a rank lists the other cards too, empty.
std::vector<std::size_t> usedDevices(const trace::Snapshot& snapshot)
{
    std::vector<std::size_t> used;
    for (std::size_t d = 0; d < snapshot.devices.size(); ++d) {
        const trace::Device& device = snapshot.devices[d];
        if (device.kind == trace::DeviceKind::gpu && !device.isEmpty()) {
            used.push_back(d);
        }
    }
    return used;
}

} // namespace

Bytes RankSummary::wanted() const
{
    return Bytes{label::totalOf(decisive)} + (hasFailed() ? oom->requested : Bytes{});
}

void applyName(RankSummary& row, const DumpName& name)
{
    // A run may be named for what it shows ("uneven_oom"); a dump made at an OOM has its event.
    const auto has_no_oom = [&row] { return row.events > 0 && !row.oom && row.reason != "oom"; };
    const bool is_noted = row.rank && row.rank != row.named_rank;
    if (name.rank) {
        row.rank = is_noted ? row.rank : name.rank;
        row.named_rank = name.rank;
    }
    row.world_size = row.world_size ? row.world_size : name.world_size;
    row.host = row.host.empty() ? name.host : row.host;
    if (!name.moment.isNone()) {
        row.moment = name.moment;
    }
    if (row.moment.kind == DumpKind::oom && has_no_oom()) {
        row.moment.kind = DumpKind::periodic;
    }
    for (const auto& [axis, place] : name.coordinates) {
        row.coordinates[axis] = place;
    }
}

std::vector<RankSummary> summarize(const diagnose::Analysis& analysis, const DumpName& name)
{
    const trace::Snapshot& snapshot = *analysis.snapshot;
    const label::LineFinder finder(snapshot);
    std::vector<std::string> in_use;
    for (const diagnose::InUse& use : diagnose::fixesInUse(snapshot)) {
        in_use.push_back(use.fix);
    }
    const std::vector<std::size_t> used = usedDevices(snapshot);
    // Tools that gather all ranks' traces in one file keep the first one's segments alone.
    const trace::InputNote* const made = snapshot.notes.find("segments-from-trace");
    const std::size_t with_segments = used.size()
        - std::min(used.size(), made == nullptr ? 0 : static_cast<std::size_t>(made->count));
    const bool are_ranks = used.size() > 1 && !name.rank && !snapshot.capture;
    std::vector<RankSummary> rows;
    for (const std::size_t d : used) {
        RankSummary row;
        row.file = analysis.file.string();
        row.snapshot = analysis.file;
        if (are_ranks) {
            row.rank = static_cast<std::uint32_t>(snapshot.devices[d].index);
        }
        row.in_use = in_use;
        row.settings = snapshot.settings.conf;
        row.has_segments = rows.size() < with_segments;
        row.is_cut_off = snapshot.notes.find(trace::kCutOff) != nullptr;
        DeviceSummary(analysis, d).fill(row, finder);
        applyName(row, name);
        if (snapshot.capture) {
            addCapture(row, *snapshot.capture);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace tidemark::job
