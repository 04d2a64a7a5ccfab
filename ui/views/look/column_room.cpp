// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/column_room.h"

#include "ui/views/look/pieces.h"

#include <QtCore/QEvent>
#include <QtCore/QScopeGuard>
#include <QtCore/QScopedValueRollback>
#include <QtCore/QTimer>
#include <QtGui/QGuiApplication>
#include <QtGui/QHelpEvent>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr double kMostSpread = 0.6; ///< In parts of a column's width.
constexpr int kLeastColumn = 20;
constexpr int kHeadingAir = 14; ///< The least around a heading, in pixels.

} // namespace

void fitColumns(QTableView& table, int stretched, const std::vector<int>& giving,
                const ColumnRules& rules)
{
    constexpr int kHeadingPadding = 30;
    constexpr int kRoomy = 40;
    QHeaderView& header = *table.horizontalHeader();
    // Not the header's own font: before it is shown for the first time a style sheet may not have
    // set it.
    QFont bold = smallFont(table);
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    const bool has_headings =
        !(header.isHidden() && header.testAttribute(Qt::WA_WState_ExplicitShowHide));
    const QAbstractItemView& view = table; // Its size hints are public there.
    const bool wraps = table.wordWrap();
    table.setWordWrap(false); // A column is as wide as its words in one line, not as it was.
    const auto restored = qScopeGuard([&] { table.setWordWrap(wraps); });
    auto* room = table.findChild<ColumnRoom*>({}, Qt::FindDirectChildrenOnly);
    const bool can_scroll = table.horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff;
    std::map<int, ColumnWidth> wanted;
    for (int column = 0; column < header.count(); ++column) {
        if (column == stretched) {
            if (!can_scroll) {
                header.setSectionResizeMode(column, QHeaderView::Stretch);
            }
            continue;
        }
        const QString heading = table.model()->headerData(column, Qt::Horizontal).toString();
        const int words = has_headings ? metrics.horizontalAdvance(heading) : 0;
        const int content = view.sizeHintForColumn(column);
        const auto with = [&](int air) {
            return words == 0 ? content : std::max(content, words + air);
        };
        header.setSectionResizeMode(column, QHeaderView::Interactive);
        wanted[column] = {with(kHeadingPadding), with(kHeadingAir),
                          std::max(content, kLeastColumn)};
        if (!can_scroll) {
            header.resizeSection(column, wanted[column].wanted);
        }
    }
    // A table that cannot scroll has to do with the room that there is.
    if (!can_scroll) {
        return;
    }
    if (room == nullptr) {
        room = new ColumnRoom(table, stretched, giving);
    }
    room->mayGo(rules.may_go);
    const int letter = table.fontMetrics().averageCharWidth();
    if (stretched < 0) {
        room->divideBy(0, 0, wanted);
        return;
    }
    const int words = view.sizeHintForColumn(stretched);
    room->divideBy(std::min(words, letter * rules.readable), std::max(words, letter * kRoomy),
                   wanted);
}

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
    header->setMinimumSectionSize(kLeastColumn); // Qt's own would make what is divided wider.
    if (m_column >= 0) {
        header->setSectionResizeMode(m_column, QHeaderView::Interactive);
    }
    m_table.viewport()->installEventFilter(this);
    header->viewport()->installEventFilter(this);
    connect(header, &QHeaderView::sectionResized, this, [this](int section, int before, int width) {
        if (m_is_dividing) {
            return;
        }
        if (before != 0 && width != 0) { // By hand; else it was hidden or shown.
            const bool is_dragged = QGuiApplication::mouseButtons() != Qt::NoButton;
            const int wanted = is_dragged ? static_cast<int>(std::lround(width / m_factor)) : width;
            m_wanted[section] = {wanted, wanted, wanted};
        }
        // What is being hidden becomes narrow first, and would keep what it got now.
        divide(width == 0 ? section : -1);
    });
}

void ColumnRoom::divideBy(int least, int most, const std::map<int, ColumnWidth>& wanted)
{
    m_least = least;
    m_most = std::max(least, most);
    for (const auto& [column, width] : wanted) {
        m_wanted[column] = width;
    }
    divide();
}

void ColumnRoom::mayGo(std::vector<int> columns)
{
    m_may_go = std::move(columns);
}

void ColumnRoom::setHidden(int column, bool is_hidden)
{
    const bool went = std::erase(m_gone, column) > 0;
    if (!went || !is_hidden) {
        m_table.setColumnHidden(column, is_hidden);
    }
    divide();
}

bool ColumnRoom::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table.viewport() && event->type() == QEvent::Resize) {
        divide();
    } else if (event->type() == QEvent::ToolTip && watched != m_table.viewport()) {
        return isTipOfHeading(*event);
    }
    return QObject::eventFilter(watched, event);
}

/// A heading that was shortened, and of which the model has nothing to say, is said whole.
bool ColumnRoom::isTipOfHeading(QEvent& event)
{
    const auto& help = static_cast<const QHelpEvent&>(event);
    const QHeaderView& header = *m_table.horizontalHeader();
    const int column = header.logicalIndexAt(help.pos());
    const QAbstractItemModel& model = *m_table.model();
    if (column < 0
        || !model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty()) {
        return false;
    }
    const QString heading = model.headerData(column, Qt::Horizontal).toString();
    if (header.fontMetrics().horizontalAdvance(heading) + kHeadingAir
        <= header.sectionSize(column)) {
        return false;
    }
    QToolTip::showText(help.globalPos(), heading, &m_table);
    return true;
}

bool ColumnRoom::isGiving(int column) const
{
    return std::ranges::find(m_giving, column) != m_giving.end();
}

/// How narrow a column is in each stage of narrowing; 0: as it wants to be.
int ColumnRoom::narrowest(int column, int stage) const
{
    constexpr int kFewestLetters = 9;
    const int few = m_table.fontMetrics().averageCharWidth() * kFewestLetters;
    if (column == m_column) {
        return std::max(kLeastColumn, stage < 3 ? m_least : std::min(m_least, few));
    }
    const ColumnWidth& width = m_wanted.at(column);
    int narrow = width.wanted;
    if (stage >= 1 && isGiving(column)) {
        narrow /= 2;
    }
    if (stage >= 2) {
        narrow = std::min(narrow, width.tight);
    }
    if (stage >= 3) {
        narrow = std::min({narrow, width.least, isGiving(column) ? few : narrow});
    }
    // As the header makes it in any case: columns wider than what they were divided for show the
    // bar below, that the one beside, which leaves them room enough, and so on without an end.
    return std::max(kLeastColumn, narrow);
}

/// The first of a few stages in which the columns find room, and what lies between it and the one
/// before in equal parts.
std::map<int, int> ColumnRoom::narrowed(const std::vector<int>& columns) const
{
    constexpr int kStages = 4;
    const int room = m_table.viewport()->width();
    std::map<int, int> widths;
    int before = 0;
    for (const int column : columns) {
        widths[column] = narrowest(column, 0);
        before += widths[column];
    }
    for (int stage = 1; stage < kStages && before > room; ++stage) {
        std::map<int, int> next;
        int sum = 0;
        for (const auto& [column, width] : widths) {
            next[column] = std::min(width, narrowest(column, stage));
            sum += next[column];
        }
        const double part =
            sum >= before ? 0 : std::min(1.0, (before - room) / static_cast<double>(before - sum));
        before = 0;
        for (auto& [column, width] : widths) {
            width -= static_cast<int>(std::ceil((width - next[column]) * part));
            before += width;
        }
    }
    return widths;
}

void ColumnRoom::divide(int leaving)
{
    QHeaderView& header = *m_table.horizontalHeader();
    const QScopedValueRollback<bool> guard(m_is_dividing, true);
    const int room = m_table.viewport()->width();
    std::vector<int> columns;
    for (int i = 0; i < header.count(); ++i) {
        const bool went = std::ranges::find(m_gone, i) != m_gone.end();
        if (i != leaving && (went || !header.isSectionHidden(i))) {
            columns.push_back(i);
            const int size = header.sectionSize(i);
            m_wanted.try_emplace(i, ColumnWidth{size, size, size});
        }
    }
    // What may go does so before headings and the first words of the others are shortened.
    const auto readable = [&] {
        int sum = 0;
        for (const int column : columns) {
            sum += narrowest(column, 2);
        }
        return sum;
    };
    std::vector<int> gone;
    for (auto next = m_may_go.begin(); next != m_may_go.end() && readable() > room; ++next) {
        if (std::erase(columns, *next) > 0) {
            gone.push_back(*next);
        }
    }
    for (const int column : std::exchange(m_gone, gone)) {
        header.setSectionHidden(column, std::ranges::find(gone, column) != gone.end());
    }
    for (const int column : gone) {
        header.setSectionHidden(column, true);
    }
    shareOut(columns, room);
}

void ColumnRoom::shareOut(const std::vector<int>& columns, int room)
{
    QHeaderView& header = *m_table.horizontalHeader();
    std::map<int, int> widths = narrowed(columns);
    int rest = room;
    for (const auto& [column, width] : widths) {
        rest -= column == m_column ? 0 : width;
    }
    if (widths.contains(m_column)) {
        widths[m_column] = std::max(widths[m_column], std::min(rest, m_most));
    }
    const int spare = rest - m_most;
    const int total = room - spare;
    m_factor = spare > 0 && total > 0 ? 1 + std::min(kMostSpread, spare / double(total)) : 1;
    for (const auto& [column, width] : widths) {
        header.resizeSection(column, static_cast<int>(width * m_factor));
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
