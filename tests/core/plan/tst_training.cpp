// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/budget.h"
#include "core/plan/catalog.h"
#include "core/walk/training.h"
#include "tests/core/walk/small_models.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_training {

using namespace tidemark::plan;
using namespace tidemark::walk;
using label::Bucket;
using test::onCpu;
using test::smallLlama;
using test::sumOf;

namespace {

/// The closed form of what a layer of a llama keeps for its backward, in fp32 with fused attention:
/// six hidden tensors, two of queries and of keys, four of the feed-forward, and three small ones.
std::int64_t savedPerLayer(const ModelShape& m, const RunShape& run)
{
    return run.tokens()
        * (4 * (6 * m.hidden + 2 * m.queryWidth() + 2 * m.keyWidth() + 4 * m.feed_forward) + 8
           + 4 * m.heads);
}

std::int64_t alive(const Timeline& timeline, CallCount moment)
{
    std::int64_t sum = 0;
    for (const PlannedAllocation& a : timeline.allocations) {
        sum += a.begin <= moment && moment < a.end ? a.bytes.value : 0;
    }
    return sum;
}

/// The last moment before backward of the second step.
CallCount endOfForward(const Timeline& timeline)
{
    CallCount end = 0;
    for (const PhaseStart& start : timeline.phases) {
        if (start.phase == label::Phase::backward) {
            end = start.moment - 1;
        }
    }
    return end;
}

} // namespace

class TstTraining : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachFurtherLayerKeepsTheClosedForm()
    {
        const RunShape run = onCpu();
        const auto heldWith = [&](std::int64_t layers) {
            const PlannedRun planned = planRun(smallLlama(layers), run);
            const std::int64_t states = 3 * 4 * planned.parameters;
            return alive(planned.timeline, endOfForward(planned.timeline)) - states;
        };
        QCOMPARE(heldWith(4) - heldWith(3), savedPerLayer(smallLlama(), run));
    }
    void stateIsMadeOnceAndStays()
    {
        const PlannedRun planned = planRun(smallLlama(), onCpu());
        QCOMPARE(sumOf(planned.timeline, Bucket::parameter), 4 * planned.parameters);
        QCOMPARE(sumOf(planned.timeline, Bucket::optimizer_state), 8 * planned.parameters);
        for (const PlannedAllocation& a : planned.timeline.allocations) {
            if (a.bucket == Bucket::optimizer_state) {
                QCOMPARE(a.end, kNever);
            }
        }
    }
    void optimizers_data()
    {
        QTest::addColumn<int>("optimizer");
        QTest::addColumn<double>("bytes");
        QTest::addColumn<double>("within");
        QTest::newRow("adamw") << int(Optimizer::adamw) << 8.0 << 0.0;
        QTest::newRow("foreach") << int(Optimizer::adamw_foreach) << 8.0 << 0.0;
        QTest::newRow("for loop") << int(Optimizer::adamw_for_loop) << 8.0 << 0.0;
        QTest::newRow("8 bits") << int(Optimizer::adamw_8bit) << 2.03125 << 0.02;
        QTest::newRow("sgd") << int(Optimizer::sgd) << 0.0 << 0.0;
        QTest::newRow("sgd, momentum") << int(Optimizer::sgd_momentum) << 4.0 << 0.0;
        QTest::newRow("adafactor") << int(Optimizer::adafactor) << 0.03 << 0.02;
    }
    void optimizers()
    {
        QFETCH(const int, optimizer);
        QFETCH(const double, bytes);
        QFETCH(const double, within);
        RunShape run = onCpu();
        run.optimizer = static_cast<Optimizer>(optimizer);
        const PlannedRun planned = planRun(smallLlama(), run);
        const double per = static_cast<double>(sumOf(planned.timeline, Bucket::optimizer_state))
            / static_cast<double>(planned.parameters);
        QVERIFY2(std::abs(per - bytes) <= within, QByteArray::number(per));
    }
    void foreachTakesTheTrainedWeightsOnceMore()
    {
        RunShape run = onCpu(1, 8);
        const PlannedBudget fused = budgetOf(smallLlama(), run);
        run.optimizer = Optimizer::adamw_foreach;
        const PlannedBudget listed = budgetOf(smallLlama(), run);
        const auto at = static_cast<std::size_t>(label::Phase::optimizer);
        QCOMPARE((listed.phase_peaks[at] - fused.phase_peaks[at]).value, 4 * fused.parameters);
    }
    void aLoopOverParametersTakesTheLargestTwice()
    {
        RunShape run = onCpu(1, 8);
        const PlannedBudget fused = budgetOf(smallLlama(), run);
        run.optimizer = Optimizer::adamw_for_loop;
        const PlannedBudget looped = budgetOf(smallLlama(), run);
        const auto at = static_cast<std::size_t>(label::Phase::optimizer);
        QCOMPARE((looped.phase_peaks[at] - fused.phase_peaks[at]).value, 2 * 4 * 5000 * 192);
    }
    void aLoopOfOnesOwnHoldsTheLogits()
    {
        RunShape run = onCpu();
        const PlannedBudget trainer = budgetOf(smallLlama(), run);
        run.own.loop = true;
        const PlannedBudget own = budgetOf(smallLlama(), run);
        const auto at = static_cast<std::size_t>(label::Phase::optimizer);
        const Bytes logits{run.tokens() * 5000 * 4};
        QCOMPARE(own.phase_peaks[at] - trainer.phase_peaks[at], logits);
        // Alone, the model hands them out, and nobody computes a loss.
        run.mode = Mode::forward;
        RunShape with_loss = run;
        with_loss.own.loop = false;
        QVERIFY(budgetOf(smallLlama(), with_loss).peak.bytes
                > budgetOf(smallLlama(), run).peak.bytes);
    }
    /// For every optimizer, with and without gradients that wait for a second micro-batch.
    void theSecondStepAloneHasThePeaksOfBoth()
    {
        for (const Optimizer optimizer :
             {Optimizer::adamw, Optimizer::adamw_foreach, Optimizer::adamw_for_loop,
              Optimizer::adamw_8bit, Optimizer::sgd_momentum, Optimizer::sgd,
              Optimizer::adafactor}) {
            for (const std::int64_t micro_batches : {1, 2}) {
                RunShape run = onCpu();
                run.optimizer = optimizer;
                run.accumulation = micro_batches;
                const Timeline both = planRun(smallLlama(), run).timeline;
                const Timeline second = planStep(smallLlama(), run).timeline;
                QVERIFY(second.moments * 3 < both.moments * 2);
                QCOMPARE(peakOf(second).bytes, peakOf(both).bytes);
                QVERIFY(peakOf(second).buckets == peakOf(both).buckets);
                for (const auto phase : {label::Phase::forward, label::Phase::backward}) {
                    const auto p = static_cast<std::size_t>(phase);
                    QCOMPARE(phasePeaksOf(second)[p], phasePeaksOf(both)[p]);
                }
            }
        }
    }
    void accumulationHoldsGradientsThroughTheNextBackward()
    {
        RunShape run = onCpu();
        const PlannedBudget once = budgetOf(smallLlama(), run);
        run.accumulation = 4;
        const PlannedBudget often = budgetOf(smallLlama(), run);
        const Bytes more = often.peak.bytes - once.peak.bytes;
        QVERIFY(more.value > 0 && more.value <= 4 * once.parameters);
    }
    void checkpointingKeepsInputsAlone()
    {
        RunShape run = onCpu();
        run.checkpoints = true;
        const auto heldWith = [&](std::int64_t layers) {
            const PlannedRun planned = planRun(smallLlama(layers), run);
            return alive(planned.timeline, endOfForward(planned.timeline))
                - 12 * planned.parameters;
        };
        QCOMPARE(heldWith(5) - heldWith(4), run.tokens() * 192 * 4);
    }
    void adaptersTrainThemselvesAlone()
    {
        RunShape run = onCpu();
        run.lora = Lora{4, {"q_proj", "down_proj"}};
        const ModelShape model = smallLlama();
        const PlannedRun planned = planRun(model, run);
        QCOMPARE(planned.trained, model.layers * 4 * ((192 + 240) + (520 + 192)));
        QCOMPARE(sumOf(planned.timeline, Bucket::optimizer_state), 8 * planned.trained);
    }
    void shardingDividesWhatItsStageShards()
    {
        const ModelShape model = smallLlama();
        RunShape run = onCpu();
        run.gpus = 4;
        const PlannedBudget whole = budgetOf(model, run);
        const auto quarter = [](Bytes bytes) { return static_cast<double>(bytes.value) / 4; };
        run.zero = 1;
        const PlannedBudget one = budgetOf(model, run);
        QCOMPARE(one.parameter_bytes, whole.parameter_bytes);
        QVERIFY(std::abs(static_cast<double>(one.state_bytes.value) - quarter(whole.state_bytes))
                < 1000);
        run.zero = 3;
        const PlannedBudget three = budgetOf(model, run);
        QVERIFY(std::abs(static_cast<double>(three.parameter_bytes.value)
                         - quarter(whole.parameter_bytes))
                < 1000);
        QVERIFY(three.gradient_bytes < whole.gradient_bytes);
    }
    void gradientsAreWholeUntilTheirLayerEnds()
    {
        for (const bool checkpoints : {false, true}) {
            RunShape run = onCpu();
            run.checkpoints = checkpoints;
            run.gpus = 4;
            run.zero = 3;
            const PlannedRun planned = planRun(smallLlama(6), run);
            std::int64_t whole = 0;
            std::int64_t most = 0;
            std::vector<std::pair<CallCount, std::int64_t>> changes;
            for (const PlannedAllocation& a : planned.timeline.allocations) {
                if (a.bucket == Bucket::gradient && a.role == label::Role::unsharded) {
                    QVERIFY(a.end != kNever);
                    changes.emplace_back(a.begin, a.bytes.value);
                    changes.emplace_back(a.end, -a.bytes.value);
                }
            }
            std::ranges::sort(changes);
            for (const auto& change : changes) {
                most = std::max(most, whole += change.second);
            }
            // Those of one layer, and what is in none.
            QVERIFY(most <= (planned.gathered_layer + planned.gathered_root).value);
            QVERIFY(most >= planned.gathered_root.value);
        }
    }
    void ddpHasTheGradientsTwice()
    {
        RunShape run = onCpu();
        const PlannedBudget alone = budgetOf(smallLlama(), run);
        run.gpus = 2;
        const PlannedBudget both = budgetOf(smallLlama(), run);
        QCOMPARE((both.gradient_bytes - alone.gradient_bytes).value, 4 * alone.parameters);
    }
    void aTrainedRunGivesEverythingElseBack()
    {
        for (const bool checkpoints : {false, true}) {
            for (const Precision precision :
                 {Precision::fp32, Precision::autocast_bf16, Precision::bf16}) {
                RunShape run = onCpu();
                run.checkpoints = checkpoints;
                run.precision = precision;
                const PlannedRun planned = planRun(smallLlama(), run);
                for (const PlannedAllocation& a : planned.timeline.allocations) {
                    const bool stays = a.bucket == Bucket::parameter
                        || a.bucket == Bucket::optimizer_state || a.bucket == Bucket::input;
                    QVERIFY(stays || a.end != kNever);
                }
            }
        }
    }
    void thePeakIsTheLargestTotalOfAnyMoment()
    {
        const PlannedRun planned = planRun(smallLlama(2), onCpu(1, 16));
        std::int64_t largest = 0;
        for (CallCount m = 0; m <= planned.timeline.moments; ++m) {
            largest = std::max(largest, alive(planned.timeline, m));
        }
        const PlannedPeak peak = peakOf(planned.timeline);
        QCOMPARE(peak.bytes.value, largest);
        std::int64_t buckets = 0;
        for (const std::int64_t bytes : peak.buckets) {
            buckets += bytes;
        }
        QCOMPARE(buckets, largest);
    }
    void thePeakIsAPointOfEveryCurve()
    {
        const Timeline timeline = planRun(smallLlama(2), onCpu(1, 16)).timeline;
        const PlannedPeak peak = peakOf(timeline);
        for (const std::size_t points : {1U, 7U, 300U}) {
            const std::vector<PlannedPoint> curve = curveOf(timeline, points);
            QVERIFY(!curve.empty() && curve.size() <= points);
            QVERIFY(std::ranges::is_sorted(curve, {}, &PlannedPoint::moment));
            const auto top = std::ranges::max_element(curve, {}, &PlannedPoint::bytes);
            QCOMPARE(top->bytes, peak.bytes);
            QCOMPARE(top->moment, peak.moment);
            for (const PlannedPoint& point : curve) {
                QCOMPARE(point.bytes.value, alive(timeline, point.moment));
            }
        }
    }
    void otherModelsGiveEverythingBackToo_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"t5-small", "bart-base", "vit-base-patch16-224", "gpt2"}) {
            QTest::newRow(name) << name;
        }
    }
    void otherModelsGiveEverythingBackToo()
    {
        QFETCH(const QString, name);
        const ModelShape& model = findModel(name.toStdString())->shape;
        for (const Attention attention : {Attention::sdpa, Attention::eager}) {
            RunShape run = onCpu(2, model.images ? model.images->tokens() : 24);
            run.attention = attention;
            run.checkpoints = attention == Attention::eager;
            const PlannedRun planned = planRun(model, run);
            for (const PlannedAllocation& a : planned.timeline.allocations) {
                const bool stays = a.bucket == Bucket::parameter
                    || a.bucket == Bucket::optimizer_state || a.bucket == Bucket::input;
                QVERIFY(stays || a.end != kNever);
            }
        }
    }
    void targetsOfTheirOwnMakeLogitsOfTheirOwn()
    {
        const ModelShape& model = findModel("t5-small")->shape;
        RunShape run = onCpu(2, 128);
        run.target_sequence = 16;
        const std::int64_t logits = run.batch * run.target_sequence * model.vocabulary * 4;
        std::int64_t largest = 0;
        for (const PlannedAllocation& a : planRun(model, run).timeline.allocations) {
            largest = std::max(largest, a.role == label::Role::logits ? a.bytes.value : 0);
        }
        QCOMPARE(largest, logits);
    }
    void inferenceKeepsNoGraph()
    {
        RunShape run = onCpu();
        run.mode = Mode::forward;
        const auto growth = [&] {
            return budgetOf(smallLlama(8), run).peak.bytes
                - budgetOf(smallLlama(4), run).peak.bytes;
        };
        const Bytes with_graph = growth();
        run.mode = Mode::inference;
        const PlannedBudget plain = budgetOf(smallLlama(8), run);
        const Bytes weights = plain.parameter_bytes - budgetOf(smallLlama(4), run).parameter_bytes;
        QCOMPARE(growth(), weights);
        QVERIFY(with_graph.value > 2 * weights.value);
        QCOMPARE(plain.state_bytes.value, 0);
    }
    void autocastKeepsItsCastsWithoutAGraph()
    {
        RunShape run = onCpu();
        run.mode = Mode::inference;
        run.precision = Precision::autocast_bf16;
        std::int64_t casts = 0;
        const Timeline timeline = planRun(smallLlama(), run).timeline;
        const CallCount peak = peakOf(timeline).moment;
        for (const PlannedAllocation& a : timeline.allocations) {
            const bool is_cast = a.role == label::Role::weight_cast;
            casts += is_cast && a.begin <= peak && peak < a.end ? a.bytes.value : 0;
        }
        // Of all linear layers and the head at once.
        const ModelShape m = smallLlama();
        const std::int64_t linear =
            m.hidden * (2 * m.queryWidth() + 2 * m.keyWidth()) + 3 * m.hidden * m.feed_forward;
        QCOMPARE(casts, 2 * (m.layers * linear + m.vocabulary * m.hidden));
    }
    void deepGraphsAreTakenApart()
    {
        RunShape run = onCpu(1, 4);
        run.mode = Mode::forward;
        QVERIFY(planRun(smallLlama(512), run).parameters > 0);
        run.mode = Mode::train;
        run.checkpoints = true;
        QVERIFY(planRun(smallLlama(512), run).parameters > 0);
    }
    void reservedHoldsThePeak()
    {
        const PlannedBudget budget = budgetOf(smallLlama(), onCpu());
        QVERIFY(budget.reserved >= budget.peak.bytes);
        QCOMPARE(budget.reserved.value % (2LL << 20), 0);
    }
};

TIDEMARK_TEST(TstTraining)

} // namespace tidemark::tst_training

#include "tst_training.moc"
