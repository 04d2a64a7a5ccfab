// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/views/look/item_delegate.h"

#include <QtCore/QString>

#include <vector>

class QAbstractItemModel;
class QTreeView;

namespace tidemark::ui {

/// Draws a bar in the colours of the buckets before the words of a cell that has parts.
class PartsDelegate : public ItemDelegate {
    Q_OBJECT
public:
    using ItemDelegate::ItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;
};

/// A tree as this program shows them, in the manner of its tables. Copy takes the current row as it
/// is shown, cells separated by tabs.
[[nodiscard]] QTreeView* makeTree(QWidget* parent, const QString& name, QAbstractItemModel& model);
/// Which columns a tree can do without.
struct SpareColumns {
    std::vector<int> absent; ///< Nothing is in them.
    std::vector<int> dropped; ///< Hidden in this order where room lacks.
};
/// Makes every column as wide as its heading and what is unfolded, the first at most `widest`
/// unless room is left. Where room lacks, now or when the tree gets narrower, columns are hidden,
/// then the words of the first are shortened: the tree does not scroll sideways.
void fitColumns(QTreeView& tree, int widest, const SpareColumns& spare = {});

} // namespace tidemark::ui
