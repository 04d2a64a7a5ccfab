// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QHash>
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
    /// Whether the files of the last session are opened again at the start.
    [[nodiscard]] bool restoresSession() const
    {
        return m_restores_session;
    }
    void setRestoresSession(bool restores);
    /// Whether reports and copied findings have other names; not kept beyond the program's end.
    [[nodiscard]] bool redacts() const
    {
        return m_redacts;
    }
    void setRedacts(bool redacts)
    {
        m_redacts = redacts;
    }
    /// The peak of a recent file, bytes, as it was when it was last open; 0: not known.
    [[nodiscard]] qint64 peakOf(const QString& path) const
    {
        return m_peaks.value(path);
    }
    void setPeak(const QString& path, qint64 bytes);
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
    void restoresSessionChanged();

private:
    ThemeChoice m_theme = ThemeChoice::system;
    QString m_language;
    bool m_restores_session = true;
    bool m_redacts = false;
    QHash<QString, qint64> m_peaks;
    QStringList m_recent;
    QStringList m_opened; ///< Since the program began, newest first.
};

} // namespace tidemark::ui
