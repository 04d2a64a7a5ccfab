// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/curves.h"
#include "core/diagnose/analysis.h"
#include "core/plan/budget.h"
#include "core/walk/against.h"
#include "core/walk/planned_trace.h"
#include "core/walk/training.h"
#include "tests/core/walk/small_models.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>

namespace tidemark::tst_planned_trace {

using namespace tidemark::plan;
using namespace tidemark::walk;

namespace {

/// A plan seen as a recording.
diagnose::Analysis recordingOf(const Timeline& timeline)
{
    NoProgress progress;
    PlannedTrace trace = traceOf(timeline).value();
    diagnose::Analysis analysis;
    analysis.replay =
        std::make_shared<const replay::Replay>(replay::run(trace.snapshot, progress, {}).value());
    analysis.labels =
        std::make_shared<const label::Labels>(labelsOf(timeline, trace, *analysis.replay));
    analysis.curves =
        std::make_shared<const curves::Curves>(curves::build(analysis.replay, *analysis.labels));
    analysis.snapshot = std::make_shared<const trace::Snapshot>(std::move(trace.snapshot));
    return analysis;
}

PlanDifference besideRecording(const Timeline& planned, const Timeline& made)
{
    const diagnose::Analysis recording = recordingOf(made);
    return compareWith(planned, reservedFor(planned), recording.replay->devices.front(),
                       recording.labels->devices.front());
}

} // namespace

class TstPlannedTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itReplaysToTheSamePeak()
    {
        const Timeline timeline = planRun(test::smallLlama(), test::onCpu()).timeline;
        const diagnose::Analysis analysis = recordingOf(timeline);
        const replay::DeviceReplay& device = analysis.replay->devices.front();
        const PlannedPeak peak = peakOf(timeline);
        QCOMPARE(device.activeAt(device.peak), peak.bytes);
        QCOMPARE(device.violations, 0);
        QVERIFY(device.end_matches_segments);
        QCOMPARE(*std::ranges::max_element(device.reserved), reservedFor(timeline).value);
        QCOMPARE(analysis.curves->devices.front().at(device.peak), peak.buckets);
        // The allocator's segments hold what lives in them at every moment.
        for (std::size_t s = 0; s < device.stateCount(); ++s) {
            QVERIFY(device.active[s] <= device.reserved[s]);
        }
    }
    void itsPhasesAndStepsAreThoseOfThePlan()
    {
        const Timeline timeline = planRun(test::smallLlama(), test::onCpu()).timeline;
        const diagnose::Analysis analysis = recordingOf(timeline);
        const label::DeviceLabels& labels = analysis.labels->devices.front();
        const replay::DeviceReplay& device = analysis.replay->devices.front();
        QCOMPARE(labels.steps.size(), std::size_t{2});
        EventId end{std::uint32_t{0}};
        for (const label::PhaseSpan& span : labels.phases) {
            QCOMPARE(span.first, end);
            QVERIFY(span.end > span.first);
            end = span.end;
        }
        QCOMPARE(end.index(), device.event_allocation.size());
        const auto at = EventId{static_cast<std::uint32_t>(device.peak.index()) - 1};
        QCOMPARE(labels.phaseAt(at)->phase, peakOf(timeline).phase);
    }
    void stacksAreTheModulesThatRun()
    {
        const Timeline timeline = planRun(test::smallLlama(), test::onCpu()).timeline;
        const diagnose::Analysis analysis = recordingOf(timeline);
        const trace::Snapshot& snapshot = *analysis.snapshot;
        const replay::Allocations& all = analysis.replay->devices.front().allocations;
        const auto modulesOf = [&](StackId stack) {
            std::string text;
            for (const FrameId frame : snapshot.stacks.frames(stack)) {
                text =
                    std::string(snapshot.text(snapshot.stacks.frame(frame).filename)) + " " + text;
            }
            return text;
        };
        std::int64_t queries = 0;
        std::int64_t of_gradient = 0;
        std::int64_t without = 0;
        for (std::size_t i = 0; i < all.count(); ++i) {
            if (all.stack[i].isNone()) {
                ++without;
                continue;
            }
            const std::string modules = modulesOf(all.stack[i]);
            if (modules.find("layers.2") != std::string::npos
                && modules.find("q_proj") != std::string::npos) {
                const label::Bucket bucket = analysis.labels->devices.front().bucket[i];
                queries += bucket == label::Bucket::parameter ? all.requested[i].value : 0;
                of_gradient += bucket == label::Bucket::gradient ? all.requested[i].value : 0;
            }
        }
        // The weight, and its gradient in either step: backward belongs to the module as well.
        QCOMPARE(queries, std::int64_t{4} * 192 * 240);
        QCOMPARE(of_gradient, 2 * queries);
        // The batches and the loss's first gradient alone are made outside of modules.
        QVERIFY2(without > 0 && without < 20, QByteArray::number(without));
    }
    void aPlanBesideItselfDiffersInNothing()
    {
        const Timeline timeline = planRun(test::smallLlama(), test::onCpu()).timeline;
        const PlanDifference same = besideRecording(timeline, timeline);
        QCOMPARE(same.planned, same.recorded);
        QCOMPARE(same.planned_buckets, same.recorded_buckets);
        QCOMPARE(same.planned_reserved, same.recorded_reserved);
        QCOMPARE(same.same, same.planned);
        QVERIFY(same.sizes.empty());
    }
    void whatWasRunOtherwiseIsNamed()
    {
        // Planned with fused attention, run with eager attention: its matrices are the difference.
        RunShape run = test::onCpu(3, 96);
        const Timeline planned = planRun(test::smallLlama(), run).timeline;
        run.attention = Attention::eager;
        const Timeline made = planRun(test::smallLlama(), run).timeline;
        const PlanDifference found = besideRecording(planned, made);
        QCOMPARE(found.recorded - found.planned, peakOf(made).bytes - peakOf(planned).bytes);
        std::int64_t sum = 0;
        for (const SizeDifference& size : found.sizes) {
            sum += size.delta().value;
        }
        QCOMPARE(sum, (found.recorded - found.planned).value);
        const ModelShape model = test::smallLlama();
        QCOMPARE(found.sizes.front().bytes.value, 4 * run.tokens() * model.heads * run.sequence);
        QVERIFY2(found.sentence.find("mostly attention matrix") != std::string::npos,
                 found.sentence.c_str());
    }
};

TIDEMARK_TEST(TstPlannedTrace)

} // namespace tidemark::tst_planned_trace

#include "tst_planned_trace.moc"
