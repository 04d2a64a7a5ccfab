// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/report/text_block.h"

#include <QtCore/QRectF>
#include <QtCore/QSizeF>
#include <QtCore/QString>

#include <functional>
#include <optional>
#include <vector>

class QPainter;

namespace tidemark::ui::report {

/// A place in the document for the outline that readers show beside the pages.
struct Bookmark {
    QString title;
    int level = 0; ///< 0 = top.
    std::size_t page = 0;
    double y = 0; ///< From the top of the page.
};

/// Fills pages from the top to the bottom. Sections add what they draw; nothing is painted before
/// all is laid out, so that a page can say how many there are.
class PageFlow {
public:
    using Draw = std::function<void(QPainter&)>;

    explicit PageFlow(QSizeF page_size);

    [[nodiscard]] QSizeF pageSize() const
    {
        return m_size;
    }
    /// Where content may stand on every page; header and footer lie outside, inside the page
    /// margins.
    [[nodiscard]] QRectF content() const;
    [[nodiscard]] double left() const
    {
        return content().left();
    }
    [[nodiscard]] double width() const
    {
        return content().width();
    }
    [[nodiscard]] double y() const
    {
        return m_y;
    }
    [[nodiscard]] double remaining() const
    {
        return content().bottom() - m_y;
    }
    [[nodiscard]] bool isAtTop() const
    {
        return m_y <= content().top();
    }

    void breakPage();
    /// Begins a new page unless this much is left on this one.
    void ensure(double height);
    /// Empty space; none at the top of a page.
    void space(double height);
    /// The next `height` points of this page (of a new one where they are not left).
    QRectF take(double height);
    /// Adds something drawn on the current page.
    void add(Draw draw)
    {
        m_pages.back().push_back(std::move(draw));
    }
    void addBookmark(const QString& title, int level);

    [[nodiscard]] std::size_t pageCount() const
    {
        return m_pages.size();
    }
    [[nodiscard]] const std::vector<Bookmark>& bookmarks() const
    {
        return m_bookmarks;
    }
    void paint(std::size_t page, QPainter& painter) const;

private:
    QSizeF m_size;
    std::vector<std::vector<Draw>> m_pages{1};
    std::vector<Bookmark> m_bookmarks;
    double m_y = 0;
};

/// The margin that header, footer and content keep from the edges of the page.
inline constexpr double kPageMargin = 42;

/// A heading that stays with at least `keep` points of what follows, and its bookmark.
void addHeading(PageFlow& flow, const QString& title, int bookmark_level, double keep = 60);
/// Wrapped text that continues on the next page where it must.
void addParagraph(PageFlow& flow, const std::vector<Run>& runs, double indent = 0,
                  double space_after = 4);
void addParagraph(PageFlow& flow, const QString& text, const TextStyle& style = kBody);
/// A paragraph behind a bullet.
void addBullet(PageFlow& flow, const std::vector<Run>& runs, double indent = 0);
/// Monospaced lines on a panel with a label at their left, of a long one above them; line breaks
/// are kept, long lines wrapped.
void addCode(PageFlow& flow, const QString& label, const QString& lines);
/// Blocks one below the other in a frame with a coloured left edge; stays on one page where it fits
/// on one.
void addCard(PageFlow& flow, const QColor& edge, const std::vector<std::vector<Run>>& paragraphs);

} // namespace tidemark::ui::report
