// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/qnamespace.h>

#include <cstdint>
#include <span>

class QWidget;

namespace tidemark::ui {

class AnalysisPage;

// The one list of what stands around the timeline. A panel is a row here and a class in a room of
// ui/views; its signals are wired by their names (`wirePanel` in panel_table.cpp), its name is one
// of `tidemark --view`, and View > Panels, the search and the sheet of keys have it.

/// A tab of the drawer, from left to right.
struct TabKind {
    const char* id;
    const char* title; ///< For `AnalysisPage::tr`.
};

enum class PanelPlace : std::uint8_t {
    beside, ///< At the right of the plot.
    tab, ///< In the tab of its own id or of `PanelKind::tab`; a tab of several has a switch.
    pane, ///< At the right of the drawer, whichever tab is shown.
    badge, ///< In the drawer, behind a button at the end of its head.
};

struct PanelKind {
    const char* id; ///< "fixes", as in `showPanel`.
    const char* title; ///< For `AnalysisPage::tr`.
    PanelPlace place;
    const char* tab; ///< Id of a `TabKind`; empty for other places.
    QWidget* (*make)(AnalysisPage& page);
    QKeyCombination key = Qt::Key_unknown; ///< Shows it.
};

[[nodiscard]] std::span<const TabKind> tabKinds();
[[nodiscard]] std::span<const PanelKind> panelKinds();

/// Whether its tab leads to it alone.
[[nodiscard]] bool isOnlyOfItsTab(const PanelKind& kind);
/// Ctrl+1 shows the first.
[[nodiscard]] constexpr QKeyCombination tabKey(int index)
{
    return Qt::CTRL | Qt::Key(Qt::Key_1 + index);
}

} // namespace tidemark::ui
