// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/stack_union.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>
#include <vector>

namespace tidemark::tst_stack_union {

using curves::StackTree;

namespace {

struct Call {
    std::string name;
    std::uint32_t parent;
    std::int64_t bytes;
};

StackTree treeOf(const std::vector<Call>& calls)
{
    StackTree tree;
    tree.nodes.resize(1);
    for (const Call& call : calls) {
        curves::StackNode node;
        node.name = call.name;
        node.parent = call.parent;
        node.bytes = call.bytes;
        node.count = 1;
        tree.nodes[call.parent].children.push_back(static_cast<std::uint32_t>(tree.nodes.size()));
        tree.nodes.push_back(node);
        if (call.parent == 0) {
            tree.nodes[0].bytes += call.bytes;
            ++tree.nodes[0].count;
        }
    }
    return tree;
}

/// "name a→b" of every node, as they stand.
std::string linesOf(const compare::StackUnion& united)
{
    std::string lines;
    for (std::size_t i = 1; i < united.tree.nodes.size(); ++i) {
        lines += united.tree.nodes[i].name + ' ' + std::to_string(united.a[i].bytes) + "→"
            + std::to_string(united.b[i].bytes) + '\n';
    }
    return lines;
}

} // namespace

class TstStackUnion : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneTreeTwiceIsEqual()
    {
        const StackTree tree = treeOf({{"m.py:1 main", 0, 10}, {"m.py:5 f", 1, 7}});
        const compare::StackUnion united = compare::uniteStacks(tree, tree);
        QCOMPARE(united.tree.nodes.size(), 3UL);
        for (std::uint32_t i = 0; i < 3; ++i) {
            QCOMPARE(united.delta(i), 0);
            QCOMPARE(united.tree.nodes[i].bytes, 0);
        }
        QCOMPARE(united.equal, 10);
    }
    void movedLinesAreTheSameCall()
    {
        const compare::StackUnion united =
            compare::uniteStacks(treeOf({{"m.py:1 main", 0, 10}, {"m.py:5 f", 1, 7}}),
                                 treeOf({{"other.py:9 main", 0, 12}, {"other.py:20 f", 1, 12}}));
        QCOMPARE(linesOf(united), std::string("other.py:9 main 10→12\nother.py:20 f 7→12\n"));
    }
    void whatHasTheSameNameComesFirst()
    {
        // The second line stayed, the first one moved behind it.
        const compare::StackUnion united =
            compare::uniteStacks(treeOf({{"m.py:1 f", 0, 5}, {"m.py:2 f", 0, 3}}),
                                 treeOf({{"m.py:2 f", 0, 4}, {"m.py:9 f", 0, 6}}));
        QCOMPARE(linesOf(united), std::string("m.py:9 f 5→6\nm.py:2 f 3→4\n"));
    }
    void whatOneRunHasAloneIsThere()
    {
        const compare::StackUnion united = compare::uniteStacks(
            treeOf({{"m.py:1 f", 0, 5}}), treeOf({{"m.py:1 g", 0, 8}, {"m.py:2 h", 1, 8}}));
        QCOMPARE(linesOf(united), std::string("m.py:1 f 5→0\nm.py:1 g 0→8\nm.py:2 h 0→8\n"));
        QCOMPARE(united.delta(0), 3);
    }
    void aCallIsAsWideAsWhatChangedInIt()
    {
        // Each run has 10 below main, but in different calls.
        const compare::StackUnion united =
            compare::uniteStacks(treeOf({{"m.py:1 main", 0, 10}, {"m.py:2 f", 1, 10}}),
                                 treeOf({{"m.py:1 main", 0, 10}, {"m.py:3 g", 1, 10}}));
        QCOMPARE(united.delta(1), 0);
        QCOMPARE(united.tree.nodes[1].bytes, 20);
        QCOMPARE(united.tree.nodes[0].bytes, 20);
        QCOMPARE(united.b[1].bytes, 10);
        QCOMPARE(united.equal, 0);
    }
    void aSmallChangeOfALargeCallIsNarrow()
    {
        const compare::StackUnion united =
            compare::uniteStacks(treeOf({{"m.py:1 f", 0, 1000}, {"m.py:2 g", 0, 10}}),
                                 treeOf({{"m.py:1 f", 0, 1001}, {"m.py:2 g", 0, 110}}));
        QCOMPARE(united.tree.nodes[0].bytes, 101);
        QCOMPARE(united.tree.nodes[1].bytes, 1);
        QCOMPARE(united.tree.nodes[2].bytes, 100);
        QCOMPARE(united.tree.nodes[0].children.front(), 2U);
        QCOMPARE(united.equal, 1010);
    }
};

TIDEMARK_TEST(TstStackUnion)

} // namespace tidemark::tst_stack_union

#include "tst_stack_union.moc"
