// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/memory_state.h"
#include "core/replay/replay.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_replay {

using namespace tidemark::replay;

namespace {

struct Replayed {
    trace::Snapshot snapshot;
    Replay replay;

    explicit Replayed(std::string_view script)
        : snapshot(test::snapshotFromScript(script))
    {
        NoProgress progress;
        replay = run(snapshot, progress, {}).value();
    }
    const DeviceReplay& device(std::size_t d = 0) const
    {
        return replay.devices[d];
    }
    std::vector<std::int64_t> active() const
    {
        return device().active;
    }
};

using Totals = std::vector<std::int64_t>;

} // namespace

class TstReplay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void totalsFollowAllocationsAndCompletedFrees()
    {
        const Replayed r("a +512\n b +1000\n a -\n c +300\n");
        QCOMPARE(r.active(), (Totals{0, 512, 1512, 1512, 1000, 1300}));
        QCOMPARE(r.device().peak.eventNumber(), 1);
        QCOMPARE(r.device().violations, 0);
        QVERIFY(r.device().end_matches_segments);
    }
    void thePeakIsTheFirstOfEqualOnesAndMayBeTheStart()
    {
        const Replayed r("live a 100\n live b 50\n b -\n c +50\n");
        QCOMPARE(r.device().peak.eventNumber(), -1);
    }
    void memoryFromBeforeTheTraceIsThereAtTheStart()
    {
        const Replayed r("live w 4096\n live x 100\n x -\n a +512\n");
        QCOMPARE(r.active(), (Totals{4196, 4196, 4096, 4608}));
        const Allocations& a = r.device().allocations;
        QVERIFY(a.alloc_event[0].isNone());
        QVERIFY(a.free_event[0].isNone());
        QVERIFY(!a.free_event[1].isNone());
        QVERIFY(r.device().notes.find("before-recording") != nullptr);
    }
    void anAddressHandedOutAgainIsAnotherAllocation()
    {
        const Replayed r("a +512\n a -\n b +256 at a\n b -\n");
        QCOMPARE(r.device().allocations.count(), 2UL);
        QCOMPARE(r.active(), (Totals{0, 512, 512, 0, 256, 256, 0}));
        QCOMPARE(r.device().event_allocation[0].value, 0U);
        QCOMPARE(r.device().event_allocation[5].value, 1U);
    }
    void pendingFreesCountUntilTheyComplete()
    {
        const Replayed r("a +512\n a -r\n b +8\n a -c\n");
        QCOMPARE(r.active(), (Totals{0, 512, 512, 520, 8}));
        QCOMPARE(r.device().allocations.free_requested_event[0].value, 1U);
        QCOMPARE(r.device().allocations.free_event[0].value, 3U);
    }
    void aBlockStillPendingAtTheDumpIsLive()
    {
        const Replayed r("a +512\n a -r\n");
        QCOMPARE(r.active(), (Totals{0, 512, 512}));
        QCOMPARE(r.device().violations, 0);
        QCOMPARE(r.device().allocations.free_requested_event[0].value, 1U);
    }
    void aTraceThatBeginsWithHalfAPairIsRead()
    {
        const Replayed r("live a 64\n a -c\n b +8\n");
        QCOMPARE(r.active(), (Totals{64, 0, 8}));
        QCOMPARE(r.device().violations, 0);
    }
    void completionsWithoutRequestsAreCompleteFrees()
    {
        const Replayed r("a +512\n a -c\n b +4\n b -c\n");
        QCOMPARE(r.active(), (Totals{0, 512, 0, 4, 0}));
        QCOMPARE(r.device().violations, 0);
    }
    void aLostFreeEndsWhereItsAddressIsUsedAgain()
    {
        const Replayed r("a +512\n b +100 at a\n");
        QCOMPARE(r.active(), (Totals{0, 512, 100}));
        QCOMPARE(r.device().violations, 1);
        QVERIFY(r.device().notes.find("double-alloc") != nullptr);
        QVERIFY(r.device().end_matches_segments);
    }
    void anAllocationMissingFromTheFinalBlocksEndsWithTheTrace()
    {
        const Replayed r("a +512\n b +8\n lost a\n");
        QCOMPARE(r.active(), (Totals{0, 512, 8}));
        QVERIFY(r.device().end_matches_segments);
        QCOMPARE(r.device().violations, 1);
    }
    void twoFreesWithoutAnAllocationBetweenAreNoted()
    {
        const Replayed r("live a 64\n a -\n a -\n");
        QVERIFY(r.device().notes.find("lost-alloc") != nullptr);
        QCOMPARE(r.active().back(), 0);
        QVERIFY(std::ranges::all_of(r.active(), [](std::int64_t t) { return t >= 0; }));
    }
    void everyDeviceHasItsOwnReplay()
    {
        const Replayed r("a +512\n device 1\n b +100\n b -\n");
        QCOMPARE(r.replay.devices.size(), 2UL);
        QCOMPARE(r.device(0).active, (Totals{0, 512}));
        QCOMPARE(r.device(1).active, (Totals{0, 100, 100, 0}));
    }
    void reservedFollowsSegmentsBackFromTheEnd()
    {
        const Replayed r("a +512\n segment s +20M\n segment t +2M\n segment s -\n");
        const std::int64_t base = 2 << 20;
        QCOMPARE(r.device().reserved,
                 (Totals{base, base, base + (20 << 20), base + (22 << 20), base + (2 << 20)}));
    }
    void failedRequestsAreFound()
    {
        const Replayed r("a +512\n oom 1M free=512K\n");
        QCOMPARE(r.device().ooms.size(), 1UL);
        QCOMPARE(r.snapshot.devices[0].events.deviceFree(r.device().ooms[0]).value().value,
                 512 << 10);
        QCOMPARE(r.active(), (Totals{0, 512, 512}));
    }
    void anEmptyTraceHasOneState()
    {
        const Replayed r("live w 4096\n");
        QCOMPARE(r.active(), (Totals{4096}));
        QCOMPARE(r.device().peak.eventNumber(), -1);
        QVERIFY(r.device().notes.find("no-trace") != nullptr);
    }
    void cancellingStopsTheWalk()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript("a +512\n");
        std::stop_source source;
        source.request_stop();
        NoProgress progress;
        const auto result = run(snapshot, progress, source.get_token());
        QVERIFY(!result.has_value());
        QVERIFY(result.error().code == ErrorCode::cancelled);
    }
    void liveAllocationsComeLargestFirst()
    {
        const Replayed r("a +10\n b +30\n c +20\n b -\n");
        const auto at = [&](std::uint32_t s) {
            Totals sizes;
            for (const AllocationId a : liveAt(r.device(), {s})) {
                sizes.push_back(r.device().allocations.requested[a.index()].value);
            }
            return sizes;
        };
        QCOMPARE(at(3), (Totals{30, 20, 10}));
        QCOMPARE(at(5), (Totals{20, 10}));
        QCOMPARE(at(0), (Totals{}));
    }
    void theMemoryStateShowsHolesAndTheSegmentsOfItsMoment()
    {
        const Replayed r("a +3M\n b +4M\n c +5M\n b -\n segment s +20M\n");
        const auto sizes = blockSizeBounds(r.snapshot, r.replay);
        const MemoryState end = memoryStateAt(r.device(), sizes[0], r.device().lastState());
        QCOMPARE(end.segments.size(), 2UL);
        QCOMPARE(end.blocksOf(end.segments[0]).size(), 2UL);
        QCOMPARE(end.holesOf(end.segments[0]).size(), 1UL);
        QCOMPARE(end.holes[0].size.value, 4 << 20);
        QCOMPARE(largestUsableHole(end, {2 << 20}, 0).value, 20 << 20);
        QCOMPARE(largestUsableHole(end, {2 << 20}, 9).value, 0);
        const MemoryState early = memoryStateAt(r.device(), sizes[0], {3});
        QCOMPARE(early.segments.size(), 1UL);
        QCOMPARE(early.blocksOf(early.segments[0]).size(), 3UL);
        QVERIFY(early.holes.empty());
    }
    void segmentSizesFollowTheAllocatorsRule()
    {
        QCOMPARE(roundToBlock({1}).value, 512);
        QCOMPARE(roundToBlock({513}).value, 1024);
        QCOMPARE(segmentSizeFor({512}).value, 2 << 20);
        QCOMPARE(segmentSizeFor({(1 << 20) + 512}).value, 20 << 20);
        QCOMPARE(segmentSizeFor({10 << 20}).value, 10 << 20);
        QCOMPARE(segmentSizeFor({(11 << 20) + 512}).value, 12 << 20);
    }
    void blockBoundsAreExactForFinalBlocksAndSmallOnes()
    {
        const Replayed r("a +300\n b +3000000\n c +3000000\n a -\n b -\n");
        const auto sizes = blockSizeBounds(r.snapshot, r.replay)[0];
        const Allocations& a = r.device().allocations;
        for (std::size_t i = 0; i < a.count(); ++i) {
            const std::int64_t rounded = roundToBlock(a.requested[i]).value;
            QCOMPARE(sizes.lower[i].value, rounded);
            const bool freed_large = a.requested[i].value > 1000 && !a.free_event[i].isNone();
            QCOMPARE(sizes.upper[i].value, freed_large ? rounded + (1 << 20) : rounded);
        }
        QVERIFY(!peakOfBlocks(r.device(), sizes).isExact());
    }
};

TIDEMARK_TEST(TstReplay)

} // namespace tidemark::tst_replay

#include "tst_replay.moc"
