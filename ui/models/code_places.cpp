// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/code_places.h"

#include "core/base/format.h"
#include "core/label/stacks/code_lines.h"
#include "core/replay/by_stack.h"
#include "ui/models/text.h"

#include <QtCore/QRegularExpression>

#include <algorithm>

namespace tidemark::ui {
std::vector<CodePlace> placesIn(const QString& text, const trace::Snapshot& snapshot)
{
    static const QRegularExpression form(QStringLiteral(
        "([^\\s:/\\\\()“”\"']+\\.(?:pyx?|cpp|cc|cxx|cuh?|hpp|h)):(\\d{1,7})(?:–(\\d{1,7}))?\\b"));
    std::vector<CodePlace> places;
    for (auto match = form.globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch found = match.next();
        const bool is_known = std::ranges::any_of(
            places, [&](const CodePlace& each) { return each.words == found.captured(0); });
        if (!is_known) {
            const int first = found.captured(2).toInt();
            places.push_back(
                {found.captured(0), {}, first, std::max(first, found.captured(3).toInt()), {}});
        }
    }
    for (CodePlace& place : places) {
        const std::string name = utf8(place.words.section(u':', 0, -2));
        for (std::size_t i = 0; i < snapshot.stacks.frameCount(); ++i) {
            const FrameId id(static_cast<std::uint32_t>(i));
            const Frame& frame = snapshot.stacks.frame(id);
            const auto line = static_cast<int>(frame.line);
            if (place.line <= line && line <= place.last_line
                && baseName(snapshot.text(frame.filename)) == name) {
                place.frames.push_back(id);
            }
        }
        if (!place.frames.empty()) {
            const Frame& frame = snapshot.stacks.frame(place.frames.front());
            place.file = ui::text(snapshot.text(frame.filename));
        }
    }
    std::erase_if(places, [](const CodePlace& place) { return place.frames.empty(); });
    return places;
}

std::vector<AllocationId> allocationsAt(std::span<const FrameId> frames,
                                        const trace::Snapshot& snapshot,
                                        const replay::Allocations& all, const std::stop_token& stop)
{
    const label::LineFinder finder(snapshot);
    const auto is_shown = [&](StackId stack) {
        const FrameId shown = finder.of(snapshot, stack).shown;
        return !shown.isNone() && std::ranges::find(frames, shown) != frames.end();
    };
    std::vector<AllocationId> ids =
        replay::allocationsByStack(all, snapshot.stacks, is_shown, stop);
    return ids.empty() ? allocationsThrough(frames, snapshot, all, stop) : ids;
}

std::vector<AllocationId> allocationsThrough(std::span<const FrameId> frames,
                                             const trace::Snapshot& snapshot,
                                             const replay::Allocations& all,
                                             const std::stop_token& stop)
{
    const auto leads = [&](StackId stack) {
        const std::span<const FrameId> of = snapshot.stacks.frames(stack);
        return std::ranges::find_first_of(of, frames) != of.end();
    };
    return replay::allocationsByStack(all, snapshot.stacks, leads, stop);
}

} // namespace tidemark::ui
