// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/concatenations.h"
#include "core/diagnose/facts/forwards_only.h"
#include "core/diagnose/facts/run_case.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>
#include <vector>

namespace tidemark::tst_run_case {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::GatheredRun;
using test::HandRun;
using test::kM;

namespace {

const std::string kInModule = "; _call_impl /site-packages/torch/nn/modules/module.py:1779; score "
                              "/home/me/score.py:12";

/// The activations of one pass with gradients: an embedding, `layers` layers of three, a head.
std::vector<HandRun::Handle> goForward(HandRun& run, int layers)
{
    std::vector<HandRun::Handle> made;
    const auto make = [&](const std::string& line) {
        made.push_back(run.alloc(2 * kM, Bucket::activation, Role::none, line + kInModule));
    };
    make("forward /home/me/embed.py:5");
    for (int i = 0; i < layers; ++i) {
        make("forward /home/me/norm.py:9");
        make("forward /home/me/attention.py:19");
        make("forward /home/me/mlp.py:29");
    }
    make("forward /home/me/head.py:7");
    return made;
}

/// Passes of which the newest `kept` keep their graphs; a batch is loaded before each.
HandRun scoring(int passes, int kept, int layers = 2)
{
    HandRun run(1024 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(16 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    run.phase(Phase::forward, 1);
    std::vector<std::vector<HandRun::Handle>> graphs;
    for (int i = 0; i < passes; ++i) {
        run.alloc(kM, Bucket::input, Role::none, "load /home/me/score.py:11");
        graphs.push_back(goForward(run, layers));
        if (static_cast<int>(graphs.size()) > kept) {
            for (const auto handle : graphs.front()) {
                run.free(handle);
            }
            graphs.erase(graphs.begin());
        }
    }
    return run;
}

/// Results joined batch by batch, `more` MiB larger each time; the next one fails.
Analysis joining(const std::vector<int>& sizes, const std::string& stack, Bucket bucket)
{
    HandRun run(256 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(16 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    run.phase(Phase::inference, 0);
    HandRun::Handle held{};
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        const auto work =
            run.alloc(4 * kM, Bucket::temporary, Role::none, "forward /home/me/model.py:24");
        const auto joined = run.alloc(sizes[i] * kM, bucket, Role::none, stack);
        if (i > 0) {
            run.free(held);
        }
        run.free(work);
        held = joined;
    }
    run.oom(sizes.back() * kM, kM, bucket, Role::none, stack);
    return run.finish();
}

RunCase caseOf(Analysis analysis)
{
    const GatheredRun run(std::move(analysis));
    return runCaseOf(run.facts, findGrowth(run.facts));
}

const std::string kLoop = "cat /home/me/trainer.py:120; evaluate /home/me/trainer.py:80";

} // namespace

class TstRunCase : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachRunIsTakenForWhatItIs();
    void whatShowsNoPassIsNoTraining();
    void generationIsToldByItsCacheOrItsLoop();
    void forwardPassesWithoutBackwardAreCounted();
    void layersOfOnePassAreNoPasses();
    void passesThatKeepResultsOnlyHaveNoGraphs();
    void joinedResultsAreFound_data();
    void joinedResultsAreFound();
    void whatGrowsInsideAModuleIsNotJoined();
    void resultsThatStayAreNotJoined();
    void theLawLeavesTheBatchesSinceTheLastMove();
};

void TstRunCase::eachRunIsTakenForWhatItIs()
{
    QCOMPARE(runCaseId(caseOf(test::fineRun())), runCaseId(RunCase::training));
    QCOMPARE(runCaseId(caseOf(test::diesInBackward())), runCaseId(RunCase::training));
    QCOMPARE(runCaseId(caseOf(test::diesMakingState())), runCaseId(RunCase::training));
    QCOMPARE(runCaseId(caseOf(test::diesLoading())), runCaseId(RunCase::loading));
    QCOMPARE(runCaseId(caseOf(test::diesCollectingResults())), runCaseId(RunCase::evaluation));
    QCOMPARE(runCaseId(caseOf(test::diesInEvaluationBatch())), runCaseId(RunCase::evaluation));
    QCOMPARE(runCaseId(caseOf(scoring(5, 5).finish())), runCaseId(RunCase::scoring));
    // A first forward that died may be of training as well as of anything else.
    QCOMPARE(runCaseId(caseOf(scoring(1, 1).finish())), runCaseId(RunCase::training));
}

void TstRunCase::whatShowsNoPassIsNoTraining()
{
    HandRun run(100 * kM);
    run.there(60 * kM, Bucket::parameter);
    run.phase(Phase::other, 0);
    run.free(run.alloc(4 * kM, Bucket::temporary));
    QCOMPARE(runCaseId(caseOf(run.finish())), runCaseId(RunCase::unknown));
}

void TstRunCase::generationIsToldByItsCacheOrItsLoop()
{
    QCOMPARE(runCaseId(caseOf(test::diesOfCache())), runCaseId(RunCase::generation));
    HandRun run(64 * kM);
    run.phase(Phase::forward, 1);
    run.oom(
        100 * kM, kM, Bucket::activation, Role::none,
        "forward /home/me/model.py:30; _sample /site-packages/transformers/generation/utils.py:9");
    QCOMPARE(runCaseId(caseOf(run.finish())), runCaseId(RunCase::generation));
}

void TstRunCase::forwardPassesWithoutBackwardAreCounted()
{
    const GatheredRun all(scoring(5, 5).finish());
    const ForwardsOnly kept = findForwardsOnly(all.facts);
    QCOMPARE(kept.turns, 5U);
    QCOMPARE(kept.alive, 5U);
    QCOMPARE(kept.bytes, 5 * 8 * 2 * kM);
    QVERIFY(findGrowth(all.facts).is_graph);
    QCOMPARE(findGrowth(all.facts).turns, 5U);
    // Where a name holds the last result only, the graph before lives while the next one is made.
    const GatheredRun two(scoring(5, 1).finish());
    QCOMPARE(findForwardsOnly(two.facts).turns, 5U);
    QCOMPARE(findForwardsOnly(two.facts).alive, 2U);
    QVERIFY(findGrowth(two.facts).kind == GrowthKind::none);
    QCOMPARE(runCaseId(runCaseOf(two.facts, {})), runCaseId(RunCase::scoring));
}

void TstRunCase::layersOfOnePassAreNoPasses()
{
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    run.alloc(kM, Bucket::input, Role::none, "load /home/me/score.py:11");
    for (int i = 0; i < 8; ++i) {
        for (const char* line : {"norm.py:9", "attention.py:19", "mlp.py:29", "mlp.py:30"}) {
            run.alloc(2 * kM, Bucket::activation, Role::none,
                      "forward /home/me/" + std::string(line) + kInModule);
        }
    }
    const GatheredRun gathered(run.finish());
    QCOMPARE(findForwardsOnly(gathered.facts).turns, 0U);
}

void TstRunCase::passesThatKeepResultsOnlyHaveNoGraphs()
{
    HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    for (int i = 0; i < 6; ++i) {
        run.alloc(kM, Bucket::input, Role::none, "load /home/me/score.py:11");
        const auto made = goForward(run, 2);
        for (std::size_t k = 0; k + 1 < made.size(); ++k) {
            run.free(made[k]);
        }
    }
    const GatheredRun gathered(run.finish());
    QVERIFY(findForwardsOnly(gathered.facts).alive <= 1U);
}

void TstRunCase::joinedResultsAreFound_data()
{
    QTest::addColumn<std::vector<int>>("sizes");
    QTest::addColumn<Bucket>("bucket");
    QTest::newRow("alike") << std::vector{10, 20, 30, 40} << Bucket::output;
    QTest::newRow("padded to the longest") << std::vector{10, 24, 31, 52} << Bucket::output;
    QTest::newRow("called temporary") << std::vector{20, 30, 40} << Bucket::temporary;
}

void TstRunCase::joinedResultsAreFound()
{
    QFETCH(std::vector<int>, sizes);
    QFETCH(Bucket, bucket);
    const GatheredRun run(joining(sizes, kLoop, bucket));
    const auto found = findConcatenations(run.facts);
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].links.size(), sizes.size() - 1);
    QCOMPARE(found[0].failed, sizes.back() * kM);
    QCOMPARE(found[0].live, sizes[sizes.size() - 2] * kM);
    const Growth growth = findGrowth(run.facts);
    QVERIFY(growth.kind == GrowthKind::evaluation && growth.is_joined);
    const auto d = test::deviceDiagnosisOf(joining(sizes, kLoop, bucket));
    QVERIFY(d.causes.front().cause == Cause::evaluation_accumulation);
    QVERIFY(d.causes.front().evidence[0].text.find("concatenated") != std::string::npos);
}

void TstRunCase::whatGrowsInsideAModuleIsNotJoined()
{
    const GatheredRun run(
        joining({10, 20, 30, 40}, "forward /home/me/decoder.py:40", Bucket::temporary));
    QVERIFY(findConcatenations(run.facts).empty());
}

void TstRunCase::resultsThatStayAreNotJoined()
{
    HandRun run(256 * kM);
    run.phase(Phase::inference, 0);
    for (const int size : {10, 20, 30}) {
        run.free(run.alloc(4 * kM, Bucket::temporary, Role::none, "forward /home/me/model.py:24"));
        run.alloc(size * kM, Bucket::output, Role::none, kLoop);
    }
    for (int i = 0; i < 40; ++i) {
        run.free(run.alloc(4 * kM, Bucket::temporary, Role::none, "forward /home/me/model.py:24"));
    }
    const GatheredRun gathered(run.finish());
    QVERIFY(findConcatenations(gathered.facts).empty());
}

void TstRunCase::theLawLeavesTheBatchesSinceTheLastMove()
{
    // 10, 20, 30 MiB joined and 40 asked for: with a move every two batches never more than 20.
    const Analysis run = joining({10, 20, 30, 40}, kLoop, Bucket::output);
    const Prediction p = test::predictionOf(run, "eval-accumulation=2");
    QCOMPARE(p.before_need.value, (16 + 30 + 40) * kM);
    QCOMPARE(p.after_need.value, (16 + 10 + 20 + 4) * kM); // with the second pass's work
}

TIDEMARK_TEST(TstRunCase)

} // namespace tidemark::tst_run_case

#include "tst_run_case.moc"
