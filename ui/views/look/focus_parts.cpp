// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/focus_parts.h"

#include <QtWidgets/QAbstractScrollArea>
#include <QtWidgets/QApplication>

#include <algorithm>
#include <cstddef>

namespace tidemark::ui {
namespace {

QWidget* firstFocus(QWidget& part)
{
    if (part.focusPolicy() != Qt::NoFocus) {
        return &part;
    }
    QWidget* first = nullptr;
    for (QWidget* each = part.nextInFocusChain(); each != &part; each = each->nextInFocusChain()) {
        const bool is_reached = part.isAncestorOf(each) && each->isVisible() && each->isEnabled()
            && (each->focusPolicy() & Qt::TabFocus) != 0;
        if (is_reached && qobject_cast<QAbstractScrollArea*>(each) != nullptr) {
            return each;
        }
        first = is_reached && first == nullptr ? each : first;
    }
    return first;
}

} // namespace

void stepFocus(std::vector<QWidget*> parts, int by)
{
    std::erase_if(parts,
                  [](QWidget* part) { return !part->isVisible() || firstFocus(*part) == nullptr; });
    if (parts.empty()) {
        return;
    }
    const QWidget* const focus = QApplication::focusWidget();
    const auto now = std::ranges::find_if(parts, [focus](const QWidget* part) {
        return focus != nullptr && (part == focus || part->isAncestorOf(focus));
    });
    const auto count = static_cast<std::ptrdiff_t>(parts.size());
    const std::ptrdiff_t next = now == parts.end() ? 0 : (now - parts.begin() + by + count) % count;
    firstFocus(*parts[static_cast<std::size_t>(next)])->setFocus(Qt::TabFocusReason);
}

} // namespace tidemark::ui
