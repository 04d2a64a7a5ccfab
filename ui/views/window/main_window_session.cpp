// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What was open at the last start, and a view that is handed on.
#include "core/base/progress.h"
#include "core/pipeline/redaction.h"
#include "core/report/difference_report.h"
#include "core/report/finding.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/look/strips.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/session_keeper.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QApplication>

#include <array>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace tidemark::ui {
namespace {

/// What is copied of a run, or of two that are compared.
struct CopiedFinding {
    diagnose::Analysis analysis;
    std::size_t device = 0;
    std::shared_ptr<const ComparedRuns> compared; ///< Null: it is one run.

    [[nodiscard]] QString markdown() const
    {
        return text(compared == nullptr
                        ? report::findingMarkdown(analysis, device)
                        : report::differenceMarkdown(
                            compared->base.analysis, compared->against.analysis,
                            compared->difference,
                            {utf8(compared->base.letter), utf8(compared->against.letter)}));
    }
    /// Gives the runs other names and finds all anew.
    Result<Done> redact(const std::stop_token& stop)
    {
        pipeline::Redaction names;
        NoProgress silent;
        if (compared == nullptr) {
            return pipeline::redact(std::span(&analysis, 1), names, silent, stop);
        }
        std::array runs{compared->base.analysis, compared->against.analysis};
        Result<Done> done = pipeline::redact(runs, names, silent, stop);
        if (done.has_value()) {
            ComparedRun base = compared->base;
            ComparedRun against = compared->against;
            base.analysis = std::move(runs[0]);
            against.analysis = std::move(runs[1]);
            compared = std::make_shared<const ComparedRuns>(
                compareRuns(base, against, compared->moment, compared->by_hand, stop));
        }
        return done;
    }
};

} // namespace

void MainWindow::setSessionPath(const QString& path)
{
    m_keeper->setPath(path);
}

void MainWindow::saveSession()
{
    m_keeper->write({m_current, isComparing() ? baseFile() : 0, isComparing() ? againstFile() : 0,
                     m_job->view()});
}

void MainWindow::restoreSession()
{
    const SessionKeeper::Restored restored = m_keeper->restore();
    if (restored.is_broken) {
        m_notices->showNotice(
            tr("The last start ended while it reopened files; they are in File › Open Recent."));
    }
    if (!restored.gone.isEmpty()) {
        constexpr qsizetype kMostNamed = 5; // A job may have been of a thousand files.
        QStringList names;
        for (const QString& path : restored.gone.mid(0, kMostNamed)) {
            names << QFileInfo(QDir::cleanPath(path)).fileName();
        }
        QString words = names.join(QStringLiteral(", "));
        if (const qsizetype others = restored.gone.size() - names.size(); others > 0) {
            words += u' ' % tr("(%Ln more)|(%Ln more)", nullptr, plural(others));
        }
        m_notices->showNotice(tr("No longer there: %1").arg(words));
    }
    if (!restored.job.paths.isEmpty()) {
        m_job->restore(restored.job);
    }
}

void MainWindow::finishRestoring()
{
    const std::optional<SessionKeeper::Shown> shown = m_keeper->takeShown();
    if (!shown) {
        return;
    }
    const bool is_job_shown = isJobShown(); // Unless it was left meanwhile.
    if (m_session.find(shown->current) != nullptr) {
        showFile(shown->current);
    }
    if (shown->base != 0 && shown->against != 0) {
        compareFiles(shown->base, shown->against);
    }
    if (is_job_shown) {
        showJob();
    }
}

void MainWindow::openLink(const QString& words, const diagnose::UserInput& input)
{
    const std::optional<ViewLink> link = linkFromText(words);
    if (!link) {
        m_notices->showNotice(tr("Not a link to a view."));
        return;
    }
    // The one that sends it may have it elsewhere: a file of this name that is open will do.
    const QString name = QFileInfo(link->file).fileName();
    QString path = link->file;
    if (!QFileInfo(path).isFile()) {
        for (const OpenFile& file : m_session.files()) {
            if (QFileInfo(file.path).fileName() == name) {
                path = file.path;
            }
        }
    }
    if (!QFileInfo(path).isFile()) {
        m_notices->showNotice(
            tr("%1 is not at that path here. Open the file, then the link again.").arg(name));
        return;
    }
    const FileId id = m_keeper->open(path, *link, input);
    if (m_session.find(id)->canDraw()) {
        showFile(id);
    } else {
        m_alone.insert(id);
    }
    if (!link->note.isEmpty()) {
        m_notices->showNotice(tr("Note: %1").arg(link->note));
    }
}

void MainWindow::copyLink()
{
    if (const OpenFile* file = current(); file != nullptr && m_state.hasDevice()) {
        QGuiApplication::clipboard()->setText(linkText(m_keeper->view(file->id)));
        m_notices->showNotice(tr("Link copied. File › Open from Clipboard opens it."));
    }
}

void MainWindow::copyFinding()
{
    CopiedFinding finding;
    if (isComparing()) {
        finding.compared = m_compare_page->comparer().result();
        if (finding.compared == nullptr || m_compare_page->isBusy()) {
            m_notices->showNotice(tr("Still comparing; try again in a moment."));
            return;
        }
    } else if (const OpenFile* file = current();
               file != nullptr && m_state.hasDevice() && m_state.diagnosis() != nullptr) {
        finding.analysis = file->analysis;
        finding.device = m_state.device();
    } else {
        return;
    }
    if (!m_preferences.redacts()) {
        QGuiApplication::clipboard()->setText(finding.markdown());
        m_notices->showNotice(tr("Finding copied as Markdown."));
        return;
    }
    m_report_job->start([this, finding](const std::stop_token& stop) mutable {
        QString words;
        QString problem;
        try { // It copies the run and diagnoses it anew: an exception would end the program.
            const Result<Done> done = finding.redact(stop);
            if (stop.stop_requested()) {
                return;
            }
            (done.has_value() ? words : problem) =
                done.has_value() ? finding.markdown() : text(done.error().message);
        } catch (const std::bad_alloc&) {
            problem = tr("Not enough free memory; close other programs or use a larger machine.");
        }
        QMetaObject::invokeMethod(
            this,
            [this, words, problem] {
                if (problem.isEmpty()) {
                    QGuiApplication::clipboard()->setText(words);
                    m_notices->showNotice(tr("Finding copied as Markdown, with other names."));
                } else {
                    m_notices->showFailure(problem);
                }
            },
            Qt::QueuedConnection);
    });
}

/// As said, since not every desktop has one of its own (`QKeySequence::Quit`).
QKeySequence MainWindow::quitKey()
{
    return QKeySequence(Qt::CTRL | Qt::Key_Q);
}

/// Ends the program whatever menu or dialog is open.
void MainWindow::quit()
{
    const auto in_front = [] {
        QWidget* const popup = QApplication::activePopupWidget();
        return popup != nullptr ? popup : QApplication::activeModalWidget();
    };
    while (QWidget* const above = in_front()) {
        if (!above->close()) {
            break;
        }
    }
    QApplication::closeAllWindows();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
    // In the window itself the menu takes the key, but no dialog's or popup's keys get there.
    if (event->type() == QEvent::KeyPress && watched->isWidgetType()
        && QKeySequence(static_cast<QKeyEvent*>(event)->keyCombination()) == quitKey()
        && (QApplication::activeWindow() != this || QApplication::activePopupWidget() != nullptr)) {
        QMetaObject::invokeMethod(this, &MainWindow::quit, Qt::QueuedConnection);
        return true;
    }
    return QMainWindow::eventFilter(watched, event);
}

} // namespace tidemark::ui
