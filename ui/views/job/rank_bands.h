// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/job_lines.h"
#include "ui/views/job/rank_bands_painter.h"
#include "ui/views/look/key_help.h"

#include <QtWidgets/QAbstractScrollArea>

#include <memory>
#include <vector>

namespace tidemark::ui {

/// A line for each rank of a job: its name, its peak and how it ended, and the bands of its dumps,
/// all on one axis and one scale. Only the lines in sight are painted.
class RankBands : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit RankBands(QWidget* parent = nullptr);

    [[nodiscard]] static std::vector<KeyHelp> keyHelp();

    void setJob(std::shared_ptr<const job::Job> job);
    void setAxis(JobAxis axis);
    void setOrder(RankOrder order);
    void setMoments(ShownMoments moments);
    [[nodiscard]] const JobLines& lines() const
    {
        return m_lines;
    }
    [[nodiscard]] JobAxis axis() const
    {
        return m_axis;
    }
    [[nodiscard]] RankOrder order() const
    {
        return m_order;
    }
    /// The part of the axis that is shown, 0 to 1 the whole of it.
    [[nodiscard]] const Interval<double>& part() const
    {
        return m_part;
    }
    void setPart(Interval<double> part);
    /// The selected row of the job; kNoRow: none.
    [[nodiscard]] std::size_t selected() const
    {
        return m_selected;
    }
    /// Selects the line of a row and brings it into sight.
    void select(std::size_t row);
    /// Selects the next outlier (`by` 1) or the one before (−1), in their order and round the end.
    void stepOutlier(int by);
    /// The bands of the lines that the last painting has drawn.
    [[nodiscard]] int paintedLines() const
    {
        return m_painted;
    }
    [[nodiscard]] QRect lineRect(std::size_t line) const;
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void selectionChanged();
    void partChanged();
    void openRequested(std::size_t row);
    void compareRequested(std::size_t row, std::size_t against);

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void relayout();
    void fitScrollBar();
    [[nodiscard]] int lineHeight() const;
    [[nodiscard]] int titleWidth() const;
    void fitTitles();
    void showBusyPart();
    void zoom(double factor, double around);
    void move(double by);
    [[nodiscard]] int titleHeight() const; ///< Of a line that has room for all of its words.
    [[nodiscard]] int headHeight() const;
    [[nodiscard]] std::size_t lineAt(int y) const;
    /// The row of the job at a place; kNoRow: none.
    [[nodiscard]] std::size_t rowAt(const QPoint& at) const;
    [[nodiscard]] BandsFrame frameOf(std::size_t line, std::size_t column) const;
    void paintHead(QPainter& painter) const;
    void paintLine(QPainter& painter, std::size_t line) const;
    void paintTitle(QPainter& painter, std::size_t line, const QRect& rect) const;
    [[nodiscard]] QString tipAt(const QPoint& at) const;
    void selectLine(int line);
    void stepLine(int by);
    void compareWithMedian();

    std::shared_ptr<const job::Job> m_job;
    JobLines m_lines;
    JobAxis m_axis = JobAxis::clock;
    RankOrder m_order = RankOrder::rank;
    ShownMoments m_moments = ShownMoments::last;
    Interval<double> m_part{0, 1};
    bool m_is_zoomed = false; ///< By a person: the part stays.
    int m_title_width = 0; ///< That the longest of them takes.
    std::size_t m_selected = kNoRow;
    int m_painted = 0;
};

} // namespace tidemark::ui
