// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

class QLayout;

namespace tidemark::ui {

/// Empties a layout. What is in it goes when the event that is being handled is over, and nobody
/// finds it by name until then: one of the widgets may be just being shown, and Qt goes on with it
/// once the layouts around it are done.
void removeWidgets(QLayout& layout);

} // namespace tidemark::ui
