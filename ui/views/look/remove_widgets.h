// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

class QLayout;
class QWidget;

namespace tidemark::ui {

/// Hides a widget, which goes when the event that is being handled is over, and which nobody finds
/// by name until then.
void removeWidget(QWidget& widget);
/// Empties a layout. What is in it goes when the event that is being handled is over, and nobody
/// finds it by name until then: one of the widgets may be just being shown, and Qt goes on with it
/// once the layouts around it are done.
void removeWidgets(QLayout& layout);

} // namespace tidemark::ui
