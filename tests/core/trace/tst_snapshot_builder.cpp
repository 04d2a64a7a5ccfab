// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/trace/snapshot_builder.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <limits>

namespace tidemark::tst_snapshot_builder {

using namespace tidemark::trace;

namespace {

EventRecord allocAt(Address address, std::int64_t size)
{
    EventRecord e;
    e.action = Action::alloc;
    e.address = address;
    e.size = {size};
    return e;
}

} // namespace

class TstSnapshotBuilder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void emptyTracesAreListedAndHostMemoryComesLast()
    {
        SnapshotBuilder b;
        b.ensureDevice(0);
        b.ensureDevice(1);
        b.ensureDevice(SnapshotBuilder::kHostDevice, DeviceKind::host);
        b.addEvent(SnapshotBuilder::kHostDevice, allocAt(64, 512));
        const Snapshot s = std::move(b).finish().value();
        QCOMPARE(s.devices.size(), 3UL);
        QCOMPARE(s.devices[0].index, 0);
        QCOMPARE(s.devices[1].index, 1);
        QVERIFY(s.devices[2].kind == DeviceKind::host);
    }
    void anEmptyHostTraceIsLeftOut()
    {
        SnapshotBuilder b;
        b.ensureDevice(0);
        b.ensureDevice(SnapshotBuilder::kHostDevice, DeviceKind::host);
        QCOMPARE(std::move(b).finish().value().devices.size(), 1UL);
    }
    void segmentsAreSortedWithTheirBlocks()
    {
        SnapshotBuilder b;
        const BlockRecord high{0x2000, {512}, Bytes{500}, {}, BlockState::active_allocated, {}};
        const BlockRecord low{0x1000, {1024}, Bytes{900}, {}, BlockState::active_allocated, {}};
        b.addSegment({0, 0x2000, {512}, 0, true, false, {}, {}}, std::span(&high, 1));
        b.addSegment({0, 0x1000, {1024}, 0, true, false, {}, {}}, std::span(&low, 1));
        const Snapshot s = std::move(b).finish().value();
        const Device& d = s.devices.at(0);
        QCOMPARE(d.segments[0].address, Address(0x1000));
        QCOMPARE(d.blocksOf(d.segments[0])[0].requested.value, 900);
        QCOMPARE(d.blocksOf(d.segments[1])[0].requested.value, 500);
    }
    void oldFormatsGetAddressesAndRequestedSizesFilledIn()
    {
        SnapshotBuilder b;
        const std::vector<BlockRecord> blocks{
            {{}, {512}, {}, Bytes{100}, BlockState::active_allocated, {}},
            {{}, {1024}, {}, {}, BlockState::active_allocated, {}},
            {{}, {512}, Bytes{9999}, {}, BlockState::inactive, {}},
        };
        b.addSegment({0, 0x1000, {2048}, 0, true, false, {}, {}}, blocks);
        const Snapshot s = std::move(b).finish().value();
        const auto found = s.devices[0].blocksOf(s.devices[0].segments[0]);
        QCOMPARE(found[0].requested.value, 100); // The newest history entry.
        QCOMPARE(found[1].address, Address(0x1000 + 512));
        QCOMPARE(found[1].requested.value, 1024); // The block itself.
        QCOMPARE(found[2].requested.value, 0); // Stale in free blocks.
        QVERIFY(s.notes.find("segment-size-mismatch") == nullptr);
    }
    void blocksThatDoNotAddUpAreNoted()
    {
        SnapshotBuilder b;
        const BlockRecord block{0x1000, {512}, Bytes{1}, {}, BlockState::active_allocated, {}};
        b.addSegment({0, 0x1000, {2048}, 0, true, false, {}, {}}, std::span(&block, 1));
        const Snapshot s = std::move(b).finish().value();
        QVERIFY(s.notes.find("segment-size-mismatch") != nullptr);
    }
    void rareColumnsExistOnlyWhereAnEntryHasThem()
    {
        SnapshotBuilder b;
        b.addEvent(0, allocAt(1, 512));
        EventRecord e = allocAt(2, 512);
        e.pool = PoolId{0, 7};
        b.addEvent(0, e);
        b.addEvent(0, allocAt(3, 512));
        const Snapshot s = std::move(b).finish().value();
        const Events& events = s.devices[0].events;
        QCOMPARE(events.pool.size(), 3UL);
        QVERIFY(!events.pool[0].isPrivate());
        QVERIFY(events.pool[1].isPrivate());
        QVERIFY(!events.pool[2].isPrivate());
        QVERIFY(events.category.empty());
        QVERIFY(!events.hasTimes());
        QVERIFY(s.notes.find("no-times") != nullptr);
    }
    void columnsStayTogetherWhereverEventsOfSeveralDevicesComeFrom_data()
    {
        QTest::addColumn<double>(
            "pace"); // Of the share of the input that is told, to the true one.
        QTest::newRow("nothing is told of the rest") << 0.0;
        QTest::newRow("as it is") << 1.0;
        QTest::newRow("far more is expected") << 1e-6;
        QTest::newRow("the end is expected early") << 3.0;
    }
    void columnsStayTogetherWhereverEventsOfSeveralDevicesComeFrom()
    {
        QFETCH(double, pace);
        // Guesses far below, above and without any; rare columns that begin at any place.
        constexpr std::uint64_t kEvents = 9000;
        SnapshotBuilder b;
        b.reserveEvents(0, 10);
        b.reserveEvents(1, std::size_t{1} << 22);
        b.reserveEvents(2, std::numeric_limits<std::size_t>::max());
        for (std::uint64_t i = 0; i < kEvents; ++i) {
            b.expectRest(std::min(1.0, pace * static_cast<double>(i) / kEvents));
            for (int device = 0; device < 3; ++device) {
                EventRecord e = allocAt(i * 8 + static_cast<Address>(device), 1);
                e.size = {static_cast<std::int64_t>(i)};
                e.stream = i + 1;
                e.stack = StackId(i);
                e.time = TimePoint(Duration(static_cast<std::int64_t>(i)));
                if (device == 2 && i > 4000 && i % 3 == 0) {
                    e.pool = PoolId{i, 0};
                    e.user_metadata = StringId(i);
                }
                b.addEvent(device, e);
            }
        }
        const Snapshot s = std::move(b).finish().value();
        for (std::uint64_t d = 0; d < 3; ++d) {
            const Events& e = s.devices[d].events;
            QCOMPARE(e.count(), kEvents);
            QVERIFY(pace != 1 || d != 0 || e.action.capacity() < kEvents * 6 / 5);
            QCOMPARE(e.pool.size(), d == 2 ? kEvents : 0);
            QCOMPARE(e.user_metadata.size(), e.pool.size());
            for (std::uint64_t i = 0; i < kEvents; ++i) {
                QVERIFY(e.action[i] == Action::alloc);
                QCOMPARE(e.address[i], i * 8 + d);
                QCOMPARE(e.size[i].value, static_cast<std::int64_t>(i));
                QCOMPARE(e.stream[i], i + 1);
                QCOMPARE(e.stack[i].value, i);
                QCOMPARE(microseconds(e.time[i]), static_cast<std::int64_t>(i));
                if (d == 2) {
                    const bool has = i > 4000 && i % 3 == 0;
                    QCOMPARE(e.pool[i].graph, has ? i : 0);
                    QCOMPARE(e.user_metadata[i].isNone(), !has);
                }
            }
        }
    }
    void timesThatRunBackwardsAreNotedAndKept()
    {
        SnapshotBuilder b;
        for (const std::int64_t t : {10, 30, 20}) {
            EventRecord e = allocAt(static_cast<Address>(t), 512);
            e.time = TimePoint(Duration(t));
            b.addEvent(0, e);
        }
        const Snapshot s = std::move(b).finish().value();
        QCOMPARE(s.notes.find("times-backwards")->count, 1);
        QCOMPARE(microseconds(s.devices[0].events.time[2]), 20);
    }
    void notesOfOneCodeAreCountedAndKeepTheFirstText()
    {
        InputNotes notes;
        notes.add("a", "first");
        notes.add("a", "second", 4);
        QCOMPARE(notes.find("a")->count, 5);
        QCOMPARE(notes.find("a")->text, std::string("first"));
        InputNotes more;
        more.merge(notes);
        more.merge(notes);
        QCOMPARE(more.find("a")->count, 10);
    }
    void unknownActionsKeepTheirNames()
    {
        QVERIFY(actionFromName("segment_map") == Action::segment_map);
        QVERIFY(actionFromName("workspace_snapshot") == Action::other);
        SnapshotBuilder b;
        EventRecord e;
        e.action_name = b.strings().intern("workspace_snapshot");
        b.addEvent(0, e);
        const Snapshot s = std::move(b).finish().value();
        QCOMPARE(s.text(s.devices[0].events.other_names.at(0).second),
                 std::string_view("workspace_snapshot"));
    }
};

TIDEMARK_TEST(TstSnapshotBuilder)

} // namespace tidemark::tst_snapshot_builder

#include "tst_snapshot_builder.moc"
