// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/code_block.h"

#include "ui/views/look/pieces.h"

#include <QtGui/QFontDatabase>
#include <QtGui/QFontInfo>
#include <QtGui/QFontMetrics>
#include <QtGui/QTextBlock>
#include <QtGui/QTextLayout>
#include <QtGui/QWheelEvent>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int kMostLines = 12; ///< That are shown unasked.
constexpr int kWorthCutting = 3; ///< A button for fewer would take their room.

} // namespace

CodeBlock::CodeBlock(QWidget* parent)
    : QPlainTextEdit(parent)
{
    setReadOnly(true);
    setAcceptDrops(false);
    setFrameShape(QFrame::NoFrame);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTabChangesFocus(true);
    document()->setDocumentMargin(2);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPixelSize(QFontInfo(smallFont(*this)).pixelSize());
    setFont(fixed);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void CodeBlock::setCode(const QString& code)
{
    m_code = code;
    const bool is_long = lineCount() >= kMostLines + kWorthCutting;
    showLines(is_long ? code.section(u'\n', 0, kMostLines - 1) : code);
}

int CodeBlock::lineCount() const
{
    return static_cast<int>(m_code.count(u'\n')) + 1;
}

bool CodeBlock::isCut() const
{
    return document()->blockCount() < lineCount();
}

void CodeBlock::showAll()
{
    showLines(m_code);
}

void CodeBlock::showLines(const QString& lines)
{
    setPlainText(lines);
    m_heights.forget();
    updateGeometry();
}

int CodeBlock::heightOfLines(int lines) const
{
    constexpr int kAround = 12;
    return lines * QFontMetrics(font()).lineSpacing() + kAround;
}

/// Broken here: the widget's own lines are those of the width that it has, and of what is visible.
int CodeBlock::linesAt(int width) const
{
    const double room = width - m_around - 2 * document()->documentMargin();
    int lines = 0;
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        QTextLayout layout(block.text(), font());
        layout.setTextOption(document()->defaultTextOption());
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(std::max(1.0, room));
            ++lines;
        }
        layout.endLayout();
    }
    return lines;
}

int CodeBlock::heightForWidth(int width) const
{
    return m_heights.at(width, [this](int at) { return heightOfLines(linesAt(at)); });
}

QSize CodeBlock::sizeHint() const
{
    return {QPlainTextEdit::sizeHint().width(), heightOfLines(document()->blockCount())};
}

QSize CodeBlock::minimumSizeHint() const
{
    return {QPlainTextEdit::minimumSizeHint().width(), heightOfLines(1)};
}

bool CodeBlock::event(QEvent* event)
{
    m_heights.heed(*event);
    return QPlainTextEdit::event(event);
}

/// What lies around the lines is known once the style has laid the widget out.
void CodeBlock::resizeEvent(QResizeEvent* event)
{
    QPlainTextEdit::resizeEvent(event);
    if (const int around = width() - viewport()->width(); around != m_around) {
        m_around = around;
        m_heights.forget();
        updateGeometry();
    }
}

void CodeBlock::wheelEvent(QWheelEvent* event)
{
    event->ignore(); // All of it is visible; the wheel belongs to what it stands in.
}

} // namespace tidemark::ui
