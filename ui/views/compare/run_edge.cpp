// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/run_edge.h"

#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtGui/QPainter>

namespace tidemark::ui {

RunEdge::RunEdge(QWidget* parent)
    : QWidget(parent)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void RunEdge::setRun(const QString& letter, const QColor& colour)
{
    m_letter = letter;
    m_colour = colour;
    setAccessibleName(letter);
    update();
}

QSize RunEdge::sizeHint() const
{
    return {fontMetrics().height() + 4, fontMetrics().height() + 4};
}

QSize RunEdge::minimumSizeHint() const
{
    return sizeHint();
}

void RunEdge::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor fill = m_colour.isValid() ? m_colour : currentColours().secondary;
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(rect(), 4, 4);
    painter.setPen(textOn(fill));
    painter.setFont(headingFont(*this, 1.0));
    painter.drawText(rect(), Qt::AlignCenter, m_letter);
}

} // namespace tidemark::ui
