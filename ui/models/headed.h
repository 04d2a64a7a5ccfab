// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QAbstractTableModel>
#include <QtCore/QString>

namespace tidemark::ui {

/// A model that says of each column its title and whether its cells are texts, which stand left;
/// figures stand right.
template <class Base>
class Headed : public Base {
public:
    using Base::Base;

    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override
    {
        if (orientation != Qt::Horizontal || section < 0 || section >= this->columnCount()) {
            return Base::headerData(section, orientation, role);
        }
        switch (role) {
        case Qt::DisplayRole:
            return title(section);
        case Qt::ToolTipRole: {
            const QString tip = titleTip(section);
            return tip.isEmpty() ? QVariant() : QVariant(tip);
        }
        case Qt::TextAlignmentRole:
            return alignmentOf(section);
        default:
            return {};
        }
    }

protected:
    [[nodiscard]] virtual QString title(int column) const = 0;
    [[nodiscard]] virtual bool isText(int column) const = 0;
    [[nodiscard]] virtual QString titleTip(int) const
    {
        return {};
    }
    [[nodiscard]] QVariant alignmentOf(int column) const
    {
        return QVariant((isText(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
};

using TableModel = Headed<QAbstractTableModel>;

} // namespace tidemark::ui
