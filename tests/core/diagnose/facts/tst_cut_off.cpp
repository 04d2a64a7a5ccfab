// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/fine_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_cut_off {

using namespace tidemark::diagnose;
using test::kM;
using test::fine::kStates;

namespace {

using label::Bucket;
using label::Role;

} // namespace

class TstCutOff : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersBesideATensorAreNoListOfThem();
    void adamHasTwoOfTheLargestWeightInPassing();
};

void TstCutOff::numbersBesideATensorAreNoListOfThem()
{
    // The second temporary of one weight fails. Three of one line are a list as long as the model,
    // 32 MiB; numbers of the same line make none. Where all weights are taken at once, the first
    // begins a list: 24 more are to come than what failed.
    const auto needWith = [](int numbers, const char* function, int line_of_first = 200) {
        test::HandRun run(400 * kM);
        test::beginSecondOptimizerStep(run);
        const auto stackOf = [&](int line) {
            return std::string(function) + " /x/torch/optim/adam.py:" + std::to_string(line);
        };
        const auto make = [&](std::int64_t bytes, int line) {
            run.alloc(bytes, Bucket::temporary, Role::optimizer_transient, stackOf(line));
        };
        for (int i = 0; i < numbers; ++i) {
            make(512, 201);
        }
        make(8 * kM, line_of_first);
        run.oom(8 * kM, 0, Bucket::temporary, Role::optimizer_transient, stackOf(201));
        return predict(run.finish(), 0, {}).before_need.value;
    };
    const auto* one_by_one = "_single_tensor_adam";
    QVERIFY(needWith(3, one_by_one, 201) - needWith(0, one_by_one, 201) <= 3 * 512);
    QCOMPARE(needWith(0, "_multi_tensor_adam") - needWith(0, one_by_one, 201), 24 * kM);
}

void TstCutOff::adamHasTwoOfTheLargestWeightInPassing()
{
    // The square roots of the first weight fail, of 2 MiB; of the largest, of 8, there will be two.
    const auto needAt = [](bool is_second, const char* function) {
        test::HandRun run(400 * kM);
        test::beginSecondOptimizerStep(run);
        const auto stack = std::string(function) + " /x/torch/optim/adam.py:410";
        const auto bucket = Bucket::temporary;
        const auto role = Role::optimizer_transient;
        if (is_second) {
            run.alloc(2 * kM, bucket, role, stack);
        }
        run.oom(2 * kM, 0, bucket, role, stack);
        return predict(run.finish(), 0, {}).before_need.value;
    };
    const std::int64_t live = kStates + 4 * 8 * kM; // with gradients
    QCOMPARE(needAt(false, "_single_tensor_adam"), live + 2 * 8 * kM);
    QCOMPARE(needAt(true, "_single_tensor_adamw"), live + 2 * 8 * kM);
    QCOMPARE(needAt(false, "_single_tensor_rmsprop"), live + 8 * kM);
}

TIDEMARK_TEST(TstCutOff)

} // namespace tidemark::tst_cut_off

#include "tst_cut_off.moc"
