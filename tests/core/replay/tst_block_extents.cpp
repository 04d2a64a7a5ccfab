// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/block_sizes.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

namespace tidemark::tst_block_extents {

using trace::Action;

namespace {

struct Options {
    bool expandable = false;
    std::int64_t max_split = -1;
    std::uint64_t user_pool = 0;
    std::size_t cut = 0; ///< Events lost at the front.
};

/// The allocator's large and small pool, as plainly as they can be written: free pieces by address,
/// the smallest that fits, split by the rule. Writes the trace and remembers every block's size.
class Simulation {
public:
    Simulation(unsigned seed, const Options& options)
        : m_random(seed)
        , m_options(options)
    {
        for (int i = 0; i < 300; ++i) {
            if (m_live.empty() || m_random() % 5 < 3) {
                allocate();
            } else {
                auto it = std::next(m_live.begin(),
                                    static_cast<std::ptrdiff_t>(m_random() % m_live.size()));
                release(it->first);
            }
        }
    }

    /// By the number of the `alloc` in the whole trace.
    std::map<std::size_t, std::int64_t> sizes;

    [[nodiscard]] trace::Snapshot snapshot() const
    {
        trace::Snapshot result;
        trace::Device device;
        device.events = m_events;
        const auto drop = [&](auto& column) {
            column.erase(column.begin(),
                         column.begin() + static_cast<std::ptrdiff_t>(m_options.cut));
        };
        drop(device.events.action);
        drop(device.events.address);
        drop(device.events.size);
        drop(device.events.stream);
        drop(device.events.stack);
        for (const auto& [address, size] : m_segments) {
            addSegment(device, address, size);
        }
        result.settings.present = true;
        result.settings.expandable_segments = m_options.expandable;
        result.settings.max_split_size_bytes = m_options.max_split;
        result.devices.push_back(std::move(device));
        return result;
    }

private:
    struct Live {
        std::int64_t requested;
        std::int64_t size;
    };

    void addSegment(trace::Device& device, Address address, std::int64_t size) const
    {
        trace::Segment s;
        s.address = address;
        s.total_size = {size};
        s.is_small_pool = size == replay::kSmallBuffer;
        s.pool.user = m_options.user_pool;
        s.first_block = static_cast<std::uint32_t>(device.blocks.size());
        const Address end = address + static_cast<Address>(size);
        for (Address at = address; at < end;) {
            const auto live = m_live.find(at);
            const std::int64_t bytes = live == m_live.end() ? m_free.at(at) : live->second.size;
            trace::Block block;
            block.address = at;
            block.size = {bytes};
            if (live != m_live.end()) {
                block.requested = {live->second.requested};
                block.state = trace::BlockState::active_allocated;
            }
            device.blocks.push_back(block);
            ++s.block_count;
            at += static_cast<Address>(bytes);
        }
        device.segments.push_back(s);
    }

    void event(Action action, Address address, std::int64_t size)
    {
        m_events.action.push_back(action);
        m_events.address.push_back(address);
        m_events.size.push_back({size});
        m_events.stream.push_back(0);
        m_events.stack.push_back(StackId::none());
    }

    void allocate()
    {
        const bool is_small = m_random() % 3 == 0;
        const auto requested =
            static_cast<std::int64_t>(1 + m_random() % (is_small ? 1U << 20U : 12U << 20U));
        const std::int64_t size = replay::roundToBlock({requested}).value;
        const bool small_pool = size <= replay::kSmallSize;
        auto best = m_free.end();
        for (auto it = m_free.begin(); it != m_free.end(); ++it) {
            const bool fits = isSmall(it->first) == small_pool && it->second >= size;
            if (fits && (best == m_free.end() || it->second < best->second)) {
                best = it;
            }
        }
        if (best == m_free.end()) {
            const std::int64_t segment = replay::segmentSizeFor({size}).value;
            event(Action::segment_alloc, m_next, segment);
            m_segments[m_next] = segment;
            best = m_free.emplace(m_next, segment).first;
            m_next += static_cast<Address>(segment) + (m_random() % 2 == 0 ? 0U : 4096U);
        }
        const Address address = best->first;
        const std::int64_t piece = best->second;
        m_free.erase(best);
        const std::int64_t rest = piece - size;
        const bool never = m_options.max_split > 0 && size >= m_options.max_split;
        const bool split =
            small_pool || m_options.expandable ? rest >= 512 : rest > replay::kSmallSize && !never;
        const std::int64_t block = split ? size : piece;
        if (split) {
            m_free[address + static_cast<Address>(size)] = rest;
        }
        sizes[m_events.count()] = block;
        event(Action::alloc, address, requested);
        m_live[address] = {requested, block};
    }

    void release(Address address)
    {
        const Live live = m_live.at(address);
        m_live.erase(address);
        event(Action::free_requested, address, live.requested);
        event(Action::free_completed, address, live.requested);
        const Address segment = std::prev(m_segments.upper_bound(address))->first;
        const Address segment_end = segment + static_cast<Address>(m_segments.at(segment));
        auto it = m_free.emplace(address, live.size).first;
        if (it != m_free.begin()) {
            const auto before = std::prev(it);
            if (before->first >= segment
                && before->first + static_cast<Address>(before->second) == address) {
                before->second += it->second;
                m_free.erase(it);
                it = before;
            }
        }
        const Address end = it->first + static_cast<Address>(it->second);
        const auto behind = m_free.find(end);
        if (end < segment_end && behind != m_free.end()) {
            it->second += behind->second;
            m_free.erase(behind);
        }
        if (it->second == m_segments.at(segment) && m_random() % 4 == 0) {
            event(Action::segment_free, segment, it->second);
            m_free.erase(it);
            m_segments.erase(segment);
        }
    }

    [[nodiscard]] bool isSmall(Address address) const
    {
        return std::prev(m_segments.upper_bound(address))->second == replay::kSmallBuffer;
    }

    std::mt19937 m_random;
    Options m_options;
    trace::Events m_events;
    std::map<Address, std::int64_t> m_segments;
    std::map<Address, std::int64_t> m_free;
    std::map<Address, Live> m_live;
    Address m_next = 0x100000000;
};

} // namespace

class TstBlockExtents : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyBlockHasTheSizeTheAllocatorGaveIt_data()
    {
        QTest::addColumn<bool>("expandable");
        QTest::addColumn<qint64>("max_split");
        QTest::addColumn<bool>("cut");
        QTest::newRow("plain") << false << qint64{-1} << false;
        QTest::newRow("cut at the front") << false << qint64{-1} << true;
        QTest::newRow("max_split_size") << false << (qint64{8} << 20) << false;
        QTest::newRow("max_split_size, cut") << false << (qint64{8} << 20) << true;
        QTest::newRow("expandable, in old segments") << true << qint64{-1} << false;
    }
    void everyBlockHasTheSizeTheAllocatorGaveIt()
    {
        QFETCH(bool, expandable);
        QFETCH(qint64, max_split);
        QFETCH(bool, cut);
        std::size_t checked = 0;
        std::size_t open = 0;
        for (unsigned seed = 1; seed <= 60; ++seed) {
            const Options options{expandable, max_split, 0, cut ? 40 + seed * 4 : 0};
            const Simulation simulation(seed, options);
            const trace::Snapshot snapshot = simulation.snapshot();
            NoProgress progress;
            const replay::Replay r = replay::run(snapshot, progress, {}).value();
            const replay::BlockSizes sizes = replay::blockSizeBounds(snapshot, r)[0];
            QCOMPARE(sizes.contradictions, std::int64_t{0});
            const replay::Allocations& a = r.devices[0].allocations;
            for (std::size_t i = 0; i < a.count(); ++i) {
                if (a.alloc_event[i].isNone()) {
                    continue;
                }
                const std::int64_t truth =
                    simulation.sizes.at(a.alloc_event[i].index() + options.cut);
                QVERIFY2(sizes.lower[i].value <= truth && truth <= sizes.upper[i].value,
                         fmt::format("seed {} allocation {}: {} not in {} to {}", seed, i, truth,
                                     sizes.lower[i].value, sizes.upper[i].value)
                             .c_str());
                ++checked;
                open += sizes.isExact(AllocationId(i)) ? 0U : 1U;
            }
        }
        QVERIFY(checked > 3000);
        // Only where the setting may have been switched on late is anything open.
        QVERIFY2(expandable ? open < checked : open == 0,
                 fmt::format("{} of {}", open, checked).c_str());
    }

    void whatWasThereBeforeTheTraceIsBoundedByWhatCameAfter()
    {
        for (unsigned seed = 1; seed <= 60; ++seed) {
            const Simulation whole(seed, {});
            const trace::Snapshot all = whole.snapshot();
            NoProgress progress;
            const replay::Replay complete = replay::run(all, progress, {}).value();
            const Options options{false, -1, 0, 200};
            const trace::Snapshot part = Simulation(seed, options).snapshot();
            const replay::Replay r = replay::run(part, progress, {}).value();
            const replay::BlockSizes sizes = replay::blockSizeBounds(part, r)[0];
            const replay::BlockSizes truth = replay::blockSizeBounds(all, complete)[0];
            const replay::Allocations& a = r.devices[0].allocations;
            const replay::Allocations& b = complete.devices[0].allocations;
            for (std::size_t i = 0; i < a.count() && a.alloc_event[i].isNone(); ++i) {
                for (std::size_t k = 0; k < b.count(); ++k) {
                    if (b.address[k] == a.address[i] && b.isLive(AllocationId(k), StateId{200})) {
                        QVERIFY2(sizes.lower[i] <= truth.lower[k]
                                     && truth.upper[k] <= sizes.upper[i],
                                 fmt::format("seed {} allocation {}", seed, i).c_str());
                    }
                }
            }
        }
    }

    void userPoolsMayNeverSplit()
    {
        const Simulation simulation(3, {false, -1, 1, 0});
        const trace::Snapshot snapshot = simulation.snapshot();
        NoProgress progress;
        const replay::Replay r = replay::run(snapshot, progress, {}).value();
        const replay::BlockSizes sizes = replay::blockSizeBounds(snapshot, r)[0];
        const replay::Allocations& a = r.devices[0].allocations;
        bool any_open = false;
        for (std::size_t i = 0; i < a.count(); ++i) {
            const std::int64_t truth = simulation.sizes.at(a.alloc_event[i].index());
            QVERIFY(sizes.lower[i].value <= truth && truth <= sizes.upper[i].value);
            any_open = any_open || !sizes.isExact(AllocationId(i));
        }
        QVERIFY(any_open);
    }

    void powersOfTwoAreDividedAsTheSettingsSay()
    {
        trace::AllocatorSettings settings;
        settings.roundup_power2_divisions = {{"1", 4}, {"2", 0}, {"64", 8}, {"nonsense", 3}};
        const replay::Rounding rule(settings);
        QCOMPARE(rule({1200}).value, 1536); // Not above 512 times the divisions.
        QCOMPARE(rule({1200 * 1024}).value, 1280 * 1024);
        QCOMPARE(rule({1024 * 1024}).value, 1024 * 1024);
        QCOMPARE(rule({(3 << 20) + 1}).value, (3 << 20) + 512);
        QCOMPARE(rule({65 << 20}).value, 72 << 20);
        QCOMPARE(replay::Rounding::ofNpu()({512}).value, 1024);
        QCOMPARE(replay::Rounding::ofNpu()({480}).value, 512);
    }

    void theRuleIsThatOfTheFinalBlocks()
    {
        trace::Device device;
        trace::Segment s;
        s.is_small_pool = true;
        s.block_count = 2;
        device.segments.push_back(s);
        device.blocks.push_back({0, {1024}, {512}, trace::BlockState::active_allocated, {}});
        device.blocks.push_back({1024, {512}, {0}, trace::BlockState::inactive, {}});
        QVERIFY(replay::findRounding({}, device).rule == replay::Rounding::ofNpu());
        device.blocks[0].requested = {900};
        QVERIFY(replay::findRounding({}, device).rule == replay::Rounding());
        device.blocks[0].requested = {100};
        QCOMPARE(replay::findRounding({}, device).contradictions, std::int64_t{1});
    }
};

TIDEMARK_TEST(TstBlockExtents)

} // namespace tidemark::tst_block_extents

#include "tst_block_extents.moc"
