// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/study.h"
#include "core/reader/reader.h"
#include "tests/core/allocator/recorded_run.h"
#include "tests/support/replayed.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_simulate {

using allocator::Simulation;
using allocator::Study;
using allocator::StudyOptions;

namespace {

constexpr Bytes kPlenty{std::int64_t{1} << 40};

struct Opened : test::Replayed {
    using Replayed::Replayed;

    static Opened file(const std::filesystem::path& path)
    {
        NoProgress progress;
        return Opened(reader::read(path, {}, progress, {}).value());
    }
    [[nodiscard]] Study study(const StudyOptions& options, std::size_t device = 0) const
    {
        NoProgress progress;
        return allocator::study(snapshot, device, replay.devices[device], sizes[device], options,
                                progress, {})
            .value();
    }
};

StudyOptions with(const std::string& settings, std::optional<Bytes> capacity = {})
{
    StudyOptions options;
    options.settings = allocator::parseSettings(settings).value();
    options.capacity = capacity;
    return options;
}

/// The largest sum of rounded live requests over all states, each state summed up anew.
std::int64_t slowIdeal(const Opened& opened)
{
    const replay::DeviceReplay& replay = opened.replay.devices[0];
    const replay::Allocations& a = replay.allocations;
    std::int64_t most = 0;
    for (std::uint32_t s = 0; s < replay.stateCount(); ++s) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < a.count(); ++i) {
            sum += a.isLive(AllocationId(i), {s}) ? replay::roundToBlock(a.requested[i]).value : 0;
        }
        const trace::Events& events = opened.snapshot.devices[0].events;
        const bool fails = s < events.count() && events.action[s] == trace::Action::oom;
        most = std::max(most, sum + (fails ? events.size[s].value : 0));
    }
    return most;
}

} // namespace

class TstSimulate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The recorded run of the other settings is the oracle.
    void foretellsTheRunUnderOtherSettings_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        const std::vector<const char*> all{"", "expandable_segments:True", "max_split_size_mb:20",
                                           "roundup_power2_divisions:4"};
        for (const char* from : all) {
            for (const char* to : all) {
                QTest::addRow("'%s' to '%s'", from, to)
                    << QString::fromLatin1(from) << QString::fromLatin1(to);
            }
        }
    }
    void foretellsTheRunUnderOtherSettings()
    {
        QFETCH(const QString, from);
        QFETCH(const QString, to);
        for (unsigned seed = 1; seed <= 4; ++seed) {
            const test::RecordedRun recorded(from.toStdString(), 500, seed, kPlenty);
            const test::RecordedRun other(to.toStdString(), 500, seed, kPlenty);
            const Study found = Opened(recorded.snapshot(0)).study(with(to.toStdString()));
            QCOMPARE(found.recorded.reserved_peak.value, recorded.reservedPeak());
            QCOMPARE(found.result.reserved_peak.value, other.reservedPeak());
            QVERIFY(found.result.fits() && found.result.is_complete);
            QVERIFY(!found.capacity.bytes && !found.recorded_anew);
        }
    }

    void runsOutWhereTheRecordedRunDid()
    {
        int failed = 0;
        for (unsigned seed = 1; seed <= 10; ++seed) {
            const Opened opened(test::RecordedRun("", 700, seed).snapshot(0));
            const auto& ooms = opened.replay.devices[0].ooms;
            StudyOptions options;
            options.capacity = Bytes{300 << 20};
            const Study found = opened.study(options);
            QCOMPARE(found.result.oom.has_value(), !ooms.empty());
            if (!ooms.empty()) {
                ++failed;
                QCOMPARE(found.result.oom->event, ooms.front());
                QVERIFY(found.result.oom->needed() > Bytes{300 << 20});
                QVERIFY(found.result.is_complete && found.result.passed.empty());
            }
        }
        QVERIFY(failed > 2);
    }

    void whatIsCachedIsOfTheFailureElseOfTheFullestMoment()
    {
        int failed = 0;
        for (unsigned seed = 1; seed <= 10; ++seed) {
            StudyOptions options;
            options.capacity = Bytes{300 << 20};
            options.points = 100000; // Each operation has its own.
            const Simulation found =
                Opened(test::RecordedRun("", 700, seed).snapshot(0)).study(options).result;
            Bytes wanted = found.reserved_peak;
            for (const allocator::CurvePoint& point : found.curve) {
                const Bytes cached = point.reserved - point.active;
                if (found.oom && point.state == StateId::after(found.oom->event)) {
                    wanted = cached;
                    break;
                }
                if (!found.oom && point.reserved == found.reserved_peak) {
                    wanted = std::min(wanted, cached);
                }
            }
            QCOMPARE(found.cached(), wanted);
            failed += found.oom ? 1 : 0;
        }
        QVERIFY(failed > 2);
    }

    void findsTheIdealPeak()
    {
        for (unsigned seed = 1; seed <= 5; ++seed) {
            const Opened opened(test::RecordedRun("", 300, seed).snapshot(0));
            const Study found = opened.study({});
            QCOMPARE(found.ideal.bytes.value, slowIdeal(opened));
        }
    }

    void endsWhereThereIsLessThanRecorded()
    {
        const Opened opened(test::RecordedRun("", 400, 2, kPlenty).snapshot(0));
        StudyOptions options;
        options.capacity = Bytes{60 << 20};
        options.points = 20;
        const Study found = opened.study(options);
        QVERIFY(found.exceedsIdeal());
        QVERIFY(found.result.oom.has_value() && !found.result.is_complete);
        QVERIFY(found.result.reserved_peak <= Bytes{60 << 20});
        QVERIFY(!found.result.curve.empty() && found.result.curve.size() <= 20);
        std::int64_t highest = 0;
        for (const allocator::CurvePoint& point : found.result.curve) {
            highest = std::max(highest, point.reserved.value);
            QVERIFY(point.active + point.largest_free <= point.reserved);
        }
        QCOMPARE(highest, found.result.reserved_peak.value);
    }

    void searchesInAnyOrderAlike()
    {
        const Opened opened(test::RecordedRun("", 500, 4).snapshot(200));
        StudyOptions options;
        options.searches = true;
        const Study found = opened.study(options);
        QVERIFY(found.recorded_anew.has_value());
        const auto wanted =
            allocator::candidateSettings(found.baseline.settings, found.capacity.bytes.has_value());
        QCOMPARE(found.candidates.size(), wanted.size());
        QVERIFY(std::ranges::is_sorted(found.candidates, allocator::isBetter));
        int compared = 0;
        for (const Simulation& candidate : found.candidates) {
            QVERIFY(!candidate.keeps_start); // all begin alike
            StudyOptions alone;
            alone.settings = candidate.conditions.settings;
            const Study again = opened.study(alone);
            // Alone it begins as recorded: it lays memory out alike as long as there is enough.
            if (again.result.keeps_start && alone.settings->memory_fraction < 1) {
                continue;
            }
            ++compared;
            const Simulation& same = again.result.keeps_start ? *again.recorded_anew : again.result;
            QCOMPARE(candidate.reserved_peak, same.reserved_peak);
            QCOMPARE(candidate.fits(), same.fits());
        }
        QVERIFY(compared >= 10);
    }

    void repeatsTheFailuresOfTheFiles()
    {
        int failed = 0;
        for (const auto& path : test::recordings()) {
            const Opened opened = Opened::file(path);
            for (std::size_t d = 0; d < opened.snapshot.devices.size(); ++d) {
                const auto& ooms = opened.replay.devices[d].ooms;
                if (ooms.empty()) {
                    continue;
                }
                ++failed;
                const Study found = opened.study({}, d);
                const std::string name = path.filename().string();
                QVERIFY2(found.recorded.oom.has_value(), name.c_str());
                QCOMPARE(found.recorded.oom->event, ooms.front());
                QVERIFY2(found.recorded.oom->needed() > *found.capacity.bytes, name.c_str());
                QVERIFY2(found.baseline.isTrusted(), name.c_str());
            }
        }
        QVERIFY(failed > 0);
    }

    void findsTheSettingsThatHelp()
    {
        StudyOptions options;
        options.searches = true;
        const Study helped = Opened::file(test::modelledFile("fragmentation")).study(options);
        QVERIFY(!helped.recorded.fits() && helped.candidates.front().fits());
        QCOMPARE(helped.candidates.front().conditions.settings.text,
                 std::string("expandable_segments:True"));
        QCOMPARE(helped.candidates.front().passed.size(), std::size_t{1});
        const Study helpless = Opened::file(test::modelledFile("longest_batch")).study(options);
        QVERIFY(helpless.exceedsIdeal());
        QVERIFY(std::ranges::none_of(helpless.candidates, &Simulation::fits));
    }

    void canBeCancelled()
    {
        const Opened opened(test::RecordedRun("", 50, 1).snapshot(0));
        std::stop_source source;
        source.request_stop();
        NoProgress progress;
        const auto found = allocator::study(opened.snapshot, 0, opened.replay.devices[0],
                                            opened.sizes[0], {}, progress, source.get_token());
        QCOMPARE(found.error().code, ErrorCode::cancelled);
    }
};

TIDEMARK_TEST(TstSimulate)

} // namespace tidemark::tst_simulate

#include "tst_simulate.moc"
