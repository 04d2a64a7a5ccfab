// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/job_session.h"
#include "ui/models/session.h"

#include <QtCore/QObject>
#include <QtCore/QStringList>

#include <functional>
#include <optional>
#include <utility>

namespace tidemark::ui {

class JobPage;
class NoticeStrip;
class TopBar;

/// The job that is open beside the files: what is a job of what a person names, its page, and its
/// ranks as files of the window.
class JobActions : public QObject {
    Q_OBJECT
public:
    /// What the window does.
    struct Window {
        std::function<void(const QStringList&)> open; ///< As files, whatever they are.
        std::function<void(FileId, std::int32_t)> show; ///< A device of an open file.
        std::function<void(FileId, FileId)> compare;
        std::function<void()> refresh; ///< Another page is to be shown.
        std::function<void(const QString&)> keep; ///< Among what was opened last.
    };
    JobActions(Session& session, NoticeStrip& notices, JobPage& page, Window window,
               QWidget* parent);

    /// Opens what is a job: folders, archives of several dumps, three and more files that are ranks
    /// of one. Of what only reading tells, the files go to `otherwise` later, or to Window::open.
    /// False: these are files.
    using Otherwise = std::function<void(const QStringList&)>;
    bool take(const QStringList& paths, Otherwise otherwise = {});
    /// Of a dump that arrived in a folder that is watched: whether the job takes it. The second
    /// rank of a job that arrives opens it.
    bool takeArrived(const QString& path, const QString& folder);
    /// Whether a file that was read is one that a rank was opened or compared as.
    bool takeLoaded(FileId id);
    [[nodiscard]] JobSession& job()
    {
        return m_job;
    }
    [[nodiscard]] bool isShown() const
    {
        return m_is_shown && m_job.isOpen();
    }
    void setShown(bool shown);
    void close();
    /// What is looked at, and that again at the next start; `restored` follows.
    [[nodiscard]] JobView view() const;
    void restore(const JobView& view);
    void refreshTopBar(TopBar& bar) const;
    void chooseFolder(); ///< Asks for one and opens the ranks in it.

Q_SIGNALS:
    void viewChanged(); ///< What `view` says.
    void restored(); ///< All that was to be restored is there, or cannot be read.

private:
    void selectExpected();
    void refreshPage();
    void openRank(std::size_t row);
    void compareRanks(std::size_t row, std::size_t against);
    [[nodiscard]] FileId fileOf(std::size_t row);
    [[nodiscard]] static bool areRanks(const QStringList& paths, std::size_t least);

    /// Ranks that are being read.
    struct Wanted {
        FileId file = 0;
        std::int32_t device = 0;
        FileId base = 0; ///< That it is to be compared with; 0: it is to be shown.
    };
    bool fulfil();

    Session& m_session;
    NoticeStrip& m_notices;
    JobPage& m_page;
    Window m_window;
    QWidget* m_parent;
    Otherwise m_otherwise; ///< Of what is being looked into.
    std::optional<Wanted> m_wanted;
    QString m_watched; ///< A folder.
    QStringList m_arrived; ///< Dumps that came into it.
    bool m_is_shown = false;
    std::optional<JobView> m_expected; ///< Is being restored.
    JobSession m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
