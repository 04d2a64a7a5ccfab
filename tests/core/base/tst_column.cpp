// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/column.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <numeric>

namespace tidemark::tst_column {

class TstColumn : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roomForMoreKeepsWhatIsThere()
    {
        std::vector<int> column(1000);
        std::iota(column.begin(), column.end(), 0);
        reserveColumn(column, 5000000); // Enough for large pages.
        QVERIFY(column.capacity() >= 5000000UL);
        column.push_back(1000);
        for (int i = 0; i <= 1000; ++i) {
            QCOMPARE(column[static_cast<std::size_t>(i)], i);
        }
        const int* const place = column.data();
        reserveColumn(column, 10);
        QVERIFY(column.data() == place);
        QCOMPARE(column.size(), 1001UL);
    }
    void assigningReplacesEverything()
    {
        std::vector<int> column{1, 2, 3};
        assignColumn(column, 3000000, 7);
        QCOMPARE(column.size(), 3000000UL);
        QVERIFY(std::ranges::all_of(column, [](int v) { return v == 7; }));
        assignColumn(column, 2, 8);
        QCOMPARE(column, (std::vector<int>{8, 8}));
    }
    void piecesOfAPageAreLeftAlone()
    {
        std::vector<char> memory(5 << 20, 'x');
        preferLargePages(nullptr, 0);
        preferLargePages(memory.data() + 1, memory.size() - 1);
        preferLargePages(memory.data(), 10);
        QVERIFY(std::ranges::all_of(memory, [](char c) { return c == 'x'; }));
    }
};

TIDEMARK_TEST(TstColumn)

} // namespace tidemark::tst_column

#include "tst_column.moc"
