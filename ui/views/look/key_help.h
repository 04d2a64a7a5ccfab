// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>
#include <QtCore/qnamespace.h>

#include <vector>

namespace tidemark::ui {

/// What a view does on a key that is no action of the window, or with the mouse; for the sheet of
/// keys. A view lists its own beside the function that handles them.
struct KeyHelp {
    QKeyCombination key; ///< Unknown: a gesture of the mouse.
    QString gesture; ///< "Ctrl and a drag", where there is no key.
    QString words; ///< "Zoom to the selected range"

    [[nodiscard]] bool hasKey() const
    {
        return key.key() != Qt::Key_unknown;
    }
};

/// The keys of one view, or of one menu.
struct KeyGroup {
    QString title;
    std::vector<KeyHelp> keys;
};

} // namespace tidemark::ui
