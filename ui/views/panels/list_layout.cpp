// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/list_layout.h"

#include "ui/views/look/pieces.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace tidemark::ui {

void layOutList(QWidget& panel, QLabel& words, std::initializer_list<QToolButton*> buttons,
                QTableView& table)
{
    auto* column = new QVBoxLayout(&panel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(&words, 1);
    for (QToolButton* button : buttons) {
        button->setFont(smallFont(panel));
        row->addWidget(button, 0, Qt::AlignTop);
    }
    column->addLayout(row);
    column->addWidget(&table, 1);
    column->addStretch(0);
}

} // namespace tidemark::ui
