// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Gradients of gradients: torch.autograd.grad() with and without create_graph.
#include "tests/core/label/labelled_script.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_inner_backwards {

using test::Labelled;

namespace {

constexpr std::string_view kAsks = R"(
stack ask = _make_grads /x/site-packages/torch/autograd/__init__.py:50; grad /x/site-packages/torch/autograd/__init__.py:300; main /me/train.py:41
stack start = _make_grads /x/site-packages/torch/autograd/__init__.py:50; backward /x/site-packages/torch/autograd/__init__.py:190; main /me/train.py:43
stack penalty = main /me/train.py:42
w +10000 @load
)";

/// Forward, then a gradient of 20 000 bytes that `starts` a backward, beside a temporary;
/// autograd's own thread has no frames.
std::string asked(int n, std::string_view starts)
{
    return fmt::format(R"(
x{0} +2000 @data
e{0} +30000 @embed
h{0} +31000 @linear
s{0} +4 @{1}
t{0} +40000 @-
i{0} +20000 @-
t{0} -
s{0} -
)",
                       n, starts);
}

/// What is made of it, and the backward through all of it.
std::string used(int n)
{
    return fmt::format(R"(
p{0} +5000 @penalty
o{0} +4 @start
g{0} +10000 @-
i{0} -
p{0} -
h{0} -
k{0} +6000 @-
k{0} -
e{0} -
o{0} -
)",
                       n);
}

std::string stepped(int n)
{
    return fmt::format("{1}u{0} +10000 @adam\nu{0} -\ng{0} -\nx{0} -\n", n,
                       n == 1 ? "m +10000 @adaminit\nv +10000 @adaminit\n" : "");
}

std::string all(const std::string& script)
{
    return std::string(kAsks) + script;
}

} // namespace

class TstInnerBackwards : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatALaterBackwardGoesThroughIsPartOfForward()
    {
        const Labelled run(
            all(asked(1, "ask") + used(1) + stepped(1) + asked(2, "ask") + used(2) + stepped(2)));
        for (int n = 0; n < 2; ++n) {
            QCOMPARE(run.bucket(20000, n), std::string("activation"));
            QCOMPARE(run.bucket(5000, n), std::string("activation"));
            QCOMPARE(run.bucket(40000, n), std::string("temporary"));
        }
        QCOMPARE(run.bucket(10000, 1), std::string("gradient"));
        QCOMPARE(run.bucket(10000, 2), std::string("optimizer_state"));
        QCOMPARE(run.phases(),
                 std::string("setup/0 input/1 forward/1 backward/1 optimizer/1 "
                             "input/2 forward/2 backward/2 optimizer/2"));
    }
    void gradientsThatAnOptimizerTakesAreGradients()
    {
        // The graph goes in the backward that was asked for, what it leaves goes after the step.
        std::string script;
        for (const int n : {1, 2}) {
            script += asked(n, "ask") + fmt::format("h{0} -\ne{0} -\nq{0} +6000 @-\nq{0} -\n", n)
                + fmt::format("{1}u{0} +10000 @adam\nu{0} -\ni{0} -\nx{0} -\n", n,
                              n == 1 ? "m +10000 @adaminit\nv +10000 @adaminit\n" : "");
        }
        const Labelled run(all(script));
        QCOMPARE(run.bucket(20000, 0), std::string("gradient"));
        QCOMPARE(run.bucket(20000, 1), std::string("gradient"));
        QVERIFY(run.phases().find("backward/1") != std::string::npos);
    }
    void aBackwardThatNobodyAskedGradientsOfIsNone()
    {
        // The same memory, but .backward() began it: one backward in two parts.
        const Labelled run(all(asked(1, "start") + used(1) + stepped(1)));
        QCOMPARE(run.bucket(20000), std::string("temporary"));
        QCOMPARE(run.phases(), std::string("setup/0 input/1 forward/1 backward/1 optimizer/1"));
    }
    void whereTheTraceEndsTheGraphThatStaysTells()
    {
        const std::string out = "p1 +5000 @penalty\nf1 +7000 @linear\noom 8192 free=1K @linear\n";
        const Labelled kept(all(asked(1, "ask") + out));
        QCOMPARE(kept.bucket(20000), std::string("activation"));
        const Labelled gone(all(asked(1, "ask") + "h1 -\ne1 -\nq1 +6000 @-\nq1 -\n" + out));
        QCOMPARE(gone.bucket(20000), std::string("gradient"));
    }
};

TIDEMARK_TEST(TstInnerBackwards)

} // namespace tidemark::tst_inner_backwards

#include "tst_inner_backwards.moc"
