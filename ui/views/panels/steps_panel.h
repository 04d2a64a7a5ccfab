// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/newest_job.h"
#include "ui/models/step_models.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

#include <memory>

class QLabel;
class QTableView;
class QToolButton;

namespace tidemark::ui {

class ElidedLabel;
class StepPeaksChart;

/// The largest total of every step, as a chart, of every phase of it, as a table, and what grows
/// from step to step.
class StepsPanel : public QWidget {
    Q_OBJECT
public:
    explicit StepsPanel(ViewState& state, QWidget* parent = nullptr);
    [[nodiscard]] bool isBusy() const
    {
        return m_job.isBusy();
    }

Q_SIGNALS:
    void stackRequested(const QString& title, quint32 stack);
    void stepsShown(); ///< The tables are up to date.

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Answer {
        curves::PhasePeaks peaks;
        label::StepNumbers numbers;
        curves::StepGrowth growth;
    };
    [[nodiscard]] QWidget* makePeaks();
    [[nodiscard]] QWidget* makeGrowth();
    /// Nothing of a device: a click until the answer is there would go to one of its states.
    void forget();
    void refresh();
    void fill(const Answer& answer);
    void shareRoom();

    ViewState& m_state;
    PhasePeaksModel m_peaks;
    GrowthModel m_growth;
    StepPeaksChart* m_chart;
    ElidedLabel* m_peaks_title = nullptr;
    QTableView* m_peaks_table;
    int m_peaks_width = 0; ///< That its columns need: too slow to measure at every resize.
    QTableView* m_growth_table;
    QLabel* m_no_phases;
    QLabel* m_growth_words;
    QLabel* m_per_token;
    std::shared_ptr<const label::Labels> m_shown; ///< What the tables were made from.
    std::size_t m_shown_device = 0;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
