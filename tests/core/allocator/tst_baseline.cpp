// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/baseline.h"
#include "core/reader/reader.h"
#include "tests/core/allocator/recorded_run.h"
#include "tests/support/replayed.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

namespace tidemark::tst_baseline {

namespace {

struct Replayed : test::Replayed {
    using test::Replayed::Replayed;

    [[nodiscard]] allocator::Baseline baseline(std::size_t device = 0) const
    {
        NoProgress progress;
        return allocator::baseline(snapshot, device, replay.devices[device], sizes[device],
                                   progress, {})
            .value();
    }
};

Replayed replayFile(const std::filesystem::path& file)
{
    NoProgress progress;
    return Replayed(reader::read(file, {}, progress, {}).value());
}

std::string describe(const allocator::Baseline& b)
{
    return fmt::format("addresses {} of {}, segments {} of {} and {} more, reserved {} of {}, "
                       "layout {}, first {}",
                       b.addresses_equal, b.addresses_checked, b.segments_equal, b.segments_checked,
                       b.surplus_segments, b.reserved_equal, b.states_checked, b.layout_equal,
                       b.first_divergence ? static_cast<std::int64_t>(b.first_divergence->value)
                                          : -1);
}

/// Made by hand, not by an allocator.
bool followsOtherRules(const std::filesystem::path& file)
{
    return file.filename() == "handmade-sample.pickle";
}

} // namespace

class TstBaseline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void repeatsARandomRun_data()
    {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<bool>("exact");
        QTest::newRow("defaults") << "" << true;
        QTest::newRow("expandable") << "expandable_segments:True" << true;
        QTest::newRow("max_split") << "max_split_size_mb:20" << true;
        QTest::newRow("rounding") << "roundup_power2_divisions:4" << true;
    }
    void repeatsARandomRun()
    {
        QFETCH(const QString, settings);
        for (unsigned seed = 1; seed <= 10; ++seed) {
            const test::RecordedRun run(settings.toStdString(), 600, seed);
            const Replayed replayed(run.snapshot(0));
            const allocator::Baseline found = replayed.baseline();
            QVERIFY2(found.agrees(), fmt::format("seed {}: {}", seed, describe(found)).c_str());
            QVERIFY(!found.first_divergence && found.sizes.has_value());
            QVERIFY(found.addresses_checked > 100);
            const replay::Allocations& a = replayed.replay.devices[0].allocations;
            for (std::size_t i = 0; i < a.count(); ++i) {
                QCOMPARE(found.sizes->lower[i].value, run.sizeOf(a.alloc_event[i]));
                QVERIFY(found.sizes->isExact(AllocationId(i)));
            }
        }
    }

    void findsTheOrderOfEqualBlocks_data()
    {
        QTest::addColumn<int>("order");
        QTest::newRow("by segment") << static_cast<int>(allocator::TieOrder::segment_age);
        QTest::newRow("by block") << static_cast<int>(allocator::TieOrder::block_age);
    }
    /// Where addresses descend the oldest of equal blocks is not the lowest.
    void findsTheOrderOfEqualBlocks()
    {
        QFETCH(const int, order);
        const auto expected = static_cast<allocator::TieOrder>(order);
        int told = 0;
        for (unsigned seed = 1; seed <= 10; ++seed) {
            const test::RecordedRun run("", 600, seed, {300 << 20}, expected);
            const allocator::Baseline found = Replayed(run.snapshot(0)).baseline();
            QVERIFY2(found.agrees(), fmt::format("seed {}: {}", seed, describe(found)).c_str());
            told += found.settings.tie_order == expected ? 1 : 0;
        }
        QVERIFY(told > 0);
    }

    /// With all that lies before it lost, the layout at the start is rebuilt from what follows.
    /// Where a block ends that kept a rest, and has free memory behind it, nothing shows.
    void repeatsTheRestOfARun()
    {
        std::int64_t checked = 0;
        std::int64_t equal = 0;
        for (unsigned seed = 1; seed <= 10; ++seed) {
            const test::RecordedRun run("", 800, seed);
            const allocator::Baseline found = Replayed(run.snapshot(500)).baseline();
            checked += found.addresses_checked;
            equal += found.addresses_equal;
        }
        QVERIFY(checked > 500);
        QVERIFY2(equal * 10 >= checked * 9, fmt::format("{} of {}", equal, checked).c_str());
    }

    void findsTheFirstDivergence()
    {
        const test::RecordedRun run("", 600, 3);
        trace::Snapshot snapshot = run.snapshot(0);
        trace::Events& events = snapshot.devices[0].events;
        // A request that is smaller in the file than it was: its block is cut off too early.
        std::size_t changed = 0;
        for (std::size_t i = 300; changed == 0; ++i) {
            if (events.action[i] == trace::Action::alloc && events.size[i].value > 4096) {
                changed = i;
            }
        }
        const std::int64_t real = events.size[changed].value;
        for (std::size_t i = changed; i < events.count(); ++i) {
            const bool is_of_it =
                events.address[i] == events.address[changed] && events.size[i].value == real;
            events.size[i] = is_of_it ? Bytes{512} : events.size[i];
        }
        const allocator::Baseline found = Replayed(std::move(snapshot)).baseline();
        QVERIFY(!found.agrees());
        QVERIFY(found.first_divergence.has_value());
        QVERIFY(found.first_divergence->index() >= changed);
        QVERIFY(!found.sizes.has_value());
    }

    void repeatsEveryFile()
    {
        int traces = 0;
        for (const auto& file : test::recordings()) {
            if (test::isOfPrivateBuild(file)) {
                continue;
            }
            const Replayed replayed = replayFile(file);
            if (followsOtherRules(file)) {
                const allocator::Baseline found = replayed.baseline();
                QVERIFY(!found.agrees() && found.first_divergence.has_value());
                continue;
            }
            for (std::size_t d = 0; d < replayed.snapshot.devices.size(); ++d) {
                const allocator::Baseline found = replayed.baseline(d);
                const std::string text =
                    fmt::format("{}, device {}: {}", file.filename().string(), d, describe(found));
                QVERIFY2(found.agrees() && !found.first_divergence, text.c_str());
                traces += found.addresses_checked > 0 ? 1 : 0;
            }
        }
        QVERIFY(traces > 0);
    }

    void canBeCancelled()
    {
        const Replayed replayed(test::RecordedRun("", 50, 1).snapshot(0));
        std::stop_source source;
        source.request_stop();
        NoProgress progress;
        const auto found = allocator::baseline(replayed.snapshot, 0, replayed.replay.devices[0],
                                               replayed.sizes[0], progress, source.get_token());
        QCOMPARE(found.error().code, ErrorCode::cancelled);
    }
};

TIDEMARK_TEST(TstBaseline)

} // namespace tidemark::tst_baseline

#include "tst_baseline.moc"
