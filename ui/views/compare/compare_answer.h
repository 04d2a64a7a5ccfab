// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "ui/models/comparer.h"
#include "ui/models/session.h"
#include "ui/views/look/pieces.h"

#include <QtWidgets/QFrame>
#include <QtWidgets/QLabel>

#include <vector>

class QComboBox;
class QHBoxLayout;
class QToolButton;
class QVBoxLayout;

namespace tidemark::ui {

class RunEdge;

/// A sentence in one line that leads to what it speaks of: a click, or Return while it has the
/// focus.
class SentenceLabel : public ElidedLabel {
    Q_OBJECT
public:
    explicit SentenceLabel(QWidget* parent);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Is not shortened before longer ones: figures are at the end.
    void keepShort();

Q_SIGNALS:
    void clicked();

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool m_is_kept = false;
};

/// A file that may be compared.
struct ComparedFile {
    FileId id = 0;
    QString letter;
    QString name; ///< What tells it from the others.
    QString path;
    friend bool operator==(const ComparedFile&, const ComparedFile&) = default;
};

/// Which runs are compared, and the answer in three lines at most: the headline, at most three
/// causes, and what speaks against comparing them at all, is not explained, or equal.
class CompareAnswer : public QFrame {
    Q_OBJECT
public:
    explicit CompareAnswer(QWidget* parent = nullptr);

    /// With more than two files each name becomes a list of them.
    void setFiles(const std::vector<ComparedFile>& files, FileId base, FileId against);
    void setResult(const ComparedRuns& runs);
    void clear();
    /// That something is still being computed; `words` empty: nothing is.
    void setWaiting(const QString& words);
    static constexpr int kMostHeight = 96; ///< The lanes have the rest.

Q_SIGNALS:
    void swapRequested();
    void baseChosen(quint64 id);
    void againstChosen(quint64 id);
    /// Of a sentence that was clicked: what it is about, and which of those.
    void sentenceChosen(tidemark::compare::Says says, std::size_t index);

private:
    struct Side {
        RunEdge* edge;
        ElidedLabel* name;
        QComboBox* choice;
    };
    [[nodiscard]] Side makeSide(const QString& name);
    void showSide(const Side& side, FileId id);
    SentenceLabel* makeSentence(const compare::Sentence& sentence);
    void addWarnings(QHBoxLayout& line);
    void refresh();

    std::vector<ComparedFile> m_files;
    Side m_base{};
    Side m_against{};
    QToolButton* m_swap;
    QLabel* m_waiting;
    QHBoxLayout* m_head;
    QVBoxLayout* m_column;
    std::vector<QWidget*> m_lines; ///< Of the present answer.
    std::vector<compare::Sentence> m_sentences;
    std::vector<std::string> m_warnings;
};

} // namespace tidemark::ui
