// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/interval.h"

#include <QtCore/QString>

#include <cstdint>
#include <optional>

namespace tidemark::ui {

class ViewState;

/// A view of one file: what is in it, and where. As a text to hand on:
///
///     tidemark:view?file=/runs/oom.pickle&device=0&from=1200&to=5000&cursor=4803&note=here
///
/// The same is kept of each open file for the next start.
struct ViewLink {
    QString file; ///< Absolute.
    std::uint32_t device = 0; ///< In the file's order.
    bool is_time = false; ///< The horizontal axis, of `range`.
    std::optional<Interval<double>> range; ///< Unset: the whole trace.
    std::optional<StateId> cursor;
    std::optional<Interval<StateId>> selection; ///< A range that was selected.
    std::optional<AllocationId> allocation;
    QString filter; ///< Of the allocations.
    QString what_if; ///< As `predict --apply` takes it.
    QString capacity; ///< As `parseCapacity` takes it.
    QString note; ///< Of the person who hands it on.
};

/// What is looked at in a state that shows the file. Requires a device.
[[nodiscard]] ViewLink viewOf(const ViewState& state, const QString& file);
/// Shows axis, range, cursor and selections, as far as the run has them. Requires a device, which
/// is the link's.
void showView(const ViewLink& link, ViewState& state);

[[nodiscard]] QString linkText(const ViewLink& link);
[[nodiscard]] bool isLink(const QString& text);
/// Nullopt for what is none as a whole: an unknown key, a number that is none, a path that is not
/// absolute, a text that is too long or holds a control character. Nothing is opened.
[[nodiscard]] std::optional<ViewLink> linkFromText(const QString& text);

} // namespace tidemark::ui
