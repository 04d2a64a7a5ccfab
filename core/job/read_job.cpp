// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/read_job.h"

#include "core/base/language.h"
#include "core/base/parallel.h"
#include "core/job/summary_json.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <istream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace tidemark::job {
namespace {

constexpr std::size_t kMostFiles = 16; ///< Side by side: each holds a snapshot in memory.

RankSummary broken(const Dump& dump, const Error& error)
{
    RankSummary row;
    row.error = error.message;
    applyName(row, dump.name);
    return row;
}

/// A snapshot that lies beside its summary, or where it was when that was written; else nothing.
std::filesystem::path snapshotOf(const RankSummary& row, const std::filesystem::path& summary)
{
    const std::filesystem::path named(row.file);
    for (const std::filesystem::path& file : {summary.parent_path() / named.filename(), named}) {
        std::error_code ignored;
        if (!named.empty() && file != summary && std::filesystem::is_regular_file(file, ignored)) {
            return file;
        }
    }
    return {};
}

/// Calls `take` with every object of a file: a line, or several where `jq` or an editor spread it.
template <class Take>
void forEachObject(std::istream& in, Take take)
{
    std::string object;
    const auto finish = [&] {
        if (!object.empty()) {
            take(object);
        }
        object.clear();
    };
    for (std::string line; std::getline(in, line);) {
        const std::size_t end = line.find_last_not_of(" \t\r");
        if (end == std::string::npos) {
            continue;
        }
        if (line.front() == '{') {
            finish(); // What came before was cut off.
        }
        object += line;
        object += '\n';
        const bool is_inner = line.front() == ' ' || line.front() == '\t';
        if (line[end] == '}' && !is_inner) {
            finish();
        }
    }
    finish();
}

/// The summaries of one file. The names of the dumps they are of tell several apart, and a single
/// one where the name of the summary itself says nothing. What is broken is one row.
std::vector<RankSummary> readSummaries(const Dump& dump, bool keeps_curves)
{
    std::ifstream in(dump.file, std::ios::binary);
    std::vector<std::vector<RankSummary>> lines;
    std::optional<Error> damage;
    forEachObject(in, [&](const std::string& object) {
        Result<std::vector<RankSummary>> rows = parseSummary(object, {}, {keeps_curves});
        if (rows.has_value()) {
            lines.push_back(std::move(rows).value());
        } else if (!damage) {
            damage = rows.error();
        }
    });
    if (damage) {
        lines.push_back({broken(dump, *damage)});
    }
    std::vector<std::string> files;
    for (const std::vector<RankSummary>& rows : lines) {
        files.push_back(rows.empty() ? std::string() : rows.front().file);
    }
    const bool is_named = lines.size() == 1 && dump.name.rank;
    const std::vector<DumpName> names = is_named ? std::vector{dump.name} : nameDumps(files);
    std::vector<RankSummary> all;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        for (RankSummary& row : lines[i]) {
            applyName(row, names[i]);
            row.snapshot = snapshotOf(row, dump.file);
            row.file = row.file.empty() || lines.size() == 1 ? dump.shown : row.file;
            all.push_back(std::move(row));
        }
    }
    if (all.empty()) {
        all.push_back(broken(dump, {ErrorCode::damaged, say("It has no GPU memory."), {}}));
    }
    return all;
}

Result<diagnose::Analysis> analyze(const std::filesystem::path& file, pipeline::Stage last,
                                   pipeline::Options options, const std::stop_token& stop)
{
    options.last = last;
    NoProgress silent;
    return pipeline::analyze(file, options, silent, stop);
}

class Reader {
public:
    Reader(const Gathered& dumps, const ReadOptions& options, ProgressSink& progress,
           const std::stop_token& stop, const PublishJob& publish)
        : m_dumps(dumps.dumps)
        , m_notes(dumps.notes)
        , m_options(options)
        , m_progress(progress)
        , m_stop(stop)
        , m_publish(publish)
    {
    }

    Result<Job> read()
    {
        forEachInParallel(
            m_dumps.size(), [this](std::size_t i) { take(readDump(m_dumps[i])); }, kMostFiles);
        if (m_stop.stop_requested()) {
            return Error{ErrorCode::cancelled, say("Cancelled."), {}};
        }
        Job job = judged(std::move(m_rows));
        if (m_options.explains) {
            explain(job, rowOpener(m_options.open, m_stop), m_stop);
        }
        if (m_publish) {
            m_publish(job);
        }
        return job;
    }

private:
    using Clock = std::chrono::steady_clock;

    std::vector<RankSummary> readDump(const Dump& dump)
    {
        if (m_stop.stop_requested()) {
            return {};
        }
        if (dump.is_summary) {
            return readSummaries(dump, m_options.keeps_curves);
        }
        Result<diagnose::Analysis> analysis =
            analyze(dump.file, pipeline::Stage::programs, m_options.open, m_stop);
        std::vector<RankSummary> rows;
        if (!analysis.has_value()) {
            rows.push_back(broken(dump, analysis.error()));
        } else {
            rows = summarize(analysis.value(), dump.name);
            if (rows.empty()) {
                rows.push_back(
                    broken(dump, {ErrorCode::notASnapshot, say("It has no GPU memory."), {}}));
            }
        }
        for (RankSummary& row : rows) {
            row.file = dump.shown;
            row.snapshot = dump.file;
            row.curve = m_options.keeps_curves ? std::move(row.curve) : RankCurve{};
        }
        return rows;
    }

    /// Called by all threads.
    void take(std::vector<RankSummary> rows)
    {
        const std::scoped_lock lock(m_mutex);
        std::ranges::move(rows, std::back_inserter(m_rows));
        ++m_done;
        if (std::this_thread::get_id() != m_caller || m_stop.stop_requested()) {
            return;
        }
        m_progress.report("reading",
                          static_cast<double>(m_done) / static_cast<double>(m_dumps.size()));
        const Clock::time_point now = Clock::now();
        if (m_publish && now >= m_next) {
            m_publish(judged(m_rows));
            // Thousands of rows take longer to be put together than is worth being seen.
            const Clock::duration took = Clock::now() - now;
            m_next =
                Clock::now() + std::max<Clock::duration>(std::chrono::milliseconds(100), 10 * took);
        }
    }

    [[nodiscard]] Job judged(std::vector<RankSummary> rows) const
    {
        Job job = judge(std::move(rows));
        job.notes.insert(job.notes.begin(), m_notes.begin(), m_notes.end());
        return job;
    }

    const std::vector<Dump>& m_dumps;
    const std::vector<std::string>& m_notes;
    const ReadOptions& m_options;
    ProgressSink& m_progress;
    const std::stop_token& m_stop;
    const PublishJob& m_publish;
    const std::thread::id m_caller = std::this_thread::get_id();
    std::mutex m_mutex;
    std::vector<RankSummary> m_rows;
    std::size_t m_done = 0;
    Clock::time_point m_next = Clock::now() + std::chrono::milliseconds(100);
};

} // namespace

OpenRow rowOpener(const pipeline::Options& options, const std::stop_token& stop)
{
    return [options, stop](const RankSummary& row,
                           pipeline::Stage last) -> Result<diagnose::Analysis> {
        if (row.snapshot.empty()) {
            return Error{ErrorCode::cannotOpen, say("Only its summary is here."), {}};
        }
        return analyze(row.snapshot, last, options, stop);
    };
}

Result<Job> readJob(const Gathered& dumps, const ReadOptions& options, ProgressSink& progress,
                    const std::stop_token& stop, const PublishJob& publish)
{
    return Reader(dumps, options, progress, stop, publish).read();
}

} // namespace tidemark::job
