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
    if (m_text != text()) {
        m_text = text();
        m_heights.forget();
    }
    return m_heights.at(width, [this](int at) { return QLabel::heightForWidth(at); });
}

bool WrappedText::event(QEvent* event)
{
    m_heights.heed(*event);
    return QLabel::event(event);
}

} // namespace tidemark::ui
