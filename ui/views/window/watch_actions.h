// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/folder_watcher.h"
#include "ui/models/session.h"

#include <QtCore/QObject>

#include <functional>
#include <set>

class QWidget;

namespace tidemark::ui {

class DesktopNotice;
class NoticeStrip;

/// Waits for dumps in a folder. A new dump opens by itself, and
/// one that is written anew takes the place of the former. Of a run that died of its memory the
/// desktop tells; for any other dump, or where the desktop cannot, the window asks for attention.
class WatchActions : public QObject {
    Q_OBJECT
public:
    /// `open` shows a file.
    WatchActions(Session& session, NoticeStrip& notices, std::function<void(const QString&)> open,
                 QWidget* window);
    [[nodiscard]] FolderWatcher& watcher()
    {
        return m_watcher;
    }
    void watch(const QString& folder);
    void toggle(); ///< Asks for a folder, or stops.

private:
    void take(const QString& path);
    void tell(FileId id);
    DesktopNotice& notice();

    Session& m_session;
    NoticeStrip& m_notices;
    std::function<void(const QString&)> m_open;
    QWidget* m_window;
    std::set<FileId> m_arrived; ///< Being read.
    DesktopNotice* m_notice = nullptr; ///< Made when there is something to tell.
    FolderWatcher m_watcher;
};

} // namespace tidemark::ui
