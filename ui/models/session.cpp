// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/session.h"

#include "core/remote/kept_copies.h"
#include "core/remote/received.h"
#include "ui/models/text.h"
#include "ui/models/user_input.h"

#include <QtCore/QFileInfo>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{33};

/// Core catches what it expects, a lack of memory too; what is left must not leave the thread.
template <class Function>
Result<diagnose::Analysis> guarded(Function&& function)
{
    try {
        return function();
    } catch (const std::exception& exception) {
        return Error{ErrorCode::internal,
                     utf8(Session::tr("Internal error: %1.").arg(text(exception.what())))};
    }
}

QString canonical(const QString& path)
{
    const QFileInfo info(path);
    const QString resolved = info.canonicalFilePath();
    return resolved.isEmpty() ? info.absoluteFilePath() : resolved;
}

} // namespace

/// Posts the newest progress, not every one.
class Session::Progress final : public ProgressSink {
public:
    Progress(Session& session, FileId id)
        : m_session(session)
        , m_id(id)
    {
    }

    void report(std::string_view stage, double fraction) override
    {
        const auto now = std::chrono::steady_clock::now();
        if (stage == m_stage && now - m_posted < kProgressInterval) {
            return;
        }
        m_posted = now;
        m_stage = stage;
        QMetaObject::invokeMethod(
            &m_session,
            [session = &m_session, id = m_id, words = text(stage), fraction] {
                session->report(id, words, fraction);
            },
            Qt::QueuedConnection);
    }

private:
    Session& m_session;
    FileId m_id;
    std::string m_stage;
    std::chrono::steady_clock::time_point m_posted;
};

Session::Session(reader::ReadOptions options, QObject* parent)
    : QObject(parent)
    , m_options(options)
    , m_reader(std::make_unique<Job>())
    , m_worker(std::make_unique<Job>())
{
}

Session::~Session()
{
    m_worker.reset();
    m_reader.reset();
}

const OpenFile* Session::find(FileId id) const
{
    const auto file = std::ranges::find(m_files, id, &OpenFile::id);
    return file == m_files.end() ? nullptr : &*file;
}

OpenFile* Session::findMutable(FileId id)
{
    const auto file = std::ranges::find(m_files, id, &OpenFile::id);
    return file == m_files.end() ? nullptr : &*file;
}

/// The first that no open file bears: A to Z, then AA to AZ, BA and so on.
QString Session::freeLetter() const
{
    constexpr int kLetters = 26;
    for (int number = 0;; ++number) {
        QString letter;
        for (int rest = number; rest >= 0; rest = rest / kLetters - 1) {
            letter.prepend(QChar(u'A' + rest % kLetters));
        }
        if (std::ranges::find(m_files, letter, &OpenFile::letter) == m_files.end()) {
            return letter;
        }
    }
}

const Session::Reading* Session::readingOf(FileId id, std::uint64_t number) const
{
    const auto reading = std::ranges::find(m_readings, id, &Reading::file);
    return reading == m_readings.end() || reading->number != number ? nullptr : &*reading;
}

bool Session::isReading(FileId id) const
{
    return std::ranges::find(m_readings, id, &Reading::file) != m_readings.end();
}

void Session::stopReading(FileId id)
{
    for (Reading& reading : m_readings) {
        if (reading.file == id) {
            reading.stop.request_stop();
        }
    }
    std::erase_if(m_readings, [id](const Reading& reading) { return reading.file == id; });
}

FileId Session::idOf(const QString& path) const
{
    const QString resolved = canonical(path);
    const auto open = std::ranges::find_if(
        m_files, [&](const OpenFile& file) { return canonical(file.path) == resolved; });
    return open == m_files.end() ? 0 : open->id;
}

bool Session::isLoading() const
{
    return std::ranges::any_of(m_files, &OpenFile::is_loading);
}

void Session::setGivenInput(const diagnose::UserInput& given)
{
    m_given = given;
    m_given.message.clear();
}

OpenFile& Session::add(const QString& path, const diagnose::UserInput& input)
{
    OpenFile file;
    file.id = m_next_id++;
    file.letter = freeLetter();
    file.path = path;
    file.stage = QStringLiteral("waiting");
    file.analysis.file = pathFrom(path);
    file.analysis.input = input;
    file.input = input;
    return m_files.emplace_back(std::move(file));
}

std::vector<FileId> Session::addFiles(const QStringList& paths, const diagnose::UserInput& input)
{
    std::vector<FileId> ids;
    bool any_new = false;
    for (const QString& path : paths) {
        if (const FileId open = idOf(path); open != 0) {
            ids.push_back(open);
            continue;
        }
        OpenFile& file = add(path, completed(input, m_given));
        ids.push_back(file.id);
        startReading(file, sourceOf(path));
        any_new = true;
    }
    if (any_new) {
        Q_EMIT filesChanged();
        Q_EMIT progressChanged();
    }
    return ids;
}

FileId Session::addMade(const QString& path, std::function<Result<pipeline::MadeRun>()> make,
                        const diagnose::UserInput& input)
{
    OpenFile& file = add(path, input);
    file.is_planned = true;
    startReading(file, {pathFrom(path), {}, {}, std::move(make)});
    Q_EMIT filesChanged();
    Q_EMIT progressChanged();
    return m_files.back().id;
}

FileId Session::showPart(const QString& path, const QString& source, const FilePart& part,
                         std::uint64_t size)
{
    FileId id = idOf(path);
    if (isReading(id)) {
        return id;
    }
    const bool is_new = id == 0;
    OpenFile& file = is_new ? add(path, m_given) : *findMutable(id);
    id = file.id;
    startReading(file, {pathFrom(source), size, part});
    if (is_new) {
        Q_EMIT filesChanged();
        Q_EMIT progressChanged();
    }
    return id;
}

void Session::readAgain(FileId id)
{
    if (OpenFile* file = findMutable(id)) {
        stopReading(id);
        startReading(*file, sourceOf(file->path));
    }
}

void Session::endArrival(FileId id)
{
    if (OpenFile* file = findMutable(id); file != nullptr && file->part) {
        file->part->is_arriving = false;
        Q_EMIT analysisChanged(id);
    }
}

/// A copy of another machine's file knows of what.
Session::Source Session::sourceOf(const QString& path)
{
    Source source{pathFrom(path)};
    if (const auto origin = remote::originOf(source.file)) {
        source.size = origin->stamp.size;
        if (origin->part) {
            const remote::Received received{0, source.size, false, origin->part->whole.holds};
            source.part = FilePart{received.share()};
        }
    }
    return source;
}

/// What is shown already stays until all of it was read.
void Session::startReading(OpenFile& file, Source source)
{
    pipeline::Options options;
    options.read = m_options;
    options.read.original_bytes = source.size;
    options.read.is_arriving = source.part && source.part->is_arriving;
    options.input = file.input;
    options.rules = m_rules;
    if (file.canDraw()) {
        options.rules.rules = file.rules;
    }
    const auto post = [this](auto call) {
        QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
    };
    const std::uint64_t number = m_next_reading++;
    pipeline::Publish publish_parts;
    if (!file.canDraw()) {
        publish_parts = [this, post, number, id = file.id](const diagnose::Analysis& analysis) {
            post([this, id, number, analysis] { publish(id, number, analysis); });
        };
    }
    auto read = [this, post, options, number, publish_parts, id = file.id, path = source.file,
                 make = source.make](const std::stop_token& stop) {
        Progress progress(*this, id);
        const auto result = guarded([&] {
            return make ? pipeline::analyzeMade(make(), options, progress, stop, publish_parts)
                        : pipeline::analyze(path, options, progress, stop, publish_parts);
        });
        if (result.has_value()) {
            post([this, id, number, analysis = result.value()] { finish(id, number, analysis); });
        } else {
            post([this, id, number, error = result.error()] { fail(id, number, error); });
        }
    };
    m_readings.push_back({file.id, number, std::move(source), m_reader->start(std::move(read))});
}

void Session::publish(FileId id, std::uint64_t number, diagnose::Analysis analysis)
{
    OpenFile* file = findMutable(id);
    const Reading* reading = readingOf(id, number);
    // A file that was closed or cancelled meanwhile, or news that is older than what is there.
    if (file == nullptr || reading == nullptr || analysis.generation < file->analysis.generation) {
        return;
    }
    analysis.file = pathFrom(file->path);
    file->analysis = std::move(analysis);
    file->part = reading->source.part;
    Q_EMIT analysisChanged(id);
}

void Session::finish(FileId id, std::uint64_t number, diagnose::Analysis analysis)
{
    OpenFile* file = findMutable(id);
    const Reading* reading = readingOf(id, number);
    if (file == nullptr || reading == nullptr) {
        return;
    }
    const bool is_first = std::exchange(file->is_loading, false);
    analysis.file = pathFrom(file->path);
    file->analysis = std::move(analysis);
    file->part = reading->source.part;
    const bool is_input_newer = std::exchange(file->is_input_newer, false);
    // While it is read for the first time nobody can have changed the saved ones.
    if ((is_first || !is_input_newer) && file->analysis.corrections) {
        file->rules = file->analysis.corrections->rules;
    }
    std::erase_if(m_readings, [id](const Reading& one) { return one.file == id; });
    forgetComputation(id); // Of what was shown before.
    Q_EMIT analysisChanged(id);
    if (is_input_newer) {
        computeAgain(*file);
    }
    Q_EMIT progressChanged();
    if (is_first) {
        Q_EMIT loaded(id);
    }
}

void Session::fail(FileId id, std::uint64_t number, const Error& error)
{
    const OpenFile* file = find(id);
    const Reading* reading = readingOf(id, number);
    if (file == nullptr || reading == nullptr) {
        return;
    }
    const bool is_told = error.code != ErrorCode::cancelled
        && !(reading->source.part && reading->source.part->is_arriving);
    if (is_told) {
        m_failures.push_back({file->path, text(error.message)});
    }
    if (file->is_loading) {
        remove(id);
    } else {
        stopReading(id);
    }
    if (is_told) {
        Q_EMIT failuresChanged();
    }
}

void Session::report(FileId id, const QString& stage, double fraction)
{
    OpenFile* file = findMutable(id);
    if (file == nullptr || !file->is_loading) {
        return;
    }
    file->stage = stage;
    file->fraction = std::clamp(fraction, 0.0, 1.0);
    Q_EMIT progressChanged();
}

void Session::cancel(FileId id)
{
    const OpenFile* file = find(id);
    if (file != nullptr && file->is_loading) {
        remove(id);
    }
}

void Session::cancelAll()
{
    while (isLoading()) {
        remove(std::ranges::find_if(m_files, &OpenFile::is_loading)->id);
    }
}

void Session::remove(FileId id)
{
    stopReading(id);
    forgetComputation(id);
    if (OpenFile* const file = findMutable(id)) {
        // To free a large one takes a while: not here, and once all that showed it has let go.
        QMetaObject::invokeMethod(
            this,
            [this, old = std::move(file->analysis)]() mutable { m_worker->letGo(std::move(old)); },
            Qt::QueuedConnection);
        std::erase_if(m_files, [id](const OpenFile& each) { return each.id == id; });
        Q_EMIT filesChanged();
        Q_EMIT progressChanged();
    }
}

void Session::setRuleOptions(pipeline::RuleOptions rules)
{
    m_rules = std::move(rules);
}

void Session::setUserInput(FileId id, const diagnose::UserInput& input)
{
    OpenFile* file = findMutable(id);
    if (file == nullptr) {
        return;
    }
    file->input = input;
    file->is_input_newer = isReading(id);
    if (!file->is_loading) {
        computeAgain(*file);
    }
}

void Session::setRules(FileId id, std::vector<label::Correction> rules)
{
    OpenFile* file = findMutable(id);
    if (file != nullptr && !file->is_loading) {
        file->rules = std::move(rules);
        file->is_input_newer = isReading(id);
        computeAgain(*file);
    }
}

/// Everything the person wants at once, so that a newer wish never loses an older one that is still
/// being computed.
void Session::computeAgain(const OpenFile& file)
{
    const FileId id = file.id;
    const std::uint64_t revision = m_next_revision++;
    forgetComputation(id);
    const auto post = [this](auto call) {
        QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
    };
    auto compute = [this, post, id, revision, input = file.input, rules = file.rules,
                    analysis = file.analysis](const std::stop_token& stop) {
        NoProgress progress;
        const bool same_rules =
            analysis.corrections ? rules == analysis.corrections->rules : rules.empty();
        const auto publish = [&](const diagnose::Analysis& curves) {
            post([this, id, revision, curves] { applyNewest(id, revision, curves); });
        };
        const auto result = guarded([&] {
            return same_rules
                ? pipeline::withInput(analysis, input, progress, stop)
                : pipeline::withCorrections(analysis, rules, input, progress, stop, publish);
        });
        if (result.has_value()) {
            post([this, id, revision, changed = result.value()] {
                applyNewest(id, revision, changed);
            });
        } else if (result.error().code != ErrorCode::cancelled) {
            post([this, id, revision, error = result.error()] { failNewest(id, revision, error); });
        }
    };
    m_computations.push_back({id, revision, m_worker->start(std::move(compute))});
}

bool Session::isNewest(FileId id, std::uint64_t revision) const
{
    return std::ranges::any_of(m_computations, [&](const Computation& computation) {
        return computation.file == id && computation.revision == revision;
    });
}

void Session::forgetComputation(FileId id)
{
    for (Computation& computation : m_computations) {
        if (computation.file == id) {
            computation.stop.request_stop();
        }
    }
    std::erase_if(m_computations, [id](const Computation& entry) { return entry.file == id; });
}

void Session::applyNewest(FileId id, std::uint64_t revision, const diagnose::Analysis& analysis)
{
    OpenFile* file = findMutable(id);
    if (file == nullptr || !isNewest(id, revision)) {
        return;
    }
    file->analysis = analysis;
    Q_EMIT analysisChanged(id);
}

void Session::failNewest(FileId id, std::uint64_t revision, const Error& error)
{
    const OpenFile* file = find(id);
    if (file != nullptr && isNewest(id, revision)) {
        m_failures.push_back({file->path, text(error.message)});
        Q_EMIT failuresChanged();
    }
}

void Session::dismissFailure(std::size_t index)
{
    if (index < m_failures.size()) {
        m_failures.erase(m_failures.begin() + static_cast<std::ptrdiff_t>(index));
        Q_EMIT failuresChanged();
    }
}

} // namespace tidemark::ui
