// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/fine_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>

namespace tidemark::tst_oom_need {

using namespace tidemark::diagnose;
using test::kM;

namespace {

using label::Bucket;
using label::Phase;
using label::Role;

constexpr std::int64_t kLogits = 20 * kM;

/// One step of a loop that names its logits: they stay until the next ones are there.
class Loop {
public:
    Loop()
        : m_run(400 * kM)
    {
        m_run.phase(Phase::setup, 0);
        m_run.alloc(kM, Bucket::parameter, Role::trainable);
    }
    void forward(std::uint32_t step)
    {
        m_run.phase(Phase::forward, step);
        for (int i = 0; i < 4; ++i) {
            m_saved.push_back(m_run.alloc(5 * kM, Bucket::activation, Role::none,
                                          "forward /home/me/model.py:30"));
        }
        const auto logits =
            m_run.alloc(kLogits, Bucket::activation, Role::logits, "forward /home/me/model.py:50");
        if (step > 1) {
            m_run.free(m_logits);
        }
        m_logits = logits;
        m_saved.push_back(m_run.alloc(kLogits, Bucket::activation, Role::none,
                                      "cross_entropy /site-packages/torch/nn/functional.py:3026"));
    }
    void backward(std::uint32_t step)
    {
        m_run.phase(Phase::backward, step);
        const auto first = m_run.alloc(kLogits, Bucket::temporary, Role::none, "");
        const auto second = m_run.alloc(kLogits, Bucket::temporary, Role::none, "");
        m_run.free(first);
        m_run.free(second);
        for (const auto saved : m_saved) {
            m_run.free(saved);
        }
        m_saved.clear();
        const auto gradient = m_run.alloc(kM, Bucket::gradient, Role::none, "");
        m_run.phase(Phase::optimizer, step);
        m_run.free(gradient);
    }
    test::HandRun& run()
    {
        return m_run;
    }

private:
    test::HandRun m_run;
    test::HandRun::Handle m_logits{};
    std::vector<test::HandRun::Handle> m_saved;
};

constexpr std::int64_t kWeight = kM;
constexpr std::int64_t kPass = 4 * 5 * kM + 4 * kLogits;

/// Dies at the first gradient of its first backward, which is as large as the logits.
Analysis diesAtLogits(std::int64_t logits)
{
    test::HandRun run(900 * kM);
    test::ModelShape shape;
    shape.logits = logits;
    test::HandTraining training(run, shape);
    training.forward();
    run.phase(Phase::backward, 1);
    run.oom(logits, 2 * kM, Bucket::temporary, Role::activation_gradient);
    return run.finish();
}

} // namespace

class TstOomNeed : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void resultsOfTheStepBeforeAreNotCountedBesideNewOnes();
    void gradientsOfTheStepBeforeAreClearedOrZeroed();
    void afterTheStepThatDiedTheNextPassFindsZeroedGradients();
    void whatAStepMakesAgainAddsToItsGradients();
    void accumulationKeepsGradientsThatNoPassHasMade();
    void aFirstBackwardAtTheLogitsHadReachedNoBlock();
    void afterAFirstPassThatDiedTheNextFindsZeroedGradients();
    void gradientsOfBeforeTheRecordingAreSetToNoneToo();
    void beforeTorch2GradientsAreTakenToBeZeroed();
    void holesOfAFirstStepMayBeAsLargeAsItsLargestBlock();
};

void TstOomNeed::resultsOfTheStepBeforeAreNotCountedBesideNewOnes()
{
    // The second backward does not fit: what it needs is what the first one did, since the logits
    // of the first step went when those of the second came.
    Loop loop;
    loop.forward(1);
    loop.backward(1);
    loop.forward(2);
    loop.run().phase(Phase::backward, 2);
    loop.run().oom(kLogits, 2 * kM, Bucket::temporary, Role::activation_gradient);
    const Analysis analysis = loop.run().finish();
    QCOMPARE(test::deviceDiagnosisOf(analysis).need.value, kWeight + kPass);
    const Prediction half = test::predictionOf(analysis, "micro-batch=0.5");
    QCOMPARE(half.after_need.value, kWeight + kPass / 2);
}

void TstOomNeed::gradientsOfTheStepBeforeAreClearedOrZeroed()
{
    test::HandRun run(420 * kM);
    test::ModelShape shape;
    shape.logits = 60 * kM;
    shape.keep_gradients = true;
    test::HandTraining training(run, shape);
    training.step();
    training.forward(2);
    run.oom(shape.hidden, 2 * kM, Bucket::activation, Role::none,
            "layer_norm /site-packages/torch/nn/functional.py:2515; forward /home/me/model.py:30");
    const Analysis analysis = run.finish();
    // Four blocks of 64, logits and their gradient; 32 of gradients if they are zeroed.
    const std::int64_t others = test::fine::kStates + test::fine::kInput + test::fine::kBlocks;
    const std::int64_t cleared = others + 2 * 60 * kM;
    const Prediction none = test::predictionOf(analysis, "set-to-none=on");
    QCOMPARE(none.after_need.value, cleared);
    QCOMPARE(none.before_need.value, cleared + 4 * 8 * kM);
    const Prediction other = test::predictionOf(analysis, "attention=flash");
    QCOMPARE(other.before_need.value, cleared);
    QVERIFY(std::ranges::any_of(other.assumptions, [](const std::string& text) {
        return text.find("freed before backward") != std::string::npos;
    }));
}

void TstOomNeed::afterTheStepThatDiedTheNextPassFindsZeroedGradients()
{
    test::HandRun run(420 * kM);
    test::ModelShape shape;
    shape.logits = 60 * kM;
    test::HandTraining training(run, shape);
    training.forward();
    training.backward();
    run.phase(Phase::optimizer, 1);
    const auto* const stack = "step /site-packages/torch/optim/adamw.py:147";
    for (int i = 0; i < 3; ++i) {
        run.alloc(8 * kM, Bucket::optimizer_state, Role::none, stack);
    }
    run.oom(8 * kM, 2 * kM, Bucket::optimizer_state, Role::none, stack);
    const Prediction p = test::predictionOf(run.finish(), "set-to-none=on");
    QVERIFY(p.after_need.value > test::fine::kBlocks + 2 * 60 * kM);
    QCOMPARE(p.before_need.value, p.after_need.value + 4 * 8 * kM);
}

void TstOomNeed::whatAStepMakesAgainAddsToItsGradients()
{
    // Two passes in one step: backward frees eight times 5 one after the other, and beside the
    // first makes a weight's gradient of 10, which the second pass has and makes once more to add.
    test::HandRun run(100 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(10 * kM, Bucket::parameter, Role::trainable);
    const auto forward = [&](int layers) {
        run.phase(Phase::forward, 1);
        std::vector<test::HandRun::Handle> saved;
        for (int i = 0; i < layers; ++i) {
            saved.push_back(
                run.alloc(5 * kM, Bucket::activation, Role::none, "forward /home/me/model.py:30"));
        }
        return saved;
    };
    const std::vector<test::HandRun::Handle> saved = forward(8);
    run.phase(Phase::backward, 1);
    run.alloc(10 * kM, Bucket::gradient, Role::none, "");
    for (const auto handle : saved) {
        run.free(handle);
    }
    forward(5);
    run.oom(5 * kM, 2 * kM, Bucket::activation, Role::none, "forward /home/me/model.py:30");
    const Prediction p = test::predictionOf(run.finish(), "attention=flash");
    const std::int64_t states = 2 * 10 * kM; // Adam's, to come
    QCOMPARE(p.before_need.value, (10 + 10 + 8 * 5 + 10) * kM + states);
}

void TstOomNeed::accumulationKeepsGradientsThatNoPassHasMade()
{
    // It dies at the logits of its first backward; the second micro-batch gets there with all
    // gradients.
    const Analysis run = diesAtLogits(60 * kM);
    const auto need = [&](const char* changes) {
        return test::predictionOf(run, changes).after_need.value;
    };
    QCOMPARE(need("micro-batch=0.5,accumulation=2"), need("micro-batch=0.5") + 4 * 8 * kM);
}

void TstOomNeed::aFirstBackwardAtTheLogitsHadReachedNoBlock()
{
    const auto saved = [](std::int64_t logits) {
        const Prediction p = test::predictionOf(diesAtLogits(logits), "checkpointing=full");
        return p.before_need.value - p.after_need.value;
    };
    // Four blocks drop a matrix of 32 and a norm's 16 each, but for the norm of one. Logits that
    // are less than a block has may be gone when that is made again.
    QCOMPARE(saved(80 * kM), (4 * 32 + 3 * 16) * kM);
    QCOMPARE(saved(24 * kM), (4 * 32 + 3 * 16) * kM - (32 + 16) * kM);
}

void TstOomNeed::afterAFirstPassThatDiedTheNextFindsZeroedGradients()
{
    const auto saved = [](const Analysis& run) {
        const Prediction p = test::predictionOf(run, "set-to-none=on");
        return p.before_need.value - p.after_need.value;
    };
    QCOMPARE(saved(diesAtLogits(60 * kM)), 4 * 8 * kM);
    // Later it has made one of the four, and makes that once more beside all of them.
    test::HandRun run(900 * kM);
    test::ModelShape shape;
    shape.logits = 60 * kM;
    test::HandTraining training(run, shape);
    training.forward();
    run.phase(Phase::backward, 1);
    run.free(run.alloc(shape.logits, Bucket::temporary, Role::activation_gradient));
    run.alloc(8 * kM, Bucket::gradient);
    run.oom(kM, 2 * kM, Bucket::temporary);
    QCOMPARE(saved(run.finish()), 4 * 8 * kM);
}

void TstOomNeed::gradientsOfBeforeTheRecordingAreSetToNoneToo()
{
    const auto saved = [](bool in_backward) {
        test::HandRun run(400 * kM);
        run.there(8 * kM, Bucket::parameter);
        run.there(16 * kM, Bucket::optimizer_state);
        run.there(8 * kM, Bucket::gradient);
        run.phase(Phase::forward, 1);
        run.alloc(40 * kM, Bucket::activation, Role::none, "forward /home/me/model.py:30");
        if (in_backward) {
            run.phase(Phase::backward, 1);
            run.alloc(kM, Bucket::temporary, Role::none, "");
        }
        run.oom(20 * kM, 2 * kM, Bucket::temporary, Role::none, "");
        const Prediction p = test::predictionOf(run.finish(), "set-to-none=on");
        return p.before_need.value - p.after_need.value;
    };
    QCOMPARE(saved(true), 8 * kM);
    QCOMPARE(saved(false), 8 * kM);
}

void TstOomNeed::beforeTorch2GradientsAreTakenToBeZeroed()
{
    const auto predicted = [](const char* line) {
        test::HandRun run(420 * kM);
        test::ModelShape shape;
        shape.logits = 60 * kM;
        shape.keep_gradients = true;
        test::HandTraining training(run, shape);
        training.step();
        run.free(run.alloc(512, Bucket::temporary, Role::none,
                           std::string("step /x/torch/optim/sgd.py:76; _use_grad "
                                       "/x/torch/optim/optimizer.py:")
                               + line));
        training.forward(2);
        run.oom(shape.hidden, 2 * kM, Bucket::activation, Role::none,
                "layer_norm /site-packages/torch/nn/functional.py:2515; forward "
                "/home/me/model.py:30");
        return test::predictionOf(run.finish(), "attention=flash");
    };
    const Prediction old = predicted("23");
    const Prediction later = predicted("76");
    QCOMPARE(old.before_need.value, later.before_need.value + 4 * 8 * kM);
    const auto says = [](const Prediction& p, std::string_view what) {
        return std::ranges::any_of(p.assumptions, [&](const std::string& text) {
            return text.find(what) != std::string::npos;
        });
    };
    QVERIFY(says(old, "zeroed and kept"));
    QVERIFY(says(later, "freed before backward"));
    QVERIFY(old.after_need_low.value < later.after_need.value); // they may still be cleared
}

void TstOomNeed::holesOfAFirstStepMayBeAsLargeAsItsLargestBlock()
{
    // Beyond what the allocator kept at the moment; a step that ran to its end has shown its holes.
    const auto further = [](bool is_second) {
        test::HandRun run(900 * kM);
        test::ModelShape shape;
        shape.logits = 60 * kM;
        test::HandTraining training(run, shape);
        if (is_second) {
            training.step();
        }
        training.forward(is_second ? 2 : 1);
        run.phase(Phase::backward, is_second ? 2 : 1);
        run.oom(shape.logits, 2 * kM, Bucket::temporary, Role::activation_gradient);
        const Prediction p = test::predictionOf(run.finish(), "micro-batch=0.5");
        const std::int64_t kept = p.before_reserved.value - p.before_need.value;
        const double ratio =
            static_cast<double>(p.after_need.value) / static_cast<double>(p.before_need.value);
        const std::int64_t beyond = p.after_reserved_high.value - p.after_need_high.value - kept;
        return static_cast<double>(beyond) / (ratio * static_cast<double>(60 * kM));
    };
    QVERIFY(std::abs(further(false) - 1) < 1e-3);
    QVERIFY(std::abs(further(true)) < 1e-3);
}

TIDEMARK_TEST(TstOomNeed)

} // namespace tidemark::tst_oom_need

#include "tst_oom_need.moc"
