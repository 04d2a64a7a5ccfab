// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/item_delegate.h"

#include "ui/models/roles.h"
#include "ui/models/text.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/swatch.h"
#include "ui/views/look/theme.h"

#include <QtCore/QRegularExpression>
#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QAbstractItemView>
#include <QtWidgets/QApplication>
#include <QtWidgets/QToolTip>

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kPaddings = 12; ///< Left and right, as resources/window.qss has them.
constexpr int kStyleMargins = 8; ///< What the style leaves around words, and around an icon.

/// Pixels of a cell that words have; 0 where no cell is drawn.
int roomForWords(const QStyleOptionViewItem& option)
{
    const bool has_icon = option.features.testFlag(QStyleOptionViewItem::HasDecoration);
    const int icon = has_icon ? option.decorationSize.width() + kStyleMargins : 0;
    return std::max(0, option.rect.width() - kPaddings - kStyleMargins - icon);
}

/// Whether this is the cell that says a fix's status.
bool isStatusCell(const QModelIndex& index)
{
    return index.data(StatusRole).isValid() && index.column() == index.model()->columnCount() - 1;
}

/// Whether a text names a file. A fraction, as in "Micro-batch 1/2", does not.
bool isPath(const QString& words)
{
    for (qsizetype at = words.indexOf(u'/'); at >= 0; at = words.indexOf(u'/', at + 1)) {
        const bool is_fraction =
            at > 0 && at + 1 < words.size() && words[at - 1].isDigit() && words[at + 1].isDigit();
        if (!is_fraction) {
            return true;
        }
    }
    return words.contains(QStringLiteral(".py"));
}

/// Paths keep both ends, but of the name of the file nothing is left out as long as it has room; of
/// words the beginning says more.
Qt::TextElideMode elisionOf(const QString& words, const QFontMetrics& metrics, int room)
{
    if (!isPath(words)) {
        return Qt::ElideRight;
    }
    const QString name = words.mid(words.lastIndexOf(u'/') + 1);
    const int half = metrics.horizontalAdvance(QStringLiteral("……") + name);
    const bool is_cut = name.size() < words.size() && 2 * half > room;
    return is_cut ? Qt::ElideLeft : Qt::ElideMiddle;
}

/// A place in the code keeps its line and its function, whose file gives letters first: of
/// "record_runs.py:117 <lambda>" in little room "rec…ns.py:117 <lambda>".
QString withShortFile(const QString& words, const QFontMetrics& metrics, int width)
{
    constexpr int kFewestLetters = 5;
    static const QRegularExpression kFile(
        QStringLiteral("(?:^|[ ›])([^/\\\\\\s]{%1,})\\.py:\\d").arg(kFewestLetters + 1));
    const int needed = metrics.horizontalAdvance(words);
    const QRegularExpressionMatch file = kFile.match(words);
    if (needed <= width || !file.hasMatch()) {
        return words;
    }
    const QString name = file.captured(1);
    const int room = metrics.horizontalAdvance(name) - (needed - width);
    const int least = metrics.averageCharWidth() * kFewestLetters;
    return QString(words).replace(file.capturedStart(1), name.size(),
                                  metrics.elidedText(name, Qt::ElideMiddle, std::max(room, least)));
}

/// Long names may go on in the next line at their joints, where words are wrapped at all.
QString withJoints(const QString& words)
{
    constexpr qsizetype kLong = 16; // letters
    static const QString kJoints = QStringLiteral("/_-,:=.");
    const QChar joint(0x200B); // takes no room
    QStringList parts = words.split(u' ');
    for (QString& part : parts) {
        for (qsizetype i = part.size() - 2; i > 0 && part.size() > kLong; --i) {
            if (kJoints.contains(part[i])) {
                part.insert(i + 1, joint);
            }
        }
    }
    return parts.join(u' ');
}

void paintPill(QPainter& painter, const QStyleOptionViewItem& item, const QString& words,
               bool is_filled)
{
    constexpr int kPadding = 7;
    const QColor colour = item.palette.color(QPalette::Text);
    const QFontMetrics metrics(item.font);
    const int height = std::min(item.rect.height() - 3, metrics.height() + 3);
    QRectF pill(item.rect.left() + 2.5, item.rect.center().y() + 1 - height / 2.0,
                metrics.horizontalAdvance(words) + 2 * kPadding, height);
    pill.setRight(std::min(pill.right(), item.rect.right() - 0.5));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(item.font);
    painter.setPen(QPen(colour, 1));
    painter.setBrush(is_filled ? QBrush(colour) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(pill, height / 2.0, height / 2.0);
    painter.setPen(is_filled ? currentColours().card : colour);
    painter.drawText(pill, Qt::AlignCenter, words);
    painter.restore();
}

} // namespace

void ItemDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    const auto status = static_cast<diagnose::FixStatus>(index.data(StatusRole).toInt());
    const bool is_first = status == diagnose::FixStatus::recommended;
    if (!isStatusCell(index) || !(is_first || status == diagnose::FixStatus::would_help)) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const QString words = std::exchange(item.text, {});
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &item, painter, item.widget);
    paintPill(*painter, item, words, is_first);
}

QSize ItemDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    // The style measures wrapped words in the whole cell, but draws them between the paddings.
    QStyleOptionViewItem inside = option;
    if (option.features.testFlag(QStyleOptionViewItem::WrapText)
        && option.rect.width() > kPaddings) {
        inside.rect.setWidth(option.rect.width() - kPaddings);
    }
    return QStyledItemDelegate::sizeHint(inside, index);
}

bool ItemDelegate::helpEvent(QHelpEvent* event, QAbstractItemView* view,
                             const QStyleOptionViewItem& option, const QModelIndex& index)
{
    // What was shortened is said whole.
    if (event->type() == QEvent::ToolTip && index.data(Qt::ToolTipRole).toString().isEmpty()) {
        QStyleOptionViewItem item = option;
        initStyleOption(&item, index);
        const QString words = index.data().toString();
        if (item.text != words || item.fontMetrics.horizontalAdvance(words) > roomForWords(item)) {
            QToolTip::showText(event->globalPos(), words, view);
            return true;
        }
    }
    return QStyledItemDelegate::helpEvent(event, view, option, index);
}

void ItemDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const bool wraps = option->features.testFlag(QStyleOptionViewItem::WrapText);
    const ThemeColours& colours = currentColours();
    const QVariant bucket = index.data(BucketRole);
    if (bucket.isValid() && (index.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight) == 0) {
        option->icon = bucketIcon(static_cast<label::Bucket>(bucket.toInt()));
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->decorationSize = {12, 12};
    }
    const QVariant band = index.data(BandRole);
    if (band.isValid()) {
        option->icon = bandIcon(groupColour(band.toInt()));
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->decorationSize = {12, 12};
    }
    const auto setColour = [&](const QColor& colour) {
        option->palette.setColor(QPalette::Text, colour);
        option->palette.setColor(QPalette::HighlightedText, colour);
    };
    const QVariant status = index.data(StatusRole);
    if (status.isValid()) {
        const auto fix = static_cast<diagnose::FixStatus>(status.toInt());
        if (isStatusCell(index)) {
            setColour(statusColour(fix, colours));
            option->font.setBold(fix == diagnose::FixStatus::recommended
                                 || fix == diagnose::FixStatus::would_help);
        } else if (fix == diagnose::FixStatus::not_applicable
                   || fix == diagnose::FixStatus::not_needed) {
            setColour(colours.secondary);
        }
    }
    const QVariant emphasis = index.data(EmphasisRole);
    if (emphasis.isValid()) {
        if (emphasis.toInt() == static_cast<int>(Emphasis::strong)) {
            option->font.setBold(true);
        } else if (emphasis.toInt() == static_cast<int>(Emphasis::secondary)) {
            setColour(colours.secondary);
        }
    }
    if (const int room = roomForWords(*option); room > 0 && !wraps) {
        const QString brief = index.data(BriefRole).toString();
        if (!brief.isEmpty() && option->fontMetrics.horizontalAdvance(option->text) > room) {
            option->text = brief;
        }
        option->text = withShortFile(option->text, option->fontMetrics, room);
    }
    option->textElideMode = elisionOf(option->text, option->fontMetrics, roomForWords(*option));
    if (wraps) {
        option->text = withJoints(option->text);
    }
}

void AllocationDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index) const
{
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    item.text.clear();
    QApplication::style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &item, painter, item.widget);

    const ThemeColours& colours = currentColours();
    const QFontMetrics metrics(option.font);
    const QRect area = option.rect.adjusted(0, 3, -4, -3);
    const int size_width = metrics.horizontalAdvance(QStringLiteral("< 0.01 GiB"));
    const int line = metrics.height();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setFont(option.font);
    painter->setPen(colours.text);
    painter->drawText(QRect(area.left(), area.top(), size_width, line),
                      Qt::AlignRight | Qt::AlignVCenter, index.data(SizeRole).toString());

    const QVariant band = index.data(BandRole);
    const QColor colour = band.isValid()
        ? groupColour(band.toInt())
        : bucketColour(static_cast<label::Bucket>(index.data(BucketRole).toInt()));
    constexpr int kBar = 5;
    QRectF bar(area.left(), area.top() + line + 4, size_width, kBar);
    bar.setLeft(bar.right() - std::max(1.0, bar.width() * index.data(BarRole).toDouble()));
    painter->fillRect(bar, colour);
    const int left = area.left() + size_width + 10;
    paintSwatch(*painter, QRectF(left, area.top() + (line - 10) / 2.0, 10, 10), colour);
    const int text_left = left + 16;
    const int room = area.right() - text_left;
    const QFont small_font = smallFont(*option.widget);
    const QFontMetrics small_metrics(small_font);
    const QString count = index.data(CountRole).toString();
    const int taken = count.isEmpty() ? 0 : small_metrics.horizontalAdvance(count) + 8;
    painter->setPen(colours.text);
    painter->drawText(
        QRect(text_left, area.top(), room - taken, line), Qt::AlignLeft | Qt::AlignVCenter,
        metrics.elidedText(index.data(OperationRole).toString(), Qt::ElideRight, room - taken));
    QString frame = index.data(FrameRole).toString();
    if (frame.isEmpty()) {
        frame = tr("no stack recorded");
    }
    painter->setFont(small_font);
    painter->setPen(colours.secondary);
    painter->drawText(QRect(text_left, area.top(), room, line), Qt::AlignRight | Qt::AlignVCenter,
                      count);
    painter->drawText(QRect(text_left, area.top() + line, room, small_metrics.height()),
                      Qt::AlignLeft | Qt::AlignVCenter,
                      small_metrics.elidedText(frame, Qt::ElideRight, room));
    painter->restore();
}

QSize AllocationDelegate::sizeHint(const QStyleOptionViewItem& option,
                                   const QModelIndex& /*index*/) const
{
    const QFontMetrics metrics(option.font);
    return {120, metrics.height() * 2 + 6};
}

} // namespace tidemark::ui
