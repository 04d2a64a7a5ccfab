// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What lives as long as weights and is none.
#include "tests/core/label/labelled_script.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>
#include <string_view>

namespace tidemark::tst_no_weights {

using test::Labelled;

namespace {

constexpr std::string_view kByHand =
    "stack byhand = perturb /me/train.py:27; main /me/train.py:30\n";

} // namespace

class TstNoWeights : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aGraphOfThePassBeforeIsNoWeights()
    {
        std::string text;
        for (int i = 1; i <= 6; ++i) {
            text += fmt::format("live w{} {}\n", i, 4000000 + i * 1000);
        }
        for (int i = 1; i <= 10; ++i) {
            text += fmt::format("live old{} {}\n", i, 50000 + i);
        }
        std::string freed;
        for (int i = 1; i <= 10; ++i) {
            text += fmt::format("new{} +{} @linear\n", i, 50000 + i);
            freed += fmt::format("old{} -\n", i);
        }
        const Labelled run(text + freed);
        QCOMPARE(run.bucket(4001000), std::string("parameter"));
        for (int i = 1; i <= 10; ++i) {
            QCOMPARE(run.bucket(50000 + i, 0), std::string("activation"));
        }
        // A program's end frees its weights, and makes none of them again.
        std::string end = text;
        for (int i = 1; i <= 6; ++i) {
            end += fmt::format("w{} -\n", i);
        }
        const Labelled ended(end + freed);
        QCOMPARE(ended.bucket(4001000), std::string("parameter"));
        QCOMPARE(ended.bucket(50001, 0), std::string("activation"));
    }
    void plainCodeBetweenLoadsAfterAPassMakesNoModel()
    {
        std::string text = "w1 +1000000 @load\nw2 +2000000 @load\n";
        for (int n = 1; n <= 2; ++n) {
            text += fmt::format("a{0} +500000 @linear\na{0} -\nl{0} +1000000 @load\n", n);
            text += fmt::format("p{0} +7000000 @byhand\nq{0} +7000000 @byhand\nq{0} -\n", n);
            text += fmt::format("m{0} +1000000 @load\nm{0} -\nl{0} -\np{0} -\n", n);
        }
        const Labelled run(std::string(kByHand) + text);
        QVERIFY(run.bucket(7000000, 0) != "parameter");
        QVERIFY2(run.phases().find("other") != std::string::npos, run.phases().c_str());
    }
    void weightsMadeAnewWithoutABackwardAreWeights()
    {
        for (const int made : {3, 2}) {
            std::string text;
            for (int i = 1; i <= 3; ++i) {
                text += fmt::format("w{} +{} @load\n", i, i * 1000000);
            }
            text += "a1 +500000 @linear\na1 -\nl +90000 @load\nl -\n";
            for (int i = 1; i <= made; ++i) {
                text += fmt::format("u{} +{} @byhand\n", i, i * 1000000);
            }
            text += "m +90000 @load\nm -\n";
            const Labelled run(std::string(kByHand) + text);
            const std::string got = run.bucket(2000000, 1);
            QVERIFY2(got == (made == 3 ? "parameter" : "output"),
                     (got + ", " + run.phases()).c_str());
        }
    }
    void noiseInTheSizesOfWeightsIsTemporary_data()
    {
        QTest::addColumn<QString>("weight");
        QTest::newRow("loaded in the trace") << QStringLiteral("w{0} +{1} @load\n");
        QTest::newRow("there before") << QStringLiteral("live w{0} {1}\n");
    }
    void noiseInTheSizesOfWeightsIsTemporary()
    {
        // Evolution strategies: the noise of a turn lives through its passes.
        QFETCH(const QString, weight);
        std::string text;
        for (int i = 1; i <= 6; ++i) {
            text += fmt::format(fmt::runtime(weight.toStdString()), i, i * 1000000);
        }
        const std::string pass = "a1 +500000 @linear\nb1 +400000 @linear\na1 -\nb1 -\n";
        text += pass;
        for (int turn = 0; turn < 3; ++turn) {
            std::string freed;
            for (int i = 1; i <= 6; ++i) {
                text += fmt::format("n{0} +{1} @byhand\n", i, i * 1000000);
                freed += fmt::format("n{0} -\n", i);
            }
            text += pass + "x1 +1000 @data\nx1 -\n" + pass + freed;
        }
        const Labelled run(std::string(kByHand) + text);
        for (int i = 1; i <= 6; ++i) {
            QCOMPARE(run.bucket(i * 1000000, 0), std::string("parameter"));
            for (int turn = 1; turn <= 3; ++turn) {
                QCOMPARE(run.bucket(i * 1000000, turn), std::string("temporary"));
            }
        }
    }
    void noiseBetweenPassesIsNotKept()
    {
        // Made, scaled and added weight by weight, while much else comes and goes.
        std::string text;
        for (int i = 1; i <= 4; ++i) {
            text += fmt::format("w{0} +{1} @load\n", i, i * 1000000);
        }
        text += "a1 +500000 @linear\na1 -\nl +70000 @load\n";
        for (int i = 1; i <= 4; ++i) {
            text += fmt::format("n{0} +{1} @byhand\n", i, i * 1000000);
            for (int k = 0; k < 10; ++k) {
                text += fmt::format("s{0}x{1} +600 @keep\ns{0}x{1} -\n", i, k);
            }
            text += fmt::format("n{} -\n", i);
        }
        text += "k +3000000 @keep\nm +90000 @load\nm -\na2 +500000 @linear\na2 -\nk -\n";
        const Labelled run(std::string(kByHand) + text);
        QVERIFY2(run.phases().find("other") != std::string::npos, run.phases().c_str());
        for (int i = 1; i <= 4; ++i) {
            QCOMPARE(run.bucket(i * 1000000, 1), std::string("temporary"));
        }
        QCOMPARE(run.bucket(3000000, 2), std::string("output"));
    }
    void volumesBesideASmallModelAreNoWeights()
    {
        std::string text = "live v1 30000000\nlive v2 30000000\n";
        for (int i = 1; i <= 10; ++i) {
            text += fmt::format("live w{} {}\n", i, 4000);
        }
        const Labelled run(text + "a +500000 @linear\na -\nb +500000 @linear\nb -\n");
        QCOMPARE(run.bucket(4000), std::string("parameter"));
        QCOMPARE(run.bucket(30000000), std::string("input"));
    }
};

TIDEMARK_TEST(TstNoWeights)

} // namespace tidemark::tst_no_weights

#include "tst_no_weights.moc"
