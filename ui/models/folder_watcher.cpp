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

std::function<Result<FolderLook>(const std::stop_token&)> lookHere(const QString& folder)
{
    const auto watch = std::make_shared<pipeline::DumpWatch>(pathFrom(folder));
    return [watch](const std::stop_token&) -> Result<FolderLook> {
        auto files = watch->look();
        if (!files.has_value()) {
            return files.error();
        }
        return FolderLook{std::move(files).value(), {}};
    };
}

std::function<Result<FolderLook>(const std::stop_token&)> lookThere(const remote::Address& folder)
{
    const auto watch = std::make_shared<remote::FarWatch>(folder, remote::FetchOptions{});
    return [watch](const std::stop_token& stop) -> Result<FolderLook> {
        const Result<remote::FarLook> look = watch->look(stop);
        if (!look.has_value()) {
            return look.error();
        }
        FolderLook found{{}, text(look.value().interruption)};
        for (const remote::FarArrival& arrival : look.value().arrived) {
            found.files.push_back(arrival.file);
        }
        return found;
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
    m_folder = folder;
    const auto address = remote::farAddress(utf8(folder));
    m_look = address ? lookThere(*address) : lookHere(folder);
    if (isWatching()) {
        const int suits = address ? kThere : kHere;
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
    m_job.start(this, m_look, [this](const auto& look) {
        m_is_looking = false;
        const QString folder = m_folder;
        if (!look->has_value()) {
            watch({});
            Q_EMIT failed(folder, text(look->error().message));
            return;
        }
        for (const std::filesystem::path& file : look->value().files) {
            Q_EMIT arrived(pathText(file));
        }
        if (!look->value().interruption.isEmpty()) {
            Q_EMIT interrupted(folder, look->value().interruption);
        }
    });
}

} // namespace tidemark::ui
