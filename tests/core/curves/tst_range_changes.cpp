// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/range_changes.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <map>
#include <random>

namespace tidemark::tst_range_changes {

using curves::Flow;

namespace {

/// Allocations from three lines, some older than the trace, some never freed.
trace::Snapshot randomSnapshot(unsigned seed)
{
    std::mt19937 random(seed);
    std::string script = "stack s0 = a /m.py:1\nstack s1 = b /m.py:2\nstack s2 = c /m.py:3\n"
                         "live old 5000 @s1\n";
    std::vector<int> live;
    for (int i = 0; i < 80; ++i) {
        if (live.size() < 2 || random() % 2 == 0) {
            script += fmt::format("n{} +{} @s{}\n", i, 1 + random() % 9000, random() % 3);
            live.push_back(i);
        } else {
            const std::size_t k = random() % live.size();
            script += fmt::format("n{} -\n", live[k]);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }
    return test::snapshotFromScript(script);
}

} // namespace

class TstRangeChanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRangeIsASumOverItsAllocations()
    {
        for (unsigned seed = 1; seed <= 12; ++seed) {
            const trace::Snapshot snapshot = randomSnapshot(seed);
            NoProgress progress;
            const replay::Replay r = replay::run(snapshot, progress, {}).value();
            const replay::DeviceReplay& device = r.devices[0];
            const replay::Allocations& a = device.allocations;
            label::DeviceLabels labels;
            for (std::size_t i = 0; i < a.count(); ++i) {
                labels.bucket.push_back(label::bucketAt(i % 4));
            }
            const std::uint32_t last = device.lastState().value;
            for (std::uint32_t from = 0; from <= last; from += 7) {
                for (std::uint32_t to = from; to <= last; to += 11) {
                    const curves::RangeChanges changes =
                        curves::changesBetween(device, labels, {{from}, {to}}, 100);
                    Flow total;
                    std::map<StackId, Flow> stacks;
                    std::array<Flow, label::kBucketCount> buckets{};
                    for (std::size_t i = 0; i < a.count(); ++i) {
                        const auto count = [&](Flow& flow) {
                            const bool came = a.begin[i].value > from && a.begin[i].value <= to;
                            const bool went = a.end[i].value > from && a.end[i].value <= to;
                            flow.came += came ? 1 : 0;
                            flow.went += went ? 1 : 0;
                            flow.came_bytes += came ? a.requested[i].value : 0;
                            flow.went_bytes += went ? a.requested[i].value : 0;
                        };
                        count(total);
                        count(stacks[a.stack[i]]);
                        count(buckets[i % 4]);
                    }
                    std::erase_if(stacks, [](const auto& s) { return s.second == Flow{}; });
                    QVERIFY(changes.total == total);
                    QVERIFY(changes.buckets == buckets);
                    QCOMPARE(changes.total.netBytes(), device.active[to] - device.active[from]);
                    QCOMPARE(changes.stack_count, stacks.size());
                    for (const curves::StackFlow& s : changes.stacks) {
                        QVERIFY(s.flow == stacks.at(s.stack));
                    }
                    std::int64_t largest = 0;
                    for (std::uint32_t s = from; s <= to; ++s) {
                        largest = std::max(largest, device.active[s]);
                    }
                    QCOMPARE(changes.largest, largest);
                }
            }
        }
    }
    void whatStayedComesFirst()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript(
            "stack s0 = a /m.py:1\nstack s1 = b /m.py:2\nstack s2 = c /m.py:3\n"
            "x +9000 @s0\nx -\ny +100 @s1\nz +4000 @s2\n");
        NoProgress progress;
        const replay::Replay r = replay::run(snapshot, progress, {}).value();
        label::DeviceLabels labels;
        labels.bucket.assign(3, label::Bucket::activation);
        const auto changes =
            curves::changesBetween(r.devices[0], labels, {{0}, r.devices[0].lastState()}, 2);
        QCOMPARE(changes.stacks.size(), std::size_t{2});
        QCOMPARE(changes.stack_count, std::size_t{3});
        QCOMPARE(changes.stacks[0].flow.netBytes(), std::int64_t{4000});
        QCOMPARE(changes.stacks[1].flow.netBytes(), std::int64_t{100});
        QVERIFY(changes.stacks[0].bucket == label::Bucket::activation);
    }
};

TIDEMARK_TEST(TstRangeChanges)

} // namespace tidemark::tst_range_changes

#include "tst_range_changes.moc"
