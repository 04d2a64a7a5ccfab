// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/preferences.h"

#include <QtCore/QFileInfo>

namespace tidemark::ui {

void Preferences::setTheme(ThemeChoice theme)
{
    if (theme != m_theme) {
        m_theme = theme;
        Q_EMIT themeChanged();
    }
}

void Preferences::setLanguage(const QString& code)
{
    if (code != m_language) {
        m_language = code;
        Q_EMIT languageChanged();
    }
}

void Preferences::setRestoresSession(bool restores)
{
    if (restores != m_restores_session) {
        m_restores_session = restores;
        Q_EMIT restoresSessionChanged();
    }
}

void Preferences::setPeak(const QString& path, qint64 bytes)
{
    if (bytes > 0 && m_peaks.value(path) != bytes) {
        m_peaks[path] = bytes;
        Q_EMIT recentFilesChanged();
    }
}

void Preferences::setRecentFiles(const QStringList& paths)
{
    const QStringList kept = paths.mid(0, kMaxRecent);
    if (kept != m_recent) {
        m_recent = kept;
        Q_EMIT recentFilesChanged();
    }
}

void Preferences::addRecentFile(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    m_opened.removeAll(absolute);
    m_opened.prepend(absolute);
    setRecentFiles(recentFilesWith(m_recent));
}

QStringList Preferences::recentFilesWith(const QStringList& saved) const
{
    QStringList all = m_opened + saved;
    all.removeDuplicates();
    return all.mid(0, kMaxRecent);
}

} // namespace tidemark::ui
