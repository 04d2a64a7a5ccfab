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
    /// `first`: what has to be filled before this, where both wait.
    WhenSeen(QWidget& widget, std::function<void()> fill, WhenSeen* first = nullptr)
        : QObject(&widget)
        , m_widget(widget)
        , m_fill(std::move(fill))
        , m_first(first)
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
        if (event->type() == QEvent::Show) {
            fillNow();
        }
        return QObject::eventFilter(watched, event);
    }

private:
    void fillNow()
    {
        if (m_waits && m_first != nullptr) {
            m_first->fillNow();
        }
        if (m_waits) { // `first` may have filled this.
            m_waits = false;
            m_fill();
        }
    }

    QWidget& m_widget;
    std::function<void()> m_fill;
    WhenSeen* m_first; ///< Lives as long as this: of the same widget.
    bool m_waits = false;
};

} // namespace tidemark::ui
