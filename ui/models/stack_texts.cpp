// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/stack_texts.h"

#include "core/label/stacks/stack_text.h"
#include "ui/models/text.h"

#include <utility>

namespace tidemark::ui {

StackTexts::StackTexts(std::shared_ptr<const trace::Snapshot> snapshot)
    : m_snapshot(std::move(snapshot))
{
    if (m_snapshot) {
        m_finder.emplace(*m_snapshot);
    }
}

const StackTexts::Texts& StackTexts::of(StackId stack) const
{
    const auto known = m_texts.find(stack);
    if (known != m_texts.end()) {
        return known->second;
    }
    const label::CodeLines lines = m_finder->of(*m_snapshot, stack);
    Texts texts;
    texts.operation = text(label::operationText(*m_snapshot, stack));
    if (isPython(lines.shown)) {
        texts.line = text(label::frameText(*m_snapshot, lines.shown));
    } else if (!stack.isNone()) {
        const auto frames = m_snapshot->stacks.frames(stack);
        const FrameId first =
            lines.shown.isNone() && !frames.empty() ? frames.front() : lines.shown;
        texts.native = text(label::frameText(*m_snapshot, first));
    }
    texts.caller = text(label::frameText(*m_snapshot, lines.caller()));
    return m_texts.emplace(stack, std::move(texts)).first->second;
}

FrameId StackTexts::shownFrame(StackId stack) const
{
    const FrameId shown = m_finder ? m_finder->of(*m_snapshot, stack).shown : FrameId::none();
    return isPython(shown) ? shown : FrameId::none();
}

bool StackTexts::isPython(FrameId frame) const
{
    if (frame.isNone()) {
        return false;
    }
    const label::FrameOrigin origin = label::frameOrigin(*m_snapshot, frame);
    return origin == label::FrameOrigin::user || origin == label::FrameOrigin::library;
}

QString StackTexts::Texts::where() const
{
    return line.isEmpty() && !native.isEmpty() ? StackTexts::tr("no Python stack") : line;
}

} // namespace tidemark::ui
