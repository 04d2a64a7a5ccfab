// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/find.h"
#include "core/query/order.h"
#include "tests/core/query/queried_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_order {

using namespace tidemark::query;
using tidemark::test::namesOf;
using tidemark::test::QueriedRun;

namespace {

std::string order(SortKey key, bool descending)
{
    const QueriedRun run;
    return namesOf(*run.table,
                   sorted(*run.table, find(*run.table, Query()).value(), key, descending).value());
}

} // namespace

class TstOrder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void columnsSortRows()
    {
        QCOMPARE(order(SortKey::bytes, true), std::string("w a e b c d"));
        QCOMPARE(order(SortKey::bytes, false), std::string("d c b e a w"));
        QCOMPARE(order(SortKey::made, false), std::string("w a b c d e"));
        // What is never freed is behind, the largest first.
        QCOMPARE(order(SortKey::freed, false), std::string("a c e w b d"));
        QCOMPARE(order(SortKey::bucket, false), std::string("w c a b e d"));
        QCOMPARE(order(SortKey::churn, true), std::string("a e c w b d"));
        QCOMPARE(order(SortKey::share_of_peak, true), std::string("w a b c e d"));
        QCOMPARE(order(SortKey::confidence, false), std::string("d w a e b c"));
        QCOMPARE(order(SortKey::phase, false), std::string("w a e b c d"));
        QCOMPARE(order(SortKey::step, true), std::string("e a b c d w"));
        QCOMPARE(order(SortKey::line, false), std::string("c a e w b d"));
        QCOMPARE(order(SortKey::operation, false), std::string("c w b d a e"));
        QCOMPARE(order(SortKey::lifetime, true), std::string("w b d c a e"));
        QCOMPARE(order(SortKey::bytes_lifetime, true).substr(0, 3), std::string("w a"));
    }

    void noRowIsLostByAnyColumn()
    {
        for (int i = 0; i < static_cast<int>(kSortKeyCount); ++i) {
            const auto key = static_cast<SortKey>(i);
            QVERIFY(sortKeyFromId(infoOf(key).id) == key);
            std::string names = order(key, true);
            std::erase(names, ' ');
            std::ranges::sort(names);
            QCOMPARE(names, std::string("abcdew"));
        }
        QVERIFY(!sortKeyFromId("weight"));
    }

    void askedToStopItStops()
    {
        const QueriedRun run;
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!sorted(*run.table, {AllocationId(0U)}, SortKey::bytes, true, stop.get_token())
                     .has_value());
    }
};

TIDEMARK_TEST(TstOrder)

} // namespace tidemark::tst_order

#include "tst_order.moc"
