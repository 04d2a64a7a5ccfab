// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QObject>

#include <map>
#include <vector>

class QTableView;

namespace tidemark::ui {

struct ColumnRules {
    int readable = 28; ///< Letters that the stretched column has as long as others can give.
    std::vector<int> may_go; ///< Hidden in this order before headings are shortened.
};
/// As `fitColumns` of pieces.h, where `stretched` gets letters enough to be read by: where there is
/// little room, first from the columns of `giving`.
void fitColumns(QTableView& table, int stretched, const std::vector<int>& giving,
                const ColumnRules& rules = {});

/// Pixels in which no cell and no heading of the columns that are shown is shortened.
[[nodiscard]] int neededWidth(const QTableView& table);

/// Words that find no room in their column go on in a further line: rows are as high as what is in
/// them, whenever the model is filled anew or a column gets another width.
void wrapRows(QTableView& table);

/// Pixels of a column where there is room, of its heading without the air around it, and of what is
/// in it: then the heading is shortened.
struct ColumnWidth {
    int wanted = 0;
    int tight = 0;
    int least = 0;
};

/// Gives one column of a table the room that the others leave, at least `least` pixels and at most
/// `most`. Where there is too little, those of `giving` give up to half of theirs, then headings
/// lose the air around them, then columns go that may (their order: `mayGo`), then all become as
/// narrow as they can; only then the table scrolls. Where there is more, all columns become wider
/// by up to the same part, and the rest stays free at the end: figures stand near what they are of.
/// Lives with the table. With −1 no column takes what is left.
class ColumnRoom : public QObject {
    Q_OBJECT
public:
    ColumnRoom(QTableView& table, int column, std::vector<int> giving);
    /// `wanted`: the others' widths.
    void divideBy(int least, int most, const std::map<int, ColumnWidth>& wanted = {});
    void mayGo(std::vector<int> columns);
    /// What a person wants, whether there is room or not.
    void setHidden(int column, bool is_hidden);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void divide(int leaving = -1);
    [[nodiscard]] bool isGiving(int column) const;
    [[nodiscard]] int narrowest(int column, int stage) const;
    [[nodiscard]] std::map<int, int> narrowed(const std::vector<int>& columns) const;
    void shareOut(const std::vector<int>& columns, int room);
    bool isTipOfHeading(QEvent& event);

    QTableView& m_table;
    int m_column;
    int m_least = 0;
    int m_most = 0;
    std::vector<int> m_giving;
    std::vector<int> m_may_go;
    std::vector<int> m_gone; ///< Hidden for lack of room.
    std::map<int, ColumnWidth> m_wanted; ///< By column.
    double m_factor = 1; ///< Columns are so many times as wide as they want.
    bool m_is_dividing = false;
};

} // namespace tidemark::ui
