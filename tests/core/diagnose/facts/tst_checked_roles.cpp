// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/checked_roles.h"
#include "tests/core/diagnose/scenarios.h"
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

constexpr std::string_view kSoftmax = "softmax /opt/torch/nn/functional.py:1841";
constexpr std::string_view kDropout = "dropout /opt/torch/nn/functional.py:1252";
constexpr std::string_view kModel = "forward /home/me/model.py:20";
constexpr std::string_view kLoss = "cross_entropy /opt/torch/nn/functional.py:3026";

void save(HandRun& run, std::int64_t bytes, Role role, std::string_view line = kModel)
{
    run.alloc(bytes, Bucket::activation, role, line);
}

/// Roles of all allocations after the check, in order.
std::vector<Role> rolesOf(HandRun& run)
{
    return checkedRoles(test::GatheredRun(run.finish()).facts);
}

std::int64_t countOf(HandRun& run, Role role)
{
    return std::ranges::count(rolesOf(run), role);
}

} // namespace

class TstCheckedRoles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void scoresBesideTheirSoftmaxStay();
    void aMatrixFarFromAnySoftmaxIsNone();
    void aMatrixOfAnotherSizeIsNone();
    void withoutSoftmaxNothingIsChecked();
    void copiesAsLargeAsTheHiddenStateAreNone();
    void whatDropoutMakesOfTheSoftmaxStays();
    void aCopyForAutocastIsAMatrix();
    void aCopyOfTheValuesIsNone();
    void whatComesInPassingBeforeASoftmaxIsItsScores();
    void besideOthersOfThatSizeNothingInPassingIs();
    void logitsOfThatSizeHideNoMatrix();
    void logitsLieBetweenHeadAndLoss();
    void withoutALossLogitsStay();
};

void TstCheckedRoles::scoresBesideTheirSoftmaxStay()
{
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    save(run, 4 * kM, Role::attention_matrix);
    save(run, 4 * kM, Role::attention_matrix);
    save(run, 4 * kM, Role::attention_matrix, kSoftmax);
    for (int i = 0; i < 20; ++i) {
        save(run, kM, Role::none);
    }
    QCOMPARE(countOf(run, Role::attention_matrix), 3);
}

void TstCheckedRoles::aMatrixFarFromAnySoftmaxIsNone()
{
    // The first is 13 allocations before the softmax, the last but 20 is 4 behind it.
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    save(run, 4 * kM, Role::attention_matrix);
    for (int i = 0; i < 12; ++i) {
        save(run, kM, Role::none);
    }
    save(run, 4 * kM, Role::attention_matrix, kSoftmax);
    for (int i = 0; i < 3; ++i) {
        save(run, kM, Role::none);
    }
    save(run, 4 * kM, Role::attention_matrix);
    for (int i = 0; i < 20; ++i) {
        save(run, kM, Role::none);
    }
    const std::vector<Role> roles = rolesOf(run);
    QVERIFY(roles[0] == Role::none);
    QVERIFY(roles[13] == Role::attention_matrix);
    QVERIFY(roles[17] == Role::none);
}

void TstCheckedRoles::aMatrixOfAnotherSizeIsNone()
{
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    save(run, 3 * kM, Role::attention_matrix);
    save(run, 4 * kM, Role::attention_matrix, kSoftmax);
    for (int i = 0; i < 20; ++i) {
        save(run, kM, Role::none);
    }
    const std::vector<Role> roles = rolesOf(run);
    QVERIFY(roles[0] == Role::none);
    QVERIFY(roles[1] == Role::attention_matrix);
}

void TstCheckedRoles::withoutSoftmaxNothingIsChecked()
{
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    save(run, 4 * kM, Role::attention_matrix);
    for (int i = 0; i < 20; ++i) {
        save(run, kM, Role::none);
    }
    QCOMPARE(countOf(run, Role::attention_matrix), 1);
}

void TstCheckedRoles::copiesAsLargeAsTheHiddenStateAreNone()
{
    // Saved before the softmax in the size of the hidden state: a copy of the queries.
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    save(run, 4 * kM, Role::none);
    save(run, 4 * kM, Role::attention_matrix);
    save(run, 4 * kM, Role::attention_matrix, kSoftmax);
    const std::vector<Role> roles = rolesOf(run);
    QVERIFY(roles[1] == Role::none);
    QVERIFY(roles[2] == Role::attention_matrix);
}

void TstCheckedRoles::whatDropoutMakesOfTheSoftmaxStays()
{
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    save(run, 4 * kM, Role::none);
    save(run, 4 * kM, Role::attention_matrix, kSoftmax);
    save(run, 4 * kM, Role::attention_matrix, kDropout);
    save(run, 4 * kM, Role::attention_matrix, kModel);
    const std::vector<Role> roles = rolesOf(run);
    QVERIFY(roles[2] == Role::attention_matrix);
    QVERIFY(roles[3] == Role::none);
}

void TstCheckedRoles::aCopyForAutocastIsAMatrix()
{
    // The first of half its size behind the softmax and kept, and the scores of that size before.
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    save(run, 2 * kM, Role::none);
    run.alloc(4 * kM, Bucket::temporary, Role::none, kModel);
    save(run, 8 * kM, Role::attention_matrix, kSoftmax);
    save(run, 512, Role::none);
    save(run, 4 * kM, Role::none);
    const std::vector<Role> roles = rolesOf(run);
    QVERIFY(roles[0] == Role::none);
    QVERIFY(roles[1] == Role::attention_matrix);
    QVERIFY(roles[4] == Role::attention_matrix);
}

void TstCheckedRoles::aCopyOfTheValuesIsNone()
{
    const auto rolesWith = [](std::string_view line) {
        HandRun run(256 * kM);
        run.phase(Phase::forward, 1);
        save(run, 4 * kM, Role::none); // as large: a hidden state
        save(run, 8 * kM, Role::attention_matrix, kSoftmax);
        save(run, 4 * kM, Role::none, line);
        return rolesOf(run);
    };
    QVERIFY(rolesWith(kModel)[2] == Role::none);
    const std::vector<Role> cast =
        rolesWith("at::autocast::cached_cast() ??:0; forward /home/me/model.py:20");
    QVERIFY(cast[0] == Role::none);
    QVERIFY(cast[2] == Role::attention_matrix);
}

void TstCheckedRoles::whatComesInPassingBeforeASoftmaxIsItsScores()
{
    // Twice in its size right before it, once too early and once in another.
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    const auto pass = [&](std::int64_t bytes) {
        run.free(run.alloc(bytes, Bucket::temporary, Role::none, kModel));
    };
    pass(4 * kM);
    for (int i = 0; i < 12; ++i) {
        pass(kM);
    }
    pass(4 * kM);
    pass(2 * kM);
    pass(4 * kM);
    save(run, 4 * kM, Role::attention_matrix, kSoftmax);
    const std::vector<Role> roles = rolesOf(run);
    QVERIFY(roles[0] == Role::none);
    QVERIFY(roles[13] == Role::attention_matrix);
    QVERIFY(roles[14] == Role::none);
    QVERIFY(roles[15] == Role::attention_matrix);
}

void TstCheckedRoles::besideOthersOfThatSizeNothingInPassingIs()
{
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    save(run, 4 * kM, Role::none);
    run.free(run.alloc(4 * kM, Bucket::temporary, Role::none, kModel));
    save(run, 4 * kM, Role::attention_matrix, kSoftmax);
    QVERIFY(rolesOf(run)[1] == Role::none);
}

void TstCheckedRoles::logitsOfThatSizeHideNoMatrix()
{
    // Logits as large as the scores, those of another head as large as their copy in 16 bits.
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    run.free(run.alloc(4 * kM, Bucket::temporary, Role::none, kModel));
    save(run, 4 * kM, Role::attention_matrix, kSoftmax);
    save(run, 2 * kM, Role::none);
    save(run, 2 * kM, Role::logits);
    save(run, 4 * kM, Role::logits);
    const std::vector<Role> roles = rolesOf(run);
    QVERIFY(roles[0] == Role::attention_matrix);
    QVERIFY(roles[2] == Role::attention_matrix);
    QVERIFY(roles[3] == Role::logits);
    QVERIFY(roles[4] == Role::logits);
}

void TstCheckedRoles::logitsLieBetweenHeadAndLoss()
{
    // What the last block saved lies behind the first of them; a statistic behind it changes
    // nothing.
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    save(run, 8 * kM, Role::logits);
    save(run, 2 * kM, Role::none);
    save(run, 8 * kM, Role::logits);
    save(run, 64 << 10, Role::none);
    save(run, 8 * kM, Role::logits, kLoss);
    const std::vector<Role> roles = rolesOf(run);
    QVERIFY(roles[0] == Role::none);
    QVERIFY(roles[2] == Role::logits);
    QVERIFY(roles[4] == Role::logits);
}

void TstCheckedRoles::withoutALossLogitsStay()
{
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    save(run, 8 * kM, Role::logits);
    save(run, 2 * kM, Role::none);
    save(run, 8 * kM, Role::logits);
    QCOMPARE(countOf(run, Role::logits), 2);
}

TIDEMARK_TEST(TstCheckedRoles)
#include "tst_checked_roles.moc"
