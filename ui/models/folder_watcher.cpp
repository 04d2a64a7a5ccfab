// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/folder_watcher.h"

#include "core/pipeline/dump_watch.h"
#include "core/remote/far_watch.h"
#include "ui/models/text.h"

#include <memory>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kHere = 1000; // ms
constexpr int kThere = 10 * 1000; // Each look is a connection.

using Files = Result<std::vector<std::filesystem::path>>;

std::function<Files(const std::stop_token&)> lookHere(const QString& folder)
{
    const auto watch = std::make_shared<pipeline::DumpWatch>(pathFrom(folder));
    return [watch](const std::stop_token&) { return watch->look(); };
}

std::function<Files(const std::stop_token&)> lookThere(const remote::Address& folder)
{
    const auto watch = std::make_shared<remote::FarWatch>(folder, remote::FetchOptions{});
    return [watch](const std::stop_token& stop) -> Files {
        const auto arrivals = watch->look(stop);
        if (!arrivals.has_value()) {
            return arrivals.error();
        }
        std::vector<std::filesystem::path> files;
        for (const remote::FarArrival& arrival : arrivals.value()) {
            files.push_back(arrival.file);
        }
        return files;
    };
}

} // namespace

FolderWatcher::FolderWatcher(QObject* parent)
    : QObject(parent)
{
    connect(&m_timer, &QTimer::timeout, this, &FolderWatcher::look);
}

void FolderWatcher::watch(const QString& folder)
{
    if (folder == m_folder) {
        return;
    }
    m_job.cancel();
    m_is_looking = false;
    m_has_looked = false;
    m_is_interrupted = false;
    m_folder = folder;
    const auto address = remote::farAddress(utf8(folder));
    m_is_far = address.has_value();
    m_look = m_is_far ? lookThere(*address) : lookHere(folder);
    if (isWatching()) {
        const int suits = m_is_far ? kThere : kHere;
        m_timer.setInterval(m_interval > 0 ? m_interval : suits);
        look(); // What is there now is known.
        m_timer.start();
    } else {
        m_timer.stop();
    }
    Q_EMIT watchingChanged();
}

void FolderWatcher::look()
{
    if (m_is_looking) {
        return;
    }
    m_is_looking = true;
    m_job.start(this, m_look, [this](const auto& files) {
        m_is_looking = false;
        if (!files->has_value()) {
            fail(text(files->error().message));
            return;
        }
        m_has_looked = true;
        m_is_interrupted = false;
        for (const std::filesystem::path& file : files->value()) {
            Q_EMIT arrived(pathText(file));
        }
    });
}

void FolderWatcher::fail(const QString& sentence)
{
    const QString folder = m_folder;
    if (!m_is_far || !m_has_looked) {
        watch({});
        Q_EMIT failed(folder, sentence);
    } else if (!std::exchange(m_is_interrupted, true)) {
        Q_EMIT interrupted(folder, sentence);
    }
}

} // namespace tidemark::ui
