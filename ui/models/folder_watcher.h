// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "ui/models/newest_job.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QTimer>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

namespace tidemark::ui {

/// What one look into a folder shows.
struct FolderLook {
    std::vector<std::filesystem::path> files; ///< Dumps that have become complete.
    QString interruption; ///< Another machine could not be reached, told once; else empty.
};

/// Looks into a folder for new dumps, off the window's thread: about once a second into one of this
/// machine, which may lie on a slow network, every ten seconds into one of another machine
/// ("user@host:path"), from which they are copied.
class FolderWatcher : public QObject {
    Q_OBJECT
public:
    explicit FolderWatcher(QObject* parent = nullptr);

    /// Begins anew with another folder; empty: stops.
    void watch(const QString& folder);
    [[nodiscard]] const QString& folder() const
    {
        return m_folder;
    }
    [[nodiscard]] bool isWatching() const
    {
        return !m_folder.isEmpty();
    }
    /// Between two looks into the folders that are watched from now on; 0: as suits them.
    void setInterval(int milliseconds)
    {
        m_interval = milliseconds;
    }

Q_SIGNALS:
    void arrived(const QString& path); ///< A dump is complete: new, or written anew.
    /// The folder cannot be read; it is no longer watched.
    void failed(const QString& folder, const QString& sentence);
    /// The other machine could not be reached; it is tried again, and that is told once.
    void interrupted(const QString& folder, const QString& sentence);
    void watchingChanged();

private:
    void look();

    QString m_folder;
    QTimer m_timer;
    bool m_is_looking = false;
    /// Used by one look at a time.
    std::function<Result<FolderLook>(const std::stop_token&)> m_look;
    int m_interval = 0;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
