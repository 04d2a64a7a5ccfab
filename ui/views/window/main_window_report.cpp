// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The report of what is shown: a run, two that are compared, or a job of many
// ranks; the ending of its name decides whether it is a PDF, a page or Markdown.
#include "ui/models/text.h"
#include "ui/views/look/strips.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/main_window.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QLocale>
#include <QtWidgets/QFileDialog>

#include <algorithm>

namespace tidemark::ui {
namespace {

/// The dialog keeps the ending of the name that was proposed, whatever kind is chosen.
QString withEndingOf(const QString& kind, const QString& path)
{
    static const QString kProposed = QStringLiteral(".pdf");
    if (kind.isEmpty() || !path.endsWith(kProposed)) {
        return path; // Of a dialog that was cancelled there is neither.
    }
    const QString ending = kind.mid(kind.indexOf(QLatin1Char('*')) + 1).chopped(1);
    return path.chopped(kProposed.size()) + ending;
}

} // namespace

std::vector<const OpenFile*> MainWindow::reportedFiles() const
{
    const std::vector<const OpenFile*> files =
        isComparing() ? std::vector{base(), against()} : std::vector{current()};
    const bool is_complete = std::ranges::all_of(files, [](const OpenFile* file) {
        return file != nullptr && file->analysis.diagnosis != nullptr;
    });
    return is_complete ? files : std::vector<const OpenFile*>{};
}

bool MainWindow::canReport() const
{
    return isJobShown() ? m_job->job().job() != nullptr && !m_job->job().isReading()
                        : !reportedFiles().empty();
}

QString MainWindow::proposedPath(const QString& ending) const
{
    if (isJobShown()) {
        const QFileInfo info(QDir::cleanPath(m_job->job().paths().front()));
        return info.dir().filePath(m_job->job().name() + ending);
    }
    const QFileInfo info(current()->path);
    return info.dir().filePath(info.completeBaseName() + ending);
}

void MainWindow::chooseReportPath()
{
    if (!canReport()) {
        return;
    }
    const QString a4 = tr("PDF, A4 (*.pdf)");
    const QString letter = tr("PDF, Letter (*.pdf)");
    QStringList kinds{a4, letter};
    if (QLocale::system().measurementSystem() == QLocale::ImperialUSSystem) {
        std::ranges::reverse(kinds);
    }
    kinds << tr("Interactive page (*.html)") << tr("Markdown (*.md)");
    QString kind;
    QString chosen;
    QString path = proposedPath(QStringLiteral("-report.pdf"));
    do { // The dialog asked about the name with the other ending: it asks about this one, too.
        chosen = QFileDialog::getSaveFileName(this, tr("Save report"), path,
                                              kinds.join(QStringLiteral(";;")), &kind);
        path = withEndingOf(kind, chosen);
    } while (path != chosen && QFileInfo::exists(path));
    if (!path.isEmpty()) {
        const bool is_said = kind == a4 || kind == letter; // A page is printed on what is usual.
        exportReport(path, (is_said ? kind : kinds.front()) == letter);
    }
}

MainWindow::WriteReport MainWindow::reportWriter(bool on_letter) const
{
    const ReportWish wish{m_preferences.redacts(),
                          on_letter ? tidemark::report::PaperSize::letter
                                    : tidemark::report::PaperSize::a4};
    if (isJobShown()) {
        return [job = m_job->job().job(), wish, write = m_services.write_job_report](
                   const QString& path, const std::stop_token& stop) {
            return write(path, *job, wish, stop);
        };
    }
    std::vector<diagnose::Analysis> analyses;
    QStringList letters;
    for (const OpenFile* file : reportedFiles()) {
        analyses.push_back(file->analysis);
        letters << file->letter;
    }
    return [analyses = std::move(analyses), letters, wish,
            write = m_services.write_report](const QString& path, const std::stop_token& stop) {
        return write(path, analyses, letters, wish, stop);
    };
}

void MainWindow::exportReport(const QString& path, bool on_letter)
{
    if (!canReport()
        || !(isJobShown() ? bool(m_services.write_job_report) : bool(m_services.write_report))) {
        return;
    }
    m_report_job->start([this, path, write = reportWriter(on_letter)](const std::stop_token& stop) {
        const Result<Done> result = write(path, stop);
        if (!result.has_value() && result.error().code == ErrorCode::cancelled) {
            return;
        }
        const QString sentence = result.has_value() ? QString() : text(result.error().message);
        QMetaObject::invokeMethod(
            this,
            [this, path, sentence] {
                if (sentence.isEmpty()) {
                    m_notices->showWritten(m_state.ghost() == nullptr
                                               ? tr("Report saved to %1").arg(path)
                                               : tr("Report saved to %1, for the run as recorded; "
                                                    "the what-if is not in it.")
                                                     .arg(path),
                                           path);
                } else {
                    m_notices->showFailure(QFileInfo(path).fileName() % QStringLiteral(": ")
                                           % sentence);
                }
                Q_EMIT reportWritten(path, sentence.isEmpty());
            },
            Qt::QueuedConnection);
    });
}

} // namespace tidemark::ui
