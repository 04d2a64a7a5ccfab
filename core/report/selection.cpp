// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/selection.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

/// Answers "does this stack hold the text?", each stack looked at once.
class StackFilter {
public:
    StackFilter(const trace::Snapshot& snapshot, const std::string& text)
        : m_snapshot(&snapshot)
        , m_text(text)
        , m_known(text.empty() ? 0 : snapshot.stacks.stackCount(), kUnknown)
    {
    }
    bool keeps(StackId stack)
    {
        if (m_text.empty()) {
            return true;
        }
        if (stack.isNone()) {
            return false;
        }
        std::int8_t& known = m_known[stack.index()];
        if (known == kUnknown) {
            known = holdsText(stack) ? 1 : 0;
        }
        return known == 1;
    }

private:
    static constexpr std::int8_t kUnknown = -1;

    [[nodiscard]] bool holdsText(StackId stack) const
    {
        const auto frames = m_snapshot->stacks.frames(stack);
        return std::ranges::any_of(frames, [this](FrameId id) {
            const Frame& frame = m_snapshot->stacks.frame(id);
            return m_snapshot->text(frame.name).find(m_text) != std::string_view::npos
                || m_snapshot->text(frame.filename).find(m_text) != std::string_view::npos;
        });
    }

    const trace::Snapshot* m_snapshot;
    std::string m_text;
    std::vector<std::int8_t> m_known;
};

AllocationSelection selectOn(const Analysis& analysis, std::size_t device, StateId state,
                             const AllocationQuery& query, StackFilter& filter)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const label::DeviceLabels& labels = analysis.labels->devices[device];
    AllocationSelection selection{device, state, {}, 0, {}};
    for (const AllocationId id : replay::liveAt(replay, state)) {
        const bool is_wanted = (!query.bucket || labels.bucket[id.index()] == *query.bucket)
            && filter.keeps(replay.allocations.stack[id.index()]);
        if (!is_wanted) {
            continue;
        }
        ++selection.found;
        selection.found_bytes += replay.allocations.requested[id.index()];
        if (!query.top || selection.ids.size() < *query.top) {
            selection.ids.push_back(id);
        }
    }
    return selection;
}

} // namespace

Error noSuchMoment(const Analysis& analysis, const std::vector<std::size_t>& devices,
                   NamedMoment moment)
{
    if (moment.kind == NamedMoment::Kind::oom) {
        return {ErrorCode::badArgument,
                say("The trace has no out-of-memory event; use --at peak."),
                {}};
    }
    std::size_t longest = 0;
    for (const std::size_t d : devices) {
        longest = std::max(longest, analysis.snapshot->devices[d].events.count());
    }
    if (longest == 0) {
        return {ErrorCode::badArgument, say("The trace has no events; use --at end."), {}};
    }
    return {ErrorCode::badArgument,
            say("There is no event {}; the last is event {}.", moment.event, longest - 1),
            {}};
}

Result<NamedMoment> parseMoment(std::string_view text)
{
    using enum NamedMoment::Kind;
    if (text == "start" || text == "-1") {
        return NamedMoment{start, 0};
    }
    if (text == "peak") {
        return NamedMoment{peak, 0};
    }
    if (text == "oom") {
        return NamedMoment{oom, 0};
    }
    if (text == "end") {
        return NamedMoment{end, 0};
    }
    NamedMoment moment{event, 0};
    const char* const last = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), last, moment.event);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != last) {
        return Error{
            ErrorCode::badArgument,
            say("'{}' is not a moment; give an event number, start, peak, oom or end.", text),
            {}};
    }
    return moment;
}

std::optional<StateId> stateAt(const replay::DeviceReplay& replay, NamedMoment moment)
{
    switch (moment.kind) {
    case NamedMoment::Kind::start:
        return StateId::start();
    case NamedMoment::Kind::peak:
        return replay.peak;
    case NamedMoment::Kind::end:
        return replay.lastState();
    case NamedMoment::Kind::oom:
        if (replay.ooms.empty()) {
            return std::nullopt;
        }
        return StateId::before(replay.ooms.back());
    case NamedMoment::Kind::event:
        break;
    }
    if (moment.event >= replay.lastState().value) {
        return std::nullopt;
    }
    return StateId::after(EventId(moment.event));
}

std::string deviceName(const trace::Device& device)
{
    return device.kind == trace::DeviceKind::host ? say("Host memory")
                                                  : say("GPU {}", device.index);
}

std::string deviceKey(std::int32_t device)
{
    return device < 0 ? "host" : fmt::format("GPU {}", device);
}

std::string deviceKey(const trace::Device& device)
{
    return deviceKey(device.kind == trace::DeviceKind::host ? -1 : device.index);
}

Result<std::vector<std::size_t>> chosenDevices(const Analysis& analysis,
                                               std::optional<std::int32_t> wanted)
{
    std::vector<std::size_t> all(analysis.deviceCount());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (!wanted) {
        return all;
    }
    for (const std::size_t d : all) {
        if (analysis.snapshot->devices[d].index == *wanted) {
            return std::vector<std::size_t>{d};
        }
    }
    const auto word = [](std::int32_t index) { // As --device takes it.
        return index < 0 ? std::string("host") : fmt::format("{}", index);
    };
    std::string present;
    for (const std::size_t d : all) {
        present += (d == 0 ? "" : ", ") + word(analysis.snapshot->devices[d].index);
    }
    return Error{ErrorCode::badArgument,
                 present.empty()
                     ? say("This file has no devices.")
                     : say("There is no device {}; this file has {}.", word(*wanted), present),
                 {}};
}

std::string leftOutText(const diagnose::DetailedDevices& devices)
{
    if (devices.left_out == 0) {
        return {};
    }
    const auto count = static_cast<std::int64_t>(devices.left_out);
    return sayCounted(
        count, "{} device with a lower peak is not shown; see 'tidemark-cli summary --json'.",
        "{} devices with lower peaks are not shown; see 'tidemark-cli summary --json'.",
        formatCount(count));
}

Result<std::vector<AllocationSelection>> selectAllocations(const Analysis& analysis,
                                                           const AllocationQuery& query)
{
    const auto devices = chosenDevices(analysis, query.device);
    if (!devices.has_value()) {
        return devices.error();
    }
    StackFilter filter(*analysis.snapshot, query.match);
    std::vector<AllocationSelection> selections;
    bool has_moment = devices.value().empty();
    for (const std::size_t d : devices.value()) {
        const std::optional<StateId> state = stateAt(analysis.replay->devices[d], query.at);
        if (!state) {
            continue;
        }
        has_moment = true;
        if (query.device || !analysis.snapshot->devices[d].isEmpty()) {
            selections.push_back(selectOn(analysis, d, *state, query, filter));
        }
    }
    if (!has_moment) {
        return noSuchMoment(analysis, devices.value(), query.at);
    }
    return selections;
}

} // namespace tidemark::report
