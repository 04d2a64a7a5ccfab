// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/hole_sweep.h"
#include "core/replay/memory_state.h"
#include "tests/core/replay/memory_checks.h"
#include "tests/core/replay/wild_trace.h"
#include "tests/support/random_memory.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace tidemark::tst_memory_state {

using namespace tidemark::replay;
using test::RandomMemory;
using test::ReplayedMemory;
using test::TrueMemory;

namespace {

/// One line per segment, block and hole, so that a difference can be read.
std::string textOf(const MemoryState& memory, const Allocations& a, bool with_pools)
{
    std::string text;
    for (const SegmentState& s : memory.segments) {
        text += fmt::format("{:x} +{} s{} {}{}", s.address, s.size.value, s.stream,
                            s.is_small_pool ? "small" : "large", s.is_expandable ? " exp" : "");
        text += with_pools ? fmt::format(" p{}\n", s.pool.user) : "\n";
        auto hole = memory.holesOf(s).begin();
        const auto holesBefore = [&](Address address) {
            for (; hole != memory.holesOf(s).end() && hole->address < address; ++hole) {
                text += fmt::format("  {:x} free {}\n", hole->address, hole->size.value);
            }
        };
        for (const BlockInState& b : memory.blocksOf(s)) {
            holesBefore(b.address);
            text += fmt::format("  {:x} {} of {}{}\n", b.address, b.size.value,
                                a.requested[b.allocation.index()].value,
                                b.is_pending ? " pending" : "");
        }
        holesBefore(s.address + static_cast<Address>(s.size.value));
    }
    return text;
}

/// The same from the truth. What a block takes can be told where the block sizes know it (`exact`),
/// else as far as the rounded request and the rule for rests that are not split off go.
std::string textOf(const TrueMemory& memory, const std::set<Address>& exact, bool with_pools)
{
    std::string text;
    for (const test::TrueSegment& s : test::segmentsOf(memory)) {
        text +=
            fmt::format("{:x} +{} s{} {}{}", s.address, s.piece.size.value, s.piece.stream,
                        s.piece.is_small ? "small" : "large", s.piece.is_expandable ? " exp" : "");
        text += with_pools ? fmt::format(" p{}\n", s.piece.pool.user) : "\n";
        Address at = s.address;
        const Address segment_end = s.address + static_cast<Address>(s.piece.size.value);
        auto it = memory.blocks.lower_bound(s.address);
        const auto isInside = [&] { return it != memory.blocks.end() && it->first < segment_end; };
        while (at < segment_end) {
            const Address next = isInside() ? it->first : segment_end;
            if (at < next) {
                text += fmt::format("  {:x} free {}\n", at, next - at);
                at = next;
                continue;
            }
            const TrueMemory::Block block = (it++)->second;
            const Address behind = isInside() ? it->first : segment_end;
            const auto gap = static_cast<std::int64_t>(behind - at);
            std::int64_t size = (block.requested.value + 511) / 512 * 512;
            if (exact.contains(at)) {
                size = block.size.value;
            } else if (!s.piece.is_small && !s.piece.is_expandable && gap - size <= 1 << 20) {
                size = gap;
            }
            text += fmt::format("  {:x} {} of {}{}\n", at, size, block.requested.value,
                                block.is_pending ? " pending" : "");
            at += static_cast<Address>(size);
        }
    }
    return text;
}

std::string firstDifference(const std::string& actual, const std::string& expected)
{
    const auto at =
        static_cast<std::size_t>(std::ranges::mismatch(actual, expected).in1 - actual.begin());
    const std::size_t from = at < 200 ? 0 : at - 200;
    return fmt::format("\n{}\nexpected:\n{}", actual.substr(from, 300), expected.substr(from, 300));
}

void compareWithEach(const ReplayedMemory& r, const std::vector<StateId>& states,
                     const std::vector<Fragmentation>& all)
{
    QCOMPARE(all.size(), states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        const Fragmentation one = fragmentationOf(r.at(states[i].index()));
        QCOMPARE(all[i].free.value, one.free.value);
        QCOMPARE(all[i].largest_hole.value, one.largest_hole.value);
    }
}

} // namespace

class TstMemoryState : public QObject {
    Q_OBJECT

private:
    /// Every state of a run of which the first `lost` events are missing.
    static std::string compare(const RandomMemory& run, std::size_t lost, bool has_pool_ids)
    {
        const ReplayedMemory r(run.snapshot(lost));
        const std::vector<TrueMemory>& truth = run.states();
        if (r.device().violations != 0) {
            return r.device().notes.all().back().text;
        }
        for (std::size_t s = lost; s < truth.size(); ++s) {
            const MemoryState memory = r.at(s - lost);
            std::set<Address> exact;
            for (const AllocationId a : livingAt(r.device(), memory.state)) {
                if (r.sizes[0].isExact(a)) {
                    exact.insert(r.device().allocations.address[a.index()]);
                }
            }
            const std::string actual = textOf(memory, r.device().allocations, has_pool_ids);
            const std::string expected = textOf(truth[s], exact, has_pool_ids);
            if (actual != expected) {
                return fmt::format("state {}: {}", s - lost, firstDifference(actual, expected));
            }
            const std::string sums = compareSums(memory, r.device());
            const std::string details = compareDetails(memory, r, truth[s], truth.back());
            if (!sums.empty() || !details.empty()) {
                return fmt::format("state {}: {}{}\n{}", s - lost, sums, details, actual);
            }
        }
        return {};
    }

    static std::string compareSums(const MemoryState& memory, const DeviceReplay& device)
    {
        PoolTotals sum;
        Bytes free;
        Bytes largest;
        for (const SegmentState& s : memory.segments) {
            sum.reserved += s.size;
            for (const BlockInState& b : memory.blocksOf(s)) {
                sum.active += b.size;
                sum.pending += b.is_pending ? b.size : Bytes{};
                ++sum.blocks;
            }
            for (const Hole& h : memory.holesOf(s)) {
                sum.free += h.size;
                sum.largest_hole = std::max(sum.largest_hole, h.size);
                if (!s.pool.isPrivate()) {
                    free += h.size;
                    largest = std::max(largest, h.size);
                }
            }
        }
        const PoolTotals& t = memory.total;
        if (t.reserved != sum.reserved || t.active != sum.active || t.pending != sum.pending
            || t.free != sum.free || t.largest_hole != sum.largest_hole || t.blocks != sum.blocks
            || t.segments != memory.segments.size() || t.holes != memory.holes.size()) {
            return "the totals are not the sums";
        }
        if (sum.reserved != device.reservedAt(memory.state)
            || sum.active + sum.free != sum.reserved) {
            return "reserved is not what is active or free";
        }
        PoolTotals pools;
        for (const PoolTotals& p : memory.pools) {
            pools.reserved += p.reserved;
            pools.active += p.active;
            pools.free += p.free;
            pools.segments += p.segments;
        }
        if (pools.reserved != t.reserved || pools.active != t.active || pools.free != t.free
            || pools.segments != t.segments) {
            return "the pools do not add up";
        }
        const double lost = sum.reserved == Bytes{}
            ? 0.0
            : static_cast<double>((free - largest).value) / static_cast<double>(sum.reserved.value);
        return fragmentationOf(memory).shareOf(sum.reserved) == lost ? "" : "another fragmentation";
    }

    static std::string compareDetails(const MemoryState& memory, const ReplayedMemory& r,
                                      const TrueMemory& truth, const TrueMemory& end)
    {
        for (const BlockInState& b : memory.blocks) {
            const TrueMemory::Block& real = truth.blocks.at(b.address);
            if (b.is_exact ? b.size != real.size : b.size > real.size) {
                return fmt::format("{:x} is said to take {}, but takes {}", b.address, b.size.value,
                                   real.size.value);
            }
        }
        for (const SegmentState& s : memory.segments) {
            for (const Hole& h : memory.holesOf(s)) {
                const AllocationId before = blockAround(memory, s, h, false);
                const AllocationId behind = blockAround(memory, s, h, true);
                if (h.before != before || h.behind != behind) {
                    return fmt::format("other neighbours of {:x}", h.address);
                }
            }
            const TrueMemory::Piece& real = truth.pieces.at(s.address);
            const auto last = end.pieces.find(s.address);
            const bool survives = last != end.pieces.end() && last->second.number == real.number;
            if (s.is_pool_known ? s.pool != real.pool : survives) {
                return fmt::format("another pool of {:x}", s.address);
            }
        }
        return r.device().allocations.count() < memory.blocks.size() ? "too many" : "";
    }

    static AllocationId blockAround(const MemoryState& memory, const SegmentState& s, const Hole& h,
                                    bool behind)
    {
        for (const BlockInState& b : memory.blocksOf(s)) {
            const Address from =
                behind ? h.address + static_cast<Address>(h.size.value) : b.address;
            const Address to = behind ? b.address : h.address;
            if (from + static_cast<Address>(behind ? 0 : b.size.value) == to) {
                return b.allocation;
            }
        }
        return AllocationId::none();
    }

private Q_SLOTS:
    void everyStateOfRandomRunsIsAsItWas_data()
    {
        QTest::addColumn<bool>("has_pool_ids");
        QTest::newRow("with pool ids") << true;
        QTest::newRow("without") << false;
    }
    void everyStateOfRandomRunsIsAsItWas()
    {
        QFETCH(bool, has_pool_ids);
        for (unsigned seed = 1; seed <= 60; seed += test::sample()) {
            const RandomMemory run(seed, 250, has_pool_ids);
            const std::string difference = compare(run, 0, has_pool_ids);
            QVERIFY2(difference.empty(), fmt::format("seed {}: {}", seed, difference).c_str());
        }
    }
    void whatTheRingBufferLostChangesNothingLater()
    {
        for (unsigned seed = 100; seed < 106; ++seed) {
            const RandomMemory run(seed, 200, seed % 2 == 0);
            for (std::size_t lost = 1; lost < 160; lost += 3 * test::sample()) {
                const std::string difference = compare(run, lost, seed % 2 == 0);
                QVERIFY2(difference.empty(),
                         fmt::format("seed {}, lost {}: {}", seed, lost, difference).c_str());
            }
        }
    }
    void aSweepOverManyStatesGivesWhatEachOfThemGives()
    {
        std::vector<trace::Snapshot> snapshots;
        for (unsigned seed = 0; seed < 40; ++seed) {
            const RandomMemory run(seed, 200, seed % 2 == 0);
            snapshots.push_back(run.snapshot(seed % 3 == 0 ? 0 : seed));
            snapshots.push_back(std::move(test::WildTrace(seed).snapshot));
        }
        std::mt19937 random(1);
        for (trace::Snapshot& snapshot : snapshots) {
            const ReplayedMemory r(std::move(snapshot));
            std::vector<StateId> states;
            for (std::uint32_t s = 0; s < r.device().stateCount(); ++s) {
                states.resize(states.size() + random() % 3, StateId{s});
            }
            std::ranges::shuffle(states, random);
            NoProgress progress;
            compareWithEach(
                r, states, fragmentationOver(r.device(), r.sizes[0], states, progress, {}).value());
            std::ranges::sort(states);
            states.erase(std::unique(states.begin(), states.end()), states.end());
            compareWithEach(r, states,
                            sweepHoles(r.device(), r.sizes[0], states, {progress, {}, ""}));
        }
    }
    void fragmentationOverStatesIsThatOfEach()
    {
        const RandomMemory run(7, 200, true);
        const ReplayedMemory r(run.snapshot(0));
        const std::vector<StateId> states{{0}, {50}, {50}, {120}, {200}};
        NoProgress progress;
        const auto all = fragmentationOver(r.device(), r.sizes[0], states, progress, {}).value();
        QCOMPARE(all.size(), states.size());
        for (std::size_t i = 0; i < states.size(); ++i) {
            const Fragmentation one = fragmentationOf(r.at(states[i].index()));
            QCOMPARE(all[i].free, one.free);
            QCOMPARE(all[i].largest_hole, one.largest_hole);
        }
        std::stop_source stop;
        stop.request_stop();
        const auto none =
            fragmentationOver(r.device(), r.sizes[0], states, progress, stop.get_token());
        QVERIFY(none.error().code == ErrorCode::cancelled);
    }
};

TIDEMARK_TEST(TstMemoryState)

} // namespace tidemark::tst_memory_state

#include "tst_memory_state.moc"
