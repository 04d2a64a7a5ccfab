// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/frameless/frameless_trace.h"
#include "tests/core/label/frameless_program.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <random>

namespace tidemark::tst_frameless_labels {

using namespace tidemark::label;
using namespace tidemark::test;

namespace {

Program trained(int steps, int micro_batches)
{
    Program p;
    p.makeModel();
    for (int i = 0; i < steps; ++i) {
        p.train(4, i == 0, micro_batches);
    }
    return p;
}

/// Sums by looking at every allocation: what a scalar's life frees and leaves.
std::vector<BackwardSpan> spansBySlowSearch(const FramelessTrace& t)
{
    std::vector<BackwardSpan> spans;
    for (std::size_t s = t.first_made; s < t.count(); ++s) {
        std::size_t freed = 0;
        std::size_t kept = 0;
        std::size_t left = 0;
        for (std::size_t i = 0; i < t.count(); ++i) {
            if (!t.isPassing(i) || t.isTiny(i)) {
                continue;
            }
            const bool is_older = t.birth[i] < t.birth[s] && t.death[i] > t.birth[s];
            freed += is_older && t.death[i] < t.death[s] ? 1U : 0U;
            kept += is_older && t.death[i] > t.death[s] ? 1U : 0U;
            left += t.birth[i] > t.birth[s] && t.birth[i] < t.death[s] && t.death[i] > t.death[s]
                ? 1U
                : 0U;
        }
        if (t.isTiny(s) && !t.stays(s) && freed == kLayers && kept <= 1 && left == 0) {
            spans.push_back({t.birth[s], t.death[s]});
        }
    }
    return spans;
}

} // namespace

class TestFramelessLabels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void trainingIsToldFromSizesAndLifetimes()
    {
        const Program p = trained(4, 1);
        QCOMPARE(QString::fromStdString(p.mistakes()), QString());
        QCOMPARE(p.labelled().device().steps.size(), std::size_t{4});
    }

    void stepsWithSeveralBatchesAreOneStep()
    {
        const Program p = trained(3, 3);
        QCOMPARE(QString::fromStdString(p.mistakes()), QString());
        QCOMPARE(p.labelled().device().steps.size(), std::size_t{3});
    }

    void batchesMayDiffer()
    {
        Program p;
        p.makeModel();
        for (const std::int64_t batch : {4, 9, 2, 30, 5}) {
            p.train(batch, batch == 4);
        }
        QCOMPARE(QString::fromStdString(p.mistakes()), QString());
        QCOMPARE(p.labelled().device().steps.size(), std::size_t{5});
    }

    void mostActivationsMayBeAsLargeAsParameters()
    {
        Program p;
        p.makeModel();
        for (int i = 0; i + 1 < kLayers; ++i) {
            p.make(fmt::format("buffer{}", i), (50'000 + i) * 4, Bucket::parameter);
        }
        for (int i = 0; i < 3; ++i) {
            p.train(4, i == 0); // Makes activations and their gradients of that size, too.
        }
        QCOMPARE(QString::fromStdString(p.mistakes()), QString());
        QCOMPARE(p.labelled().device().steps.size(), std::size_t{3});
    }

    void evaluationBetweenStepsIsNoTraining()
    {
        Program p;
        p.makeModel();
        p.train(4, true);
        p.train(4, false);
        for (int i = 0; i < 3; ++i) {
            p.passWithoutGradients(11, Phase::evaluation);
        }
        p.train(4, false);
        for (int i = 0; i < 3; ++i) {
            p.passWithoutGradients(11, Phase::evaluation);
        }
        QCOMPARE(QString::fromStdString(p.mistakes()), QString());
        QCOMPARE(p.labelled().device().steps.size(), std::size_t{3});
    }

    void repeatedPassesAloneAreInference()
    {
        Program p;
        p.makeModel();
        for (int i = 0; i < 6; ++i) {
            p.passWithoutGradients(3, Phase::inference);
        }
        QCOMPARE(QString::fromStdString(p.mistakes()), QString());
        QVERIFY(p.labelled().device().steps.empty());
    }

    void stateMadeWithTheModelIsToldByItsSizes()
    {
        Program p;
        p.makeModel();
        p.makeState("m");
        for (int i = 0; i < 3; ++i) {
            p.train(4, false);
        }
        QCOMPARE(QString::fromStdString(p.mistakes()), QString());
    }

    void aForwardThatRanOutOfMemoryIsStillOne()
    {
        Program p = trained(3, 1);
        p.takeBatch(4);
        p.now(Phase::forward);
        for (int i = 0; i < 3; ++i) {
            p.make("t", 30'000 * 4, Bucket::temporary);
            p.make(fmt::format("a{}", i), (50'000 + i) * 4, Bucket::activation);
            p.drop("t");
        }
        p.fail(200'000);
        QCOMPARE(QString::fromStdString(p.mistakes()), QString());
        QCOMPARE(p.labelled().device().steps.size(), std::size_t{3});
    }

    void aFirstForwardThatRanOutOfMemoryIsOne()
    {
        Program p;
        p.makeModel();
        p.now(Phase::forward);
        for (int i = 0; i < 12; ++i) {
            p.make("t", 30'000, Bucket::temporary);
            p.make(fmt::format("a{}", i), 50'000 + i, Bucket::activation);
            p.drop("t");
        }
        p.fail(200'000);
        QCOMPARE(QString::fromStdString(p.mistakes()), QString());
    }

    void passesWithoutAModelStayUnknown()
    {
        Program p;
        for (int i = 0; i < 6; ++i) {
            p.passWithoutGradients(3, Phase::inference);
        }
        const Program::Labelled l = p.labelled();
        for (const Bucket bucket : l.device().bucket) {
            QCOMPARE(bucket, Bucket::unknown);
        }
    }

    void memoryWithoutAnyShapeStaysUnknown()
    {
        std::mt19937 random(7); // the same sizes in every run
        std::string text;
        for (int i = 0; i < 200; ++i) {
            text += fmt::format("b{} +{}\n", i, 10'000 + random() % 1'000'000);
            if (i >= 60) {
                text += fmt::format("b{} -\n", i - 60);
            }
        }
        const Program::Labelled l(text);
        for (const Bucket bucket : l.device().bucket) {
            QCOMPARE(bucket, Bucket::unknown);
        }
        for (const PhaseSpan& span : l.device().phases) {
            QCOMPARE(span.phase, Phase::other);
        }
    }

    void reasonsSayThatThereWereNoFrames()
    {
        const Program::Labelled l = trained(3, 1).labelled();
        for (std::size_t i = 0; i < l.device().bucket.size(); ++i) {
            QVERIFY(l.device().reasonOf(AllocationId(i)).evidence.find("without frames")
                    != std::string::npos);
            QVERIFY(l.device().confidence[i] < kSaid);
        }
    }

    void backwardsAreThoseOfASlowSearch()
    {
        const Program::Labelled l = trained(5, 2).labelled();
        const FramelessTrace t = framelessTrace(l.snapshot.devices[0].events, l.replay.devices[0]);
        const std::vector<BackwardSpan> fast = findBackwardSpans(t);
        const std::vector<BackwardSpan> slow = spansBySlowSearch(t);
        QCOMPARE(fast.size(), std::size_t{10});
        QCOMPARE(fast.size(), slow.size());
        for (std::size_t i = 0; i < fast.size(); ++i) {
            QCOMPARE(fast[i].first, slow[i].first);
            QCOMPARE(fast[i].last, slow[i].last);
        }
    }
};

TIDEMARK_TEST(TestFramelessLabels)

} // namespace tidemark::tst_frameless_labels

#include "tst_frameless_labels.moc"
