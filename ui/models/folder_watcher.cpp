// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/folder_watcher.h"

#include "ui/models/text.h"

namespace tidemark::ui {
namespace {

constexpr int kInterval = 1000; // ms

} // namespace

FolderWatcher::FolderWatcher(QObject* parent)
    : QObject(parent)
{
    m_timer.setInterval(kInterval);
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
    m_watch = folder.isEmpty() ? nullptr : std::make_shared<pipeline::DumpWatch>(pathFrom(folder));
    if (m_watch != nullptr) {
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
    m_job.start(
        this, [watch = m_watch](const std::stop_token&) { return watch->look(); },
        [this](const auto& files) {
            m_is_looking = false;
            if (!files->has_value()) {
                const QString folder = m_folder;
                watch({});
                Q_EMIT failed(folder, text(files->error().message));
                return;
            }
            for (const std::filesystem::path& file : files->value()) {
                Q_EMIT arrived(pathText(file));
            }
        });
}

} // namespace tidemark::ui
