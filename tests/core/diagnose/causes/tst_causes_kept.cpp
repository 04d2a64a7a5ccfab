// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <vector>

namespace tidemark::tst_causes_kept {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::HandTraining;
using test::kM;
using test::ModelShape;

namespace {

std::vector<CauseFinding> causesOf(const Analysis& analysis)
{
    return test::deviceDiagnosisOf(analysis).causes;
}

std::string firstOf(const Analysis& analysis)
{
    return std::string(causeId(causesOf(analysis).front().cause));
}

const CauseFinding* find(const std::vector<CauseFinding>& causes, Cause cause)
{
    const auto found = std::ranges::find(causes, cause, &CauseFinding::cause);
    return found == causes.end() ? nullptr : &*found;
}

/// An embedding, then a layer that is gone through `turns` times: 2 + 4 · turns MiB.
void goForward(HandRun& run, int turns, std::string_view caller)
{
    const std::string from = "; " + std::string(caller);
    run.alloc(2 * kM, Bucket::activation, Role::none, "forward /home/me/embed.py:5" + from);
    for (int i = 0; i < turns; ++i) {
        run.alloc(4 * kM, Bucket::activation, Role::none, "forward /home/me/cell.py:9" + from);
    }
}

/// Two steps of an embedding and three layers, then `passes` passes of `turns` layers and no
/// backward.
Analysis diesInForwardsWithoutBackward(int passes, int turns, std::string_view caller)
{
    HandRun run((16 + passes * (2 + 4 * turns)) * kM);
    run.phase(Phase::setup, 0);
    run.alloc(16 * kM, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:5");
    for (std::uint32_t step = 1; step <= 2; ++step) {
        run.phase(Phase::forward, step);
        std::vector<HandRun::Handle> made;
        made.push_back(run.alloc(2 * kM, Bucket::activation, Role::none,
                                 "forward /home/me/embed.py:5; train /home/me/train.py:20"));
        for (int i = 0; i < 3; ++i) {
            made.push_back(run.alloc(4 * kM, Bucket::activation, Role::none,
                                     "forward /home/me/cell.py:9; train /home/me/train.py:20"));
        }
        run.phase(Phase::backward, step);
        run.free(run.alloc(kM, Bucket::temporary, Role::activation_gradient, ""));
        for (const auto handle : made) {
            run.free(handle);
        }
        run.phase(Phase::optimizer, step);
        run.free(run.alloc(kM, Bucket::temporary, Role::optimizer_transient,
                           "step /site-packages/torch/optim/sgd.py:9"));
    }
    run.phase(Phase::forward, 3);
    for (int i = 0; i < passes; ++i) {
        goForward(run, turns, caller);
    }
    run.oom(4 * kM, kM, Bucket::activation, Role::none,
            "forward /home/me/cell.py:9; " + std::string(caller));
    return run.finish();
}

/// Gradients that stay from step to step, with `copies` of optimizer state.
Analysis diesBesideGradients(double copies)
{
    HandRun run(copies > 0 ? 560 * kM : 360 * kM);
    ModelShape shape;
    shape.keep_gradients = true;
    shape.state_copies = copies;
    shape.weight = 32 * kM;
    shape.attention = 4 * kM;
    shape.hidden = 8 * kM;
    shape.logits = 8 * kM;
    HandTraining training(run, shape);
    training.step();
    training.forward(2);
    run.oom(256 * kM, 4 * kM, Bucket::activation, Role::none, "forward /home/me/model.py:31");
    return run.finish();
}

/// Four layers that each make their keys anew for every token, `more` MiB larger than before.
Analysis diesExtending(int tokens, std::int64_t more)
{
    const std::int64_t last = 4 + (tokens - 1) * more;
    HandRun run((8 + 7 * last) * kM);
    run.phase(Phase::setup, 0);
    run.alloc(8 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    run.phase(Phase::forward, 1);
    const Bucket bucket = more > 0 ? Bucket::kv_cache : Bucket::activation;
    std::vector<HandRun::Handle> keys;
    for (int token = 0; token < tokens; ++token) {
        for (std::size_t layer = 0; layer < 4; ++layer) {
            const auto made = run.alloc((4 + token * more) * kM, bucket, Role::none,
                                        "forward /home/me/decoder.py:40");
            if (token > 0) {
                run.free(keys[layer]);
                keys[layer] = made;
            } else {
                keys.push_back(made);
            }
        }
    }
    run.oom((4 + tokens * more) * kM, kM, bucket, Role::none, "forward /home/me/decoder.py:40");
    return run.finish();
}

/// Steps of a small model; each keeps what `kept` says, in MiB, for good. Nothing runs out.
Analysis keepsInEachStep(const std::vector<int>& kept, UserInput input = {})
{
    HandRun run(2048 * kM);
    HandTraining training(run, {});
    for (const int mib : kept) {
        training.step();
        if (mib > 0) {
            run.alloc(mib * kM, Bucket::unknown, Role::none,
                      "run /home/me/memory_leaks_demo.py:12; main /home/me/demo.py:3");
        }
    }
    return run.finish(std::move(input));
}

/// Steps whose recurrent part is as long as each sentence: 2, 3, 2 and then `last` cells.
Analysis diesOfLength(int last)
{
    HandRun run((16 + 2 + 8 * last) * kM);
    run.phase(Phase::setup, 0);
    run.alloc(16 * kM, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:5");
    std::uint32_t step = 0;
    for (const int cells : {2, 3, 2}) {
        run.phase(Phase::forward, ++step);
        std::vector<HandRun::Handle> made;
        made.push_back(
            run.alloc(2 * kM, Bucket::activation, Role::none, "forward /home/me/embed.py:5"));
        for (int i = 0; i < cells; ++i) {
            made.push_back(
                run.alloc(8 * kM, Bucket::activation, Role::none, "forward /home/me/cell.py:9"));
        }
        run.phase(Phase::backward, step);
        run.free(run.alloc(kM, Bucket::temporary, Role::activation_gradient, ""));
        for (const auto handle : made) {
            run.free(handle);
        }
        run.phase(Phase::optimizer, step);
        run.free(run.alloc(kM, Bucket::temporary, Role::optimizer_transient,
                           "step /site-packages/torch/optim/sgd.py:9"));
    }
    run.phase(Phase::forward, ++step);
    run.alloc(2 * kM, Bucket::activation, Role::none, "forward /home/me/embed.py:5");
    for (int i = 0; i < last; ++i) {
        run.alloc(8 * kM, Bucket::activation, Role::none, "forward /home/me/cell.py:9");
    }
    run.oom(8 * kM, kM, Bucket::activation, Role::none, "forward /home/me/cell.py:9");
    return run.finish();
}

/// A buffer of 16 MiB that lives through eight passes of generation, then six of 64 MiB, all of
/// them labelled as `bucket`.
Analysis diesMakingRoomForTokens(Bucket bucket)
{
    HandRun run((8 + 5 * 64) * kM);
    run.phase(Phase::setup, 0);
    run.alloc(8 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    run.phase(Phase::inference, 0);
    const auto* room = "generate /home/me/model.py:60";
    const auto first = run.alloc(16 * kM, bucket, Role::none, room);
    for (int i = 0; i < 8; ++i) {
        run.free(run.alloc(kM, Bucket::temporary, Role::none, "forward /home/me/model.py:24"));
    }
    run.free(first);
    for (int i = 0; i < 5; ++i) {
        run.alloc(64 * kM, bucket, Role::none, room);
    }
    run.oom(64 * kM, kM, bucket, Role::none, room);
    return run.finish();
}

/// A forward pass alone, for generation, in which everything stays until it runs out.
Analysis diesInPrefill()
{
    HandRun run(400 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(64 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    run.phase(Phase::inference, 0);
    for (int i = 0; i < 5; ++i) {
        run.alloc(64 * kM, Bucket::activation, Role::none, "forward /home/me/model.py:24");
    }
    run.oom(64 * kM, kM, Bucket::activation, Role::none, "forward /home/me/model.py:24");
    return run.finish();
}

} // namespace

class TstCausesKept : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatEachStepKeepsIsTheHeadline()
    {
        const auto told = test::deviceDiagnosisOf(keepsInEachStep({40, 40, 40, 40}));
        QCOMPARE(told.headline, std::string("+40.0 MiB every step from memory_leaks_demo.py:12"));
        QVERIFY2(told.explanation.starts_with("Peak "), told.explanation.c_str());
        // Where it is known what there is, the steps that are left are counted.
        UserInput input;
        input.capacity = Bytes{4096 * kM};
        const auto counted = test::deviceDiagnosisOf(keepsInEachStep({40, 40, 40, 40}, input));
        QVERIFY2(counted.headline.find("memory_leaks_demo.py:12; full in ") != std::string::npos,
                 counted.headline.c_str());
    }
    void nearMissesOfALeakAreNoHeadline_data()
    {
        QTest::addColumn<std::vector<int>>("kept");
        QTest::newRow("optimizer state, made once") << std::vector<int>{0, 0, 0, 0, 0};
        QTest::newRow("a cache that stops growing") << std::vector<int>{40, 40, 40, 0, 0, 0, 0};
        QTest::newRow("two steps") << std::vector<int>{0, 0, 40, 40};
        QTest::newRow("warm-up in the first step") << std::vector<int>{40, 0, 0, 0};
        QTest::newRow("another size in each step") << std::vector<int>{10, 40, 23, 51};
        QTest::newRow("every other step") << std::vector<int>{40, 0, 40, 0, 40, 0};
    }
    void nearMissesOfALeakAreNoHeadline()
    {
        QFETCH(std::vector<int>, kept);
        const auto told = test::deviceDiagnosisOf(keepsInEachStep(kept));
        QVERIFY2(told.headline.find("every step") == std::string::npos, told.headline.c_str());
    }
    void graphsThatNoBackwardFollowsAreNamed();
    void aLongerRecurrenceIsNoKeptGraph();
    void twoPassesWithoutBackwardAreNoKeptGraph();
    void gradientsBesideForwardAreNamed();
    void gradientsBesideForwardAreNotBlamedWhereMoreStateCame();
    void whatIsExtendedByEveryTokenIsACache();
    void whatKeepsItsSizeIsNoCache();
    void aPassWithMoreAliveThanAnyBeforeIsTheLongest();
    void aPassWithAsMuchAliveAsBeforeIsNotTheLongest();
    void aCacheIsWhatTheLabelsCallOne();
    void inferenceKeepsNothingForABackward();
};

void TstCausesKept::inferenceKeepsNothingForABackward()
{
    const auto causes = causesOf(diesInPrefill());
    const CauseFinding* const found = find(causes, Cause::activations);
    QVERIFY(found != nullptr);
    QVERIFY(found->evidence.front().text.find("saves nothing for backward") != std::string::npos);
}

void TstCausesKept::graphsThatNoBackwardFollowsAreNamed()
{
    // Twelve passes of 14 MiB each from a line that never trained, then from the one that did.
    const Analysis validates =
        diesInForwardsWithoutBackward(12, 3, "validate /home/me/train.py:70");
    const auto elsewhere = causesOf(validates);
    QVERIFY(elsewhere.front().cause == Cause::evaluation_accumulation);
    QVERIFY(elsewhere.front().evidence[0].text.find("ran 12 times") != std::string::npos);
    const auto d = test::deviceDiagnosisOf(validates);
    QVERIFY2(d.explanation.find("results grow") == std::string::npos, d.explanation.c_str());
    for (const Fix& fix : d.fixes) {
        QVERIFY2(fix.why.find("results grow") == std::string::npos, fix.why.c_str());
    }
    QCOMPARE(firstOf(diesInForwardsWithoutBackward(12, 3, "train /home/me/train.py:20")),
             std::string("leak"));
}

void TstCausesKept::aLongerRecurrenceIsNoKeptGraph()
{
    const auto causes =
        causesOf(diesInForwardsWithoutBackward(1, 36, "train /home/me/train.py:20"));
    QVERIFY(find(causes, Cause::leak) == nullptr);
    QVERIFY(causes.front().cause == Cause::longest_batch);
}

void TstCausesKept::twoPassesWithoutBackwardAreNoKeptGraph()
{
    const auto causes = causesOf(diesInForwardsWithoutBackward(2, 3, "train /home/me/train.py:20"));
    QVERIFY(find(causes, Cause::leak) == nullptr);
}

void TstCausesKept::gradientsBesideForwardAreNamed()
{
    QCOMPARE(firstOf(diesBesideGradients(0)), std::string("gradients"));
}

void TstCausesKept::gradientsBesideForwardAreNotBlamedWhereMoreStateCame()
{
    QVERIFY(find(causesOf(diesBesideGradients(2)), Cause::gradients) == nullptr);
}

void TstCausesKept::whatIsExtendedByEveryTokenIsACache()
{
    const auto causes = causesOf(diesExtending(16, 2));
    QVERIFY(causes.front().cause == Cause::kv_cache);
    QVERIFY(causes.front().score > 0.8);
}

void TstCausesKept::whatKeepsItsSizeIsNoCache()
{
    QVERIFY(find(causesOf(diesExtending(16, 0)), Cause::kv_cache) == nullptr);
}

void TstCausesKept::aPassWithMoreAliveThanAnyBeforeIsTheLongest()
{
    // 2 + 9 · 8 MiB with the request, against 2 + 3 · 8 + 1 of the largest before.
    const auto causes = causesOf(diesOfLength(8));
    QVERIFY(causes.front().cause == Cause::longest_batch);
    QVERIFY(causes.front().evidence[0].text.find("pass takes 74.0 MiB") != std::string::npos);
    QVERIFY(causes.front().evidence[0].text.find("peaked at 27.0 MiB") != std::string::npos);
}

void TstCausesKept::aPassWithAsMuchAliveAsBeforeIsNotTheLongest()
{
    QVERIFY(find(causesOf(diesOfLength(2)), Cause::longest_batch) == nullptr); // 26 of 27 MiB
}

void TstCausesKept::aCacheIsWhatTheLabelsCallOne()
{
    QCOMPARE(firstOf(diesMakingRoomForTokens(Bucket::kv_cache)), std::string("kv-cache"));
    QVERIFY(find(causesOf(diesMakingRoomForTokens(Bucket::temporary)), Cause::kv_cache) == nullptr);
}

TIDEMARK_TEST(TstCausesKept)

} // namespace tidemark::tst_causes_kept

#include "tst_causes_kept.moc"
