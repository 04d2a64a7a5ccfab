// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/compare_cursor.h"

#include "ui/models/comparison_tables.h"
#include "ui/models/language.h"
#include "ui/models/stack_difference.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"
#include "ui/views/panels/cursor_panel.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

constexpr int kFrame = 16; ///< Milliseconds.
constexpr int kBarColumn = 4;
constexpr int kBarColumnWidth = 54;
constexpr int kCellRoom = 21; ///< Beside the text of a cell.

} // namespace

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const
{
    ItemDelegate::paint(painter, option, index);
    const QVariant bar = index.data(BarRole);
    if (!bar.isValid()) {
        return;
    }
    const QRectF room = QRectF(option.rect).adjusted(3, 5, -3, -5);
    const double middle = room.center().x();
    const double length = std::clamp(bar.toDouble(), -1.0, 1.0) * room.width() / 2;
    painter->save();
    painter->fillRect(
        QRectF(std::min(middle, middle + length), room.top(), std::abs(length), room.height()),
        bucketColour(static_cast<label::Bucket>(index.data(BarBucketRole).toInt())));
    painter->fillRect(QRectF(middle - 0.5, room.top() - 3, 1, room.height() + 6),
                      currentColours().border);
    painter->restore();
}

CompareCursor::CompareCursor(ViewState& base, ViewState& against, QWidget* parent)
    : QWidget(parent)
    , m_base(base)
    , m_against(against)
    , m_title(makeText(this, QStringLiteral("compareCursorTitle")))
    , m_where(makeSecondaryText(this, QStringLiteral("compareCursorWhere")))
    , m_table(makeTable(this, QStringLiteral("compareBuckets"), tr("Bytes per bucket in both runs"),
                        m_rows))
    , m_stacks_title(makeSecondaryText(this, QStringLiteral("compareStacksTitle")))
    , m_stacks(makeTable(this, QStringLiteral("compareStacks"),
                         tr("Stacks of both runs at the selected place"), m_frames))
{
    setObjectName(QStringLiteral("compareCursor"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_title->setFont(headingFont(*this, 1.0));
    column->addWidget(m_title);
    column->addWidget(m_where);
    column->addWidget(m_table, 3);
    column->addWidget(m_stacks_title);
    column->addWidget(m_stacks, 2);
    column->addStretch(0);
    clearStacks();
    m_table->setItemDelegate(new BarDelegate(m_table));
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setFocusPolicy(Qt::NoFocus);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->viewport()->installEventFilter(this);
    m_soon.setSingleShot(true);
    m_soon.setInterval(kFrame);
    connect(&m_soon, &QTimer::timeout, this, &CompareCursor::refresh);
    connect(m_stacks, &QTableView::clicked, this, &CompareCursor::unfold);
    m_stacks->installEventFilter(this);
    const auto soon = [this] {
        if (!m_soon.isActive()) {
            m_soon.start();
        }
    };
    connect(&m_base, &ViewState::cursorChanged, this, soon);
    connect(&m_against, &ViewState::cursorChanged, this, soon);
    connect(&m_base, &ViewState::axisChanged, this, soon);
}

void CompareCursor::show(const ComparedRun& base, const ComparedRun& against)
{
    m_base_run = base;
    m_against_run = against;
    m_has_runs = true;
    m_unit = OneUnit(std::max(base.peak(), against.peak()));
    m_rows.setTable({});
    refresh();
    fitColumns(*m_table, 0);
    fitTable();
}

/// Wide enough for any figure, so that nothing moves while the cursor does. Where a bucket's name
/// needs the room of the bars it has it.
void CompareCursor::fitTable()
{
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    const Bytes most = std::max(m_base_run.peak(), m_against_run.peak());
    const QString widest = m_unit.signedNumber(-most); // Only a difference has a sign.
    for (int i = 1; i < kBarColumn; ++i) {
        const int least =
            std::max(metrics.horizontalAdvance(i + 1 < kBarColumn ? widest.mid(1) : widest),
                     fontMetrics().horizontalAdvance(
                         i + 1 < kBarColumn ? QStringLiteral("< 0.01") : QStringLiteral("< +0.01")))
            + kCellRoom;
        const QString title = m_rows.headerData(i, Qt::Horizontal, Qt::DisplayRole).toString();
        m_table->setColumnWidth(i, std::max(least, metrics.horizontalAdvance(title) + kCellRoom));
    }
    m_table->setColumnWidth(kBarColumn, kBarColumnWidth);
    // All rows where there is room for them; the stacks have the rest.
    const int row = m_table->verticalHeader()->defaultSectionSize();
    m_table->setMinimumHeight(std::min(4, m_rows.rowCount()) * row);
    m_table->setMaximumHeight((m_rows.rowCount() + 1) * row + 8);
    showBars();
}

void CompareCursor::showBars()
{
    int needed =
        static_cast<const QAbstractItemView*>(m_table)->sizeHintForColumn(0) + kBarColumnWidth;
    for (int i = 1; i < kBarColumn; ++i) {
        needed += m_table->columnWidth(i);
    }
    m_table->setColumnHidden(kBarColumn, m_table->viewport()->width() < needed);
}

void CompareCursor::unfold(const QModelIndex& row)
{
    if (row.isValid()
        && m_frames.table().rows[static_cast<std::size_t>(row.row())].source == kLibraryFrames) {
        m_shows_libraries = !m_shows_libraries;
        const int at = row.row();
        fillStacks();
        m_stacks->setCurrentIndex(m_frames.index(at, 0)); // So that Return folds it again.
    }
}

/// A scroll bar of the table takes the room of the bars, too; Return unfolds as a click does.
bool CompareCursor::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_stacks) {
        if (event->type() == QEvent::KeyPress) {
            const int key = static_cast<QKeyEvent*>(event)->key();
            if (key == Qt::Key_Return || key == Qt::Key_Enter) {
                unfold(m_stacks->currentIndex());
                return true;
            }
        }
    } else if (event->type() == QEvent::Resize) {
        showBars();
    }
    return QWidget::eventFilter(watched, event);
}

void CompareCursor::showStacks(std::shared_ptr<const ComparedRuns> runs, std::size_t place)
{
    m_runs = std::move(runs);
    m_place = place;
    m_shows_libraries = false;
    const PlaceWords& words = m_runs->places[place];
    m_stacks_title->setText(words.operation.isEmpty() ? tr("Selected place")
                                                      : tr("Stacks of %1").arg(words.operation));
    fillStacks();
    m_stacks->setVisible(m_frames.rowCount() > 0);
    if (m_frames.rowCount() == 0) {
        m_stacks_title->setText(tr("No stack recorded."));
    }
    m_stacks->scrollToTop();
}

void CompareCursor::fillStacks()
{
    m_frames.setTable(stacksTable(*m_runs, m_place, m_shows_libraries));
    fitColumns(*m_stacks, 0);
    const int lines = fontMetrics().horizontalAdvance(QStringLiteral("00000")) + kCellRoom;
    m_stacks->setColumnWidth(1, lines);
    m_stacks->setColumnWidth(2, lines);
}

void CompareCursor::clearStacks()
{
    m_runs.reset();
    m_frames.setTable({});
    m_stacks->hide();
    m_stacks_title->setText(tr("Select a row to see its stacks."));
}

void CompareCursor::clear()
{
    clearStacks();
    m_has_runs = false;
    m_base_run = {};
    m_against_run = {};
    m_rows.setTable({});
    m_title->clear();
    m_where->clear();
}

QString CompareCursor::placeText() const
{
    const QString in_base = phaseText(m_base.labels(), m_base.shownState());
    const QString in_against = phaseText(m_against.labels(), m_against.shownState());
    if (in_base == in_against || in_against.isEmpty()) {
        return in_base;
    }
    return in_base.isEmpty()
        ? in_against
        : QStringLiteral("%1: %2, %3: %4")
              .arg(m_base_run.letter, in_base, m_against_run.letter, in_against);
}

void CompareCursor::refresh()
{
    if (!isShowing()) {
        return;
    }
    const StateId base = m_base.shownState();
    const StateId against = m_against.shownState();
    const QString place = placeText();
    m_title->setText(place.isEmpty() ? tr("At the cursor") : tr("At %1").arg(place));
    QString where = QStringLiteral("%1: %2 · %3: %4")
                        .arg(m_base_run.letter, inSentence(stateTitle(m_base, base)),
                             m_against_run.letter, inSentence(stateTitle(m_against, against)));
    if (m_base.axis() == projection::Axis::shared) {
        const double x = std::max(m_base.axisMap().toX(base), m_against.axisMap().toX(against));
        const bool waits = m_base.axisMap().waitsAt(x) || m_against.axisMap().waitsAt(x);
        where += QStringLiteral(" · ") % (waits ? tr("no counterpart") : tr("matched"));
    }
    m_where->setText(where);
    m_rows.setTable(bucketsTable(m_base_run, base, m_against_run, against, m_unit));
}

} // namespace tidemark::ui
