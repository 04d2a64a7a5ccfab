// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/forward_lines.h"

#include "core/label/stacks/code_lines.h"
#include "core/label/stacks/traceback.h"

#include <vector>

namespace tidemark::label {

StringId forwardFramesOf(const trace::Device& device, const replay::Allocations& allocations,
                         AllocationId a)
{
    const EventId made = allocations.alloc_event[a.index()];
    const auto& forward = device.events.forward_frames;
    return made.isNone() || forward.empty() ? StringId::none() : forward[made.index()];
}

std::string forwardLineText(std::string_view forward_frames)
{
    // As if it were the one stack of a file.
    const std::vector<TracebackLine> lines = tracebackLines(forward_frames);
    trace::Snapshot one;
    std::vector<FrameId> frames;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        frames.push_back(
            one.stacks.internFrame({one.strings.intern(line->name), one.strings.intern(line->file),
                                    static_cast<std::int32_t>(line->line)}));
    }
    return frameText(one, LineFinder(one).of(frames).shown);
}

} // namespace tidemark::label
