// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What is dragged over the window and let go there.
#include "ui/models/config_file.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/explain_dialog.h"
#include "ui/views/window/main_window.h"

#include <QtCore/QMimeData>
#include <QtCore/QUrl>
#include <QtGui/QDragEnterEvent>
#include <QtGui/QDropEvent>
#include <QtWidgets/QLabel>

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
    if (paths.size() > 1) {
        return MainWindow::tr("Drop %1 files").arg(paths.size());
    }
    if (paths.isEmpty() || !ExplainDialog::logsAmong(paths).isEmpty()) {
        return MainWindow::tr("Drop to explain");
    }
    if (!configsAmong(paths).isEmpty()) {
        return MainWindow::tr("Drop to use as the run's configuration");
    }
    return has_run ? MainWindow::tr("Drop to compare") : MainWindow::tr("Drop to open");
}

} // namespace

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const QStringList paths = localFiles(*event->mimeData());
    const bool is_text = event->mimeData()->hasText() && !event->mimeData()->hasUrls();
    if (paths.isEmpty() && !is_text) {
        return;
    }
    event->acceptProposedAction();
    auto* overlay = static_cast<QLabel*>(m_drop_overlay);
    overlay->setText(dropWords(paths, m_state.hasDevice()));
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

} // namespace tidemark::ui
