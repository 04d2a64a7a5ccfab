// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/pieces.h"

#include <QtGui/QPainter>
#include <QtGui/QTextLayout>

#include <cmath>

namespace tidemark::ui {

ElidedLabel::ElidedLabel(QWidget* parent, Qt::TextElideMode mode)
    : QLabel(parent)
    , m_mode(mode)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedLabel::setLines(int lines)
{
    m_lines = lines;
    updateGeometry();
}

void ElidedLabel::setShrinks(double least)
{
    m_least = least;
}

QString ElidedLabel::shown(int width, QFont& font) const
{
    const int largest = QFontInfo(font).pixelSize();
    const int smallest = static_cast<int>(std::lround(largest * m_least));
    for (int size = largest;
         size > smallest && QFontMetrics(font).horizontalAdvance(m_words) > width;) {
        font.setPixelSize(--size);
    }
    return QFontMetrics(font).elidedText(m_words, m_mode, width);
}

void ElidedLabel::setWords(const QString& words)
{
    m_words = words;
    setText(words);
    setToolTip(words);
    updateGeometry();
    update();
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {fontMetrics().averageCharWidth() * 6, fontMetrics().lineSpacing() * m_lines};
}

QSize ElidedLabel::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_words) + 2, fontMetrics().lineSpacing() * m_lines};
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    const QRect room = contentsRect();
    if (m_lines == 1) {
        QFont fitting = font();
        const QString words = shown(room.width(), fitting);
        painter.setFont(fitting);
        painter.drawText(room, static_cast<int>(alignment()), words);
        return;
    }
    QTextLayout layout(m_words, font());
    layout.beginLayout();
    int top = room.top();
    for (int i = 0; i < m_lines; ++i) {
        QTextLine line = layout.createLine();
        if (!line.isValid()) {
            break;
        }
        line.setLineWidth(room.width());
        const QString rest = m_words.mid(line.textStart());
        const QString shown = i + 1 == m_lines
            ? fontMetrics().elidedText(rest, Qt::ElideRight, room.width())
            : rest.left(line.textLength());
        painter.drawText(QRect(room.left(), top, room.width(), fontMetrics().lineSpacing()),
                         Qt::AlignLeft | Qt::AlignVCenter, shown);
        top += fontMetrics().lineSpacing();
    }
    layout.endLayout();
}

} // namespace tidemark::ui
