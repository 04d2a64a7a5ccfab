// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/operations.h"
#include "core/walk/tape.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_tape {

using namespace tidemark::walk;

namespace {

/// A parameter whose gradient is kept.
struct Weight {
    Memory memory;
    Memory gradient;
    Tensor tensor;
    int gradients = 0;

    Weight(Tape& tape, std::int64_t elements, std::uint32_t number = 1)
        : memory(tape.recorder().request({elements * 4}))
    {
        tensor = tape.leaf(memory, elements, Dtype::fp32, number, [this](const Tensor& t) {
            ++gradients;
            gradient = gradient ? gradient : t.memory;
        });
    }
};

std::int64_t largest(const Recorder& recorder)
{
    return peakOf(recorder.timeline()).bytes.value;
}

/// How many tensors of `elements` numbers backward makes for a function of x, which has as many and
/// was made from a weight; the function's result is averaged.
template <class Function>
int madeInBackward(std::int64_t elements, Function function)
{
    Recorder recorder;
    {
        Tape tape(recorder, Target::cpu);
        Weight weight(tape, elements);
        const Tensor loss = meanOfRows(tape, function(tape, scale(tape, weight.tensor)), 1);
        recorder.beginPhase(label::Phase::backward);
        tape.backward(loss);
    }
    int made = 0;
    const Timeline& timeline = recorder.timeline();
    for (const PlannedAllocation& a : timeline.allocations) {
        made += a.begin >= timeline.phases.front().moment && a.bytes.value == elements * 4 ? 1 : 0;
    }
    return made;
}

} // namespace

class TstTape : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void memoryGoesWithItsLastOwner()
    {
        Recorder recorder;
        {
            Memory a = recorder.request({100});
            const Memory b = a;
            a = nullptr;
            QCOMPARE(recorder.live().value, 100);
        }
        QCOMPARE(recorder.live().value, 0);
        QCOMPARE(recorder.timeline().moments, 2U);
        QCOMPARE(largest(recorder), 100);
    }
    void aProductKeepsItsInputsUntilItsBackward()
    {
        Recorder recorder;
        {
            Tape tape(recorder, Target::cpu);
            Weight weight(tape, 6 * 4);
            Tensor loss;
            {
                const Tensor x = tape.empty(5 * 4, Dtype::fp32);
                loss = linear(tape, x, weight.tensor, 5 * 6, {});
            }
            QCOMPARE(recorder.live().value, (24 + 20 + 30) * 4); // x is saved for the weight.
            tape.backward(loss);
            QCOMPARE(weight.gradients, 1);
            QCOMPARE(recorder.live().value, (24 + 30 + 24) * 4); // x is gone, a gradient there.
        }
        QCOMPARE(recorder.live().value, 0);
    }
    void aFrozenProductKeepsNothing()
    {
        Recorder recorder;
        Tape tape(recorder, Target::cpu);
        const Tensor weight = tape.leaf(recorder.request({24 * 4}), 24, Dtype::fp32, 1, nullptr);
        Tensor made;
        {
            const Tensor x = tape.empty(20, Dtype::fp32);
            made = linear(tape, x, weight, 30, {});
        }
        QCOMPARE(recorder.live().value, (24 + 30) * 4);
        QVERIFY(!made.needsGradient());
    }
    void gradientsOfTwoUsesAreAddedInPlace()
    {
        // x + f(x): when the branch's gradient arrives the residual's has one owner left. So there
        // are that of the sum, of f, and of what made x.
        QCOMPARE(
            madeInBackward(
                1000, [](Tape& tape, const Tensor& x) { return add(tape, x, scale(tape, x)); }),
            3);
    }
    void gradientsThatAreViewsAreAddedToNewMemory()
    {
        // Two linear layers hand on views: theirs, their sum, and that of what made x.
        QCOMPARE(madeInBackward(1000,
                                [](Tape& here, const Tensor& x) {
                                    const Tensor weight =
                                        here.leaf(here.empty(100 * 7, Dtype::fp32).memory, 700,
                                                  Dtype::fp32, 2, nullptr);
                                    return add(here, linear(here, x, weight, 70, {}),
                                               linear(here, x, weight, 70, {}));
                                }),
                 4);
    }
    void aCheckpointRunsForwardAgainUpToTheLastSavedTensor()
    {
        Recorder recorder;
        {
            Tape tape(recorder, Target::cpu);
            Weight first(tape, 8 * 4, 1);
            Weight second(tape, 4 * 8, 2);
            const Tensor x = tape.empty(100 * 4, Dtype::fp32);
            int runs = 0;
            const auto layer = [&](const Tensor& in) {
                ++runs;
                const Tensor inner = activation(tape, linear(tape, in, first.tensor, 100 * 8, {}));
                return linear(tape, inner, second.tensor, 100 * 4, {});
            };
            const Bytes before = recorder.live();
            const Tensor out = tape.checkpoint(layer, x);
            QCOMPARE((recorder.live() - before).value, 400 * 4); // Its result alone.
            recorder.beginPhase(label::Phase::backward);
            tape.backward(out);
            QCOMPARE(runs, 2);
            QCOMPARE(first.gradients, 1);
            QCOMPARE(second.gradients, 1);
            // The last product was not made again: the two inner ones were.
            std::int64_t recomputed = 0;
            for (const PlannedAllocation& a : recorder.timeline().allocations) {
                recomputed += a.role == label::Role::recomputed ? a.bytes.value : 0;
            }
            QCOMPARE(recomputed, 2 * 800 * 4);
        }
        QCOMPARE(recorder.live().value, 0);
    }
    void autocastCastsATrainedWeightOnce()
    {
        Recorder recorder;
        {
            Tape tape(recorder, Target::cpu);
            Weight weight(tape, 64);
            tape.autocasts = true;
            const Tensor x = tape.empty(8 * 8, Dtype::fp32);
            const Tensor a = linear(tape, x, weight.tensor, 64, {});
            const Tensor b = linear(tape, x, weight.tensor, 64, {});
            QCOMPARE(a.type, Dtype::bf16);
            std::int64_t casts = 0;
            for (const PlannedAllocation& made : recorder.timeline().allocations) {
                casts += made.role == label::Role::weight_cast ? 1 : 0;
            }
            QCOMPARE(casts, 1);
            tape.casts.clear();
        }
        QCOMPARE(recorder.live().value, 0);
    }
    void partsOfASplitHaveOneBackward()
    {
        Recorder recorder;
        {
            Tape tape(recorder, Target::cpu);
            Weight weight(tape, 90);
            const Tensor joint = scale(tape, weight.tensor);
            const std::vector<Tensor> parts = split(tape, joint, {30, 60});
            QCOMPARE(recorder.live().value, (90 + 90) * 4);
            Tensor sum = add(tape, scale(tape, parts[0]), meanOfRows(tape, parts[1], 30));
            tape.backward(sum);
            QCOMPARE(weight.gradients, 1);
            QCOMPARE(weight.gradient->bytes().value, 90 * 4);
        }
        QCOMPARE(recorder.live().value, 0);
    }
    void bucketsFollowFromThePhase()
    {
        Recorder recorder;
        recorder.beginPhase(label::Phase::forward);
        Memory kept = recorder.request({10});
        {
            const Memory gone = recorder.request({20});
        }
        recorder.beginPhase(label::Phase::backward);
        const Memory made = recorder.request({30});
        const auto& all = recorder.timeline().allocations;
        QCOMPARE(all[0].bucket, label::Bucket::activation);
        QCOMPARE(all[1].bucket, label::Bucket::temporary);
        QCOMPARE(all[2].bucket, label::Bucket::temporary);
        QCOMPARE(recorder.timeline().phaseAt(1), label::Phase::forward);
        QCOMPARE(recorder.timeline().phaseAt(4), label::Phase::backward);
        QCOMPARE(recorder.timeline().phaseAt(0), label::Phase::setup);
    }
};

TIDEMARK_TEST(TstTape)

} // namespace tidemark::tst_tape

#include "tst_tape.moc"
