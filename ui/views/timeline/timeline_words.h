// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QCoreApplication>

namespace tidemark::ui {

/// The context for translators of what is painted into a timeline, in the window and on paper.
struct TimelineWords {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::Timeline)
};

} // namespace tidemark::ui
