// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/list_runs.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::tst_list_runs {

using namespace tidemark::reader;

namespace {

/// A run of memo look-ups, the end of its list, and bytes that one may look at.
std::string runBytes(std::string_view numbers)
{
    std::string bytes;
    for (const char number : numbers) {
        bytes += {'h', number};
    }
    return bytes + 'e' + std::string(ListRuns::kLongest + 8, '\0');
}

Slot numbered(int number)
{
    return Slot::of(Slot::Kind::list, static_cast<std::uint64_t>(number));
}

/// The list of a run as the reader asks for it: one that is new becomes list `number`.
Slot listOf(ListRuns& runs, std::string_view numbers, int number, bool* is_next = nullptr)
{
    const std::string bytes = runBytes(numbers);
    std::size_t length = 0;
    Slot list = runs.findNext(bytes.data(), length);
    if (is_next != nullptr) {
        *is_next = !list.isAbsent();
    }
    if (!list.isAbsent()) {
        return length == 2 * numbers.size() ? list : Slot();
    }
    const std::string_view run(bytes.data(), ListRuns::lengthOf(bytes.data()));
    list = runs.find(run);
    if (list.isAbsent()) {
        list = numbered(number);
        runs.remember(run, list);
    }
    return list;
}

} // namespace

class TstListRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSameBytesAreTheSameList()
    {
        ListRuns runs;
        for (int i = 0; i < 20'000; ++i) { // More than the first table holds.
            QCOMPARE(listOf(runs, std::to_string(i), i).word, numbered(i).word);
        }
        for (const int i : {19'999, 0, 7, 7, 12'345, 6, 7, 8}) {
            QCOMPARE(listOf(runs, std::to_string(i), -1).word, numbered(i).word);
        }
    }
    void whatCameNextComesNextAgain()
    {
        ListRuns runs;
        for (int round = 0; round < 3; ++round) {
            for (const char* run : {"abc", "abcd", "x", "ab", ""}) {
                bool is_next = false;
                const auto length = static_cast<int>(std::string_view(run).size());
                QCOMPARE(listOf(runs, run, length, &is_next).word, numbered(length).word);
                // The first of all has none before it in the first round.
                QCOMPARE(is_next, round > 1 || (round == 1 && length != 3));
            }
        }
    }
    void aRunThatBeginsAsTheNextIsAnotherOne()
    {
        ListRuns runs;
        for (int round = 0; round < 3; ++round) {
            QCOMPARE(listOf(runs, "a", 1).word, numbered(1).word);
            QCOMPARE(listOf(runs, "ab", 2).word, numbered(2).word);
            QCOMPARE(listOf(runs, "a", 1).word, numbered(1).word);
            QCOMPARE(listOf(runs, "abc", 3).word, numbered(3).word);
        }
    }
};

TIDEMARK_TEST(TstListRuns)

} // namespace tidemark::tst_list_runs

#include "tst_list_runs.moc"
