// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QObject>

namespace tidemark::ui {

/// Keeps text what it is: as long as this lives, every label of the program and every tool tip,
/// whoever shows it, is plain text unless it was made rich text on purpose. Qt would guess, and a
/// function named `<img src="file:///dev/zero">` would be a picture that is loaded for ever.
///
/// It steps in before the first layout of a label, so nothing is loaded ever. Tool tips have no
/// mark-up at all, since Qt uses one label for all of them.
class PlainTexts : public QObject {
    Q_OBJECT
public:
    /// Watches all widgets of the application, which must be there.
    explicit PlainTexts(QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace tidemark::ui
