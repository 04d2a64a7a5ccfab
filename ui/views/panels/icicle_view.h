// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/stack_tree.h"
#include "ui/views/look/key_help.h"

#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtWidgets/QAbstractScrollArea>

#include <cstdint>
#include <memory>
#include <vector>

namespace tidemark::ui {

/// A tree of calls as an icicle: a call is as wide as what was allocated below it, and what it
/// calls hangs under it, largest first.
///
///     ┌────────────────────────────── main ┐
///     ├───────────── forward ┬─── backward ┤
///     ├─── attention ┬─ mlp ─┤
///
/// Colours are those of the bucket with most of the bytes. A click chooses a call, a double click
/// or Enter makes it as wide as the view, Backspace goes back; the arrows walk the tree.
class IcicleView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit IcicleView(QWidget* parent);
    [[nodiscard]] static std::vector<KeyHelp> keyHelp();

    /// Null: nothing. A call that is in both trees by its names stays chosen and wide.
    void setTree(std::shared_ptr<const curves::StackTree> tree);
    [[nodiscard]] const std::shared_ptr<const curves::StackTree>& tree() const
    {
        return m_tree;
    }
    /// Calls whose names hold it stand out; empty: all.
    void setSearch(const QString& words);
    /// Per node, whether anything below it is selected; empty: nothing is.
    void setMarked(std::vector<bool> marked);
    [[nodiscard]] bool isMarked(std::uint32_t node) const
    {
        return node < m_marked.size() && m_marked[node];
    }
    /// Bytes of the outermost calls that match, which no other match holds.
    [[nodiscard]] std::int64_t matchedBytes() const;

    [[nodiscard]] std::uint32_t chosen() const ///< 0: none.
    {
        return m_chosen;
    }
    void choose(std::uint32_t node);
    /// The call that is as wide as the view; 0: everything.
    [[nodiscard]] std::uint32_t zoomed() const
    {
        return m_zoomed;
    }
    void zoomTo(std::uint32_t node);
    /// Where a call is drawn, in the viewport; empty where it is too narrow or out of sight.
    [[nodiscard]] QRectF rectOf(std::uint32_t node) const;
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void chosenChanged();
    void zoomedChanged();
    void menuRequested(const QPoint& place); ///< For the chosen call, at a place of the screen.

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

    /// What a call looks like and what is said of it; requires a tree.
    [[nodiscard]] virtual QColor fillOf(std::uint32_t node) const;
    [[nodiscard]] virtual QString wordsOf(std::uint32_t node) const;
    [[nodiscard]] virtual QString tipOf(std::uint32_t node) const;
    /// `share` of a colour over another one.
    [[nodiscard]] static QColor mixed(const QColor& colour, const QColor& background, float share);

private:
    struct Bar {
        std::uint32_t node = 0;
        QRectF rect; ///< Without the scrolling.
    };
    void layOut();
    [[nodiscard]] int rowHeight() const;
    [[nodiscard]] std::uint32_t nodeAt(const QPointF& place) const;
    void paintBar(QPainter& painter, const Bar& bar, const QRectF& rect) const;
    [[nodiscard]] std::uint32_t sibling(int step) const;
    void reveal(std::uint32_t node);
    /// The user's own code, which is bold.
    [[nodiscard]] bool isOwn(std::uint32_t node) const;
    [[nodiscard]] bool matches(std::uint32_t node) const;
    [[nodiscard]] std::uint32_t nodeNamed(const std::vector<std::string>& names) const;
    [[nodiscard]] std::vector<std::string> namesOf(std::uint32_t node) const;

    std::shared_ptr<const curves::StackTree> m_tree;
    std::vector<Bar> m_bars; ///< Row by row, those that are wide enough to be seen.
    std::vector<bool> m_matches; ///< Per node; empty: no search.
    std::vector<bool> m_marked;
    std::uint32_t m_zoomed = 0;
    std::uint32_t m_chosen = 0;
    QString m_search;
};

/// "Attention.forward: 1,073,741,824 B, 12 % of all, in 24 allocations" and its buckets; plain
/// text.
[[nodiscard]] QString callTip(const curves::StackTree& tree, std::uint32_t node);

} // namespace tidemark::ui
