// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/stack_texts.h"

#include "core/label/stacks/stack_text.h"
#include "ui/models/text.h"

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
    return m_texts
        .emplace(stack,
                 Texts{text(label::operationText(*m_snapshot, stack)),
                       text(label::frameText(*m_snapshot, lines.shown)),
                       text(label::frameText(*m_snapshot, lines.caller()))})
        .first->second;
}

FrameId StackTexts::shownFrame(StackId stack) const
{
    return m_finder ? m_finder->of(*m_snapshot, stack).shown : FrameId::none();
}

} // namespace tidemark::ui
