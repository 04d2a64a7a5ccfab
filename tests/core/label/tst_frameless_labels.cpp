// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/frameless_trace.h"
#include "core/label/labels.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <map>
#include <random>

using namespace tidemark;
using namespace tidemark::label;

namespace {

constexpr int kLayers = 5;

/// A program that allocates without leaving a stack, and writes down what everything is for.
class Program {
public:
    void now(Phase phase)
    {
        m_phase = phase;
    }
    void make(const std::string& name, std::int64_t size, Bucket bucket)
    {
        m_text += fmt::format("{} +{}\n", name, size);
        m_made[m_events] = {m_phase, bucket};
        ++m_events;
    }
    void drop(const std::string& name)
    {
        m_text += fmt::format("{} -\n", name);
        m_events += 2;
    }
    void fail(std::int64_t size)
    {
        m_text += fmt::format("oom {} free=1K\n", size);
        ++m_events;
    }

    void makeModel()
    {
        now(Phase::setup);
        for (int i = 0; i < kLayers; ++i) {
            make(fmt::format("p{}", i), parameterBytes(i), Bucket::parameter);
        }
    }
    void makeState(const char* prefix)
    {
        for (int i = 0; i < kLayers; ++i) {
            make(fmt::format("{}{}", prefix, i), parameterBytes(i), Bucket::optimizer_state);
        }
    }
    /// A batch takes the place of the one before it.
    void takeBatch(std::int64_t size)
    {
        now(Phase::input);
        make(fmt::format("x{}", ++m_batch), 20'500 * size, Bucket::input);
        if (m_batch > 1) {
            drop(fmt::format("x{}", m_batch - 1));
        }
    }
    void forward(std::int64_t batch)
    {
        now(Phase::forward);
        for (int i = 0; i < kLayers; ++i) {
            make("t", 30'000 * batch, Bucket::temporary);
            make(fmt::format("a{}", i), (50'000 + i) * batch, Bucket::activation);
            drop("t");
        }
        make(fmt::format("loss{}", ++m_losses), 4, Bucket::activation);
        if (m_losses > 1) {
            drop(fmt::format("loss{}", m_losses - 1));
        }
    }
    void backward(std::int64_t batch, bool adds)
    {
        now(Phase::backward);
        make("root", 4, Bucket::temporary);
        for (int i = kLayers; i-- > 0;) {
            make(fmt::format("ga{}", i), (50'000 + i) * batch, Bucket::temporary);
            make(adds ? "add" : fmt::format("g{}", i), parameterBytes(i),
                 adds ? Bucket::temporary : Bucket::gradient);
            if (adds) {
                drop("add");
            }
            drop(fmt::format("ga{}", i));
            drop(fmt::format("a{}", i));
        }
        drop("root");
    }
    void optimize(bool makes_state)
    {
        now(Phase::optimizer);
        if (makes_state) {
            makeState("m");
            makeState("v");
        }
        for (int i = 0; i < kLayers; ++i) {
            make("u", parameterBytes(i), Bucket::temporary);
            drop("u");
        }
        for (int i = 0; i < kLayers; ++i) {
            drop(fmt::format("g{}", i));
        }
    }
    void train(std::int64_t batch, bool makes_state, int micro_batches = 1)
    {
        for (int i = 0; i < micro_batches; ++i) {
            takeBatch(batch);
            forward(batch);
            backward(batch, i > 0);
        }
        optimize(makes_state);
    }
    void passWithoutGradients(std::int64_t batch, Phase phase)
    {
        takeBatch(batch);
        now(phase);
        for (int i = 0; i < kLayers; ++i) {
            make(fmt::format("e{}", i), (50'000 + i) * batch, Bucket::temporary);
            make("t", 30'000 * batch, Bucket::temporary);
            drop("t");
            if (i > 0) {
                drop(fmt::format("e{}", i - 1));
            }
        }
        drop(fmt::format("e{}", kLayers - 1));
    }

    /// What the labels say otherwise than it was, in words; empty where all is right.
    [[nodiscard]] std::string mistakes() const
    {
        const Labelled l(m_text);
        const replay::Allocations& all = l.replay.devices[0].allocations;
        std::string words;
        for (std::size_t i = 0; i < all.count(); ++i) {
            const std::size_t event = all.alloc_event[i].index();
            const auto& [phase, bucket] = m_made.at(event);
            const Phase found = l.device().phaseAt(all.alloc_event[i])->phase;
            // Where all else is given back in time, a scalar's bucket matters to nobody.
            const bool is_scalar = all.requested[i].value == 4;
            if (found != phase || (l.device().bucket[i] != bucket && !is_scalar)) {
                words +=
                    fmt::format("event {}: {} in {} called {} in {}\n", event, bucketId(bucket),
                                phaseId(phase), bucketId(l.device().bucket[i]), phaseId(found));
            }
        }
        return words;
    }

    struct Labelled {
        trace::Snapshot snapshot;
        replay::Replay replay;
        Labels labels;

        explicit Labelled(const std::string& text)
            : snapshot(test::snapshotFromScript(text))
        {
            NoProgress progress;
            replay = replay::run(snapshot, progress, {}).value();
            labels = apply(snapshot, replay, progress, {}).value();
        }
        [[nodiscard]] const DeviceLabels& device() const
        {
            return labels.devices[0];
        }
    };
    [[nodiscard]] Labelled labelled() const
    {
        return Labelled(m_text);
    }

private:
    static std::int64_t parameterBytes(int layer)
    {
        return 40'000 + 8'000 * layer;
    }

    std::string m_text;
    std::size_t m_events = 0;
    Phase m_phase = Phase::setup;
    std::map<std::size_t, std::pair<Phase, Bucket>> m_made; ///< By event.
    int m_batch = 0;
    int m_losses = 0;
};

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
        std::mt19937 random(7); // NOLINT(cert-msc*): the same sizes in every run.
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
            QVERIFY(l.device().reasonOf(AllocationId(i)).evidence.find("no frames")
                    != std::string::npos);
            QVERIFY(l.device().confidence[i] <= 80);
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
#include "tst_frameless_labels.moc"
