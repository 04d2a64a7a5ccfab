// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/job.h"

#include <QtWidgets/QWidget>

#include <cstddef>
#include <memory>
#include <optional>

class QLabel;
class QSplitter;
class QTabBar;
class QToolButton;

namespace tidemark::ui {

class JobAnswer;
class RankBands;
class RankTable;

/// A job of many ranks: the answer, the ranks as small pictures on one clock and one scale, and
/// what each holds against the median rank. It shows what it is told, and asks for ranks to be
/// opened and compared by signals.
class JobPage : public QWidget {
    Q_OBJECT
public:
    explicit JobPage(QWidget* parent = nullptr);

    /// Null: nothing is read yet.
    void setJob(std::shared_ptr<const job::Job> job);
    /// How far reading is, 0 to 1, of so many dumps; nullopt: it has ended.
    void setReading(std::optional<double> fraction, std::size_t dumps);
    /// Gives the focus to the next (previous) part: the ranks, the table, the answer.
    void stepPart(int by);
    [[nodiscard]] RankBands& bands()
    {
        return *m_bands;
    }
    [[nodiscard]] RankTable& table()
    {
        return *m_table;
    }

Q_SIGNALS:
    void openRequested(std::size_t row);
    void compareRequested(std::size_t row, std::size_t against);
    void stopRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeBandsCard();
    QWidget* makeSide();
    void refreshTabs();
    void refreshNotes();
    void shareWidth();

    std::shared_ptr<const job::Job> m_job;
    JobAnswer* m_answer;
    RankBands* m_bands;
    RankTable* m_table;
    QTabBar* m_axes = nullptr;
    QToolButton* m_whole = nullptr;
    QToolButton* m_moments = nullptr;
    QToolButton* m_outliers = nullptr;
    QWidget* m_notes_card = nullptr;
    QLabel* m_notes_title = nullptr;
    QLabel* m_notes = nullptr;
    QSplitter* m_columns;
    bool m_is_arranged = false; ///< By a person: the parts keep their sizes.
    bool m_is_ordered = false; ///< The same of which dumps are shown, in which order.
};

} // namespace tidemark::ui
