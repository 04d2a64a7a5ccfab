// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/dialogs/explain_dialog.h"

#include "core/reader/log_text.h"
#include "core/report/explanation.h"
#include "core/report/text_tools.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/on_screen.h"
#include "ui/views/look/pieces.h"

#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QRegularExpression>
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

struct Answer {
    QString markdown;
    QString message; ///< The out-of-memory message with what stands around it; empty without one.
};

/// What of a log is worth keeping beside a snapshot: the last message that memory ran out.
QString messageIn(const std::string& log)
{
    static constexpr std::size_t kBefore = 4096;
    static constexpr std::size_t kMost = 65536;
    if (log.size() <= kMost) {
        return text(log);
    }
    const std::size_t error = log.rfind("out of memory");
    const std::size_t place = error == std::string::npos ? log.size() - kMost : error;
    const std::size_t line = log.find('\n', place < kBefore ? 0 : place - kBefore);
    return text(std::string_view(log).substr(line == std::string::npos ? place : line + 1, kMost));
}

/// Words that Markdown takes for nothing else.
QString plainWords(const QString& words)
{
    return text(report::escapeMarkdown(utf8(words)));
}

QString headingOf(const QString& name)
{
    return QStringLiteral("# ") % plainWords(name) % QStringLiteral("\n\n");
}

/// Of one log or text: the markdown begins with a title that names it.
Answer explained(const std::string& log, const QString& name)
{
    if (log.find_first_not_of(" \t\r\n") == std::string::npos) {
        return {headingOf(name) % ExplainDialog::tr("No text in it."), {}};
    }
    const diagnose::Explanation explanation = diagnose::explain(log);
    return {text(report::toMarkdown(report::explanationDocument(explanation, utf8(name)))),
            explanation.message ? messageIn(log) : QString()};
}

QString withoutTitle(const QString& markdown)
{
    return markdown.mid(markdown.indexOf(QLatin1Char('\n')) + 1);
}

/// The text of a log, or a sentence.
Result<std::string> logOf(const QString& path, const std::stop_token& stop)
{
    const reader::ReaderLimits limits;
    QFile file(path);
    const bool is_pipe = QFileInfo::exists(path) && !QFileInfo(path).isFile();
    if (is_pipe || !file.open(QIODevice::ReadOnly)) {
        const QString reason = is_pipe ? ExplainDialog::tr("not a file") : file.errorString();
        return Error{ErrorCode::cannotOpen,
                     utf8(ExplainDialog::tr("Cannot read the log: %1.").arg(reason))};
    }
    if (static_cast<std::uint64_t>(file.size()) > limits.max_log_bytes) {
        return Error{
            ErrorCode::tooLarge,
            utf8(ExplainDialog::tr("The log exceeds %1 GiB; open only the part with the message.")
                     .arg(limits.max_log_bytes >> 30U))};
    }
    return reader::logText(file.readAll().toStdString(), limits, stop);
}

Answer answerTo(const QStringList& paths, const QString& words, const std::stop_token& stop)
{
    if (paths.isEmpty()) {
        if (words.trimmed().isEmpty()) {
            return {ExplainDialog::tr("Paste a message or open a log to see the cause."), {}};
        }
        Answer answer = explained(utf8(words), ExplainDialog::tr("Message"));
        answer.markdown = withoutTitle(answer.markdown);
        return answer;
    }
    Answer all;
    for (const QString& path : paths) {
        const QString name = QFileInfo(path).fileName();
        const Result<std::string> log = logOf(path, stop);
        if (!log.has_value()) {
            all.markdown +=
                headingOf(name) % plainWords(text(log.error().message)) % QStringLiteral("\n\n");
            continue;
        }
        const Answer one = explained(log.value(), name);
        all.markdown += one.markdown % QStringLiteral("\n\n");
        all.message = all.message.isEmpty() ? one.message : all.message;
    }
    if (paths.size() == 1) {
        all.markdown = withoutTitle(all.markdown); // Its name stands above.
    }
    return all;
}

} // namespace

ExplainDialog::ExplainDialog(QWidget* parent)
    : QDialog(parent)
    , m_text(new QPlainTextEdit(this))
    , m_file(makeSecondaryText(this, QStringLiteral("explainedFile")))
    , m_answer(makeTextPage(this, QStringLiteral("explainAnswer")))
    , m_use(new QPushButton(this))
{
    setObjectName(QStringLiteral("explain"));
    setWindowTitle(tr("Explain message"));
    setAcceptDrops(true);
    resizeOnScreen(*this, {860, 720});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(8);
    auto* label = new QLabel(tr("OOM &message, traceback or log"), this);
    label->setBuddy(m_text);
    column->addWidget(label);
    m_text->setObjectName(QStringLiteral("explainText"));
    m_text->setPlaceholderText(
        tr("Paste it here or drop a log.\nCUDA out of memory. Tried to allocate …"));
    m_text->setAcceptDrops(false); // A dropped file belongs to the dialog.
    m_text->setTabChangesFocus(true);
    m_text->setMaximumHeight(fontMetrics().height() * 8);
    column->addWidget(m_text);
    m_file->hide();
    column->addWidget(m_file);
    m_answer->setAccessibleName(tr("Explanation"));
    column->addWidget(m_answer, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton* open = buttons->addButton(tr("&Open Logs…"), QDialogButtonBox::ActionRole);
    m_use->setObjectName(QStringLiteral("useMessage"));
    buttons->addButton(m_use, QDialogButtonBox::ActionRole);
    column->addWidget(buttons);
    m_delay.setSingleShot(true);
    m_delay.setInterval(200ms);
    connect(&m_delay, &QTimer::timeout, this, &ExplainDialog::explain);
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] {
        m_paths.clear();
        m_file->hide();
        m_delay.start();
    });
    connect(open, &QPushButton::clicked, this, &ExplainDialog::chooseFiles);
    connect(m_use, &QPushButton::clicked, this, [this] { Q_EMIT useRequested(m_message); });
    refreshUse();
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    explain();
}

void ExplainDialog::explainText(const QString& words)
{
    m_text->setPlainText(words);
}

void ExplainDialog::explainFiles(const QStringList& paths)
{
    if (paths.isEmpty()) {
        return;
    }
    m_text->clear();
    m_paths = paths;
    m_file->setText(paths.size() == 1 ? tr("Log: %1").arg(paths.front())
                                      : tr("%Ln log|%Ln logs", nullptr, plural(paths.size())));
    m_file->setToolTip(paths.join(u'\n'));
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

void ExplainDialog::setSnapshot(const QString& name)
{
    m_snapshot = name;
    refreshUse();
}

void ExplainDialog::refreshUse()
{
    m_use->setVisible(!m_snapshot.isEmpty());
    m_use->setText(tr("&Diagnose %1").arg(m_snapshot));
    m_use->setEnabled(!m_message.isEmpty());
    m_use->setToolTip(m_message.isEmpty() ? tr("No OOM message in it.") : QString());
}

QStringList ExplainDialog::logsAmong(const QStringList& paths)
{
    QStringList logs;
    for (const QString& path : paths) {
        static const QRegularExpression kPacked(QStringLiteral("\\.(gz|xz|zst|bz2|lz4)$"));
        const QString name = QString(path).toLower().remove(kPacked);
        const QString ending = QFileInfo(name).suffix();
        if (ending == QLatin1String("log") || ending == QLatin1String("txt")
            || ending == QLatin1String("out") || ending == QLatin1String("err")) {
            logs << path;
        }
    }
    return logs;
}

void ExplainDialog::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls() || event->mimeData()->hasText()) {
        event->acceptProposedAction();
    }
}

void ExplainDialog::dropEvent(QDropEvent* event)
{
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            paths << url.toLocalFile();
        }
    }
    event->acceptProposedAction();
    if (!paths.isEmpty()) {
        explainFiles(paths);
    } else {
        explainText(event->mimeData()->text());
    }
}

void ExplainDialog::chooseFiles()
{
    explainFiles(QFileDialog::getOpenFileNames(
        this, tr("Open logs"), {},
        tr("Logs (*.log *.txt *.out *.err *.log.gz *.log.zst *.txt.gz);;All files (*)")));
}

void ExplainDialog::explain()
{
    m_job.start(
        this,
        [paths = m_paths, words = m_text->toPlainText()](const std::stop_token& stop) {
            return answerTo(paths, words, stop);
        },
        [this](const std::shared_ptr<Answer>& answer) {
            m_answer->setMarkdown(answer->markdown);
            calmDocument(*m_answer);
            m_message = answer->message;
            refreshUse();
            Q_EMIT explained();
        });
}

} // namespace tidemark::ui
