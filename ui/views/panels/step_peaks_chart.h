// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/curves/phase_peaks.h"
#include "core/label/runs/step_numbers.h"

#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

namespace tidemark::ui {

/// The largest total of a step, and where it lies.
struct StepPeak {
    std::uint32_t step = 0; ///< 1-based, as the trace counts.
    std::int64_t number = 0; ///< By which people know it.
    label::Phase phase = label::Phase::other; ///< In which the total is reached.
    replay::Peak peak; ///< Of what was requested.
};

/// One per step, in their order. What lies before the first step is no step. O(peaks).
[[nodiscard]] std::vector<StepPeak> stepPeaks(const curves::PhasePeaks& peaks,
                                              const label::StepNumbers& numbers);

/// A bar per step, as high as its largest total and in the colour of the phase that reaches it;
/// each is named where there is room, else the highest. The arrows choose a bar, a click or Return
/// goes there. The table below it has the same figures.
class StepPeaksChart : public QWidget {
    Q_OBJECT
public:
    explicit StepPeaksChart(QWidget* parent);

    void setPeaks(std::vector<StepPeak> peaks);
    [[nodiscard]] const std::vector<StepPeak>& peaks() const
    {
        return m_peaks;
    }
    [[nodiscard]] QRectF barOf(std::size_t index) const;
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void chosen(tidemark::StateId state);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] std::optional<std::size_t> at(const QPointF& place) const;
    [[nodiscard]] double barRoom() const; ///< With the gap beside it.
    [[nodiscard]] bool isEachNamed() const;
    [[nodiscard]] QString wordsOf(std::size_t index) const;
    void choose(std::size_t index);

    std::vector<StepPeak> m_peaks;
    std::size_t m_highest = 0;
    std::size_t m_current = 0;
};

} // namespace tidemark::ui
