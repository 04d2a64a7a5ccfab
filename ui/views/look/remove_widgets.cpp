// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/remove_widgets.h"

#include <QtWidgets/QLayout>
#include <QtWidgets/QWidget>

namespace tidemark::ui {

void removeWidget(QWidget& widget)
{
    widget.hide();
    widget.setObjectName({});
    for (QWidget* const part : widget.findChildren<QWidget*>()) {
        part->setObjectName({});
    }
    widget.deleteLater();
}

void removeWidgets(QLayout& layout)
{
    while (QLayoutItem* item = layout.takeAt(0)) {
        if (QWidget* const widget = item->widget()) {
            removeWidget(*widget);
        }
        delete item;
    }
}

} // namespace tidemark::ui
