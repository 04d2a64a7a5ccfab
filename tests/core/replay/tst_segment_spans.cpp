// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/replay/memory_checks.h"
#include "tests/support/random_memory.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <random>
#include <string>

namespace tidemark::tst_segment_spans {

using namespace tidemark::replay;
using test::faultIn;
using test::RandomMemory;
using test::ReplayedMemory;
using test::TrueMemory;
using trace::Action;

/// Traces that contradict themselves or their segments.
class TstSegmentSpans : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eventsMissingInTheMiddleLeaveAllStatesInOrder()
    {
        for (unsigned seed = 200; seed < 240; ++seed) {
            const RandomMemory run(seed, 200, false);
            std::vector<trace::EventRecord> events = run.events();
            std::mt19937 random(seed);
            for (int i = 0; i < 20; ++i) {
                events.erase(events.begin()
                             + static_cast<std::ptrdiff_t>(random() % events.size()));
            }
            const ReplayedMemory r(RandomMemory::snapshotOf(run.states().back(), events));
            QVERIFY(r.device().violations > 0);
            for (std::size_t s = 0; s <= events.size(); ++s) {
                const std::string fault = faultIn(r.at(s), r.device());
                QVERIFY2(fault.empty(),
                         fmt::format("seed {}, state {}: {}", seed, s, fault).c_str());
            }
            // The end is the file's own, whatever was lost.
            const MemoryState end = r.at(events.size());
            QCOMPARE(end.total.reserved.value, reservedOf(run.states().back()));
            QCOMPARE(end.blocks.size(), run.states().back().blocks.size());
        }
    }
    void memoryObtainedTwiceEndsWhereItIsObtainedAgain()
    {
        const std::vector<trace::EventRecord> events{
            record(Action::segment_alloc, 0x1000000, 4 << 20),
            record(Action::segment_alloc, 0x1000000, 2 << 20),
            record(Action::segment_free, 0x1000000, 2 << 20),
            record(Action::segment_alloc, 0x9000000, 2 << 20),
        };
        const ReplayedMemory r(RandomMemory::snapshotOf({}, events));
        QCOMPARE(r.device().notes.find("lost-segment-free")->count, 2);
        QCOMPARE(r.at(1).total.reserved.value, 4 << 20);
        QCOMPARE(r.at(2).total.reserved.value, 4 << 20);
        QCOMPARE(r.at(3).total.reserved.value, 2 << 20); // the upper half, until the end
        QCOMPARE(r.at(4).total.reserved.value, 0); // as the file says
    }
    void memoryGivenBackTwiceIsThereBetween()
    {
        const std::vector<trace::EventRecord> events{
            record(Action::segment_alloc, 0x1000000, 2 << 20),
            record(Action::segment_free, 0x1000000, 2 << 20),
            record(Action::segment_free, 0x1000000, 2 << 20),
        };
        const ReplayedMemory r(RandomMemory::snapshotOf({}, events));
        QCOMPARE(r.device().notes.find("lost-segment-alloc")->count, 1);
        QCOMPARE(r.at(0).total.reserved.value, 0);
        QCOMPARE(r.at(1).total.reserved.value, 2 << 20);
        QCOMPARE(r.at(2).total.reserved.value, 2 << 20);
        QCOMPARE(r.at(3).total.reserved.value, 0);
    }
    void segmentsThatOverlapAreCountedOnce()
    {
        trace::SnapshotBuilder builder;
        builder.addSegment({0, 0x1000000, {4 << 20}, 0, false, false, {}, {}}, {});
        builder.addSegment({0, 0x1200000, {4 << 20}, 0, false, false, {0, 3}, {}}, {});
        const ReplayedMemory r(std::move(builder).finish().value());
        QCOMPARE(r.device().notes.find("overlapping-segments")->count, 1);
        QCOMPARE(r.at(0).total.reserved.value, 6 << 20);
        QVERIFY(faultIn(r.at(0), r.device()).empty());
    }
    void absurdAddressesAndSizesAreSurvived()
    {
        constexpr std::int64_t kLargest = std::int64_t{1} << 46; // The reader lets no more through.
        const std::vector<trace::EventRecord> events{
            record(Action::segment_map, ~std::uint64_t{0} - 100, 4 << 20),
            record(Action::segment_unmap, ~std::uint64_t{0}, -5),
            record(Action::segment_free, 0, 0),
            record(Action::alloc, ~std::uint64_t{0} - 50, kLargest),
            record(Action::segment_unmap, 0, kLargest),
        };
        const ReplayedMemory r(RandomMemory::snapshotOf({}, events));
        for (std::size_t s = 0; s <= events.size(); ++s) {
            QVERIFY2(faultIn(r.at(s), r.device()).empty(), faultIn(r.at(s), r.device()).c_str());
        }
    }

private:
    static trace::EventRecord record(Action action, Address address, std::int64_t size)
    {
        trace::EventRecord e;
        e.action = action;
        e.address = address;
        e.size = {size};
        return e;
    }

    static std::int64_t reservedOf(const TrueMemory& memory)
    {
        std::int64_t bytes = 0;
        for (const auto& [address, piece] : memory.pieces) {
            bytes += piece.size.value;
        }
        return bytes;
    }
};

TIDEMARK_TEST(TstSegmentSpans)

} // namespace tidemark::tst_segment_spans

#include "tst_segment_spans.moc"
