// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/label/frameless_program.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

namespace tidemark::tst_frameless_habits {

using namespace tidemark::label;
using namespace tidemark::test;

namespace {

constexpr std::int64_t kBatch = 4;
constexpr int kSteps = 4;

void compare(const Program& p, std::size_t steps)
{
    QCOMPARE(QString::fromStdString(p.mistakes()), QString());
    QCOMPARE(p.labelled().device().steps.size(), steps);
}

/// A further pass with other sizes, whose memory is named by a letter.
void forwardOf(Program& p, char name)
{
    for (int i = 0; i < kLayers; ++i) {
        p.make("t", 31'000, Bucket::temporary);
        p.make(fmt::format("{}{}", name, i), 210'000 + i, Bucket::activation);
        p.drop("t");
    }
}

void backwardOf(Program& p, char name)
{
    for (int i = kLayers; i-- > 0;) {
        p.make(fmt::format("g{}{}", name, i), 210'000 + i, Bucket::temporary);
        p.make(fmt::format("w{}{}", name, i), Program::parameterBytes(i), Bucket::gradient);
        p.drop(fmt::format("g{}{}", name, i));
        p.drop(fmt::format("{}{}", name, i));
    }
}

void stepOf(Program& p, char name, bool makes_state)
{
    p.now(Phase::optimizer);
    if (makes_state) {
        p.makeState(fmt::format("m{}", name).c_str());
    }
    for (int i = 0; i < kLayers; ++i) {
        p.make("u", Program::parameterBytes(i), Bucket::temporary);
        p.drop("u");
    }
    for (int i = 0; i < kLayers; ++i) {
        p.drop(fmt::format("w{}{}", name, i));
    }
}

} // namespace

class TestFramelessHabits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aBatchMayTakeSeveralOperations()
    {
        Program p;
        p.makeModel();
        for (int n = 0; n < kSteps; ++n) {
            p.takeBatch(kBatch);
            for (int i = 0; i < 8; ++i) {
                p.make("scaled", 20'500 * kBatch, Bucket::temporary);
                p.drop("scaled");
            }
            p.make(fmt::format("noisy{}", n), 20'500 * kBatch, Bucket::input);
            if (n > 0) {
                p.drop(fmt::format("noisy{}", n - 1));
            }
            p.forward(kBatch);
            p.backward(kBatch, false);
            p.optimize(n == 0);
        }
        compare(p, kSteps);
    }

    /// Its result is made of the last memory of a pass that saves nothing, so it is no batch.
    void aTeacherIsPartOfTheForward()
    {
        Program p;
        p.makeModel();
        for (int n = 0; n < kSteps; ++n) {
            p.takeBatch(kBatch);
            p.now(Phase::forward);
            for (int i = 0; i < kLayers; ++i) {
                p.make(fmt::format("e{}", i), (52'000 + i) * kBatch, Bucket::temporary);
                if (i > 0) {
                    p.drop(fmt::format("e{}", i - 1));
                }
            }
            p.make(fmt::format("aim{}", n), 52'004 * kBatch, Bucket::activation);
            p.drop("e4");
            if (n > 0) {
                p.drop(fmt::format("aim{}", n - 1));
            }
            p.forward(kBatch);
            p.backward(kBatch, false);
            p.optimize(n == 0);
        }
        compare(p, kSteps);
    }

    void twoLossesMayGoThroughOneGraph()
    {
        Program p;
        p.makeModel();
        for (int n = 0; n < kSteps; ++n) {
            p.takeBatch(kBatch);
            p.forward(kBatch);
            p.now(Phase::backward);
            p.make("first", 4, Bucket::temporary);
            for (int i = kLayers; i-- > 0;) {
                p.make("gt", (50'000 + i) * kBatch, Bucket::temporary);
                p.make(fmt::format("g{}", i), Program::parameterBytes(i), Bucket::gradient);
                p.drop("gt");
            }
            p.drop("first");
            p.backward(kBatch, true);
            p.optimize(n == 0);
        }
        compare(p, kSteps);
    }

    /// As large as the rows that a batch used, never twice the same, and larger than all else.
    void aGradientMayBeSparse()
    {
        Program p;
        p.now(Phase::setup);
        p.make("table", 3'000'000, Bucket::parameter);
        p.makeModel();
        for (int n = 0; n < kSteps; ++n) {
            const std::int64_t rows = 700'000 + 1111 * n;
            p.takeBatch(kBatch);
            p.forward(kBatch);
            p.now(Phase::backward);
            p.make("root", 4, Bucket::temporary);
            for (int i = kLayers; i-- > 0;) {
                p.make("ga", (50'000 + i) * kBatch, Bucket::temporary);
                p.make(fmt::format("g{}", i), Program::parameterBytes(i), Bucket::gradient);
                p.drop("ga");
                p.drop(fmt::format("a{}", i));
            }
            p.make("values", rows, Bucket::gradient);
            p.drop("root");
            p.now(Phase::optimizer);
            if (n == 0) {
                p.make("m.table", 3'000'000, Bucket::optimizer_state);
            }
            for (int i = 0; i < 6; ++i) {
                p.make("rows", rows - 5000, Bucket::temporary);
                p.drop("rows");
            }
            p.optimize(n == 0);
            p.drop("values");
        }
        compare(p, kSteps);
    }

    void halfPrecisionGradientsAreCopiedForTheStep()
    {
        Program p;
        p.makeModel();
        p.now(Phase::setup);
        for (int i = 0; i < kLayers; ++i) {
            p.make(fmt::format("full{}", i), 2 * Program::parameterBytes(i), Bucket::parameter);
        }
        for (int n = 0; n < kSteps; ++n) {
            p.takeBatch(kBatch);
            p.forward(kBatch);
            p.backward(kBatch, false);
            p.now(Phase::optimizer);
            for (int i = 0; i < kLayers; ++i) {
                p.make(fmt::format("c{}", i), 2 * Program::parameterBytes(i), Bucket::gradient);
                p.drop(fmt::format("g{}", i));
            }
            for (int i = 0; i < kLayers; ++i) {
                if (n == 0) {
                    p.make(fmt::format("m{}", i), 2 * Program::parameterBytes(i),
                           Bucket::optimizer_state);
                }
                p.make("u", 2 * Program::parameterBytes(i), Bucket::temporary);
                p.drop("u");
            }
            for (int i = 0; i < kLayers; ++i) {
                p.drop(fmt::format("c{}", i));
            }
        }
        compare(p, kSteps);
    }

    /// Checks of gradients for infinities make masks of a byte a number, and more of them than all
    /// else the step makes.
    void masksOfGradientsAreTheOptimizers()
    {
        Program p;
        p.makeModel();
        for (int n = 0; n < kSteps; ++n) {
            p.takeBatch(kBatch);
            p.forward(kBatch);
            p.backward(kBatch, false);
            p.now(Phase::optimizer);
            for (int i = 0; i < kLayers; ++i) {
                p.make("abs", Program::parameterBytes(i), Bucket::temporary);
                for (int k = 0; k < 6; ++k) {
                    p.make("mask", Program::parameterBytes(i) / 4, Bucket::temporary);
                    p.drop("mask");
                }
                p.drop("abs");
            }
            p.optimize(n == 0);
        }
        compare(p, kSteps);
    }

    /// One backward goes through one network only, while the graph of the other waits for its own.
    void aGraphMayWaitForALaterBackward()
    {
        Program p;
        p.makeModel();
        for (int n = 0; n < kSteps; ++n) {
            p.takeBatch(kBatch);
            p.now(Phase::forward);
            forwardOf(p, 'm');
            forwardOf(p, 'j');
            p.now(Phase::backward);
            p.make("root", 4, Bucket::temporary);
            backwardOf(p, 'j');
            p.drop("root");
            stepOf(p, 'j', n == 0);
            p.now(Phase::forward);
            forwardOf(p, 'k');
            p.now(Phase::backward);
            p.make("root", 4, Bucket::temporary);
            backwardOf(p, 'k');
            backwardOf(p, 'm');
            p.drop("root");
            stepOf(p, 'k', false);
            stepOf(p, 'm', n == 0);
        }
        compare(p, 2 * kSteps);
    }

    void whatIsMadeAfterTheLastStepIsKeptOrNot()
    {
        Program p;
        p.makeModel();
        for (int n = 0; n < kSteps; ++n) {
            p.train(kBatch, n == 0);
        }
        p.now(Phase::other);
        for (int i = 0; i < 60; ++i) {
            p.make("soon", 300'000 + 313 * i, Bucket::temporary);
            p.drop("soon");
            p.make(fmt::format("kept{}", i), 400'000 + 977 * i, Bucket::output);
        }
        compare(p, kSteps);
    }
};

TIDEMARK_TEST(TestFramelessHabits)

} // namespace tidemark::tst_frameless_habits

#include "tst_frameless_habits.moc"
