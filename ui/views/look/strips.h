// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/session.h"

#include <QtCore/QStringList>
#include <QtWidgets/QWidget>

#include <chrono>
#include <functional>

class QLabel;
class QProgressBar;
class QVBoxLayout;

namespace tidemark::ui {

/// How far reading is, with a button that stops it; hidden while nothing is read.
class LoadingStrip : public QWidget {
    Q_OBJECT
public:
    explicit LoadingStrip(Session& session, QWidget* parent = nullptr);

private:
    void refresh();

    Session& m_session;
    QLabel* m_words;
    QProgressBar* m_bar;
};

/// Files that could not be opened, each with its sentence, and short notices that go by themselves.
/// They lie over the lower right corner of their parent, and move nothing.
class NoticeStrip : public QWidget {
    Q_OBJECT
public:
    explicit NoticeStrip(Session& session, QWidget* parent = nullptr);
    void showNotice(const QString& words);
    /// The same of a file that was written, which it offers to open; it stays longer.
    void showWritten(const QString& words, const QString& path);
    void showFailure(const QString& words);
    /// The words where something was done, else why not; whether it was.
    bool showResult(const Result<Done>& result, const QString& words);
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();
    void showFor(std::chrono::milliseconds time, const QString& words);
    void refresh();
    QWidget* makeEntry(const QString& words, bool is_failure, const std::function<void()>& dismiss);

    Session& m_session;
    QStringList m_failures; ///< Of other things than reading.
    QString m_notice;
    QString m_written; ///< The file that the notice is of; may be empty.
    QVBoxLayout* m_column;
};

/// Share of the whole of opening a file that is done, from a stage and the share of it.
[[nodiscard]] double overallFraction(const QString& stage, double fraction);

} // namespace tidemark::ui
