// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/folder_watcher.h"
#include "ui/models/session.h"

#include <QtCore/QObject>

#include <functional>

class QAction;
class QWidget;

namespace tidemark::ui {

class NoticeStrip;

/// The switch of the File menu that waits for dumps in a folder. A new dump opens by itself, one
/// that is written anew takes the place of the former, and the window asks for attention.
class WatchActions : public QObject {
    Q_OBJECT
public:
    /// `open` shows a file.
    WatchActions(Session& session, NoticeStrip& notices, std::function<void(const QString&)> open,
                 QWidget* window);
    [[nodiscard]] QAction* action()
    {
        return m_action;
    }
    [[nodiscard]] FolderWatcher& watcher()
    {
        return m_watcher;
    }
    void watch(const QString& folder);

private:
    void choose();
    void take(const QString& path);

    Session& m_session;
    NoticeStrip& m_notices;
    std::function<void(const QString&)> m_open;
    QWidget* m_window;
    QAction* m_action;
    FolderWatcher m_watcher;
};

} // namespace tidemark::ui
