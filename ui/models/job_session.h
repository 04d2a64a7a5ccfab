// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/read_job.h"
#include "ui/models/newest_job.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tidemark::ui {

/// What makes a job of files: the functions of core/job.
struct JobMaker {
    std::function<Result<job::Gathered>(std::span<const std::filesystem::path>,
                                        const std::stop_token&)>
        gather;
    std::function<Result<job::Job>(const job::Gathered&, const job::ReadOptions&, ProgressSink&,
                                   const std::stop_token&, const job::PublishJob&)>
        read;
    std::function<job::Job(std::vector<job::RankSummary>)> judge;
    std::function<void(job::Job&, const job::OpenRow&, const std::stop_token&)> explain;

    [[nodiscard]] static JobMaker ofCore();
};

/// A job as it is looked at, for the next start.
struct JobView {
    QStringList paths; ///< What was opened; empty: no job.
    QString file; ///< `RankSummary::file` of the selected rank; empty: none is.
    std::int32_t device = 0; ///< Of that rank.
    bool is_shown = false; ///< Its page, not one of the files.
    friend bool operator==(const JobView&, const JobView&) = default;
};

/// What a file is called where it comes from: of a copy of another machine's file its path there,
/// since the folders of copies say nothing about ranks.
[[nodiscard]] std::string namedPath(const std::filesystem::path& file);

/// The job that is open: its dumps are found and read off the window's thread, and what is known so
/// far is published at most ten times a second. One job at a time; another takes its place.
class JobSession : public QObject {
    Q_OBJECT
public:
    explicit JobSession(JobMaker maker = JobMaker::ofCore(), QObject* parent = nullptr);

    /// Of what is opened from now on; nothing may be being read.
    void setMaker(JobMaker maker)
    {
        m_maker = std::move(maker);
    }
    /// How what is opened from now on is read.
    void setOptions(pipeline::Options options)
    {
        m_options = std::move(options);
    }
    /// Whether what was found is a job to be shown; else it is declined.
    using Accept = std::function<bool(const job::Gathered&)>;
    /// Looks for dumps in folders, archives and files, and reads them where they are accepted. The
    /// job that is there stays until then.
    void open(const QStringList& paths, Accept accept);
    /// Looks again: new dumps, and those that were written anew, are read; of all others what is
    /// known stays.
    void refresh();
    /// Stops reading; what has come stays.
    void cancel();
    void close();

    [[nodiscard]] bool isOpen() const
    {
        return !m_paths.isEmpty();
    }
    [[nodiscard]] bool isReading() const
    {
        return m_is_reading;
    }
    [[nodiscard]] double fraction() const
    {
        return m_fraction;
    }
    /// What was opened.
    [[nodiscard]] const QStringList& paths() const
    {
        return m_paths;
    }
    [[nodiscard]] QString name() const;
    /// Null until the first dump is read.
    [[nodiscard]] const std::shared_ptr<const job::Job>& job() const
    {
        return m_job;
    }
    [[nodiscard]] std::size_t dumpCount() const
    {
        return m_gathered ? m_gathered->dumps.size() : 0;
    }
    /// The snapshot of a row; empty where only a summary is here.
    [[nodiscard]] QString fileOf(std::size_t row) const;
    /// Whether a file lies in a folder that was opened.
    [[nodiscard]] bool covers(const QString& path) const;

Q_SIGNALS:
    void opened(); ///< It is a job: dumps were found and are being read.
    /// It is none: `files` are what was found.
    void declined(const QStringList& paths, const QStringList& files);
    void failed(const QStringList& paths, const QString& sentence);
    void jobChanged();
    void finished(); ///< Reading has ended, however.
    void progressChanged(); ///< Also where reading began or ended.

private:
    class Progress;
    /// Tells whether a dump is still what was read.
    struct Stamp {
        std::uintmax_t size = 0;
        std::filesystem::file_time_type time;
        friend bool operator==(const Stamp&, const Stamp&) = default;
    };
    using Stamps = std::map<std::string, Stamp>; ///< By `Dump::shown`.
    /// One reading of what was opened.
    struct Task {
        std::uint64_t number = 0;
        QStringList paths;
        Accept accept; ///< Empty: it is known to be a job.
        std::shared_ptr<const job::Job> known; ///< Null: nothing.
        Stamps stamps; ///< Of what is known.
        pipeline::Options options;
    };
    struct Outcome {
        bool is_job = false;
        QStringList found;
        Result<job::Job> job = job::Job{};
        Stamps stamps;
    };
    void start(Task task);
    [[nodiscard]] Outcome make(const Task& task, const std::stop_token& stop);
    [[nodiscard]] Result<job::Job> readNew(const Task& task, const job::Gathered& all,
                                           const Stamps& stamps, const std::stop_token& stop);
    void accepted(const Task& task, std::shared_ptr<const job::Gathered> gathered);
    void publish(std::uint64_t number, std::shared_ptr<const job::Job> job);
    void finish(const Task& task, const Outcome& outcome);
    void report(std::uint64_t number, double fraction);
    [[nodiscard]] static Stamps stampsOf(const job::Gathered& gathered);

    pipeline::Options m_options;
    JobMaker m_maker;
    QStringList m_paths;
    std::shared_ptr<const job::Gathered> m_gathered; ///< Keeps what archives were unpacked to.
    std::shared_ptr<const job::Job> m_job;
    Stamps m_stamps;
    bool m_is_reading = false;
    bool m_wants_refresh = false; ///< Something came while it was being read.
    double m_fraction = 0;
    std::uint64_t m_number = 0; ///< Of the newest task.
    NewestJob m_reader; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
