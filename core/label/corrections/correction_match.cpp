// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/label/corrections/corrections.h"
#include "core/label/stacks/stack_rules.h"
#include "core/label/stacks/stack_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidemark::label {
namespace {

/// The frames that tell one stack from another: without those that every stack has, unless nothing
/// else is left.
std::vector<FrameId> tellingFrames(const trace::Snapshot& snapshot, std::span<const FrameId> frames)
{
    std::vector<FrameId> kept;
    std::ranges::copy_if(frames, std::back_inserter(kept), [&](FrameId id) {
        return frameOrigin(snapshot, id) != FrameOrigin::noise;
    });
    return kept.empty() ? std::vector<FrameId>(frames.begin(), frames.end()) : kept;
}

} // namespace

CorrectionMatch matchOfAllocation(const trace::Snapshot& snapshot, const replay::Replay& replay,
                                  std::size_t device, AllocationId allocation)
{
    const replay::Allocations& all = replay.devices[device].allocations;
    const std::size_t i = allocation.index();
    const EventId made = all.alloc_event[i];
    CorrectionMatch match;
    match.device = snapshot.devices[device].index;
    match.alloc_event = made.isNone() ? -1 : std::int64_t{made.value};
    match.address = all.address[i];
    match.bytes = all.requested[i]; // So that another file's event of this number is not meant.
    return match;
}

std::optional<CorrectionMatch> matchOfStack(const trace::Snapshot& snapshot, StackId stack)
{
    CorrectionMatch match;
    for (const FrameId id : tellingFrames(snapshot, snapshot.stacks.frames(stack))) {
        const Frame& frame = snapshot.stacks.frame(id);
        match.stack.push_back({std::string(snapshot.text(frame.name)),
                               std::string(snapshot.text(frame.filename)), frame.line});
    }
    return match.stack.empty() ? std::nullopt : std::optional(std::move(match));
}

namespace {

/// The frame of a written stack that tells people most: the innermost one of their own code.
const FrameText& ownFrame(const std::vector<FrameText>& stack)
{
    const auto is_own = [](const FrameText& frame) {
        return isPythonFile(frame.filename) && !StackRules::builtin().isLibrary(frame.filename);
    };
    const auto it = std::ranges::find_if(stack, is_own);
    return it == stack.end() ? stack.front() : *it;
}

std::string placeOf(const FrameText& frame)
{
    const std::string_view file = baseName(frame.filename);
    if (file.empty() || frame.line == 0) {
        return fmt::format("{}{}{}", file, file.empty() ? "" : " ", frame.name);
    }
    return fmt::format("{}:{} {}", file, frame.line, frame.name);
}

std::string deviceWords(std::int32_t device)
{
    return device < 0 ? say("host memory") : say("GPU {}", device);
}

std::vector<std::string> conditionWords(const CorrectionMatch& match)
{
    std::vector<std::string> words;
    if (!match.stack.empty()) {
        words.push_back(say("everything from {}", placeOf(ownFrame(match.stack))));
    }
    if (!match.function.empty()) {
        words.push_back(say("function has '{}'", match.function));
    }
    if (!match.file.empty()) {
        words.push_back(say("file has '{}'", match.file));
    }
    if (match.bytes && !match.alloc_event) {
        words.push_back(say("exactly {}", formatExactBytes(*match.bytes)));
    }
    if (match.min_bytes) {
        words.push_back(say("at least {}", *match.min_bytes));
    }
    if (match.max_bytes) {
        words.push_back(say("at most {}", *match.max_bytes));
    }
    if (match.bucket) {
        words.push_back(say("so far {}", bucketId(*match.bucket)));
    }
    if (match.phase) {
        words.push_back(say("allocated in {}", phaseId(*match.phase)));
    }
    if (!match.rule.empty()) {
        words.push_back(say("labelled by '{}'", match.rule));
    }
    return words;
}

} // namespace

std::string describe(const CorrectionMatch& match)
{
    std::vector<std::string> words = conditionWords(match);
    if (match.alloc_event || match.address) {
        std::string which = !match.alloc_event ? say("the allocation at {:#x}", *match.address)
            : *match.alloc_event < 0 && match.address
            ? say("the allocation at {:#x} from before the trace", *match.address)
            : *match.alloc_event < 0
            ? say("everything allocated before the trace")
            : say("the allocation of event {}", formatCount(*match.alloc_event));
        words.insert(words.begin(), std::move(which));
    }
    if (match.device) {
        words.push_back(say("on {}", deviceWords(*match.device)));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string describeSubject(const Correction& rule)
{
    if (!rule.dimension) {
        return describe(rule.match);
    }
    const std::string where = describe(rule.match);
    const std::string_view name = program::nameOf(rule.dimension->name);
    return where.empty() ? say("the dimension {}", name) : say("the dimension {} {}", name, where);
}

std::string describeTarget(const Correction& rule)
{
    if (rule.dimension) {
        return formatCount(rule.dimension->value);
    }
    if (!rule.role || *rule.role == Role::none) {
        return std::string(bucketId(rule.bucket));
    }
    return fmt::format("{}, {}", bucketId(rule.bucket), roleId(*rule.role));
}

} // namespace tidemark::label
