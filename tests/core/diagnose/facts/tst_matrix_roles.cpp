// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/facts.h"
#include "tests/core/diagnose/hand_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

using namespace tidemark;
using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

constexpr std::int64_t kWidth = 64; // of the hidden states, fp32
constexpr std::int64_t kTokens = 512;
constexpr std::int64_t kHidden = kTokens * kWidth * 4;

/// How many allocations the facts give a role.
std::int64_t countOf(HandRun& run, Role role)
{
    const Analysis analysis = run.finish();
    const label::StackKinds stacks(*analysis.snapshot);
    const std::optional<OomMessage> no_message;
    const Facts facts = gatherFacts(analysis, 0, stacks, no_message);
    return std::ranges::count(facts.roles, role);
}

void makeModel(HandRun& run, std::int64_t head_bytes)
{
    run.phase(Phase::setup, 0);
    run.alloc(kWidth * kWidth * 4, Bucket::parameter, Role::trainable,
              "__init__ /home/me/model.py:5");
    run.alloc(head_bytes, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:6");
    run.phase(Phase::forward, 1);
}

void makeHidden(HandRun& run, int count, std::int64_t bytes = kHidden)
{
    for (int i = 0; i < count; ++i) {
        run.alloc(bytes, Bucket::activation, Role::none, "forward /home/me/model.py:20");
    }
}

/// What a head makes of hidden states and two copies that the loss makes of it.
std::int64_t logitsFound(std::int64_t head_bytes, std::int64_t output_bytes)
{
    HandRun run(400 * kM);
    makeModel(run, head_bytes);
    makeHidden(run, 4);
    run.alloc(output_bytes, Bucket::activation, Role::none, "forward /home/me/model.py:30");
    run.alloc(output_bytes, Bucket::activation, Role::none, "train /home/me/train.py:9");
    run.alloc(8 << 10, Bucket::activation, Role::none, "train /home/me/train.py:10");
    run.alloc(output_bytes, Bucket::activation, Role::none, "train /home/me/train.py:11");
    run.oom(kM, 0, Bucket::temporary);
    return countOf(run, Role::logits);
}

/// Three layers with two wide matrices each between hidden states of that size.
std::int64_t attentionFound(std::int64_t between_bytes, std::int64_t wide_bytes, int layers = 3)
{
    HandRun run(900 * kM);
    makeModel(run, 8 << 20);
    for (int layer = 0; layer < layers; ++layer) {
        makeHidden(run, 2, between_bytes);
        run.alloc(wide_bytes, Bucket::activation, Role::none, "forward /home/me/model.py:40");
        run.alloc(wide_bytes, Bucket::activation, Role::none, "forward /home/me/model.py:41");
    }
    makeHidden(run, 1, between_bytes);
    run.oom(kM, 0, Bucket::temporary);
    return countOf(run, Role::attention_matrix);
}

} // namespace

class TstMatrixRoles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatAHeadMakesOfHiddenStatesIsLogits();
    void anOutputThatNoWeightExplainsIsNot();
    void aFewOutputsAreNoVocabulary();
    void whatManyLayersMakeIsNoVocabulary();
    void wideMatricesBetweenLayersAreAttention();
    void layersBetweenTinyStatisticsAreNot();
    void oneWideMatrixIsNone();
    void whatAWideLayerMakesIsNoAttention();
};

void TstMatrixRoles::whatAHeadMakesOfHiddenStatesIsLogits()
{
    static constexpr std::int64_t kVocabulary = 8000;
    QCOMPARE(logitsFound(kVocabulary * kWidth * 4, kTokens * kVocabulary * 4), 3);
}

void TstMatrixRoles::anOutputThatNoWeightExplainsIsNot()
{
    QCOMPARE(logitsFound(8000 * kWidth * 4, kTokens * 8001 * 4), 0);
}

void TstMatrixRoles::aFewOutputsAreNoVocabulary()
{
    QCOMPARE(logitsFound(1000 * kWidth * 4, kTokens * 1000 * 4), 0);
}

void TstMatrixRoles::whatManyLayersMakeIsNoVocabulary()
{
    const auto foundIn = [](int layers) {
        HandRun run(900 * kM);
        makeModel(run, 8000 * kWidth * 4);
        for (int layer = 0; layer < layers; ++layer) {
            makeHidden(run, 3);
            run.alloc(kTokens * 8000 * 4, Bucket::activation, Role::none,
                      "forward /home/me/model.py:30");
        }
        run.oom(kM, 0, Bucket::temporary);
        return countOf(run, Role::logits);
    };
    QCOMPARE(foundIn(2), 2); // two models that score one batch
    QCOMPARE(foundIn(4), 0);
}

void TstMatrixRoles::wideMatricesBetweenLayersAreAttention()
{
    QCOMPARE(attentionFound(kHidden, 8 * kTokens * kTokens * 4), 6); // 8 heads of 512 × 512
}

void TstMatrixRoles::layersBetweenTinyStatisticsAreNot()
{
    QCOMPARE(attentionFound(8 << 10, 8 * kTokens * kTokens * 4), 0);
}

void TstMatrixRoles::oneWideMatrixIsNone()
{
    QCOMPARE(attentionFound(kHidden, 8 * kTokens * kTokens * 4, 1), 0);
}

void TstMatrixRoles::whatAWideLayerMakesIsNoAttention()
{
    QCOMPARE(attentionFound(kHidden, 4 * kHidden), 0); // the usual h → 4h
}

TIDEMARK_TEST(TstMatrixRoles)
#include "tst_matrix_roles.moc"
