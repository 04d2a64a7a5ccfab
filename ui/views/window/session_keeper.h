// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/job_session.h"
#include "ui/models/session.h"
#include "ui/models/view_link.h"

#include <QtCore/QByteArray>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QStringList>
#include <QtCore/QTimer>

#include <map>
#include <optional>
#include <set>

namespace tidemark::ui {

class AnalysisPage;
class ViewState;

/// What is open and where it is looked at, for the next start: files, the pair that is compared,
/// the job of many ranks, and of each file zoom, cursor, selection, filter, what-if and capacity.
/// Written a moment after a change, so that it is there however the program ends. Also shows the
/// view that a link names once its file can be drawn.
class SessionKeeper : public QObject {
    Q_OBJECT
public:
    /// What is shown beside the files themselves.
    struct Shown {
        FileId current = 0;
        FileId base = 0; ///< Both of a comparison; 0: none.
        FileId against = 0;
        JobView job;
    };

    /// All three outlive it.
    SessionKeeper(Session& session, ViewState& state, AnalysisPage& page,
                  QObject* parent = nullptr);

    /// Keeps what is looked at now; to be called before another file is shown.
    void keep();
    /// Shows what is expected of a file that is shown now.
    void show(FileId shown);
    /// Opens the file of a link, which may be elsewhere here, with what a person adds to it: shown
    /// as the link says as soon as it is shown.
    FileId open(const QString& path, const ViewLink& link, diagnose::UserInput input = {});
    /// The device that is expected of a file; nullopt: nothing is.
    [[nodiscard]] std::optional<std::size_t> expectedDevice(FileId id) const;
    /// The view of the file that is shown.
    [[nodiscard]] ViewLink view(FileId shown) const;

    /// Where it is kept; empty: nowhere. `is_on`: whether it is to be kept.
    void setPath(const QString& path);
    void setOn(bool is_on);
    void write(const Shown& shown); ///< At once.
    void writeSoon();
    /// Opens what was kept. Files that are gone are left out and named; what had not ended opening
    /// when the program ended is not opened again.
    struct Restored {
        QStringList gone; ///< Paths.
        bool is_broken = false; ///< The last start ended while it opened these files.
        JobView job; ///< To be opened, too; `jobRestored` says when it is.
    };
    Restored restore();
    void jobRestored();
    /// Whether a file comes back with the others, and is no new one to compare.
    [[nodiscard]] bool takeRestored(FileId id);
    /// What is to be shown once the last file is back; nullopt before.
    [[nodiscard]] std::optional<Shown> takeShown();

Q_SIGNALS:
    void changed(); ///< A moment ago; it is time to write.

private:
    [[nodiscard]] QByteArray saved(const Shown& shown) const;
    void writeBytes(const QByteArray& bytes);

    Session& m_session;
    ViewState& m_state;
    AnalysisPage& m_page;
    QString m_path;
    QByteArray m_written; ///< Last.
    bool m_is_on = true;
    std::map<FileId, ViewLink> m_kept; ///< Of files that are not shown now, too.
    std::map<FileId, ViewLink> m_expected;
    std::set<FileId> m_restoring; ///< Not yet back.
    bool m_is_job_restoring = false;
    std::optional<Shown> m_shown; ///< Of what is restored.
    QTimer m_soon;
};

} // namespace tidemark::ui
