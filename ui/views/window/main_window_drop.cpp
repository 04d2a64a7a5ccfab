// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What comes from outside: dragged over the window and let go there, pasted, or on another machine.
#include "ui/models/config_file.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/models/view_link.h"
#include "ui/views/dialogs/explain_dialog.h"
#include "ui/views/dialogs/remote_dialog.h"
#include "ui/views/job/job_page.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/remote_actions.h"

#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QUrl>
#include <QtGui/QClipboard>
#include <QtGui/QDragEnterEvent>
#include <QtGui/QDropEvent>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QLabel>
#include <QtWidgets/QStackedWidget>

#include <algorithm>

namespace tidemark::ui {
namespace {

/// Paths of the local files in what is dragged; anything else is left out.
QStringList localFiles(const QMimeData& data)
{
    QStringList paths;
    for (const QUrl& url : data.urls()) {
        if (url.isLocalFile()) {
            paths << pathText(
                QByteArray::fromPercentEncoding(url.path(QUrl::FullyEncoded).toLatin1())
                    .toStdString());
        }
    }
    return paths;
}

/// What happens to files that are let go here; none: a text is dragged.
QString dropWords(const QStringList& paths, bool has_run)
{
    if (paths.size() == 1 && QFileInfo(paths.front()).isDir()) {
        return MainWindow::tr("Drop to open all ranks");
    }
    if (paths.size() > 1) {
        return MainWindow::tr("Drop %Ln file|"
                              "Drop %Ln files",
                              nullptr, plural(paths.size()));
    }
    if (paths.isEmpty() || !ExplainDialog::logsAmong(paths).isEmpty()) {
        return MainWindow::tr("Drop to explain");
    }
    if (!configsAmong(paths).isEmpty()) {
        return MainWindow::tr("Drop to load the configuration");
    }
    return has_run ? MainWindow::tr("Drop to compare") : MainWindow::tr("Drop to open");
}

} // namespace

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const QStringList paths = localFiles(*event->mimeData());
    const bool is_link = isLink(event->mimeData()->text());
    const bool is_far = !is_link && RemoteDialog::isAddress(event->mimeData()->text());
    const bool is_text =
        is_link || is_far || (event->mimeData()->hasText() && !event->mimeData()->hasUrls());
    if (paths.isEmpty() && !is_text) {
        return;
    }
    event->acceptProposedAction();
    auto* overlay = static_cast<QLabel*>(m_drop_overlay);
    overlay->setText(paths.isEmpty() && is_link ? tr("Drop to open")
                         : paths.isEmpty() && is_far
                         ? tr("Drop to download")
                         : dropWords(paths, m_state.hasDevice() && !isJobShown()));
    overlay->setGeometry(rect());
    overlay->raise();
    overlay->show();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent* /*event*/)
{
    m_drop_overlay->hide();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    m_drop_overlay->hide();
    const QStringList paths = localFiles(*event->mimeData());
    event->acceptProposedAction();
    takeDropped(*event->mimeData(), paths);
}

void MainWindow::takeDropped(const QMimeData& dropped, const QStringList& paths)
{
    if (paths.isEmpty() && isLink(dropped.text())) {
        openLink(dropped.text());
        return;
    }
    if (paths.isEmpty() && RemoteDialog::isAddress(dropped.text().trimmed())) {
        openRemote(dropped.text());
        return;
    }
    if (!dropped.hasUrls() && dropped.hasText()) {
        openExplanation().explainText(dropped.text());
        return;
    }
    const QStringList logs = ExplainDialog::logsAmong(paths);
    QStringList others = paths;
    others.removeIf([&](const QString& path) { return logs.contains(path); });
    if (!others.isEmpty()) {
        openFiles(others);
    }
    if (!logs.isEmpty()) {
        openExplanation().explainFiles(logs);
    }
}

void MainWindow::openRemote(const QString& address)
{
    m_remote->open(address);
}

void MainWindow::makeRemoteActions(ArrivalStrip& strip)
{
    const auto open = [this](const QStringList& files) { openFiles(files, Opened::alone); };
    const auto show = [this](FileId id) {
        m_alone.insert(id);
        if (m_session.find(id)->canDraw()) {
            showFile(id);
        }
    };
    const auto keep = [this](const QString& file) { m_preferences.addRecentFile(file); };
    m_remote = new RemoteActions(m_session, *m_notices, strip, {open, show, keep}, this);
}

void MainWindow::makeJobActions()
{
    m_job_page = new JobPage(m_pages);
    m_pages->addWidget(m_job_page);
    const auto open = [this](const QStringList& files) { addSnapshots(files, Opened::alone); };
    const auto show = [this](FileId id, std::int32_t device) {
        const auto& devices = m_session.find(id)->analysis.snapshot->devices;
        const auto at = std::ranges::find(devices, device, &trace::Device::index);
        if (at != devices.end()) {
            m_devices[id] = static_cast<std::size_t>(at - devices.begin());
        }
        showFile(id);
    };
    const auto compare = [this](FileId base, FileId against) { compareFiles(base, against); };
    const auto refresh_all = [this] {
        if (isJobShown()) {
            m_alone.clear(); // What is still being read does not come before it.
        }
        refresh();
    };
    const auto keep = [this](const QString& path) { m_preferences.addRecentFile(path); };
    m_job = new JobActions(m_session, *m_notices, *m_job_page,
                           {open, show, compare, refresh_all, keep}, this);
}

bool MainWindow::isJobShown() const
{
    return m_job->isShown();
}

void MainWindow::showJob()
{
    m_is_comparing = false;
    m_job->setShown(true);
    refresh();
    m_job_page->setFocus();
}

void MainWindow::openCopied()
{
    const QMimeData* copied = QGuiApplication::clipboard()->mimeData();
    if (copied != nullptr && (copied->hasText() || copied->hasUrls())) {
        takeDropped(*copied, localFiles(*copied));
    }
}

} // namespace tidemark::ui
