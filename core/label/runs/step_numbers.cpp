// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/runs/step_numbers.h"

#include "core/base/ascii.h"
#include "core/label/labels.h"
#include "core/label/runs/captured_moments.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

namespace tidemark::label {
namespace {

constexpr std::size_t kMostDigits = 12; ///< More is no count of steps.
/// More than PyTorch drives: a device's index is a signed byte (c10/core/Device.h), and builds know
/// 120 GPUs (c10/cuda/CUDAMacros.h); one is for host memory. The annotations of a file are read for
/// each device, so those of a made-up file of thousands would be read thousands of times.
constexpr std::size_t kMostDevices = 129;

/// One numbered scope, half-open in events.
struct Scope {
    std::int64_t number = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool is_open = false; ///< Its end is missing: it is taken to reach to the end of the trace.
};
/// By what their names have in common.
using Families = std::map<std::string, std::vector<Scope>, std::less<>>;

bool namesSteps(std::string_view words)
{
    const std::string lower = lowered(words);
    return lower.find("step") != std::string::npos || lower.find("iter") != std::string::npos;
}

/// The scopes of a device as their ends come along.
class ScopeReader {
public:
    explicit ScopeReader(std::uint32_t events)
        : m_events(events)
    {
    }

    void pass(std::string_view name, bool is_start, std::uint32_t place)
    {
        const auto numbered = numberedScope(name);
        if (!numbered) {
            return;
        }
        const auto [family, number] = *numbered;
        auto it = m_families.find(family);
        if (it == m_families.end()) {
            it = m_families.emplace(family, std::vector<Scope>()).first;
        }
        std::vector<Scope>& scopes = it->second;
        if (is_start) {
            if (!scopes.empty() && scopes.back().is_open) { // Steps do not nest.
                scopes.back().end = place;
                scopes.back().is_open = false;
            }
            scopes.push_back({number, place, m_events, true}); // Until its end comes.
        } else if (!scopes.empty() && scopes.back().number == number) {
            scopes.back().end = place;
            scopes.back().is_open = false;
        } else if (scopes.empty()) {
            scopes.push_back({number, 0, place, false}); // Its beginning was before the trace.
        }
    }

    [[nodiscard]] const Families& families() const
    {
        return m_families;
    }

private:
    std::uint32_t m_events;
    Families m_families;
};

/// Annotations bear times; those that name one device are of the thread's current one, whatever
/// device the work was on.
void readAnnotations(const trace::Snapshot& snapshot, const trace::Device& device,
                     ScopeReader& reader)
{
    const auto& times = device.events.time;
    if (!device.events.hasTimes() || snapshot.annotations.empty()) {
        return;
    }
    std::vector<trace::Annotation> ends = snapshot.annotations;
    const bool names_one_device = std::ranges::all_of(
        ends, [&](const trace::Annotation& end) { return end.device == ends.front().device; });
    std::ranges::stable_sort(ends, {}, &trace::Annotation::time);
    for (const trace::Annotation& end : ends) {
        if (names_one_device || end.device == device.index) {
            const auto place = std::ranges::lower_bound(times, end.time) - times.begin();
            reader.pass(snapshot.text(end.name), end.is_start, static_cast<std::uint32_t>(place));
        }
    }
}

/// Of builds of mid-2024: events of one frame, whose file is the name.
void readMarkers(const trace::Snapshot& snapshot, const trace::Device& device, ScopeReader& reader)
{
    const trace::Events& events = device.events;
    for (std::size_t i = 0; i < events.count(); ++i) {
        if (events.action[i] != trace::Action::user_defined || events.stack[i].isNone()) {
            continue;
        }
        const auto frames = snapshot.stacks.frames(events.stack[i]);
        if (!frames.empty()) {
            const Frame& frame = snapshot.stacks.frame(frames.front());
            reader.pass(snapshot.text(frame.filename), snapshot.text(frame.name) != "END",
                        static_cast<std::uint32_t>(i));
        }
    }
}

/// What a family of scopes says of one step, an index.
struct Stated {
    std::size_t step = 0;
    std::int64_t number = 0;
};

bool holdsMostOf(const Scope& scope, std::uint32_t begin, std::uint32_t end)
{
    const std::uint32_t from = std::max(begin, scope.begin);
    const std::uint32_t to = std::min(end, scope.end);
    return to > from && 2 * static_cast<std::uint64_t>(to - from) > end - begin;
}

/// The numbers of the steps of which most lies in one scope, if numbers rise from step to step;
/// else nothing. O(scopes log steps): a scope that holds two steps ends it.
std::vector<Stated> numbersFrom(const std::vector<Scope>& scopes, const std::vector<Step>& steps)
{
    std::vector<Stated> stated;
    for (const Scope& scope : scopes) {
        auto step = std::partition_point(steps.begin(), steps.end(), [&](const Step& s) {
            return s.last_event.value < scope.begin;
        });
        for (; step != steps.end() && step->first_event.value < scope.end; ++step) {
            if (!holdsMostOf(scope, step->first_event.value, step->last_event.value + 1)) {
                continue;
            }
            const Stated next{static_cast<std::size_t>(step - steps.begin()), scope.number};
            // Those between are counted on, and so are those before the first, from 0 at least.
            const std::int64_t least = stated.empty()
                ? static_cast<std::int64_t>(next.step)
                : stated.back().number + static_cast<std::int64_t>(next.step)
                    - static_cast<std::int64_t>(stated.back().step);
            if (!stated.empty() && next.step <= stated.back().step) {
                return {};
            }
            if (next.number < least) {
                return {};
            }
            stated.push_back(next);
            if (scope.is_open) {
                break; // One without an end stands for the first step in it.
            }
        }
    }
    return stated;
}

/// By the forwards that the capture module marked, which counts the steps completed before each.
/// Nothing where its count and the trace's do not go together.
std::vector<Stated> numbersFrom(const trace::Capture& capture, const trace::Device& device,
                                const std::vector<Step>& steps)
{
    const CapturedPlaces places = placeMoments(capture, device);
    std::vector<Stated> stated;
    for (std::size_t m = 0; m < places.size(); ++m) {
        if (capture.moments.kind[m] != trace::MomentKind::forward_begin || !places[m]
            || places[m]->is_earlier) {
            continue;
        }
        const std::uint32_t event = places[m]->state.value; // The first one behind it.
        const auto step = std::partition_point(steps.begin(), steps.end(), [event](const Step& s) {
            return s.last_event.value < event;
        });
        if (step == steps.end() || step->first_event.value > event) {
            continue;
        }
        const Stated next{static_cast<std::size_t>(step - steps.begin()),
                          capture.moments.step[m] + 1};
        const Stated before = stated.empty() ? Stated{0, 1} : stated.back();
        if (next.number - before.number < static_cast<std::int64_t>(next.step - before.step)) {
            return {};
        }
        if (stated.empty() || next.step > before.step) {
            stated.push_back(next);
        }
    }
    return stated;
}

/// The numbers of `count` steps, those that are not stated counted on from their neighbours.
std::vector<std::int64_t> completed(const std::vector<Stated>& stated, std::size_t count)
{
    std::vector<std::int64_t> numbers;
    if (stated.empty()) {
        return numbers;
    }
    std::int64_t next = stated.front().number - static_cast<std::int64_t>(stated.front().step);
    auto known = stated.begin();
    for (std::size_t i = 0; i < count; ++i, ++next) {
        if (known != stated.end() && known->step == i) {
            next = known->number;
            ++known;
        }
        numbers.push_back(next);
    }
    return numbers;
}

} // namespace

std::optional<std::pair<std::string_view, std::int64_t>> numberedScope(std::string_view name)
{
    constexpr std::string_view kFrills = "# \t";
    const std::size_t last = name.find_last_not_of(kFrills);
    name = last == std::string_view::npos ? std::string_view() : name.substr(0, last + 1);
    std::size_t digits = name.size();
    while (digits > 0 && isDigit(name[digits - 1])) {
        --digits;
    }
    const std::string_view family = name.substr(0, digits);
    const std::string_view number = name.substr(digits);
    if (number.empty() || number.size() > kMostDigits || !namesSteps(family)) {
        return std::nullopt;
    }
    std::int64_t value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    return std::pair(family, value);
}

StepNumbers::StepNumbers(const trace::Snapshot& snapshot, const trace::Device& device,
                         const DeviceLabels& labels)
{
    const std::vector<Step> steps = labels.stepsBegun();
    if (steps.empty() || snapshot.devices.size() > kMostDevices) {
        return;
    }
    ScopeReader reader(static_cast<std::uint32_t>(device.events.count()));
    readAnnotations(snapshot, device, reader);
    readMarkers(snapshot, device, reader);
    std::vector<Stated> most;
    for (const auto& [family, scopes] : reader.families()) {
        std::vector<Stated> stated = numbersFrom(scopes, steps);
        if (stated.size() > most.size()) {
            most = std::move(stated);
        }
    }
    if (most.empty() && snapshot.capture) {
        most = numbersFrom(*snapshot.capture, device, steps);
    }
    m_stated = completed(most, steps.size());
}

std::int64_t StepNumbers::of(std::uint32_t step) const
{
    if (m_stated.empty() || step == 0) {
        return step;
    }
    const std::size_t known = std::min<std::size_t>(step, m_stated.size());
    return m_stated[known - 1] + static_cast<std::int64_t>(step - known);
}

} // namespace tidemark::label
