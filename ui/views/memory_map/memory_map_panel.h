// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/memory_map_source.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

#include <memory>

class QLabel;
class QStackedWidget;
class QToolButton;

namespace tidemark::ui {

class ElidedLabel;
class MemoryMapView;

/// The memory map of the state under the mouse, or at the cursor, under a line with its sums; words
/// where there is nothing to show. While a simulation is drawn over the timeline, a switch shows
/// where everything lies in it.
class MemoryMapPanel : public QWidget {
    Q_OBJECT
public:
    explicit MemoryMapPanel(ViewState& state, QWidget* parent = nullptr);
    [[nodiscard]] bool isBusy() const
    {
        return m_source.isBusy();
    }
    [[nodiscard]] MemoryMapView& map()
    {
        return *m_map;
    }
    /// What is shown; null while nothing is.
    [[nodiscard]] const std::shared_ptr<const MemoryScene>& scene() const
    {
        return m_scene;
    }

Q_SIGNALS:
    void stackRequested(); ///< Of the selected allocation.
    void menuRequested(const QPoint& place); ///< For it, at a place of the screen.

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void refresh();
    void showScene(const std::shared_ptr<const MemoryScene>& scene);
    void updateWords();
    [[nodiscard]] bool showsSimulated() const;
    void updateSwitch();
    /// Why there is nothing to show; empty where there is something.
    [[nodiscard]] QString emptyWords() const;

    ViewState& m_state;
    QToolButton* m_switch;
    QLabel* m_moment;
    QLabel* m_sums;
    ElidedLabel* m_line;
    QStackedWidget* m_pages;
    MemoryMapView* m_map;
    QLabel* m_empty;
    std::shared_ptr<const MemoryScene> m_scene;
    bool m_is_stale = true;
    MemoryMapSource m_source;
};

} // namespace tidemark::ui
