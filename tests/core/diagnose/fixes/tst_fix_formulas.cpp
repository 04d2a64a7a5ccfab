// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cmath>
#include <vector>

namespace tidemark::tst_fix_formulas {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::kM;

namespace {

constexpr std::int64_t kK = 1 << 10;
const char* const kPlace = "forward /home/me/model.py:30";

/// A transformer with a hidden size of 1024 in fp32, sizes in MiB: an embedding of 32 and four
/// blocks of two norms (4 KiB each), queries, keys and values in one (12), a projection (4) and two
/// matrices of the MLP (16 each). One whole step with Adam, then 320 of activations and a request
/// of 20 that fails. Weights: 32 + 4 · 48 = 224 and 32 KiB; state: twice that.
Analysis transformer(int gpus)
{
    test::HandRun run(1220 * kM); // the gradients leave a hole
    std::vector<std::int64_t> weights{32 * kM};
    for (int block = 0; block < 4; ++block) {
        weights.insert(weights.end(), {4 * kK, 12 * kM, 4 * kM, 4 * kK, 16 * kM, 16 * kM});
    }
    run.phase(Phase::setup, 0);
    for (const std::int64_t bytes : weights) {
        run.alloc(bytes, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:5");
    }
    run.phase(Phase::forward, 1);
    const auto saved = run.alloc(kM, Bucket::activation, Role::none, kPlace);
    run.phase(Phase::backward, 1);
    std::vector<test::HandRun::Handle> gradients;
    for (const std::int64_t bytes : weights) {
        gradients.push_back(run.alloc(bytes, Bucket::gradient, Role::none, ""));
    }
    run.free(saved);
    run.phase(Phase::optimizer, 1);
    for (const std::int64_t bytes : weights) {
        for (int moment = 0; moment < 2; ++moment) {
            run.alloc(bytes, Bucket::optimizer_state, Role::none,
                      "step /site-packages/torch/optim/adamw.py:147");
        }
    }
    for (const auto gradient : gradients) {
        run.free(gradient);
    }
    run.phase(Phase::forward, 2);
    run.alloc(320 * kM, Bucket::activation, Role::none, kPlace);
    run.oom(20 * kM, kM, Bucket::activation, Role::none, kPlace);
    UserInput input;
    input.gpus = gpus;
    return run.finish(input);
}

/// Blocks that have one weight each: no hidden size can be told.
Analysis plainBlocks()
{
    UserInput input;
    input.gpus = 4;
    return test::diesInBackward(input);
}

/// In its second step 96 MiB of `bucket` are live, made at `stack`.
Analysis diesWith(Bucket bucket, const char* stack)
{
    test::HandRun run(490 * kM);
    test::HandTraining training(run, {});
    training.step();
    training.forward();
    run.alloc(96 * kM, bucket, Role::none, stack);
    run.oom(24 * kM, 4 * kM, Bucket::activation, Role::none, kPlace);
    return run.finish();
}

std::int64_t savedAlone(const Analysis& analysis, std::string_view id)
{
    return test::fixOf(analysis, id).alone.saves.value;
}

} // namespace

class TstFixFormulas : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void galoreKeepsAProjectionAndTwoSmallMoments();
    void apolloKeepsTwoSmallMoments();
    void tensorParallelismDividesStatesAndMostOfTheActivations();
    void stagesHoldWholeBlocks();
    void contextParallelismDividesWhatFollowsTheSequence();
    void whatIsARoughRangeIsNeverRecommended_data();
    void whatIsARoughRangeIsNeverRecommended();
};

void TstFixFormulas::galoreKeepsAProjectionAndTwoSmallMoments()
{
    // Rank 128, 4 B: an m × n matrix has 2 m n elements of state, then 128 (m + 2 n).
    //   12 MiB, 1024 × 3072: 6291456 − 128 · 7168 = 5373952, four of them
    //    4 MiB, 1024 × 1024: 2097152 − 128 · 3072 = 1703936, four
    //   16 MiB, 1024 × 4096: 8388608 − 128 · 9216 = 7208960, eight
    const std::int64_t elements = 4 * 5373952 + 4 * 1703936 + 8 * std::int64_t{7208960};
    QCOMPARE(savedAlone(transformer(1), "optimizer-galore"), 4 * elements);
}

void TstFixFormulas::apolloKeepsTwoSmallMoments()
{
    // Rank 256: 2 m n elements, then 512 n.
    //   6291456 − 512 · 3072 = 4718592; 2097152 − 512 · 1024 = 1572864;
    //   8388608 − 512 · 4096 = 6291456
    const std::int64_t elements = 4 * 4718592 + 4 * 1572864 + 8 * std::int64_t{6291456};
    QCOMPARE(savedAlone(transformer(1), "optimizer-apollo"), 4 * elements);
}

void TstFixFormulas::tensorParallelismDividesStatesAndMostOfTheActivations()
{
    // Over 4: of 3 · (224 MiB + 32 KiB) of weights and state three quarters go, 504 MiB + 72 KiB;
    // of 340 MiB saved or asked for 34 parts become 10 + 24 / 4 = 16, so 18 / 34 go, 180 MiB.
    QCOMPARE(savedAlone(transformer(4), "tensor-parallel"), (504 + 180) * kM + 72 * kK);
}

void TstFixFormulas::stagesHoldWholeBlocks()
{
    // Four stages of one block each. Of 672 MiB + 96 KiB of weights and state 576 MiB + 96 KiB are
    // in blocks: a quarter stays, 144 MiB + 24 KiB, and half of the other 96 MiB, 48.
    QCOMPARE(savedAlone(transformer(4), "pipeline-parallel"), (672 - 144 - 48) * kM + 72 * kK);
    // Three stages: one has two blocks of four, so half stays, 288 MiB + 48 KiB.
    QCOMPARE(savedAlone(transformer(3), "pipeline-parallel"), (672 - 288 - 48) * kM + 48 * kK);
}

void TstFixFormulas::contextParallelismDividesWhatFollowsTheSequence()
{
    // Of 320 MiB and the request of 20 three quarters; of these 95 % are likely.
    const double goes = 0.95 * 0.75 * 340 * kM;
    QCOMPARE(savedAlone(transformer(4), "context-parallel"), std::llround(goes));
}

void TstFixFormulas::whatIsARoughRangeIsNeverRecommended_data()
{
    QTest::addColumn<QString>("reason");
    QTest::newRow("optimizer-galore") << "matrices' dimensions are unknown";
    QTest::newRow("optimizer-apollo") << "matrices' dimensions are unknown";
    QTest::newRow("tensor-parallel") << "nknown hidden size";
    QTest::newRow("compile-budget") << "rough range";
    QTest::newRow("smaller-buckets") << "nknown: how much";
}

void TstFixFormulas::whatIsARoughRangeIsNeverRecommended()
{
    QFETCH(QString, reason);
    const std::string id = QTest::currentDataTag();
    const Analysis analysis = id == "compile-budget"
        ? diesWith(Bucket::activation,
                   "call /tmp/torchinductor_me/ab/cab.py:88; main /home/me/train.py:40")
        : id == "smaller-buckets" ? diesWith(Bucket::communication, "all_gather /home/me/c.py:5")
                                  : plainBlocks();
    const Fix fix = test::fixOf(analysis, id);
    QVERIFY2(fix.status == FixStatus::would_help, fix.why.c_str());
    QVERIFY(fix.fits != std::optional(true));
    QVERIFY2(QString::fromStdString(fix.why).contains(reason), fix.why.c_str());
}

TIDEMARK_TEST(TstFixFormulas)

} // namespace tidemark::tst_fix_formulas

#include "tst_fix_formulas.moc"
