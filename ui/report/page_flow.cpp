// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/page_flow.h"

#include <QtGui/QPainter>

#include <algorithm>
#include <utility>

namespace tidemark::ui::report {
namespace {

constexpr double kHeaderHeight = 22; ///< From the margin to the content.
constexpr double kFooterHeight = 20;
constexpr double kCardPadding = 9;
constexpr double kCodePadding = 3.5;
constexpr double kCodeIndent = 72; ///< Room for the label at the left.
constexpr int kFewLines = 2; ///< A paragraph leaves at least so many lines on a page.

void fill(PageFlow& flow, const QRectF& rect, const QColor& color)
{
    flow.add([rect, color](QPainter& painter) { painter.fillRect(rect, color); });
}

/// Flows a block line by line. `behind` draws the background of each piece; its rectangle is the
/// piece with `padding` above and below.
void flowBlock(PageFlow& flow, const TextBlock& block, double indent, double padding,
               const std::function<void(QRectF)>& behind)
{
    int line = 0;
    while (line < block.lineCount()) {
        const int left = block.lineCount() - line;
        int fitting = block.linesThatFit(line, flow.remaining() - 2 * padding);
        if (fitting < left && fitting < kFewLines && !flow.isAtTop()) {
            flow.breakPage();
            fitting = block.linesThatFit(line, flow.remaining() - 2 * padding);
        }
        const int end = line + std::clamp(fitting, 1, left);
        const QRectF piece = flow.take(block.heightOf(line, end) + 2 * padding);
        if (behind) {
            behind(piece);
        }
        flow.add([block, line, end, at = piece.topLeft() + QPointF(indent, padding)](
                     QPainter& painter) { block.draw(painter, at, line, end); });
        line = end;
        if (line < block.lineCount()) {
            flow.breakPage();
        }
    }
}

} // namespace

PageFlow::PageFlow(QSizeF page_size)
    : m_size(page_size)
    , m_y(content().top())
{
}

QRectF PageFlow::content() const
{
    return {kPageMargin, kPageMargin + kHeaderHeight, m_size.width() - 2 * kPageMargin,
            m_size.height() - 2 * kPageMargin - kHeaderHeight - kFooterHeight};
}

void PageFlow::breakPage()
{
    m_pages.emplace_back();
    m_y = content().top();
}

void PageFlow::ensure(double height)
{
    constexpr double kRounding = 0.01;
    if (height > remaining() + kRounding && !isAtTop()) {
        breakPage();
    }
}

void PageFlow::space(double height)
{
    if (!isAtTop()) {
        m_y = std::min(m_y + height, content().bottom());
    }
}

QRectF PageFlow::take(double height)
{
    ensure(height);
    const QRectF taken(left(), m_y, width(), height);
    m_y += height;
    return taken;
}

void PageFlow::addBookmark(const QString& title, int level)
{
    m_bookmarks.push_back(Bookmark{title, level, m_pages.size() - 1, m_y});
}

void PageFlow::paint(std::size_t page, QPainter& painter) const
{
    for (const Draw& draw : m_pages[page]) {
        painter.save();
        draw(painter);
        painter.restore();
    }
}

void addHeading(PageFlow& flow, const QString& title, int bookmark_level, double keep)
{
    const TextBlock block(title, TextStyle{11.5, true, false, kInk}, flow.width());
    flow.space(9);
    flow.ensure(block.height() + 3 + keep);
    flow.addBookmark(title, bookmark_level);
    flowBlock(flow, block, 0, 0, {});
    flow.space(3);
}

void addParagraph(PageFlow& flow, const std::vector<Run>& runs, double indent, double space_after)
{
    flowBlock(flow, TextBlock(runs, flow.width() - indent), indent, 0, {});
    flow.space(space_after);
}

void addParagraph(PageFlow& flow, const QString& text, const TextStyle& style)
{
    addParagraph(flow, {{text, style}});
}

void addBullet(PageFlow& flow, const std::vector<Run>& runs, double indent)
{
    constexpr double kBulletIndent = 10;
    const TextBlock block(runs, flow.width() - indent - kBulletIndent);
    flow.ensure(block.heightOf(0, kFewLines));
    const QPointF center(flow.left() + indent + 3, flow.y() + block.ascent() * 0.72);
    flow.add([center](QPainter& painter) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(kGrey);
        painter.drawEllipse(center, 1.3, 1.3);
    });
    flowBlock(flow, block, indent + kBulletIndent, 0, {});
    flow.space(2);
}

void addCode(PageFlow& flow, const QString& label, const QString& lines)
{
    constexpr double kWhole = 120; ///< Short snippets are not torn apart.
    const double label_width = label.isEmpty() ? 0 : textWidth(label, kSmallBold);
    const bool is_beside = label_width > 0 && label_width <= kCodeIndent - 6;
    const double indent = is_beside ? kCodeIndent : 0;
    const TextBlock name(label, kSmallBold, is_beside ? kCodeIndent : flow.width());
    const TextBlock block(lines, kCode, flow.width() - indent - 2 * kCodePadding);
    const double above = is_beside || label.isEmpty() ? 0 : name.height() + 2;
    flow.ensure(above + std::min(block.height() + 2 * kCodePadding, kWhole));
    if (is_beside) {
        const QPointF at(flow.left(), flow.y() + kCodePadding + block.ascent() - name.ascent());
        flow.add([name, at](QPainter& painter) { name.draw(painter, at); });
    } else if (above > 0) {
        flowBlock(flow, name, 0, 0, {});
        flow.space(2);
    }
    flowBlock(flow, block, indent + kCodePadding, kCodePadding, [&](const QRectF& piece) {
        const QRectF panel = piece.adjusted(indent, 0, 0, 0);
        fill(flow, panel, kPanel);
        fill(flow, QRectF(panel.topLeft(), QSizeF(1.5, panel.height())), kPaleGrey);
    });
    flow.space(3);
}

void addCard(PageFlow& flow, const QColor& edge, const std::vector<std::vector<Run>>& paragraphs)
{
    constexpr double kEdge = 3;
    constexpr double kGap = 3.5;
    const double indent = kEdge + kCardPadding;
    std::vector<TextBlock> blocks;
    double height = 2 * kCardPadding - kGap;
    for (const auto& runs : paragraphs) {
        blocks.emplace_back(runs, flow.width() - indent - kCardPadding);
        height += blocks.back().height() + kGap;
    }
    if (height <= flow.content().height()) {
        QRectF card = flow.take(height);
        fill(flow, card, kPanel);
        fill(flow, QRectF(card.topLeft(), QSizeF(kEdge, card.height())), edge);
        QPointF at = card.topLeft() + QPointF(indent, kCardPadding);
        for (const TextBlock& block : blocks) {
            flow.add([block, at](QPainter& painter) { block.draw(painter, at); });
            at.ry() += block.height() + kGap;
        }
    } else {
        for (const TextBlock& block : blocks) {
            flowBlock(flow, block, indent, kGap / 2, [&](const QRectF& piece) {
                fill(flow, QRectF(piece.topLeft(), QSizeF(kEdge, piece.height())), edge);
            });
        }
    }
    flow.space(8);
}

} // namespace tidemark::ui::report
