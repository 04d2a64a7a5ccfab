// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/deltas_model.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

class QLabel;
class QTableView;

namespace tidemark::ui {

class Minimap;
class TimelineView;

/// Two runs on one scale: their timelines above each other with linked zoom and cursor, the
/// difference in a sentence and per bucket.
class CompareView : public QWidget {
    Q_OBJECT
public:
    explicit CompareView(QWidget* parent = nullptr);

    /// Shows two devices; a newer analysis of the same ones keeps the place. Both must be drawable.
    void show(const diagnose::Analysis& a, std::size_t device_a, const diagnose::Analysis& b,
              std::size_t device_b);
    void clear();
    [[nodiscard]] bool isShowing() const
    {
        return m_a.hasDevice() && m_b.hasDevice();
    }
    /// Time only where both files have times.
    [[nodiscard]] bool canShowTime() const
    {
        return m_a.canShowTime() && m_b.canShowTime();
    }
    void setAxis(projection::Axis axis);
    [[nodiscard]] TimelineView& viewA()
    {
        return *m_view_a;
    }
    [[nodiscard]] ViewState& stateA()
    {
        return m_a;
    }
    [[nodiscard]] ViewState& stateB()
    {
        return m_b;
    }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void link(ViewState& from, ViewState& to);
    void shareExtent();
    void shareTop();
    void refreshTexts(const diagnose::Analysis& a, const diagnose::Analysis& b);

    ViewState m_a;
    ViewState m_b;
    DeltasModel m_deltas;
    bool m_is_linking = false;
    QLabel* m_sentence;
    TimelineView* m_view_a;
    TimelineView* m_view_b;
    Minimap* m_minimap; ///< Of B, below both, so that the plots are equally high.
    QWidget* m_side = nullptr;
    QTableView* m_table;
    QLabel* m_cursor;
    QLabel* m_settings;
    QLabel* m_warnings;
};

} // namespace tidemark::ui
