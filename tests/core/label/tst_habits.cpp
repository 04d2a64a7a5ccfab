// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What people write around and instead of torch's own optimizers and caches.
#include "tests/core/label/labelled_script.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <map>
#include <string>

namespace tidemark::tst_habits {

using test::Labelled;
using test::step;

namespace {

constexpr std::string_view kOwn = R"(
stack copies = <listcomp> /me/train.py:12; main /me/train.py:12
stack feed = main /me/train.py:21
stack grown = forward /me/model.py:31; main /me/train.py:27
stack byhand = main /me/train.py:27
stack average = main /me/train.py:29
stack history = main /me/train.py:33
stack zero = zero_grad /x/site-packages/torch/optim/optimizer.py:4; main /me/train.py:22
stack state51 = step /me/optimizer.py:51; main /me/train.py:34
stack state56 = step /me/optimizer.py:56; main /me/train.py:34
stack weight64 = step /me/optimizer.py:64; main /me/train.py:34
)";

std::string own(const std::string& script)
{
    return std::string(kOwn) + script;
}

/// Four weights made by a module, of 1, 2, 3 and 4 times `unit` bytes.
std::string weights(int unit)
{
    std::string text;
    for (int i = 1; i <= 4; ++i) {
        text += fmt::format("w{} +{} @load\n", i, i * unit);
    }
    return text;
}

/// A copy of each of them, made by one line of the program.
std::string copies(int unit)
{
    std::string text;
    for (int i = 1; i <= 4; ++i) {
        text += fmt::format("c{} +{} @copies\n", i, i * unit);
    }
    return text;
}

/// Forward and backward, which leaves one gradient for each weight.
std::string pass(int n, int unit)
{
    std::string text = fmt::format("x{0} +777 @feed\n", n);
    for (int i = 1; i <= 6; ++i) {
        text += fmt::format("a{0}.{1} +{2} @linear\n", n, i, 50000 + i);
    }
    for (int i = 6; i >= 1; --i) {
        text += fmt::format("a{0}.{1} -\n", n, i);
        if (i <= 4) {
            text += fmt::format("g{0}.{1} +{2} @-\n", n, i, i * unit);
        }
    }
    return text;
}

std::string gradientsGo(int n)
{
    return fmt::format("g{0}.1 -\ng{0}.2 -\ng{0}.3 -\ng{0}.4 -\nx{0} -\n", n);
}

/// One temporary as large as each weight, made by a line of the program.
std::string temporaries(int n, int unit, std::string_view stack)
{
    std::string text;
    for (int i = 1; i <= 4; ++i) {
        text += fmt::format("t{0}.{1} +{2} @{3}\nt{0}.{1} -\n", n, i, i * unit, stack);
    }
    return text;
}

std::string adamStep(int n, int unit)
{
    std::string text;
    for (int i = 1; n == 1 && i <= 4; ++i) {
        text += fmt::format("m{0} +{1} @adaminit\n", i, i * unit);
    }
    for (int i = 1; i <= 4; ++i) {
        text += fmt::format("u{0}.{1} +{2} @adam\nu{0}.{1} -\n", n, i, i * unit);
    }
    return text;
}

} // namespace

class TstHabits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStepWrittenByHandIsAStep()
    {
        std::string text = weights(1000) + copies(1000);
        for (int n = 1; n <= 3; ++n) {
            text += pass(n, 1000) + temporaries(n, 1000, "byhand") + gradientsGo(n);
        }
        const Labelled run(own(text));
        QCOMPARE(run.phases(),
                 std::string("setup/0 input/1 forward/1 backward/1 optimizer/1 input/2 forward/2 "
                             "backward/2 optimizer/2 input/3 forward/3 backward/3 optimizer/3"));
        QCOMPARE(run.labels.devices[0].steps.size(), 3UL);
        // The weights first, then what one line made beside them: no step makes state of its own.
        QCOMPARE(run.bucket(2000, 0), std::string("parameter"));
        QCOMPARE(run.bucket(2000, 1), std::string("optimizer_state"));
        QCOMPARE(run.bucket(2000, 2), std::string("gradient"));
        QCOMPARE(run.bucket(2000, 3), std::string("temporary"));
        QCOMPARE(run.bucket(777), std::string("input"));
    }
    void anAverageOfTheWeightsBelongsToTheStep()
    {
        std::string text = weights(1000) + copies(1000);
        for (int n = 1; n <= 3; ++n) {
            text += pass(n, 1000) + adamStep(n, 1000) + gradientsGo(n)
                + temporaries(10 + n, 1000, "average");
        }
        const Labelled run(own(text));
        QCOMPARE(run.phases(),
                 std::string("setup/0 input/1 forward/1 backward/1 optimizer/1 input/2 forward/2 "
                             "backward/2 optimizer/2 input/3 forward/3 backward/3 optimizer/3"));
        QCOMPARE(run.bucket(2000, 1), std::string("parameter"));
        QCOMPARE(run.role(2000, 1), std::string("ema"));
        QCOMPARE(run.bucket(2000, 3), std::string("optimizer_state")); // Adam's own.
    }
    void masterWeightsAreTwiceAsLargeAndHaveGradientsOfTheirOwn()
    {
        std::string text = weights(1000) + copies(2000);
        for (int n = 1; n <= 3; ++n) {
            text += pass(n, 1000);
            for (int i = 1; i <= 4; ++i) {
                text += fmt::format("mg{0}.{1} +{2} @byhand\n", n, i, i * 2000);
            }
            text += gradientsGo(n) + adamStep(n, 2000);
            for (int i = 1; i <= 4; ++i) {
                text += fmt::format("mg{0}.{1} -\n", n, i);
            }
        }
        const Labelled run(own(text));
        QCOMPARE(run.bucket(6000, 0), std::string("parameter"));
        QCOMPARE(run.role(6000, 0), std::string("master"));
        QCOMPARE(run.bucket(6000, 1), std::string("gradient"));
        QCOMPARE(run.bucket(6000, 2), std::string("optimizer_state"));
        QCOMPARE(run.bucket(6000, 3), std::string("temporary"));
    }
    void clearingGradientsBeforeThePassIsNoStep()
    {
        std::string text = weights(1000);
        for (int n = 1; n <= 3; ++n) {
            text += fmt::format("b{0} +333 @feed\nz{0} +64 @zero\nz{0} -\n", n);
            text += pass(n, 1000) + adamStep(n, 1000) + gradientsGo(n) + fmt::format("b{0} -\n", n);
        }
        const Labelled run(own(text));
        QCOMPARE(run.labels.devices[0].steps.size(), 3UL);
        QCOMPARE(run.bucket(333, 1), std::string("input"));
        // Nor is it one right after the model was built.
        text = weights(1000) + "z +64 @zero\nz -\n";
        for (int n = 1; n <= 2; ++n) {
            text += pass(n, 1000) + adamStep(n, 1000) + gradientsGo(n);
        }
        QCOMPARE(Labelled(own(text)).labels.devices[0].steps.size(), 2UL);
    }
    void equalTensorsMadeBeforeInferenceAreItsCache()
    {
        std::string text =
            weights(1000) + "k1 +90000 @copies\nk2 +90000 @copies\nk3 +90000 @copies\n";
        for (int n = 1; n <= 5; ++n) {
            text += fmt::format("x{0} +777 @feed\n", n);
            for (int i = 1; i <= 6; ++i) {
                text += fmt::format("a{0}.{1} +{2} @linear\na{0}.{1} -\n", n, i, 5000 + i);
            }
            text += fmt::format("x{0} -\n", n);
        }
        const Labelled run(own(text));
        QCOMPARE(run.bucket(90000), std::string("kv_cache"));
        QCOMPARE(run.bucket(777, 2), std::string("input"));
        QCOMPARE(run.bucket(2000), std::string("parameter"));
    }
    void whatGrowsSideBySideIsACacheAndAloneAResult_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("texts");
        QTest::addColumn<QString>("bucket");
        QTest::newRow("a cache of three layers") << 3 << 1 << "kv_cache";
        QTest::newRow("the same, and again from the start") << 3 << 2 << "kv_cache";
        QTest::newRow("results joined to those before") << 1 << 1 << "output";
    }
    void whatGrowsSideBySideIsACacheAndAloneAResult()
    {
        QFETCH(int, layers);
        QFETCH(int, texts);
        QFETCH(QString, bucket);
        constexpr int kTokens = 20;
        std::string text = weights(1000);
        for (int k = 0; k < texts * kTokens; ++k) {
            const int n = 1 + k % kTokens; // From the start with each text.
            text += fmt::format("x{0} +777 @feed\n", k);
            for (int i = 1; i <= layers; ++i) {
                // Queries against all keys grow as well, but are gone before the next ones.
                text += fmt::format("a{0}.{1} +{2} @linear\na{0}.{1} -\nk{0}.{1} +{3} @grown\n", k,
                                    i, 5000 + 32 * n, 90'000 + 640 * n);
                text += k > 0 ? fmt::format("k{}.{} -\n", k - 1, i) : std::string();
            }
            text += fmt::format("x{0} -\n", k);
        }
        const Labelled run(own(text));
        for (int n = 2; n <= kTokens; ++n) {
            const std::string got = run.bucket(90'000 + 640 * n, n % layers);
            QVERIFY2(got == bucket.toStdString(), (got + " at " + std::to_string(n)).c_str());
            QCOMPARE(run.bucket(5000 + 32 * n), std::string("temporary"));
        }
    }
    void whatEveryStepKeepsIsNoOptimizerState()
    {
        std::string text = weights(1000);
        for (int n = 1; n <= 4; ++n) {
            text += pass(n, 1000) + fmt::format("h{0} +2000 @history\n", n) + adamStep(n, 1000)
                + gradientsGo(n);
        }
        const Labelled run(own(text));
        const replay::Allocations& all = run.replay.devices[0].allocations;
        int outputs = 0;
        for (std::size_t i = 0; i < all.count(); ++i) {
            outputs += run.labels.devices[0].bucket[i] == label::Bucket::output ? 1 : 0;
        }
        QCOMPARE(outputs, 4);
    }
    void aVariableAssignedAgainInTheNextPassIsNoResult()
    {
        // Two optimizers to a round, so what one pass makes outlives two steps; but not two rounds.
        const auto script = [](bool gives_back) {
            std::string text = weights(1000);
            for (int n = 1; n <= 6; ++n) {
                text += pass(2 * n, 1000);
                text.insert(text.rfind(fmt::format("a{}.6 -", 2 * n)),
                            fmt::format("fake{} +60000 @linear\n", n));
                if (n > 1 && gives_back) {
                    text += fmt::format("fake{} -\n", n - 1);
                }
                text += adamStep(2 * n, 1000) + gradientsGo(2 * n) + pass(2 * n + 1, 1000)
                    + adamStep(2 * n + 1, 1000) + gradientsGo(2 * n + 1);
            }
            return own(text);
        };
        QCOMPARE(Labelled(script(true)).bucket(60000, 1), std::string("activation"));
        QCOMPARE(Labelled(script(false)).bucket(60000, 1), std::string("output"));
    }
    void whatTwoStepsKeepIsNoBufferThatIsMadeOnce()
    {
        const auto script = [](int steps) {
            std::string text = weights(1000);
            for (int n = 1; n <= 2; ++n) {
                text += pass(n, 1000);
                if (n <= steps) {
                    text.insert(text.rfind(fmt::format("a{}.6 -", n)),
                                fmt::format("kept{} +60000 @linear\n", n));
                }
                text += adamStep(n, 1000) + gradientsGo(n);
            }
            return own(text + pass(3, 1000));
        };
        QCOMPARE(Labelled(script(1)).bucket(60000), std::string("workspace"));
        QCOMPARE(Labelled(script(2)).bucket(60000), std::string("output"));
        QCOMPARE(Labelled(script(2)).bucket(60000, 1), std::string("output"));
    }
    void parametersReplacedByTheOptimizerAreJudgedByItsLine()
    {
        // Two weights of one size: when the second one's old tensor goes, the newest of the size
        // is not always its own successor.
        std::string text = "w1 +1000 @load\nw2 +1000 @load\nw3 +3000 @load\nw4 +4000 @load\n";
        const auto replace = [&](int n, int i, int size) {
            return fmt::format("m{0}.{1} +{2} @state51\nw{1}.{0} +{2} @weight64\n{3} -\n{4}", n, i,
                               size,
                               n == 1 ? fmt::format("w{}", i) : fmt::format("w{}.{}", i, n - 1),
                               n == 1 ? "" : fmt::format("m{}.{} -\n", n - 1, i));
        };
        for (int n = 1; n <= 3; ++n) {
            text += pass(n, 1000) + gradientsGo(n);
            for (int i = 1; i <= 4; ++i) {
                text += replace(n, i, i < 3 ? 1000 : i * 1000);
            }
        }
        const Labelled run(own(text));
        const replay::Allocations& all = run.replay.devices[0].allocations;
        std::int64_t parameters = 0;
        std::int64_t states = 0;
        for (std::size_t i = 0; i < all.count(); ++i) {
            if (all.isLive(AllocationId(i), run.replay.devices[0].lastState())) {
                const label::Bucket bucket = run.labels.devices[0].bucket[i];
                parameters += bucket == label::Bucket::parameter ? all.requested[i].value : 0;
                states += bucket == label::Bucket::optimizer_state ? all.requested[i].value : 0;
            }
        }
        QCOMPARE(parameters, 9000);
        QCOMPARE(states, 9000);
    }
    void theEndOfAProgramReplacesNoParameter()
    {
        // One step, then everything goes, the weights first: what their sizes were made for in it
        // is state all the same.
        std::string text = weights(1000) + pass(1, 1000);
        for (int i = 1; i <= 4; ++i) {
            text += fmt::format("m{0} +{1} @state51\nv{0} +{1} @state56\n", i, i * 1000);
        }
        text += gradientsGo(1);
        for (int i = 1; i <= 4; ++i) {
            text += fmt::format("w{0} -\nm{0} -\nv{0} -\n", i);
        }
        const Labelled run(own(text));
        for (int i = 1; i <= 4; ++i) {
            QCOMPARE(run.bucket(i * 1000, 0), std::string("parameter"));
            QCOMPARE(run.bucket(i * 1000, 2), std::string("optimizer_state"));
            QCOMPARE(run.bucket(i * 1000, 3), std::string("optimizer_state"));
        }
    }
    void gradientsThatAreAddedToComeInPairsWithTheirWeights()
    {
        // Never cleared: a backward makes one short-lived tensor of each weight's size.
        std::string text;
        for (int i = 1; i <= 4; ++i) {
            text += fmt::format("live w{0} {1}\nlive g{0} {1}\n", i, i * 1000);
        }
        text += "live blas 8519680\n";
        for (int n = 1; n <= 2; ++n) {
            text += fmt::format("x{0} +777 @feed\na{0} +50000 @linear\nb{0} +60000 @linear\n", n);
            for (int i = 4; i >= 1; --i) {
                text += fmt::format("t{0}.{1} +{2} @-\nt{0}.{1} -\n", n, i, i * 1000);
            }
            text += fmt::format("b{0} -\na{0} -\nx{0} -\n", n);
        }
        const Labelled run(own(text));
        for (const std::int64_t size : {1000, 2000, 3000, 4000}) {
            const bool first = run.bucket(size, 0) == "parameter";
            QCOMPARE(run.bucket(size, first ? 0 : 1), std::string("parameter"));
            QCOMPARE(run.bucket(size, first ? 1 : 0), std::string("gradient"));
        }
        QCOMPARE(run.bucket(8519680), std::string("workspace"));
    }
    void gradientsOfBeforeTheTraceHaveNoFramesWhereWeightsHave()
    {
        std::string text;
        for (int i = 1; i <= 4; ++i) {
            text += fmt::format("live w{0} {1} @load\nlive g{0} {1}\nlive m{0} {1} @adaminit\n", i,
                                i * 1000);
        }
        for (int n = 1; n <= 2; ++n) {
            text += fmt::format("x{0} +777 @feed\na{0} +50000 @linear\nb{0} +60000 @linear\n", n);
            text += fmt::format("t{0} +4000 @-\nt{0} -\nb{0} -\na{0} -\n", n);
            text += adamStep(2, 1000) + fmt::format("x{0} -\n", n);
        }
        const Labelled run(own(text));
        std::map<std::string, int> found;
        for (int i = 0; i < 3; ++i) {
            ++found[run.bucket(3000, i)];
        }
        QCOMPARE(found,
                 (std::map<std::string, int>{
                     {"gradient", 1}, {"optimizer_state", 1}, {"parameter", 1}}));
    }
    void copiesAreCountedWhereTheGradientsOfTheTraceSayNothing()
    {
        std::string text;
        for (int copy = 0; copy < 4; ++copy) {
            for (int i = 1; i <= 3; ++i) {
                text += fmt::format("live c{0}.{1} {2}\n", copy, i, i * 1000);
            }
        }
        for (int n = 1; n <= 2; ++n) { // Gradients are added to; one odd tensor stays a while.
            text += fmt::format("x{0} +777 @feed\na{0} +50000 @linear\nb{0} +60000 @linear\n", n);
            text += fmt::format("o{0} +64 @-\nt{0} +3000 @-\nt{0} -\nb{0} -\na{0} -\n", n);
            text += fmt::format("u{0} +3000 @adam\nu{0} -\no{0} -\nx{0} -\n", n);
        }
        const Labelled run(own(text));
        std::map<std::string, int> found;
        for (int i = 0; i < 4; ++i) {
            ++found[run.bucket(2000, i)];
        }
        QCOMPARE(found,
                 (std::map<std::string, int>{
                     {"gradient", 1}, {"optimizer_state", 2}, {"parameter", 1}}));
    }
    void whatWholeBackwardsAddToIsThereInOneOfTheCopies()
    {
        const auto found = [](int copies, bool adds, int odd = 1000) {
            std::string text;
            for (int copy = 0; copy < copies; ++copy) {
                for (int i = 1; i <= 6; ++i) {
                    text += fmt::format("live c{0}.{1} {2}\n", copy, i, i * 1000);
                }
            }
            for (int n = 1; n <= 2; ++n) {
                text +=
                    fmt::format("x{0} +777 @feed\na{0} +50000 @linear\nb{0} +60000 @linear\n", n);
                text += fmt::format("o{0} +{1} @-\n", n, odd); // As large as a weight, and stays.
                for (int i = 6; adds && i >= 1; --i) {
                    text += fmt::format("t{0}.{1} +{2} @-\nt{0}.{1} -\n", n, i, i * 1000);
                }
                text +=
                    fmt::format("b{0} -\na{0} -\nu{0} +3000 @adam\nu{0} -\no{0} -\nx{0} -\n", n);
            }
            const Labelled run(own(text));
            std::map<std::string, int> buckets;
            for (int i = 0; i < copies; ++i) {
                ++buckets[run.bucket(2000, i)];
            }
            return buckets;
        };
        using Found = std::map<std::string, int>;
        QCOMPARE(found(3, false), (Found{{"optimizer_state", 2}, {"parameter", 1}}));
        QCOMPARE(found(2, true), (Found{{"gradient", 1}, {"parameter", 1}}));
        QCOMPARE(found(3, true),
                 (Found{{"gradient", 1}, {"optimizer_state", 1}, {"parameter", 1}}));
        QCOMPARE(found(4, true),
                 (Found{{"gradient", 1}, {"optimizer_state", 2}, {"parameter", 1}}));
        QCOMPARE(found(4, true, 5000), // a quarter of the weights
                 (Found{{"gradient", 1}, {"optimizer_state", 2}, {"parameter", 1}}));
        QCOMPARE(found(5, true),
                 (Found{{"gradient", 1}, {"optimizer_state", 3}, {"parameter", 1}}));
    }
    void aStateWithoutATraceHoldsWhatWasThereBeforeHistory()
    {
        const Labelled run(own("live w1 1000\nlive w2 2000\nlive a 5000 @linear\n"));
        QCOMPARE(run.bucket(1000), std::string("parameter"));
        QCOMPARE(run.bucket(2000), std::string("parameter"));
        const Labelled bare(own("live w1 1000\nlive w2 2000\n"));
        QCOMPARE(bare.bucket(1000), std::string("unknown")); // Nothing says anything.
    }
    /// SGD makes nothing: a step ends where zero_grad lets the gradients go.
    void aStepInPlaceIsAStep()
    {
        std::string text = weights(1000);
        for (int n = 1; n <= 3; ++n) {
            text += pass(n, 1000) + gradientsGo(n);
        }
        QCOMPARE(Labelled(own(text)).labels.devices[0].steps.size(), 3UL);
    }
    void aStepThatAccumulatesIsOne()
    {
        std::string text = weights(1000);
        for (int n = 1; n <= 3; ++n) {
            // The second pass adds to the gradients of the first.
            text += pass(10 * n, 1000) + pass(10 * n + 1, 1000) + gradientsGo(10 * n + 1)
                + gradientsGo(10 * n);
        }
        QCOMPARE(Labelled(own(text)).labels.devices[0].steps.size(), 3UL);
    }
    /// 32 MiB from the first product of each thread; it looks like a buffer and a gradient.
    void theWorkspacesOfCublasAreNoBufferAndNoGradient()
    {
        constexpr std::int64_t kWorkspace = 33'554'432;
        std::string text = weights(1000);
        for (int n = 1; n <= 3; ++n) {
            std::string one = pass(n, 1000);
            if (n == 1) {
                const std::size_t product = one.find("a1.2 +");
                one.insert(product, fmt::format("wf +{} @linear\n", kWorkspace));
                const std::size_t gradient = one.find("g1.3 +");
                one.insert(gradient, fmt::format("wb +{} @-\n", kWorkspace));
            }
            text += one + adamStep(n, 1000) + gradientsGo(n);
        }
        const Labelled run(own(text));
        QCOMPARE(run.bucket(kWorkspace, 0), std::string("workspace"));
        QCOMPARE(run.bucket(kWorkspace, 1), std::string("workspace"));
        QCOMPARE(run.labels.devices[0].steps.size(), 3UL);
    }
    /// A weight in 16 bits may be as large; its gradient is none, kept or not.
    void aGradientAsLargeAsAWorkspaceIsAGradient()
    {
        constexpr std::int64_t kWeight = 33'554'432;
        std::string text = weights(1000) + fmt::format("big +{} @load\n", kWeight);
        for (int n = 1; n <= 2; ++n) {
            text += pass(n, 1000);
            text += n == 1 ? fmt::format("gbig +{} @-\nlast +9 @-\nlast -\n", kWeight) : "";
            text += adamStep(n, 1000); // zero_grad(set_to_none=False)
        }
        QCOMPARE(Labelled(own(text)).bucket(kWeight, 1), std::string("gradient"));
    }
};

TIDEMARK_TEST(TstHabits)

} // namespace tidemark::tst_habits

#include "tst_habits.moc"
