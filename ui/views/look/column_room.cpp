// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/column_room.h"

#include "ui/views/look/pieces.h"

#include <QtCore/QEvent>
#include <QtCore/QScopedValueRollback>
#include <QtCore/QTimer>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QTableView>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr double kMostSpread = 0.6; ///< In parts of a column's width.

} // namespace

void wrapRows(QTableView& table)
{
    table.setWordWrap(true);
    // Once for all columns that change together, and when they have their widths.
    auto* soon = new QTimer(&table);
    soon->setSingleShot(true);
    soon->setInterval(0);
    const auto start = qOverload<>(&QTimer::start);
    QObject::connect(soon, &QTimer::timeout, &table, [&table] { fitRows(table); });
    QObject::connect(table.horizontalHeader(), &QHeaderView::sectionResized, soon, start);
    QObject::connect(table.model(), &QAbstractItemModel::modelReset, soon, start);
    soon->start();
}

ColumnRoom::ColumnRoom(QTableView& table, int column, std::vector<int> giving)
    : QObject(&table)
    , m_table(table)
    , m_column(column)
    , m_giving(std::move(giving))
{
    QHeaderView* const header = m_table.horizontalHeader();
    header->setStretchLastSection(false);
    if (m_column >= 0) {
        header->setSectionResizeMode(m_column, QHeaderView::Interactive);
    }
    m_table.viewport()->installEventFilter(this);
    connect(header, &QHeaderView::sectionResized, this, [this](int section, int before, int width) {
        if (m_is_dividing) {
            return;
        }
        if (before != 0 && width != 0) { // By hand; else it was hidden or shown.
            const bool is_dragged = QGuiApplication::mouseButtons() != Qt::NoButton;
            m_wanted[section] =
                is_dragged ? static_cast<int>(std::lround(width / m_factor)) : width;
        }
        // What is being hidden becomes narrow first, and would keep what it got now.
        divide(width == 0 ? section : -1);
    });
}

void ColumnRoom::divideBy(int least, int most, const std::map<int, int>& wanted)
{
    m_least = least;
    m_most = std::max(least, most);
    for (const auto& [column, width] : wanted) {
        m_wanted[column] = width;
    }
    divide();
}

bool ColumnRoom::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize) {
        divide();
    }
    return QObject::eventFilter(watched, event);
}

void ColumnRoom::divide(int leaving)
{
    QHeaderView& header = *m_table.horizontalHeader();
    const auto is_gone = [&](int i) { return i == leaving || header.isSectionHidden(i); };
    const QScopedValueRollback<bool> guard(m_is_dividing, true);
    int rest = m_table.viewport()->width();
    int can_give = 0;
    for (int i = 0; i < header.count(); ++i) {
        if (i == m_column || is_gone(i)) {
            continue;
        }
        const auto wanted = m_wanted.try_emplace(i, header.sectionSize(i)).first->second;
        rest -= wanted;
        can_give += std::ranges::find(m_giving, i) != m_giving.end() ? wanted / 2 : 0;
    }
    const int given = std::clamp(m_least - rest, 0, can_give);
    const int spare = rest - m_most;
    const int total = m_table.viewport()->width() - spare;
    m_factor = spare > 0 && total > 0 ? 1 + std::min(kMostSpread, spare / double(total)) : 1;
    for (int i = 0; i < header.count(); ++i) {
        if (i == m_column || is_gone(i)) {
            continue;
        }
        const int wanted = m_wanted[i];
        if (given == 0 || std::ranges::find(m_giving, i) == m_giving.end()) {
            header.resizeSection(i, static_cast<int>(wanted * m_factor));
            continue;
        }
        const int width =
            wanted - (given * (wanted / 2) + can_give - 1) / can_give; // Rounded down.
        header.resizeSection(i, width);
    }
    if (m_column >= 0) {
        const int left = std::clamp(rest + given, m_least, m_most);
        header.resizeSection(m_column, static_cast<int>(left * m_factor));
    }
}

int neededWidth(const QTableView& table)
{
    constexpr int kHeadingPadding = 30;
    QFont bold = smallFont(table);
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    const QAbstractItemView& view = table; // Its size hints are public there.
    const QHeaderView& header = *table.horizontalHeader();
    int width = 2 * table.frameWidth();
    for (int column = 0; column < header.count(); ++column) {
        const QString heading = table.model()->headerData(column, Qt::Horizontal).toString();
        width += header.isSectionHidden(column)
            ? 0
            : std::max(view.sizeHintForColumn(column),
                       metrics.horizontalAdvance(heading) + kHeadingPadding);
    }
    return width;
}

} // namespace tidemark::ui
