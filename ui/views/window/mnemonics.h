// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

class QMenuBar;

namespace tidemark::ui {

/// Gives every item of a menu whose text marks a letter one of its own whenever the menu opens, in
/// any language: that letter, if no item before has it, else the first of its letters that is free,
/// those that begin a word first. Menus inside menus are done alike.
void keepMnemonicsApart(QMenuBar& bar);

} // namespace tidemark::ui
