// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QEvent>
#include <QtCore/QObject>
#include <QtWidgets/QWidget>

#include <functional>
#include <utility>

namespace tidemark::ui {

/// Fills a widget when somebody sees it: at once, unless it is hidden in a window that is shown;
/// then when it is shown itself, however often it was asked until then. A child of the widget.
class WhenSeen : public QObject {
public:
    WhenSeen(QWidget& widget, std::function<void()> fill)
        : QObject(&widget)
        , m_widget(widget)
        , m_fill(std::move(fill))
    {
        widget.installEventFilter(this);
    }
    void fill()
    {
        m_waits = !m_widget.isVisible() && m_widget.window()->isVisible();
        if (!m_waits) {
            m_fill();
        }
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (m_waits && event->type() == QEvent::Show) {
            m_waits = false;
            m_fill();
        }
        return QObject::eventFilter(watched, event);
    }

private:
    QWidget& m_widget;
    std::function<void()> m_fill;
    bool m_waits = false;
};

} // namespace tidemark::ui
