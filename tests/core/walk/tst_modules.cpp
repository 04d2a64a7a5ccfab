// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/experts.h"
#include "core/walk/layers.h"
#include "core/walk/norm.h"
#include "core/walk/operations.h"
#include "tests/core/walk/small_models.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <functional>

namespace tidemark::tst_modules {

using namespace tidemark::walk;

namespace {

/// What one module keeps for backward beside its parameters, and that all of it goes.
class Bench {
public:
    Bench(const ModelShape& planned_model, const RunShape& planned_run)
        : model(planned_model)
        , run(planned_run)
        , tape(recorder, run.target)
        , parameters(tape, run)
        , context{tape, model, run, parameters}
    {
    }

    /// Bytes that live behind forward, without parameters, input and result. The input needs a
    /// gradient, as the hidden states of a layer do.
    std::int64_t savedBy(std::int64_t elements, Dtype type,
                         const std::function<Tensor(const Tensor&)>& module)
    {
        Tensor made;
        std::int64_t saved = 0;
        {
            Tensor input = tape.empty(elements, type);
            input = tape.leaf(input.memory, elements, type, 0, [](const Tensor&) {});
            const Bytes before = recorder.live();
            made = module(input);
            saved = (recorder.live() - before - made.memory->bytes()).value;
        }
        tape.backward(made);
        made = {};
        tape.casts.clear();
        return saved;
    }

    ModelShape model;
    RunShape run;
    Recorder recorder;
    Tape tape;
    Parameters parameters;
    Context context;
};

} // namespace

/// Closed forms of what modules save (docs/plan.md), against the walk through their operations.
class TstModules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rmsNormKeepsItsNormalisedInput()
    {
        // The input itself, x · rsqrt and one reciprocal per row; the result is the caller's.
        Bench bench(test::smallLlama(), test::onCpu());
        const Norm norm(bench.context, 192);
        const std::int64_t rows = bench.run.tokens();
        QCOMPARE(bench.savedBy(rows * 192, Dtype::fp32,
                               [&](const Tensor& x) { return norm(bench.context, x); }),
                 rows * 192 * 4 + rows * 4);
    }
    void rmsNormIn16BitsKeepsA32BitCopyToo()
    {
        RunShape run = test::onCpu();
        run.precision = Precision::bf16;
        Bench bench(test::smallLlama(), run);
        const Norm norm(bench.context, 192);
        const std::int64_t rows = run.tokens();
        QCOMPARE(bench.savedBy(rows * 192, Dtype::bf16,
                               [&](const Tensor& x) { return norm(bench.context, x); }),
                 rows * 192 * (4 + 2) + rows * 4);
    }
    void normsKeepWhatTheirKindNeeds_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("bytes_per_element"); // In 16 bits, beside the input.
        QTest::addColumn<int>("numbers_per_row");
        const auto row = [](const char* name, NormKind kind, int bytes, int numbers) {
            QTest::newRow(name) << static_cast<int>(kind) << bytes << numbers;
        };
        // A 32-bit copy and, before or behind the cast, what the weight is multiplied with.
        row("rms", NormKind::rms, 4 + 2, 1);
        row("rms_wide", NormKind::rms_wide, 4 + 4, 1);
        row("rms_shifted", NormKind::rms_shifted, 4 + 4, 1);
        // The input itself, the mean and the deviation; these in the input's type on the CPU.
        row("layer", NormKind::layer, 0, 1);
        row("plain", NormKind::plain, 4, 2);
        // x − mean, once for the square and once for the product, and the product.
        row("centered", NormKind::centered, 4 + 4 + 4, 1);
    }
    void normsKeepWhatTheirKindNeeds()
    {
        QFETCH(const int, kind);
        QFETCH(const int, bytes_per_element);
        QFETCH(const int, numbers_per_row);
        RunShape run = test::onCpu();
        run.precision = Precision::bf16;
        ModelShape model = test::smallLlama();
        model.norm = static_cast<NormKind>(kind);
        Bench bench(model, run);
        const Norm norm(bench.context, 192);
        const std::int64_t rows = run.tokens();
        const std::int64_t weights = model.norm == NormKind::rms_shifted ? 2 * 192 * 4
            : model.norm == NormKind::centered                           ? 192 * 4
                                                                         : 0;
        const std::int64_t saved = bench.savedBy(
            rows * 192, Dtype::bf16, [&](const Tensor& x) { return norm(bench.context, x); });
        QCOMPARE(saved - rows * 192 * bytes_per_element - rows * numbers_per_row * 4
                     - std::min(weights, std::int64_t{192 * 4}),
                 0);
    }
    void gatedMlpKeepsFourTensorsOfItsWidth()
    {
        Bench bench(test::smallLlama(), test::onCpu());
        const GatedMlp mlp(bench.context, 520);
        const std::int64_t rows = bench.run.tokens();
        QCOMPARE(bench.savedBy(rows * 192, Dtype::fp32,
                               [&](const Tensor& x) { return mlp(bench.context, x); }),
                 4 * rows * 520 * 4);
    }
    void anActivationWrittenOutKeepsOneMore()
    {
        RunShape run = test::onCpu();
        run.own.activation = true;
        Bench bench(test::smallLlama(), run);
        const GatedMlp mlp(bench.context, 520);
        const std::int64_t rows = run.tokens();
        QCOMPARE(bench.savedBy(rows * 192, Dtype::fp32,
                               [&](const Tensor& x) { return mlp(bench.context, x); }),
                 5 * rows * 520 * 4);
    }
    void aLossWrittenOutKeepsItsExponentials()
    {
        RunShape run = test::onCpu();
        run.own.loss = true;
        Bench bench(test::smallLlama(), run);
        const std::int64_t rows = run.tokens();
        const Tensor labels = bench.tape.empty(rows, Dtype::int64);
        // And of each row the largest's place and the sum.
        QCOMPARE(bench.savedBy(rows * 5000, Dtype::fp32,
                               [&](const Tensor& logits) {
                                   return languageLoss(bench.context, logits, labels);
                               }),
                 rows * 5000 * 4 + rows * (8 + 4));
    }
    void frozenMlpKeepsThree()
    {
        RunShape run = test::onCpu();
        run.lora = Lora{4, {"q_proj"}};
        Bench bench(test::smallLlama(), run);
        const GatedMlp mlp(bench.context, 520);
        const std::int64_t rows = bench.run.tokens();
        QCOMPARE(bench.savedBy(rows * 192, Dtype::fp32,
                               [&](const Tensor& x) { return mlp(bench.context, x); }),
                 3 * rows * 520 * 4);
    }
    void anAdapterKeepsItsNarrowTensorAndA32BitInput()
    {
        for (const bool is_16bit : {false, true}) {
            RunShape run = test::onCpu();
            run.precision = is_16bit ? Precision::bf16 : Precision::fp32;
            run.lora = Lora{4, {"q_proj"}};
            Bench bench(test::smallLlama(), run);
            const Linear layer(bench.context, "q_proj", 192, 240, false);
            const std::int64_t rows = run.tokens();
            const std::int64_t input = is_16bit ? rows * 192 * 4 : 0;
            QCOMPARE(bench.savedBy(rows * 192, is_16bit ? Dtype::bf16 : Dtype::fp32,
                                   [&](const Tensor& x) { return layer(bench.context, x); }),
                     input + rows * 4 * 4);
        }
    }
    void attentionKernels_data()
    {
        // In tensors of the width of all heads, of all scores, and of one number per row and head.
        QTest::addColumn<int>("attention");
        QTest::addColumn<int>("wide");
        QTest::addColumn<int>("scores");
        QTest::addColumn<int>("sums");
        // Queries, keys, values and the result are the caller's.
        QTest::newRow("fused") << int(Attention::sdpa) << 0 << 0 << 1;
        // Keys and values of all heads, softmax. Queries only matter to keys, which are fixed here.
        QTest::newRow("eager") << int(Attention::eager) << 2 << 1 << 0;
        // The exponentials; what is divided only matters to values, which are fixed here. Sums, and
        // the places of the largest in 64 bits. Without a mask, which no token needs here.
        QTest::newRow("own") << int(Attention::own) << 2 << 1 << 3;
    }
    void attentionKernels()
    {
        QFETCH(const int, attention);
        QFETCH(const int, wide);
        QFETCH(const int, scores);
        QFETCH(const int, sums);
        RunShape run = test::onCpu();
        run.attention = static_cast<Attention>(attention);
        Bench bench(test::smallLlama(), run);
        const std::int64_t rows = run.tokens();
        const std::int64_t per_head = rows * bench.model.heads;
        const Tensor k = splitHeads(bench.tape, bench.tape.empty(rows * 80, Dtype::fp32));
        const Tensor v = splitHeads(bench.tape, bench.tape.empty(rows * 80, Dtype::fp32));
        QCOMPARE(bench.savedBy(rows * 240, Dtype::fp32,
                               [&](const Tensor& x) {
                                   return attend(bench.context, splitHeads(bench.tape, x), k, v,
                                                 {selfAttentionSize(bench.context),
                                                  {},
                                                  false,
                                                  bench.run.attention != Attention::own});
                               }),
                 wide * rows * 240 * 4 + scores * per_head * run.sequence * 4
                     + sums * per_head * 4);
    }
    void theFallbackOfAttentionComputesIn32Bits()
    {
        // The CPU's fused kernel knows no dropout. Keys and values in 32 bits, softmax and its
        // mask.
        RunShape run = test::onCpu();
        run.precision = Precision::bf16;
        ModelShape model = test::smallLlama();
        model.key_heads = model.heads;
        model.drops_attention = true;
        Bench bench(model, run);
        const std::int64_t wide = run.tokens() * 240;
        const std::int64_t scores = run.tokens() * model.heads * run.sequence;
        const Tensor k = splitHeads(bench.tape, bench.tape.empty(wide, Dtype::bf16));
        const Tensor v = splitHeads(bench.tape, bench.tape.empty(wide, Dtype::bf16));
        QCOMPARE(bench.savedBy(wide, Dtype::bf16,
                               [&](const Tensor& x) {
                                   return attend(
                                       bench.context, splitHeads(bench.tape, x), k, v,
                                       {selfAttentionSize(bench.context), {}, true, true});
                               }),
                 2 * wide * 4 + 2 * scores * 4);
    }
    void onlyBertsLossStaysIn16Bits()
    {
        for (const bool is_bert : {false, true}) {
            RunShape run = test::onCpu();
            run.precision = Precision::bf16;
            ModelShape model = test::smallLlama();
            model.architecture = is_bert ? Architecture::bert : Architecture::decoder;
            Bench bench(model, run);
            const std::int64_t rows = run.tokens();
            const Tensor labels = bench.tape.empty(rows, Dtype::int64);
            const std::int64_t saved =
                bench.savedBy(rows * 5000, Dtype::bf16, [&](const Tensor& logits) {
                    return languageLoss(bench.context, logits, labels);
                });
            const std::int64_t beside = saved - rows * 5000 * (is_bert ? 2 : 4);
            QVERIFY2(beside >= 0 && beside <= rows * 8 + 64, QByteArray::number(beside));
        }
    }
    void dropoutKeepsAMaskByTarget()
    {
        for (const Target target : {Target::cpu, Target::cuda}) {
            RunShape run = test::onCpu();
            run.target = target;
            Bench bench(test::smallLlama(), run);
            QCOMPARE(bench.savedBy(1000, Dtype::fp32,
                                   [&](const Tensor& x) { return dropout(bench.tape, x); }),
                     target == Target::cpu ? 4000 : 1000);
        }
    }
    void sumsOverManyRowsWorkInGlobalMemory_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("bytes"); // As an H100 was recorded to ask for.
        QTest::newRow("feed-forward of ViT") << 16 * 197 << 3072 << 78'643'200;
        QTest::newRow("hidden size of ViT") << 16 * 197 << 768 << 19'660'800;
        QTest::newRow("few rows") << 512 << 768 << 0;
        QTest::newRow("many outputs") << 4096 << 400'000 << 0;
    }
    void sumsOverManyRowsWorkInGlobalMemory()
    {
        QFETCH(const int, rows);
        QFETCH(const int, width);
        QFETCH(const int, bytes);
        for (const Target target : {Target::cpu, Target::cuda}) {
            RunShape run = test::onCpu();
            run.target = target;
            Bench bench(test::smallLlama(), run);
            const Tensor made = partialSums(bench.tape, rows, width);
            QCOMPARE(made.isThere() ? made.memory->bytes().value : 0,
                     target == Target::cuda ? bytes : 0);
        }
    }
    void theMemoryEfficientKernelRoundsRowsUp()
    {
        RunShape run = test::onCpu(2, 50);
        run.target = Target::cuda;
        ModelShape model = test::smallLlama();
        model.key_heads = model.heads;
        Bench bench(model, run);
        const std::int64_t elements = run.tokens() * 240;
        const Tensor k = splitHeads(bench.tape, bench.tape.empty(elements, Dtype::fp32));
        const Tensor v = splitHeads(bench.tape, bench.tape.empty(elements, Dtype::fp32));
        const std::int64_t saved = bench.savedBy(elements, Dtype::fp32, [&](const Tensor& x) {
            return attend(bench.context, splitHeads(bench.tape, x), k, v,
                          {selfAttentionSize(bench.context), {}});
        });
        QCOMPARE(saved, std::int64_t{2} * 6 * 64 * 4);
    }
    void crossEntropyHasThreeTensorsOfTheVocabularyAtOnce()
    {
        Bench bench(test::smallLlama(), test::onCpu());
        const std::int64_t rows = bench.run.tokens();
        const std::int64_t one = rows * 5000 * 4;
        Tensor logits = bench.tape.empty(rows * 5000, Dtype::fp32);
        logits = bench.tape.leaf(logits.memory, rows * 5000, Dtype::fp32, 0, [](const Tensor&) {});
        const Tensor labels = bench.tape.empty(rows, Dtype::int64);
        const Bytes before = bench.recorder.live() - logits.memory->bytes();
        const Tensor loss = languageLoss(bench.context, logits, labels);
        logits = {};
        bench.recorder.beginPhase(label::Phase::backward);
        bench.tape.backward(loss);
        const PlannedPeak peak = peakOf(bench.recorder.timeline());
        QCOMPARE(peak.phase, label::Phase::backward);
        // log_softmax, its gradient and that of the logits; scalars and shifted labels beside.
        const std::int64_t beside = (peak.bytes - before).value - 3 * one;
        QVERIFY(beside >= 0 && beside <= rows * 8 + 64);
    }
    void fusedLossKeepsGradientsInsteadOfLogits()
    {
        Bench bench(test::smallLlama(), test::onCpu());
        Parameter& head = bench.parameters.weight(5000, 192);
        const std::int64_t rows = bench.run.tokens();
        Tensor hidden = bench.tape.empty(rows * 192, Dtype::fp32);
        hidden = bench.tape.leaf(hidden.memory, rows * 192, Dtype::fp32, 0, [](const Tensor&) {});
        const Bytes before = bench.recorder.live();
        const Tensor loss = fusedHeadLoss(bench.tape, hidden, head.tensor, 192, 5000);
        QCOMPARE((bench.recorder.live() - before).value, rows * 192 * 4 + 5000 * 192 * 4 + 4);
        bench.tape.backward(loss);
        QCOMPARE(head.gradient->bytes().value, 5000 * 192 * 4);
    }
};

TIDEMARK_TEST(TstModules)

} // namespace tidemark::tst_modules

#include "tst_modules.moc"
