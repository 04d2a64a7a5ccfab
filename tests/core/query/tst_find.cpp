// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/find.h"
#include "tests/core/query/queried_run.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>

namespace tidemark::tst_find {

using namespace tidemark::query;
using tidemark::test::namesOf;
using tidemark::test::QueriedRun;

namespace {

std::vector<AllocationId> idsOf(const AllocationTable& table, std::string_view text)
{
    const Result<Query> query = parse(text);
    if (!query.has_value()) {
        qFatal("%s", query.error().message.c_str());
    }
    return find(table, query.value()).value();
}

std::string found(std::string_view text)
{
    static const QueriedRun run;
    return namesOf(*run.table, idsOf(*run.table, text));
}

std::string errorOf(const AllocationTable& table, std::string_view text)
{
    const auto answer = find(table, parse(text).value());
    return answer.has_value() ? "none" : answer.error().message;
}

} // namespace

class TstFind : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachKeyKeepsWhatItSays_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QString>("names");
        const std::initializer_list<std::pair<const char*, const char*>> rows{
            {"", "w a b c d e"},
            {"bucket:activation", "a b"},
            {"bucket:parameter,gradient", "w c"},
            {"role:attention", "a"},
            {"size>1MiB", "w a e"},
            {"size:1MiB..2MiB", "b e"},
            {"size:512.00 KiB", "c"},
            {"<1KiB", "d"},
            {"life<31us", "e"},
            {"life:40us", "a"},
            {"life:4events", "a"},
            {"live@start", "w"},
            {"live@peak", "w a b c"},
            {"live@oom", "w b d e"},
            {"live@end", "w b d"},
            {"live@3", "w a b c"},
            {"live@4", "w b c"},
            {"kept", "w b d"},
            {"stack:attention", ""},
            {"stack:scaled_dot", "a e"},
            {"stack:LINEAR", "w b d"},
            {"stack:model.py:52", "w b d"},
            {"function:model.py", ""},
            {"function:forward", "w a b d e"},
            {"function=forward", "w a b d e"},
            {"function=forwar", ""},
            {"file:/me/", "w a b d e"},
            {"file:linear", ""},
            {"line:41", "a e"},
            {"line:\"model.py:52 forward\"", "w b d"},
            {"line=model.py:52", ""},
            // A line is that line of that file, not one that begins so.
            {"stack:model.py:5", ""},
            {"model.py:5", ""},
            {"line:model.py:5", ""},
            {"stack:me/model.py:52", "w b d"},
            {"stack:odel.py:52", ""},
            {"stack:functional.py:9", "w b d"},
            {"phase:forward", "a b e"},
            {"phase:backward,optimizer", "c d"},
            {"step:1", "a b c d"},
            {"step>=2", "e"},
            {"step:0", "w"},
            {"event:3", "a"},
            {"event:4", "a"},
            {"event:0..1", "a b"},
            {"made>2", "d e"},
            {"made:2", "c"},
            {"freed<8", "a c"},
            {"confidence<50", "d"},
            {"stream:0", "w a b c d e"},
            {"stream:1", ""},
            {"softmax", ""},
            {"model.py:41", "a e"},
            {"train.py", "w a b d e"},
            {"trainable", "w"},
            {"Parameters,", "w"}, // As the list writes it.
            {"temporaries", "e"},
            {"\"attention matrix\"", "a"},
            {"size>1MiB -stack:linear", "a e"},
            {"not live@peak bucket:temporary", "e"},
            {"-made>=0", "w"},
        };
        for (const auto& [query, names] : rows) {
            QTest::newRow(query) << QString::fromLatin1(query) << QString::fromLatin1(names);
        }
    }
    void eachKeyKeepsWhatItSays()
    {
        QFETCH(const QString, query);
        QFETCH(const QString, names);
        QCOMPARE(QString::fromStdString(found(query.toStdString())), names);
    }

    void anAddressIsThatOfTheAllocationThatHoldsIt()
    {
        const QueriedRun run;
        const Address begin = run.replay->devices[0].allocations.address[1];
        const auto at = [&](Address address) {
            return namesOf(*run.table, idsOf(*run.table, "addr:" + std::to_string(address)));
        };
        QCOMPARE(at(begin), at(begin + (4 << 20) - 1));
        QVERIFY(at(begin).find('a') != std::string::npos);
        QVERIFY(at(begin + (4 << 20)).find('a') == std::string::npos);
    }

    void modulesAreFoundByTheirPlace()
    {
        const QueriedRun run;
        const auto details = run.table->details({});
        const std::string text = details->moduleText(0, AllocationId(1U));
        QVERIFY(!text.empty());
        const std::string whole = "module=\"" + text + '"';
        QVERIFY(namesOf(*run.table, idsOf(*run.table, whole)).find('a') != std::string::npos);
        QCOMPARE(run.table->knownDetails(), details); // Found once.
    }

    /// Conjunction is intersection and "not" is the complement, in any order.
    void conditionsCombineAsSets()
    {
        const QueriedRun run;
        const std::array<std::string, 12> words{
            "bucket:activation", "size>600KiB",   "life<50us",
            "live@peak",         "kept",          "stack:linear",
            "line:41",           "phase:forward", "step:1",
            "event:2..6",        "train",         "function:main"};
        std::mt19937 random(7); // the same every time
        for (int i = 0; i < 300; ++i) {
            std::string text;
            std::vector<AllocationId> expected = idsOf(*run.table, "");
            for (int n = 0; n < 3; ++n) {
                const std::string& word = words[random() % words.size()];
                const bool is_negated = random() % 2 == 0;
                text += (is_negated ? " -" : " ") + word;
                const std::vector<AllocationId> with = idsOf(*run.table, word);
                std::erase_if(expected, [&](AllocationId a) {
                    return std::ranges::binary_search(with, a) == is_negated;
                });
            }
            QVERIFY2(idsOf(*run.table, text) == expected, text.c_str());
        }
    }

    void someAreSievedInTheirOrder()
    {
        const QueriedRun run;
        std::vector<AllocationId> ids{AllocationId(5U), AllocationId(1U), AllocationId(0U)};
        const auto left = findAmong(*run.table, ids, parse("stack:scaled").value());
        QCOMPARE(namesOf(*run.table, left.value()), std::string("e a"));
    }

    void momentsAndTimesThatAreNotThereAreSaid()
    {
        const QueriedRun run;
        QVERIFY(errorOf(*run.table, "live@5000").find("the last is event 11") != std::string::npos);
        QVERIFY(errorOf(*run.table, "live@5000 kept").find("no event 5000") != std::string::npos);
        const QueriedRun timeless("no-times\n");
        QVERIFY(errorOf(*timeless.table, "life<1ms").find("has no times") != std::string::npos);
        QCOMPARE(namesOf(*timeless.table, idsOf(*timeless.table, "life:4ev")), std::string("a"));
    }

    void askedToStopItStops()
    {
        const QueriedRun run;
        std::stop_source stop;
        stop.request_stop();
        const auto answer = find(*run.table, parse("kept").value(), stop.get_token());
        QVERIFY(!answer.has_value() && answer.error().code == ErrorCode::cancelled);
        QVERIFY(!find(*run.table, parse("module:x").value(), stop.get_token()).has_value());
    }
};

TIDEMARK_TEST(TstFind)

} // namespace tidemark::tst_find

#include "tst_find.moc"
