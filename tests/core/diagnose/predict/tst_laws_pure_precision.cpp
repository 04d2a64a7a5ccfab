// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cstdint>
#include <string>

namespace tidemark::tst_laws_pure_precision {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

constexpr std::int64_t kWeight = 40 * kM;
constexpr std::int64_t kRows = 8 * kM;
constexpr std::int64_t kNumbers = kRows / 512; // one per row
constexpr std::int64_t kLogits = 64 * kM;

const std::string kModel = "; forward /x/site-packages/transformers/models/llama/modeling_llama.py";
const std::string kTrain = "; step /home/me/train.py:8";
const std::string kLoss = "cross_entropy /x/site-packages/torch/nn/functional.py:3555";
const std::string kLinear = "forward /x/site-packages/torch/nn/modules/linear.py:134";

/// One step of SGD; what a test adds to its forward is saved until backward has used it.
class OneStep {
public:
    OneStep()
        : m_run(900 * kM)
    {
        m_run.phase(Phase::setup, 0);
        m_run.alloc(kWeight, Bucket::parameter, Role::trainable);
        m_run.phase(Phase::input, 1);
        m_run.alloc(512, Bucket::input);
        m_run.phase(Phase::forward, 1);
    }
    void save(std::int64_t bytes, const std::string& stack, Role role = Role::none)
    {
        m_saved.push_back(m_run.alloc(bytes, Bucket::activation, role, stack));
    }
    void pass(std::int64_t bytes, const std::string& stack, Role role = Role::none)
    {
        m_run.free(m_run.alloc(bytes, Bucket::temporary, role, stack));
    }
    /// Square, mean, one over its root, rows times that, those times the weight.
    void norm(const std::string& caller, const std::string& file)
    {
        const auto line = [&](int at) {
            return "forward " + file + ":" + std::to_string(at) + caller;
        };
        pass(kRows, line(64));
        pass(kNumbers, line(64));
        pass(8, line(64)); // a scalar
        pass(4, line(65));
        save(kNumbers, line(65));
        save(kRows, line(65));
        save(kRows, line(66));
    }
    /// Of the head, which the loss alone uses, then what the loss saves.
    void loss(const std::string& caller)
    {
        m_logits =
            m_run.alloc(kLogits, Bucket::activation, Role::logits, kLinear + kModel + ":460");
        save(kLogits, kLoss + caller, Role::logits);
    }
    Prediction predicted()
    {
        m_run.free(m_logits);
        m_run.phase(Phase::backward, 1);
        const auto of_loss = m_run.alloc(kLogits, Bucket::temporary, Role::none, "");
        m_run.free(m_run.alloc(kLogits, Bucket::temporary, Role::none, ""));
        for (; !m_saved.empty(); m_saved.pop_back()) {
            m_run.free(m_saved.back());
        }
        m_run.free(of_loss);
        m_run.phase(Phase::optimizer, 1);
        m_run.free(m_run.alloc(512, Bucket::temporary));
        return test::predictionOf(m_run.finish(), "precision=pure-bf16");
    }

private:
    HandRun m_run;
    HandRun::Handle m_logits{};
    std::vector<HandRun::Handle> m_saved;
};

} // namespace

class TstLawsPurePrecision : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLossThatCastsItsLogitsKeepsItsSize()
    {
        OneStep run;
        run.loss("; ForCausalLMLoss /x/site-packages/transformers/loss/loss_utils.py:72" + kModel
                 + ":472" + kTrain);
        const Prediction p = run.predicted();
        // The weights alone are halved; what the loss saved and its two gradients are as they were.
        QCOMPARE(p.after_peak.value, kWeight / 2 + 512 + 3 * kLogits);
        QVERIFY(p.after_low.value * 100 > p.after_peak.value * 99);
    }
    void whatHasNoHistoryMayHave16BitsAlready()
    {
        HandRun run(200 * kM);
        run.there(kWeight, Bucket::parameter);
        run.there(2 * kWeight, Bucket::optimizer_state);
        const Prediction p = test::predictionOf(run.finish(), "precision=pure-bf16");
        QCOMPARE(p.after_peak.value, 3 * kWeight / 2);
        QVERIFY(p.after_low < p.after_peak);
        QVERIFY(p.after_high.value >= 3 * kWeight);
    }
    void underAutocastTheWeightsHalveAndTheirCopiesGo()
    {
        OneStep run;
        run.save(kWeight / 2, kLinear + kTrain, Role::weight_cast);
        run.loss(kTrain);
        const Prediction p = run.predicted();
        QCOMPARE(p.after_peak.value, kWeight / 2 + 512 + 3 * kLogits);
        // What a loss of one's own made of the logits may have had 32 bits.
        QVERIFY(p.after_low.value < p.after_peak.value - kLogits);
        QVERIFY(p.after_low.value * 100 > (kWeight / 2 + 3 * kLogits / 2) * 97);
    }
    void aLossOfOnesOwnMayCastOrNot()
    {
        OneStep run;
        run.loss(kTrain);
        const Prediction p = run.predicted();
        QCOMPARE(p.after_peak.value, kWeight / 2 + 512 + 3 * kLogits / 2);
        QVERIFY(p.after_low.value <= kWeight / 2 + 512 + 3 * kLogits / 2);
        QVERIFY(p.after_high.value >= kWeight / 2 + 512 + 3 * kLogits);
    }
    void aNormThatIsWrittenOutHasAWideCopyOfItsRows()
    {
        OneStep run;
        const std::string file = "/x/site-packages/transformers/models/llama/modeling_llama.py";
        for (int i = 0; i < 8; ++i) {
            run.norm(kModel + ":" + std::to_string(295 + i) + kTrain, file);
        }
        run.loss(kTrain);
        const Prediction p = run.predicted();
        QCOMPARE(p.after_peak.value,
                 kWeight / 2 + 512 + 3 * kLogits / 2 + 8 * (3 * kRows / 2) + 4 * kNumbers);
    }
    void aNormOfTorchIsHalved()
    {
        OneStep run;
        const std::string norm = "layer_norm /x/site-packages/torch/nn/functional.py:2935" + kTrain;
        for (int i = 0; i < 8; ++i) {
            run.save(kRows, norm);
            run.save(kNumbers, norm);
            run.save(kNumbers, norm);
        }
        run.loss(kTrain);
        const Prediction p = run.predicted();
        QCOMPARE(p.after_peak.value,
                 kWeight / 2 + 512 + 3 * kLogits / 2 + 4 * (kRows + 2 * kNumbers));
    }
    void aNormOfOnesOwnLiesBetween()
    {
        OneStep run;
        for (int i = 0; i < 8; ++i) {
            run.norm("; forward /home/me/model.py:" + std::to_string(20 + i) + kTrain,
                     "/home/me/model.py");
        }
        run.loss(kTrain);
        const Prediction p = run.predicted();
        const std::int64_t rest = kWeight / 2 + 512 + 3 * kLogits / 2;
        QVERIFY(p.after_low.value <= rest + 8 * kRows + 4 * kNumbers);
        QVERIFY(p.after_high.value >= rest + 8 * (3 * kRows / 2) + 4 * kNumbers);
    }
    /// What is saved of attention in 32 bits is the softmax's result; its copy in 16 stands beside.
    void aSoftmaxOfTransformersKeepsItsResultAndACopy()
    {
        OneStep run;
        constexpr std::int64_t kMatrix = 32 * kM;
        for (int i = 0; i < 6; ++i) {
            run.save(kMatrix,
                     "softmax /x/site-packages/torch/nn/functional.py:2209" + kModel + ":197"
                         + kModel + ":" + std::to_string(250 + i) + kTrain,
                     Role::attention_matrix);
        }
        run.loss(kTrain);
        const Prediction p = run.predicted();
        QCOMPARE(p.after_peak.value, kWeight / 2 + 512 + 3 * kLogits / 2 + 9 * kMatrix);
        QVERIFY(p.after_low.value <= kWeight / 2 + 512 + 3 * kLogits / 2 + 3 * kMatrix);
    }
};

TIDEMARK_TEST(TstLawsPurePrecision)

} // namespace tidemark::tst_laws_pure_precision

#include "tst_laws_pure_precision.moc"
