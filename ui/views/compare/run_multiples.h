// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/comparison_details.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

class QGridLayout;
class QToolButton;

namespace tidemark::ui {

class RunEdge;
class TimelinePlot;
class WhenSeen;

/// Three and more runs as small timelines with one scale of bytes and one axis of events, the first
/// the one that all others are held against.
class RunMultiples : public QWidget {
    Q_OBJECT
public:
    explicit RunMultiples(QWidget* parent = nullptr);
    /// The first is the reference.
    void setRuns(std::vector<NamedRun> runs);
    [[nodiscard]] const std::vector<NamedRun>& runs() const
    {
        return m_runs;
    }
    [[nodiscard]] std::size_t cellCount() const
    {
        return m_cells.size();
    }
    [[nodiscard]] TimelinePlot& plot(std::size_t cell);

Q_SIGNALS:
    void chosen(quint64 id); ///< A run is to be held against the first one.

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Cell {
        std::unique_ptr<ViewState> state;
        QWidget* frame = nullptr;
        RunEdge* edge = nullptr;
        QToolButton* title = nullptr;
        TimelinePlot* plot = nullptr;
    };
    void fill();
    void makeCells();
    void removeCells();
    void arrange();
    void shareScale();
    void refreshTitles();

    std::vector<NamedRun> m_runs;
    std::vector<Cell> m_cells; ///< Their widgets are children.
    QGridLayout* m_grid;
    WhenSeen* m_seen; ///< A child.
};

} // namespace tidemark::ui
