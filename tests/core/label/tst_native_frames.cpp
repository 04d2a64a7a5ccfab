// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/label/labelled_script.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_native_frames {

using namespace tidemark::test;

namespace {

/// A layer under autocast as the C++ frames below Python show it.
constexpr std::string_view kCasts = R"(
stack cast = at::_ops::_to_copy::call() ??:0; at::autocast::cached_cast() ??:0; linear /x/site-packages/torch/nn/functional.py:7; forward /me/model.py:4; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack product = at::_ops::addmm::call() ??:0; linear /x/site-packages/torch/nn/functional.py:7; forward /me/model.py:4; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
stack tile = forward /me/kernel.py:3; forward /me/model.py:6; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main /me/train.py:31
)";

/// A step whose one layer copies its weight and what it reads, so large.
std::string castStep(int weight, int input)
{
    return fmt::format(R"({}
w +20000 @load
x +2000 @data
e +30000 @embed
cw +{} @cast
ci +{} @cast
h +40000 @product
l +70000 @loss
gt +40000 @-
l -
g +20000 @-
h -
ci -
cw -
e -
gt -
m +20000 @adaminit
v +20000 @adaminit
g -
x -
)",
                       kCasts, weight, input);
}

} // namespace

class TstNativeFrames : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatALayerReadsIsNoCopyOfAWeight()
    {
        const Labelled run(castStep(10000, 15000));
        QCOMPARE(run.role(10000), std::string("weight_cast"));
        QCOMPARE(run.bucket(15000), std::string("activation"));
        QCOMPARE(run.role(15000), Labelled(castStep(10000, 15001)).role(40000)); // none
    }
    void ofTwoCopiesAsLargeTheLaterIsWhatTheLayerReads()
    {
        const Labelled run(castStep(10000, 10000));
        QCOMPARE(run.role(10000, 0), std::string("weight_cast"));
        QCOMPARE(run.role(10000, 1), run.role(40000));
    }
    void aLoopOverTilesIsOneOperationOfATraining()
    {
        // Cut off in its first pass: six operations kept their results beside 400 dropped tiles.
        std::string text = fmt::format("{}w +10000 @load\nx +2000 @data\n", kCasts);
        int made = 0;
        for (const char* stack : {"embed", "linear", "scores", "softmax", "product", "cast"}) {
            text += fmt::format("k{} +{} @{}\n", made, 30000 + made, stack);
            ++made;
        }
        for (int i = 0; i < 400; ++i) {
            text += fmt::format("t{0} +700 @tile\nt{0} -\n", i);
        }
        text += "h +40000 @linear\n";
        const Labelled run(text);
        QCOMPARE(run.phases(), std::string("setup/0 input/1 forward/1"));
        QCOMPARE(run.bucket(30001), std::string("activation"));
    }
};

TIDEMARK_TEST(TstNativeFrames)

} // namespace tidemark::tst_native_frames

#include "tst_native_frames.moc"
