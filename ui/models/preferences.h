// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QObject>
#include <QtCore/QStringList>

#include <cstdint>

namespace tidemark::ui {

enum class ThemeChoice : std::uint8_t { system, light, dark };

/// What a person prefers, for as long as the program runs; `app` reads and writes it.
class Preferences : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kMaxRecent = 10;

    using QObject::QObject;

    [[nodiscard]] ThemeChoice theme() const
    {
        return m_theme;
    }
    void setTheme(ThemeChoice theme);
    /// Absolute paths, newest first.
    [[nodiscard]] const QStringList& recentFiles() const
    {
        return m_recent;
    }
    void setRecentFiles(const QStringList& paths);
    void addRecentFile(const QString& path);

Q_SIGNALS:
    void themeChanged();
    void recentFilesChanged();

private:
    ThemeChoice m_theme = ThemeChoice::system;
    QStringList m_recent;
};

} // namespace tidemark::ui
