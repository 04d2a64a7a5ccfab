// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/fixes/fix_cases.h"
#include "core/diagnose/predict/change.h"
#include "core/message/texts.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::tst_fix_cases {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

bool isOffered(const Fix& fix)
{
    return fix.status != FixStatus::not_applicable && fix.status != FixStatus::already_on;
}

std::set<std::string> offeredFor(const Analysis& analysis)
{
    std::set<std::string> ids;
    for (const Fix& fix : test::deviceDiagnosisOf(analysis).fixes) {
        if (isOffered(fix)) {
            ids.insert(fix.id);
        }
    }
    return ids;
}

/// A cache of keys and values that grows by a token at a time, and weights of 64 MiB.
Analysis diesGenerating()
{
    HandRun run(1024 * kM);
    run.phase(Phase::setup, 0);
    for (int i = 0; i < 4; ++i) {
        run.alloc(16 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    }
    run.phase(Phase::inference, 0);
    const std::string stack = "update /site-packages/transformers/cache_utils.py:99; forward "
                              "/home/me/attention.py:7; generate "
                              "/site-packages/transformers/generation/utils.py:9";
    HandRun::Handle held{};
    for (int token = 0; token < 24; ++token) {
        const auto made = run.alloc((80 + 2 * token) * kM, Bucket::kv_cache, Role::none, stack);
        if (token > 0) {
            run.free(held);
        }
        held = made;
    }
    run.oom(130 * kM, kM, Bucket::kv_cache, Role::none, stack);
    return run.finish();
}

/// The same, where the sizes show a batch of one as surely as this.
Analysis withBatchOfOne(Analysis analysis, double confidence)
{
    program::Program of_one;
    of_one.dimensions = {{program::DimensionName::batch, 1, confidence, {}, {}}};
    analysis.programs = std::make_shared<const std::vector<program::Program>>(
        analysis.deviceCount(), std::move(of_one));
    return analysis;
}

} // namespace

class TstFixCases : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFixHasOneRowInTheLaddersOrder();
    void aRowForbidsByRunPhaseAndCause();
    void everyScenariosLadderIsOfItsCase();
    void aLineWithoutTheNumberOfGpusLeavesItOpen();
    void generationIsOfferedWhatGenerationCanUse();
    void collectedResultsAreNotCuredByASmallerBatch();
    void aBatchOfOneIsNotMadeSmaller();
    void aFixNamesWhatItsCauseNames();
    void whatIsSaidToBeOnWasSeen();
    void aFileWithoutHistoryPromisesNoRest();
};

void TstFixCases::everyFixHasOneRowInTheLaddersOrder()
{
    std::vector<std::string> fixes;
    std::vector<std::string> rows;
    for (const FixText& text : fixTexts()) {
        fixes.push_back(text.id);
        for (const std::string& apply : text.apply) {
            QVERIFY2(parseChanges(lineFilledIn(apply, {{"gpus", "2"}})).has_value(), apply.c_str());
        }
    }
    for (const FixCase& row : fixCases()) {
        rows.push_back(row.fix);
    }
    QCOMPARE(rows, fixes);
    QVERIFY(fixCase("no such fix") == nullptr);
}

void TstFixCases::aRowForbidsByRunPhaseAndCause()
{
    const FixCase& row = *fixCase("micro-batch");
    const auto why = [&](RunCase run, Phase phase, std::optional<Cause> first) {
        return whyNotOfCase(row, {run, phase, first});
    };
    QVERIFY(why(RunCase::training, Phase::backward, Cause::activations).empty());
    QVERIFY(why(RunCase::unknown, Phase::optimizer, Cause::leak).empty());
    QCOMPARE(why(RunCase::generation, Phase::inference, Cause::kv_cache),
             std::string("No effect in generation."));
    QVERIFY(!why(RunCase::training, Phase::optimizer, Cause::optimizer_state).empty());
    QCOMPARE(why(RunCase::training, Phase::forward, Cause::leak),
             std::string("It does not address the cause, Memory that is never freed."));
}

void TstFixCases::everyScenariosLadderIsOfItsCase()
{
    const std::vector<std::pair<Analysis, RunCase>> runs{
        {test::fineRun(), RunCase::training},
        {test::diesInBackward(), RunCase::training},
        {test::diesMakingState(), RunCase::training},
        {test::diesInForeachList(), RunCase::training},
        {test::diesMakingGradients(), RunCase::training},
        {test::diesInLongestBatch(), RunCase::training},
        {test::diesOfLeak(), RunCase::training},
        {test::diesInEvaluationBatch(), RunCase::evaluation},
        {test::diesCollectingResults(), RunCase::evaluation},
        {test::diesLoading(), RunCase::loading},
        {test::diesOfCache(), RunCase::generation},
        {diesGenerating(), RunCase::generation},
    };
    for (const auto& [analysis, run] : runs) {
        const auto d = test::deviceDiagnosisOf(analysis);
        std::set<std::string> titles;
        for (const Fix& fix : d.fixes) {
            if (!isOffered(fix)) {
                continue;
            }
            const FixCase& row = *fixCase(fix.id);
            QVERIFY2(row.runs.empty() || std::ranges::find(row.runs, run) != row.runs.end(),
                     (std::string(runCaseId(run)) + ": " + fix.id).c_str());
            QVERIFY2(std::ranges::find(row.not_if, d.causes.front().cause) == row.not_if.end(),
                     fix.id.c_str());
            QVERIFY2(titles.insert(fix.title).second, fix.title.c_str());
        }
    }
}

void TstFixCases::aLineWithoutTheNumberOfGpusLeavesItOpen()
{
    const Fix fix = test::fixOf(test::diesInBackward(), "tensor-parallel");
    QVERIFY2(fix.title.ends_with("over several GPUs"), fix.title.c_str());
    const auto line =
        std::ranges::find(fix.how, "vLLM", &std::pair<std::string, std::string>::first);
    QVERIFY(line != fix.how.end());
    QCOMPARE(line->second, std::string("--tensor-parallel-size ..."));
}

void TstFixCases::generationIsOfferedWhatGenerationCanUse()
{
    const auto offered = offeredFor(diesGenerating());
    const auto in_training = offeredFor(test::diesInBackward());
    for (const char* id : {"inference-batch", "kv-cache-limit", "kv-cache-fp8", "kv-cache-static",
                           "weights-16bit", "weights-8bit", "weights-4bit"}) {
        QVERIFY2(offered.contains(id), id);
        QVERIFY2(!in_training.contains(id), id);
    }
    for (const char* id : {"micro-batch", "qlora", "lora", "bf16-pure", "optimizer-8bit"}) {
        QVERIFY2(!offered.contains(id), id);
    }
}

void TstFixCases::collectedResultsAreNotCuredByASmallerBatch()
{
    const auto offered = offeredFor(test::diesCollectingResults());
    QVERIFY(offered.contains("evaluation-accumulation"));
    QVERIFY(!offered.contains("evaluation-batch"));
    QVERIFY(!offered.contains("optimizer-8bit"));
}

void TstFixCases::aBatchOfOneIsNotMadeSmaller()
{
    const std::pair<Analysis, const char*> cases[] = {{test::diesInBackward(), "micro-batch"},
                                                      {diesGenerating(), "inference-batch"}};
    for (const auto& [analysis, id] : cases) {
        QVERIFY2(isOffered(test::fixOf(withBatchOfOne(analysis, 0.6), id)), id);
        const Fix fix = test::fixOf(withBatchOfOne(analysis, 1), id);
        QCOMPARE(fix.status, FixStatus::not_applicable);
        QCOMPARE(fix.why, std::string("The batch is one sample."));
    }
}

void TstFixCases::aFixNamesWhatItsCauseNames()
{
    // Neither counts the request that failed among what is taken.
    const auto* const stack = "loss /home/me/train.py:40";
    HandRun run(1200 * kM);
    test::HandTraining training(run, {});
    training.step();
    training.forward();
    for (int i = 0; i < 8; ++i) {
        run.alloc(64 * kM, Bucket::activation, Role::attention_matrix, stack);
    }
    run.oom(64 * kM, 2 * kM, Bucket::activation, Role::attention_matrix, stack);
    const Analysis a = run.finish();
    const auto d = test::deviceDiagnosisOf(a);
    const auto cause =
        std::ranges::find(d.causes, Cause::activations_sequence, &CauseFinding::cause);
    QVERIFY(cause != d.causes.end());
    const std::string text = cause->evidence.front().text;
    const std::string taken = text.substr(0, text.find(" in "));
    QVERIFY2(taken.starts_with("Attention matrices take "), text.c_str());
    const std::string why = test::fixOf(a, "attention-flash").why;
    QVERIFY2(why.starts_with(taken + ';'), why.c_str());
}

void TstFixCases::whatIsSaidToBeOnWasSeen()
{
    // No frame of an optimizer's way was seen, so neither way is said to be on.
    QVERIFY(test::fixOf(test::diesMakingState(), "foreach-off").status != FixStatus::already_on);
    // A byte for each element of a weight; a part of a state, as of a sharded one, is none.
    HandRun run(1024 * kM);
    run.there(64 * kM, Bucket::parameter);
    run.there(16 * kM, Bucket::optimizer_state);
    run.phase(Phase::forward, 1);
    run.alloc(kM, Bucket::activation);
    QVERIFY(test::fixOf(run.finish(), "optimizer-8bit").status == FixStatus::already_on);
    HandRun part(200 * kM);
    part.there(64 * kM, Bucket::parameter);
    part.there(12 * kM, Bucket::optimizer_state);
    part.phase(Phase::forward, 1);
    part.alloc(kM, Bucket::activation);
    QVERIFY(test::fixOf(part.finish(), "optimizer-8bit").status != FixStatus::already_on);
    // Autocast computes in 16 bits with weights of 32, of which it keeps copies.
    HandRun cast(200 * kM);
    cast.phase(Phase::setup, 0);
    cast.alloc(64 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    cast.phase(Phase::inference, 0);
    const std::string stack = "linear /x/site-packages/torch/nn/functional.py:7; forward "
                              "/home/me/model.py:9";
    cast.alloc(32 * kM, Bucket::activation, Role::weight_cast, stack);
    cast.free(cast.alloc(kM, Bucket::temporary, Role::none, stack));
    const Fix narrow = test::fixOf(cast.finish(), "weights-16bit");
    QVERIFY2(isOffered(narrow), narrow.why.c_str());
    QCOMPARE(narrow.saves.value, (32 + 32) * kM);
    // C++ names of 16-bit kernels without a copy: the weights are narrow. A state that is shared
    // among ranks, or in 32 bits beside them, is not shown to be.
    const auto pure = [](std::int64_t state) {
        HandRun with_state(600 * kM);
        with_state.there(64 * kM, Bucket::parameter);
        if (state > 0) {
            with_state.there(state * kM, Bucket::optimizer_state);
        }
        with_state.phase(Phase::forward, 1);
        with_state.alloc(kM, Bucket::activation, Role::none,
                         "at::native::gelu_kernel<c10::BFloat16>() ??:0");
        return test::fixOf(with_state.finish(), "bf16-pure").status;
    };
    QCOMPARE(pure(128), FixStatus::already_on);
    for (const std::int64_t state : {0, 10, 256}) {
        QVERIFY(pure(state) != FixStatus::already_on);
    }
}

void TstFixCases::aFileWithoutHistoryPromisesNoRest()
{
    HandRun run(100 * kM);
    run.there(64 * kM, Bucket::parameter);
    const auto d = test::deviceDiagnosisOf(run.finish());
    QVERIFY(d.causes.front().cause == Cause::unclear);
    QCOMPARE(d.fix_headline, std::string("No history recorded, so an OOM can't be seen"));
    QVERIFY(std::ranges::none_of(
        d.fixes, [](const Fix& fix) { return fix.status == FixStatus::not_needed; }));
}

TIDEMARK_TEST(TstFixCases)

} // namespace tidemark::tst_fix_cases

#include "tst_fix_cases.moc"
