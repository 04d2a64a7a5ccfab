// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/curves.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <numeric>
#include <random>

namespace tidemark::tst_curves {

using namespace tidemark::curves;

namespace {

std::string randomScript(unsigned seed, int events)
{
    std::mt19937 random(seed);
    std::string text;
    std::vector<int> live;
    for (int i = 0; i < events; ++i) {
        if (live.size() < 3 || random() % 3 != 0) {
            text += fmt::format("n{} +{}\n", i, 1 + random() % 100000);
            live.push_back(i);
        } else {
            const std::size_t k = random() % live.size();
            text += fmt::format("n{} -\n", live[k]);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }
    return text;
}

/// Every allocation a bucket by its number: the curves do not care where labels come from.
label::Labels arbitraryLabels(const replay::Replay& replay)
{
    label::Labels labels;
    for (const auto& d : replay.devices) {
        label::DeviceLabels l;
        for (std::size_t i = 0; i < d.allocations.count(); ++i) {
            l.bucket.push_back(label::bucketAt(i * 7 % label::kBucketCount));
        }
        labels.devices.push_back(std::move(l));
    }
    return labels;
}

} // namespace

class TstCurves : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStatesCompositionEqualsASumOverItsLiveAllocations()
    {
        for (unsigned seed = 1; seed <= 10; ++seed) {
            const trace::Snapshot snapshot = test::snapshotFromScript(randomScript(seed, 300));
            NoProgress progress;
            const auto replay =
                std::make_shared<const replay::Replay>(replay::run(snapshot, progress, {}).value());
            const label::Labels labels = arbitraryLabels(*replay);
            const Curves curves = build(replay, labels);
            const replay::DeviceReplay& r = replay->devices[0];
            for (std::size_t s = 0; s < r.stateCount(); ++s) {
                label::BucketBytes expected{};
                const StateId state{static_cast<std::uint32_t>(s)};
                for (const AllocationId a : replay::liveAt(r, state)) {
                    expected[label::indexOf(labels.devices[0].bucket[a.index()])] +=
                        r.allocations.requested[a.index()].value;
                }
                QVERIFY(curves.devices[0].at(state) == expected);
                QCOMPARE(std::accumulate(expected.begin(), expected.end(), std::int64_t(0)),
                         r.active[s]);
            }
        }
    }
    void fromAnyOtherStateTheCompositionIsTheSame()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript(randomScript(6, 300));
        NoProgress progress;
        const auto replay =
            std::make_shared<const replay::Replay>(replay::run(snapshot, progress, {}).value());
        const Curves curves = build(replay, arbitraryLabels(*replay));
        const DeviceCurves& c = curves.devices[0];
        for (std::uint32_t s = 0; s < c.stateCount(); s += 3) {
            for (std::uint32_t other = 0; other < c.stateCount(); other += 5) {
                QVERIFY(c.at({s}, {other}, c.at({other})) == c.at({s}));
            }
        }
    }
    void theLargestReservedBytesAreThoseOfAScan()
    {
        std::string script;
        for (int i = 0; i < 300; ++i) {
            script += fmt::format("segment s{} +{}M\n{}", i, 2 * (1 + i * 37 % 11),
                                  i % 4 == 3 ? fmt::format("segment s{} -\n", i - 2) : "");
        }
        const trace::Snapshot snapshot = test::snapshotFromScript(script);
        NoProgress progress;
        const auto replay =
            std::make_shared<const replay::Replay>(replay::run(snapshot, progress, {}).value());
        const Curves curves = build(replay, arbitraryLabels(*replay));
        const auto& reserved = replay->devices[0].reserved;
        QVERIFY(std::ranges::max(reserved) > std::ranges::min(reserved));
        for (std::uint32_t a = 0; a < reserved.size(); a += 7) {
            for (std::uint32_t b = a + 1; b <= reserved.size(); b += 11) {
                QCOMPARE(curves.devices[0].largestReserved({{a}, {b}}),
                         *std::max_element(reserved.begin() + a, reserved.begin() + b));
            }
        }
    }
    void theLargestStateOfARangeIsTheFirstLargestTotal()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript(randomScript(5, 400));
        NoProgress progress;
        const auto replay =
            std::make_shared<const replay::Replay>(replay::run(snapshot, progress, {}).value());
        const Curves curves = build(replay, arbitraryLabels(*replay));
        const auto& active = replay->devices[0].active;
        QCOMPARE(
            curves.devices[0].largest({{0}, {static_cast<std::uint32_t>(active.size())}}).value,
            replay->devices[0].peak.value);
        const auto scan =
            std::max_element(active.begin() + 100, active.begin() + 170) - active.begin();
        QCOMPARE(static_cast<std::ptrdiff_t>(curves.devices[0].largest({{100}, {170}}).value),
                 scan);
    }
};

TIDEMARK_TEST(TstCurves)

} // namespace tidemark::tst_curves

#include "tst_curves.moc"
