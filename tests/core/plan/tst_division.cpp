// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/moment.h"
#include "core/plan/budget.h"
#include "core/plan/plan.h"
#include "core/shapes/objection.h"
#include "core/walk/training.h"
#include "tests/core/walk/small_models.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_division {

using namespace tidemark::plan;
using namespace tidemark::walk;
using label::Bucket;
using test::onCpu;
using test::smallLlama;
using test::sumOf;

namespace {

/// What lives beside weights and states when the first backward begins.
std::int64_t heldAtBackward(const ModelShape& model, const RunShape& run)
{
    const Timeline timeline = planRun(model, run).timeline;
    const auto begins =
        std::ranges::find(timeline.phases, label::Phase::backward, &PhaseStart::phase);
    const CallCount at = begins->moment - 1;
    std::int64_t sum = 0;
    for (const PlannedAllocation& a : timeline.allocations) {
        const bool is_state = a.bucket == Bucket::parameter || a.bucket == Bucket::optimizer_state;
        sum += !is_state && a.begin <= at && at < a.end ? a.bytes.value : 0;
    }
    return sum;
}

/// What one more layer holds until its backward.
std::int64_t perLayer(const RunShape& run, const ModelShape& four, const ModelShape& three)
{
    return heldAtBackward(four, run) - heldAtBackward(three, run);
}
std::int64_t perLayer(const RunShape& run)
{
    return perLayer(run, smallLlama(4), smallLlama(3));
}

ModelShape withExperts()
{
    ModelShape model = smallLlama();
    model.model_type = "mixtral";
    model.experts = Experts{8, 2, 100, 0, 1, {}, true};
    return model;
}

/// The tensors of a run, in elements.
struct Widths {
    std::int64_t t = 0; ///< Tokens.
    std::int64_t h = 0;
    std::int64_t q = 0;
    std::int64_t k = 0;
    std::int64_t f = 0;
    std::int64_t a = 0;
};
Widths widthsOf(const RunShape& run)
{
    const ModelShape m = smallLlama();
    return {run.tokens(), m.hidden, m.queryWidth(), m.keyWidth(), m.feed_forward, m.heads};
}

} // namespace

/// One GPU's part of a model that several share, against closed forms.
class TstDivision : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tensorParallelismDividesMatricesAndNotNorms()
    {
        const ModelShape m = smallLlama();
        RunShape run = onCpu();
        run.division.tensor = 2;
        const std::int64_t norms = (2 * m.layers + 1) * m.hidden;
        const std::int64_t whole = planRun(m, onCpu()).parameters;
        const PlannedRun part = planRun(m, run);
        QCOMPARE(part.parameters, norms + (whole - norms) / 2);
        QCOMPARE(sumOf(part.timeline, Bucket::optimizer_state), 8 * part.parameters);
    }
    void tensorParallelismKeepsHiddenStatesWhole()
    {
        // Korthikanti et al., arXiv 2205.05198, equation 2: what is not in a matrix stays as it is.
        RunShape run = onCpu();
        run.division.tensor = 2;
        const auto [t, h, q, k, f, a] = widthsOf(run);
        QCOMPARE(perLayer(run), t * (4 * (6 * h + (2 * q + 2 * k + 4 * f) / 2) + 8 + 4 * a / 2));
    }
    void sequenceParallelismDividesThemToo()
    {
        // Norms keep their own tokens; what is gathered for the matrices is kept whole.
        RunShape run = onCpu();
        run.division.tensor = 2;
        run.division.divides_tokens = true;
        const auto [t, h, q, k, f, a] = widthsOf(run);
        QCOMPARE(perLayer(run),
                 t * (4 * (4 * h / 2 + 2 * h + (2 * q + 2 * k + 4 * f) / 2) + 8 / 2 + 4 * a / 2));
    }
    void contextParallelismDividesTokens()
    {
        RunShape run = onCpu();
        const std::int64_t whole = perLayer(run);
        run.division.context = 4;
        run.zero = 1; // No buckets of DDP.
        QCOMPARE(perLayer(run), whole / 4);
        QVERIFY(sumOf(planRun(smallLlama(), run).timeline, Bucket::communication) > 0);
        QCOMPARE(planRun(smallLlama(), run).parameters, planRun(smallLlama(), onCpu()).parameters);
    }
    void earlierStagesHoldMoreMicroBatches()
    {
        // 1F1B: stage s of p holds min(p − s, micro-batches).
        const ModelShape model = smallLlama(4);
        RunShape run = onCpu();
        run.division.pipeline = 4;
        run.accumulation = 1;
        run.division.stage = 1;
        const std::int64_t one = heldAtBackward(model, run);
        for (const auto& [micro_batches, held] : {std::pair(2, 2), {3, 3}, {8, 3}}) {
            run.accumulation = micro_batches;
            // Positions' cosines and sines are made for each, and so is all else.
            QCOMPARE(heldAtBackward(model, run), held * one);
        }
        run.division.stage = 3;
        run.accumulation = 1;
        const std::int64_t last = heldAtBackward(model, run);
        run.accumulation = 8;
        QCOMPARE(heldAtBackward(model, run), last);
    }
    void stagesShareTheModel()
    {
        const ModelShape model = smallLlama(4);
        RunShape run = onCpu();
        run.division.pipeline = 2;
        std::int64_t all = 0;
        for (run.division.stage = 0; run.division.stage < 2; ++run.division.stage) {
            all += planRun(model, run).parameters;
        }
        QCOMPARE(all, planRun(model, onCpu()).parameters);
        ModelShape tied = model;
        tied.ties_head = true;
        run.division.stage = 1;
        QCOMPARE(planRun(tied, run).parameters, planRun(model, run).parameters);
    }
    void theLargestStageIsTaken()
    {
        const ModelShape model = smallLlama(4);
        RunShape run = onCpu();
        run.division.pipeline = 4;
        run.accumulation = 8;
        Bytes largest;
        for (run.division.stage = 0; run.division.stage < 4; ++run.division.stage) {
            largest = std::max(largest, stageBudgetOf(model, run).peak.bytes);
        }
        QCOMPARE(budgetOf(model, run).peak.bytes, largest);
    }
    void expertsAreDividedAndTheRestIsNot()
    {
        const ModelShape model = withExperts();
        const std::int64_t experts = model.layers * 8 * 3 * 100 * model.hidden;
        RunShape run = onCpu();
        run.gpus = 4;
        run.zero = 1;
        const PlannedRun whole = planRun(model, run);
        run.division.experts = 4;
        const PlannedRun part = planRun(model, run);
        QCOMPARE(whole.parameters - part.parameters, experts - experts / 4);
        // The same states either way: each GPU has a quarter of all weights.
        QCOMPARE(part.trained_share, whole.trained_share);
    }
    void statesOnTheHostLeaveTheCard()
    {
        RunShape run = onCpu();
        run.gpus = 4;
        run.zero = 2;
        run.precision = Precision::bf16;
        run.states = Offload::cpu;
        const PlannedRun planned = planRun(smallLlama(), run);
        QCOMPARE(sumOf(planned.timeline, Bucket::optimizer_state), 0);
        QCOMPARE(sumOf(planned.timeline, Bucket::gradient), 0);
        // Weight, gradient and two moments in 32 bits, of this GPU's quarter.
        const HostBudget host = budgetOf(smallLlama(), run).host;
        QCOMPARE(host.memory.value, 16 * planned.trained_share);
        QCOMPARE(host.memory_high.value, 24 * planned.trained_share);
        QCOMPARE(host.disk.value, 0);
    }
    void onDiskOnlyBuffersStayOnTheHost()
    {
        RunShape run = onCpu();
        run.gpus = 4;
        run.zero = 3;
        run.states = Offload::nvme;
        const PlannedBudget budget = budgetOf(smallLlama(), run);
        const std::int64_t share = planRun(smallLlama(), run).trained_share;
        QCOMPARE(budget.host.disk.value, 16 * share);
        QCOMPARE(budget.host.memory.value, 4 * 4 * share); // Smaller than one sub-group.
    }
    void weightsOnTheHostAreThereLayerByLayer()
    {
        RunShape run = onCpu();
        run.zero = 3;
        run.weights = Offload::cpu;
        run.states = Offload::cpu;
        const Timeline timeline = planRun(smallLlama(), run).timeline;
        for (const PlannedAllocation& a : timeline.allocations) {
            QVERIFY(a.bucket != Bucket::parameter || a.role == label::Role::unsharded
                    || a.bytes.value == 0);
        }
    }
    void aMasterCopyAndStatesInFp32()
    {
        RunShape run = onCpu();
        run.precision = Precision::bf16_master;
        const PlannedRun planned = planRun(smallLlama(), run);
        QCOMPARE(sumOf(planned.timeline, Bucket::parameter), 2 * planned.parameters);
        QCOMPARE(sumOf(planned.timeline, Bucket::optimizer_state), 12 * planned.parameters);
    }
    void quantizedBases_data()
    {
        QTest::addColumn<int>("format");
        QTest::addColumn<double>("bits"); ///< Per weight of a linear layer.
        QTest::addColumn<double>("within");
        // Dettmers et al., arXiv 2305.14314, section 3: 0.5 bits of scales become 0.127.
        QTest::newRow("4 bits") << int(Quantization::nf4) << 4.5 << 0.03;
        QTest::newRow("double") << int(Quantization::nf4_double) << 4.127 << 0.3;
        QTest::newRow("8 bits") << int(Quantization::int8) << 8.0 << 0.17;
    }
    void quantizedBases()
    {
        QFETCH(const int, format);
        QFETCH(const double, bits);
        QFETCH(const double, within);
        const auto frozen = [&](std::int64_t layers) {
            RunShape run = onCpu();
            run.lora = Lora{4, {"q_proj"}};
            run.quantization = static_cast<Quantization>(format);
            std::int64_t sum = 0;
            for (const PlannedAllocation& a :
                 planRun(smallLlama(layers), run).timeline.allocations) {
                sum += a.role == label::Role::frozen ? a.bytes.value : 0;
            }
            return sum;
        };
        const ModelShape m = smallLlama();
        const std::int64_t linear =
            m.hidden * (2 * m.queryWidth() + 2 * m.keyWidth()) + 3 * m.hidden * m.feed_forward;
        const double found = 8.0 * static_cast<double>(frozen(4) - frozen(3) - 2 * 4 * m.hidden)
            / static_cast<double>(linear);
        QVERIFY2(found >= bits && found < bits + within, QByteArray::number(found));
    }
    void whatCannotBeDividedIsRefused_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("way");
        QTest::newRow("heads") << "6 heads" << 0;
        QTest::newRow("layers") << "3 layers" << 1;
        QTest::newRow("tokens") << "64 tokens" << 2;
        QTest::newRow("experts") << "has none" << 3;
        QTest::newRow("offload") << "its stage" << 4;
        QTest::newRow("nvme") << "stage 3" << 5;
        QTest::newRow("quantized") << "cannot be trained" << 6;
        QTest::newRow("eager") << "eager" << 7;
    }
    void whatCannotBeDividedIsRefused()
    {
        QFETCH(const QString, words);
        QFETCH(const int, way);
        RunShape run = onCpu();
        run.gpus = 4;
        switch (way) {
        case 0:
            run.division.tensor = 4;
            break;
        case 1:
            run.division.pipeline = 2;
            break;
        case 2:
            run.division.context = 5;
            break;
        case 3:
            run.division.experts = 2;
            break;
        case 4:
            run.states = Offload::cpu;
            break;
        case 5:
            run.zero = 2;
            run.states = Offload::nvme;
            break;
        case 6:
            run.quantization = Quantization::nf4;
            break;
        default:
            run.division.context = 2;
            run.attention = Attention::eager;
            break;
        }
        const QString why = QString::fromStdString(shapes::objectionTo(smallLlama(), run));
        QVERIFY2(why.contains(words), qPrintable(why));
    }
};

TIDEMARK_TEST(TstDivision)

} // namespace tidemark::tst_division

#include "tst_division.moc"
