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
    /// The code of a language, see language.h; empty: that of the system. Takes effect when the
    /// program starts.
    [[nodiscard]] const QString& language() const
    {
        return m_language;
    }
    void setLanguage(const QString& code);
    /// Absolute paths, newest first.
    [[nodiscard]] const QStringList& recentFiles() const
    {
        return m_recent;
    }
    void setRecentFiles(const QStringList& paths);
    void addRecentFile(const QString& path);
    /// The list to save where `saved` is what other windows may have saved meanwhile: what was
    /// opened here, newest first, before theirs.
    [[nodiscard]] QStringList recentFilesWith(const QStringList& saved) const;

Q_SIGNALS:
    void themeChanged();
    void languageChanged();
    void recentFilesChanged();

private:
    ThemeChoice m_theme = ThemeChoice::system;
    QString m_language;
    QStringList m_recent;
    QStringList m_opened; ///< Since the program began, newest first.
};

} // namespace tidemark::ui
