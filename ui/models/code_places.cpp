// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/code_places.h"

#include "core/base/format.h"
#include "core/label/stacks/code_lines.h"
#include "ui/models/text.h"

#include <QtCore/QRegularExpression>

#include <algorithm>
#include <unordered_map>

namespace tidemark::ui {
namespace {

/// Those whose stack has something; each stack is looked at once.
template <class Has>
std::vector<AllocationId> withStacks(const replay::Allocations& all, const std::stop_token& stop,
                                     const Has& has)
{
    std::unordered_map<StackId, bool> known;
    std::vector<AllocationId> ids;
    for (std::size_t i = 0; i < all.count() && !stop.stop_requested(); ++i) {
        const auto [at, is_new] = known.try_emplace(all.stack[i]);
        if (is_new) {
            at->second = has(at->first);
        }
        if (at->second) {
            ids.emplace_back(i);
        }
    }
    return ids;
}

} // namespace

std::vector<CodePlace> placesIn(const QString& text, const trace::Snapshot& snapshot)
{
    static const QRegularExpression form(
        QStringLiteral("([^\\s:/\\\\()“”\"']+\\.(?:pyx?|cpp|cc|cxx|cuh?|hpp|h)):(\\d{1,7})\\b"));
    std::vector<CodePlace> places;
    for (auto match = form.globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch found = match.next();
        const bool is_known = std::ranges::any_of(
            places, [&](const CodePlace& each) { return each.words == found.captured(0); });
        if (!is_known) {
            places.push_back({found.captured(0), {}, found.captured(2).toInt(), {}});
        }
    }
    for (CodePlace& place : places) {
        const std::string name = utf8(place.words.section(u':', 0, -2));
        for (std::size_t i = 0; i < snapshot.stacks.frameCount(); ++i) {
            const FrameId id(static_cast<std::uint32_t>(i));
            const Frame& frame = snapshot.stacks.frame(id);
            if (static_cast<int>(frame.line) == place.line
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
    std::vector<AllocationId> ids = withStacks(all, stop, [&](StackId stack) {
        const FrameId shown = finder.of(snapshot, stack).shown;
        return !shown.isNone() && std::ranges::find(frames, shown) != frames.end();
    });
    return ids.empty() ? allocationsThrough(frames, snapshot, all, stop) : ids;
}

std::vector<AllocationId> allocationsThrough(std::span<const FrameId> frames,
                                             const trace::Snapshot& snapshot,
                                             const replay::Allocations& all,
                                             const std::stop_token& stop)
{
    return withStacks(all, stop, [&](StackId stack) {
        const std::span<const FrameId> of = snapshot.stacks.frames(stack);
        return std::ranges::find_first_of(of, frames) != of.end();
    });
}

} // namespace tidemark::ui
