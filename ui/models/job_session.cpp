// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/job_session.h"

#include "core/remote/address.h"
#include "core/remote/kept_copies.h"
#include "ui/models/text.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::chrono::milliseconds kJobProgressInterval{33};

std::vector<std::filesystem::path> filesOf(const QStringList& paths)
{
    std::vector<std::filesystem::path> files;
    for (const QString& path : paths) {
        files.push_back(pathFrom(path));
    }
    return files;
}

} // namespace

std::string namedPath(const std::filesystem::path& file)
{
    const auto origin = remote::originOf(file);
    const auto address = origin ? remote::farAddress(origin->address) : std::nullopt;
    return address ? address->path
                   : utf8(QDir::cleanPath(QFileInfo(pathText(file)).absoluteFilePath()));
}

JobMaker JobMaker::ofCore()
{
    const auto gather = [](std::span<const std::filesystem::path> paths,
                           const std::stop_token& stop) {
        std::vector<job::FileOfFolder> copies;
        for (const std::filesystem::path& path : paths) {
            if (const auto origin = remote::originOf(path)) {
                copies.push_back({path, namedPath(path), origin->stamp.modified});
            }
        }
        return copies.empty() || copies.size() < paths.size() ? job::gather(paths, stop)
                                                              : job::gather(copies, {}, stop);
    };
    return {gather, job::readJob, job::judge, job::explain};
}

/// Posts the newest progress, not every one.
class JobSession::Progress final : public ProgressSink {
public:
    Progress(JobSession& session, std::uint64_t number)
        : m_session(session)
        , m_number(number)
    {
    }

    void report(std::string_view /*stage*/, double fraction) override
    {
        const auto now = std::chrono::steady_clock::now();
        if (now - m_posted < kJobProgressInterval) {
            return;
        }
        m_posted = now;
        QMetaObject::invokeMethod(
            &m_session,
            [session = &m_session, number = m_number, fraction] {
                session->report(number, fraction);
            },
            Qt::QueuedConnection);
    }

private:
    JobSession& m_session;
    std::uint64_t m_number;
    std::chrono::steady_clock::time_point m_posted;
};

JobSession::JobSession(JobMaker maker, QObject* parent)
    : QObject(parent)
    , m_maker(std::move(maker))
{
}

QString JobSession::name() const
{
    if (m_paths.isEmpty()) {
        return {};
    }
    const QFileInfo first(m_paths.front());
    const bool is_whole = m_paths.size() == 1;
    const QString path =
        is_whole ? QDir::cleanPath(first.absoluteFilePath()) : first.absolutePath();
    return QFileInfo(path).fileName();
}

QString JobSession::fileOf(std::size_t row) const
{
    return m_job == nullptr || row >= m_job->rows.size() ? QString()
                                                         : pathText(m_job->rows[row].snapshot);
}

bool JobSession::covers(const QString& path) const
{
    const QString file = QFileInfo(path).absoluteFilePath();
    return std::ranges::any_of(m_paths, [&](const QString& opened) {
        const QFileInfo info(opened);
        return info.isDir() && file.startsWith(QDir::cleanPath(info.absoluteFilePath()) % u'/');
    });
}

void JobSession::open(const QStringList& paths, Accept accept)
{
    start({++m_number, paths, std::move(accept), nullptr, {}, m_options});
}

void JobSession::refresh()
{
    if (!isOpen()) {
        return;
    }
    if (m_is_reading) {
        m_wants_refresh = true; // A reading that begins anew with each rank would never end.
        return;
    }
    start({++m_number, m_paths, {}, m_job, m_stamps, m_options});
}

void JobSession::cancel()
{
    m_reader.cancel();
    ++m_number;
    m_wants_refresh = false;
    if (std::exchange(m_is_reading, false)) {
        Q_EMIT progressChanged();
        Q_EMIT finished();
    }
}

void JobSession::close()
{
    cancel();
    m_paths.clear();
    m_gathered.reset();
    m_stamps.clear();
    m_job.reset();
    Q_EMIT jobChanged();
}

void JobSession::start(Task task)
{
    m_is_reading = true;
    m_wants_refresh = false;
    m_fraction = 0;
    Q_EMIT progressChanged();
    m_reader.start(
        this, [this, task](const std::stop_token& stop) { return make(task, stop); },
        [this, task](const std::shared_ptr<Outcome>& outcome) { finish(task, *outcome); });
}

JobSession::Stamps JobSession::stampsOf(const job::Gathered& gathered)
{
    Stamps stamps;
    for (const job::Dump& dump : gathered.dumps) {
        if (dump.is_summary) {
            continue; // Small, and one may hold many ranks: read again.
        }
        std::error_code ignored;
        Stamp& stamp = stamps[dump.shown];
        stamp.size = std::filesystem::file_size(dump.file, ignored);
        stamp.time = std::filesystem::last_write_time(dump.file, ignored);
    }
    return stamps;
}

/// On the thread of the reader: it touches nothing but the task and what never changes while that
/// runs.
JobSession::Outcome JobSession::make(const Task& task, const std::stop_token& stop)
{
    Outcome outcome;
    try {
        auto found = m_maker.gather(filesOf(task.paths), stop);
        if (!found.has_value()) {
            outcome.job = found.error();
            return outcome;
        }
        const auto gathered = std::make_shared<const job::Gathered>(std::move(found).value());
        for (const job::Dump& dump : gathered->dumps) {
            outcome.found << pathText(dump.file);
        }
        outcome.is_job = !task.accept || task.accept(*gathered);
        if (!outcome.is_job) {
            return outcome;
        }
        outcome.stamps = stampsOf(*gathered);
        QMetaObject::invokeMethod(
            this, [this, task, gathered] { accepted(task, gathered); }, Qt::QueuedConnection);
        outcome.job = readNew(task, *gathered, outcome.stamps, stop);
    } catch (const std::exception& exception) {
        outcome.job =
            Error{ErrorCode::internal, utf8(tr("Internal error: %1.").arg(text(exception.what())))};
    }
    return outcome;
}

Result<job::Job> JobSession::readNew(const Task& task, const job::Gathered& all,
                                     const Stamps& stamps, const std::stop_token& stop)
{
    std::set<std::string> is_known;
    std::vector<job::RankSummary> kept;
    for (const auto& [shown, stamp] : task.stamps) {
        const auto now = stamps.find(shown);
        if (now != stamps.end() && now->second == stamp) {
            is_known.insert(shown);
        }
    }
    if (task.known != nullptr) {
        std::ranges::copy_if(task.known->rows, std::back_inserter(kept),
                             [&](const auto& row) { return is_known.contains(row.file); });
    }
    job::Gathered wanted = all;
    std::erase_if(wanted.dumps, [&](const auto& dump) { return is_known.contains(dump.shown); });
    const auto withKept = [&](const job::Job& read) {
        std::vector<job::RankSummary> rows = kept;
        rows.insert(rows.end(), read.rows.begin(), read.rows.end());
        job::Job job = m_maker.judge(std::move(rows));
        job.notes.insert(job.notes.begin(), all.notes.begin(), all.notes.end());
        return job;
    };
    const auto post = [&, number = task.number](const job::Job& job) {
        auto shared = std::make_shared<const job::Job>(kept.empty() ? job : withKept(job));
        QMetaObject::invokeMethod(
            this, [this, number, shared] { publish(number, shared); }, Qt::QueuedConnection);
    };
    Progress progress(*this, task.number);
    job::ReadOptions options{task.options};
    options.explains = kept.empty();
    if (kept.empty() || !wanted.dumps.empty()) {
        auto read = m_maker.read(wanted, options, progress, stop, post);
        if (!read.has_value() || kept.empty()) {
            return read;
        }
        job::Job job = withKept(read.value());
        m_maker.explain(job, job::rowOpener(task.options, stop), stop);
        return job;
    }
    job::Job job = withKept({}); // Dumps may have gone.
    m_maker.explain(job, job::rowOpener(task.options, stop), stop);
    return job;
}

void JobSession::accepted(const Task& task, std::shared_ptr<const job::Gathered> gathered)
{
    if (task.number != m_number) {
        return;
    }
    m_gathered = std::move(gathered);
    if (task.accept) {
        m_paths = task.paths;
        m_job.reset();
        m_stamps.clear();
        Q_EMIT opened();
        Q_EMIT jobChanged();
    }
}

void JobSession::publish(std::uint64_t number, std::shared_ptr<const job::Job> job)
{
    if (number == m_number) {
        m_job = std::move(job);
        Q_EMIT jobChanged();
    }
}

void JobSession::finish(const Task& task, const Outcome& outcome)
{
    m_is_reading = false;
    if (outcome.job.has_value() && outcome.is_job) {
        m_stamps = outcome.stamps;
        m_job = std::make_shared<const job::Job>(outcome.job.value());
        Q_EMIT jobChanged();
    }
    Q_EMIT progressChanged();
    if (!outcome.job.has_value()) {
        if (outcome.job.error().code != ErrorCode::cancelled) {
            Q_EMIT failed(task.paths, text(outcome.job.error().message));
        }
    } else if (!outcome.is_job) {
        Q_EMIT declined(task.paths, outcome.found);
    }
    Q_EMIT finished();
    // What is open was not read to its end when the person asked for something else.
    if (m_wants_refresh || (task.accept && isOpen() && m_stamps.empty())) {
        refresh();
    }
}

void JobSession::report(std::uint64_t number, double fraction)
{
    if (number == m_number && m_is_reading) {
        m_fraction = std::clamp(fraction, 0.0, 1.0);
        Q_EMIT progressChanged();
    }
}

} // namespace tidemark::ui
