// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/plain_texts.h"

#include <QtCore/QEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLabel>

namespace tidemark::ui {

PlainTexts::PlainTexts(QObject* parent)
    : QObject(parent)
{
    qApp->installEventFilter(this);
}

bool PlainTexts::eventFilter(QObject* watched, QEvent* event)
{
    // A label is polished before it is measured; that of tool tips, before it has its first text.
    if (event->type() == QEvent::Polish) {
        auto* label = qobject_cast<QLabel*>(watched);
        if (label != nullptr && label->textFormat() == Qt::AutoText) {
            label->setTextFormat(Qt::PlainText);
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace tidemark::ui
