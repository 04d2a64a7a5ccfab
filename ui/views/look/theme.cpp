// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/theme.h"

#include "resources/window.qss.h"
#include "ui/models/text.h"
#include "ui/views/look/seen_indicators.h"

#include <QtCore/QPointer>
#include <QtGui/QPalette>
#include <QtWidgets/QApplication>
#include <QtWidgets/QWidget>

#include <array>
#include <utility>

namespace tidemark::ui {
namespace {

QPalette paletteFor(const ThemeColours& colours)
{
    QPalette palette;
    palette.setColor(QPalette::Window, colours.window);
    palette.setColor(QPalette::WindowText, colours.text);
    palette.setColor(QPalette::Base, colours.card);
    palette.setColor(QPalette::AlternateBase, colours.hover);
    palette.setColor(QPalette::Text, colours.text);
    palette.setColor(QPalette::PlaceholderText, colours.secondary);
    palette.setColor(QPalette::Button, colours.card);
    palette.setColor(QPalette::ButtonText, colours.text);
    palette.setColor(QPalette::BrightText, colours.danger_text);
    palette.setColor(QPalette::ToolTipBase, colours.card);
    palette.setColor(QPalette::ToolTipText, colours.text);
    palette.setColor(QPalette::Highlight, colours.accent);
    palette.setColor(QPalette::HighlightedText, colours.accent_text);
    palette.setColor(QPalette::Link, colours.link);
    palette.setColor(QPalette::LinkVisited, colours.link);
    palette.setColor(QPalette::Mid, colours.border);
    palette.setColor(QPalette::Dark, colours.border);
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, colours.faint);
    }
    return palette;
}

/// The style sheet with its @names@ replaced.
QString styleSheetFor(const ThemeColours& colours)
{
    QString sheet = text(resources::window_style());
    const std::array<std::pair<QString, QColor>, 13> names{{
        {QStringLiteral("@window@"), colours.window},
        {QStringLiteral("@card@"), colours.card},
        {QStringLiteral("@border@"), colours.border},
        {QStringLiteral("@hover@"), colours.hover},
        {QStringLiteral("@selection@"), colours.selection},
        {QStringLiteral("@text@"), colours.text},
        {QStringLiteral("@secondary@"), colours.secondary},
        {QStringLiteral("@faint@"), colours.faint},
        {QStringLiteral("@accent@"), colours.accent},
        {QStringLiteral("@accent_text@"), colours.accent_text},
        {QStringLiteral("@link@"), colours.link},
        {QStringLiteral("@danger_text@"), colours.danger_text},
        {QStringLiteral("@good@"), colours.good},
    }};
    for (const auto& [name, colour] : names) {
        sheet.replace(name, colour.name());
    }
    return sheet;
}

} // namespace

Theme resolveTheme(ThemeChoice choice)
{
    static const bool system_is_dark =
        QApplication::palette().color(QPalette::Window).lightness() < 128;
    switch (choice) {
    case ThemeChoice::light:
        return Theme::light;
    case ThemeChoice::dark:
        return Theme::dark;
    case ThemeChoice::system:
        break;
    }
    return system_is_dark ? Theme::dark : Theme::light;
}

void applyTheme(QApplication& application, Theme theme)
{
    const ThemeColours& colours = themeColours(theme);
    static QPointer<SeenIndicators> style; // The program owns it, and polishes all for another.
    if (!style) {
        style = new SeenIndicators;
        QApplication::setStyle(style);
    }
    // In place of another sheet Qt polishes every widget once for each of its ancestors: ten times
    // as slow as without one between them.
    application.setStyleSheet({});
    QApplication::setPalette(paletteFor(colours));
    application.setStyleSheet(styleSheetFor(colours));
}

const ThemeColours& currentColours()
{
    // The program's palette, not the widget's own: style sheets make that one transparent or worse.
    const bool is_dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    return themeColours(is_dark ? Theme::dark : Theme::light);
}

} // namespace tidemark::ui
