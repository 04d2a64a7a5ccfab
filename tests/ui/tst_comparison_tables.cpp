// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What a comparison says in tables, and the words around it.
#include "tests/core/compare/decoder_run.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/comparison_tables.h"
#include "ui/models/distinct_names.h"
#include "ui/models/one_unit.h"
#include "ui/models/rows_model.h"
#include "ui/models/stack_difference.h"

#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QTest>

#include <set>

namespace tidemark::tst_comparison_tables {

using namespace tidemark::ui;

namespace {

ComparedRuns compared(const test::DecoderOptions& a, const test::DecoderOptions& b,
                      const ComparedMoment& moment = {})
{
    return compareRuns({test::decoderRun(a), 0, QStringLiteral("A")},
                       {test::decoderRun(b), 0, QStringLiteral("C")}, moment, {}, {});
}

constexpr std::size_t kDelta = 5; ///< Column of the places.

qint64 bytesIn(const TextRow& row, std::size_t column)
{
    return row.cells[column].bytes.value_or(Bytes{}).value;
}

qint64 sumOf(const TextTable& table, std::size_t column)
{
    qint64 sum = 0;
    for (const TextRow& row : table.rows) {
        sum += row.emphasis == Emphasis::strong ? 0 : bytesIn(row, column);
    }
    return sum;
}

} // namespace

class TstComparisonTables : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void placesAddUpToTheHeadlineToTheByte_data()
    {
        QTest::addColumn<int>("sequence");
        QTest::addColumn<bool>("is_autocast");
        QTest::addColumn<bool>("is_swapped");
        QTest::newRow("longer") << 256 << false << false;
        QTest::newRow("shorter") << 256 << false << true;
        QTest::newRow("autocast") << 128 << true << false;
        QTest::newRow("both") << 512 << true << true;
    }
    void placesAddUpToTheHeadlineToTheByte()
    {
        QFETCH(const int, sequence);
        QFETCH(const bool, is_autocast);
        QFETCH(const bool, is_swapped);
        const test::DecoderOptions one;
        const test::DecoderOptions other{.sequence = sequence, .is_autocast = is_autocast};
        const ComparedRuns runs = is_swapped ? compared(other, one) : compared(one, other);
        const qint64 delta = runs.difference.headline.delta().value;
        const TextTable places = placesTable(runs, PlaceFilter::differing);
        QCOMPARE(sumOf(places, kDelta), delta);
        QCOMPARE(bytesIn(places.rows.back(), kDelta), delta);
        QCOMPARE(bytesIn(places.rows.back(), 3), runs.difference.headline.peak_a.value);
        QCOMPARE(bytesIn(places.rows.back(), 4), runs.difference.headline.peak_b.value);
        const TextTable changes = changesTable(runs);
        QCOMPARE(sumOf(changes, 3), delta);
        QCOMPARE(bytesIn(changes.rows.back(), 3), delta);
    }
    void atAnyMomentTheTotalIsThatOfTheMoment()
    {
        const ComparedRuns runs =
            compared({}, {.sequence = 256}, {compare::At::events, label::Phase::forward, {}, {}});
        const TextTable places = placesTable(runs, PlaceFilter::differing);
        const qint64 delta = (runs.againstBytes() - runs.baseBytes()).value;
        QVERIFY(delta > 0);
        QVERIFY(delta != runs.difference.headline.delta().value);
        QCOMPARE(sumOf(places, kDelta), delta);
        QCOMPARE(bytesIn(places.rows.back(), kDelta), delta);
    }
    void filtersShowTheirKindAndNothingElse()
    {
        const ComparedRuns runs = compared({}, {.sequence = 256, .is_autocast = true});
        const auto& all = runs.difference.parts.places;
        for (const PlaceFilter filter :
             {PlaceFilter::only_base, PlaceFilter::only_against, PlaceFilter::grew,
              PlaceFilter::shrank, PlaceFilter::equal}) {
            for (const TextRow& row : placesTable(runs, filter).rows) {
                if (row.source == TextRow::kNone) {
                    continue;
                }
                const compare::PlaceDifference& place = all[row.source];
                const bool is_right = filter == PlaceFilter::only_base ? place.count_b == 0
                    : filter == PlaceFilter::only_against              ? place.count_a == 0
                    : filter == PlaceFilter::grew                      ? place.delta().value > 0
                    : filter == PlaceFilter::shrank                    ? place.delta().value < 0
                                                                       : place.delta().value == 0;
                QVERIFY(is_right);
            }
        }
        QVERIFY(placesTable(runs, PlaceFilter::only_against).rows.size() > 1);
        QVERIFY(placesTable(runs, PlaceFilter::grew).rows.size() > 1);
        QVERIFY(placesTable(runs, PlaceFilter::equal).rows.size() > 1);
    }
    void onePlacesTableHasOneUnit()
    {
        const ComparedRuns runs = compared({}, {.sequence = 256, .is_autocast = true});
        const TextTable places = placesTable(runs, PlaceFilter::differing);
        QVERIFY(places.rows.size() > 4);
        for (const TextRow& row : places.rows) {
            for (const std::size_t column : {std::size_t{3}, std::size_t{4}, std::size_t{kDelta}}) {
                QVERIFY2(!row.cells[column].text.contains(u'B'),
                         qPrintable(row.cells[column].text));
            }
        }
    }
    void theAllocatorsBytesHaveOneUnit()
    {
        const TextTable table =
            allocatorTable(compared({}, {.sequence = 256, .is_autocast = true}));
        std::set<QString> units;
        for (const TextRow& row : table.rows) {
            for (const RowCell& cell : row.cells) {
                if (cell.bytes && cell.text != QStringLiteral("0")) {
                    units.insert(cell.text.section(u' ', -1));
                }
            }
        }
        QCOMPARE(units.size(), std::size_t{1});
    }
    void rowsComeByTheSizeOfTheirDifference()
    {
        const TextTable places =
            placesTable(compared({}, {.sequence = 256}), PlaceFilter::differing);
        qint64 before = std::numeric_limits<qint64>::max();
        for (const TextRow& row : places.rows) {
            if (row.source != TextRow::kNone) {
                QVERIFY(std::abs(bytesIn(row, kDelta)) <= before);
                before = std::abs(bytesIn(row, kDelta));
            }
        }
    }
    void repeatedBlocksAreOneRow()
    {
        const TextTable places =
            placesTable(compared({}, {.sequence = 256}), PlaceFilter::differing);
        QVERIFY(std::ranges::any_of(places.rows, [](const TextRow& row) {
            return row.cells[1].text.endsWith(QStringLiteral("× 4 blocks"))
                && row.cells[3].text.endsWith(QStringLiteral(" in 4"));
        }));
    }
    void runsAreCalledByTheirLetters()
    {
        const ComparedRuns runs = compared({}, {.sequence = 256});
        const TextTable places = placesTable(runs, PlaceFilter::differing);
        QCOMPARE(places.columns[3].title, QString(QStringLiteral("A, ") % unitOf(runs).name()));
        QCOMPARE(places.columns[4].title, QStringLiteral("C"));
        QCOMPARE(places.columns[kDelta].title, QStringLiteral("C − A"));
        QCOMPARE(settingsTable(runs).columns[2].title, QStringLiteral("C"));
        QCOMPARE(allocatorTable(runs).columns[3].title, QStringLiteral("C − A"));
        QVERIFY(runs.difference.sentences.front().text.starts_with("C peaks at "));
    }
    void differingSettingsComeFirst()
    {
        const TextTable settings =
            settingsTable(compared({}, {.sequence = 256, .more = "max_split_size_mb:64"}));
        QCOMPARE(settings.rows.front().emphasis, Emphasis::normal);
        for (std::size_t i = 0; i + 1 < settings.rows.size(); ++i) {
            QVERIFY(settings.rows[i].cells[1].text != settings.rows[i].cells[2].text);
        }
        // What is equal is one row.
        QCOMPARE(settings.rows.back().emphasis, Emphasis::secondary);
        QVERIFY(settings.rows.back().cells[0].text.contains(QStringLiteral("equal")));
        QVERIFY(settings.rows.back().cells[1].text.contains(QStringLiteral(": ")));
    }
    void bucketsAtTheCursorAddUp()
    {
        const ComparedRun a{test::decoderRun(), 0, QStringLiteral("A")};
        const ComparedRun b{test::decoderRun({.sequence = 256}), 0, QStringLiteral("B")};
        const StateId at_a = a.curves().replay().peak;
        const StateId at_b = b.curves().replay().peak;
        const TextTable table = bucketsTable(a, at_a, b, at_b, ui::OneUnit(kGiB));
        for (const std::size_t column : {1UL, 2UL, 3UL}) {
            qint64 sum = 0;
            qint64 total = 0;
            for (const TextRow& row : table.rows) {
                sum += row.bucket ? bytesIn(row, column) : 0;
                total = row.emphasis == Emphasis::strong ? bytesIn(row, column) : total;
            }
            QCOMPARE(sum, total);
        }
        const auto longest = std::ranges::max(
            table.rows, {}, [](const TextRow& row) { return std::abs(row.bar.value_or(0)); });
        QCOMPARE(std::abs(longest.bar.value()), 1.0);
    }
    void stacksLieBesideEachOtherByTheirFunctions()
    {
        const ComparedRuns runs =
            compared({}, {.sequence = 256, .folder = "/data/", .caller = "train", .line = 77});
        const TextTable stacks = stacksTable(runs, 0);
        QCOMPARE(stacks.columns[2].title, QStringLiteral("C"));
        QVERIFY(stacks.rows.size() > 2);
        // The model's line is the same function on another line; who calls it is another one.
        QCOMPARE(stacks.rows.front().emphasis, Emphasis::normal);
        const auto row_of = [&](const QString& words) {
            return std::ranges::find_if(stacks.rows, [&](const TextRow& row) {
                return row.cells[0].text.startsWith(words);
            });
        };
        QVERIFY(std::ranges::any_of(stacks.rows, [](const TextRow& row) {
            return row.cells[0].text.endsWith(QStringLiteral("  model.py"))
                && row.cells[1].text.toInt() + 67 == row.cells[2].text.toInt();
        }));
        // The program's own frames come first; those of libraries are one row until they are asked
        // for.
        const auto fold = row_of(QStringLiteral("▸ "));
        QVERIFY(fold != stacks.rows.end() && fold->source == kLibraryFrames);
        QCOMPARE(fold, std::prev(stacks.rows.end()));
        const TextTable unfolded = stacksTable(runs, 0, true);
        QVERIFY(unfolded.rows.size() > stacks.rows.size());
        const auto only_base = row_of(QStringLiteral("main"));
        QVERIFY(only_base != stacks.rows.end());
        QCOMPARE(only_base->emphasis, Emphasis::strong);
        QCOMPARE(only_base->cells[2].text, QStringLiteral("–"));
        const auto only_against = row_of(QStringLiteral("train"));
        QVERIFY(only_against != stacks.rows.end());
        QCOMPARE(only_against->cells[1].text, QStringLiteral("–"));
    }
    void theModelShowsItsTable()
    {
        RowsModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const ComparedRuns runs = compared({}, {.sequence = 256});
        model.setTable(placesTable(runs, PlaceFilter::differing));
        QVERIFY(model.rowCount() > 3);
        const QModelIndex delta = model.index(0, kDelta);
        QCOMPARE(delta.data(BytesRole).toLongLong(),
                 runs.difference.parts.places.front().delta().value);
        QCOMPARE(delta.data(Qt::ToolTipRole).toString().back(), QChar(u'B'));
        QVERIFY(model.index(0, 0).data(BucketRole).isValid());
        QCOMPARE(model.rowOf(0), 0);
        QCOMPARE(model.rowOf(TextRow::kNone - 1), -1);
        model.setTable({});
        QCOMPARE(model.rowCount(), 0);
    }
    void phasesHaveTheirLargestStates()
    {
        const ComparedRun run{test::decoderRun(), 0, QStringLiteral("A")};
        const auto forward = largestIn(run, label::Phase::forward);
        QVERIFY(forward.has_value());
        QVERIFY(run.labels().phaseAt(EventId(forward->value - 1))->phase == label::Phase::forward);
        QVERIFY(!largestIn(run, label::Phase::inference));
    }
    void bytesOfAViewHaveOneUnit()
    {
        const ui::OneUnit gib(kGiB);
        QCOMPARE(gib.text({kGiB.value / 4}), QStringLiteral("0.25 GiB"));
        QCOMPARE(gib.text({}), QStringLiteral("0"));
        QCOMPARE(gib.difference({-kGiB.value / 2}), QStringLiteral("−0.50 GiB"));
        QCOMPARE(gib.difference({1 << 20}), QStringLiteral("+1.00 MiB"));
        QCOMPARE(gib.signedNumber({1 << 20}), QStringLiteral("< +0.01"));
        QCOMPARE(gib.signedNumber({-(1 << 20)}), QStringLiteral("> −0.01"));
        QCOMPARE(ui::OneUnit(Bytes{5}).text({5}), QStringLiteral("5 B"));
        QCOMPARE(signedBytesText({-(3LL << 20)}), QStringLiteral("−3.00 MiB"));
    }
    void muchMoreIsAFactorAndSomethingNewIsNew()
    {
        QCOMPARE(changeText({100}, {137}), QStringLiteral("+37 %"));
        QCOMPARE(changeText({1000}, {958}), QStringLiteral("−4.2 %"));
        QCOMPARE(changeText({100}, {1090}), QStringLiteral("×10.9"));
        QCOMPARE(changeText({100}, {6400}), QStringLiteral("×64"));
        QCOMPARE(changeText({6400}, {100}), QStringLiteral("−98 %"));
        QCOMPARE(changeText({0}, {100}), QStringLiteral("new"));
        QCOMPARE(changeText({100}, {0}), QStringLiteral("gone"));
        QCOMPARE(changeText({100}, {100}), QStringLiteral("equal"));
        QCOMPARE(changeText({100000}, {100001}), QStringLiteral("0 %"));
        QCOMPARE(factorText(0.125), QStringLiteral("−88 %"));
        QCOMPARE(factorText(1.5), QStringLiteral("+50 %"));
    }
    void namesSayOnlyWhatTellsThemApart()
    {
        QCOMPARE(distinctNames({QStringLiteral("lm-train-ctx128-t2.11.pickle"),
                                QStringLiteral("lm-train-ctx1024-t2.11.pickle")}),
                 (QStringList{QStringLiteral("ctx128"), QStringLiteral("ctx1024")}));
        QCOMPARE(distinctNames({QStringLiteral("hf_llama.pickle.gz"),
                                QStringLiteral("hf_llama_eager.pickle.gz")}),
                 (QStringList{QStringLiteral("llama"), QStringLiteral("llama_eager")}));
        QCOMPARE(distinctNames({QStringLiteral("a.pickle")}),
                 QStringList{QStringLiteral("a.pickle")});
        QCOMPARE(distinctNames({QStringLiteral("a.pickle"), QStringLiteral("a.pickle")}),
                 (QStringList{QStringLiteral("a.pickle"), QStringLiteral("a.pickle")}));
        QCOMPARE(distinctNames({QStringLiteral("x"), QStringLiteral("x-y")}),
                 (QStringList{QStringLiteral("x"), QStringLiteral("x-y")}));
    }
};

TIDEMARK_TEST(TstComparisonTables)

} // namespace tidemark::tst_comparison_tables

#include "tst_comparison_tables.moc"
