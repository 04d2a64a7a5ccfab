// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/tree.h"

#include "ui/models/roles.h"
#include "ui/views/look/copy_key.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtCore/QEvent>
#include <QtCore/QScopedValueRollback>
#include <QtGui/QPainter>
#include <QtWidgets/QApplication>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QTreeView>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kTreeBarWidth = 72;
constexpr int kBarHeight = 9;
constexpr int kTreeGap = 8;

/// Of the current row what is shown, instead of one cell.
QString currentRow(const QTreeView& tree)
{
    const QModelIndex current = tree.currentIndex();
    QStringList cells;
    for (int column = 0; current.isValid() && column < current.model()->columnCount(); ++column) {
        if (!tree.isColumnHidden(column)) {
            cells << current.siblingAtColumn(column).data().toString();
        }
    }
    return cells.join(u'\t');
}

/// Divides the width of a tree between its columns, whenever it changes.
class TreeRoom : public QObject {
public:
    struct Wanted {
        std::vector<int> widths; ///< By column; 0: it is not there.
        int widest = 0; ///< Of the first one, unless room is left.
        std::vector<int> dropped;
    };

    explicit TreeRoom(QTreeView& tree)
        : QObject(&tree)
        , m_tree(tree)
    {
        tree.viewport()->installEventFilter(this);
        connect(tree.header(), &QHeaderView::sectionResized, this,
                [this](int column, int before, int width) {
                    if (!m_is_dividing && before != 0
                        && width != 0) { // By hand; else hidden or shown.
                        m_dragged[column] = width;
                        divide();
                    }
                });
    }
    void divide(Wanted wanted)
    {
        m_wanted = std::move(wanted);
        divide();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize) {
            divide();
        }
        return QObject::eventFilter(watched, event);
    }

private:
    void divide();

    QTreeView& m_tree;
    Wanted m_wanted;
    std::map<int, int> m_dragged; ///< What a person gave a column, which it keeps.
    bool m_is_dividing = false;
};

void TreeRoom::divide()
{
    constexpr int kNarrowest = 120;
    std::vector<int> widths = m_wanted.widths;
    if (widths.empty() || static_cast<int>(widths.size()) != m_tree.model()->columnCount()) {
        return;
    }
    const QScopedValueRollback<bool> guard(m_is_dividing, true);
    const auto of_first = m_dragged.find(0);
    for (std::size_t column = 0; column < widths.size(); ++column) {
        const auto dragged = m_dragged.find(static_cast<int>(column));
        if (widths[column] > 0 && dragged != m_dragged.end()) {
            widths[column] = dragged->second;
        }
    }
    const int room = m_tree.viewport()->width();
    const int first =
        of_first == m_dragged.end() ? std::min(widths.front(), m_wanted.widest) : of_first->second;
    int others = std::accumulate(widths.begin() + 1, widths.end(), 0);
    for (const int column : m_wanted.dropped) {
        if (first + others > room) {
            others -= std::exchange(widths[static_cast<std::size_t>(column)], 0);
        }
    }
    if (of_first == m_dragged.end()) {
        widths.front() = std::clamp(room - others, std::min(first, kNarrowest), widths.front());
    }
    for (int column = 0; column < static_cast<int>(widths.size()); ++column) {
        const int width = widths[static_cast<std::size_t>(column)];
        m_tree.setColumnHidden(column, width == 0);
        if (width > 0) {
            m_tree.setColumnWidth(column, width);
        }
    }
}

} // namespace

void PartsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const
{
    const QVariantList parts = index.data(PartsRole).toList();
    if (parts.isEmpty()) {
        ItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const QString words = std::exchange(item.text, {});
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &item, painter, item.widget);
    painter->save();
    QRectF bar(option.rect.left() + kTreeGap / 2.0,
               option.rect.center().y() - kBarHeight / 2.0 + 0.5, kTreeBarWidth, kBarHeight);
    painter->fillRect(bar, currentColours().border);
    for (qsizetype i = 0; i < parts.size(); ++i) {
        bar.setWidth(parts[i].toDouble() * kTreeBarWidth);
        painter->fillRect(bar, bucketColour(label::bucketAt(static_cast<std::size_t>(i))));
        bar.moveLeft(bar.right());
    }
    painter->setFont(item.font);
    painter->setPen(item.palette.color(QPalette::Text));
    const QRect room = option.rect.adjusted(0, 0, -kTreeGap, 0);
    painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, words);
    painter->restore();
}

QSize PartsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = ItemDelegate::sizeHint(option, index);
    if (index.data(PartsRole).isValid()) {
        size.rwidth() += kTreeBarWidth + kTreeGap;
    }
    size.setHeight(std::max(size.height(), option.fontMetrics.height() + kTreeGap));
    return size;
}

QTreeView* makeTree(QWidget* parent, const QString& name, QAbstractItemModel& model)
{
    auto* tree = new QTreeView(parent);
    tree->setObjectName(name);
    tree->setUniformRowHeights(true);
    tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    tree->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree->setExpandsOnDoubleClick(false); // It leads to the stack; the arrows unfold.
    tree->setIndentation(16);
    QFont header = smallFont(*tree);
    header.setBold(true);
    tree->header()->setFont(header);
    tree->header()->setStretchLastSection(false);
    tree->header()->setTextElideMode(Qt::ElideRight);
    copyOnKey(*tree, [tree] { return currentRow(*tree); });
    tree->setModel(&model);
    tree->setItemDelegate(new PartsDelegate(tree));
    return tree;
}

void fitColumns(QTreeView& tree, int widest, const SpareColumns& spare)
{
    constexpr int kHeadingPadding = 24;
    QFont bold = smallFont(tree);
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    const QAbstractItemView& view = tree; // Its size hints are public there.
    TreeRoom::Wanted wanted{{}, widest, spare.dropped};
    for (int column = 0; column < tree.model()->columnCount(); ++column) {
        const bool is_absent = std::ranges::find(spare.absent, column) != spare.absent.end();
        tree.setColumnHidden(column, is_absent);
        const QString heading = tree.model()->headerData(column, Qt::Horizontal).toString();
        const int needed = metrics.horizontalAdvance(heading) + kHeadingPadding;
        wanted.widths.push_back(is_absent ? 0 : std::max(view.sizeHintForColumn(column), needed));
    }
    TreeRoom* room = nullptr;
    for (QObject* child : tree.children()) {
        room = room == nullptr ? dynamic_cast<TreeRoom*>(child) : room;
    }
    if (room == nullptr) {
        room = new TreeRoom(tree);
    }
    room->divide(std::move(wanted));
}

} // namespace tidemark::ui
