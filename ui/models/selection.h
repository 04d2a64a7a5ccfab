// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/selected_bytes.h"
#include "ui/models/newest_job.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace tidemark::ui {

class ViewState;

/// The allocations that all views show as selected, and what selected them.
struct Selection {
    enum class From : std::uint8_t { row, frame, filter, fix };
    From from = From::row;
    QString name; ///< Of the frame or the fix, or the filter's words; text of the file.
    std::vector<AllocationId> ids; ///< Rising; at least one.
    std::vector<bool> members; ///< Per allocation.
    AllocationId largest; ///< The first of the largest.
    projection::SelectedBytes bytes; ///< By the bands of the timeline.

    [[nodiscard]] bool has(AllocationId id) const
    {
        return !id.isNone() && id.index() < members.size() && members[id.index()];
    }
};

/// Keeps what is selected on the device that a view state shows: some allocations, and one of them
/// in front, whose stack and lifetime are shown. Large selections are made off the window's thread.
class Selector : public QObject {
    Q_OBJECT
public:
    using Ids = std::vector<AllocationId>;
    using Find = std::function<Ids(const std::stop_token&)>;

    /// `state` owns it.
    explicit Selector(ViewState& state);

    /// Null: nothing is selected.
    [[nodiscard]] const std::shared_ptr<const Selection>& selection() const
    {
        return m_selection;
    }
    [[nodiscard]] AllocationId front() const
    {
        return m_front;
    }
    /// Whether a selection is under way.
    [[nodiscard]] bool isBusy() const
    {
        return m_is_busy;
    }
    /// Nothing is selected.
    void clear()
    {
        choose(AllocationId::none());
    }
    /// Puts an allocation in front: of what is selected, or alone. None: nothing is selected.
    void choose(AllocationId front);
    /// Selects allocations, in any order; none of them: nothing.
    void select(Selection::From from, const QString& name, Ids ids);
    /// The same of what `find` finds on another thread; what it reads must outlive it.
    void find(Selection::From from, const QString& name, Find find);
    /// Selects nothing where the selection, or the one under way, comes from there.
    void clear(Selection::From from);
    /// Another device: says nothing.
    void forget();

Q_SIGNALS:
    void changed();

private:
    void show(std::shared_ptr<const Selection> selection, AllocationId front);
    void update();

    ViewState& m_state;
    std::shared_ptr<const Selection> m_selection;
    AllocationId m_front;
    Selection::From m_coming = Selection::From::row; ///< Of what is under way.
    bool m_is_busy = false;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
