// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/pipeline/pipeline.h"
#include "core/reader/reader.h"
#include "ui/models/job.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace tidemark::ui {

/// Names an opened file for as long as the session lives; never used twice.
using FileId = std::uint64_t;

/// Of a file that is copied from another machine only a part may be here.
struct FilePart {
    double share = 0; ///< Of the file's bytes, 0 to 1; 0: not known.
    bool is_arriving = false; ///< The rest is on its way.
};

/// A file that is open or being opened.
struct OpenFile {
    FileId id = 0;
    QString letter; ///< "A": its own from opening to closing, wherever it is shown.
    QString path;
    bool is_planned = false; ///< A run that was never made.
    bool is_loading = true;
    QString stage; ///< What is being done, while loading: "reading".
    double fraction = 0; ///< Of the stage, 0 to 1.
    diagnose::Analysis analysis; ///< Parts appear one after another while loading.
    /// What the person wants now; the analysis follows a moment later.
    diagnose::UserInput input{};
    std::vector<label::Correction> rules{};
    bool is_input_newer = false; ///< The person changed it while the file was still being read.
    std::optional<FilePart> part{}; ///< What is shown is no more than this of it.

    /// Enough is known to draw the timeline.
    [[nodiscard]] bool canDraw() const
    {
        return analysis.curves != nullptr;
    }
};

/// A file that could not be opened, with the sentence that says why.
struct OpenFailure {
    QString path;
    QString sentence;
};

/// What is loaded: one analysis per opened file. Files are read one after another on a thread of
/// their own; everything else happens on the thread that owns the session. Destroying it stops and
/// joins.
class Session : public QObject {
    Q_OBJECT
public:
    explicit Session(reader::ReadOptions options = {}, QObject* parent = nullptr);
    ~Session() override;

    [[nodiscard]] const std::vector<OpenFile>& files() const
    {
        return m_files;
    }
    [[nodiscard]] const OpenFile* find(FileId id) const;
    [[nodiscard]] const std::vector<OpenFailure>& failures() const
    {
        return m_failures;
    }
    [[nodiscard]] bool isLoading() const;

    /// Corrections for the files that are opened from now on; by default none, not even saved ones.
    void setRuleOptions(pipeline::RuleOptions rules);
    /// What is true of all files that are opened from now on, such as the GPUs there are, unless
    /// the person says otherwise of one. Of its message nothing: that is of one run.
    void setGivenInput(const diagnose::UserInput& given);
    [[nodiscard]] const diagnose::UserInput& givenInput() const
    {
        return m_given;
    }
    [[nodiscard]] const reader::ReadOptions& readOptions() const
    {
        return m_options;
    }
    [[nodiscard]] const pipeline::RuleOptions& ruleOptions() const
    {
        return m_rules;
    }

    /// Opens files in this order. A file that is open already is not opened twice: its id is
    /// returned again. `input` is what the user adds to the new ones.
    std::vector<FileId> addFiles(const QStringList& paths, const diagnose::UserInput& input = {});
    /// Opens a run that no file holds: `make` runs off this thread. `path` stands for a file's and
    /// is that of no open one; what a person says about it is kept beside it.
    FileId addMade(const QString& path, std::function<Result<pipeline::MadeRun>()> make,
                   const diagnose::UserInput& input = {});
    /// Shows what has come so far of a file that is being fetched: under `path`, where all of it
    /// will be, and read from `source`. Where it is open already it is read again. No effect while
    /// it is being read. A part that cannot be read is no failure: more will come.
    FileId showPart(const QString& path, const QString& source, const FilePart& part,
                    std::uint64_t size);
    /// Reads an open file again, which was written anew or of which more has come. What is shown
    /// stays until that is done, and for good where it fails.
    void readAgain(FileId id);
    /// No more of it will come.
    void endArrival(FileId id);
    /// Whether a file is being read, for the first time or again.
    [[nodiscard]] bool isReading(FileId id) const;
    /// The file that is open under this path; 0 for none.
    [[nodiscard]] FileId idOf(const QString& path) const;
    /// Stops opening a file and forgets it at once; not a failure. No effect on an open file.
    void cancel(FileId id);
    void cancelAll();
    /// Closes a file, whatever its state.
    void remove(FileId id);
    /// Computes the diagnosis again with another message, capacity, number of GPUs or
    /// configuration. The old diagnosis stays until the new one is there. While the file is being
    /// read it is kept until that has ended.
    void setUserInput(FileId id, const diagnose::UserInput& input);
    /// Other corrections instead of those it has: labels, curves and diagnosis are computed again,
    /// off this thread; the old ones stay until the new ones are there. No effect while loading.
    void setRules(FileId id, std::vector<label::Correction> rules);
    void dismissFailure(std::size_t index);

Q_SIGNALS:
    void filesChanged(); ///< A file came or went.
    void analysisChanged(quint64 id); ///< It has new parts.
    void loaded(quint64 id); ///< All parts are there for the first time.
    void progressChanged(); ///< At most about 30 times a second.
    void failuresChanged();

private:
    class Progress;
    /// One reading of a file.
    struct Source {
        std::filesystem::path file;
        std::uint64_t size = 0; ///< Of the file that it is a copy of; 0: it is none.
        std::optional<FilePart> part{};
        std::function<Result<pipeline::MadeRun>()> make{}; ///< In place of a file.
    };
    struct Reading {
        FileId file = 0;
        std::uint64_t number = 0;
        Source source;
        std::stop_source stop{};
    };
    OpenFile& add(const QString& path, const diagnose::UserInput& input);
    [[nodiscard]] static Source sourceOf(const QString& path);
    void startReading(OpenFile& file, Source source);
    [[nodiscard]] const Reading* readingOf(FileId id, std::uint64_t number) const;
    void stopReading(FileId id);
    void publish(FileId id, std::uint64_t number, diagnose::Analysis analysis);
    void finish(FileId id, std::uint64_t number, diagnose::Analysis analysis);
    void fail(FileId id, std::uint64_t number, const Error& error);
    void report(FileId id, const QString& stage, double fraction);
    void computeAgain(const OpenFile& file);
    void applyNewest(FileId id, std::uint64_t revision, const diagnose::Analysis& analysis);
    void failNewest(FileId id, std::uint64_t revision, const Error& error);
    OpenFile* findMutable(FileId id);
    [[nodiscard]] QString freeLetter() const;

    reader::ReadOptions m_options;
    pipeline::RuleOptions m_rules;
    diagnose::UserInput m_given;
    std::vector<OpenFile> m_files;
    std::vector<OpenFailure> m_failures;
    std::vector<Reading> m_readings; ///< Under way, one of a file at most.
    struct Computation {
        FileId file = 0;
        std::uint64_t revision = 0;
        std::stop_source stop;
    };
    [[nodiscard]] bool isNewest(FileId id, std::uint64_t revision) const;
    void forgetComputation(FileId id);
    std::vector<Computation> m_computations; ///< The newest one of each file.
    FileId m_next_id = 1;
    std::uint64_t m_next_revision = 1;
    std::uint64_t m_next_reading = 1;
    // Last, so that they are joined before anything their tasks use is gone.
    std::unique_ptr<Job> m_reader;
    std::unique_ptr<Job> m_worker;
};

} // namespace tidemark::ui
