// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/capacity.h"

#include "core/allocator/study.h"
#include "core/base/language.h"

namespace tidemark::diagnose {
namespace {

/// At the OOM event, as the allocator's model takes it, too.
Capacity capacityAtOom(const Facts& facts)
{
    const allocator::CapacityFound found =
        allocator::capacityAt(facts.snapshot, facts.device, facts.replay, facts.moment.oom);
    switch (found.source) {
    case allocator::CapacitySource::limit:
        return {found.bytes,
                say("From the capture module: set_per_process_memory_fraction's limit."), Bytes{},
                true};
    case allocator::CapacitySource::oom_event:
        return {found.bytes, say("Reserved plus free GPU memory at the OOM.")};
    case allocator::CapacitySource::unseen_limit:
        return {found.bytes,
                say("More was free than requested, so a limit applies: at least what was reserved, "
                    "less than with the request."),
                found.most - *found.bytes, true};
    default:
        return {std::nullopt,
                say("The OOM event has no free memory, so the capacity is unknown: give one.")};
    }
}

} // namespace

Capacity recordedCapacity(const Facts& facts)
{
    if (facts.message && facts.message->allowed) {
        const std::string source = say("The message names a limit for this process.");
        return {facts.message->allowed, source, {}, true};
    }
    if (facts.moment.is_oom) {
        return capacityAtOom(facts);
    }
    if (facts.message) {
        const OomMessage& t = *facts.message;
        if (t.free && t.allocated && (t.unallocated || t.reserved)) {
            const Bytes reserved = t.reserved ? *t.reserved : *t.allocated + *t.unallocated;
            return {reserved + *t.free, say("Reserved plus free, from the message.")};
        }
        if (t.total) {
            return {t.total,
                    say("The GPU's size from the message; other processes' share is unknown.")};
        }
    }
    const trace::CaptureDevice* const captured =
        facts.snapshot.capture ? facts.snapshot.capture->device(facts.device.index) : nullptr;
    if (captured != nullptr && captured->capacity && captured->capacity->value > 0) {
        return {captured->capacity,
                say("From the capture module: reserved plus free, within the process limit.")};
    }
    return {std::nullopt, say("No OOM event, so the capacity is unknown: give one.")};
}

Capacity capacityOf(const Facts& facts)
{
    const UserInput& input = facts.analysis.input;
    const std::string source =
        input.capacity_source.empty() ? say("You gave it.") : input.capacity_source;
    return input.capacity ? Capacity{input.capacity, source, input.capacity_unsure}
                          : recordedCapacity(facts);
}

} // namespace tidemark::diagnose
