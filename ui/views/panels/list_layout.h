// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <initializer_list>

class QLabel;
class QTableView;
class QToolButton;
class QWidget;

namespace tidemark::ui {

/// Lays out a panel that is a list: words and small buttons in a row above the table.
void layOutList(QWidget& panel, QLabel& words, std::initializer_list<QToolButton*> buttons,
                QTableView& table);

} // namespace tidemark::ui
