// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/place_texts.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/label/stacks/stack_text.h"

#include <set>

namespace tidemark::compare {

PlaceTexts::PlaceTexts(const trace::Snapshot& a, const trace::Snapshot& b)
    : m_a(a)
    , m_b(b)
    , m_finder_a(a)
    , m_finder_b(b)
{
}

std::string PlaceTexts::where(const PlaceDifference& place) const
{
    const bool in_b = !place.stack_b.isNone();
    const trace::Snapshot& snapshot = in_b ? m_b : m_a;
    const label::LineFinder& finder = in_b ? m_finder_b : m_finder_a;
    const FrameId line = finder.of(snapshot, in_b ? place.stack_b : place.stack_a).shown;
    std::string text = label::frameText(snapshot, line);
    std::set<std::string> lines{text};
    for (const StackId stack : in_b ? place.stacks_b : place.stacks_a) {
        lines.insert(label::frameText(snapshot, finder.of(snapshot, stack).shown));
    }
    lines.erase(std::string());
    const auto more = static_cast<std::int64_t>(lines.size()) - 1;
    return text.empty() || more < 1
        ? text
        : sayCounted(more, "{} and {} more line", "{} and {} more lines", text, formatCount(more));
}

std::string PlaceTexts::operation(const PlaceDifference& place) const
{
    return place.stack_b.isNone() ? label::operationText(m_a, place.stack_a)
                                  : label::operationText(m_b, place.stack_b);
}

} // namespace tidemark::compare
