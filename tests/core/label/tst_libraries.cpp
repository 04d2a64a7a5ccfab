// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Libraries that run the loop: generation, and trainers that hand a closure to the optimizer. And
// what a program never lets go of.
#include "tests/core/label/labelled_script.h"
#include "tests/support/test_main.h"

#include <QtCore/QString>
#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_libraries {

using test::Labelled;
using test::step;

namespace {

constexpr std::string_view kLibraries = R"(
stack cache = update /x/site-packages/transformers/cache_utils.py:136; update /x/site-packages/transformers/cache_utils.py:1570; forward /x/site-packages/transformers/models/llama/modeling_llama.py:251; _call_impl /x/site-packages/torch/nn/modules/module.py:9; _sample /x/site-packages/transformers/generation/utils.py:3207; generate /x/site-packages/transformers/generation/utils.py:3007; main /me/train.py:29
stack genlinear = linear /x/site-packages/torch/nn/functional.py:7; forward /x/site-packages/transformers/models/llama/modeling_llama.py:250; _call_impl /x/site-packages/torch/nn/modules/module.py:9; _sample /x/site-packages/transformers/generation/utils.py:3207; generate /x/site-packages/transformers/generation/utils.py:3007; main /me/train.py:29
stack traincache = update /x/site-packages/transformers/cache_utils.py:136; forward /x/site-packages/transformers/models/llama/modeling_llama.py:251; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack cforward = linear /x/site-packages/torch/nn/functional.py:7; forward /me/model.py:4; _call_impl /x/site-packages/torch/nn/modules/module.py:9; training_step /me/lit.py:8; closure /x/site-packages/lightning/pytorch/loops/optimization/automatic.py:131; decorate_context /x/site-packages/torch/utils/_contextlib.py:124; _wrap_closure /x/site-packages/lightning/pytorch/plugins/precision/precision.py:110; step /x/site-packages/torch/optim/adamw.py:2; optimizer_step /x/site-packages/lightning/pytorch/core/module.py:1300; main /me/train.py:40
stack closs = _clone_loss /x/site-packages/lightning/pytorch/loops/optimization/automatic.py:60; closure /x/site-packages/lightning/pytorch/loops/optimization/automatic.py:131; decorate_context /x/site-packages/torch/utils/_contextlib.py:124; _wrap_closure /x/site-packages/lightning/pytorch/plugins/precision/precision.py:110; step /x/site-packages/torch/optim/adamw.py:2; optimizer_step /x/site-packages/lightning/pytorch/core/module.py:1300; main /me/train.py:40
stack leak = leaky /me/train.py:12; main /me/train.py:24
stack own = step /me/optimizer.py:76; main /me/train.py:34
)";

std::string libraries(const std::string& script)
{
    return std::string(kLibraries) + script;
}

/// Generation of three tokens: the cache is copied for each, longer by 64 bytes.
std::string generation(int n)
{
    std::string text = fmt::format("p{0} +2003 @data\n", n);
    for (int t = 0; t < 3; ++t) {
        for (int i = 0; i < 4; ++i) {
            text += fmt::format("q{0}.{1}.{2} +{3} @genlinear\n", n, t, i, 3100 + i);
            text += i == 0 ? "" : fmt::format("q{0}.{1}.{2} -\n", n, t, i - 1);
        }
        text += fmt::format("k{0}.{1} +{2} @cache\n q{0}.{1}.3 -\n", n, t, 8000 + 64 * t);
        text += t == 0 ? "" : fmt::format("k{0}.{1} -\n", n, t - 1);
    }
    return text + fmt::format("k{0}.2 -\n p{0} -\n", n);
}

/// A step whose forward and backward run in a closure that the optimizer calls.
std::string closureStep(int n, bool first)
{
    return fmt::format(R"(
x{0} +2000 @data
e{0} +30000 @cforward
h{0} +40000 @cforward
c{0} +4 @closs
gt{0} +40000 @-
g{0} +10000 @-
h{0} -
e{0} -
gt{0} -
c{0} -
{1}
u{0} +10000 @adam
u{0} -
g{0} -
x{0} -
)",
                       n, first ? "m +10000 @adaminit\n v +10000 @adaminit" : "");
}

/// One step of an optimizer that makes a new moment in place of the old one, for two weights. What
/// belongs to the last weight goes when `step` returns.
std::string ownStep(int n)
{
    return fmt::format(R"(
x{0} +2000 @data
e{0} +30000 @embed
h{0} +40000 @linear
l{0} +70000 @loss
gt{0} +40000 @-
l{0} -
g{0} +10000 @-
b{0} +20000 @-
h{0} -
e{0} -
gt{0} -
m{0} +10000 @own
m{1} -
t{0} +20001 @own
s{0} +20000 @own
r{0} +20002 @own
s{1} -
t{0} -
r{0} -
x{0} -
)",
                       n, n - 1);
}

} // namespace

class TstLibraries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCopyOfACacheIsCache()
    {
        const Labelled run(libraries("w +10000 @load\n" + generation(1) + generation(2)));
        for (const int n : {0, 1}) {
            QCOMPARE(run.bucket(8000, n), std::string("kv_cache"));
            QCOMPARE(run.bucket(8064, n), std::string("kv_cache"));
            QCOMPARE(run.bucket(8128, n), std::string("kv_cache"));
        }
        QCOMPARE(run.bucket(3101, 2), std::string("temporary"));
    }
    void aScriptThatIsNamedLikeACacheIsNone()
    {
        const Labelled run("stack fed = main "
                           "/me/kv_cache_demo.py:14\nw +10000 @load\n x0 +2004 @fed\n"
                           + step(1, true) + "x9 +2005 @fed\n" + step(2, false));
        QCOMPARE(run.bucket(2004), std::string("input"));
        QCOMPARE(run.bucket(2005), std::string("input"));
    }
    void whatACacheCopiesForABackwardIsSaved()
    {
        const Labelled run(
            libraries("w +10000 @load\n x +2000 @data\n e +30000 @embed\n k +31000 @traincache\n"
                      "l +70000 @loss\n gl +70000 @-\n g +10000 @-\n k -\n l -\n gl -\n e -\n"
                      "m +10000 @adaminit\n v +10000 @adaminit\n g -\n x -\n"
                      + step(2, false)));
        QCOMPARE(run.bucket(31000), std::string("activation"));
    }
    void generationInATrainingAsksForNoGradients()
    {
        const Labelled run(libraries("w +10000 @load\n" + generation(1) + step(1, true)
                                     + generation(2) + step(2, false)));
        QCOMPARE(QString::fromStdString(run.phases()),
                 QStringLiteral("setup/0 input/0 evaluation/0 input/1 forward/1 backward/1 "
                                "optimizer/1 input/1 evaluation/1 input/2 forward/2 backward/2 "
                                "optimizer/2"));
        QCOMPARE(run.bucket(8128, 0), std::string("kv_cache"));
    }
    void aClosureIsNoWorkOfTheOptimizerThatCallsIt()
    {
        const Labelled run(libraries("w +10000 @load\n" + closureStep(1, true)
                                     + closureStep(2, false) + closureStep(3, false)));
        QCOMPARE(run.phases(),
                 std::string("setup/0 input/1 forward/1 backward/1 optimizer/1 input/2 forward/2 "
                             "backward/2 optimizer/2 input/3 forward/3 backward/3 optimizer/3"));
        QCOMPARE(run.labels.devices[0].steps.size(), 3UL);
        QCOMPARE(run.bucket(10000, 1), std::string("gradient"));
    }
    void whatEveryStepMakesAndNoneFreesIsNoBatch()
    {
        std::string script = "w +10000 @load\n";
        for (int n = 1; n <= 3; ++n) {
            script += fmt::format("k{} +50000 @leak\n", n) + step(n, n == 1);
        }
        const Labelled run(libraries(script));
        for (int n = 0; n < 3; ++n) {
            QCOMPARE(run.bucket(50000, n), std::string("output"));
            QCOMPARE(run.bucket(2000, n), std::string("input"));
        }
        // A data set that is made before the first step is one.
        std::string once = "w +10000 @load\n k1 +50000 @leak\n k2 +50000 @leak\n k3 +50000 @leak\n";
        for (int n = 1; n <= 3; ++n) {
            once += step(n, n == 1);
        }
        QCOMPARE(Labelled(libraries(once)).bucket(50000, 1), std::string("input"));
    }
    void whatAStepLetsGoOfWhenItReturnsWasReplaced()
    {
        // Two weights with a moment each, there before the trace.
        const Labelled run(libraries("live w 10000\n live c 20000\n live m0 10000\n live s0 20000\n"
                                     + ownStep(1)));
        QCOMPARE(run.bucket(10000, 0), std::string("parameter"));
        QCOMPARE(run.bucket(20000, 0), std::string("parameter"));
        QCOMPARE(run.bucket(10000, 1), std::string("optimizer_state"));
        QCOMPARE(run.bucket(20000, 1), std::string("optimizer_state"));
        QCOMPARE(run.bucket(20001), std::string("temporary"));
        QCOMPARE(run.bucket(20002), std::string("temporary"));
    }
};

TIDEMARK_TEST(TstLibraries)

} // namespace tidemark::tst_libraries

#include "tst_libraries.moc"
