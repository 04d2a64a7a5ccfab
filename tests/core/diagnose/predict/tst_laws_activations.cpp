// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/fine_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>

namespace tidemark::tst_laws_activations {

using namespace tidemark::diagnose;
using namespace tidemark::test::fine;
using label::Bucket;
using label::Phase;
using label::Role;
using test::kM;
using test::ModelShape;

class TstLawsActivations : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void checkpointingKeepsTheInputsOfBlocks();
    void checkpointingKeepsInputsThatNoBlockSaved();
    void selectiveCheckpointingKeepsOneBlocksMatrices();
    void aroundTheWholeAttentionMoreIsDropped();
    void flashAttentionDropsTheMatricesAndTheirGradients();
    void flashAttentionReadsGroupedKeysAsTheyAre_data();
    void flashAttentionReadsGroupedKeysAsTheyAre();
    void aFusedLossKeepsAnEighthOfTheLogits();
    void aFusedLossLeavesEvaluationsTheirLogits();
    void aFusedLossAllowsForAnEvaluationToCome();
    void afterAFusedLossBackwardGoesThroughTheBlocks();
    void autocastLeavesSoftmaxWide();
    void autocastCopiesWhatDropoutMade();
    void autocastDropsTheCopyBeforeItsMatrix();
    void copiesOfWeightsDoNotFollowTheBatch();
    void autocastCopiesNothingThatIsFrozenAhead();
    void autocastLeavesNormsThatAreWrittenOutWide();
    void autocastCopiesWhatANormMadeForEachProduct();
    void autocastCopiesNoTables();
    void pureSixteenBitsHalveEverything();
};

void TstLawsActivations::checkpointingKeepsTheInputsOfBlocks()
{
    // Border of forward and backward: four outputs, logits and their gradient. In the last block's
    // backward: four outputs, its own 48 and a gradient of 32. When it is made again, beside the
    // gradient of the logits: four outputs, its own 48 and its output, which is the most.
    const std::int64_t outputs = 4 * 16 * kM;
    const std::int64_t in_backward = kStates + kInput + outputs + (16 + 32) * kM + 32 * kM;
    const std::int64_t made_again = kStates + kInput + outputs + (16 + 32 + 16) * kM + kLogits / 2;
    QCOMPARE(peakAfter("checkpointing=full"), made_again);
    QVERIFY(made_again > in_backward);
    QVERIFY(in_backward > kStates + kInput + outputs + kLogits);
}

void TstLawsActivations::checkpointingKeepsInputsThatNoBlockSaved()
{
    // Each block saves what its norm made of its rows and three more as large, and last what it
    // widened; the rows themselves no operation reads in backward.
    constexpr std::int64_t kRows = 4 * kM;
    constexpr std::int64_t kSaved = 4 * kRows + 16 * kM;
    test::HandRun run(1024 * kM);
    run.phase(Phase::forward, 1);
    std::vector<test::HandRun::Handle> saved;
    for (int block = 0; block < 4; ++block) {
        for (const char* const line : {"20", "21", "22", "23", "24"}) {
            saved.push_back(run.alloc(line == std::string_view("24") ? 16 * kM : kRows,
                                      Bucket::activation, Role::none,
                                      std::string("forward /home/me/model.py:") + line));
        }
    }
    run.phase(Phase::backward, 1);
    for (; !saved.empty(); saved.pop_back()) {
        run.free(saved.back());
    }
    run.phase(Phase::optimizer, 1);
    run.free(run.alloc(512, Bucket::temporary));
    Analysis analysis = run.finish();
    program::Program program = (*analysis.programs)[0];
    program.dimensions = {{program::DimensionName::tokens, 2048, 1, "", {}}};
    program.weights.layers = 4;
    program.weights.hidden = 512;
    program.weights.element_bytes = 4;
    analysis.programs =
        std::make_shared<const std::vector<program::Program>>(std::vector{std::move(program)});
    const Prediction p = test::predictionOf(analysis, "checkpointing=full");
    QCOMPARE(p.before_peak.value, 4 * kSaved);
    QCOMPARE(p.after_peak.value, 4 * kRows + kSaved);
}

void TstLawsActivations::selectiveCheckpointingKeepsOneBlocksMatrices()
{
    const std::int64_t others = 4 * (16 + 16) * kM;
    QCOMPARE(peakAfter("checkpointing=selective"), kStates + kInput + others + 32 * kM + 32 * kM);
}

void TstLawsActivations::aroundTheWholeAttentionMoreIsDropped()
{
    // At the lower end: of each block's two times 16 the one behind the matrix goes as well.
    const Prediction p = test::predictionOf(test::fineRun(), "checkpointing=selective");
    const std::int64_t low = kStates + kInput + (4 * 16 + 32 + 32) * kM;
    const double slack = 0.03 * static_cast<double>((p.before_peak - p.after_peak).value)
        + 0.003 * static_cast<double>(p.after_peak.value);
    QVERIFY(std::abs(static_cast<double>(p.after_low.value - low) + slack) < 8);
    QCOMPARE(peakAfter("checkpointing=attention"), low); // if that is what is meant
}

void TstLawsActivations::flashAttentionDropsTheMatricesAndTheirGradients()
{
    const Prediction p = test::predictionOf(test::fineRun(), "attention=flash");
    const std::int64_t without = kPeak - 4 * 32 * kM;
    QVERIFY(p.after_peak.value >= without);
    QVERIFY(p.after_peak.value < without + 4 * kM); // a tile per block
}

void TstLawsActivations::flashAttentionReadsGroupedKeysAsTheyAre_data()
{
    QTest::addColumn<QString>("function");
    QTest::addColumn<std::int64_t>("kv_width"); // 0: not known
    QTest::addColumn<std::int64_t>("left");
    QTest::newRow("repeated") << "repeat_kv" << std::int64_t{128} << kM;
    QTest::newRow("of another function") << "forward" << std::int64_t{128} << 4 * kM;
    QTest::newRow("not known to be grouped") << "repeat_kv" << std::int64_t{0} << 4 * kM;
}

void TstLawsActivations::flashAttentionReadsGroupedKeysAsTheyAre()
{
    QFETCH(QString, function);
    QFETCH(std::int64_t, kv_width);
    QFETCH(std::int64_t, left);
    test::HandRun run(64 * kM);
    run.phase(Phase::forward, 1);
    run.alloc(4 * kM, Bucket::activation, Role::none,
              function.toStdString() + " /x/transformers/models/llama/modeling_llama.py:177");
    Analysis analysis = run.finish();
    program::Program program = (*analysis.programs)[0];
    program.dimensions = {{program::DimensionName::hidden, 512, 1, "", {}}};
    if (kv_width > 0) {
        program.dimensions.push_back({program::DimensionName::kv_width, kv_width, 1, "", {}});
    }
    analysis.programs =
        std::make_shared<const std::vector<program::Program>>(std::vector{std::move(program)});
    const Prediction p = test::predictionOf(analysis, "attention=flash");
    QCOMPARE(p.after_peak.value, left);
    QVERIFY(p.after_high.value >= 4 * kM); // a kernel may need them repeated
}

void TstLawsActivations::aFusedLossKeepsAnEighthOfTheLogits()
{
    // Where the logits of 240 were: a part of 30 and a copy, nearly half one more for those who
    // make it again, and the gradients of what the head reads and of its weight.
    const std::int64_t parts = std::llround(2.45 * 30 * kM);
    QCOMPARE(peakAfter("fused-loss=on", {.logits = 240 * kM}),
             kStates + kInput + kBlocks + parts + (16 + 8) * kM);
    // Of few logits the last block's backward is the peak: the gradient of its matrix.
    QCOMPARE(peakAfter("fused-loss=on"), kStates + kInput + kBlocks + 32 * kM + 8 * kM);
    // In sixteen parts of 15, if that is said; one copy if fused, two if made again.
    const std::int64_t others = kStates + kInput + kBlocks + (16 + 8) * kM;
    QCOMPARE(peakAfter("fused-loss=16", {.logits = 240 * kM}), others + 2 * 15 * kM);
    QCOMPARE(peakAfter("fused-loss=recompute-16", {.logits = 240 * kM}), others + 3 * 15 * kM);
    QCOMPARE(peakAfter("fused-loss=recompute", {.logits = 240 * kM}), others + 3 * 30 * kM);
    // Of parts of 4 what each adds to the weight's gradient of 8, and its sum, are more.
    QCOMPARE(peakAfter("fused-loss=recompute-60", {.logits = 240 * kM}), others + 2 * 8 * kM);
    // And with a quarter of the batch what sixteen add: parts of 3.75 then.
    QCOMPARE(peakAfter("micro-batch=0.25,fused-loss=recompute-16", {.logits = 240 * kM}),
             kStates + (kInput + kBlocks + 16 * kM) / 4 + (8 + 2 * 8) * kM);
    // The gradient of the loss itself is none of the head's.
    QCOMPARE(peakAfter("fused-loss=recompute-16", {.logits = 240 * kM, .keeps_seed = true}),
             others + 3 * 15 * kM);
    // Beside gradients that are zeroed the sum of its parts goes when it is whole: what is left is
    // the last block's backward.
    QCOMPARE(peakAfter("fused-loss=recompute-60", {.logits = 240 * kM, .keep_gradients = true}),
             others + 2 * 8 * kM + 4 * 8 * kM);
    // With half the batch everything of that is half as large, but the weight's gradient.
    QCOMPARE(peakAfter("micro-batch=0.5,fused-loss=on", {.logits = 240 * kM}),
             kStates + (kInput + kBlocks + parts + 16 * kM) / 2 + 8 * kM);
}

void TstLawsActivations::aFusedLossLeavesEvaluationsTheirLogits()
{
    // After a step an evaluation of one block, with logits of its own.
    test::HandRun run(900 * kM);
    test::HandTraining training(run, {.logits = 240 * kM});
    training.step();
    run.phase(Phase::evaluation, 1);
    run.free(run.alloc(300 * kM, Bucket::output, Role::logits, "forward /home/me/model.py:50"));
    const Prediction p = test::predictionOf(run.finish(), "fused-loss=16");
    QCOMPARE(p.after_peak.value, kStates + 300 * kM);
    QVERIFY(p.after_low.value < kStates + 240 * kM); // some make none then
}

void TstLawsActivations::aFusedLossAllowsForAnEvaluationToCome()
{
    const auto predicted = [](bool evaluates) {
        test::HandRun run(900 * kM);
        test::HandTraining training(run, {.logits = 240 * kM});
        if (evaluates) {
            training.step();
            run.phase(Phase::evaluation, 1);
            run.free(run.alloc(kM, Bucket::output, Role::none, "forward /home/me/model.py:50"));
        }
        training.forward();
        run.phase(Phase::backward, evaluates ? 2 : 1);
        run.oom(240 * kM, 2 * kM, Bucket::temporary, Role::activation_gradient);
        return test::predictionOf(run.finish(), "fused-loss=16");
    };
    const auto says = [](const Prediction& p) {
        return std::ranges::any_of(p.assumptions, [](const std::string& text) {
            return text.find("No evaluation recorded") != std::string::npos;
        });
    };
    const Prediction open = predicted(false);
    QVERIFY(says(open));
    QVERIFY(open.after_need_high.value > 32 * kM + 2 * 240 * kM); // weights, logits, log-softmax
    QVERIFY(open.after_need.value < 32 * kM + 2 * 240 * kM); // only the upper end does
    QVERIFY(!says(predicted(true)));
}

void TstLawsActivations::afterAFusedLossBackwardGoesThroughTheBlocks()
{
    // It failed at the second gradient of the loss; both go, and attention comes next.
    constexpr std::int64_t kSeed = 512;
    test::HandRun run(900 * kM);
    test::HandTraining training(run, {.logits = 240 * kM});
    training.forward();
    run.free(run.alloc(kSeed, Bucket::activation)); // the loss
    run.phase(Phase::backward, 1);
    run.alloc(kSeed, Bucket::temporary, Role::activation_gradient);
    run.alloc(240 * kM, Bucket::temporary, Role::activation_gradient);
    run.oom(240 * kM, 2 * kM, Bucket::temporary, Role::activation_gradient);
    const Prediction p = test::predictionOf(run.finish(), "fused-loss=16");
    const test::ModelShape model;
    const std::int64_t kept = model.layers * (2 * model.hidden + model.attention);
    const std::int64_t beside_matrix = 2 * model.attention - model.hidden;
    QCOMPARE(p.after_need.value, kStates + (64 << 10) + kSeed + kept + beside_matrix);
}

void TstLawsActivations::autocastLeavesSoftmaxWide()
{
    // Of 16 each four norms make half; the next norm reads three blocks' results, which stay; the
    // last one's shrinks to 62 %. A matrix of 32 with a copy of 16 beside it; logits that nobody
    // casts are half as wide; 80 % of the weights, 32, with a copy half as wide.
    const Prediction p = test::predictionOf(test::fineRun(), "precision=bf16");
    const double wanted = 16 * (4 * 0.5 + 3 + 0.62) + 4 * 32 * 1.5 + 0.8 * 32 / 2;
    const double after = static_cast<double>(p.after_peak.value - kStates - kInput - kLogits / 2);
    QVERIFY2(std::abs(after / kM - wanted) < 0.001, qPrintable(QString::number(after / kM)));
}

void TstLawsActivations::autocastLeavesNormsThatAreWrittenOutWide()
{
    // What the norm reads stays, and so does what it divided; of its result a copy is kept. Where
    // the result is gone at once, somebody else keeps a copy of it.
    const auto left = [](bool keeps_result) {
        test::HandRun run(512 * kM);
        const std::string_view norm = "forward /home/me/norms.py:5";
        run.phase(Phase::setup, 0);
        run.alloc(4 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:9");
        run.phase(Phase::forward, 1);
        const auto read =
            run.alloc(16 * kM, Bucket::activation, Role::none, "forward /home/me/model.py:12");
        const auto squares = run.alloc(16 * kM, Bucket::temporary, Role::none, norm);
        const auto roots = run.alloc(64 << 10, Bucket::activation, Role::none, norm);
        run.free(squares);
        const auto divided = run.alloc(16 * kM, Bucket::activation, Role::none, norm);
        const auto result = run.alloc(
            16 * kM, keeps_result ? Bucket::activation : Bucket::temporary, Role::none, norm);
        if (!keeps_result) {
            run.free(result);
        }
        run.alloc(32 * kM, Bucket::activation, Role::none, "forward /home/me/model.py:13");
        run.phase(Phase::backward, 1);
        for (const auto made : {read, roots, divided}) {
            run.free(made);
        }
        run.alloc(4 * kM, Bucket::gradient, Role::none, "");
        run.phase(Phase::optimizer, 1);
        const Prediction p = test::predictionOf(run.finish(), "precision=bf16");
        return static_cast<double>(p.after_peak.value) / kM - 4 - 0.8 * 4 / 2 - 0.62 * 32;
    };
    QVERIFY2(std::abs(left(true) - (16 + 16 + 8)) < 0.1, qPrintable(QString::number(left(true))));
    QVERIFY2(std::abs(left(false) - (16 + 16)) < 0.1, qPrintable(QString::number(left(false))));
}

void TstLawsActivations::autocastCopiesWhatANormMadeForEachProduct()
{
    // Query, key and value read it, the output projection does not; a single product saves half.
    const auto left = [](int linears) {
        test::HandRun run(512 * kM);
        run.phase(Phase::setup, 0);
        run.alloc(4 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:9");
        run.phase(Phase::forward, 1);
        std::vector<test::HandRun::Handle> saved{
            run.alloc(16 * kM, Bucket::activation, Role::none,
                      "layer_norm /x/torch/nn/functional.py:2900; forward /home/me/model.py:12")};
        for (int i = 0; i < linears; ++i) {
            saved.push_back(run.alloc(
                8 * kM, Bucket::activation, Role::none,
                "forward /x/torch/nn/modules/linear.py:134; forward /home/me/model.py:13"));
        }
        run.phase(Phase::backward, 1);
        for (const test::HandRun::Handle made : saved) {
            run.free(made);
        }
        run.alloc(4 * kM, Bucket::gradient, Role::none, "");
        run.phase(Phase::optimizer, 1);
        const Prediction p = test::predictionOf(run.finish(), "precision=bf16");
        return static_cast<double>(p.after_peak.value) / kM - 4 - 0.8 * 4 / 2 - 4 * linears;
    };
    QVERIFY2(std::abs(left(1) - 8) < 0.1, qPrintable(QString::number(left(1))));
    QVERIFY2(std::abs(left(2) - 8) < 0.1, qPrintable(QString::number(left(2))));
    QVERIFY2(std::abs(left(4) - 24) < 0.1, qPrintable(QString::number(left(4))));
}

void TstLawsActivations::autocastCopiesNoTables()
{
    const auto added = [](std::int64_t head) {
        test::HandRun run(512 * kM);
        run.phase(Phase::setup, 0);
        run.alloc(8 * kM, Bucket::parameter, Role::none,
                  "__init__ /opt/torch/nn/modules/sparse.py:141");
        run.alloc(head, Bucket::parameter, Role::none, "__init__ /home/me/model.py:9");
        run.phase(Phase::forward, 1);
        const auto made =
            run.alloc(32 * kM, Bucket::activation, Role::logits, "forward /home/me/model.py:12");
        run.phase(Phase::backward, 1);
        run.free(made);
        run.alloc(kM, Bucket::gradient, Role::none, "");
        run.phase(Phase::optimizer, 1);
        const Prediction p = test::predictionOf(run.finish(), "precision=bf16");
        return (p.after_peak.value - 8 * kM - head - 16 * kM) / kM;
    };
    QCOMPARE(added(8 * kM), 4); // the head's copy
    QCOMPARE(added(2 * kM), 5); // the table is the head as well
}

void TstLawsActivations::autocastCopiesWhatDropoutMade()
{
    // The softmax's 32 stay, of what dropout made the 16-bit copy is kept alone; 4 of weights.
    test::HandRun run(512 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(4 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:9");
    run.phase(Phase::forward, 1);
    const auto made = run.alloc(32 * kM, Bucket::activation, Role::attention_matrix,
                                "softmax /opt/torch/nn/functional.py:1841");
    const auto dropped = run.alloc(32 * kM, Bucket::activation, Role::attention_matrix,
                                   "dropout /opt/torch/nn/functional.py:1252");
    run.phase(Phase::backward, 1);
    run.free(dropped);
    run.free(made);
    run.alloc(4 * kM, Bucket::gradient, Role::none, "");
    run.phase(Phase::optimizer, 1);
    const Prediction p = test::predictionOf(run.finish(), "precision=bf16");
    const double wanted = 4 + 32 + 16 + 0.8 * 4 / 2;
    const double after = static_cast<double>(p.after_peak.value) / kM;
    QVERIFY2(std::abs(after - wanted) < 0.001, qPrintable(QString::number(after)));
}

void TstLawsActivations::autocastDropsTheCopyBeforeItsMatrix()
{
    // Two gradients of a softmax of 32 beside it: with its copy of 16 gone by then, 48 where one
    // for one it would be 64. Of what dropout made the copy was kept alone, and they stay.
    const auto added = [](bool drops) {
        test::HandRun run(512 * kM);
        run.phase(Phase::setup, 0);
        run.alloc(4 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:9");
        run.phase(Phase::forward, 1);
        const auto made = run.alloc(32 * kM, Bucket::activation, Role::attention_matrix,
                                    "softmax /opt/torch/nn/functional.py:1841");
        const auto dropped = drops ? run.alloc(32 * kM, Bucket::activation, Role::attention_matrix,
                                               "dropout /opt/torch/nn/functional.py:1252")
                                   : made;
        run.phase(Phase::backward, 1);
        const auto of_scores = run.alloc(32 * kM, Bucket::temporary, Role::activation_gradient, "");
        const auto of_softmax =
            run.alloc(32 * kM, Bucket::temporary, Role::activation_gradient, "");
        run.free(made);
        if (drops) {
            run.free(dropped);
        }
        run.free(of_scores);
        run.free(of_softmax);
        run.alloc(4 * kM, Bucket::gradient, Role::none, "");
        run.phase(Phase::optimizer, 1);
        const Prediction p = test::predictionOf(run.finish(), "precision=bf16");
        return static_cast<double>(p.after_peak.value) / kM - 4 - 0.8 * 4 / 2;
    };
    QVERIFY(std::abs(added(false) - (48 + 48)) < 0.001);
    QVERIFY(std::abs(added(true) - (48 + 64)) < 0.001);
}

void TstLawsActivations::copiesOfWeightsDoNotFollowTheBatch()
{
    const std::int64_t fixed = kStates + 8 * 32 * kM / 20;
    const std::int64_t whole = peakAfter("precision=bf16") - fixed;
    for (const char* const changes :
         {"precision=bf16,micro-batch=0.5", "micro-batch=0.5,precision=bf16"}) {
        QVERIFY(std::abs(peakAfter(changes) - fixed - whole / 2) < 8);
    }
}

void TstLawsActivations::autocastCopiesNothingThatIsFrozenAhead()
{
    // A table and a layer are frozen, another layer is trained; of both an adapter needs the copy.
    const auto added = [](const char* configuration) {
        test::HandRun run(512 * kM);
        run.phase(Phase::setup, 0);
        run.alloc(16 * kM, Bucket::parameter, Role::frozen,
                  "__init__ /opt/torch/nn/modules/sparse.py:141");
        run.alloc(4 * kM, Bucket::parameter, Role::frozen, "__init__ /home/me/model.py:8");
        run.alloc(8 * kM, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:9");
        run.phase(Phase::forward, 1);
        const auto made =
            run.alloc(32 * kM, Bucket::activation, Role::logits, "forward /home/me/model.py:12");
        run.phase(Phase::backward, 1);
        run.free(made);
        run.alloc(8 * kM, Bucket::gradient, Role::none, "");
        run.phase(Phase::optimizer, 1);
        UserInput input;
        input.config = config::readRunConfig(configuration).value();
        const Prediction p = test::predictionOf(run.finish(std::move(input)), "precision=bf16");
        return p.after_peak.value - (16 + 4 + 8 + 16) * kM;
    };
    const std::int64_t head = 16 * kM; // the table is as large as no other weight: a head as well
    QCOMPARE(added("per_device_train_batch_size: 8"), (head + 8 * kM) / 2);
    QCOMPARE(added("use_peft: true"), (head + 4 * kM + 8 * kM) / 2);
}

void TstLawsActivations::pureSixteenBitsHalveEverything()
{
    QCOMPARE(peakAfter("precision=pure-bf16"), (kPeak - kInput) / 2 + kInput);
}

TIDEMARK_TEST(TstLawsActivations)

} // namespace tidemark::tst_laws_activations

#include "tst_laws_activations.moc"
