// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/view_state.h"

#include <QtCore/QObject>
#include <QtCore/QTimer>

#include <cstddef>
#include <optional>
#include <vector>

namespace tidemark::ui {

/// The stretches that were looked at, to go back to. A view counts once it has stayed for a moment,
/// so that a turn of the wheel is one step and not thirty. Forgets when another device is shown.
class ViewHistory : public QObject {
    Q_OBJECT
public:
    /// `state` outlives this.
    explicit ViewHistory(ViewState& state, QObject* parent = nullptr);

    [[nodiscard]] bool canGoBack() const;
    [[nodiscard]] bool canGoForward() const
    {
        return m_at + 1 < m_views.size();
    }
    void goBack();
    void goForward();
    /// Counts the present view at once.
    void settle();

private:
    /// In states, so that it means the same on both axes.
    struct View {
        bool is_whole = true;
        StateId first;
        StateId last;
        Interval<double> range; ///< Coordinates of the axis it was seen on.
        projection::Axis axis = projection::Axis::event;
        std::optional<Interval<double>> height{}; ///< As ViewState::heightRange.
    };
    [[nodiscard]] View present() const;
    [[nodiscard]] bool isPresent(const View& view) const;
    void show(const View& view);
    void restart();

    ViewState& m_state;
    std::vector<View> m_views;
    std::size_t m_at = 0; ///< The one that is shown, or was before the view began to move.
    QTimer m_soon;
};

} // namespace tidemark::ui
