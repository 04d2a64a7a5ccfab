// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/trace/lacking_segments.h"
#include "tests/core/allocator/recorded_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <map>
#include <tuple>

namespace tidemark::tst_lacking_segments {

namespace {

using Blocks = std::map<Address, std::tuple<std::int64_t, trace::BlockState>>;

/// Address, requested bytes and state of what is active.
Blocks activeBlocks(const trace::Device& device)
{
    Blocks blocks;
    for (const trace::Block& block : device.blocks) {
        if (block.state != trace::BlockState::inactive) {
            blocks[block.address] = {block.requested.value, block.state};
        }
    }
    return blocks;
}

std::map<Address, std::int64_t> segmentsOf(const trace::Device& device)
{
    std::map<Address, std::int64_t> segments;
    for (const trace::Segment& segment : device.segments) {
        segments[segment.address] = segment.total_size.value;
    }
    return segments;
}

} // namespace

class TstLackingSegments : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theEventsOfAWholeRunGiveItsEnd_data()
    {
        QTest::addColumn<QString>("settings");
        QTest::newRow("default") << "";
        QTest::newRow("expandable") << "expandable_segments:True";
        QTest::newRow("kept whole") << "max_split_size_mb:20";
    }
    void theEventsOfAWholeRunGiveItsEnd()
    {
        QFETCH(QString, settings);
        for (unsigned seed = 1; seed <= 12; ++seed) {
            const test::RecordedRun run(settings.toStdString(), 1500, seed);
            const trace::Device recorded = run.snapshot(0).devices.at(0);
            trace::Device device = recorded;
            device.segments.clear();
            device.blocks.clear();
            QVERIFY(trace::segmentsFromTrace(device));
            QVERIFY(activeBlocks(device) == activeBlocks(recorded));
            QVERIFY(segmentsOf(device) == segmentsOf(recorded));
            for (const trace::Segment& segment : device.segments) {
                Address at = segment.address; // Blocks tile it.
                for (const trace::Block& block : device.blocksOf(segment)) {
                    QCOMPARE(block.address, at);
                    at += static_cast<Address>(block.size.value);
                }
                QCOMPARE(at, segment.address + static_cast<Address>(segment.total_size.value));
            }
        }
    }
    void whatHasSegmentsOrLeavesNothingIsLeftAlone()
    {
        trace::Device device = test::RecordedRun("", 200, 3).snapshot(0).devices.at(0);
        const std::size_t segments = device.segments.size();
        QVERIFY(segments > 0 && !trace::segmentsFromTrace(device));
        QCOMPARE(device.segments.size(), segments);
        trace::Device empty;
        QVERIFY(!trace::segmentsFromTrace(empty));
    }
    void blocksOfSegmentsFromBeforeAreKnownAlone()
    {
        for (unsigned seed = 1; seed <= 12; ++seed) {
            const test::RecordedRun run("", 1500, seed);
            trace::Device device = run.snapshot(700).devices.at(0);
            const Blocks recorded = activeBlocks(device);
            device.segments.clear();
            device.blocks.clear();
            QVERIFY(trace::segmentsFromTrace(device));
            for (const auto& [address, block] : activeBlocks(device)) {
                QVERIFY(recorded.contains(address));
            }
        }
    }
};

TIDEMARK_TEST(TstLackingSegments)

} // namespace tidemark::tst_lacking_segments

#include "tst_lacking_segments.moc"
