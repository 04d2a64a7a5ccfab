// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/newest_job.h"

#include <QtCore/QTimer>
#include <QtWidgets/QDialog>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTextBrowser;

namespace tidemark::ui {

/// Explains an out-of-memory message, a traceback or a log that is pasted, dropped or opened, while
/// no snapshot is at hand.
class ExplainDialog : public QDialog {
    Q_OBJECT
public:
    explicit ExplainDialog(QWidget* parent = nullptr);

    void explainText(const QString& words);
    /// Logs as they lie on the disk, one answer for each; they may be too large to be shown.
    void explainFiles(const QStringList& paths);
    /// What lies on the clipboard, if it is an out-of-memory message.
    void explainClipboard();

    /// The snapshot that is open and can be diagnosed with the message; empty: none.
    void setSnapshot(const QString& name);

    /// Those of the files that are logs, by their names.
    [[nodiscard]] static QStringList logsAmong(const QStringList& paths);

Q_SIGNALS:
    void explained(); ///< The answer to what is there now is shown.
    /// The snapshot is to be diagnosed with this message.
    void useRequested(const QString& message);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void chooseFiles();
    void explain();
    void refreshUse();

    QPlainTextEdit* m_text;
    QLabel* m_file;
    QTextBrowser* m_answer;
    QPushButton* m_use;
    QStringList m_paths; ///< Of the logs; empty: the text counts.
    QString m_message; ///< What `useRequested` hands over; empty: nothing that could be used.
    QString m_snapshot;
    QTimer m_delay;
    NewestJob m_job;
};

} // namespace tidemark::ui
