// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/pieces.h"

#include "ui/views/look/column_room.h"
#include "ui/views/look/copy_key.h"
#include "ui/views/look/item_delegate.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/row_texts.h"
#include "ui/views/look/swatch.h"
#include "ui/views/look/theme.h"
#include "ui/views/look/wrapped_text.h"

#include <QtCore/QItemSelectionModel>
#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>
#include <QtGui/QTextBlock>
#include <QtGui/QTextTable>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QStyle>
#include <QtWidgets/QStyleOption>
#include <QtWidgets/QTableView>
#include <QtWidgets/QTextBrowser>

#include <algorithm>

namespace tidemark::ui {
namespace {

/// Shows what it was given, and nothing from elsewhere.
class TextPage : public QTextBrowser {
public:
    using QTextBrowser::QTextBrowser;
    QVariant loadResource(int type, const QUrl& /*name*/) override
    {
        // For a picture that is not there Qt would look for a file of its name by itself.
        return type == QTextDocument::ImageResource ? QVariant(nothing()) : QVariant(QString());
    }

private:
    static QPixmap nothing()
    {
        QPixmap pixmap(1, 1);
        pixmap.fill(Qt::transparent);
        return pixmap;
    }
};

} // namespace

QFrame* makeCard(QWidget* parent, const QString& object_name)
{
    auto* card = new QFrame(parent);
    card->setObjectName(object_name);
    card->setProperty("card", true);
    return card;
}

QLabel* makeText(QWidget* parent, const QString& object_name)
{
    auto* label = new WrappedText(parent);
    label->setObjectName(object_name);
    label->setTextFormat(Qt::PlainText);
    // Not by keyboard: a click would put a caret into it, as if one could write there.
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setFocusPolicy(Qt::ClickFocus);
    return label;
}

QLabel* makeSecondaryText(QWidget* parent, const QString& object_name)
{
    QLabel* label = makeText(parent, object_name);
    label->setProperty("kind", QStringLiteral("secondary"));
    label->setFont(smallFont(*label));
    return label;
}

QFont headingFont(const QWidget& widget, double factor)
{
    QFont font = widget.font();
    font.setPixelSize(static_cast<int>(std::lround(QFontInfo(font).pixelSize() * factor)));
    font.setBold(true);
    return font;
}

QFont smallFont(const QWidget& widget)
{
    QFont font = widget.font();
    font.setPixelSize(std::max(10, QFontInfo(font).pixelSize() - 1));
    return font;
}

void setStyleProperty(QWidget& widget, const char* name, const QVariant& value)
{
    if (widget.property(name) != value) {
        widget.setProperty(name, value);
        widget.style()->unpolish(&widget);
        widget.style()->polish(&widget);
    }
}

QuietButton::QuietButton(QWidget* parent, const QString& words)
    : QToolButton(parent)
{
    setText(words);
    setProperty("quiet", true);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
}

void QuietButton::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        click();
        return;
    }
    QToolButton::keyPressEvent(event);
}

QToolButton* makeQuietButton(QWidget* parent, const QString& words)
{
    return new QuietButton(parent, words);
}

QToolButton* makeChip(QWidget* parent, const QString& words)
{
    auto* button = new QToolButton(parent);
    button->setText(words);
    button->setProperty("chip", true);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

ChipCombo::ChipCombo(QWidget* parent)
    : QComboBox(parent)
{
    setSizeAdjustPolicy(AdjustToContents);
}

/// The style paints the words a pixel inside the room that it counts for them.
QSize ChipCombo::sizeHint() const
{
    return QComboBox::sizeHint() + QSize(2, 0);
}

void ChipCombo::paintEvent(QPaintEvent* event)
{
    QComboBox::paintEvent(event);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(isEnabled() ? currentColours().secondary : currentColours().faint);
    const QPointF tip(width() - 14, height() / 2.0 + 2.5);
    painter.drawPolygon(QPolygonF{{tip, tip + QPointF(-4, -5), tip + QPointF(4, -5)}});
}

/// Words that have no room are shortened, not cut off.
void ChipCombo::initStyleOption(QStyleOptionComboBox* option) const
{
    QComboBox::initStyleOption(option);
    if (!isEditable()) {
        const QRect room = style()->subControlRect(QStyle::CC_ComboBox, option,
                                                   QStyle::SC_ComboBoxEditField, this);
        const int icon = option->currentIcon.isNull() ? 0 : option->iconSize.width() + 4;
        option->currentText = option->fontMetrics.elidedText(option->currentText, Qt::ElideRight,
                                                             room.width() - icon - 2);
    }
}

void styleTable(QTableView& table)
{
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setTabKeyNavigation(false);
    copyOnKey(table, [&table] { return selectedRows(table, RowFormat::plain).text; });
    table.setIconSize({kSwatchSize, kSwatchSize});
    table.verticalHeader()->hide();
    table.verticalHeader()->setMinimumSectionSize(0);
    table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 8);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setTextElideMode(Qt::ElideRight);
    // As many rows below those in sight say how wide a column is; each costs its texts.
    table.horizontalHeader()->setResizeContentsPrecision(64);
    QFont header = smallFont(table);
    header.setBold(true);
    table.horizontalHeader()->setFont(header);
}

QTableView* makeTable(QWidget* parent, const QString& name, const QString& what,
                      QAbstractItemModel& model)
{
    auto* table = new QTableView(parent);
    table->setObjectName(name);
    table->setAccessibleName(what);
    styleTable(*table);
    table->setModel(&model);
    // No heading shows what is selected; to find out whether all of its column is, Qt would look at
    // every row.
    table->horizontalHeader()->setSelectionModel(new QItemSelectionModel(&model, table));
    table->setItemDelegate(new ItemDelegate(table));
    return table;
}

void fitColumns(QTableView& table, int stretched)
{
    fitColumns(table, stretched, {});
}

void fitRows(QTableView& table)
{
    constexpr int kRowPadding = 5;
    const QAbstractItemView& view = table;
    const int least = table.verticalHeader()->defaultSectionSize();
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        table.setRowHeight(row, std::max(least, view.sizeHintForRow(row) + kRowPadding));
    }
}

FlowLayout::FlowLayout(QWidget* parent, int spacing)
    : QLayout(parent)
{
    setContentsMargins(0, 0, 0, 0);
    setSpacing(spacing);
}

FlowLayout::~FlowLayout()
{
    for (QLayoutItem* item : m_items) {
        delete item;
    }
}

void FlowLayout::addItem(QLayoutItem* item)
{
    m_items.push_back(item);
}

int FlowLayout::count() const
{
    return static_cast<int>(m_items.size());
}

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    QLayoutItem* item = itemAt(index);
    if (item != nullptr) {
        m_items.erase(m_items.begin() + index);
    }
    return item;
}

Qt::Orientations FlowLayout::expandingDirections() const
{
    return {};
}

bool FlowLayout::hasHeightForWidth() const
{
    return true;
}

int FlowLayout::heightForWidth(int width) const
{
    return arrange(QRect(0, 0, width, 0), true);
}

QSize FlowLayout::sizeHint() const
{
    int width = 0;
    int height = 0;
    for (const QLayoutItem* item : m_items) {
        if (!item->isEmpty()) {
            width += item->sizeHint().width() + spacing();
            height = std::max(height, item->sizeHint().height());
        }
    }
    return {width, height};
}

QSize FlowLayout::minimumSize() const
{
    QSize size(0, 0);
    for (const QLayoutItem* item : m_items) {
        if (!item->isEmpty()) {
            size = size.expandedTo(item->minimumSize());
        }
    }
    return size;
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    arrange(rect, false);
}

int FlowLayout::arrange(const QRect& rect, bool only_measure) const
{
    int y = rect.top();
    std::vector<std::pair<QLayoutItem*, QRect>> row;
    const auto placeRow = [&](int height) {
        for (auto& [item, place] : row) {
            place.setHeight(height); // All on one line of text.
            item->setGeometry(place);
        }
        row.clear();
    };
    int x = rect.left();
    int height = 0;
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty()) {
            continue;
        }
        const QSize size = item->sizeHint();
        if (x > rect.left() && x + size.width() > rect.right() + 1) {
            placeRow(height);
            x = rect.left();
            y += height + spacing() / 2;
            height = 0;
        }
        if (!only_measure) {
            row.emplace_back(item, QRect(QPoint(x, y), size));
        }
        x += size.width() + spacing();
        height = std::max(height, size.height());
    }
    placeRow(height);
    return y + height - rect.top();
}

QTextBrowser* makeTextPage(QWidget* parent, const QString& object_name)
{
    auto* page = new TextPage(parent);
    page->setObjectName(object_name);
    page->setOpenLinks(false);
    page->document()->setDocumentMargin(10);
    return page;
}

namespace {

/// In Markdown a table has a header, even where there is nothing to say in it.
void dropEmptyHeader(QTextTable& table)
{
    for (int column = 0; column < table.columns(); ++column) {
        const QTextTableCell cell = table.cellAt(0, column);
        if (cell.firstCursorPosition() != cell.lastCursorPosition()) {
            return;
        }
    }
    if (table.rows() > 1) {
        table.removeRows(0, 1);
    }
}

} // namespace

void calmDocument(QTextBrowser& browser)
{
    for (QTextBlock block = browser.document()->begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() > 0) {
            QTextCursor cursor(block);
            cursor.select(QTextCursor::BlockUnderCursor);
            QTextCharFormat format;
            format.setFont(headingFont(browser, 1.1));
            format.setProperty(QTextFormat::FontSizeAdjustment, 0);
            cursor.mergeCharFormat(format);
        }
    }
    for (QTextFrame* frame : browser.document()->rootFrame()->childFrames()) {
        if (auto* table = qobject_cast<QTextTable*>(frame)) {
            QTextTableFormat format = table->format();
            format.setBorder(0);
            format.setCellSpacing(0);
            format.setCellPadding(3);
            format.setTopMargin(0);
            format.setBottomMargin(8);
            table->setFormat(format);
            dropEmptyHeader(*table);
        }
    }
    browser.moveCursor(QTextCursor::Start);
}

} // namespace tidemark::ui
