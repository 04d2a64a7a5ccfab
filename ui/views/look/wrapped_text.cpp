// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/wrapped_text.h"

#include <QtCore/QEvent>

namespace tidemark::ui {

WrappedText::WrappedText(QWidget* parent)
    : QLabel(parent)
{
    setWordWrap(true);
}

int WrappedText::heightForWidth(int width) const
{
    constexpr std::size_t kMost = 64; // A window that is dragged larger asks for many.
    if (m_text != text() || m_heights.size() > kMost) {
        m_text = text();
        m_heights.clear();
    }
    const auto known = m_heights.find(width);
    if (known != m_heights.end()) {
        return known->second;
    }
    const int height = QLabel::heightForWidth(width);
    m_heights.emplace(width, height);
    return height;
}

bool WrappedText::event(QEvent* event)
{
    switch (event->type()) {
    case QEvent::FontChange:
    case QEvent::StyleChange:
    case QEvent::Polish:
    case QEvent::ContentsRectChange:
    case QEvent::ScreenChangeInternal:
        m_heights.clear();
        break;
    default:
        break;
    }
    return QLabel::event(event);
}

} // namespace tidemark::ui
