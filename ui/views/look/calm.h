// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtGui/QWheelEvent>
#include <QtWidgets/QWidget>

namespace tidemark::ui {

/// An editor (spin box, slider, combo box) over which the wheel does nothing as long as it has no
/// focus: it scrolls what the editor stands in.
template <class Editor>
class Calm : public Editor {
public:
    explicit Calm(QWidget* parent)
        : Editor(parent)
    {
        this->setFocusPolicy(Qt::StrongFocus); // Not by the wheel, either.
    }

protected:
    void wheelEvent(QWheelEvent* event) override
    {
        if (this->hasFocus()) {
            Editor::wheelEvent(event);
        } else {
            event->ignore();
        }
    }
};

} // namespace tidemark::ui
