// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/job_actions.h"

#include "ui/models/job_lines.h"
#include "ui/models/text.h"
#include "ui/views/job/job_page.h"
#include "ui/views/job/rank_bands.h"
#include "ui/views/look/strips.h"
#include "ui/views/window/top_bar.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtWidgets/QApplication>
#include <QtWidgets/QFileDialog>

#include <algorithm>
#include <set>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::size_t kLeastRanks = 3; ///< Files that are opened together; two are compared.

bool isFolder(const QString& path)
{
    return QFileInfo(path).isDir();
}

/// Whether a file may hold several dumps, by its name.
bool isArchive(const QString& path)
{
    static const QStringList kEndings{QStringLiteral(".zip"),     QStringLiteral(".tar"),
                                      QStringLiteral(".tgz"),     QStringLiteral(".tar.gz"),
                                      QStringLiteral(".tar.xz"),  QStringLiteral(".tar.zst"),
                                      QStringLiteral(".tar.bz2"), QStringLiteral(".tar.lz4")};
    return QFileInfo(path).isFile() && std::ranges::any_of(kEndings, [&](const QString& ending) {
               return path.endsWith(ending, Qt::CaseInsensitive);
           });
}

bool hasSeveral(const job::Gathered& gathered)
{
    return gathered.dumps.size() > 1;
}

} // namespace

JobActions::JobActions(Session& session, NoticeStrip& notices, JobPage& page, Window window,
                       QWidget* parent)
    : QObject(parent)
    , m_session(session)
    , m_notices(notices)
    , m_page(page)
    , m_window(std::move(window))
    , m_parent(parent)
{
    connect(&m_job, &JobSession::opened, this, [this] {
        m_is_shown = !m_expected || m_expected->is_shown;
        m_page.setJob(nullptr);
        m_window.refresh();
        if (m_is_shown) {
            m_page.setFocus();
        }
        if (m_job.paths().size() == 1) {
            m_window.keep(m_job.paths().front());
        }
    });
    connect(&m_job, &JobSession::jobChanged, this, [this] {
        m_page.setJob(m_job.job());
        selectExpected();
    });
    connect(&m_page.bands(), &RankBands::selectionChanged, this, &JobActions::viewChanged);
    connect(&m_job, &JobSession::progressChanged, this, &JobActions::refreshPage);
    connect(&m_job, &JobSession::finished, this, [this] {
        m_window.refresh();
        if (std::exchange(m_expected, std::nullopt)) {
            Q_EMIT restored();
        }
        Q_EMIT viewChanged();
    });
    connect(&m_job, &JobSession::declined, this,
            [this](const QStringList& paths, const QStringList& files) {
                const bool is_folder = std::ranges::any_of(paths, isFolder);
                m_otherwise(is_folder ? files : paths);
            });
    connect(&m_job, &JobSession::failed, this,
            [this](const QStringList& paths, const QString& sentence) {
                if (std::ranges::any_of(paths, isFolder)) {
                    // Of several it names the one that it speaks of.
                    const QString name = paths.size() > 1
                        ? QString()
                        : QFileInfo(QDir::cleanPath(paths.front())).fileName()
                            % QStringLiteral(": ");
                    m_notices.showFailure(name % sentence);
                } else {
                    m_otherwise(paths); // The reader says what is wrong with a file.
                }
            });
    connect(&m_page, &JobPage::stopRequested, &m_job, &JobSession::cancel);
    connect(&m_page, &JobPage::openRequested, this, &JobActions::openRank);
    connect(&m_page, &JobPage::compareRequested, this, &JobActions::compareRanks);
}

void JobActions::chooseFolder()
{
    const QString folder = QFileDialog::getExistingDirectory(m_parent, tr("Open a job's ranks"));
    if (!folder.isEmpty()) {
        take({folder});
    }
}

/// Names alone tell, so that files which are none open at once.
bool JobActions::areRanks(const QStringList& paths, std::size_t least)
{
    std::vector<std::string> names;
    for (const QString& path : paths) {
        names.push_back(namedPath(pathFrom(path)));
    }
    std::set<std::uint32_t> ranks;
    const std::vector<job::DumpName> read = job::nameDumps(names);
    const bool is_one_job = std::ranges::all_of(read, [&](const job::DumpName& name) {
        if (name.rank) {
            ranks.insert(*name.rank);
        }
        return name.rank && name.group == read.front().group;
    });
    return is_one_job && ranks.size() >= least;
}

bool JobActions::take(const QStringList& paths, Otherwise otherwise)
{
    const bool is_job = std::ranges::any_of(paths, isFolder)
        || (paths.size() == 1 && isArchive(paths.front())) || areRanks(paths, kLeastRanks);
    if (is_job) {
        if (std::exchange(m_expected, std::nullopt)) { // Something else is wanted by now.
            Q_EMIT restored();
        }
        m_otherwise = otherwise ? std::move(otherwise) : m_window.open;
        m_job.setOptions(
            {m_session.readOptions(), m_session.givenInput(), m_session.ruleOptions()});
        m_job.open(paths, hasSeveral);
    }
    return is_job;
}

bool JobActions::takeArrived(const QString& path, const QString& folder)
{
    QApplication::alert(m_parent);
    if (m_job.covers(path)) {
        m_job.refresh();
        return true;
    }
    if (folder != m_watched) {
        m_watched = folder;
        m_arrived.clear();
    }
    m_arrived.removeAll(path);
    m_arrived << path;
    if (!areRanks(m_arrived, 2)) {
        return false;
    }
    // The second rank of a job: from now on they come together. What is copied from another machine
    // lies in no folder of this one.
    return take(isFolder(folder) ? QStringList{folder} : m_arrived);
}

void JobActions::close()
{
    m_is_shown = false;
    m_wanted.reset();
    m_job.close();
    m_window.refresh();
    Q_EMIT viewChanged();
}

JobView JobActions::view() const
{
    if (m_expected) {
        return *m_expected; // What is still coming back was looked at last.
    }
    JobView view{m_job.paths(), {}, 0, isShown()};
    for (QString& path : view.paths) {
        path = QFileInfo(path).absoluteFilePath();
    }
    const std::size_t row = m_page.bands().selected();
    if (m_job.job() != nullptr && row < m_job.job()->rows.size()) {
        const job::RankSummary& rank = m_job.job()->rows[row];
        view.file = text(rank.file);
        view.device = rank.device;
    }
    return view;
}

void JobActions::restore(const JobView& view)
{
    if (take(view.paths)) {
        m_expected = view; // Unless a person opens a job meanwhile, were it the same one.
        return;
    }
    m_window.open(view.paths); // Single files are left of it.
    Q_EMIT restored();
}

/// The rank that was selected, as soon as it is read; unless a person selects another before.
void JobActions::selectExpected()
{
    if (!m_expected || m_expected->file.isEmpty() || m_job.job() == nullptr
        || m_page.bands().selected() != kNoRow) {
        return;
    }
    const std::vector<job::RankSummary>& rows = m_job.job()->rows;
    const auto found = std::ranges::find_if(rows, [&](const job::RankSummary& row) {
        return row.device == m_expected->device && text(row.file) == m_expected->file;
    });
    if (found != rows.end()) {
        m_page.bands().select(static_cast<std::size_t>(found - rows.begin()));
    }
}

void JobActions::setShown(bool shown)
{
    if (m_is_shown != shown) {
        m_is_shown = shown;
        Q_EMIT viewChanged();
    }
}

void JobActions::refreshPage()
{
    m_page.setReading(m_job.isReading() ? std::optional(m_job.fraction()) : std::nullopt,
                      m_job.dumpCount());
}

void JobActions::refreshTopBar(TopBar& bar) const
{
    if (!m_job.isOpen()) {
        bar.setJob({}, {}, false);
        return;
    }
    bar.setJob(m_job.name(), m_job.paths().join(u'\n'), isShown());
}

FileId JobActions::fileOf(std::size_t row)
{
    const QString path = m_job.fileOf(row);
    if (path.isEmpty()) {
        m_notices.showNotice(tr("%1 is only a summary; open its snapshot where it was recorded.")
                                 .arg(rankText(m_job.job()->rows[row])));
        return 0;
    }
    return m_session.addFiles({path}).front();
}

void JobActions::openRank(std::size_t row)
{
    const std::int32_t device = m_job.job()->rows[row].device;
    if (const FileId file = fileOf(row); file != 0) {
        m_wanted = Wanted{file, device, 0};
        fulfil();
    }
}

void JobActions::compareRanks(std::size_t row, std::size_t against)
{
    const std::int32_t device = m_job.job()->rows[row].device;
    const FileId base = fileOf(against);
    const FileId file = base == 0 ? 0 : fileOf(row);
    if (file == 0) {
        return;
    }
    if (base == file) {
        m_notices.showNotice(tr("Both are devices of one file; open it and select a device."));
        return;
    }
    m_wanted = Wanted{file, device, base};
    fulfil();
}

/// Shows what was wanted as soon as it can be drawn.
bool JobActions::fulfil()
{
    if (!m_wanted) {
        return false;
    }
    const OpenFile* const file = m_session.find(m_wanted->file);
    const OpenFile* const base = m_session.find(m_wanted->base);
    if (file == nullptr || (m_wanted->base != 0 && base == nullptr)) {
        m_wanted.reset(); // It was closed, or cannot be read.
        return false;
    }
    if (file->is_loading || (base != nullptr && base->is_loading)) {
        return false;
    }
    const Wanted wanted = *m_wanted;
    m_wanted.reset();
    setShown(false);
    if (wanted.base != 0) {
        m_window.compare(wanted.base, wanted.file);
    } else {
        m_window.show(wanted.file, wanted.device);
    }
    return true;
}

bool JobActions::takeLoaded(FileId id)
{
    const bool is_wanted = m_wanted && (m_wanted->file == id || m_wanted->base == id);
    fulfil();
    return is_wanted;
}

} // namespace tidemark::ui
