// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/newest_job.h"

#include <QtCore/QTimer>
#include <QtWidgets/QDialog>

class QLabel;
class QMimeData;
class QPlainTextEdit;
class QTextBrowser;

namespace tidemark::ui {

/// Explains an out-of-memory message, a traceback or a log that is pasted, dropped or opened, while
/// no snapshot is at hand.
class ExplainDialog : public QDialog {
    Q_OBJECT
public:
    explicit ExplainDialog(QWidget* parent = nullptr);

    void explainText(const QString& words);
    /// A log as it lies on the disk; it may be too large to be shown.
    void explainFile(const QString& path);
    /// What lies on the clipboard, if it is an out-of-memory message.
    void explainClipboard();

    /// The log that is dropped; empty if it is none, by its name.
    [[nodiscard]] static QString logIn(const QMimeData& data);

Q_SIGNALS:
    void explained(); ///< The answer to what is there now is shown.

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void chooseFile();
    void explain();

    QPlainTextEdit* m_text;
    QLabel* m_file;
    QTextBrowser* m_answer;
    QString m_path; ///< Of the log; empty: the text counts.
    QTimer m_delay;
    NewestJob m_job;
};

} // namespace tidemark::ui
