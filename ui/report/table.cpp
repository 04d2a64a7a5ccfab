// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/table.h"

#include "ui/views/look/swatch.h"

#include <QtGui/QPainter>
#include <QtGui/QPainterPath>

#include <algorithm>
#include <utility>

namespace tidemark::ui::report {
namespace {

void rule(PageFlow& flow, double x, double y, double width, double thickness, const QColor& color)
{
    flow.add([=](QPainter& painter) {
        painter.fillRect(QRectF(x, y - thickness / 2, width, thickness), color);
    });
}

/// A row with its cells laid out.
struct LaidOutRow {
    std::vector<TextBlock> blocks;
    std::vector<std::optional<Swatch>> swatches;
    double baseline = 0; ///< Of the first line in every cell.
    double height = 0; ///< Without padding.
    bool is_total = false;
};

class TableFlow {
public:
    TableFlow(PageFlow& flow, const Table& table)
        : m_flow(flow)
        , m_table(table)
    {
        double fixed = 0;
        std::size_t sharing = 0;
        for (const Column& column : table.columns) {
            fixed += column.width;
            sharing += column.width <= 0 ? 1U : 0U;
        }
        const auto gaps = static_cast<double>(table.columns.size() - 1) * kColumnGap;
        const double share =
            sharing == 0 ? 0 : (flow.width() - fixed - gaps) / static_cast<double>(sharing);
        double x = flow.left();
        for (const Column& column : table.columns) {
            m_x.push_back(x);
            m_widths.push_back(column.width > 0 ? column.width : share);
            x += m_widths.back() + kColumnGap;
        }
        m_right = x - kColumnGap;
        layOut();
    }

    void run()
    {
        if (m_rows.empty()) {
            return;
        }
        m_flow.ensure(m_header_height + std::min(keptHeight(0), m_flow.content().height() / 2));
        drawHeader();
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            placeRow(i);
        }
        m_flow.space(4);
    }

    [[nodiscard]] double wholeHeight() const
    {
        double height = m_header_height;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            height += fullHeight(i);
        }
        return height;
    }

private:
    void layOut()
    {
        for (std::size_t c = 0; c < m_table.columns.size(); ++c) {
            const Column& column = m_table.columns[c];
            m_titles.push_back(column.title.isEmpty() ? TextBlock()
                                                      : TextBlock(column.title, kSmallBold,
                                                                  m_widths[c], column.align));
            m_titles_height = std::max(m_titles_height, m_titles.back().height());
        }
        m_header_height = m_titles_height > 0 ? m_titles_height + 4 : 0;
        for (const TableRow& row : m_table.rows) {
            LaidOutRow laid_out;
            laid_out.is_total = row.is_total;
            for (std::size_t c = 0; c < row.cells.size(); ++c) {
                const double inset = row.cells[c].swatch ? kSwatchAdvance : 0;
                laid_out.blocks.emplace_back(row.cells[c].runs, m_widths[c] - inset,
                                             m_table.columns[c].align);
                laid_out.swatches.push_back(row.cells[c].swatch);
                laid_out.baseline = std::max(laid_out.baseline, laid_out.blocks.back().ascent());
            }
            for (const TextBlock& block : laid_out.blocks) {
                laid_out.height =
                    std::max(laid_out.height, laid_out.baseline - block.ascent() + block.height());
            }
            m_rows.push_back(std::move(laid_out));
        }
    }

    [[nodiscard]] double fullHeight(std::size_t row) const
    {
        return m_rows[row].height + 2 * m_table.row_padding;
    }

    /// Whether a page may not end behind a row.
    [[nodiscard]] bool staysWithNext(std::size_t row) const
    {
        const std::size_t next = row + 1;
        return next < m_rows.size()
            && (row == 0 || next + 1 == m_rows.size() || m_rows[next].is_total);
    }

    /// A row with all that has to stand on its page below it.
    [[nodiscard]] double keptHeight(std::size_t row) const
    {
        double height = fullHeight(row);
        for (; staysWithNext(row); ++row) {
            height += fullHeight(row + 1);
        }
        return height;
    }

    void drawHeader()
    {
        if (m_header_height <= 0) {
            return;
        }
        const QRectF area = m_flow.take(m_header_height);
        for (std::size_t c = 0; c < m_titles.size(); ++c) {
            const double top = area.top() + m_header_height - 4 - m_titles[c].height();
            addBlock(m_titles[c], QPointF(m_x[c], top));
        }
        rule(m_flow, m_flow.left(), area.bottom() - 1, m_right - m_flow.left(), 0.7, kGrey);
    }

    void addBlock(const TextBlock& block, QPointF at, int first = 0, int end = TextBlock::kAllLines)
    {
        if (block.lineCount() > 0) {
            m_flow.add([=](QPainter& painter) { block.draw(painter, at, first, end); });
        }
    }

    void placeRow(std::size_t i)
    {
        // What is kept together has been asked for with its first row.
        const bool is_kept = i > 0 && staysWithNext(i - 1);
        const double needed = is_kept ? fullHeight(i) : keptHeight(i);
        const double page = m_flow.content().height() - m_header_height;
        if (needed > m_flow.remaining() && (needed <= page / 2 || m_flow.remaining() < page / 4)) {
            m_flow.breakPage();
            drawHeader();
        }
        placePieces(m_rows[i]);
        const bool total_follows = i + 1 < m_rows.size() && m_rows[i + 1].is_total;
        rule(m_flow, m_flow.left(), m_flow.y(), m_right - m_flow.left(), total_follows ? 0.7 : 0.35,
             total_follows ? kGrey : kPaleGrey);
    }

    /// Draws a row in as many pieces as pages it needs: one, for all but huge ones.
    void placePieces(const LaidOutRow& row)
    {
        std::vector<int> lines(row.blocks.size(), 0);
        bool is_first = true;
        for (bool is_done = false; !is_done; is_first = false) {
            if (!is_first) {
                m_flow.breakPage();
                drawHeader();
            }
            is_done = true;
            double height = 0;
            std::vector<int> ends;
            for (std::size_t c = 0; c < row.blocks.size(); ++c) {
                const TextBlock& block = row.blocks[c];
                const double drop = is_first ? row.baseline - block.ascent() : 0;
                const int fitting = block.linesThatFit(
                    lines[c], m_flow.remaining() - 2 * m_table.row_padding - drop);
                // A page always takes at least a line, so this ends.
                ends.push_back(
                    std::min(block.lineCount(), lines[c] + std::max(fitting, is_first ? 0 : 1)));
                height = std::max(height, drop + block.heightOf(lines[c], ends[c]));
                is_done = is_done && ends[c] == block.lineCount();
            }
            placePiece(row, lines, ends, height, is_first);
            lines = std::move(ends);
        }
    }

    void placePiece(const LaidOutRow& row, const std::vector<int>& begins,
                    const std::vector<int>& ends, double height, bool is_first)
    {
        const QRectF area = m_flow.take(height + 2 * m_table.row_padding);
        for (std::size_t c = 0; c < row.blocks.size(); ++c) {
            const double drop = is_first ? row.baseline - row.blocks[c].ascent() : 0;
            QPointF at(m_x[c], area.top() + m_table.row_padding + drop);
            if (row.swatches[c]) {
                if (is_first) {
                    const double y = at.y() + row.blocks[c].ascent() - kSwatchSize + 0.6;
                    const QRectF box(at.x(), y, kSwatchSize, kSwatchSize);
                    m_flow.add([swatch = *row.swatches[c], box](QPainter& painter) {
                        drawSwatch(painter, swatch, box);
                    });
                }
                at.rx() += kSwatchAdvance;
            }
            addBlock(row.blocks[c], at, begins[c], ends[c]);
        }
    }

    PageFlow& m_flow;
    const Table& m_table;
    std::vector<double> m_x;
    std::vector<double> m_widths;
    double m_right = 0;
    std::vector<TextBlock> m_titles;
    double m_titles_height = 0;
    double m_header_height = 0;
    std::vector<LaidOutRow> m_rows;
};

} // namespace

void drawSwatch(QPainter& painter, const Swatch& swatch, QRectF rect)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    switch (swatch.kind) {
    case Swatch::Kind::solid:
        painter.setPen(Qt::NoPen);
        painter.setBrush(swatch.color);
        painter.drawRoundedRect(rect, 1, 1);
        break;
    case Swatch::Kind::tint:
    case Swatch::Kind::dots:
        painter.setClipRect(rect);
        painter.fillRect(rect, cachedColour(themeColours(Theme::light)));
        for (double d = 1.5; swatch.kind == Swatch::Kind::dots && d < rect.height(); d += 2) {
            for (double x = 1.2; x < rect.width(); x += 2) {
                painter.fillRect(QRectF(rect.left() + x, rect.top() + d - 0.4, 0.8, 0.8),
                                 swatch.color);
            }
        }
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(swatch.color, 0.6));
        painter.drawRect(rect.adjusted(0.3, 0.3, -0.3, -0.3));
        break;
    case Swatch::Kind::line:
    case Swatch::Kind::dashes: {
        QPen pen(swatch.color, 1.1);
        if (swatch.kind == Swatch::Kind::dashes) {
            pen.setDashPattern({2.2, 1.3});
            pen.setCapStyle(Qt::FlatCap);
        }
        painter.setPen(pen);
        painter.drawLine(QPointF(rect.left(), rect.center().y()),
                         QPointF(rect.right(), rect.center().y()));
        break;
    }
    }
    painter.restore();
}

Cell cell(const QString& text, const TextStyle& style)
{
    return Cell{{{text, style}}};
}

void addTable(PageFlow& flow, const Table& table)
{
    TableFlow(flow, table).run();
}

double tableHeight(PageFlow& flow, const Table& table)
{
    return TableFlow(flow, table).wholeHeight();
}

} // namespace tidemark::ui::report
