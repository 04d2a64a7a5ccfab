// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/progress.h"
#include "core/curves/stack_tree.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

#include <algorithm>
#include <numeric>

namespace tidemark::tst_stack_tree {

using namespace tidemark::curves;

namespace {

constexpr std::string_view kStacks =
    "stack lin = empty /w/ATen/alloc.cpp:3; linear /x/site-packages/torch/nn/functional.py:5; "
    "forward /x/site-packages/torch/nn/linear.py:9; forward /me/model.py:10; main /me/train.py:4\n"
    "stack act = relu /x/site-packages/torch/nn/functional.py:7; forward /me/model.py:11; "
    "main /me/train.py:4\n"
    "stack odd = forward /me/model.py:12; step /x/site-packages/torch/optim/adam.py:3; "
    "forward /me/model.py:12; main /me/train.py:4\n";

ProgressSink& sink()
{
    static NoProgress progress;
    return progress;
}

struct Run {
    trace::Snapshot snapshot;
    replay::Replay replay;
    label::Labels labels;

    explicit Run(const std::string& script)
        : snapshot(test::snapshotFromScript(std::string(kStacks) + script))
        , replay(replay::run(snapshot, sink(), {}).value())
        , labels(label::apply(snapshot, replay, sink(), {}).value())
    {
    }
    [[nodiscard]] StackTree tree(StackTreeRequest request) const
    {
        if (request.range.end == StateId()) {
            request.range.end =
                StateId{static_cast<std::uint32_t>(replay.devices[0].stateCount() - 1)};
        }
        return stackTree(snapshot, replay.devices[0], labels.devices[0], request);
    }
};

/// "name bytes" of the children, largest first.
std::string below(const StackTree& tree, std::uint32_t node)
{
    std::string text;
    for (const std::uint32_t child : tree.nodes[node].children) {
        text += (text.empty() ? "" : ", ") + tree.nodes[child].name + ' '
            + std::to_string(tree.nodes[child].bytes);
    }
    return text;
}

} // namespace

class TstStackTree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void callersHoldWhatTheyCall()
    {
        const Run run("a +4096 @lin\nb +1024 @act\nc +512\n");
        const StackTree tree = run.tree({});
        QCOMPARE(tree.nodes[0].bytes, std::int64_t{5632});
        QCOMPARE(tree.nodes[0].count, std::int64_t{3});
        QCOMPARE(below(tree, 0), std::string("train.py:4 main 5120, no stack recorded 512"));
        const std::uint32_t main = tree.nodes[0].children[0];
        QCOMPARE(below(tree, main),
                 std::string("model.py:10 forward 4096, model.py:11 forward 1024"));
        const std::uint32_t forward = tree.nodes[main].children[0];
        // What torch and its native code do below it is left out.
        QCOMPARE(below(tree, forward), std::string());
        QCOMPARE(tree.folded(forward), std::string("train.py:4 main;model.py:10 forward"));
    }

    void allFramesAreThereWhenTheyAreOpened()
    {
        const Run run("a +4096 @lin\n");
        StackTreeRequest request;
        request.folds_libraries = false;
        const StackTree tree = run.tree(request);
        const std::uint32_t deepest = static_cast<std::uint32_t>(tree.nodes.size() - 1);
        QVERIFY(tree.folded(deepest).find(
                    "model.py:10 forward;linear.py:9 forward;functional.py:5 linear")
                != std::string::npos);
    }

    void fromTheOtherEndAllocatingCallsComeFirst()
    {
        const Run run("a +4096 @lin\nb +1024 @act\n");
        StackTreeRequest request;
        request.begins_at_callers = false;
        request.folds_libraries = false;
        const StackTree tree = run.tree(request);
        QCOMPARE(tree.nodes[0].children.size(), 2UL);
        QVERIFY(below(tree, 0).find("functional.py:7 relu 1024") != std::string::npos);
    }

    void aLineThatALibraryCallsBackIsOneCall()
    {
        const Run run("a +4096 @odd\n");
        const StackTree tree = run.tree({});
        QCOMPARE(tree.folded(static_cast<std::uint32_t>(tree.nodes.size() - 1)),
                 std::string("train.py:4 main;model.py:12 forward"));
    }

    void aStackOfLibrariesAloneIsOneCallOfItsPackage()
    {
        const Run run("stack lib = empty /w/ATen/alloc.cpp:3; "
                      "linear /x/site-packages/torch/nn/functional.py:5\n"
                      "stack cpp = empty /w/ATen/alloc.cpp:3\na +4096 @lib\nb +1024 @cpp\n");
        QCOMPARE(below(run.tree({}), 0), std::string("torch 4096, C++ 1024"));
    }

    void whatACallAllocatedIsFoundInTheWholeRun()
    {
        // b has ended at the peak, and is of the call all the same.
        const Run run("b +1024 @act\nb -\na +4096 @lin\nc +512 @act\nd +99\n");
        const StackTree tree = run.tree({});
        const std::uint32_t main = tree.nodes[0].children[0];
        const auto idsBelow = [&](std::uint32_t node) {
            return allocationsThrough(run.snapshot, run.replay.devices[0], run.labels.devices[0],
                                      {}, tree, node);
        };
        QCOMPARE(idsBelow(main).size(), 3UL);
        const std::uint32_t forward = tree.nodes[main].children[1];
        QCOMPARE(tree.nodes[forward].name, std::string("model.py:11 forward"));
        QCOMPARE(idsBelow(forward), (std::vector{AllocationId(0U), AllocationId(2U)}));
        QCOMPARE(idsBelow(tree.nodes[0].children[1]), std::vector{AllocationId(3U)});
        const StackId stack = run.replay.devices[0].allocations.stack[2];
        QCOMPARE(tree.endOf(stack), forward);
    }

    void measuresCountWhatTheySay()
    {
        // State k follows k events: a lives throughout, b ends, c comes, a grows by d.
        const Run run("a +4096 @lin\nb +1024 @act\nb -\nc +512 @act\nd +256 @lin\n");
        const auto bytes = [&run](StackMeasure measure, std::uint32_t first, std::uint32_t last) {
            StackTreeRequest request;
            request.measure = measure;
            request.range = {StateId{first}, StateId{last}};
            return run.tree(request).nodes[0].bytes;
        };
        QCOMPARE(bytes(StackMeasure::live, 0, 2), std::int64_t{5120});
        QCOMPARE(bytes(StackMeasure::allocated, 1, 6), std::int64_t{1024 + 512 + 256});
        QCOMPARE(bytes(StackMeasure::kept, 1, 6), std::int64_t{512 + 256});
        // Of @act 512 instead of 1024, so nothing; of @lin 256 more.
        QCOMPARE(bytes(StackMeasure::grown, 2, 6), std::int64_t{256});
    }

    void onlyTheBucketsThatAreWantedCount()
    {
        Run run("a +4096 @lin\nb +1024 @act\n");
        run.labels.devices[0].bucket = {label::Bucket::parameter, label::Bucket::input};
        StackTreeRequest request;
        request.buckets = 1U << label::indexOf(label::Bucket::input);
        const StackTree tree = run.tree(request);
        QCOMPARE(tree.nodes[0].bytes, std::int64_t{1024});
        QCOMPARE(tree.nodes[0].buckets[label::indexOf(label::Bucket::input)], std::int64_t{1024});
    }

    void foldedLinesAddUpAndHaveNoSeparatorsInNames()
    {
        const Run run("a +4096 @lin\nb +1024 @act\nc +512\n");
        StackTree tree = run.tree({});
        const std::string text = foldedStacks(tree);
        std::int64_t sum = 0;
        for (const QString& line : QString::fromStdString(text).split(u'\n', Qt::SkipEmptyParts)) {
            sum += line.mid(line.lastIndexOf(u' ') + 1).toLongLong();
        }
        QCOMPARE(sum, tree.nodes[0].bytes);
        QVERIFY(text.starts_with("train.py:4 main;model.py:10 forward 4096\n"));
        tree.nodes[1].name = "a;b\nc";
        QVERIFY(foldedStacks(tree).find("a_b_c;") != std::string::npos);
    }
};

TIDEMARK_TEST(TstStackTree)

} // namespace tidemark::tst_stack_tree

#include "tst_stack_tree.moc"
