// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/stack_union.h"
#include "ui/models/comparer.h"
#include "ui/models/newest_job.h"
#include "ui/views/panels/icicle_view.h"

#include <QtWidgets/QWidget>

#include <memory>

class QLabel;
class QLineEdit;
class QToolButton;

namespace tidemark::ui {

/// An icicle of the calls of two runs, each as wide as what changed below it; one colour is for
/// more, one for less, grey where that comes to nothing.
class DifferenceIcicle : public IcicleView {
    Q_OBJECT
public:
    using IcicleView::IcicleView;
    void setUnion(std::shared_ptr<const compare::StackUnion> united, const QString& base,
                  const QString& against);
    [[nodiscard]] const std::shared_ptr<const compare::StackUnion>& united() const
    {
        return m_union;
    }

protected:
    [[nodiscard]] QColor fillOf(std::uint32_t node) const override;
    [[nodiscard]] QString wordsOf(std::uint32_t node) const override;
    [[nodiscard]] QString tipOf(std::uint32_t node) const override;

private:
    std::shared_ptr<const compare::StackUnion> m_union;
    QString m_base;
    QString m_against;
};

/// Who holds what differs: the calls of both runs at the moments that are compared.
class CompareStacks : public QWidget {
    Q_OBJECT
public:
    explicit CompareStacks(QWidget* parent = nullptr);
    void setResult(std::shared_ptr<const ComparedRuns> runs);
    void clear();
    [[nodiscard]] DifferenceIcicle& icicle()
    {
        return *m_icicle;
    }
    [[nodiscard]] bool isBusy() const
    {
        return m_is_busy;
    }

Q_SIGNALS:
    /// The largest allocations of the chosen call; none where a run has no such call.
    void callChosen(AllocationId base, AllocationId against);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void updateWords();

    std::shared_ptr<const ComparedRuns> m_runs;
    bool m_is_current = false;
    bool m_is_busy = false;
    QToolButton* m_callers;
    QToolButton* m_callees;
    QToolButton* m_libraries;
    QLineEdit* m_search;
    QLabel* m_words;
    DifferenceIcicle* m_icicle;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
