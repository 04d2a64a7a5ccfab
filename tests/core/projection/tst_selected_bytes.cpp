// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/progress.h"
#include "core/projection/selected_bytes.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <memory>
#include <random>

namespace tidemark::tst_selected_bytes {

using namespace tidemark::projection;

namespace {

struct Run {
    trace::Snapshot snapshot;
    std::shared_ptr<const replay::Replay> replay;
    label::Labels labels;
    curves::Curves curves;

    explicit Run(const std::string& script)
        : snapshot(test::snapshotFromScript(script))
    {
        NoProgress progress;
        replay =
            std::make_shared<const replay::Replay>(replay::run(snapshot, progress, {}).value());
        labels = label::apply(snapshot, *replay, progress, {}).value();
        for (std::size_t i = 0; i < labels.devices[0].bucket.size(); ++i) {
            labels.devices[0].bucket[i] = label::bucketAt(i % label::kBucketCount);
        }
        curves = curves::build(replay, labels);
    }
    [[nodiscard]] const replay::Allocations& all() const
    {
        return replay->devices[0].allocations;
    }
    /// Summed allocation by allocation.
    [[nodiscard]] label::BucketBytes summed(const std::vector<AllocationId>& ids,
                                            StateId state) const
    {
        label::BucketBytes bytes{};
        for (const AllocationId id : ids) {
            const std::size_t i = id.index();
            if (all().begin[i] <= state && state < all().end[i]) {
                bytes[label::indexOf(labels.devices[0].bucket[i])] += all().requested[i].value;
            }
        }
        return bytes;
    }
};

std::string crowd()
{
    std::mt19937 random(11);
    std::string text = "live w 300K\n";
    std::vector<int> live;
    for (int i = 0; i < 900; ++i) {
        if (live.size() < 3 || random() % 5 < 3) {
            text += fmt::format("n{} +{}\n", i, random() % 5000 + 1);
            live.push_back(i);
        } else {
            const std::size_t k = random() % live.size();
            text += fmt::format("n{} -\n", live[k]);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }
    return text;
}

std::vector<AllocationId> everyThird(const Run& run)
{
    std::vector<AllocationId> ids;
    for (std::size_t i = 0; i < run.all().count(); i += 3) {
        ids.emplace_back(i);
    }
    return ids;
}

} // namespace

class TstSelectedBytes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStateHasTheSumOfWhatIsSelected()
    {
        const Run run(crowd());
        const auto ids = everyThird(run);
        const SelectedBytes selected(run.curves.devices[0], ids);
        for (std::uint32_t s = 0; s < run.curves.devices[0].stateCount(); ++s) {
            QCOMPARE(selected.at(StateId{s}), run.summed(ids, StateId{s}));
            QCOMPARE(selected.countAt(StateId{s}), std::ranges::count_if(ids, [&](AllocationId id) {
                         return run.all().isLive(id, StateId{s});
                     }));
        }
    }

    void theLargestOfARangeIsThatOfItsStates()
    {
        const Run run(crowd());
        const auto ids = everyThird(run);
        const SelectedBytes selected(run.curves.devices[0], ids);
        std::mt19937 random(3);
        const auto states = static_cast<std::uint32_t>(run.curves.devices[0].stateCount());
        for (int i = 0; i < 300; ++i) {
            const auto begin = static_cast<std::uint32_t>(random() % states);
            const auto end =
                std::min(states, begin + 1 + static_cast<std::uint32_t>(random() % 90));
            std::int64_t largest = 0;
            for (std::uint32_t s = begin; s < end; ++s) {
                largest = std::max(largest, label::totalOf(run.summed(ids, StateId{s})));
            }
            QCOMPARE(selected.largest({StateId{begin}, StateId{end}}), largest);
        }
    }

    void aLifetimeThinnerThanAPixelIsStillMarked()
    {
        std::string script = "a +1000\n";
        for (int i = 0; i < 500; ++i) {
            script += fmt::format("t{0} +500\nt{0} -\n", i);
        }
        const Run run(script);
        // The 251st of the short ones: two states of a thousand.
        const std::vector<AllocationId> ids{AllocationId(std::size_t{251})};
        const SelectedBytes selected(run.curves.devices[0], ids);
        const AxisMap axis(run.snapshot.devices[0], Axis::event);
        const auto timeline = projectTimeline(run.curves.devices[0], axis, axis.extent(), 100);
        const auto columns = projectSelected(selected, axis, timeline);
        QCOMPARE(
            std::ranges::count_if(columns, [](const SelectedColumn& c) { return c.largest > 0; }),
            std::ptrdiff_t{1});
        QCOMPARE(std::ranges::max(columns, {}, &SelectedColumn::largest).largest,
                 std::int64_t{500});
    }

    void nothingSelectedIsNothing()
    {
        const Run run(crowd());
        const SelectedBytes selected(run.curves.devices[0], {});
        QCOMPARE(selected.at(StateId{100}), label::BucketBytes{});
        QCOMPARE(selected.largest({StateId{0}, StateId{50}}), std::int64_t{0});
    }
};

TIDEMARK_TEST(TstSelectedBytes)

} // namespace tidemark::tst_selected_bytes

#include "tst_selected_bytes.moc"
