// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QEvent>

#include <cstddef>
#include <map>

namespace tidemark::ui {

/// How high a text is at a width. Layouts ask for that dozens of times whenever anything in the
/// window changes, and breaking a text into lines is what takes them longest.
class KnownHeights {
public:
    /// `measure(width)` where it is not known.
    template <class Measure>
    int at(int width, Measure measure)
    {
        constexpr std::size_t kMost = 64; // A window that is dragged larger asks for many.
        if (const auto known = m_heights.find(width); known != m_heights.end()) {
            return known->second;
        }
        const int height = measure(width);
        if (m_heights.size() >= kMost) {
            m_heights.clear();
        }
        m_heights.emplace(width, height);
        return height;
    }
    void forget()
    {
        m_heights.clear();
    }
    /// Forgets where an event of the widget changes how the text is broken.
    void heed(const QEvent& event)
    {
        switch (event.type()) {
        case QEvent::FontChange:
        case QEvent::StyleChange:
        case QEvent::Polish:
        case QEvent::ContentsRectChange:
        case QEvent::ScreenChangeInternal:
            forget();
            break;
        default:
            break;
        }
    }

private:
    std::map<int, int> m_heights; ///< By width.
};

} // namespace tidemark::ui
