// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtWidgets/QProxyStyle>

namespace tidemark::ui {

/// Fusion draws the outline of boxes to check darker than the window, which nobody sees on a dark
/// one: here it has the colour of secondary text.
class SeenIndicators : public QProxyStyle {
    Q_OBJECT
public:
    SeenIndicators();
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
};

} // namespace tidemark::ui
