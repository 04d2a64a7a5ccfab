// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/session_keeper.h"

#include "core/base/new_file.h"
#include "core/plan/capacity_text.h"
#include "ui/models/text.h"
#include "ui/models/view_state.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/window/analysis_page.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>

#include <chrono>
#include <utility>
#include <vector>

namespace tidemark::ui {
namespace {

constexpr std::chrono::milliseconds kSoon{1500};
constexpr int kSessionVersion = 1;
constexpr qsizetype kMostFiles = 64;
constexpr qsizetype kMostPaths = 4096; ///< Of a job.

/// A file that may be opened without asking: no pipe and no device.
bool isThere(const QString& path)
{
    return QFileInfo(path).isFile();
}

/// Under which names the session has the files that are shown.
constexpr std::pair<const char*, FileId SessionKeeper::Shown::*> kRoles[]{
    {"current", &SessionKeeper::Shown::current},
    {"base", &SessionKeeper::Shown::base},
    {"against", &SessionKeeper::Shown::against}};

QJsonObject jsonOf(const JobView& job)
{
    return {{QStringLiteral("paths"), QJsonArray::fromStringList(job.paths)},
            {QStringLiteral("rank"), job.file},
            {QStringLiteral("device"), job.device},
            {QStringLiteral("is_shown"), job.is_shown}};
}

JobView jobOf(const QJsonObject& json)
{
    JobView job;
    const QJsonArray paths = json[QStringLiteral("paths")].toArray();
    for (qsizetype i = 0; i < std::min(paths.size(), kMostPaths); ++i) {
        job.paths << paths[i].toString();
    }
    job.file = json[QStringLiteral("rank")].toString();
    job.device = json[QStringLiteral("device")].toInt();
    job.is_shown = json[QStringLiteral("is_shown")].toBool();
    return job;
}

} // namespace

SessionKeeper::SessionKeeper(Session& session, ViewState& state, AnalysisPage& page,
                             QObject* parent)
    : QObject(parent)
    , m_session(session)
    , m_state(state)
    , m_page(page)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(kSoon);
    const auto soon = [this] { m_soon.start(); };
    connect(&m_soon, &QTimer::timeout, this, &SessionKeeper::changed);
    // A person who quits meanwhile is no crash.
    connect(qApp, &QCoreApplication::aboutToQuit, this, [this] {
        m_restoring.clear();
        m_is_job_restoring = false;
    });
    connect(&m_session, &Session::filesChanged, this, soon);
    connect(&m_session, &Session::analysisChanged, this, soon);
    connect(&m_state, &ViewState::rangeChanged, this, soon);
    connect(&m_state, &ViewState::cursorChanged, this, soon);
    connect(&m_state, &ViewState::selectedRangeChanged, this, soon);
    connect(&m_page.trial(), &WhatIfTrial::changesChanged, this, soon);
    connect(&m_page.panel<AllocationsPanel>(), &AllocationsPanel::listed, this, soon);
}

ViewLink SessionKeeper::view(FileId shown) const
{
    const OpenFile* const file = m_session.find(shown);
    if (file == nullptr) {
        return {};
    }
    ViewLink link;
    link.file = QFileInfo(file->path).absoluteFilePath();
    if (const bool is_expected = m_expected.count(shown) > 0;
        !is_expected && m_state.hasDevice() && m_state.analysis().file == file->analysis.file) {
        link = viewOf(m_state, link.file);
        link.filter = m_page.panel<AllocationsPanel>().filter();
        link.what_if = m_page.trial().applyText();
    } else if (const auto kept = m_kept.find(shown); kept != m_kept.end()) {
        link = kept->second;
    } else if (const auto expected = m_expected.find(shown); expected != m_expected.end()) {
        link = expected->second;
    }
    link.capacity = text(file->input.capacity_words);
    return link;
}

void SessionKeeper::keep()
{
    if (!m_state.hasDevice()) {
        return;
    }
    for (const OpenFile& file : m_session.files()) {
        if (file.analysis.file == m_state.analysis().file && m_expected.count(file.id) == 0) {
            m_kept[file.id] = view(file.id);
        }
    }
}

void SessionKeeper::show(FileId shown)
{
    const auto expected = m_expected.find(shown);
    if (expected == m_expected.end() || !m_state.hasDevice() || m_state.diagnosis() == nullptr) {
        return;
    }
    const ViewLink link = expected->second;
    m_expected.erase(expected);
    if (m_state.device() == link.device) {
        showView(link, m_state);
    }
    m_page.panel<AllocationsPanel>().setFilter(link.filter);
    if (!link.what_if.isEmpty()) {
        m_page.trial().setApplyText(tr("What if"), link.what_if);
    }
}

FileId SessionKeeper::open(const QString& path, const ViewLink& link, diagnose::UserInput input)
{
    // What was given for all files holds more than what was said of one some time ago.
    const auto said = plan::parseCapacity(utf8(link.capacity));
    const bool has_capacity = said.has_value() && !m_session.givenInput().capacity;
    if (has_capacity) {
        said.value().giveTo(input);
    }
    const bool is_open = m_session.idOf(path) != 0;
    const FileId id = m_session.addFiles({path}, input).front();
    if (is_open && has_capacity) {
        diagnose::UserInput changed = m_session.find(id)->input;
        said.value().giveTo(changed);
        m_session.setUserInput(id, changed);
    }
    m_expected[id] = link;
    return id;
}

std::optional<std::size_t> SessionKeeper::expectedDevice(FileId id) const
{
    const auto expected = m_expected.find(id);
    return expected == m_expected.end() ? std::nullopt
                                        : std::optional<std::size_t>(expected->second.device);
}

void SessionKeeper::setPath(const QString& path)
{
    m_path = path;
    m_written.clear();
}

void SessionKeeper::setOn(bool is_on)
{
    m_is_on = is_on;
    m_written.clear();
    if (!is_on && !m_path.isEmpty()) {
        QFile::remove(m_path);
    }
}

QByteArray SessionKeeper::saved(const Shown& shown) const
{
    QJsonArray files;
    QJsonObject session{{QStringLiteral("version"), kSessionVersion}};
    for (const OpenFile& file : m_session.files()) {
        // Nothing is there to be opened again of a plan, nor of what is only arriving.
        if (file.is_planned || file.part || !isThere(file.path)) {
            continue;
        }
        const auto number = static_cast<int>(files.size());
        for (const auto& [name, role] : kRoles) {
            if (shown.*role == file.id) {
                session[QLatin1String(name)] = number;
            }
        }
        files.append(linkText(view(file.id)));
    }
    session[QStringLiteral("files")] = files;
    if (!shown.job.paths.isEmpty()) {
        session[QStringLiteral("job")] = jsonOf(shown.job);
    }
    session[QStringLiteral("is_opening")] = !m_restoring.empty() || m_is_job_restoring;
    return QJsonDocument(session).toJson();
}

void SessionKeeper::writeBytes(const QByteArray& bytes)
{
    if (bytes == m_written) {
        return; // The mouse moved, no more.
    }
    m_written = bytes;
    // A session that cannot be written is no reason to disturb anybody.
    if (m_is_on && !m_path.isEmpty() && QDir().mkpath(QFileInfo(m_path).path())) {
        static_cast<void>(writeNewFile(
            pathFrom(m_path), {bytes.constData(), static_cast<std::size_t>(bytes.size())}));
    }
}

void SessionKeeper::write(const Shown& shown)
{
    m_soon.stop();
    writeBytes(saved(m_shown.value_or(shown))); // What is still coming back was shown last.
}

void SessionKeeper::writeSoon()
{
    m_soon.start();
}

SessionKeeper::Restored SessionKeeper::restore()
{
    Restored restored;
    QFile kept(m_path);
    if (!m_is_on || m_path.isEmpty() || !kept.open(QIODevice::ReadOnly)) {
        return restored;
    }
    constexpr qint64 kMostBytes = 4 << 20;
    const QJsonObject session = QJsonDocument::fromJson(kept.read(kMostBytes)).object();
    kept.close();
    if (session[QStringLiteral("version")].toInt() != kSessionVersion) {
        return restored;
    }
    if (session[QStringLiteral("is_opening")].toBool()) {
        restored.is_broken = true;
        return restored;
    }
    const QJsonArray files = session[QStringLiteral("files")].toArray();
    Shown shown;
    for (qsizetype i = 0; i < std::min(files.size(), kMostFiles); ++i) {
        const std::optional<ViewLink> link = linkFromText(files[i].toString());
        if (!link) {
            continue;
        }
        if (!isThere(link->file)) {
            restored.gone << link->file;
            continue;
        }
        const FileId id = open(link->file, *link);
        m_restoring.insert(id);
        for (const auto& [name, role] : kRoles) {
            if (session[QLatin1String(name)].toInt(-1) == static_cast<int>(i)) {
                shown.*role = id;
            }
        }
    }
    shown.job = jobOf(session[QStringLiteral("job")].toObject());
    for (const QString& path : shown.job.paths) {
        if (!isThere(path) && !QFileInfo(path).isDir()) {
            restored.gone << path;
        }
    }
    for (const QString& path : restored.gone) {
        shown.job.paths.removeAll(path);
    }
    restored.job = shown.job;
    m_is_job_restoring = !shown.job.paths.isEmpty();
    if (!m_restoring.empty() || m_is_job_restoring) {
        m_shown = shown;
        writeBytes(saved(shown)); // That it began, should it not end.
    }
    return restored;
}

void SessionKeeper::jobRestored()
{
    m_is_job_restoring = false;
    m_soon.start();
}

bool SessionKeeper::takeRestored(FileId id)
{
    return m_restoring.erase(id) > 0;
}

std::optional<SessionKeeper::Shown> SessionKeeper::takeShown()
{
    // One that could not be read is not waited for.
    std::erase_if(m_restoring, [&](FileId id) { return m_session.find(id) == nullptr; });
    std::optional<Shown> shown;
    if (m_restoring.empty()) { // A job may take minutes: who looks at a file then keeps it.
        shown.swap(m_shown);
        if (shown) {
            m_soon.start();
        }
    }
    return shown;
}

} // namespace tidemark::ui
