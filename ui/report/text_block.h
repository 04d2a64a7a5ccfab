// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QString>
#include <QtGui/QColor>
#include <QtGui/QFont>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

class QPainter;
class QTextLayout;

namespace tidemark::ui::report {

/// Every length in ui/report is in points (1/72 inch). Text is laid out and drawn on a grid this
/// much finer, so that its rounding is invisible: painters come scaled by this factor.
inline constexpr double kGridPerPoint = 20;

inline constexpr QColor kInk{0x22, 0x22, 0x26};
inline constexpr QColor kGrey{0x6B, 0x68, 0x78};
inline constexpr QColor kPaleGrey{0xDD, 0xDE, 0xE2};
inline constexpr QColor kPanel{0xF5, 0xF6, 0xF8};

struct TextStyle {
    double size = 9;
    bool bold = false;
    bool mono = false;
    QColor color = kInk;
};

inline constexpr TextStyle kBody{};
inline constexpr TextStyle kBold{9, true, false, kInk};
inline constexpr TextStyle kSmall{7.5, false, false, kGrey};
inline constexpr TextStyle kSmallBold{7.5, true, false, kGrey};
inline constexpr TextStyle kCode{7.5, false, true, kInk};

/// The sans or monospaced font of the report in grid units.
QFont reportFont(const TextStyle& style);

/// A stretch of text in one style.
struct Run {
    QString text;
    TextStyle style;
};

/// Text from a file as it may be shown: UTF-8 with bad bytes replaced, without control characters
/// or direction overrides. `keep_lines` keeps line breaks, otherwise they become spaces.
QString shown(std::string_view text, bool keep_lines = false);

/// A line break inside a run.
inline QString newLine()
{
    return QString(QChar::LineSeparator);
}

/// Text wrapped to a width. Words that are longer than a line are broken. Cheap to copy.
class TextBlock {
public:
    enum class Align { left, right, center };
    /// No limit on the number of lines.
    static constexpr int kAllLines = std::numeric_limits<int>::max();

    TextBlock() = default;
    TextBlock(const std::vector<Run>& runs, double width, Align align = Align::left);
    TextBlock(const QString& text, const TextStyle& style, double width, Align align = Align::left);

    [[nodiscard]] int lineCount() const;
    [[nodiscard]] double height() const
    {
        return heightOf(0, lineCount());
    }
    [[nodiscard]] double heightOf(int first_line, int end_line) const;
    /// How many lines from `first_line` fit into a height; may be 0.
    [[nodiscard]] int linesThatFit(int first_line, double height) const;
    /// Width of the longest line.
    [[nodiscard]] double naturalWidth() const;
    /// Distance of the first line's baseline from the top.
    [[nodiscard]] double ascent() const;
    /// Draws lines [first_line, end_line) with the first at `top_left`. The painter works in
    /// points.
    void draw(QPainter& painter, QPointF top_left, int first_line = 0,
              int end_line = kAllLines) const;

private:
    std::shared_ptr<QTextLayout> m_layout;
};

/// Width of one line of text.
double textWidth(const QString& text, const TextStyle& style);
/// The text, or with its middle (its end) left out so that it fits.
QString elidedMiddle(const QString& text, const TextStyle& style, double width);
QString elidedEnd(const QString& text, const TextStyle& style, double width);

} // namespace tidemark::ui::report
