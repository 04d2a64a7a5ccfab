// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"

#include <QtCore/QString>
#include <QtGui/QFont>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFrame>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLayout>
#include <QtWidgets/QToolButton>

#include <vector>

class QAbstractItemModel;
class QTableView;
class QTextBrowser;

namespace tidemark::ui {

// Of whatever has an axis that can be dragged and zoomed.
inline constexpr int kDragThreshold = 4; ///< Pixels before a press becomes a drag.
inline constexpr double kWheelZoom = 1.0015; ///< Per eighth of a degree.

/// A rounded frame on the window's background.
[[nodiscard]] QFrame* makeCard(QWidget* parent, const QString& object_name);

/// A label with word wrap whose text can be selected with the mouse, and copied.
[[nodiscard]] QLabel* makeText(QWidget* parent, const QString& object_name);
/// The same in the colour of what is secondary.
[[nodiscard]] QLabel* makeSecondaryText(QWidget* parent, const QString& object_name);
/// The widget's font, larger and bold.
[[nodiscard]] QFont headingFont(const QWidget& widget, double factor);
/// The widget's font, a little smaller.
[[nodiscard]] QFont smallFont(const QWidget& widget);

/// Whether a cause or label is so uncertain that it bears a mark, "≈"; of a score up to 1.
[[nodiscard]] constexpr bool isInferred(double score)
{
    return score < 0.75;
}
/// "≈ " before the name of what is inferred, else nothing.
[[nodiscard]] inline QString inferredMark(double score)
{
    return isInferred(score) ? QStringLiteral("≈ ") : QString();
}

/// Sets a property that the style sheet asks for; the widget looks so at once.
void setStyleProperty(QWidget& widget, const char* name, const QVariant& value);

/// Return presses it, too, as people know it from links.
class QuietButton : public QToolButton {
    Q_OBJECT
public:
    explicit QuietButton(QWidget* parent, const QString& words);

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

/// A button without a frame.
[[nodiscard]] QToolButton* makeQuietButton(QWidget* parent, const QString& words);
/// A button in the form of a pill.
[[nodiscard]] QToolButton* makeChip(QWidget* parent, const QString& words);

/// A combo box as this program shows them: a pill with a small triangle.
class ChipCombo : public QComboBox {
    Q_OBJECT
public:
    /// As wide as its longest choice, whenever those or the font change.
    explicit ChipCombo(QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void initStyleOption(QStyleOptionComboBox* option) const override;
};

/// A table as this program shows them: no grid, whole rows, no row numbers, as high as its text.
/// Copy takes the selected rows as they are shown, cells separated by tabs.
void styleTable(QTableView& table);
/// Such a table that shows a model with this program's delegate. `what` it shows is what a screen
/// reader says.
[[nodiscard]] QTableView* makeTable(QWidget* parent, const QString& name, const QString& what,
                                    QAbstractItemModel& model);
/// Makes every column as wide as its content and its heading, and lets `stretched` take what is
/// left (−1: none). To be called again when the content changes.
void fitColumns(QTableView& table, int stretched);
/// Makes every row as high as its wrapped text.
void fitRows(QTableView& table);

/// A page of Markdown to read. What it names is not loaded: no picture, no style sheet.
[[nodiscard]] QTextBrowser* makeTextPage(QWidget* parent, const QString& object_name);
/// Makes headings and tables of a page of Markdown as quiet as the rest of the window, and shows
/// its beginning.
void calmDocument(QTextBrowser& browser);

/// Lays widgets out in rows like words in a paragraph.
class FlowLayout : public QLayout {
public:
    explicit FlowLayout(QWidget* parent, int spacing);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    [[nodiscard]] int count() const override;
    [[nodiscard]] QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override;
    [[nodiscard]] bool hasHeightForWidth() const override;
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    int arrange(const QRect& rect, bool only_measure) const;

    std::vector<QLayoutItem*> m_items;
};

/// Text of one line, or of as many as are set, that is shortened when there is not enough room; the
/// whole of it is the tool tip.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent, Qt::TextElideMode mode = Qt::ElideMiddle);
    /// Wrapped to at most so many; only the last one is shortened.
    void setLines(int lines);
    /// One line becomes smaller down to this part of its font before it is shortened.
    void setShrinks(double least);
    void setWords(const QString& words);
    [[nodiscard]] const QString& words() const
    {
        return m_words;
    }
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

    /// What is painted in a width: the words, smaller or shortened where they have to be.
    [[nodiscard]] QString shown(int width, QFont& font) const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_words;
    Qt::TextElideMode m_mode;
    int m_lines = 1;
    double m_least = 1;
};

} // namespace tidemark::ui
