// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QObject>

#include <map>
#include <vector>

class QTableView;

namespace tidemark::ui {

/// As `fitColumns` of pieces.h, where `stretched` gets letters enough to be read by: where there is
/// little room, from the columns of `giving`.
void fitColumns(QTableView& table, int stretched, const std::vector<int>& giving);

/// Pixels in which no cell and no heading of the columns that are shown is shortened.
[[nodiscard]] int neededWidth(const QTableView& table);

/// Words that find no room in their column go on in a further line: rows are as high as what is in
/// them, whenever the model is filled anew or a column gets another width.
void wrapRows(QTableView& table);

/// Gives one column of a table the room that the others leave, at least `least` pixels and at most
/// `most`: where there is too little, those of `giving` give up to half of theirs before the table
/// scrolls; where there is more, all columns become wider by up to the same part, and the rest
/// stays free at the end: figures stand near what they are of. Lives with the table. With −1 no
/// column takes what is left.
class ColumnRoom : public QObject {
    Q_OBJECT
public:
    ColumnRoom(QTableView& table, int column, std::vector<int> giving);
    /// `wanted`: the others' widths where there is room.
    void divideBy(int least, int most, const std::map<int, int>& wanted = {});

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void divide(int leaving = -1);

    QTableView& m_table;
    int m_column;
    int m_least = 0;
    int m_most = 0;
    std::vector<int> m_giving;
    std::map<int, int> m_wanted; ///< By column: its width where there is room.
    double m_factor = 1; ///< Columns are so many times as wide as they want.
    bool m_is_dividing = false;
};

} // namespace tidemark::ui
