// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/diagnose/fixes/fixes.h"
#include "core/message/texts.h"
#include "tests/core/diagnose/model_run.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_fixes {

using namespace tidemark::diagnose;
using test::kM;
using test::ModelShape;

namespace {

bool isOffered(const Fix& fix)
{
    return fix.status == FixStatus::recommended || fix.status == FixStatus::would_help
        || fix.status == FixStatus::not_enough;
}

UserInput withGpus(int gpus)
{
    UserInput input;
    input.gpus = gpus;
    return input;
}

UserInput withMessage(const char* middle)
{
    UserInput input;
    input.message =
        std::string(
            "CUDA out of memory. Tried to allocate 24.00 MiB. GPU 0 has a total capacity of "
            "8.00 GiB of which 1.00 GiB is free. ")
        + middle
        + " Of the allocated memory 376.00 MiB is allocated by PyTorch, and 18.00 MiB is reserved "
          "by PyTorch but "
          "unallocated.";
    return input;
}

/// One run for each remedy in which it is offered, and one in which its evidence is missing.
struct Case {
    const char* id;
    Analysis (*offered)();
    Analysis (*missing)();
};

const Case kCases[]{
    {"leak", [] { return test::diesOfLeak(); }, [] { return test::diesInBackward(); }},
    {"evaluation-accumulation", [] { return test::diesCollectingResults(); },
     [] { return test::diesInEvaluationBatch(); }},
    {"evaluation-batch", [] { return test::diesInEvaluationBatch(); },
     [] { return test::diesInBackward(); }},
    {"micro-batch", [] { return test::diesInBackward(); }, [] { return test::diesMakingState(); }},
    {"set-to-none", [] { return test::diesWithKeptGradients(); },
     [] { return test::diesLoading(); }},
    {"memory-fraction", [] { return test::diesInBackward(withMessage("400.00 MiB allowed;")); },
     [] { return test::diesInBackward(); }},
    {"other-process",
     [] {
         return test::diesInBackward(withMessage(
             "Process 7 has 6.00 GiB memory in use. Including non-PyTorch memory, this process has "
             "900.00 MiB memory in use."));
     },
     [] { return test::diesInBackward(); }},
    {"bf16", [] { return test::diesInBackward({}, {.hidden = 30 * kM, .attention = 4 * kM}); },
     [] { return test::diesMakingState(); }},
    {"checkpointing-selective", [] { return test::diesInBackward(); },
     [] { return test::diesMakingState(); }},
    {"checkpointing-full", [] { return test::diesInBackward(); },
     [] { return test::diesInEvaluationBatch(); }},
    {"expandable-segments", [] { return test::diesOfHoles(); },
     [] { return test::diesInForeachList(); }},
    {"allocator-settings", [] { return test::diesOfSplitBlocks(100, true); },
     [] { return test::diesOfSplitBlocks(); }},
    {"fused-optimizer", [] { return test::diesInForeachList(); },
     [] { return test::diesInBackward(); }},
    {"foreach-off", [] { return test::diesInForeachList(); }, [] { return test::diesLoading(); }},
    {"attention-flash", [] { return test::diesInBackward(); },
     [] { return test::diesMakingState(); }},
    {"fused-loss", [] { return test::diesInBackward(); },
     [] { return test::diesInLongestBatch(); }},
    {"longest-batch", [] { return test::diesInLongestBatch(); },
     [] { return test::diesInBackward(); }},
    {"sequence", [] { return test::diesInBackward(); }, [] { return test::diesMakingState(); }},
    {"optimizer-8bit", [] { return test::diesMakingState(); },
     [] { return test::diesMakingGradients(); }},
    {"optimizer-paged-8bit", [] { return test::diesMakingState(); },
     [] { return test::diesMakingGradients(); }},
    {"optimizer-lion", [] { return test::diesInForeachList(); },
     [] { return test::diesMakingGradients(); }},
    {"optimizer-adafactor", [] { return test::diesInForeachList(); },
     [] { return test::diesMakingGradients(); }},
    {"optimizer-muon", [] { return test::diesInForeachList(); },
     [] { return test::diesMakingGradients(); }},
    {"optimizer-sgd", [] { return test::diesInForeachList(); },
     [] { return test::diesMakingGradients(); }},
    {"bf16-pure", [] { return test::diesInBackward(); }, nullptr},
    {"zero-1", [] { return test::diesInBackward(withGpus(4)); },
     [] { return test::diesInBackward(); }},
    {"zero-2", [] { return test::diesMakingState(withGpus(4)); },
     [] { return test::diesMakingState(); }},
    {"zero-3", [] { return test::diesMakingState(withGpus(4)); },
     [] { return test::diesMakingState(); }},
    {"offload-optimizer", [] { return test::diesMakingState(); },
     [] { return test::diesMakingGradients(); }},
    {"offload-activations", [] { return test::diesInBackward(); },
     [] { return test::diesMakingState(); }},
    {"offload-parameters", [] { return test::diesMakingGradients(); },
     [] { return test::diesInBackward(); }},
    {"lora", [] { return test::diesMakingGradients(); }, [] { return test::diesOfCache(); }},
    {"qlora", [] { return test::diesMakingGradients(); },
     [] { return test::diesInLongestBatch(); }},
};

} // namespace

class TstFixes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRemedyIsOfferedWhereItsEvidenceIs_data();
    void everyRemedyIsOfferedWhereItsEvidenceIs();
    void everyRemedyIsAbsentWhereItsEvidenceIsMissing_data();
    void everyRemedyIsAbsentWhereItsEvidenceIsMissing();
    void everyRemedyOfTheLadderHasACase();
    void theLadderIsInCostOrder();
    void theCheapestThatFitsIsRecommended();
    void aLargerBatchIsToldByWhatItAllocates();
    void theMildestBatchThatFitsIsChosen();
    void nothingIsNeededWhereNothingRanOut();
    void whatTheFileShowsOnIsSaid();
    void whatIsNotEnoughSaysHowMuchIsMissing();
    void stateOfSixteenBitsHalvesInEight();
    void expandableSegmentsCureHolesOnly();
    void theLineToPasteBearsTheFigures();
    void savingsAreNeverMoreThanWhatIsThere();
    void aDtypeThatNothingShowsIsNotStated();
};

void TstFixes::everyRemedyIsOfferedWhereItsEvidenceIs_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < std::size(kCases); ++i) {
        QTest::newRow(kCases[i].id) << static_cast<int>(i);
    }
}

void TstFixes::everyRemedyIsOfferedWhereItsEvidenceIs()
{
    QFETCH(int, index);
    const Analysis a = kCases[index].offered();
    const Fix fix = test::fixOf(a, kCases[index].id);
    QVERIFY2(isOffered(fix), fix.why.c_str());
    QVERIFY(!fix.why.empty() && !fix.title.empty() && !fix.how.empty());
    if (!fix.apply.empty() && fix.apply == fix.alone.apply) {
        // The figures are those of the prediction that a user can repeat.
        const Prediction p = test::predictionOf(a, fix.apply);
        QCOMPARE(fix.new_peak, p.after_peak);
        QCOMPARE(fix.new_need, p.after_need);
        QCOMPARE(fix.fits, p.fits);
        QVERIFY(fix.saves.value > 0);
        QCOMPARE(fix.saves, p.before_need - p.after_need);
    }
}

void TstFixes::everyRemedyIsAbsentWhereItsEvidenceIsMissing_data()
{
    everyRemedyIsOfferedWhereItsEvidenceIs_data();
}

void TstFixes::everyRemedyIsAbsentWhereItsEvidenceIsMissing()
{
    QFETCH(int, index);
    if (kCases[index].missing == nullptr) {
        // Halving everything helps every run but one whose weights are narrow. That its state is,
        // too, is not said of one in 32 bits.
        ModelShape shape;
        shape.state_copies = 4;
        const Fix fix = test::fixOf(test::diesOfLeak(), kCases[index].id);
        QVERIFY(fix.status != FixStatus::recommended);
        const Fix on = test::fixOf(test::fineRun({}, shape), kCases[index].id);
        QVERIFY(on.status == FixStatus::not_applicable);
        return;
    }
    const Fix fix = test::fixOf(kCases[index].missing(), kCases[index].id);
    QVERIFY2(fix.why.find("nly nothing") == std::string::npos, fix.why.c_str());
    QVERIFY2(fix.status == FixStatus::not_applicable, std::string(fixStatusId(fix.status)).c_str());
    QVERIFY(!fix.why.empty());
    QCOMPARE(fix.saves.value, std::int64_t{0});
    QVERIFY(fix.apply.empty());
    QVERIFY(fix.fits != std::optional<bool>(true));
}

void TstFixes::everyRemedyOfTheLadderHasACase()
{
    for (const FixText& text : fixTexts()) {
        // Remedies that change no size, and those of inference, have theirs in files of their own.
        const bool is_direct = directFixRule(text.id) != nullptr
            || programFixRule(text.id) != nullptr || inferenceFixRule(text.id) != nullptr;
        const bool found = is_direct
            || std::ranges::any_of(kCases, [&](const Case& c) { return text.id == c.id; });
        QVERIFY2(found, text.id.c_str());
    }
}

void TstFixes::theLadderIsInCostOrder()
{
    const auto fixes = test::deviceDiagnosisOf(test::diesInBackward()).fixes;
    QVERIFY(std::ranges::is_sorted(fixes, {}, &Fix::cost_rank));
    QVERIFY(fixes.size() >= 8);
}

void TstFixes::theCheapestThatFitsIsRecommended()
{
    for (const Analysis& a :
         {test::diesInBackward(), test::diesMakingState(), test::diesInForeachList()}) {
        const auto fixes = test::deviceDiagnosisOf(a).fixes;
        QCOMPARE(std::ranges::count(fixes, FixStatus::recommended, &Fix::status), 1);
        const auto costOf = [](const Fix& fix) {
            return fix.cost_rank + (fix.changes_science ? 10 : 0);
        };
        const auto best = std::ranges::find(fixes, FixStatus::recommended, &Fix::status);
        QVERIFY(best->fits == true);
        for (const Fix& fix : fixes) {
            const bool fits = isOffered(fix) && fix.fits == true;
            QVERIFY2(!fits || costOf(fix) >= costOf(*best), fix.id.c_str());
        }
    }
}

void TstFixes::aLargerBatchIsToldByWhatItAllocates()
{
    // How many samples or tokens it has is another figure: attention grows with their square.
    const Analysis a = test::diesInLongestBatch();
    const std::string headline = test::deviceDiagnosisOf(a).headline;
    const std::size_t begin = headline.find("allocates ");
    QVERIFY2(begin != std::string::npos && headline.ends_with("× as much as any before"),
             headline.c_str());
    const std::string ratio = headline.substr(begin);
    const Fix fix = test::fixOf(a, "longest-batch");
    QVERIFY2(fix.why.find(ratio) != std::string::npos, fix.why.c_str());
}

void TstFixes::theMildestBatchThatFitsIsChosen()
{
    // The long batch needs 96 + 3 × 304 MiB of 702. Half of it, with the gradients of 32 kept
    // through forward, needs 96 + 32 + 456.
    const Analysis a = test::diesInLongestBatch();
    const Fix fix = test::fixOf(a, "micro-batch");
    QCOMPARE(fix.apply, std::string("micro-batch=0.5,accumulation=2"));
    QCOMPARE(fix.title, std::string("Micro-batch 1/2, accumulation 2"));
    QVERIFY(test::predictionOf(a, "micro-batch=0.75").fits != std::optional<bool>(true));
}

void TstFixes::nothingIsNeededWhereNothingRanOut()
{
    for (const Fix& fix : test::deviceDiagnosisOf(test::fineRun()).fixes) {
        QVERIFY2(fix.status == FixStatus::not_needed || fix.status == FixStatus::not_applicable
                     || fix.status == FixStatus::already_on,
                 fix.id.c_str());
    }
    QVERIFY(test::fixOf(test::fineRun(), "micro-batch").saves.value > 0);
}

void TstFixes::whatTheFileShowsOnIsSaid()
{
    ModelShape checkpointed;
    checkpointed.checkpoints = true;
    QVERIFY(test::fixOf(test::diesInBackward({}, checkpointed), "checkpointing-full").status
            == FixStatus::already_on);
    QVERIFY(test::fixOf(test::fineRun(), "set-to-none").status == FixStatus::already_on);
    test::HandRun run(200 * kM);
    run.settings().expandable_segments = true;
    test::HandTraining training(run, {});
    training.forward(1);
    run.oom(100 * kM, 2 * kM, label::Bucket::activation);
    QVERIFY(test::fixOf(run.finish(), "expandable-segments").status == FixStatus::already_on);
    ModelShape small_state;
    small_state.state_copies = 0.5; // two states of one byte for weights of four
    QVERIFY(test::fixOf(test::fineRun({}, small_state), "optimizer-8bit").status
            == FixStatus::already_on);
}

void TstFixes::whatIsNotEnoughSaysHowMuchIsMissing()
{
    const Fix fix = test::fixOf(test::diesInBackward(), "fused-loss");
    QVERIFY(fix.status == FixStatus::not_enough);
    QVERIFY(fix.fits == false);
    QVERIFY(fix.short_by.value > 0);
    QVERIFY(fix.why.find("short") != std::string::npos);
}

void TstFixes::stateOfSixteenBitsHalvesInEight()
{
    const auto why = [](std::string_view kernel, double copies) {
        test::HandRun run(600 * kM);
        test::HandTraining training(run, {.state_copies = copies});
        training.step();
        run.free(run.alloc(kM, label::Bucket::temporary, label::Role::none, kernel));
        training.forward();
        run.phase(label::Phase::backward, training.stepNumber());
        run.oom(300 * kM, 4 * kM, label::Bucket::temporary, label::Role::activation_gradient);
        const Analysis a = run.finish();
        return test::fixOf(a, "optimizer-8bit").why + test::fixOf(a, "optimizer-lion").why;
    };
    const std::string narrow = "gemm<c10::BFloat16> /aten/blas.cpp:9";
    const std::string pure = why(narrow, 2);
    QVERIFY2(pure.find("shrinks to about half") != std::string::npos, pure.c_str());
    // Adam's two states in 32 bits beside weights in 16.
    const std::string wide = why(narrow, 4);
    QVERIFY2(wide.find("shrinks to about a quarter") != std::string::npos, wide.c_str());
    QVERIFY2(wide.find("per weight, not 2 (") != std::string::npos, wide.c_str());
    const std::string full = why("gemm /aten/blas.cpp:9", 2);
    QVERIFY2(full.find("shrinks to about a quarter") != std::string::npos, full.c_str());
}

void TstFixes::expandableSegmentsCureHolesOnly()
{
    const Fix cure = test::fixOf(test::diesOfHoles(), "expandable-segments");
    QVERIFY(cure.status == FixStatus::recommended);
    // 18 MiB cached and 4 free do not make 24: two short, before the pages that stay partly used.
    const Fix no_cure = test::fixOf(test::diesInBackward(), "expandable-segments");
    QVERIFY(no_cure.status == FixStatus::not_enough);
    QVERIFY(no_cure.short_by.value >= 2 * kM && no_cure.short_by.value < 20 * kM);
}

void TstFixes::theLineToPasteBearsTheFigures()
{
    const Fix fix = test::fixOf(test::diesInLongestBatch(), "micro-batch");
    for (const auto& [framework, line] : fix.how) {
        QVERIFY2(line.find("«") == std::string::npos, line.c_str());
    }
    const auto trainer =
        std::ranges::find(fix.how, "HF Trainer", &std::pair<std::string, std::string>::first);
    QVERIFY(trainer != fix.how.end());
    QVERIFY(trainer->second.find("gradient_accumulation_steps=2") != std::string::npos);
}

void TstFixes::savingsAreNeverMoreThanWhatIsThere()
{
    const auto d = test::deviceDiagnosisOf(test::diesInBackward());
    for (const Fix& fix : d.fixes) {
        QVERIFY2(fix.saves <= d.need + d.overhead, fix.id.c_str());
        QVERIFY2(fix.new_peak_low <= fix.new_peak && fix.new_peak <= fix.new_peak_high,
                 fix.id.c_str());
    }
    const auto state = d.moment.buckets[label::indexOf(label::Bucket::optimizer_state)];
    QVERIFY(test::fixOf(test::diesInBackward(), "optimizer-8bit").saves.value <= state);
}

void TstFixes::aDtypeThatNothingShowsIsNotStated()
{
    // Neither sizes nor frames of this run tell how wide its elements are.
    const Analysis a = test::diesInBackward();
    const Fix pure = test::fixOf(a, "bf16-pure");
    QVERIFY2(pure.why.starts_with("Weights, gradients, state and activations, "), pure.why.c_str());
    QVERIFY2(pure.why.find("may be fp32") != std::string::npos, pure.why.c_str());
    const auto p = test::predictionOf(a, "precision=pure-bf16");
    QVERIFY(std::ranges::any_of(p.assumptions, [](const std::string& text) {
        return text.starts_with("No dtype is recorded");
    }));
}

TIDEMARK_TEST(TstFixes)

} // namespace tidemark::tst_fixes

#include "tst_fixes.moc"
