// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/comparer.h"
#include "ui/models/comparison_details.h"
#include "ui/views/compare/compare_answer.h"
#include "ui/views/compare/compare_lanes.h"

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

#include <vector>

class QAction;
class QSplitter;

namespace tidemark::ui {

class CompareCursor;
class CompareTables;
class RunMultiples;

/// Two runs held against each other: the answer in sentences, their timelines and the difference
/// over one axis, what is at the cursor, and tables of what differs and why.
class ComparePage : public QWidget {
    Q_OBJECT
public:
    explicit ComparePage(QWidget* parent = nullptr);

    /// Shows two runs, a base and what is held against it; a newer analysis of the same devices
    /// keeps the place. What differs follows once both analyses are complete, computed in the
    /// background.
    void show(const ComparedRun& base, const ComparedRun& against);
    /// The files to choose from, and the two that are shown.
    void setFiles(const std::vector<ComparedFile>& files, FileId base, FileId against);
    /// All runs that are open, the base first: three and more can be seen at once.
    void setRuns(const std::vector<NamedRun>& runs);
    void clear();
    /// The pair as a case for scoring, which is to lie in a folder; empty before it is compared.
    [[nodiscard]] std::string pairCase(const QString& folder) const;
    [[nodiscard]] bool isShowing() const
    {
        return m_lanes->isShowing();
    }
    /// Whether a comparison is being computed.
    [[nodiscard]] bool isBusy() const
    {
        return m_comparer.isComparing() || isLookingCloser();
    }
    [[nodiscard]] const Comparer& comparer() const
    {
        return m_comparer;
    }
    [[nodiscard]] CompareLanes& lanes()
    {
        return *m_lanes;
    }
    [[nodiscard]] CompareTables& tables()
    {
        return *m_tables;
    }
    /// Gives the focus to the next (previous) part: the lanes, what is at the cursor, the tables,
    /// the answer.
    void stepPart(int by);
    /// For the menu: lanes, scale, blink, swap, the next difference. Enabled while runs are shown.
    [[nodiscard]] const std::vector<QAction*>& pageActions() const
    {
        return m_actions;
    }

Q_SIGNALS:
    void swapRequested();
    void baseChosen(quint64 id);
    void againstChosen(quint64 id);
    void axisChanged();
    void caseRequested(); ///< A person wants to save the pair.

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void makeActions();
    QAction* addPageAction(const QString& words, const QKeySequence& key,
                           std::function<void()> call);
    void compareNow();
    void showResult();
    void alignByHand(HandAlignment by_hand);
    void showMultiples(bool shown);
    [[nodiscard]] bool isLookingCloser() const;
    void followSentence(compare::Says says, std::size_t index);
    void showPlace(std::size_t index);
    void letGo();
    void goToCompared();
    void refreshActions();
    [[nodiscard]] bool isSmall() const;

    Comparer m_comparer;
    ComparedRun m_base;
    ComparedRun m_against;
    bool m_has_runs = false;
    bool m_is_seen = false; ///< Keys of a page that is not seen do nothing.
    bool m_is_arranged = false; ///< By a person: parts keep their sizes.
    QTimer m_follow_cursor; ///< Compares at the cursors once they stand still.
    std::vector<QAction*> m_actions;
    std::vector<QAction*> m_layout_actions; ///< In the order of LaneLayout.
    QAction* m_lock = nullptr;
    QAction* m_all_runs = nullptr;
    QAction* m_as_found = nullptr;
    HandAlignment m_by_hand;
    CompareAnswer* m_answer;
    CompareLanes* m_lanes;
    CompareCursor* m_cursor;
    CompareTables* m_tables;
    QSplitter* m_rows;
    QWidget* m_side = nullptr;
    RunMultiples* m_multiples;
    QWidget* m_lanes_card = nullptr;
    QWidget* m_multiples_card = nullptr;
};

} // namespace tidemark::ui
