// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <vector>

class QWidget;

namespace tidemark::ui {

/// Gives the focus to the next (previous) of a page's parts, round and round: to its first list or
/// picture, else to the first that Tab reaches. Parts that are hidden or take no keys are passed.
void stepFocus(std::vector<QWidget*> parts, int by);

} // namespace tidemark::ui
