// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/irregularities.h"
#include "core/trace/snapshot_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

namespace tidemark::tst_irregularities {

using trace::Action;

namespace {

replay::Replay replayOf(const trace::Snapshot& snapshot)
{
    NoProgress progress;
    return replay::run(snapshot, progress, {}).value();
}

/// Count of a note of the first device, 0 for none.
std::int64_t noted(const trace::Snapshot& snapshot, std::string_view code)
{
    const replay::Replay r = replayOf(snapshot);
    const trace::InputNote* const note = r.devices[0].notes.find(code);
    return note == nullptr ? 0 : note->count;
}

struct OneEvent {
    Action action;
    Address address;
    std::int64_t size;
    std::uint64_t graph = 0;
    std::string_view tag = {};
    std::int64_t time = 0;
};

trace::Snapshot snapshotOf(const std::vector<OneEvent>& events, std::int32_t device = 0)
{
    trace::SnapshotBuilder builder;
    for (const OneEvent& one : events) {
        trace::EventRecord event;
        event.action = one.action;
        event.address = one.address;
        event.size = {one.size};
        if (one.graph != 0) {
            event.pool = trace::PoolId{one.graph, 0};
        }
        if (!one.tag.empty()) {
            event.internal_metadata = builder.strings().intern(one.tag);
        }
        builder.addEvent(device, event);
    }
    return std::move(builder).finish().value();
}

} // namespace

class TstIrregularities : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anOrdinaryTraceHasNone()
    {
        const replay::Replay r =
            replayOf(test::snapshotFromScript("live w 4096\na +512\nb +8\na -\n"));
        for (const trace::InputNote& note : r.devices[0].notes.all()) {
            QCOMPARE(QByteArray(note.code.c_str()), QByteArray("before-recording"));
        }
    }
    void aFreeThatBeganBeforeTheTraceIsHalfAPair()
    {
        QCOMPARE(noted(test::snapshotFromScript("live w 4096\nlive v 8\nw -c\nv -\n"), "half-pair"),
                 1);
        // Writers without requests have no pairs.
        QCOMPARE(noted(test::snapshotFromScript("live w 4096\nw -c\n"), "half-pair"), 0);
    }
    void freesThatWaitAreCounted()
    {
        QCOMPARE(
            noted(test::snapshotFromScript("a +512\na -r\nb +512\na -c\nb -\n"), "pending-frees"),
            1);
        QCOMPARE(noted(test::snapshotFromScript("a +512\na -\n"), "pending-frees"), 0);
    }
    void kindsOfEventsThatAreMissingAreNamed()
    {
        const trace::Snapshot no_frees =
            snapshotOf({{Action::alloc, 64, 8}, {Action::alloc, 128, 8}, {Action::alloc, 64, 8}});
        QCOMPARE(noted(no_frees, "skipped-frees"), 1);
        QCOMPARE(noted(no_frees, "skipped-segments"), 1);
        std::vector<OneEvent> frees{{Action::segment_alloc, 0, 1024}};
        for (Address address = 64; frees.size() < 40; address += 64) {
            frees.push_back({Action::free_requested, address, 8});
            frees.push_back({Action::free_completed, address, 8});
        }
        const trace::Snapshot no_allocs = snapshotOf(frees);
        QCOMPARE(noted(no_allocs, "skipped-allocs"), 1);
        QCOMPARE(noted(no_allocs, "skipped-frees"), 0);
        QCOMPARE(noted(no_allocs, "skipped-segments"), 0);
    }
    void madeUpPairsAreNoMemory()
    {
        const trace::Snapshot snapshot =
            snapshotOf({{Action::segment_alloc, 0, 4096},
                        {Action::alloc, 0, 1024, 0, "mallocWithAddress"},
                        {Action::alloc, 1024, 512},
                        {Action::free_requested, 0, 1024, 0, "mallocWithAddress"},
                        {Action::free_completed, 0, 1024, 0, "mallocWithAddress"},
                        {Action::free_requested, 1024, 512},
                        {Action::free_completed, 1024, 512},
                        {Action::segment_free, 0, 4096}});
        QCOMPARE(noted(snapshot, "prefix-pairs"), 3);
        const replay::Replay r = replayOf(snapshot);
        QCOMPARE(r.devices[0].active,
                 (std::vector<std::int64_t>{0, 0, 0, 512, 512, 512, 512, 0, 0}));
        QCOMPARE(r.devices[0].violations, 0);
        QCOMPARE(r.devices[0].allocations.count(), std::size_t{1});
    }
    void theStartFollowsFromTheEndPerPool()
    {
        const auto books = [](std::uint64_t freed_in) {
            return snapshotOf({{Action::segment_alloc, 0, 4096, 7},
                               {Action::alloc, 0, 512, 7},
                               {Action::free_requested, 0, 512, freed_in},
                               {Action::free_completed, 0, 512, freed_in},
                               {Action::segment_free, 0, 4096, 7}});
        };
        QCOMPARE(noted(books(7), "closed-form"), 0);
        QCOMPARE(noted(books(0), "closed-form"), 1);
    }
    void aRestoredGraphPoolIsRecognisedByItsRoundedSizes()
    {
        const auto twice = [](std::int64_t second, std::uint64_t graph) {
            return snapshotOf({{Action::segment_alloc, 0, 4096, graph},
                               {Action::alloc, 0, 1000, graph},
                               {Action::free_requested, 0, 1000, graph},
                               {Action::free_completed, 0, 1000, graph},
                               {Action::alloc, 0, second, graph},
                               {Action::free_requested, 0, second, graph},
                               {Action::free_completed, 0, second, graph}});
        };
        QCOMPARE(noted(twice(1024, 7), "graph-checkpoint"), 1);
        QCOMPARE(noted(twice(1000, 7), "graph-checkpoint"), 0);
        QCOMPARE(noted(twice(1024, 0), "graph-checkpoint"), 0);
    }
    void segmentsOfAPoolThatIsNotKnownAreSaid()
    {
        trace::SnapshotBuilder builder;
        trace::EventRecord event;
        event.action = Action::segment_free;
        event.address = 1U << 30U;
        event.size = {2 << 20};
        builder.addEvent(0, event);
        trace::SegmentRecord segment;
        segment.total_size = {1024};
        segment.pool = {0, 3};
        trace::BlockRecord block;
        block.size = {1024};
        builder.addSegment(segment, std::span(&block, 1));
        QCOMPARE(noted(std::move(builder).finish().value(), "pools-unknown"), 1);
    }
    void devicesThatRememberDifferentStretchesAreSaid()
    {
        const auto two = [](std::int64_t start, Action first = Action::free_completed) {
            trace::SnapshotBuilder builder;
            for (const std::int32_t device : {0, 1}) {
                for (std::int64_t i = 0; i < 10; ++i) {
                    trace::EventRecord event;
                    event.action = i == 0 ? first : Action::alloc;
                    event.address = static_cast<Address>(64 * i);
                    event.size = {8};
                    event.time = TimePoint(Duration(1000 + (device == 1 ? start : 0) + 100 * i));
                    builder.addEvent(device, event);
                }
            }
            return std::move(builder).finish().value();
        };
        QCOMPARE(noted(two(0), "coverage-differs"), 0);
        QCOMPARE(noted(two(50), "coverage-differs"), 0);
        QCOMPARE(noted(two(600), "coverage-differs"), 1);
        // Nothing lived there before: it was idle.
        QCOMPARE(noted(two(600, Action::alloc), "coverage-differs"), 0);
    }
};

TIDEMARK_TEST(TstIrregularities)

} // namespace tidemark::tst_irregularities

#include "tst_irregularities.moc"
