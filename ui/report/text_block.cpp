// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/text_block.h"

#include <QtGui/QFontDatabase>
#include <QtGui/QFontInfo>
#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>
#include <QtGui/QTextLayout>

#include <algorithm>
#include <array>

namespace tidemark::ui::report {
namespace {

QString firstInstalled(const std::array<QLatin1String, 4>& families,
                       QFontDatabase::SystemFont otherwise)
{
    const QStringList installed = QFontDatabase::families();
    for (const QLatin1String family : families) {
        if (installed.contains(family)) {
            return family;
        }
    }
    return QFontInfo(QFontDatabase::systemFont(otherwise)).family();
}

const QString& sansFamily()
{
    static const QString family =
        firstInstalled({QLatin1String("DejaVu Sans"), QLatin1String("Noto Sans"),
                        QLatin1String("Liberation Sans"), QLatin1String("Arial")},
                       QFontDatabase::GeneralFont);
    return family;
}

const QString& monoFamily()
{
    static const QString family =
        firstInstalled({QLatin1String("DejaVu Sans Mono"), QLatin1String("Noto Sans Mono"),
                        QLatin1String("Liberation Mono"), QLatin1String("Courier New")},
                       QFontDatabase::FixedFont);
    return family;
}

Qt::Alignment qtAlignment(TextBlock::Align align)
{
    switch (align) {
    case TextBlock::Align::right:
        return Qt::AlignRight;
    case TextBlock::Align::center:
        return Qt::AlignHCenter;
    case TextBlock::Align::left:
        break;
    }
    return Qt::AlignLeft;
}

/// Changes the directions of the text around it, so that a file's name could read as another one.
bool isDirectionControl(QChar c)
{
    const ushort u = c.unicode();
    return (u >= 0x202A && u <= 0x202E) || (u >= 0x2066 && u <= 0x2069) || u == 0x200E
        || u == 0x200F;
}

/// The text with spaces that do not break between a figure and its unit.
QString withUnitsKept(QString text)
{
    static constexpr std::array<QLatin1String, 7> kUnits{
        QLatin1String(" %"), QLatin1String(" GiB"), QLatin1String(" MiB"), QLatin1String(" KiB"),
        QLatin1String(" B"), QLatin1String(" ms"),  QLatin1String(" s")};
    for (const QLatin1String unit : kUnits) {
        for (qsizetype at = text.indexOf(unit); at >= 0; at = text.indexOf(unit, at + 1)) {
            const qsizetype end = at + unit.size();
            const bool is_figure = at > 0 && text[at - 1].isDigit();
            if (is_figure && (end == text.size() || !text[end].isLetterOrNumber())) {
                text[at] = QChar::Nbsp;
            }
        }
    }
    return text;
}

constexpr double kLineSpacing = 1.14; ///< Of the font's own line height.

} // namespace

QFont reportFont(const TextStyle& style)
{
    QFont font(style.mono ? monoFamily() : sansFamily());
    font.setPixelSize(qRound(style.size * kGridPerPoint));
    font.setBold(style.bold);
    font.setHintingPreference(QFont::PreferNoHinting);
    // Any letter spacing turns ligatures off, which a search in the document would not find.
    font.setLetterSpacing(QFont::AbsoluteSpacing, 1.0 / 32);
    return font;
}

QString shown(std::string_view text, bool keep_lines)
{
    QString result = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    result.removeIf([](QChar c) { return isDirectionControl(c) || c.isNull() || c == u'\r'; });
    for (QChar& c : result) {
        if (keep_lines && (c == u'\n' || c == QChar::LineSeparator)) {
            c = QChar::LineSeparator;
        } else if (c.category() == QChar::Other_Control || c == QChar::LineSeparator
                   || c == QChar::ParagraphSeparator) {
            c = u' ';
        }
    }
    return result;
}

TextBlock::TextBlock(const std::vector<Run>& runs, double width, Align align)
{
    if (runs.empty()) {
        return;
    }
    QString text;
    QList<QTextLayout::FormatRange> formats;
    for (const Run& run : runs) {
        // Code is to be copied as it is.
        const QString words = run.style.mono ? run.text : withUnitsKept(run.text);
        QTextLayout::FormatRange range;
        range.start = static_cast<int>(text.size());
        range.length = static_cast<int>(words.size());
        range.format.setFont(reportFont(run.style));
        range.format.setForeground(run.style.color);
        formats.append(range);
        text += words;
    }
    m_layout = std::make_shared<QTextLayout>(text, reportFont(runs.front().style));
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    option.setAlignment(qtAlignment(align));
    option.setTextDirection(Qt::LeftToRight);
    option.setUseDesignMetrics(true);
    m_layout->setTextOption(option);
    m_layout->setFormats(formats);
    m_layout->setCacheEnabled(true);
    m_layout->beginLayout();
    double y = 0;
    for (QTextLine line = m_layout->createLine(); line.isValid(); line = m_layout->createLine()) {
        line.setLineWidth(std::max(1.0, width * kGridPerPoint));
        line.setPosition(QPointF(0, y));
        y += line.height() * kLineSpacing;
    }
    m_layout->endLayout();
}

TextBlock::TextBlock(const QString& text, const TextStyle& style, double width, Align align)
    : TextBlock(std::vector<Run>{{text, style}}, width, align)
{
}

int TextBlock::lineCount() const
{
    return m_layout ? m_layout->lineCount() : 0;
}

double TextBlock::heightOf(int first_line, int end_line) const
{
    double height = 0;
    for (int i = first_line; i < std::min(end_line, lineCount()); ++i) {
        height += m_layout->lineAt(i).height() * kLineSpacing;
    }
    return height / kGridPerPoint;
}

int TextBlock::linesThatFit(int first_line, double height) const
{
    int end = first_line;
    while (end < lineCount() && heightOf(first_line, end + 1) <= height + 0.01) {
        ++end;
    }
    return end - first_line;
}

double TextBlock::naturalWidth() const
{
    double width = 0;
    for (int i = 0; i < lineCount(); ++i) {
        width = std::max(width, m_layout->lineAt(i).naturalTextWidth());
    }
    return width / kGridPerPoint;
}

double TextBlock::ascent() const
{
    return lineCount() == 0 ? 0 : m_layout->lineAt(0).ascent() / kGridPerPoint;
}

void TextBlock::draw(QPainter& painter, QPointF top_left, int first_line, int end_line) const
{
    if (first_line >= lineCount()) {
        return;
    }
    painter.save();
    painter.translate(top_left);
    painter.scale(1 / kGridPerPoint, 1 / kGridPerPoint);
    painter.setPen(kInk);
    const double top = m_layout->lineAt(first_line).y();
    for (int i = first_line; i < std::min(end_line, lineCount()); ++i) {
        m_layout->lineAt(i).draw(&painter, QPointF(0, -top));
    }
    painter.restore();
}

double textWidth(const QString& text, const TextStyle& style)
{
    return QFontMetricsF(reportFont(style)).horizontalAdvance(text) / kGridPerPoint;
}

QString elidedMiddle(const QString& text, const TextStyle& style, double width)
{
    return QFontMetricsF(reportFont(style))
        .elidedText(text, Qt::ElideMiddle, width * kGridPerPoint);
}

QString elidedEnd(const QString& text, const TextStyle& style, double width)
{
    return QFontMetricsF(reportFont(style)).elidedText(text, Qt::ElideRight, width * kGridPerPoint);
}

} // namespace tidemark::ui::report
