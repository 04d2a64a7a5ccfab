// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

class QLabel;

namespace tidemark::ui {

class LegendBar;
class Minimap;
class BandGrouper;
class TimelinePlot;

/// A timeline with its legend above and the minimap below.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(ViewState& state, QWidget* parent = nullptr);

    [[nodiscard]] TimelinePlot& plot()
    {
        return *m_plot;
    }
    [[nodiscard]] Minimap& minimap()
    {
        return *m_minimap;
    }
    /// What the bands are.
    [[nodiscard]] BandGrouper& grouper()
    {
        return *m_grouper;
    }
    /// A line above the plot, "A  gpt.pickle · GPU 0"; empty for none.
    void setCaption(const QString& caption);

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void alignMinimap();
    void fitMinimap();
    void refreshNote();

    ViewState& m_state;
    BandGrouper* m_grouper;
    QLabel* m_caption;
    LegendBar* m_legend;
    QLabel* m_note; ///< Why there is no curve, where there is none.
    TimelinePlot* m_plot;
    Minimap* m_minimap;
};

} // namespace tidemark::ui
