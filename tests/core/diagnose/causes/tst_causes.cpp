// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/causes.h"
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_causes {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::kM;

namespace {

std::vector<CauseFinding> causesOf(const Analysis& analysis)
{
    return test::deviceDiagnosisOf(analysis).causes;
}

std::string firstOf(const Analysis& analysis)
{
    return std::string(causeId(causesOf(analysis).front().cause));
}

bool has(const std::vector<CauseFinding>& causes, Cause cause)
{
    return std::ranges::find(causes, cause, &CauseFinding::cause) != causes.end();
}

UserInput withMessage(std::string text)
{
    UserInput input;
    input.message = "CUDA out of memory. Tried to allocate 24.00 MiB. GPU 0 has a total capacity "
                    "of 8.00 GiB of "
                    "which 4.00 MiB is free. "
        + std::move(text)
        + " Of the allocated memory 376.00 MiB is allocated by PyTorch, and 18.00 MiB is reserved "
          "by PyTorch "
          "but unallocated.";
    return input;
}

/// A run whose second forward dies at its first allocation after `live` MiB of a bucket.
Analysis diesWith(Bucket bucket, Role role, std::int64_t live_mib, Bucket failed_bucket,
                  Role failed_role, Phase phase = Phase::forward)
{
    test::HandRun run((64 + live_mib) * kM);
    run.phase(Phase::setup, 0);
    run.alloc(60 * kM, Bucket::parameter, Role::trainable);
    run.phase(phase, 1);
    for (std::int64_t mib = 0; mib < live_mib; mib += 20) {
        run.alloc(20 * kM, bucket, role, "forward /home/me/model.py:24");
    }
    run.oom(20 * kM, 2 * kM, failed_bucket, failed_role, "forward /home/me/model.py:24");
    return run.finish();
}

} // namespace

class TstCauses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachWayToDieIsNamed_data();
    void eachWayToDieIsNamed();
    void causesAreRankedAndExplained();
    void attentionMatricesComeBeforeActivationsWhereTheyAreMostOfThem();
    void logitsComeBeforeActivationsWhereTheyAreMostOfThem();
    void whatFailedIsNotAmongWhatIsTaken();
    void workspacesAreNamed();
    void aRequestLargerThanTheCardIsNamed();
    void fragmentationNeedsEnoughBytesAndNoHole();
    void fragmentationIsNoCauseWhereTheNeedIsTooLargeAnyway();
    void aBatchAsLargeAsThoseBeforeIsNoLongestBatch();
    void whatIsKeptInTwoStepsIsNoLeak();
    void aWindowOfTheNewestStepsIsNoLeak();
    void aLeakIsReportedBeforeItKills();
    void whatFillsLittleOfTheRoomIsNotBlamed();
    void otherProcessesAreNamedFromTheMessage();
    void processesBesideRoomAreNotBlamed();
    void processesOfAnotherMomentAreAHint();
    void processesOfTheSameSizeAreRanksOfOneJob();
    void theOwnProcessInAContainerIsNoOther();
    void memoryOutsideOfPytorchIsNamed();
    void aSplitLimitIsNamed();
    void whatMissesThePeakSaysNoNeed();
    void moreThanTheCardHasIsVirtual();
    void nothingToBlameIsUnclear();
    void aCauseThatWasNotFinishedIsNone();
};

void TstCauses::eachWayToDieIsNamed_data()
{
    QTest::addColumn<QString>("cause");
    QTest::newRow("fine") << "none";
    QTest::newRow("backward") << "activations";
    QTest::newRow("state") << "optimizer-state";
    QTest::newRow("foreach") << "optimizer-state";
    QTest::newRow("gradients") << "gradients";
    QTest::newRow("evaluation batch") << "evaluation-batch";
    QTest::newRow("collecting") << "evaluation-accumulation";
    QTest::newRow("leak") << "leak";
    QTest::newRow("holes") << "fragmentation";
    QTest::newRow("longest") << "longest-batch";
    QTest::newRow("loading") << "loading";
    QTest::newRow("cache") << "kv-cache";
}

void TstCauses::eachWayToDieIsNamed()
{
    static const std::map<std::string, Analysis (*)()> kRuns{
        {"fine", [] { return test::fineRun(); }},
        {"backward", [] { return test::diesInBackward(); }},
        {"state", [] { return test::diesMakingState(); }},
        {"foreach", [] { return test::diesInForeachList(); }},
        {"gradients", [] { return test::diesMakingGradients(); }},
        {"evaluation batch", [] { return test::diesInEvaluationBatch(); }},
        {"collecting", [] { return test::diesCollectingResults(); }},
        {"leak", [] { return test::diesOfLeak(); }},
        {"holes", [] { return test::diesOfHoles(); }},
        {"longest", [] { return test::diesInLongestBatch(); }},
        {"loading", [] { return test::diesLoading(); }},
        {"cache", [] { return test::diesOfCache(); }},
    };
    QFETCH(QString, cause);
    QCOMPARE(firstOf(kRuns.at(QTest::currentDataTag())()), cause.toStdString());
}

void TstCauses::causesAreRankedAndExplained()
{
    const auto causes = causesOf(test::diesInBackward());
    QVERIFY(causes.size() >= 2);
    for (std::size_t i = 0; i < causes.size(); ++i) {
        QVERIFY(causes[i].score > 0 && causes[i].score <= 1);
        QVERIFY(i == 0 || causes[i].score <= causes[i - 1].score);
        QVERIFY(!causes[i].evidence.empty());
        QVERIFY(causes[i].evidence[0].at.has_value());
        for (const Evidence& e : causes[i].evidence) {
            QVERIFY(e.text.ends_with('.'));
            QVERIFY2(e.text.find("«") == std::string::npos, e.text.c_str());
        }
    }
}

void TstCauses::attentionMatricesComeBeforeActivationsWhereTheyAreMostOfThem()
{
    QCOMPARE(firstOf(diesWith(Bucket::activation, Role::attention_matrix, 400, Bucket::activation,
                              Role::attention_matrix)),
             std::string("activations-sequence"));
    const auto causes = causesOf(
        diesWith(Bucket::activation, Role::none, 400, Bucket::activation, Role::attention_matrix));
    QVERIFY(causes.front().cause == Cause::activations);
    QVERIFY(!has(causes, Cause::activations_sequence));
}

void TstCauses::logitsComeBeforeActivationsWhereTheyAreMostOfThem()
{
    QCOMPARE(
        firstOf(diesWith(Bucket::activation, Role::logits, 400, Bucket::activation, Role::logits)),
        std::string("logits"));
    QVERIFY(!has(
        causesOf(diesWith(Bucket::activation, Role::none, 400, Bucket::activation, Role::none)),
        Cause::logits));
}

void TstCauses::whatFailedIsNotAmongWhatIsTaken()
{
    const auto texts = [](Role role) {
        std::string all;
        for (const auto& cause :
             causesOf(diesWith(Bucket::activation, role, 400, Bucket::activation, role))) {
            for (const Evidence& evidence : cause.evidence) {
                all += evidence.text + '\n';
            }
        }
        return all;
    };
    for (const Role role : {Role::attention_matrix, Role::logits}) {
        const std::string text = texts(role);
        QVERIFY2(text.find("take 400") != std::string::npos, text.c_str());
        QVERIFY2(text.find(" MiB in 20 allocations") != std::string::npos, text.c_str());
        QVERIFY2(text.find("was one more, 20.0 MiB") != std::string::npos, text.c_str());
    }
    const std::string text = texts(Role::none);
    QVERIFY2(text.find("take 400 MiB of 460 MiB") != std::string::npos, text.c_str());
    QVERIFY2(text.find("400 MiB in 20 allocations") != std::string::npos, text.c_str());
}

void TstCauses::workspacesAreNamed()
{
    QCOMPARE(firstOf(diesWith(Bucket::workspace, Role::none, 200, Bucket::workspace, Role::none)),
             std::string("compile-workspace"));
    QVERIFY(!has(causesOf(test::diesInBackward()), Cause::compile_workspace));
}

void TstCauses::aRequestLargerThanTheCardIsNamed()
{
    test::HandRun run(100 * kM);
    test::HandTraining training(run,
                                {.hidden = kM, .attention = kM, .logits = kM, .state_copies = 0});
    training.step();
    run.phase(Phase::other, 1);
    run.oom(4096 * kM, 2 * kM, Bucket::temporary, Role::none, "zeros /home/me/train.py:60");
    QCOMPARE(firstOf(run.finish()), std::string("single-huge-tensor"));
    QVERIFY(!has(causesOf(test::diesInBackward()), Cause::single_huge_tensor));
}

void TstCauses::fragmentationNeedsEnoughBytesAndNoHole()
{
    const auto d = test::deviceDiagnosisOf(test::diesOfHoles());
    QVERIFY(d.moment.largest_hole < d.moment.requested);
    QVERIFY(d.moment.reserved - d.moment.active >= d.moment.requested);
    QVERIFY(!has(causesOf(test::diesInBackward()), Cause::fragmentation));
}

void TstCauses::fragmentationIsNoCauseWhereTheNeedIsTooLargeAnyway()
{
    const auto causes = causesOf(test::diesMakingState());
    QVERIFY(causes.front().cause == Cause::optimizer_state);
    const auto holes = std::ranges::find(causes, Cause::fragmentation, &CauseFinding::cause);
    QVERIFY(holes == causes.end() || holes->score < 0.5);
}

void TstCauses::aBatchAsLargeAsThoseBeforeIsNoLongestBatch()
{
    QVERIFY(!has(causesOf(test::diesInBackward()), Cause::longest_batch));
}

void TstCauses::whatIsKeptInTwoStepsIsNoLeak()
{
    test::HandRun run(500 * kM);
    test::HandTraining training(run, {});
    for (int i = 0; i < 6; ++i) {
        training.step();
        if (i < 2) {
            run.alloc(40 * kM, Bucket::output, Role::none, "train /home/me/train.py:50");
        }
    }
    training.forward();
    run.oom(100 * kM, 3 * kM, Bucket::activation);
    QVERIFY(!has(causesOf(run.finish()), Cause::leak));
}

void TstCauses::aWindowOfTheNewestStepsIsNoLeak()
{
    test::HandRun run(800 * kM);
    test::HandTraining training(run, {});
    std::vector<test::HandRun::Handle> window;
    for (int i = 0; i < 8; ++i) {
        training.step();
        window.push_back(
            run.alloc(32 * kM, Bucket::output, Role::none, "train /home/me/train.py:50"));
        if (window.size() > 4) {
            run.free(window.front());
            window.erase(window.begin());
        }
    }
    training.step();
    QVERIFY(!has(causesOf(run.finish()), Cause::leak));
}

void TstCauses::aLeakIsReportedBeforeItKills()
{
    test::HandRun run(800 * kM);
    test::HandTraining training(run, {});
    for (int i = 0; i < 6; ++i) {
        training.step();
        run.alloc(32 * kM, Bucket::output, Role::none, "train /home/me/train.py:50");
    }
    training.step();
    const auto causes = causesOf(run.finish());
    QVERIFY(causes.front().cause == Cause::none);
    QVERIFY(has(causes, Cause::leak));
    const auto leak = std::ranges::find(causes, Cause::leak, &CauseFinding::cause);
    QVERIFY(std::ranges::any_of(leak->evidence, [](const Evidence& evidence) {
        return evidence.text.find("it rose 5 times") != std::string::npos;
    }));
}

void TstCauses::whatFillsLittleOfTheRoomIsNotBlamed()
{
    // 10 times 20 MiB that stay and 80 MiB between them that go: 200 live, and 100 asked for, of
    // 1000.
    test::HandRun run(1000 * kM);
    run.phase(Phase::forward, 1);
    std::vector<test::HandRun::Handle> gone;
    for (int i = 0; i < 10; ++i) {
        run.alloc(20 * kM, Bucket::activation, Role::none, "forward /home/me/model.py:20");
        gone.push_back(run.alloc(80 * kM, Bucket::temporary));
    }
    for (const auto handle : gone) {
        run.free(handle);
    }
    run.oom(100 * kM, 0, Bucket::activation, Role::none, "forward /home/me/model.py:20");
    const auto causes = causesOf(run.finish());
    QVERIFY(causes.front().cause == Cause::fragmentation);
    const auto live = std::ranges::find(causes, Cause::activations, &CauseFinding::cause);
    QVERIFY(live == causes.end() || live->score < 0.6);
}

void TstCauses::otherProcessesAreNamedFromTheMessage()
{
    const auto input =
        withMessage("Process 77 has 6.50 GiB memory in use. Including non-PyTorch memory, this "
                    "process has 900.00 MiB memory in use.");
    QCOMPARE(firstOf(test::diesInBackward(input)), std::string("other-process"));
    QVERIFY(!has(causesOf(test::diesInBackward()), Cause::other_process));
}

void TstCauses::processesBesideRoomAreNotBlamed()
{
    // 24 MiB were refused with 600 MiB free: a limit did it, whatever others hold.
    const char* const others[]{
        "Process 77 has 5.50 GiB memory in use. Including non-PyTorch memory, this process has "
        "900.00 MiB memory in use.",
        "Process 77 has 880.00 MiB memory in use. Process 78 has 910.00 MiB memory in use. "
        "Including non-PyTorch memory, this process has 900.00 MiB memory in use."};
    for (const char* const processes : others) {
        UserInput input = withMessage(processes);
        input.message.replace(input.message.find("4.00 MiB is free"), 4, "600.00");
        test::HandRun run(394 * kM);
        test::HandTraining training(run, {});
        training.step();
        training.forward();
        run.phase(Phase::backward, training.stepNumber());
        run.oom(24 * kM, 600 * kM, Bucket::temporary, Role::activation_gradient);
        const Analysis a = run.finish(input);
        for (const CauseFinding& finding : causesOf(a)) {
            QVERIFY(finding.cause != Cause::other_process);
            QVERIFY(finding.cause != Cause::duplicate_ranks);
        }
        for (const char* const fix : {"other-process", "own-gpu-per-rank"}) {
            QCOMPARE(test::fixOf(a, fix).status, FixStatus::not_applicable);
        }
    }
}

void TstCauses::processesOfAnotherMomentAreAHint()
{
    auto input = withMessage("Process 77 has 6.50 GiB memory in use. Including non-PyTorch memory, "
                             "this process has 900.00 MiB memory in use.");
    input.message.replace(input.message.find("4.00 MiB is free"), 4, "9.00");
    const auto causes = causesOf(test::diesInBackward(input));
    const auto others = std::ranges::find(causes, Cause::other_process, &CauseFinding::cause);
    QVERIFY(others != causes.end());
    QCOMPARE(others->score, 0.75); // 0.95 in a message of this moment
    QVERIFY(causes.front().cause == Cause::activations);
}

void TstCauses::processesOfTheSameSizeAreRanksOfOneJob()
{
    const auto input = withMessage(
        "Process 77 has 880.00 MiB memory in use. Process 78 has 910.00 MiB memory in "
        "use. Including non-PyTorch memory, this process has 900.00 MiB memory in use.");
    QCOMPARE(firstOf(test::diesInBackward(input)), std::string("duplicate-ranks"));
    const auto other = withMessage(
        "Process 77 has 880.00 MiB memory in use. Process 78 has 5.00 GiB memory in "
        "use. Including non-PyTorch memory, this process has 900.00 MiB memory in use.");
    QVERIFY(!has(causesOf(test::diesInBackward(other)), Cause::duplicate_ranks));
}

void TstCauses::theOwnProcessInAContainerIsNoOther()
{
    const auto input = withMessage("Process 77 has 900.00 MiB memory in use.");
    QVERIFY(!has(causesOf(test::diesInBackward(input)), Cause::other_process));
}

void TstCauses::memoryOutsideOfPytorchIsNamed()
{
    const auto input =
        withMessage("Including non-PyTorch memory, this process has 7.90 GiB memory in use.");
    QCOMPARE(firstOf(test::diesInBackward(input)), std::string("non-pytorch-memory"));
}

void TstCauses::whatMissesThePeakSaysNoNeed()
{
    // 400 MiB were reserved when the recording began, and nothing in it takes more than 64.
    test::HandRun run(400 * kM);
    run.there(60 * kM, Bucket::parameter);
    run.phase(Phase::other, 0);
    run.free(run.alloc(4 * kM, Bucket::temporary));
    UserInput input;
    input.capacity = Bytes{1000 * kM};
    const auto causes = causesOf(run.finish(input));
    QVERIFY(causes.front().cause == Cause::none);
    QVERIFY(std::ranges::none_of(causes.front().evidence, [](const Evidence& evidence) {
        return evidence.text.find("The run needs") != std::string::npos;
    }));
    // The capacity is known.
    QCOMPARE(causes.front().to_be_sure, std::string("Record at least one complete step."));
}

void TstCauses::aSplitLimitIsNamed()
{
    test::HandRun run(400 * kM);
    run.settings().max_split_size_bytes = 32 * kM;
    run.phase(Phase::setup, 0);
    run.alloc(300 * kM, Bucket::parameter, Role::trainable);
    run.phase(Phase::forward, 1);
    run.alloc(kM, Bucket::activation);
    run.oom(20 * kM, 2 * kM, Bucket::activation); // 99 MiB in one piece that may not be split
    QCOMPARE(firstOf(run.finish()), std::string("allocator-setting"));
}

void TstCauses::moreThanTheCardHasIsVirtual()
{
    UserInput input;
    input.message =
        "CUDA out of memory. Tried to allocate 24.00 MiB. GPU 0 has a total capacity of 300.00 MiB "
        "of "
        "which 4.00 MiB is free. Of the allocated memory 376.00 MiB is allocated by PyTorch, and "
        "18.00 MiB is reserved by PyTorch but unallocated.";
    QVERIFY(has(causesOf(test::diesInBackward(input)), Cause::virtual_only));
}

void TstCauses::nothingToBlameIsUnclear()
{
    QCOMPARE(firstOf(diesWith(Bucket::unknown, Role::none, 400, Bucket::unknown, Role::none,
                              Phase::other)),
             std::string("unclear"));
}

void TstCauses::aCauseThatWasNotFinishedIsNone()
{
    const test::GatheredRun run(test::diesLoading());
    const NeedBasis basis = needBasis(run.facts);
    const Measures measures = measure(run.facts);
    const CauseInput in{run.facts, basis, measures, {}, {}};
    std::vector<CauseFinding> causes;
    CauseWriter(causes, in, Cause::loading, 1).say("setup");
    QVERIFY(causes.empty());
    CauseWriter(causes, in, Cause::loading, 1).say("setup").finish();
    QCOMPARE(causes.size(), std::size_t{1});
    QCOMPARE(causes[0].evidence.size(), std::size_t{1});
}

TIDEMARK_TEST(TstCauses)

} // namespace tidemark::tst_causes

#include "tst_causes.moc"
