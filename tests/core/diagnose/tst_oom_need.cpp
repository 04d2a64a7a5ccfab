// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

using namespace tidemark;
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

} // namespace

class TstOomNeed : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void resultsOfTheStepBeforeAreNotCountedBesideNewOnes();
    void aFirstBackwardAtTheLogitsHadReachedNoBlock();
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

void TstOomNeed::aFirstBackwardAtTheLogitsHadReachedNoBlock()
{
    const auto saved = [](std::int64_t logits) {
        test::HandRun run(900 * kM);
        test::ModelShape shape;
        shape.logits = logits;
        test::HandTraining training(run, shape);
        training.forward();
        run.phase(Phase::backward, 1);
        run.oom(logits, 2 * kM, Bucket::temporary, Role::activation_gradient);
        const Prediction p = test::predictionOf(run.finish(), "checkpointing=full");
        return p.before_need.value - p.after_need.value;
    };
    // Four blocks drop a matrix of 32 and a norm's 16 each, but for the norm of one. Logits that
    // are less than a block has may be gone when that is made again.
    QCOMPARE(saved(80 * kM), (4 * 32 + 3 * 16) * kM);
    QCOMPARE(saved(24 * kM), (4 * 32 + 3 * 16) * kM - (32 + 16) * kM);
}

TIDEMARK_TEST(TstOomNeed)
#include "tst_oom_need.moc"
