// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/tree.h"

#include "ui/models/roles.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QApplication>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QTreeView>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int kBarWidth = 72;
constexpr int kBarHeight = 9;
constexpr int kGap = 8;

/// Copies rows instead of cells.
class TreeRowCopier : public QObject {
public:
    explicit TreeRowCopier(QTreeView& tree)
        : QObject(&tree)
        , m_tree(tree)
    {
        tree.installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::KeyPress
            || !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
            return QObject::eventFilter(watched, event);
        }
        const QModelIndex current = m_tree.currentIndex();
        if (!current.isValid()) {
            return true; // Qt would empty the clipboard.
        }
        QStringList cells;
        for (int column = 0; column < current.model()->columnCount(); ++column) {
            if (!m_tree.isColumnHidden(column)) {
                cells << current.siblingAtColumn(column).data().toString();
            }
        }
        QGuiApplication::clipboard()->setText(cells.join(u'\t'));
        return true;
    }

private:
    QTreeView& m_tree;
};

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
    QRectF bar(option.rect.left() + kGap / 2.0, option.rect.center().y() - kBarHeight / 2.0 + 0.5,
               kBarWidth, kBarHeight);
    painter->fillRect(bar, currentColours().border);
    for (qsizetype i = 0; i < parts.size(); ++i) {
        bar.setWidth(parts[i].toDouble() * kBarWidth);
        painter->fillRect(bar, bucketColour(label::bucketAt(static_cast<std::size_t>(i))));
        bar.moveLeft(bar.right());
    }
    painter->setFont(item.font);
    painter->setPen(item.palette.color(QPalette::Text));
    const QRect room = option.rect.adjusted(0, 0, -kGap, 0);
    painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, words);
    painter->restore();
}

QSize PartsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = ItemDelegate::sizeHint(option, index);
    if (index.data(PartsRole).isValid()) {
        size.rwidth() += kBarWidth + kGap;
    }
    size.setHeight(std::max(size.height(), option.fontMetrics.height() + kGap));
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
    new TreeRowCopier(*tree);
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
