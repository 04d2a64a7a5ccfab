// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "core/report/run_query.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"
#include "tests/ui/ui_test.h"
#include "ui/models/allocation_groups_model.h"
#include "ui/models/allocation_list.h"
#include "ui/models/allocations_model.h"
#include "ui/models/bucket_table_model.h"
#include "ui/models/corrections_model.h"
#include "ui/models/facts_model.h"
#include "ui/models/fixes_model.h"
#include "ui/models/frames_model.h"
#include "ui/models/largest_places.h"
#include "ui/models/one_unit.h"
#include "ui/models/preferences.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"
#include "ui/models/view_state.h"

#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace tidemark::tst_models {

using namespace tidemark::ui;
using tidemark::test::analysisOf;
using tidemark::test::diagnosedAnalysisOf;
using tidemark::test::smallRun;

namespace {

QString cell(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

constexpr auto kStrict = QAbstractItemModelTester::FailureReportingMode::QtTest;

} // namespace

class TstModels : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void allocationsAreShownInTheGivenOrder()
    {
        const auto analysis = analysisOf(smallRun());
        AllocationsModel model;
        const QAbstractItemModelTester tester(&model, kStrict);
        model.setDevice(analysis, 0);
        model.setTable(makeAllocationTable(analysis, 0));
        const auto& replay = analysis.replay->devices[0];
        auto order = replay::liveAt(replay, replay.lastState());
        model.setOrder(order);
        QCOMPARE(model.rowCount(), static_cast<int>(order.size()));
        QCOMPARE(model.index(0, 0).data(BytesRole).toLongLong(), 1200LL << 20);
        QCOMPARE(cell(model, 0, AllocationsModel::Size), QStringLiteral("1.17 GiB"));
        QVERIFY(cell(model, 0, AllocationsModel::Line).contains(QStringLiteral("model.py:10")));
        QCOMPARE(cell(model, 0, AllocationsModel::Freed), QStringLiteral("never"));
        // One unit for all: what is smaller says so.
        for (int row = 0; row < model.rowCount(); ++row) {
            const QString size = cell(model, row, AllocationsModel::Size);
            QVERIFY2(size.endsWith(QStringLiteral(" GiB")), qPrintable(size));
        }
        std::ranges::reverse(order);
        model.setOrder(order);
        QCOMPARE(model.index(0, 0).data(AllocationRole).toUInt(), order.front().value);
        QCOMPARE(model.rowOf(order.back()), static_cast<int>(order.size()) - 1);
        QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral(" B")));
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void furtherColumnsSayWhatTheTableKnows()
    {
        const auto analysis = analysisOf(smallRun());
        AllocationsModel model;
        const QAbstractItemModelTester tester(&model, kStrict);
        model.setDevice(analysis, 0);
        const auto table = makeAllocationTable(analysis, 0);
        AllocationRequest request;
        request.table = table;
        model.setOrder(listAllocations(request, {}).value().ids);
        QCOMPARE(cell(model, 0, AllocationsModel::Lifetime), QString());
        model.setTable(table);
        const AllocationId first = model.order().front();
        QCOMPARE(cell(model, 0, AllocationsModel::Lifetime),
                 text(report::lifetimeText(*table, table->lifetime(first))));
        QVERIFY(cell(model, 0, AllocationsModel::BytesLifetime).endsWith(QStringLiteral("·s")));
        for (int column = 0; column < AllocationsModel::ColumnCount; ++column) {
            QVERIFY(
                !model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
            // As the command line writes it.
            const query::ColumnInfo& info = query::infoOf(AllocationsModel::keyOf(column));
            const std::string words = report::cellText(*table, info.kind, info.cell(*table, first),
                                                       tidemark::OneUnit(table->bytes(first)));
            QVERIFY(cell(model, 0, column).endsWith(text(words)));
        }
        QVERIFY(AllocationsModel::keyOf(AllocationsModel::Module) == query::SortKey::module);
        QVERIFY(AllocationsModel::keyOf(AllocationsModel::Phase) == query::SortKey::phase);
    }

    void whateverARowShowsFindsIt()
    {
        const auto analysis = analysisOf(smallRun());
        AllocationsModel model;
        model.setDevice(analysis, 0);
        AllocationRequest request;
        request.table = makeAllocationTable(analysis, 0);
        model.setTable(request.table);
        model.setOrder(listAllocations(request, {}).value().ids);
        for (int row = 0; row < model.rowCount(); ++row) {
            for (const int column :
                 {AllocationsModel::Bucket, AllocationsModel::Operation, AllocationsModel::Line}) {
                const QString shown = cell(model, row, column);
                request.query = query::parse(utf8(shown)).value();
                const auto found = listAllocations(request, {}).value().ids;
                const AllocationId id = model.order()[static_cast<std::size_t>(row)];
                QVERIFY2(std::ranges::find(found, id) != found.end(), qPrintable(shown));
            }
        }
    }

    void groupsAreShownWithTheirSums()
    {
        const auto analysis = analysisOf(smallRun());
        AllocationRequest request;
        request.table = makeAllocationTable(analysis, 0);
        request.group_by = query::GroupBy::bucket;
        AllocationGroupsModel model;
        const QAbstractItemModelTester tester(&model, kStrict);
        auto list = listAllocations(request, {}).value();
        const std::size_t groups = list.groups.size();
        QVERIFY(list.ids.empty() && groups > 1);
        model.setGroups(request.table, query::GroupBy::bucket, std::move(list.groups));
        QCOMPARE(model.rowCount(), static_cast<int>(groups));
        QCOMPARE(cell(model, 0, AllocationGroupsModel::Size), bytesText(model.group(0).sums.bytes));
        QVERIFY(model.index(0, AllocationGroupsModel::Name).data(BucketRole).isValid());
        for (int column = 0; column < AllocationGroupsModel::ColumnCount; ++column) {
            QVERIFY(
                !model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
        }
        QVERIFY(AllocationGroupsModel::keyOf(AllocationGroupsModel::Churn)
                == query::GroupKey::churn);
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void bucketsAddUpToTheTotal()
    {
        const auto analysis = analysisOf(smallRun());
        const auto& curves = analysis.curves->devices[0];
        const auto& replay = analysis.replay->devices[0];
        BucketTableModel model;
        const QAbstractItemModelTester tester(&model, kStrict);
        model.setMoments(&curves, {{QStringLiteral("at the peak"), replay.peak}});
        qint64 sum = 0;
        for (int row = 0; row < model.rowCount(); ++row) {
            if (model.index(row, 0).data(BucketRole).isValid()) {
                sum += model.index(row, 1).data(BytesRole).toLongLong();
            } else if (cell(model, row, 0) == QStringLiteral("Total")) {
                QCOMPARE(model.index(row, 1).data(BytesRole).toLongLong(), sum);
                QCOMPARE(sum, replay.activeAt(replay.peak).value);
            }
        }
        QVERIFY(sum > 0);
        const QString before = cell(model, model.rowCount() - 4, 1);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.moveTo(StateId::start());
        QCOMPARE(changed.count(), 1);
        model.setMoments(
            &curves, {{QStringLiteral("a"), replay.peak}, {QStringLiteral("b"), StateId::start()}});
        QCOMPARE(model.columnCount(), 5);
        QCOMPARE(model.headerData(3, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("b"));
        model.setMoments(nullptr, {});
        QCOMPARE(model.rowCount(), 0);
    }

    void whatTheHostHasPinnedStandsBesideTheGpu()
    {
        trace::Snapshot snapshot = test::snapshotFromScript(
            "a +1M\nb +1M\nc +1M\ndevice 1\nsegment s +32M\nsegment t +16M\n");
        const auto& gpu = snapshot.devices[0].events;
        trace::Device& host = snapshot.devices[1];
        host.kind = trace::DeviceKind::host;
        host.events.time[0] = gpu.time[1]; // By the clock, not by the number of the event.
        host.events.time[1] = gpu.time[2];
        trace::Snapshot timeless = test::snapshotFromScript("no-times\na +1M\ndevice 1\nh +1M\n");
        timeless.devices[1].kind = trace::DeviceKind::host;
        const auto analysis = analysisOf(std::move(snapshot));
        const HostMemory pinned(analysis, 0);
        QVERIFY(pinned.isRecorded());
        const Bytes before = pinned.at(StateId(1U));
        QCOMPARE(pinned.at(StateId::start()), before);
        QCOMPARE(pinned.at(StateId(2U)), Bytes{before.value + (32 << 20)});
        QCOMPARE(pinned.at(StateId(3U)), Bytes{before.value + (48 << 20)});
        QVERIFY(!HostMemory(analysis, 1).isRecorded()); // Nothing is beside itself.
        QVERIFY(!HostMemory(analysisOf(std::move(timeless)), 0).isRecorded());
        BucketTableModel model;
        const QAbstractItemModelTester tester(&model, kStrict);
        model.setMoments(&analysis.curves->devices[0], {{QString(), StateId(1U)}}, nullptr, pinned);
        const int last = model.rowCount() - 1;
        QCOMPARE(cell(model, last, 0), QStringLiteral("Pinned on the host"));
        QCOMPARE(model.index(last, 1).data(BytesRole).toLongLong(), qint64{before.value});
        model.moveTo(StateId(3U));
        QCOMPARE(model.index(last, 1).data(BytesRole).toLongLong(), before.value + (48 << 20));
    }

    void fixesAreListedWithWhatTheyLeadTo()
    {
        const auto analysis = diagnosedAnalysisOf(smallRun());
        FixesModel model;
        const QAbstractItemModelTester tester(&model, kStrict);
        model.setDiagnosis(analysis.diagnosis, 0);
        // What does not apply stays out of the way until asked for.
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.hiddenCount(), 1);
        model.setShowAll(true);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.recommendedRow(), 0);
        QCOMPARE(cell(model, 0, FixesModel::Status), QStringLiteral("recommended"));
        QCOMPARE(cell(model, 0, FixesModel::Against), QStringLiteral("fits"));
        QCOMPARE(cell(model, 0, FixesModel::Needs),
                 columnText(analysis.diagnosis->devices[0].fixes[0].new_reserved,
                            largestOf(analysis.diagnosis->devices[0])));
        // What does not apply here shows no figures.
        QCOMPARE(cell(model, 1, FixesModel::Needs), QStringLiteral("–"));
        QCOMPARE(cell(model, 1, FixesModel::Against), QStringLiteral("–"));
        QCOMPARE(model.headerData(FixesModel::Against, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("vs. 3.00 GiB"));
        QVERIFY(model.fixAt(2) == nullptr);
        QVERIFY(model.fixAt(-1) == nullptr);
        model.setDiagnosis(nullptr, 0);
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.recommendedRow(), -1);
    }

    void aFixThatDoesNotFitSaysHowMuchIsMissing()
    {
        const auto analysis = diagnosedAnalysisOf(smallRun());
        const diagnose::DeviceDiagnosis& device = analysis.diagnosis->devices[0];
        diagnose::Fix fix = device.fixes.front();
        fix.status = diagnose::FixStatus::not_enough;
        fix.fits = false;
        fix.short_by = {512 * kMiB.value};
        QCOMPARE(againstText(fix, device), QStringLiteral("0.50 GiB short"));
        fix.status = diagnose::FixStatus::would_help;
        fix.fits.reset();
        QCOMPARE(againstText(fix, device), QStringLiteral("may not fit"));
        diagnose::DeviceDiagnosis without_capacity = device;
        without_capacity.capacity.reset();
        QCOMPARE(againstText(fix, without_capacity), QStringLiteral("–"));
        fix.fits = true;
        QCOMPARE(againstText(fix, without_capacity), QStringLiteral("fits"));
    }

    void factsNotesAndDevicesDescribeTheFile()
    {
        const auto analysis = diagnosedAnalysisOf(smallRun());
        FactsModel facts;
        const QAbstractItemModelTester facts_tester(&facts, kStrict);
        facts.setFacts(fileFacts(analysis));
        QVERIFY(facts.rowCount() > 4);
        QCOMPARE(cell(facts, 0, 2), QStringLiteral("/runs/script.pickle"));
        QCOMPARE(cell(facts, 1, 0), QString()); // A section is named once.
        DevicesModel devices;
        const QAbstractItemModelTester devices_tester(&devices, kStrict);
        devices.setAnalysis(analysis);
        QCOMPARE(devices.rowCount(), 1);
        QCOMPARE(cell(devices, 0, DevicesModel::Name), QStringLiteral("GPU 0"));
        QCOMPARE(cell(devices, 0, DevicesModel::Ooms), QStringLiteral("1"));
        QVERIFY(deviceSummary(analysis, 0).contains(QStringLiteral("OOM")));
        NotesModel notes;
        const QAbstractItemModelTester notes_tester(&notes, kStrict);
        notes.setAnalysis(analysisOf("a +512\nlost a\nb +512\n"));
        QVERIFY(notes.rowCount() > 0);
        QVERIFY(!cell(notes, 0, 2).isEmpty());
        notes.clear();
        devices.clear();
        QCOMPARE(notes.rowCount() + devices.rowCount(), 0);
    }

    void framesShowTheUsersOwnFirst()
    {
        const auto analysis = analysisOf(smallRun());
        const auto& all = analysis.replay->devices[0].allocations;
        FramesModel model;
        const QAbstractItemModelTester tester(&model, kStrict);
        const auto of_step = std::ranges::find_if(all.stack, [&](StackId stack) {
            return analysis.snapshot->stacks.frames(stack).size() == 3;
        });
        QVERIFY(of_step != all.stack.end());
        model.setStack(analysis.snapshot, *of_step);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(cell(model, 0, FramesModel::File), QStringLiteral("/home/me/train.py:20"));
        QCOMPARE(cell(model, 1, FramesModel::Function), QStringLiteral("adamw"));
        QVERIFY(model.asText().startsWith(QStringLiteral("train  /home/me/train.py:20\n")));
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void differencesCarryTheirSign()
    {
        QCOMPARE(signedColumnText(kGiB, kGiB), QStringLiteral("+1.00 GiB"));
        QCOMPARE(signedColumnText(-kGiB, kGiB), QStringLiteral("−1.00 GiB"));
        QCOMPARE(signedColumnText({-3}, kGiB), QStringLiteral("> −0.01 GiB"));
    }

    void recentFilesAreNewestFirstAndFew()
    {
        Preferences preferences;
        QSignalSpy changed(&preferences, &Preferences::recentFilesChanged);
        for (int i = 0; i < 15; ++i) {
            preferences.addRecentFile(QStringLiteral("/runs/%1.pickle").arg(i));
        }
        QCOMPARE(preferences.recentFiles().size(), Preferences::kMaxRecent);
        QCOMPARE(preferences.recentFiles().first(), QStringLiteral("/runs/14.pickle"));
        preferences.addRecentFile(QStringLiteral("/runs/10.pickle"));
        QCOMPARE(preferences.recentFiles().first(), QStringLiteral("/runs/10.pickle"));
        QCOMPARE(preferences.recentFiles().count(QStringLiteral("/runs/10.pickle")), 1);
        QCOMPARE(changed.count(), 16);
    }

    void recentFilesOfOtherWindowsAreKept()
    {
        Preferences preferences;
        preferences.setRecentFiles({QStringLiteral("/old"), QStringLiteral("/older")});
        preferences.addRecentFile(QStringLiteral("/mine"));
        QCOMPARE(preferences.recentFilesWith({QStringLiteral("/theirs"), QStringLiteral("/old")}),
                 (QStringList{QStringLiteral("/mine"), QStringLiteral("/theirs"),
                              QStringLiteral("/old")}));
    }

    void namesOfFilesMayBeAnyBytes()
    {
        for (const std::string& name :
             {std::string("/runs/a.pickle"), std::string("/Größe/模型"), std::string("\xff"),
              std::string("caf\xe9 \xf0\x9f\x8c\x8a\xf0\x9f"), std::string("\xc3"),
              std::string("a\xed\xb3\xbf"), std::string()}) {
            QCOMPARE(pathFrom(pathText(name)).native(), name);
        }
        QCOMPARE(pathText("Größe"), QStringLiteral("Größe"));
        std::mt19937 random(3); // the same every time
        for (int i = 0; i < 2000; ++i) {
            std::string name(random() % 12, ' ');
            std::ranges::generate(name, [&] { return static_cast<char>(random() % 255 + 1); });
            QCOMPARE(pathFrom(pathText(name)).native(), name);
        }
    }

    void everyLiveAllocationCountsAmongTheLargest()
    {
        std::string script = "stack f = forward /home/me/model.py:1\n";
        for (int i = 0; i < 5000; ++i) {
            script += "a" + std::to_string(i) + " +2K @f\n";
        }
        ViewState state;
        state.show(test::analysisOf(script), 0);
        LargestPlaces model;
        model.setDevice(state);
        model.moveTo(state.replay().lastState());
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0).data(CountRole).toString(), QStringLiteral("5000 × 2.00 KiB"));
        QCOMPARE(model.index(0).data(BytesRole).toLongLong(), qint64{5000} * 2048);
    }

    void theLargestPlacesHaveTheUnitOfWhatIsLive()
    {
        const auto sizes = [](const char* script) {
            ViewState state;
            state.show(test::analysisOf(std::string("stack f = forward /home/me/model.py:1\n"
                                                    "stack g = forward /home/me/model.py:2\n"
                                                    "stack h = forward /home/me/model.py:3\n")
                                        + script),
                       0);
            LargestPlaces model;
            model.setDevice(state);
            model.moveTo(state.replay().lastState());
            QStringList texts;
            for (int row = 0; row < model.rowCount(); ++row) {
                texts << model.index(row).data(SizeRole).toString();
            }
            return texts;
        };
        QCOMPARE(sizes("a1 +1200M @f\na2 +700M @g\na3 +3M @h\n"),
                 (QStringList{QStringLiteral("1.17 GiB"), QStringLiteral("0.68 GiB"),
                              QStringLiteral("< 0.01 GiB")}));
        // Many small places of much: in the unit of the largest one.
        std::string many;
        std::string stacks;
        for (int i = 0; i < 40; ++i) {
            stacks += "stack s" + std::to_string(i)
                + " = forward /home/me/model.py:" + std::to_string(i + 10) + '\n';
            many += "b" + std::to_string(i) + " +40M @s" + std::to_string(i) + '\n';
        }
        QCOMPARE(sizes((stacks + many).c_str()).front(), QStringLiteral("40.0 MiB"));
    }

    /// Beside what a walk over all of them in falling order finds.
    void placesAreThoseOfAWalkOverTheLargestFirst()
    {
        std::mt19937 random(11); // the same every time
        std::string script;
        for (int i = 0; i < 12; ++i) {
            script += "stack f" + std::to_string(i) + " = op" + std::to_string(i / 2)
                + " /home/me/model.py:" + std::to_string(1 + i % 5) + "\n";
        }
        for (int i = 0; i < 600; ++i) {
            const std::string name = "a" + std::to_string(i);
            script += name + " +" + std::to_string(1 + random() % 9) + "K";
            script += i % 4 == 0 ? "\n" : " @f" + std::to_string(random() % 12) + "\n";
            script += i % 3 == 0 ? name + " -\n" : "";
        }
        ViewState state;
        state.show(test::analysisOf(script), 0);
        LargestPlaces model;
        model.setDevice(state);
        const replay::Allocations& all = state.replay().allocations;
        const StackTexts texts(state.analysis().snapshot);
        for (std::uint32_t at = 0; at <= state.replay().lastState().value; at += 97) {
            std::vector<LargestPlaces::Place> places;
            std::map<std::tuple<QString, QString, label::Bucket, std::int64_t>, std::size_t> found;
            for (const AllocationId id : replay::liveAt(state.replay(), {at})) {
                const std::size_t i = id.index();
                const std::int64_t bytes = all.requested[i].value;
                const StackTexts::Texts& said = texts.of(all.stack[i]);
                const bool has_place = !said.line.isEmpty() || !said.operation.isEmpty();
                const auto [place, is_new] =
                    found.try_emplace(std::tuple(said.line, said.operation,
                                                 state.labels().bucket[i], has_place ? 0 : bytes),
                                      places.size());
                if (is_new) {
                    places.push_back({id, 0, bytes, bytes, 0});
                }
                places[place->second].bytes += bytes;
                places[place->second].least = bytes;
                ++places[place->second].count;
            }
            std::ranges::stable_sort(places, std::ranges::greater{}, &LargestPlaces::Place::bytes);
            model.moveTo({at});
            QCOMPARE(model.places().size(), std::min<std::size_t>(places.size(), 25));
            for (std::size_t i = 0; i < model.places().size(); ++i) {
                const LargestPlaces::Place& place = model.places()[i];
                QCOMPARE(place.largest.value, places[i].largest.value);
                QCOMPARE(place.bytes, places[i].bytes);
                QCOMPARE(place.most, places[i].most);
                QCOMPARE(place.least, places[i].least);
                QCOMPARE(place.count, places[i].count);
            }
        }
    }

    void correctionsAreListedWithWhatTheyMean()
    {
        CorrectionsModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        auto corrections = std::make_shared<label::Corrections>();
        label::Correction rule;
        rule.match.min_bytes = kMiB;
        corrections->rules = {rule, rule};
        corrections->effects = {{3, kGiB, kMiB}, {}};
        model.setCorrections(corrections);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, CorrectionsModel::AtPeak).data().toString(),
                 QStringLiteral("1.00 MiB"));
        QVERIFY(model.at(2) == nullptr);
        model.setCorrections(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void sizesOfConditionsAreReadInAnyUnit()
    {
        QCOMPARE(bytesFromText(QStringLiteral(" 512 ")).value(), Bytes{512});
        QCOMPARE(bytesFromText(QStringLiteral("1.5 MiB")).value(), Bytes{3 << 19});
        QCOMPARE(bytesFromText(QStringLiteral("2g")).value(), Bytes{std::int64_t{2} << 30});
        QCOMPARE(bytesFromText(QStringLiteral("3 B")).value(), Bytes{3});
        for (const char* words : {"", "MiB", "-1", "1,5 MiB", "1 PiB", "1e3", "99999999999 TiB"}) {
            QVERIFY2(!bytesFromText(QString::fromLatin1(words)), words);
        }
    }
};

TIDEMARK_TEST(TstModels)

} // namespace tidemark::tst_models

#include "tst_models.moc"
