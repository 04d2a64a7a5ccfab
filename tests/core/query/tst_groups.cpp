// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/find.h"
#include "core/query/groups.h"
#include "tests/core/query/queried_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <numeric>

namespace tidemark::tst_groups {

using namespace tidemark::query;
using tidemark::test::namesOf;
using tidemark::test::QueriedRun;

namespace {

std::vector<AllocationId> allOf(const AllocationTable& table)
{
    return find(table, Query()).value();
}

std::vector<Group> grouped(const AllocationTable& table, GroupBy by, GroupKey key = GroupKey::bytes)
{
    std::vector<Group> found = groups(table, allOf(table), by).value();
    sortGroups(table, found, key, key != GroupKey::name);
    return found;
}

std::string textsOf(const std::vector<Group>& groups)
{
    std::string texts;
    for (const Group& group : groups) {
        texts.append(texts.empty() ? "" : ", ").append(group.text.empty() ? "-" : group.text);
    }
    return texts;
}

} // namespace

class TstGroups : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void measuresOfOneAllocation()
    {
        const QueriedRun run;
        const AllocationTable& table = *run.table;
        const AllocationId a(1U);
        QCOMPARE(table.lifetime(a), std::int64_t{40}); // Microseconds: events 0 to 4.
        QCOMPARE(table.lifetimeInEvents(a), std::int64_t{4});
        QCOMPARE(table.bytesLifetime(a), double(4 << 20) * 40e-6);
        QCOMPARE(table.churn(a).value, std::int64_t{4 << 20});
        QCOMPARE(table.peakBytes(a).value, std::int64_t{4 << 20});
        QCOMPARE(table.shareOfPeak(table.peakBytes(a)), 4.0 / 21.5);
        const AllocationId w(0U);
        QCOMPARE(table.lifetime(w), std::int64_t{110}); // From the first event to the last.
        QCOMPARE(table.churn(w).value, std::int64_t{0});
        QVERIFY(table.isKept(w) && !table.isKept(a));
        QVERIFY(!table.phase(w) && table.step(w) == 0);
        QCOMPARE(table.lineText(table.line(a)), std::string("Model.py:41 forward"));
        QCOMPARE(table.line(AllocationId(3U)), 0U); // It has no stack.
    }

    void groupsAddUpToTheWhole()
    {
        const QueriedRun run;
        const Sums all = sumsOf(*run.table, allOf(*run.table));
        QCOMPARE(all.count, std::int64_t{6});
        QCOMPARE(run.table->shareOfPeak(all.peak_bytes), 1.0);
        for (const GroupBy by :
             {GroupBy::line, GroupBy::module, GroupBy::size, GroupBy::bucket, GroupBy::step}) {
            Sums sums;
            for (const Group& group : grouped(*run.table, by)) {
                sums.count += group.sums.count;
                sums.bytes += group.sums.bytes;
                sums.lifetime += group.sums.lifetime;
                sums.churn += group.sums.churn;
                sums.peak_bytes += group.sums.peak_bytes;
            }
            QCOMPARE(sums.count, all.count);
            QCOMPARE(sums.bytes.value, all.bytes.value);
            QCOMPARE(sums.lifetime, all.lifetime);
            QCOMPARE(sums.churn.value, all.churn.value);
            QCOMPARE(sums.peak_bytes.value, all.peak_bytes.value);
        }
    }

    /// What a group says of itself finds its members, no more and no less.
    void theWordsOfAGroupFindIt()
    {
        const QueriedRun run;
        for (const GroupBy by :
             {GroupBy::line, GroupBy::module, GroupBy::size, GroupBy::bucket, GroupBy::step}) {
            int named = 0;
            for (const Group& group : grouped(*run.table, by)) {
                if (group.words.empty()) {
                    QVERIFY(group.text.empty());
                    continue;
                }
                ++named;
                const auto ids = find(*run.table, parse(group.words).value()).value();
                QCOMPARE(sumsOf(*run.table, ids).count, group.sums.count);
                QCOMPARE(sumsOf(*run.table, ids).bytes.value, group.sums.bytes.value);
            }
            QVERIFY(named > 0);
        }
    }

    void namesAreThoseOfLists()
    {
        const QueriedRun run;
        QCOMPARE(textsOf(grouped(*run.table, GroupBy::line)),
                 std::string("Model.py:52 forward, Model.py:41 forward, -"));
        QCOMPARE(textsOf(grouped(*run.table, GroupBy::size, GroupKey::name)),
                 std::string("64 B, 512 KiB, 1.00 MiB, 2.00 MiB, 4.00 MiB, 16.0 MiB"));
        QCOMPARE(textsOf(grouped(*run.table, GroupBy::step, GroupKey::name)),
                 std::string("outside of steps, step 1, step 2"));
        QCOMPARE(textsOf(grouped(*run.table, GroupBy::line, GroupKey::name)),
                 std::string("-, Model.py:41 forward, Model.py:52 forward"));
    }

    void columnsSortGroups()
    {
        const QueriedRun run;
        const auto first = [&](GroupKey key) {
            return grouped(*run.table, GroupBy::bucket, key).front().text;
        };
        QCOMPARE(first(GroupKey::bytes), std::string("Parameters"));
        QCOMPARE(first(GroupKey::count), std::string("Activations"));
        QCOMPARE(first(GroupKey::churn), std::string("Activations"));
        QCOMPARE(first(GroupKey::share_of_peak), std::string("Parameters"));
        QCOMPARE(first(GroupKey::bytes_lifetime), std::string("Parameters"));
        for (int i = 0; i < static_cast<int>(kGroupKeyCount); ++i) {
            const auto key = static_cast<GroupKey>(i);
            QVERIFY(groupKeyFromId(infoOf(key).id) == key);
        }
        QVERIFY(!groupKeyFromId("weight"));
    }

    void theLargestOfAGroupIsNamed()
    {
        const QueriedRun run;
        const std::vector<Group> found = grouped(*run.table, GroupBy::line);
        QCOMPARE(namesOf(*run.table, {found[1].largest}), std::string("a"));
    }

    void withoutTimesLifetimesCountEvents()
    {
        const QueriedRun run("no-times\n");
        QVERIFY(!run.table->hasTimes());
        QCOMPARE(run.table->lifetime(AllocationId(1U)), std::int64_t{4});
        QCOMPARE(run.table->bytesLifetime(AllocationId(1U)), double(4 << 20) * 4);
    }
};

TIDEMARK_TEST(TstGroups)

} // namespace tidemark::tst_groups

#include "tst_groups.moc"
