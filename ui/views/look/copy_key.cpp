// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/copy_key.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QAbstractItemView>

#include <utility>

namespace tidemark::ui {
namespace {

class CopyKey : public QObject {
public:
    CopyKey(QAbstractItemView& view, std::function<QString()> text)
        : QObject(&view)
        , m_text(std::move(text))
    {
        view.installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::KeyPress
            || !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
            return QObject::eventFilter(watched, event);
        }
        if (const QString text = m_text(); !text.isEmpty()) {
            QGuiApplication::clipboard()->setText(text);
        }
        return true;
    }

private:
    std::function<QString()> m_text;
};

} // namespace

void copyOnKey(QAbstractItemView& view, std::function<QString()> text)
{
    new CopyKey(view, std::move(text));
}

} // namespace tidemark::ui
