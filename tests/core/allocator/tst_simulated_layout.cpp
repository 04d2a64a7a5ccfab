// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/simulated_layout.h"
#include "core/replay/memory_state.h"
#include "tests/core/allocator/recorded_run.h"
#include "tests/support/replayed.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <vector>

namespace tidemark::tst_simulated_layout {

using allocator::SimulatedLayout;

namespace {

constexpr Bytes kPlenty{std::int64_t{1} << 40};
constexpr int kOperations = 400;

struct Opened : test::Replayed {
    explicit Opened(const test::RecordedRun& run, std::size_t lost = 0)
        : Replayed(run.snapshot(lost))
    {
    }
    [[nodiscard]] replay::MemoryState at(StateId state) const
    {
        return replay::memoryStateAt(replay.devices[0], sizes[0], state);
    }
    /// The states right after each `alloc`.
    [[nodiscard]] std::vector<StateId> allocated() const
    {
        std::vector<StateId> states;
        const auto& actions = snapshot.devices[0].events.action;
        for (std::size_t i = 0; i < actions.size(); ++i) {
            if (actions[i] == trace::Action::alloc) {
                states.push_back(StateId::after(EventId(i)));
            }
        }
        return states;
    }
    [[nodiscard]] SimulatedLayout layOut(const std::string& settings,
                                         std::optional<Bytes> capacity = {}) const
    {
        const trace::Device& device = snapshot.devices[0];
        const allocator::Trace trace(snapshot, device, replay.devices[0], sizes[0],
                                     allocator::recordedSettings(snapshot.settings, device));
        NoProgress progress;
        const std::stop_token stop;
        return allocator::simulateLayout(
                   trace, {allocator::parseSettings(settings).value(), capacity, false, 0},
                   {progress, stop, "simulating", 0, 1})
            .value();
    }
};

std::vector<std::int64_t> segmentSizes(const replay::MemoryState& memory)
{
    std::vector<std::int64_t> sizes;
    for (const replay::SegmentState& s : memory.segments) {
        sizes.push_back(s.size.value);
    }
    std::ranges::sort(sizes);
    return sizes;
}

std::vector<std::int64_t> holeSizes(const replay::MemoryState& memory)
{
    std::vector<std::int64_t> sizes;
    for (const replay::Hole& hole : memory.holes) {
        sizes.push_back(hole.size.value);
    }
    std::ranges::sort(sizes);
    return sizes;
}

} // namespace

class TstSimulatedLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isThatOfARunUnderTheseSettings_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        const char* settings[] = {"", "expandable_segments:True", "max_split_size_mb:25"};
        for (const char* from : settings) {
            for (const char* to : settings) {
                QTest::addRow("%s to %s", from, to)
                    << QString::fromLatin1(from) << QString::fromLatin1(to);
            }
        }
    }
    /// A run recorded under the other settings is the oracle: it asks for the same.
    void isThatOfARunUnderTheseSettings()
    {
        QFETCH(const QString, from);
        QFETCH(const QString, to);
        const Opened opened(test::RecordedRun(from.toStdString(), kOperations, 5, kPlenty));
        const Opened other(test::RecordedRun(to.toStdString(), kOperations, 5, kPlenty));
        const SimulatedLayout layout = opened.layOut(to.toStdString());
        QVERIFY(layout.known_until == opened.replay.devices[0].lastState());
        const auto states = opened.allocated();
        const auto others = other.allocated();
        QCOMPARE(states.size(), others.size());
        std::size_t holes = 0;
        for (std::size_t k = 0; k < states.size(); ++k) {
            const auto memory = replay::memoryStateAt(*layout.replay, *layout.sizes, states[k]);
            const auto expected = other.at(others[k]);
            QVERIFY(memory.outside.empty());
            QCOMPARE(memory.clipped, 0U);
            QCOMPARE(segmentSizes(memory), segmentSizes(expected));
            QCOMPARE(holeSizes(memory), holeSizes(expected));
            QCOMPARE(memory.total.active, expected.total.active);
            QCOMPARE(layout.replay->reservedAt(states[k]), memory.total.reserved);
            holes += memory.holes.size();
        }
        QVERIFY(holes > states.size());
    }
    /// Under the recorded settings what lay there at the start stays where it was.
    void beginsWhereTheTraceDoes()
    {
        const Opened opened(test::RecordedRun("", kOperations, 3, kPlenty), 300);
        const SimulatedLayout layout = opened.layOut("");
        QVERIFY(layout.simulation.keeps_start);
        const auto memory = replay::memoryStateAt(*layout.replay, *layout.sizes, StateId::start());
        const auto expected = opened.at(StateId::start());
        QCOMPARE(memory.segments.size(), expected.segments.size());
        QVERIFY(!memory.blocks.empty());
        QCOMPARE(memory.blocks.size(), expected.blocks.size());
        for (std::size_t i = 0; i < memory.blocks.size(); ++i) {
            QCOMPARE(memory.blocks[i].address, expected.blocks[i].address);
            QVERIFY(memory.blocks[i].allocation == expected.blocks[i].allocation);
        }
    }
    void endsWhereItRunsOut()
    {
        const Opened opened(test::RecordedRun("", kOperations, 2, kPlenty));
        const SimulatedLayout layout = opened.layOut("", Bytes{60 << 20});
        QVERIFY(!layout.simulation.is_complete);
        const EventId failed = layout.simulation.oom->event;
        QVERIFY(layout.known_until == StateId::before(failed));
        const auto memory =
            replay::memoryStateAt(*layout.replay, *layout.sizes, layout.known_until);
        QVERIFY(memory.outside.empty() && memory.clipped == 0);
        QCOMPARE(layout.replay->reservedAt(layout.known_until), memory.total.reserved);
        QVERIFY(memory.total.reserved <= Bytes{60 << 20});
        QCOMPARE(layout.replay->reservedAt(opened.replay.devices[0].lastState()), Bytes{});
    }
};

TIDEMARK_TEST(TstSimulatedLayout)

} // namespace tidemark::tst_simulated_layout

#include "tst_simulated_layout.moc"
