// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/dialogs/search_palette.h"

#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QPointer>
#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QTreeWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kRowHeight = 30;
constexpr int kCardWidth = 720;
constexpr int kCardHeight = 520;
constexpr int kShadow = 18; ///< Pixels around the card.
constexpr int kEntryRole = Qt::UserRole; ///< The index of an entry; a heading has none.

} // namespace

SearchPalette::SearchPalette(Offer offer, const QString& placeholder, QWidget& window)
    : QDialog(&window)
    , m_offer(std::move(offer))
    , m_card(makeCard(this, QStringLiteral("searchCard")))
    , m_line(new QLineEdit(m_card))
    , m_list(new QTreeWidget(m_card))
    , m_before(window.focusWidget())
{
    setWindowFlags(Qt::Widget); // Part of the window; QDialog's own constructor makes it another.
    setObjectName(QStringLiteral("searchPalette"));
    setWindowTitle(tr("Search"));
    m_line->setObjectName(QStringLiteral("searchLine"));
    m_line->setPlaceholderText(placeholder);
    m_line->setAccessibleName(tr("Search"));
    m_line->setClearButtonEnabled(true);
    m_line->setMinimumHeight(kRowHeight + 4);
    m_line->installEventFilter(this);
    m_list->setObjectName(QStringLiteral("searchEntries"));
    m_list->setAccessibleName(tr("Preview"));
    m_list->setColumnCount(2);
    m_list->setHeaderHidden(true);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFocusPolicy(Qt::NoFocus); // The line keeps it.
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    auto* column = new QVBoxLayout(m_card);
    column->setContentsMargins(12, 12, 12, 12);
    column->setSpacing(8);
    column->addWidget(m_line);
    column->addWidget(m_list, 1);
    connect(m_line, &QLineEdit::textChanged, this, &SearchPalette::refresh);
    connect(m_list, &QTreeWidget::itemClicked, this, &SearchPalette::runCurrent);
    window.installEventFilter(this);
    refresh();
}

void SearchPalette::showEvent(QShowEvent* event)
{
    QDialog::showEvent(event);
    m_line->setFocus();
}

void SearchPalette::done(int result)
{
    QDialog::done(result);
    if (m_before != nullptr) {
        m_before->setFocus();
    }
}

void SearchPalette::place()
{
    const QSize room = parentWidget()->size();
    setGeometry(QRect(QPoint(), room));
    const int width = std::min(kCardWidth, room.width() - 2 * kShadow);
    const int top = std::max(kShadow, room.height() / 10);
    // As high as what it offers, but never so low that it looks closed.
    constexpr int kFewest = 3; // rows
    constexpr int kAround = 4; // the borders of the line and the list
    const int rows = std::max(kFewest, m_list->topLevelItemCount());
    const QMargins around = m_card->layout()->contentsMargins();
    const int wanted = around.top() + std::max(m_line->minimumHeight(), m_line->sizeHint().height())
        + m_card->layout()->spacing() + rows * kRowHeight + kAround + around.bottom();
    const int height = std::min({kCardHeight, room.height() - top - kShadow, wanted});
    m_card->setGeometry((room.width() - width) / 2, top, width, height);
    update(); // Its shadow goes along.
}

void SearchPalette::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), QColor(0, 0, 0, 40));
    painter.setPen(Qt::NoPen);
    constexpr int kAlpha = 7;
    painter.setBrush(QColor(0, 0, 0, kAlpha));
    for (int i = kShadow; i > 0; i -= 2) { // Darker towards the card, lower than it.
        painter.drawRoundedRect(m_card->geometry().adjusted(-i, 4 - i, i, 4 + i), 8 + i, 8 + i);
    }
}

void SearchPalette::mousePressEvent(QMouseEvent* event)
{
    if (!m_card->geometry().contains(event->position().toPoint())) {
        reject();
    }
}

bool SearchPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize) {
        place();
    }
    if (watched != m_line) {
        return QDialog::eventFilter(watched, event);
    }
    // What is typed here is no shortcut of the window below.
    if (event->type() == QEvent::ShortcutOverride
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    if (event->type() != QEvent::KeyPress) {
        return QDialog::eventFilter(watched, event);
    }
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        QCoreApplication::sendEvent(m_list, event);
        return true;
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
        return true; // Nothing else of the window is to be reached.
    case Qt::Key_Return:
    case Qt::Key_Enter:
        runCurrent();
        return true;
    default:
        return false;
    }
}

void SearchPalette::changeEvent(QEvent* event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
            QTreeWidgetItem* const item = m_list->topLevelItem(row);
            const int grey = item->flags() == Qt::NoItemFlags ? 0 : 1; // Headings, else details.
            item->setForeground(grey, currentColours().secondary);
        }
    }
}

void SearchPalette::refresh()
{
    m_entries = m_offer(m_line->text());
    m_list->clear();
    QTreeWidgetItem* first = nullptr;
    std::optional<SearchGroup> group;
    const QFont small = smallFont(*m_list);
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const SearchEntry& entry = m_entries[i];
        if (group != entry.group) {
            group = entry.group;
            auto* heading = new QTreeWidgetItem(m_list, {searchGroupName(entry.group)});
            heading->setFlags(Qt::NoItemFlags); // The arrows pass it.
            heading->setForeground(0, currentColours().secondary);
            heading->setFont(0, small);
            heading->setTextAlignment(0, Qt::AlignLeft | Qt::AlignBottom);
            heading->setSizeHint(0, QSize(0, kRowHeight));
        }
        auto* item = new QTreeWidgetItem(m_list, {entry.title, entry.detail});
        item->setData(0, kEntryRole, static_cast<qulonglong>(i));
        item->setToolTip(0, entry.title);
        item->setForeground(1, currentColours().secondary);
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        item->setSizeHint(0, QSize(0, kRowHeight));
        first = first == nullptr ? item : first;
    }
    if (first != nullptr) {
        m_list->setCurrentItem(first);
        m_list->scrollToTop();
    } else if (!m_line->text().trimmed().isEmpty()) {
        auto* none = new QTreeWidgetItem(m_list, {tr("Nothing found")});
        none->setFlags(Qt::NoItemFlags);
        none->setForeground(0, currentColours().secondary);
        none->setSizeHint(0, QSize(0, kRowHeight));
    }
    place();
}

void SearchPalette::runCurrent()
{
    const QTreeWidgetItem* const item = m_list->currentItem();
    const QVariant index = item == nullptr ? QVariant() : item->data(0, kEntryRole);
    if (!index.isValid()) {
        return;
    }
    // Closed first: what is run may open a dialog of its own.
    const std::function<void()> run = m_entries[static_cast<std::size_t>(index.toULongLong())].run;
    // Its list is still busy with the click: it goes when what is run is over.
    setAttribute(Qt::WA_DeleteOnClose, false);
    const QPointer<SearchPalette> palette(this);
    accept();
    run();
    if (!palette.isNull()) {
        palette->deleteLater();
    }
}

} // namespace tidemark::ui
