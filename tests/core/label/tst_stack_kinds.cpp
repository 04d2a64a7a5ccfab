// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/stack_kinds.h"
#include "core/label/stacks/stack_text.h"
#include "core/reader/reader.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

#include <algorithm>
#include <span>
#include <string_view>

namespace tidemark::tst_stack_kinds {

using namespace tidemark::label;

namespace {

/// What was looked up once per text must equal what the texts of each frame say. Of a stack that
/// comes through an optimizer the callers may be left out.
void compareWithTexts(const trace::Snapshot& snapshot)
{
    const StackKinds kinds(snapshot);
    const auto isOfOptimizer = [&](FrameId f) {
        return snapshot.text(snapshot.stacks.frame(f).filename).find("torch/optim/")
            != std::string_view::npos;
    };
    for (std::size_t f = 0; f < snapshot.stacks.frameCount(); ++f) {
        QVERIFY(kinds.origin(FrameId(f)) == frameOrigin(snapshot, FrameId(f)));
    }
    for (std::size_t s = 0; s < snapshot.stacks.stackCount(); ++s) {
        const auto origin = [&](FrameId f) { return frameOrigin(snapshot, f); };
        std::span<const FrameId> frames = snapshot.stacks.frames(StackId(s));
        const FrameId looked_up = kinds.ownFrame(StackId(s));
        if (looked_up != ownFrame(frames, origin)) {
            const auto optimizer = std::ranges::find_if(frames, isOfOptimizer);
            QVERIFY(optimizer != frames.end());
            frames = frames.first(static_cast<std::size_t>(optimizer - frames.begin()));
        }
        QCOMPARE(looked_up.value, ownFrame(frames, origin).value);
    }
    QVERIFY(kinds.lines(StackId::none()).shown.isNone());
    QVERIFY(kinds.kind(StackId::none()) == StackKind::none);
}

} // namespace

class TstStackKinds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsLookedUpIsWhatTheTextsSay()
    {
        compareWithTexts(test::snapshotFromScript(R"(
stack model = torch::unwind::unwind() ??:0; at::native::gelu(at::Tensor) ??:0; softmax /x/site-packages/torch/nn/functional.py:8; forward /me/model.py:7; main /me/train.py:31
stack native = torch::unwind::unwind() ??:0; at::native::empty_cuda(long) ??:0
stack noise = torch::unwind::unwind() ??:0
stack windows = f C:\me\run.py:3; g C:\py\Lib\site-packages\torch\nn\functional.py:4
stack pseudo = run <string>:1; __init__ /me/net.py:4; __init__ /x/site-packages/pkg/net.py:4
a +1 @model
b +1 @native
c +1 @noise
d +1 @windows
e +1 @pseudo
f +1 @-
)"));
    }
    void theSameHoldsForRecordedStacks()
    {
        NoProgress progress;
        for (const auto& file : test::recordings()) {
            compareWithTexts(reader::read(file, {}, progress, {}).value());
        }
    }
    void oneNameMeansDifferentThingsInDifferentFiles()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript(R"(
stack optimizer = step /x/site-packages/torch/optim/adamw.py:2
stack schedule = step /me/schedule.py:2
stack mine = __init__ /me/model.py:2
stack theirs = __init__ /x/site-packages/pkg/model.py:2
a +1 @optimizer
b +1 @schedule
c +1 @mine
d +1 @theirs
)");
        const StackKinds kinds(snapshot);
        const auto& stacks = snapshot.devices[0].events.stack;
        QVERIFY(kinds.kind(stacks[0]) == StackKind::optimizer);
        QVERIFY(kinds.kind(stacks[1]) == StackKind::other);
        QVERIFY(kinds.kind(stacks[2]) == StackKind::load);
        QVERIFY(kinds.kind(stacks[3]) == StackKind::other);
    }
    void whatAnOptimizerCallsBackIsNotItsOwnWork()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript(R"(
stack module = linear /x/site-packages/torch/nn/functional.py:2; forward /me/net.py:3; closure /me/train.py:5; step /x/site-packages/torch/optim/adam.py:9; decorate_context /x/site-packages/torch/autograd/grad_mode.py:1; wrapper /x/site-packages/torch/optim/optimizer.py:3; main /me/train.py:9
stack plain = wrapped /x/site-packages/torch/_tensor.py:4; lossOf /me/train.py:5; step /x/site-packages/torch/optim/adam.py:9; wrapper /x/site-packages/torch/optim/optimizer.py:3; main /me/train.py:9
stack search = fit /me/train.py:5; decorate_context /x/site-packages/torch/utils/_contextlib.py:1; _directional_evaluate /x/site-packages/torch/optim/lbfgs.py:9; step /x/site-packages/torch/optim/lbfgs.py:12
stack own = adam /x/site-packages/torch/optim/adam.py:30; step /x/site-packages/torch/optim/adam.py:9; main /me/train.py:9
stack mine = helper /me/lion.py:3; step /me/lion.py:7; wrapper /x/site-packages/torch/optim/optimizer.py:3; main /me/train.py:9
a +1 @module
b +1 @plain
c +1 @search
d +1 @own
e +1 @mine
)");
        const StackKinds kinds(snapshot);
        const auto& stacks = snapshot.devices[0].events.stack;
        QVERIFY(kinds.kind(stacks[0]) == StackKind::forward);
        QVERIFY(!kinds.traits(stacks[0]).has(Trait::no_grad));
        QVERIFY(kinds.kind(stacks[1]) == StackKind::other);
        QVERIFY(kinds.kind(stacks[2]) == StackKind::other);
        QVERIFY(kinds.kind(stacks[3]) == StackKind::optimizer);
        QVERIFY(kinds.kind(stacks[4]) == StackKind::optimizer);
    }
    void framesBelowPythonDoNotTellOneLinesOperationsApart()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript(R"(
stack copied = at::_ops::_to_copy::call() ??:0; forward /x/site-packages/torch/nn/modules/linear.py:114; _PyEval_EvalFrameDefault ??:0; forward /me/net.py:3
stack product = at::_ops::addmm::call() ??:0; forward /x/site-packages/torch/nn/modules/linear.py:114; _PyEval_EvalFrameDefault ??:0; forward /me/net.py:3
stack elsewhere = at::_ops::addmm::call() ??:0; forward /x/site-packages/torch/nn/modules/linear.py:114; forward /me/net.py:4
stack native = at::_ops::addmm::call() ??:0
a +1 @copied
b +1 @product
c +1 @elsewhere
d +1 @native
)");
        const StackKinds kinds(snapshot);
        const auto& stacks = snapshot.devices[0].events.stack;
        QCOMPARE(kinds.path(stacks[0]), kinds.path(stacks[1]));
        QVERIFY(kinds.path(stacks[0]) != kinds.path(stacks[2]));
        QCOMPARE(snapshot.stacks.frame(kinds.pythonFrame(stacks[0])).line, 114U);
        QVERIFY(kinds.isPython(kinds.pythonFrame(stacks[1])));
        QVERIFY(kinds.pythonFrame(stacks[3]).isNone());
    }
    void askedToStopItLooksAtNoStack()
    {
        const trace::Snapshot snapshot = test::snapshotFromScript(
            "stack optimizer = step /x/site-packages/torch/optim/adamw.py:2\na +1 @optimizer\n");
        std::stop_source source;
        source.request_stop();
        const StackKinds kinds(snapshot, source.get_token());
        QVERIFY(kinds.kind(snapshot.devices[0].events.stack[0]) == StackKind::none);
    }
};

TIDEMARK_TEST(TstStackKinds)

} // namespace tidemark::tst_stack_kinds

#include "tst_stack_kinds.moc"
