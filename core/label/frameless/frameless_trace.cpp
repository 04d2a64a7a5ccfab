// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/frameless/frameless_trace.h"

#include <algorithm>
#include <set>
#include <vector>

namespace tidemark::label {
namespace {

using trace::Action;

std::int64_t lastAllocation(const trace::Events& events)
{
    for (std::size_t i = events.count(); i-- > 0;) {
        if (events.action[i] == Action::alloc || events.action[i] == Action::oom) {
            return static_cast<std::int64_t>(i);
        }
    }
    return 0;
}

/// How often something took the place of an equally large one, again and again: a variable that is
/// assigned anew, of which the last value stays. Per allocation; O(allocations).
std::vector<std::size_t> timesHandedOver(const FramelessTrace& t)
{
    constexpr std::int64_t kSoon = 6; // Events.
    std::vector<std::size_t> freed_at(static_cast<std::size_t>(t.last_event) + 1, t.count());
    for (std::size_t i = 0; i < t.count(); ++i) {
        if (!t.stays(i)) {
            freed_at[static_cast<std::size_t>(t.death[i])] = i;
        }
    }
    // What was there before the trace has a history of its own.
    std::vector<std::size_t> times(t.count());
    std::fill_n(times.begin(), t.first_made, 1);
    for (std::size_t i = t.first_made; i < t.count(); ++i) {
        const std::int64_t end = std::min(t.birth[i] + kSoon, t.last_event);
        for (std::int64_t event = t.birth[i] + 1; event <= end; ++event) {
            const std::size_t before = freed_at[static_cast<std::size_t>(event)];
            if (before < i && t.size[before] == t.size[i]) {
                times[i] = std::max(times[i], times[before] + 1);
            }
        }
    }
    return times;
}

/// Sizes of what stays for good and was born before an event, sorted.
std::vector<std::int64_t> sizesThatStay(const FramelessTrace& t, std::int64_t before)
{
    constexpr std::size_t kOften = 2;
    // Parameters may be replaced in every step, too: then all that stays counts.
    const std::vector<std::size_t> handed_over =
        before > t.last_event ? std::vector<std::size_t>(t.count()) : timesHandedOver(t);
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < t.count() && t.birth[i] < before; ++i) {
        if (t.stays(i) && handed_over[i] < kOften) {
            sizes.push_back(t.size[i]);
        }
    }
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// What the last step of a run that was cut off still held is younger than half the trace. But a
/// model whose parameters are replaced in every step is younger, too: then all that stays counts.
/// Sizes that come up in the second half only are neither.
std::int64_t modelIsMadeBefore(const FramelessTrace& t)
{
    constexpr std::size_t kFew = 4;
    const std::int64_t half = (t.last_event + 1) / 2;
    std::set<std::int64_t> old_sizes;
    std::int64_t old = 0;
    std::size_t old_count = 0; // A workspace or two are no model.
    std::size_t count = 0;
    for (std::size_t i = 0; i < t.count(); ++i) {
        const bool is_old = t.birth[i] < half;
        if (is_old) {
            old_sizes.insert(t.size[i]);
        }
        if (t.stays(i) && (is_old || old_sizes.contains(t.size[i]))) {
            old += is_old ? t.size[i] : 0;
            old_count += is_old ? 1U : 0U;
            ++count;
        }
    }
    return old > 0 && old_count > count / kFew ? half : t.last_event + 1;
}

void setModelSized(FramelessTrace& t, std::int64_t before)
{
    const std::vector<std::int64_t> sizes = sizesThatStay(t, before);
    t.is_model_sized.clear();
    for (const std::int64_t size : t.size) {
        t.is_model_sized.push_back(std::ranges::binary_search(sizes, size));
    }
}

} // namespace

std::size_t FramelessTrace::firstFrom(std::int64_t event) const
{
    return static_cast<std::size_t>(std::ranges::lower_bound(birth, event) - birth.begin());
}

FramelessTrace framelessTrace(const trace::Events& events, const replay::DeviceReplay& replay)
{
    FramelessTrace t;
    const replay::Allocations& all = replay.allocations;
    t.last_event = lastAllocation(events);
    for (std::size_t i = 0; i < all.count(); ++i) {
        t.birth.push_back(static_cast<std::int64_t>(all.begin[i].index()) - 1);
        const auto freed = static_cast<std::int64_t>(all.end[i].index()) - 1;
        t.death.push_back(freed > t.last_event ? FramelessTrace::kNever : freed);
        t.size.push_back(all.requested[i].value);
    }
    t.first_made = t.firstFrom(0);
    setModelSized(t, modelIsMadeBefore(t));
    return t;
}

std::size_t FramelessTrace::dropLateModelSizes()
{
    constexpr std::size_t kApart = 16;
    std::size_t end = first_made;
    for (std::size_t i = first_made; i < count() && i < end + kApart; ++i) {
        end = stays(i) ? i + 1 : end;
    }
    setModelSized(*this, end < count() ? birth[end] : last_event + 1);
    return end;
}

} // namespace tidemark::label
