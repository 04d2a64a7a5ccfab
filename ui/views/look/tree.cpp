// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/tree.h"

#include "ui/models/roles.h"
#include "ui/views/look/copy_key.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtGui/QPainter>
#include <QtWidgets/QApplication>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QTreeView>

#include <algorithm>

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
    copyOnKey(*tree, [tree] { return currentRow(*tree); });
    tree->setModel(&model);
    tree->setItemDelegate(new PartsDelegate(tree));
    return tree;
}

void fitColumns(QTreeView& tree, int widest)
{
    constexpr int kHeadingPadding = 24;
    QFont bold = smallFont(tree);
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    const QAbstractItemView& view = tree; // Its size hints are public there.
    for (int column = 0; column < tree.model()->columnCount(); ++column) {
        const QString heading = tree.model()->headerData(column, Qt::Horizontal).toString();
        const int needed = metrics.horizontalAdvance(heading) + kHeadingPadding;
        const int wanted = std::max(view.sizeHintForColumn(column), needed);
        tree.setColumnWidth(column, column == 0 ? std::min(wanted, widest) : wanted);
    }
}

} // namespace tidemark::ui
