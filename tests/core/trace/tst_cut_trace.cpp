// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/trace/cut_trace.h"
#include "core/trace/snapshot_builder.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <utility>
#include <vector>

namespace tidemark::tst_cut_trace {

using namespace tidemark::trace;

namespace {

constexpr Address kOld = 0x1000'0000; ///< A segment made before recording.
constexpr Address kNew = 0x2000'0000; ///< One that an event makes.
constexpr Address kLost = 0x3000'0000; ///< One that a missing event makes.

/// The final state of a run whose last events are missing.
class Run {
public:
    Run()
        : m_stack(m_builder.stacks().internStack({}))
    {
    }

    void event(Action action, Address address)
    {
        EventRecord record;
        record.action = action;
        record.address = address;
        record.size = {512};
        m_builder.addEvent(0, record);
    }
    void segment(Address address, bool is_recorded, const std::vector<BlockRecord>& blocks)
    {
        SegmentRecord record;
        record.address = address;
        record.total_size = {1 << 20};
        record.stack = is_recorded ? m_stack : StackId::none();
        m_builder.addSegment(record, blocks);
    }
    [[nodiscard]] BlockRecord block(Address address, bool is_recorded) const
    {
        BlockRecord record;
        record.address = address;
        record.size = {512};
        record.requested = Bytes{500};
        record.state = BlockState::active_allocated;
        record.stack = is_recorded ? m_stack : StackId::none();
        return record;
    }
    Device device() &&
    {
        auto snapshot = std::move(m_builder).finish();
        return std::move(snapshot.value().devices.at(0));
    }

private:
    SnapshotBuilder m_builder;
    StackId m_stack;
};

std::vector<Address> activeBlocks(const Device& device)
{
    std::vector<Address> result;
    for (const Segment& segment : device.segments) {
        for (const Block& block : device.blocksOf(segment)) {
            if (block.state != BlockState::inactive) {
                result.push_back(block.address);
            }
        }
    }
    return result;
}

} // namespace

class TstCutTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatNoEventAllocatesWasAllocatedLater()
    {
        Run run;
        run.event(Action::segment_alloc, kNew);
        run.event(Action::alloc, kNew);
        run.event(Action::alloc, kNew + 512);
        run.event(Action::free_requested, kNew + 512);
        run.event(Action::free_completed, kNew + 512);
        run.segment(kOld, false, {run.block(kOld, false), run.block(kOld + 512, true)});
        run.segment(kNew, true, {run.block(kNew, true), run.block(kNew + 512, true)});
        run.segment(kLost, true, {run.block(kLost, true)});
        Device device = std::move(run).device();
        const CutTrace cut = endWithTrace(device);
        QCOMPARE(cut.blocks, std::size_t{3});
        QCOMPARE(cut.segments, std::size_t{1});
        QVERIFY(activeBlocks(device) == (std::vector<Address>{kOld, kNew}));
        QCOMPARE(device.segments.size(), std::size_t{2});
        QCOMPARE(device.blocks.size(), std::size_t{4});
    }

    void aFreeThatIsNotCompletedLeavesItsBlock()
    {
        Run run;
        run.event(Action::alloc, kOld);
        run.event(Action::free_requested, kOld);
        run.segment(kOld, false, {run.block(kOld, true)});
        Device device = std::move(run).device();
        QCOMPARE(endWithTrace(device).blocks, std::size_t{0});
    }

    void aTraceWithoutItsBeginningKeepsWhatItDoesNotTouch()
    {
        Run run;
        run.event(Action::alloc, kNew); // In a segment whose own event is lost.
        run.segment(kOld, true, {run.block(kOld, true)});
        run.segment(kNew, true, {run.block(kNew, true)});
        Device device = std::move(run).device();
        const CutTrace cut = endWithTrace(device);
        QCOMPARE(cut.blocks, std::size_t{0});
        QCOMPARE(cut.segments, std::size_t{0});
        QVERIFY(activeBlocks(device) == (std::vector<Address>{kOld, kNew}));
    }
};

TIDEMARK_TEST(TstCutTrace)

} // namespace tidemark::tst_cut_trace

#include "tst_cut_trace.moc"
