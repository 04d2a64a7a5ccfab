// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/pipeline/dump_watch.h"
#include "ui/models/newest_job.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QTimer>

#include <memory>

namespace tidemark::ui {

/// Looks into a folder for new dumps about once a second, off the window's thread: a folder may lie
/// on a slow network.
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
    void setInterval(int milliseconds)
    {
        m_timer.setInterval(milliseconds);
    }

Q_SIGNALS:
    void arrived(const QString& path); ///< A dump is complete: new, or written anew.
    /// The folder cannot be read; it is no longer watched.
    void failed(const QString& folder, const QString& sentence);
    void watchingChanged();

private:
    void look();

    QString m_folder;
    QTimer m_timer;
    bool m_is_looking = false;
    std::shared_ptr<pipeline::DumpWatch> m_watch; ///< Used by one look at a time.
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
