// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/remote/received.h"
#include "ui/models/part_schedule.h"
#include "ui/models/session.h"

#include <QtCore/QObject>
#include <QtCore/QStringList>

#include <functional>

class QWidget;

namespace tidemark::ui {

class ArrivalStrip;
class NoticeStrip;
class RemoteDialog;

/// Opens files of other machines: the dialog that asks for one and, while a large one arrives, the
/// window with what has come of it so far, read anew whenever twice as much is there. A line that
/// breaks off, or a person who stops it, leaves what came.
class RemoteActions : public QObject {
    Q_OBJECT
public:
    /// What the window does with files.
    struct Window {
        std::function<void(const QStringList&)> open;
        std::function<void(FileId)> show; ///< As soon as there is something to show.
        std::function<void(const QString&)> keep; ///< All of a file that is shown has come.
    };
    RemoteActions(Session& session, NoticeStrip& notices, ArrivalStrip& strip, Window window,
                  QWidget* parent);

    /// Shows the dialog; with an address it fetches at once.
    void open(const QString& address);
    /// The one that is there, else a new one.
    RemoteDialog& dialog();
    PartSchedule& schedule()
    {
        return m_schedule;
    }

private:
    void follow(const remote::Received& received);
    void take(const QStringList& files, const QStringList& anew, const QString& notice);
    void stop();
    void end();

    Session& m_session;
    NoticeStrip& m_notices;
    ArrivalStrip& m_strip;
    Window m_show;
    QWidget* m_window;
    PartSchedule m_schedule;
    QString m_arriving; ///< The file that comes; empty: none.
    FileId m_part = 0; ///< What is shown of it; 0: nothing yet.
    bool m_was_drawn = false;
};

} // namespace tidemark::ui
