// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtWidgets/QProxyStyle>

namespace tidemark::ui {

/// Fusion draws the outline of boxes to check darker than the window, which nobody sees on a dark
/// one: here it has the colour of secondary text. Buttons of dialogs have no pictures: the desktop
/// has one for some of them only.
class SeenIndicators : public QProxyStyle {
    Q_OBJECT
public:
    SeenIndicators();
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* result) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
};

} // namespace tidemark::ui
