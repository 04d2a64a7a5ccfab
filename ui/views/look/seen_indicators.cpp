// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/seen_indicators.h"

#include "ui/views/look/theme.h"

#include <QtGui/QPainter>
#include <QtWidgets/QStyleFactory>
#include <QtWidgets/QStyleOption>

#include <algorithm>

namespace tidemark::ui {
namespace {

/// Points down where the largest comes first; Qt's own points up there.
void paintSortArrow(QPainter& painter, const QStyleOption& option)
{
    const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(&option);
    if (header == nullptr || header->sortIndicator == QStyleOptionHeader::None) {
        return;
    }
    const double side = header->sortIndicator == QStyleOptionHeader::SortUp ? 1 : -1;
    const QPointF middle = QRectF(option.rect).center();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(currentColours().secondary);
    painter.drawPolygon(
        QPolygonF{{middle + QPointF(0, 2.5 * side), middle + QPointF(-4, -2.5 * side),
                   middle + QPointF(4, -2.5 * side)}});
    painter.restore();
}

} // namespace

SeenIndicators::SeenIndicators()
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
{
}

int SeenIndicators::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* result) const
{
    return hint == SH_DialogButtonBox_ButtonsHaveIcons
        ? 0
        : QProxyStyle::styleHint(hint, option, widget, result);
}

void SeenIndicators::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                   QPainter* painter, const QWidget* widget) const
{
    if (element == PE_IndicatorHeaderArrow) {
        paintSortArrow(*painter, *option);
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    const bool is_round = element == PE_IndicatorRadioButton;
    if (!is_round && element != PE_IndicatorCheckBox && element != PE_IndicatorItemViewItemCheck) {
        return;
    }
    const ThemeColours& colours = currentColours();
    const bool is_enabled = option->state.testFlag(State_Enabled);
    const QRectF box = QRectF(option->rect).adjusted(1, 1, -1, -1);
    const double side = std::min(box.width(), box.height());
    QRectF outline(0, 0, side, side);
    outline.moveCenter(box.center());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(is_enabled ? colours.secondary : colours.faint, 1));
    painter->setBrush(Qt::NoBrush);
    if (is_round) {
        painter->drawEllipse(outline);
    } else {
        painter->drawRoundedRect(outline, 2, 2);
    }
    painter->restore();
}

} // namespace tidemark::ui
