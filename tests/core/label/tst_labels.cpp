// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/label/labelled_script.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_labels {

using namespace tidemark::label;
using test::Labelled;
using test::step;

namespace {

/// Stops at the nth time that it hears of the work, and counts how often it does so in all.
class StoppingSink final : public ProgressSink {
public:
    explicit StoppingSink(int nth)
        : m_nth(nth)
    {
    }
    void report(std::string_view, double) override
    {
        if (++m_reports == m_nth) {
            m_source.request_stop();
        }
    }
    [[nodiscard]] std::stop_token token() const
    {
        return m_source.get_token();
    }
    [[nodiscard]] int reports() const
    {
        return m_reports;
    }

private:
    int m_nth;
    int m_reports = 0;
    std::stop_source m_source;
};

} // namespace

class TstLabels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void askedToStopItGoesNoFurtherThanTheNextPart()
    {
        const Labelled run("w +10000 @load\n" + step(1, true));
        StoppingSink all(0);
        QVERIFY(apply(run.snapshot, run.replay, all, all.token()).has_value());
        QVERIFY(all.reports() > 6); // Each of its parts is one.
        for (int nth = 1; nth < all.reports(); ++nth) {
            StoppingSink sink(nth);
            const auto labels = apply(run.snapshot, run.replay, sink, sink.token());
            QVERIFY(labels.error().code == ErrorCode::cancelled);
            QVERIFY(sink.reports() <= nth + 1);
        }
    }
    void aTrainingRunIsLabelledByPhaseAndLifetime()
    {
        const Labelled run("w +10000 @load\n" + step(1, true) + step(2, false) + step(3, false));
        QCOMPARE(run.bucket(10000, 0), std::string("parameter"));
        QCOMPARE(run.role(10000, 0), std::string("trainable"));
        QCOMPARE(run.bucket(2000), std::string("input"));
        QCOMPARE(run.bucket(30000), std::string("activation"));
        QCOMPARE(run.bucket(500), std::string("temporary"));
        QCOMPARE(run.bucket(70000), std::string("activation"));
        QCOMPARE(run.bucket(40000, 0), std::string("activation"));
        QCOMPARE(run.bucket(40000, 1), std::string("temporary"));
        QCOMPARE(run.role(40000, 1), std::string("activation_gradient"));
        QCOMPARE(run.bucket(10000, 1), std::string("gradient"));
        QCOMPARE(run.bucket(10000, 2), std::string("optimizer_state"));
        QCOMPARE(run.bucket(10000, 3), std::string("optimizer_state"));
        QCOMPARE(run.bucket(10000, 4), std::string("temporary"));
        QCOMPARE(run.role(10000, 4), std::string("optimizer_transient"));
    }
    void ofTwoEqualModelsOneHasGradients()
    {
        const Labelled run("w +10000 @load\n r +10000 @load\n" + step(1, true) + step(2, false));
        QCOMPARE(run.role(10000, 0), std::string("trainable"));
        QCOMPARE(run.role(10000, 1), std::string("frozen"));
        // With two states for each of them both are trained, in turns.
        const Labelled both("w +10000 @load\n r +10000 @load\n" + step(1, true)
                            + "n +10000 @adaminit\n o +10000 @adaminit\n" + step(2, false));
        QCOMPARE(both.role(10000, 0), std::string("trainable"));
        QCOMPARE(both.role(10000, 1), std::string("trainable"));
    }
    void weightsThatOneStorageHoldsAreTrained()
    {
        // Two weights of 12 000 bytes lie in one storage; their gradients and states do not.
        const auto stepOf = [](int n, bool first) {
            std::string text = step(n, first);
            const auto put = [&text](const std::string& after, const std::string& lines) {
                text.insert(text.find(after) + after.size(), lines);
            };
            put(fmt::format("g{} +10000 @-\n", n),
                fmt::format("p{0} +12000 @-\nq{0} +12000 @-\n", n));
            put(fmt::format("\ng{} -\n", n), fmt::format("p{0} -\nq{0} -\n", n));
            if (first) {
                put("v +10000 @adaminit\n",
                    "a +12000 @adaminit\nb +12000 @adaminit\nc +12000 @adaminit\nd +12000 "
                    "@adaminit\n");
            }
            return text;
        };
        const std::string steps = stepOf(1, true) + stepOf(2, false) + stepOf(3, false);
        const Labelled joined("w +10000 @load\n f +24000 @load\n" + steps);
        QCOMPARE(joined.bucket(12000, 0), std::string("gradient"));
        QCOMPARE(joined.role(24000), std::string("trainable"));
        // What is larger than these gradients is frozen.
        const Labelled other("w +10000 @load\n f +31000 @load\n" + steps);
        QCOMPARE(other.role(31000), std::string("frozen"));
    }
    void aWholeCopyIsNotTrainedBesideItsModel()
    {
        const std::string copying =
            "stack copy = __deepcopy__ /x/site-packages/torch/nn/parameter.py:55; deepcopy "
            "/x/lib/python3.11/copy.py:153; main /me/train.py:12\n";
        const std::string model = "w +10000 @load\n v +20000 @load\n";
        const std::string pass = "x +2000 @data\n e +30000 @embed\n oom 40448 free=1K @linear\n";
        const Labelled run(copying + model + "c +10000 @copy\n d +20000 @copy\n" + pass);
        QCOMPARE(run.role(10000, 0), std::string("trainable"));
        QCOMPARE(run.role(20000, 0), std::string("trainable"));
        QCOMPARE(run.role(10000, 1), std::string("frozen"));
        QCOMPARE(run.role(20000, 1), std::string("frozen"));
        // Layers that are copied from one another are parts of one model.
        const Labelled layers(copying + model + "c +10000 @copy\n d +10000 @copy\n" + pass);
        QCOMPARE(layers.role(10000, 1), std::string(""));
    }
    void phasesAndStepsFollowTheStacks()
    {
        const Labelled run("w +10000 @load\n" + step(1, true) + step(2, false));
        QCOMPARE(run.phases(),
                 std::string("setup/0 input/1 forward/1 backward/1 optimizer/1 "
                             "input/2 forward/2 backward/2 optimizer/2"));
        QCOMPARE(run.labels.devices[0].steps.size(), 2UL);
        QVERIFY(run.labels.devices[0].steps[0].last_event
                < run.labels.devices[0].steps[1].first_event);
    }
    void aStepThatWasCutOffHasBegun()
    {
        const std::string done = "w +10000 @load\n" + step(1, true);
        const std::string oom = "oom 40448 free=1K @linear\n";
        const auto begun = [](const std::string& script) {
            const Labelled run(script);
            std::string text;
            for (const Step& s : run.labels.devices[0].stepsBegun()) {
                text += fmt::format("{}-{} ", s.first_event.value, s.last_event.value);
            }
            return text;
        };
        const std::string whole = begun(done);
        QCOMPARE(begun(done + "x2 +2000 @data\n e2 +30000 @embed\n" + oom), whole + "27-29 ");
        // Neither a batch nor what makes the model is a step.
        QCOMPARE(begun(done + "x2 +2000 @data\n oom 2048 free=1K @data\n"), whole);
        QCOMPARE(begun("w +10000 @load\n oom 40448 free=1K @load\n"), std::string());
        QCOMPARE(begun("w +10000 @load\n x +2000 @data\n e +30000 @embed\n" + oom),
                 std::string("1-3 "));
    }
    void whatALossWouldHaveReadAreLogits()
    {
        // The failed request is given in blocks; what lies further before it may be as large.
        const std::string begun = "w +10000 @load\n" + step(1, true) + "x2 +2000 @data\n";
        std::string far = "n2 +70000 @embed\n";
        for (int i = 0; i < 8; ++i) {
            far += fmt::format("h2{} +4000{} @linear\n", i, i);
        }
        const Labelled run(begun + far + "y2 +70000 @linear\n oom 70144 free=1K @loss\n");
        QCOMPARE(run.role(70000, 2), std::string("logits"));
        QCOMPARE(run.role(70000, 1), std::string(""));
        const Labelled elsewhere(begun + far + "y2 +70000 @linear\n oom 70144 free=1K @linear\n");
        QCOMPARE(elsewhere.role(70000, 2), std::string(""));
    }
    void whatACutBackwardMadeIsAGradientIfAWeightIsAsLarge()
    {
        // Weights are older than the trace.
        const std::string begun = "live w 10000 load\n live v 20000 load\n live m 10000\n"
                                  "x +2000 @data\n e +30000 @embed\n h +40000 @linear\n"
                                  "l +70000 @loss\n gl +71000 @-\n";
        const std::string ends = "oom 40448 free=1K @-\n";
        const Labelled first(begun + ends); // at the loss
        QCOMPARE(first.bucket(71000), std::string("temporary"));
        QCOMPARE(first.role(71000), std::string("activation_gradient"));
        const Labelled later(begun + "gh +72000 @-\n g +10000 @-\n" + ends);
        QCOMPARE(later.bucket(71000), std::string("temporary"));
        QCOMPARE(later.bucket(72000), std::string("temporary"));
        QCOMPARE(later.bucket(10000, 2), std::string("gradient"));
    }
    void aWeightHasOneGradientInACutBackward()
    {
        const std::string pass = "x2 +2000 @data\n e2 +30000 @embed\n h2 +40000 @linear\n"
                                 "l2 +70000 @loss\n gt2 +40000 @-\n g2 +10000 @-\n";
        const std::string ends = "gh2 +10000 @-\n oom 40448 free=1K @-\n";
        // Known from a whole backward, or from the weights alone.
        const Labelled second("w +10000 @load\n" + step(1, true) + pass + ends);
        QCOMPARE(second.bucket(10000, 5), std::string("gradient"));
        QCOMPARE(second.bucket(10000, 6), std::string("temporary"));
        const Labelled first("w +10000 @load\n" + pass + ends);
        QCOMPARE(first.bucket(10000, 1), std::string("gradient"));
        QCOMPARE(first.bucket(10000, 2), std::string("temporary"));
        const Labelled of_two("w +10000 @load\n v +10000 @load\n" + pass + ends);
        QCOMPARE(of_two.bucket(10000, 3), std::string("gradient"));
    }
    void matricesThatAreMadeAgainAreMatrices()
    {
        const std::string again =
            "stack again = softmax /x/site-packages/torch/nn/functional.py:8; forward "
            "/me/model.py:7; _call_impl /x/site-packages/torch/nn/modules/module.py:9; backward "
            "/x/site-packages/torch/utils/checkpoint.py:3\n";
        const Labelled run(again
                           + "w +10000 @load\n x +2000 @data\n e +30000 @embed\n"
                             "s +90000 @softmax\n s -\n l +70000 @loss\n gl +70000 @-\n"
                             "t +90000 @again\n h +40000 @recompute\n g +10000 @-\n"
                             "t -\n h -\n e -\n l -\n gl -\n m +10000 @adaminit\n");
        QCOMPARE(run.bucket(90000, 1), std::string("activation"));
        QCOMPARE(run.role(90000, 1), std::string("attention_matrix"));
        QCOMPARE(run.role(40000), std::string("recomputed"));
    }
    void spansTileTheTrace()
    {
        const Labelled run("w +10000 @load\n" + step(1, true) + step(2, false));
        const auto& spans = run.labels.devices[0].phases;
        QCOMPARE(spans.front().first.value, 0U);
        QCOMPARE(spans.back().end.index(), run.snapshot.devices[0].events.count());
        for (std::size_t i = 0; i + 1 < spans.size(); ++i) {
            QCOMPARE(spans[i].end.value, spans[i + 1].first.value);
        }
        QVERIFY(run.labels.devices[0].phaseAt(EventId(0U))->phase == Phase::setup);
    }
    void passesWithoutBackwardAreEvaluationAndWhatTheyKeepIsOutput()
    {
        std::string eval;
        for (int i = 0; i < 4; ++i) {
            eval += fmt::format(
                "ex{0} +2001 @data\n ee{0} +30001 @embed\n eh{0} +40001 @linear\n ee{0} -\n"
                "ei{0} +41001 @linear\n eh{0} -\n ej{0} +42001 @linear\n ei{0} -\n"
                "eo{0} +60001 @linear\n ej{0} -\n ex{0} -\n",
                i);
        }
        const Labelled run("w +10000 @load\n" + step(1, true) + step(2, false) + eval);
        QCOMPARE(run.bucket(60001, 0), std::string("output"));
        QCOMPARE(run.bucket(60001, 3), std::string("output"));
        QCOMPARE(run.bucket(40001, 2), std::string("temporary"));
        QVERIFY(run.phases().find("evaluation/2") != std::string::npos);
    }
    void passesOfAnUntrainedProgramAreInference()
    {
        std::string passes;
        for (int i = 0; i < 3; ++i) {
            passes +=
                fmt::format("a{0} +3000 @embed\n b{0} +3001 @linear\n a{0} -\n c{0} +3002 @linear\n"
                            "b{0} -\n d{0} +3003 @linear\n c{0} -\n e{0} +3004 @linear\n d{0} -\n"
                            "f{0} +3005 @linear\n e{0} -\n g{0} +3006 @linear\n f{0} -\n g{0} -\n",
                            i);
        }
        const Labelled run("w +10000 @load\n" + passes);
        QCOMPARE(run.phases(), std::string("setup/0 inference/0"));
        QCOMPARE(run.bucket(3003, 1), std::string("temporary"));
        QCOMPARE(run.bucket(10000), std::string("parameter"));
    }
    void attentionScoresAreFoundBesideTheirSoftmax()
    {
        const Labelled run("w +10000 @load\n x +2000 @data\n e +30000 @embed\n s +100000 @scores\n"
                           "p +100000 @softmax\n o +555 @scores\n l +70000 @loss\n g +10000 @-\n"
                           "z +10000 @-\n u +10000 @adam\n");
        QCOMPARE(run.role(100000, 0), std::string("attention_matrix"));
        QCOMPARE(run.role(100000, 1), std::string("attention_matrix"));
        QCOMPARE(run.role(555), std::string(""));
    }
    void aHiddenLayerOfTheSameSizeFarFromTheSoftmaxIsNoMatrix()
    {
        std::string between;
        for (int i = 0; i < 14; ++i) {
            between += fmt::format("b{0} +2100 @linear\n", i);
        }
        const Labelled run("w +10000 @load\n x +2000 @data\n e +30000 @embed\n h +100000 @scores\n"
                           + between + "p +100000 @softmax\n"
                           + "a +2101 @linear\n c +2102 @linear\n d +2103 @linear\n"
                             "l +70000 @loss\n g +10000 @-\n"
                             "z +10000 @-\n u +10000 @adam\n");
        QCOMPARE(run.role(100000, 0), std::string(""));
        QCOMPARE(run.role(100000, 1), std::string("attention_matrix"));
    }
    void logitsAreTheLossesOwnSizeJustBeforeIt()
    {
        const Labelled run("w +10000 @load\n x +2000 @data\n e +30000 @embed\n h +35000 @linear\n"
                           "l +70000 @loss\n g +10000 @-\n z +10000 @-\n u +10000 @adam\n");
        QCOMPARE(run.role(70000), std::string("logits"));
        QCOMPARE(run.role(35000), std::string("logits")); // The same elements in half precision.
        QCOMPARE(run.role(30000), std::string(""));
    }
    void whatTheHeadReadsIsNoLogits()
    {
        // A hidden layer twice as large, a norm's result half as large, then the head.
        const Labelled run(
            "stack head = forward /x/site-packages/torch/nn/modules/linear.py:114; forward "
            "/me/model.py:9; _call_impl /x/site-packages/torch/nn/modules/module.py:9; main "
            "/me/train.py:31\n"
            "w +10000 @load\n x +2000 @data\n m +140000 @linear\n n +35000 @linear\n"
            "h +70000 @head\n l +70000 @loss\n g +10000 @-\n z +10000 @-\n u +10000 @adam\n");
        QCOMPARE(run.role(70000, 0), std::string("logits"));
        QCOMPARE(run.role(70000, 1), std::string("logits"));
        QCOMPARE(run.role(35000), std::string(""));
        QCOMPARE(run.role(140000), std::string(""));
    }
    void recomputedActivationsAreNamed()
    {
        const Labelled run(
            "w +10000 @load\n x +2000 @data\n e +30000 @embed\n l +70000 @loss\n"
            "r +45000 @recompute\n g +10000 @-\n r -\n z +11000 @-\n u +10000 @adam\n");
        QCOMPARE(run.role(45000), std::string("recomputed"));
        QVERIFY(run.phases().find("backward/1") != std::string::npos);
    }
    void framesOfLibrariesDecideByThemselves()
    {
        const Labelled run("w +10000 @load\n c +8519680 @cublas\n n +12345 @nccl\n");
        QCOMPARE(run.bucket(8519680), std::string("workspace"));
        QCOMPARE(run.bucket(12345), std::string("communication"));
    }
    void withoutAnyStackNothingIsClaimed()
    {
        const Labelled run("a +10000\n b +500\n b -\n live w 7000\n");
        QCOMPARE(run.bucket(10000), std::string("unknown"));
        QCOMPARE(run.bucket(7000), std::string("unknown"));
        QCOMPARE(int(run.labels.devices[0].confidence[0]), 0);
    }
    void memoryFromBeforeTheTraceIsSplitByItsGradientSizes()
    {
        const Labelled run("live w 10000\n live m 10000\n live v 10000\n" + step(1, false)
                           + step(2, false));
        QCOMPARE(run.bucket(10000, 0), std::string("parameter"));
        QCOMPARE(run.bucket(10000, 1), std::string("optimizer_state"));
        QCOMPARE(run.bucket(10000, 2), std::string("optimizer_state"));
    }
    void aFailedRequestIsLabelledAsIfItHadSucceeded()
    {
        const Labelled forward("w +10000 @load\n" + step(1, true)
                               + "x +2000 @data\n e +30000 @embed\n oom 40448 free=1K @linear\n");
        QVERIFY(forward.labels.devices[0].failed.at(0).bucket == Bucket::activation);
        QVERIFY(forward.labels.devices[0].failed.at(0).role == Role::none);
        const Labelled in_loss("w +10000 @load\n x +2000 @data\n e +30000 @embed\n"
                               "l +70144 @linear\n oom 70144 free=1K @loss\n");
        QVERIFY(in_loss.labels.devices[0].failed.at(0).bucket == Bucket::activation);
        QVERIFY(in_loss.labels.devices[0].failed.at(0).role == Role::logits);
        const Labelled optimizer(
            "w +10000 @load\n x +2000 @data\n e +30000 @embed\n l +70000 @loss\n"
            "g +10000 @-\n l -\n e -\n z +11 @-\n z -\n m +10000 @adaminit\n"
            "oom 10240 free=1K @adaminit\n");
        QVERIFY(optimizer.labels.devices[0].failed.at(0).bucket == Bucket::optimizer_state);
    }
    void eachFailedRequestKnowsOnlyWhatCameBeforeIt()
    {
        // Twice the same request: first nothing like it is known, then the allocation between them
        // is, then one of the same place whose size is new, then one in backward as large as a
        // parameter.
        const Labelled run("w +10000 @load\n" + step(1, true)
                           + "x +2000 @data\n e +30000 @embed\n oom 70144 free=1K @scores\n"
                             "s +70000 @scores\n s -\n oom 70144 free=1K @scores\n"
                             "oom 99840 free=1K @scores\n l +70000 @loss\n gt +40000 @-\n"
                             "oom 10240 free=1K @-\n oom 10752 free=1K @-\n");
        const auto& failed = run.labels.devices[0].failed;
        QCOMPARE(failed.size(), 5UL);
        QVERIFY(failed[0].bucket == Bucket::activation);
        QVERIFY(failed[1].bucket == Bucket::temporary);
        QVERIFY(failed[2].bucket == Bucket::temporary);
        QVERIFY(failed[3].bucket == Bucket::gradient);
        QVERIFY(failed[4].bucket == Bucket::temporary);
        QVERIFY(failed[4].role == Role::activation_gradient);
        // As sure as the twin between the first two; less than it without one.
        const auto& sizes = run.replay.devices[0].allocations.requested;
        std::vector<std::size_t> alike;
        for (std::size_t a = 0; a < sizes.size(); ++a) {
            if (sizes[a] == Bytes{70000}) {
                alike.push_back(a);
            }
        }
        const std::size_t twin = alike.at(alike.size() - 2); // before the loss of the second step
        QCOMPARE(failed[1].confidence, run.labels.devices[0].confidence[twin]);
        QVERIFY(failed[0].confidence < failed[1].confidence);
        for (std::size_t i = 0; i < failed.size(); ++i) {
            QCOMPARE(failed[i].event.value, run.replay.devices[0].ooms[i].value);
        }
    }
    void everyLabelHasAReasonAndOnlyUnknownHasNoConfidence()
    {
        const Labelled run("w +10000 @load\n" + step(1, true) + step(2, false));
        const DeviceLabels& l = run.labels.devices[0];
        for (std::size_t i = 0; i < l.bucket.size(); ++i) {
            QVERIFY(!l.reasonOf(AllocationId(i)).rule.empty());
            QVERIFY(!l.reasonOf(AllocationId(i)).evidence.empty());
            QCOMPARE(l.confidence[i] == 0, l.bucket[i] == Bucket::unknown);
        }
    }
    void idsAndBucketsAgreeBothWays()
    {
        for (std::size_t i = 0; i < kBucketCount; ++i) {
            QVERIFY(bucketFromId(bucketId(bucketAt(i))) == bucketAt(i));
        }
        QVERIFY(!bucketFromId("weights").has_value());
    }
    void whatServesManyPassesIsACache_data()
    {
        QTest::addColumn<int>("passes");
        QTest::addColumn<int>("tensors");
        QTest::addColumn<QString>("bucket");
        QTest::newRow("room for keys and values") << 12 << 4 << QStringLiteral("kv_cache");
        // A model's layers share lines, so a line that allocates often is no count of passes.
        QTest::newRow("a batch of one pass") << 1 << 4 << QStringLiteral("input");
        QTest::newRow("two that every pass reads") << 12 << 2 << QStringLiteral("input");
    }
    void whatServesManyPassesIsACache()
    {
        QFETCH(const int, passes);
        QFETCH(const int, tensors);
        QFETCH(const QString, bucket);
        std::string text = "w +1000000 @load\n";
        for (int batch = 0; batch < (passes == 1 ? 12 : 2); ++batch) {
            std::string freed;
            for (int i = 0; i < tensors; ++i) {
                text += fmt::format("k{0}x{1} +400000 @keep\n", batch, i);
                freed += fmt::format("k{0}x{1} -\n", batch, i);
            }
            for (int pass = 0; pass < passes; ++pass) {
                text += fmt::format("e{0}x{1} +3000 @embed\n", batch, pass);
                for (int layer = 0; layer < 10; ++layer) {
                    text += fmt::format("h{0}x{1}x{2} +5000 @linear\nh{0}x{1}x{2} -\n", batch, pass,
                                        layer);
                }
                text += fmt::format("e{0}x{1} -\n", batch, pass);
            }
            text += freed;
        }
        const Labelled run(text);
        QVERIFY2(run.phases().find("inference") != std::string::npos, run.phases().c_str());
        QCOMPARE(QString::fromStdString(run.bucket(400000, 0)), bucket);
    }
};

TIDEMARK_TEST(TstLabels)

} // namespace tidemark::tst_labels

#include "tst_labels.moc"
