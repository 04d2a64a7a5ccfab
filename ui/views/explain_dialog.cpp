// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/explain_dialog.h"

#include "core/report/explanation.h"
#include "ui/models/text.h"
#include "ui/views/pieces.h"

#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QUrl>
#include <QtGui/QClipboard>
#include <QtGui/QDropEvent>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTextBrowser>
#include <QtWidgets/QVBoxLayout>

#include <chrono>

namespace tidemark::ui {
namespace {

using namespace std::chrono_literals;

/// Markdown of the answer, or a sentence that says why there is none.
QString answerTo(const QString& path, const QString& words)
{
    std::string log;
    std::string name = utf8(ExplainDialog::tr("The text"));
    if (path.isEmpty()) {
        log = utf8(words);
    } else {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) {
            return ExplainDialog::tr("The log cannot be read: %1.").arg(file.errorString());
        }
        log = file.readAll().toStdString();
        name = utf8(QFileInfo(path).fileName());
    }
    if (log.find_first_not_of(" \t\r\n") == std::string::npos) {
        return ExplainDialog::tr("The answer appears here as soon as there is a text.");
    }
    const QString markdown =
        text(report::toMarkdown(report::explanationDocument(diagnose::explain(log), name)));
    return markdown.mid(markdown.indexOf(QLatin1Char('\n')) + 1); // the title is what was given
}

} // namespace

ExplainDialog::ExplainDialog(QWidget* parent)
    : QDialog(parent)
    , m_text(new QPlainTextEdit(this))
    , m_file(makeSecondaryText(this, QStringLiteral("explainedFile")))
    , m_answer(new QTextBrowser(this))
{
    setObjectName(QStringLiteral("explain"));
    setWindowTitle(tr("Explain a message"));
    setAcceptDrops(true);
    resize(860, 720);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(8);
    auto* label = new QLabel(tr("The out-of-memory &message, the traceback or the log"), this);
    label->setBuddy(m_text);
    column->addWidget(label);
    m_text->setObjectName(QStringLiteral("explainText"));
    m_text->setPlaceholderText(tr("Paste it here, or drop a log on this window.\n"
                                  "CUDA out of memory. Tried to allocate …"));
    m_text->setAcceptDrops(false); // A dropped file belongs to the dialog.
    m_text->setTabChangesFocus(true);
    m_text->setMaximumHeight(fontMetrics().height() * 8);
    column->addWidget(m_text);
    m_file->hide();
    column->addWidget(m_file);
    m_answer->setObjectName(QStringLiteral("explainAnswer"));
    m_answer->setAccessibleName(tr("What the text says"));
    m_answer->setOpenLinks(false);
    m_answer->document()->setDocumentMargin(10);
    column->addWidget(m_answer, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton* open = buttons->addButton(tr("&Open a Log…"), QDialogButtonBox::ActionRole);
    column->addWidget(buttons);
    m_delay.setSingleShot(true);
    m_delay.setInterval(200ms);
    connect(&m_delay, &QTimer::timeout, this, &ExplainDialog::explain);
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] {
        m_path.clear();
        m_file->hide();
        m_delay.start();
    });
    connect(open, &QPushButton::clicked, this, &ExplainDialog::chooseFile);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    explain();
}

void ExplainDialog::explainText(const QString& words)
{
    m_text->setPlainText(words);
}

void ExplainDialog::explainFile(const QString& path)
{
    m_text->clear();
    m_path = path;
    m_file->setText(tr("Explained is the log %1").arg(path));
    m_file->show();
    m_delay.stop();
    explain();
}

void ExplainDialog::explainClipboard()
{
    static constexpr int kMost = 1 << 20; // more is no message that somebody copied
    const QString words = QGuiApplication::clipboard()->text();
    if (words.size() < kMost && diagnose::parseOomMessage(utf8(words))) {
        explainText(words);
    }
}

QString ExplainDialog::logIn(const QMimeData& data)
{
    const QList<QUrl> urls = data.urls();
    if (urls.size() != 1 || !urls.front().isLocalFile()) {
        return {};
    }
    const QString path = urls.front().toLocalFile();
    const QString ending = QFileInfo(path).suffix().toLower();
    const bool is_log = ending == QLatin1String("log") || ending == QLatin1String("txt")
        || ending == QLatin1String("out") || ending == QLatin1String("err");
    return is_log ? path : QString();
}

void ExplainDialog::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls() || event->mimeData()->hasText()) {
        event->acceptProposedAction();
    }
}

void ExplainDialog::dropEvent(QDropEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    event->acceptProposedAction();
    if (!urls.isEmpty() && urls.front().isLocalFile()) {
        explainFile(urls.front().toLocalFile());
    } else {
        explainText(event->mimeData()->text());
    }
}

void ExplainDialog::chooseFile()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a log"), {}, tr("Logs (*.log *.txt *.out *.err);;All files (*)"));
    if (!path.isEmpty()) {
        explainFile(path);
    }
}

void ExplainDialog::explain()
{
    m_job.start(
        this,
        [path = m_path, words = m_text->toPlainText()](const std::stop_token&) {
            return answerTo(path, words);
        },
        [this](const std::shared_ptr<QString>& answer) {
            m_answer->setMarkdown(*answer);
            calmDocument(*m_answer);
            Q_EMIT explained();
        });
}

} // namespace tidemark::ui
