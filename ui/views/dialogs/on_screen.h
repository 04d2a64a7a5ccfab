// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtGui/QScreen>
#include <QtWidgets/QWidget>

namespace tidemark::ui {

/// Gives a dialog a size, of which no more than finds room on its screen, a frame around it.
inline void resizeOnScreen(QWidget& dialog, QSize wanted)
{
    constexpr QSize kFrame(16, 48);
    dialog.resize(wanted.boundedTo(dialog.screen()->availableGeometry().size() - kFrame));
}

} // namespace tidemark::ui
