// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/library_frames.h"
#include "core/walk/training.h"
#include "tests/core/walk/small_models.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <set>
#include <string>

namespace tidemark::tst_library_frames {

using namespace tidemark::walk;
using label::Bucket;
using label::Phase;

namespace {

/// A planned run of a llama, and the stacks of its recording.
struct Planned {
    ModelShape model = test::smallLlama();
    RunShape run;
    Timeline timeline;

    explicit Planned(const RunShape& planned_run)
        : run(planned_run)
        , timeline(planRun(model, planned_run).timeline)
    {
    }
    [[nodiscard]] std::vector<LibraryFrame> stackOf(const PlannedAllocation& a) const
    {
        return LibraryFrames(timeline, model, run).of(a);
    }
    /// By phase: how many allocations have a frame of that function in that file.
    [[nodiscard]] int countOf(Phase phase, std::string_view function, std::string_view file) const
    {
        return static_cast<int>(std::ranges::count_if(timeline.allocations, [&](const auto& a) {
            const std::vector<LibraryFrame> frames = stackOf(a);
            return timeline.phaseAt(a.begin) == phase
                && std::ranges::any_of(frames, [&](const LibraryFrame& frame) {
                       return frame.function == function && frame.file.ends_with(file);
                   });
        }));
    }
};

RunShape onCuda()
{
    RunShape run = test::onCpu();
    run.target = Target::cuda;
    return run;
}

} // namespace

class TstLibraryFrames : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachPhaseHasTheFilesThatRun()
    {
        const Planned planned(onCuda());
        QVERIFY(planned.countOf(Phase::setup, "convert", "torch/nn/modules/module.py") > 0);
        QVERIFY(planned.countOf(Phase::forward, "forward", "torch/nn/modules/linear.py") > 0);
        QVERIFY(planned.countOf(Phase::forward, "forward", "models/llama/modeling_llama.py") > 0);
        QVERIFY(planned.countOf(Phase::forward, "cross_entropy", "torch/nn/functional.py") > 0);
        QVERIFY(planned.countOf(Phase::forward, "training_step", "transformers/trainer.py") > 0);
        QVERIFY(planned.countOf(Phase::optimizer, "_init_group", "torch/optim/adam.py") > 0);
    }
    void momentumIsMadeByTheStepItself()
    {
        RunShape run = onCuda();
        run.optimizer = Optimizer::sgd_momentum;
        const Planned planned(run);
        QCOMPARE(planned.countOf(Phase::optimizer, "_init_group", "torch/optim/sgd.py"), 0);
        QVERIFY(planned.countOf(Phase::optimizer, "_multi_tensor_sgd", "torch/optim/sgd.py") > 0);
    }
    void whatTheEngineMakesHasNoStack()
    {
        const Planned planned(onCuda());
        int made = 0;
        for (const PlannedAllocation& a : planned.timeline.allocations) {
            if (planned.timeline.phaseAt(a.begin) == Phase::backward) {
                ++made;
                QVERIFY(planned.stackOf(a).empty());
            }
        }
        QVERIFY(made > 100);
    }
    void layersShareTheirLines()
    {
        const auto stacksOf = [](std::int64_t layers) {
            ModelShape model = test::smallLlama(layers);
            const RunShape run = onCuda();
            const Timeline timeline = planRun(model, run).timeline;
            const LibraryFrames frames(timeline, model, run);
            std::set<std::string> stacks;
            for (const PlannedAllocation& a : timeline.allocations) {
                std::string text;
                for (const LibraryFrame& frame : frames.of(a)) {
                    text += frame.file + frame.function + std::to_string(frame.line) + '\n';
                }
                stacks.insert(text);
            }
            return stacks;
        };
        const std::set<std::string> few = stacksOf(2);
        QVERIFY2(few.size() > 30, QByteArray::number(few.size()));
        QVERIFY(few == stacksOf(5));
    }
    void whatIsComputedAgainRunsOnTheSameLines()
    {
        RunShape run = onCuda();
        run.checkpoints = true;
        const Planned planned(run);
        const Planned plain(onCuda());
        std::set<std::pair<std::string, std::int32_t>> innermost;
        for (const PlannedAllocation& a : plain.timeline.allocations) {
            if (plain.timeline.phaseAt(a.begin) == Phase::forward) {
                const LibraryFrame frame = plain.stackOf(a).front();
                innermost.emplace(frame.file, frame.line);
            }
        }
        int again = 0;
        for (const PlannedAllocation& a : planned.timeline.allocations) {
            if (a.role == label::Role::recomputed) {
                ++again;
                const std::vector<LibraryFrame> frames = planned.stackOf(a);
                QCOMPARE(frames.back().function, std::string("unpack_hook"));
                QVERIFY(innermost.contains({frames.front().file, frames.front().line}));
            }
        }
        QVERIFY(again > 50);
    }
    void softmaxIsNamedWhereItRuns()
    {
        RunShape run = onCuda();
        QCOMPARE(Planned(run).countOf(Phase::forward, "softmax", "torch/nn/functional.py"), 0);
        run.attention = Attention::eager;
        const Planned planned(run);
        QCOMPARE(planned.countOf(Phase::forward, "softmax", "torch/nn/functional.py"), 2 * 3);
    }
};

TIDEMARK_TEST(TstLibraryFrames)

} // namespace tidemark::tst_library_frames

#include "tst_library_frames.moc"
