// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/watch_actions.h"

#include "core/diagnose/diagnosis.h"
#include "ui/models/text.h"
#include "ui/views/look/strips.h"
#include "ui/views/window/desktop_notice.h"

#include <QtCore/QFileInfo>
#include <QtWidgets/QApplication>
#include <QtWidgets/QFileDialog>

#include <algorithm>
#include <utility>

namespace tidemark::ui {

WatchActions::WatchActions(Session& session, NoticeStrip& notices,
                           std::function<void(const QString&)> open, QWidget* window)
    : QObject(window)
    , m_session(session)
    , m_notices(notices)
    , m_open(std::move(open))
    , m_window(window)
{
    connect(&m_watcher, &FolderWatcher::arrived, this, &WatchActions::take);
    connect(&m_watcher, &FolderWatcher::failed, this,
            [this](const QString& folder, const QString& sentence) {
                m_notices.showFailure(tr("Stopped watching %1. %2").arg(folder, sentence));
            });
    connect(&m_watcher, &FolderWatcher::interrupted, this,
            [this](const QString& folder, const QString& sentence) {
                m_notices.showFailure(tr("%1: %2").arg(folder, sentence));
            });
    connect(&m_session, &Session::loaded, this, &WatchActions::tell);
}

void WatchActions::toggle()
{
    if (m_watcher.isWatching()) {
        watch({});
        return;
    }
    const QString folder =
        QFileDialog::getExistingDirectory(m_window, tr("Watch a folder for new snapshots"));
    if (!folder.isEmpty()) {
        watch(folder);
    }
}

void WatchActions::watch(const QString& folder)
{
    m_watcher.watch(folder);
    m_notices.showNotice(folder.isEmpty()
                             ? tr("Stopped watching.")
                             : tr("Watching %1; new snapshots open automatically.").arg(folder));
}

void WatchActions::take(const QString& path)
{
    const auto former = std::ranges::find_if(m_session.files(), [&](const OpenFile& file) {
        return QFileInfo(file.path) == QFileInfo(path);
    });
    if (former != m_session.files().end()) {
        m_session.remove(former->id);
    }
    m_open(path);
    if (const FileId file = m_session.idOf(path); file != 0) {
        m_arrived.insert(file);
    }
    m_notices.showNotice(tr("%1 arrived.").arg(QFileInfo(path).fileName()));
}

void WatchActions::tell(FileId id)
{
    if (m_arrived.erase(id) == 0) {
        return;
    }
    const OpenFile& file = *m_session.find(id);
    const diagnose::Analysis& analysis = file.analysis;
    if (analysis.deviceCount() == 0) {
        return;
    }
    const std::size_t device = analysis.mainDevice();
    if (analysis.replay->devices[device].ooms.empty()) {
        QApplication::alert(m_window);
        return;
    }
    const diagnose::DeviceDiagnosis& diagnosis = analysis.diagnosis->devices[device];
    notice().show(QFileInfo(file.path).fileName(),
                  text(diagnosis.headline) % u' ' % text(diagnosis.fix_headline));
}

DesktopNotice& WatchActions::notice()
{
    if (m_notice == nullptr) {
        m_notice = new DesktopNotice(QDBusConnection::sessionBus(), this);
        connect(m_notice, &DesktopNotice::refused, this, [this] { QApplication::alert(m_window); });
        connect(m_notice, &DesktopNotice::activated, this, [this] {
            m_window->showNormal();
            m_window->raise();
            m_window->activateWindow();
        });
    }
    return *m_notice;
}

} // namespace tidemark::ui
