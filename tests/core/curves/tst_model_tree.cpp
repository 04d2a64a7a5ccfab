// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/progress.h"
#include "core/curves/model_tree.h"
#include "core/label/modules/details.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>

namespace tidemark::tst_model_tree {

using curves::ModelNode;
using curves::ModelTree;
using label::Bucket;

namespace {

constexpr std::string_view kCall = "; _call_impl /x/site-packages/torch/nn/modules/module.py:9; ";

ProgressSink& sink()
{
    static NoProgress progress;
    return progress;
}

/// A trace script whose allocations are all in one bucket, as a tree at the peak.
struct Run {
    trace::Snapshot snapshot;
    replay::Replay replay;
    label::Labels labels;
    label::Details details;
    program::Program program;

    explicit Run(const std::string& script, Bucket bucket = Bucket::activation)
        : snapshot(test::snapshotFromScript(script))
        , replay(replay::run(snapshot, sink(), {}).value())
        , labels(label::apply(snapshot, replay, sink(), {}).value())
        , details(label::findDetails(snapshot, replay, labels, nullptr))
    {
        std::ranges::fill(labels.devices[0].bucket, bucket);
    }
    [[nodiscard]] ModelTree tree() const
    {
        return curves::modelTree(replay.devices[0], labels.devices[0], details.paths,
                                 details.devices[0].modules, program, replay.devices[0].peak);
    }
};

std::string lines()
{
    const std::string call(kCall);
    const std::string outer = call + "forward /me/model.py:120" + call + "main /me/train.py:4\n";
    return "stack a = forward /me/model.py:10" + outer + "stack b = forward /me/model.py:20" + outer
        + "stack n = torch::unwind::unwind() ??:0\n";
}

const ModelNode& childOf(const ModelTree& tree, const ModelNode& node, std::size_t i)
{
    return tree.nodes[node.children[i]];
}

} // namespace

class TstModelTree : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void modulesLieInEachOther()
    {
        const Run run(lines() + "x +4M @a\ny +3M @b\nz +2M @b\n");
        const ModelTree tree = run.tree();
        QVERIFY(tree.has_modules);
        const ModelNode& root = tree.nodes.front();
        QCOMPARE(root.total, 9 << 20);
        QCOMPARE(root.children.size(), 1UL);
        // What has nothing beside it is one row.
        const ModelNode& outer = childOf(tree, root, 0);
        QCOMPARE(outer.name, std::string("train.py:4 main › model.py:120"));
        QCOMPARE(outer.children.size(), 2UL);
        // Most bytes first; two sizes below the one, the other is of one size itself.
        const ModelNode& two = childOf(tree, outer, 0);
        QCOMPARE(two.name, std::string("model.py:20"));
        QCOMPARE(two.total, 5 << 20);
        QCOMPARE(two.children.size(), 2UL);
        QVERIFY(!two.is_one_size && childOf(tree, two, 0).is_one_size);
        const ModelNode& one = childOf(tree, outer, 1);
        QCOMPARE(one.name, std::string("model.py:10"));
        QVERIFY(one.is_one_size && one.children.empty());
        QCOMPARE(run.replay.devices[0].allocations.requested[one.largest.index()].value, 4 << 20);
    }
    void everyAllocationHasARowThatIsShown()
    {
        const Run run(lines() + "x +4M @a\ny +3M @b\nz +2M @b\nw +4M @a\nv +1M @n\n");
        const ModelTree tree = run.tree();
        QCOMPARE(tree.of.size(), tree.live.size());
        for (std::size_t i = 0; i < tree.of.size(); ++i) {
            const ModelNode* node = &tree.nodes[tree.of[i]];
            QVERIFY(node->is_one_size);
            for (std::uint32_t n = tree.of[i]; n != 0; n = tree.nodes[n].parent) {
                const auto& beside = tree.nodes[tree.nodes[n].parent].children;
                QVERIFY(std::ranges::find(beside, n) != beside.end());
            }
        }
    }
    void everyRowIsTheSumOfThoseBelowIt()
    {
        const Run run(lines() + "x +4M @a\ny +3M @b\nz +2M @b\nw +4M @a\nv +1M @n\n");
        const ModelTree tree = run.tree();
        for (const ModelNode& node : tree.nodes) {
            std::int64_t below = 0;
            std::int64_t count = 0;
            for (const std::uint32_t c : node.children) {
                below += tree.nodes[c].total;
                count += tree.nodes[c].count;
            }
            QVERIFY(node.children.empty() || (below == node.total && count == node.count));
            QCOMPARE(node.bytes[label::indexOf(Bucket::activation)], node.total);
        }
    }
    void whatNothingTellsStandsApart()
    {
        const Run run(lines() + "x +4M @a\nv +1M @n\n");
        const ModelTree tree = run.tree();
        const ModelNode& root = tree.nodes.front();
        QCOMPARE(root.children.size(), 2UL);
        QVERIFY(childOf(tree, root, 1).name.starts_with("no stack or module"));
    }
    void withoutFramesBucketsAndSizesAreTheTree()
    {
        Run run("x +4M\ny +3M\nz +3M\n");
        program::SizeUse use;
        use.what = program::TensorKind::attention_matrix;
        run.program.sizes = {use, {}};
        run.program.size_of = {0, 1, 1};
        const ModelTree unidentified = run.tree();
        for (const ModelNode& node : unidentified.nodes) {
            QVERIFY(node.name != program::nameOf(use.what));
        }
        run.program.dimensions.emplace_back();
        const ModelTree tree = run.tree();
        QVERIFY(!tree.has_modules);
        const ModelNode& root = tree.nodes.front();
        QCOMPARE(root.children.size(), 1UL);
        const ModelNode& bucket = childOf(tree, root, 0);
        QCOMPARE(bucket.name, std::string(label::bucketName(Bucket::activation)));
        QCOMPARE(bucket.children.size(), 2UL);
        QCOMPARE(childOf(tree, bucket, 0).total, 6 << 20);
        QCOMPARE(childOf(tree, bucket, 0).count, 2);
        QCOMPARE(childOf(tree, bucket, 1).name, std::string("attention matrix"));
    }
    void layersAreCountedWithAllBelow()
    {
        Run run("x +4M\ny +4M\nz +3M\n");
        run.details.devices[0].modules.layer = {1, 2, 0};
        const ModelTree tree = run.tree();
        QCOMPARE(tree.nodes.front().layers, 2U);
    }
    void nothingIsATreeOfNothing()
    {
        const Run run("x +4M\nx -\n");
        const ModelTree tree =
            curves::modelTree(run.replay.devices[0], run.labels.devices[0], run.details.paths,
                              run.details.devices[0].modules, {}, StateId::start());
        QCOMPARE(tree.nodes.size(), 1UL);
        QVERIFY(tree.live.empty());
    }
};

TIDEMARK_TEST(TstModelTree)

} // namespace tidemark::tst_model_tree

#include "tst_model_tree.moc"
