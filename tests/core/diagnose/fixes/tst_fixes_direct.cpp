// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/diagnose/fixes/fix_effects.h"
#include "core/message/texts.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_fixes_direct {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::kM;

namespace {

bool isOffered(const Fix& fix)
{
    return fix.status == FixStatus::recommended || fix.status == FixStatus::would_help
        || fix.status == FixStatus::not_enough;
}

const char* const kLoss = "loss /home/me/train.py:40";

/// A run that dies in its second backward while something of 96 MiB is live beside what it needs.
Analysis diesBeside(Bucket bucket, Role role, const char* stack, UserInput input = {})
{
    test::HandRun run(490 * kM);
    test::HandTraining training(run, {});
    run.alloc(96 * kM, bucket, role, stack);
    training.step();
    training.forward();
    run.phase(Phase::backward, training.stepNumber());
    run.oom(24 * kM, 4 * kM, Bucket::temporary, Role::activation_gradient, kLoss);
    return run.finish(std::move(input));
}

/// Gradients lie in buckets and nowhere else, as FSDP's do.
Analysis diesWithGradientsInBuckets()
{
    test::HandRun run(490 * kM);
    run.phase(Phase::setup, 0);
    for (int i = 0; i < 4; ++i) {
        run.alloc(8 * kM, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:5");
    }
    run.phase(Phase::forward, 1);
    const auto saved = run.alloc(200 * kM, Bucket::activation, Role::none, kLoss);
    run.phase(Phase::backward, 1);
    run.alloc(32 * kM, Bucket::gradient, Role::reduction_bucket,
              "foreach_reduce /site-packages/torch/distributed/fsdp/_fully_shard/collectives.py:9");
    run.free(saved);
    run.phase(Phase::optimizer, 1);
    run.free(run.alloc(8 * kM, Bucket::temporary, Role::optimizer_transient, kLoss));
    run.phase(Phase::forward, 2);
    run.alloc(200 * kM, Bucket::activation, Role::none, kLoss);
    run.oom(300 * kM, 4 * kM, Bucket::activation, Role::none, kLoss);
    return run.finish();
}

Analysis diesInBackward()
{
    return test::diesInBackward();
}

Analysis withGpus(int gpus)
{
    UserInput input;
    input.gpus = gpus;
    return test::diesInBackward(input);
}

Analysis withSiblings()
{
    UserInput input;
    input.message =
        "CUDA out of memory. Tried to allocate 24.00 MiB. GPU 0 has a total capacity of 1.20 GiB "
        "of which 4.00 MiB is free. Process 7 has 400.00 MiB memory in use. Process 8 has 410.00 "
        "MiB memory in use. Process 9 has 390.00 MiB memory in use. Of the allocated memory 376.00 "
        "MiB is allocated by PyTorch, and 18.00 MiB is reserved by PyTorch but unallocated.";
    return test::diesInBackward(input);
}

/// Weights, and beside each the tensor of the checkpoint that it was read from.
Analysis withCheckpointAlive()
{
    test::HandRun run(440 * kM);
    for (int i = 0; i < 4; ++i) {
        run.alloc(8 * kM, Bucket::parameter, Role::none,
                  "load /site-packages/torch/serialization.py:1300; main /home/me/train.py:9");
    }
    test::HandTraining training(run, {});
    training.step();
    training.forward();
    run.phase(Phase::backward, training.stepNumber());
    run.oom(24 * kM, 4 * kM, Bucket::temporary, Role::activation_gradient, kLoss);
    return run.finish();
}

/// Gradients of all weights but one are there.
Analysis diesLateInBackward(UserInput input = {})
{
    test::HandRun run(200 * kM);
    test::ModelShape shape;
    shape.attention = 2 * kM;
    shape.hidden = kM;
    shape.logits = 4 * kM;
    shape.weight = 24 * kM;
    test::HandTraining training(run, shape);
    training.forward();
    training.backward(3);
    run.oom(24 * kM, 0, Bucket::gradient);
    return run.finish(std::move(input));
}

Analysis accumulating()
{
    UserInput input;
    input.config = config::readRunConfig("gradient_accumulation_steps=4").value();
    return diesLateInBackward(input);
}

Analysis diesWithWorkspace(const char* stack)
{
    test::HandRun run(420 * kM);
    test::HandTraining training(run, {});
    training.step();
    training.forward(2);
    run.alloc(96 * kM, Bucket::workspace, Role::none, stack);
    run.oom(120 * kM, 4 * kM, Bucket::workspace, Role::none, stack);
    return run.finish();
}

const char* const kCompiled = "call /tmp/torchinductor_me/ab/cab.py:88; main /home/me/train.py:40";

Analysis diesCompiled()
{
    test::HandRun run(490 * kM);
    test::HandTraining training(run, {});
    training.step();
    training.forward();
    run.alloc(96 * kM, Bucket::activation, Role::none, kCompiled);
    run.oom(24 * kM, 4 * kM, Bucket::activation, Role::none, kCompiled);
    return run.finish();
}

Analysis diesTuning()
{
    test::HandRun run(420 * kM);
    test::HandTraining training(run, {});
    training.step();
    training.forward(2);
    const char* const stack =
        "do_bench /site-packages/torch/_inductor/runtime/benchmarking.py:80; benchmark "
        "/site-packages/torch/_inductor/select_algorithm.py:90; main /home/me/train.py:40";
    run.alloc(96 * kM, Bucket::workspace, Role::none, stack);
    run.oom(160 * kM, 4 * kM, Bucket::workspace, Role::none, stack);
    return run.finish();
}

/// Every second of many outputs is freed; their sizes all differ.
Analysis diesOfUnevenHoles()
{
    test::HandRun run(400 * kM);
    test::HandTraining training(
        run, {.layers = 1, .weight = 4 * kM, .hidden = kM, .attention = kM, .logits = kM});
    training.step();
    run.phase(Phase::other, 1);
    std::vector<test::HandRun::Handle> all;
    for (int i = 0; i < 80; ++i) {
        all.push_back(
            run.alloc(3 * kM + i * 4096, Bucket::output, Role::none, "keep /home/me/train.py:70"));
    }
    for (std::size_t i = 0; i < all.size(); i += 2) {
        run.free(all[i]);
    }
    run.oom(150 * kM, 2 * kM, Bucket::temporary, Role::none, "keep /home/me/train.py:71");
    return run.finish();
}

Analysis diesWithIdlePool()
{
    test::HandRun run(394 * kM);
    run.privatePool(64 * kM);
    test::HandTraining training(run, {});
    training.step();
    training.forward();
    run.phase(Phase::backward, training.stepNumber());
    run.oom(24 * kM, 4 * kM, Bucket::temporary, Role::activation_gradient, kLoss);
    return run.finish();
}

/// An evaluation pass whose blocks all keep what they made.
Analysis diesWithGraphInEvaluation()
{
    test::HandRun run(420 * kM);
    test::HandTraining training(run, {});
    training.step();
    training.forward();
    run.phase(Phase::evaluation, 2);
    run.oom(160 * kM, 6 * kM, Bucket::temporary, Role::none, kLoss);
    return run.finish();
}

Analysis diesGenerating()
{
    test::HandRun run(400 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(64 * kM, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    run.phase(Phase::inference, 0);
    run.alloc(160 * kM, Bucket::temporary, Role::logits, "forward /home/me/model.py:33");
    run.oom(320 * kM, 4 * kM, Bucket::temporary, Role::logits, "forward /home/me/model.py:34");
    return run.finish();
}

Analysis diesOnImages()
{
    test::HandRun run(490 * kM);
    test::HandTraining training(run, {});
    training.step();
    training.forward();
    run.alloc(96 * kM, Bucket::activation, Role::none,
              "conv2d /site-packages/torch/nn/modules/conv.py:450; forward /home/me/model.py:30");
    run.oom(24 * kM, 4 * kM, Bucket::activation, Role::none, kLoss);
    return run.finish();
}

struct Case {
    const char* id;
    Analysis (*offered)();
    Analysis (*missing)();
};

const Case kCases[]{
    {"gradient-bucket-view",
     [] {
         return diesBeside(Bucket::gradient, Role::reduction_bucket,
                           "__init__ /site-packages/torch/nn/parallel/distributed.py:900");
     },
     diesInBackward},
    {"second-model",
     [] { return diesBeside(Bucket::parameter, Role::second_model, "__init__ /home/me/ref.py:5"); },
     diesInBackward},
    {"ema-on-host",
     [] { return diesBeside(Bucket::parameter, Role::ema, "__init__ /home/me/ema.py:5"); },
     diesInBackward},
    {"free-checkpoint", withCheckpointAlive, diesInBackward},
    {"own-gpu-per-rank", withSiblings, diesInBackward},
    {"optimizer-in-backward", [] { return diesLateInBackward(); }, accumulating},
    {"kv-cache-limit", [] { return test::diesOfCache(); }, diesInBackward},
    {"kv-cache-fp8", [] { return test::diesOfCache(); }, diesInBackward},
    {"graph-eager", diesWithIdlePool, diesInBackward},
    {"cudnn-benchmark-off",
     [] { return diesWithWorkspace("conv2d /site-packages/torch/nn/modules/conv.py:450"); },
     [] { return diesWithWorkspace("matmul /home/me/model.py:8"); }},
    {"compile-mode", diesTuning, diesInBackward},
    {"compile-budget", diesCompiled, diesInBackward},
    {"smaller-buckets",
     [] { return diesBeside(Bucket::communication, Role::none, "all_gather /home/me/comm.py:5"); },
     diesInBackward},
    {"max-split-size", [] { return test::diesOfHoles(); },
     [] { return test::diesInForeachList(); }},
    {"roundup-power2", diesOfUnevenHoles, [] { return test::diesOfHoles(); }},
    {"inference-mode", diesWithGraphInEvaluation, [] { return test::diesInEvaluationBatch(); }},
    {"logits-to-keep", diesGenerating, diesInBackward},
    {"resolution", diesOnImages, diesInBackward},
    {"optimizer-galore", [] { return test::diesMakingState(); },
     [] { return test::diesMakingGradients(); }},
    {"optimizer-apollo", [] { return test::diesMakingState(); },
     [] { return test::diesMakingGradients(); }},
    {"tensor-parallel", [] { return withGpus(4); }, diesInBackward},
    {"pipeline-parallel", [] { return withGpus(4); }, diesInBackward},
    {"context-parallel", [] { return withGpus(4); }, diesInBackward},
};

/// What people try and what cannot help: answered, never offered.
const char* const kMyths[]{"empty-cache", "garbage-collection"};

void addRows()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < std::size(kCases); ++i) {
        QTest::newRow(kCases[i].id) << static_cast<int>(i);
    }
}

} // namespace

class TstFixesDirect : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRemedyIsOfferedWhereItsEvidenceIs_data();
    void everyRemedyIsOfferedWhereItsEvidenceIs();
    void everyRemedyIsAbsentWhereItsEvidenceIsMissing_data();
    void everyRemedyIsAbsentWhereItsEvidenceIsMissing();
    void everyRemedyHasACase();
    void whatIsFreedIsWhatLies();
    void mythsAreAnsweredAndNeverOffered();
    void whatMovesToTheHostIsCounted();
    void everyEntryNamesItsTerms();
    void aDivisionOfNothingIsNotOn();
    void gradientsInBucketsAloneAreNoCopy();
    void whatEachStepKeepsCanBeStopped();
};

void TstFixesDirect::everyRemedyIsOfferedWhereItsEvidenceIs_data()
{
    addRows();
}

void TstFixesDirect::everyRemedyIsOfferedWhereItsEvidenceIs()
{
    QFETCH(int, index);
    const Fix fix = test::fixOf(kCases[index].offered(), kCases[index].id);
    QVERIFY2(isOffered(fix), fix.why.c_str());
    QVERIFY(!fix.title.empty() && !fix.how.empty());
    QVERIFY2(fix.why.find("«") == std::string::npos, fix.why.c_str());
    QVERIFY2(fix.title.find("«") == std::string::npos, fix.title.c_str());
    for (const auto& [framework, line] : fix.how) {
        QVERIFY2(line.find("«") == std::string::npos, line.c_str());
    }
}

void TstFixesDirect::everyRemedyIsAbsentWhereItsEvidenceIsMissing_data()
{
    addRows();
}

void TstFixesDirect::everyRemedyIsAbsentWhereItsEvidenceIsMissing()
{
    QFETCH(int, index);
    const Fix fix = test::fixOf(kCases[index].missing(), kCases[index].id);
    QVERIFY2(fix.status == FixStatus::not_applicable, fix.why.c_str());
    QVERIFY2(!fix.why.empty() && fix.why.find("«") == std::string::npos, fix.why.c_str());
    QCOMPARE(fix.saves.value, std::int64_t{0});
}

void TstFixesDirect::everyRemedyHasACase()
{
    // Those of longer standing have theirs beside the changes of sizes.
    const std::vector<std::string_view> elsewhere{"leak",
                                                  "memory-fraction",
                                                  "other-process",
                                                  "expandable-segments",
                                                  "allocator-settings",
                                                  "drop-max-split",
                                                  "preallocate",
                                                  "kv-cache-static",
                                                  "weights-8bit",
                                                  "weights-4bit"};
    for (const FixText& text : fixTexts()) {
        const bool is_direct = fixRule(text.id) != nullptr && fixRule(text.id)->effect != nullptr;
        const bool has_case =
            std::ranges::any_of(kCases, [&](const Case& c) { return text.id == c.id; })
            || std::ranges::find(elsewhere, text.id) != elsewhere.end();
        QVERIFY2(!is_direct || has_case, text.id.c_str());
    }
}

void TstFixesDirect::whatIsFreedIsWhatLies()
{
    // 96 MiB lie beside the run; all of them go.
    const Analysis a =
        diesBeside(Bucket::parameter, Role::second_model, "__init__ /home/me/ref.py:5");
    const auto d = test::deviceDiagnosisOf(a);
    const Fix other = test::fixOf(a, "second-model");
    QCOMPARE(other.alone.saves.value, 96 * kM);
    QCOMPARE(other.alone.new_need, d.need - Bytes{96 * kM});
    // The four tensors of the checkpoint are of 8 MiB each.
    QCOMPARE(test::fixOf(withCheckpointAlive(), "free-checkpoint").alone.saves.value, 32 * kM);
    // Three gradients of 24 MiB stand; one at a time is enough.
    QCOMPARE(test::fixOf(diesLateInBackward(), "optimizer-in-backward").alone.saves.value, 48 * kM);
    // Idle memory of a pool is reserved, not asked for.
    const Fix pools = test::fixOf(diesWithIdlePool(), "graph-eager");
    QCOMPARE(pools.alone.saves.value, 64 * kM);
    QCOMPARE(pools.alone.new_need, test::deviceDiagnosisOf(diesWithIdlePool()).need);
}

void TstFixesDirect::mythsAreAnsweredAndNeverOffered()
{
    for (const char* id : kMyths) {
        for (const Analysis& a : {test::diesOfHoles(), test::diesInBackward()}) {
            const Fix fix = test::fixOf(a, id);
            QCOMPARE(fix.status, FixStatus::not_applicable);
            QVERIFY2(fix.why.starts_with("Not a fix:"), fix.why.c_str());
            QVERIFY2(fix.why.find("«") == std::string::npos, fix.why.c_str());
        }
        // What is cached is all in use in part after an OOM only.
        const std::string shares = "shares segments with live blocks.";
        const Fix after = test::fixOf(test::diesOfHoles(), id);
        QVERIFY2(after.why.find(shares) != std::string::npos, after.why.c_str());
        const Fix fine = test::fixOf(test::fineRun(), id);
        QVERIFY2(fine.why.find(shares) == std::string::npos, fine.why.c_str());
    }
}

void TstFixesDirect::whatMovesToTheHostIsCounted()
{
    // Four blocks with two states of 8 MiB each; one of the eight was asked for in vain and four
    // were still to come.
    QCOMPARE(test::fixOf(test::diesMakingState(), "offload-optimizer").needs.host,
             std::optional(Bytes{64 * kM}));
    QCOMPARE(test::fixOf(test::diesInBackward(), "offload-parameters").needs.host,
             std::optional<Bytes>());
}

void TstFixesDirect::everyEntryNamesItsTerms()
{
    for (const FixText& text : fixTexts()) {
        QVERIFY2(fixRule(text.id) != nullptr, text.id.c_str());
        QVERIFY2(text.cost.ends_with('.'), text.id.c_str());
        // What changes the result must be looked at again.
        QVERIFY2(!text.changes_science || text.verify.ends_with('.'), text.id.c_str());
        for (const std::string& conflict : text.conflicts) {
            QVERIFY2(conflict.ends_with('.'), conflict.c_str());
        }
        QVERIFY2(!text.how.empty() && !text.missing.empty(), text.id.c_str());
        for (const auto& [framework, line] : text.how) {
            // As the title says; a line that sets the default changes nothing.
            QVERIFY2(text.id != "kv-cache-fp8" || line.find("nbits") == std::string::npos
                         || line.find("\"nbits\": 8}") != std::string::npos,
                     line.c_str());
            QVERIFY2(line.find("bucket_cap_mb=25)") == std::string::npos, line.c_str());
        }
        QVERIFY2(text.needs.torch.empty()
                     || text.needs.torch.find_first_not_of("0123456789.") == std::string::npos,
                 text.id.c_str());
    }
}

void TstFixesDirect::aDivisionOfNothingIsNotOn()
{
    for (const std::int64_t divisions : {0, 8}) {
        test::HandRun run(394 * kM);
        run.settings().roundup_power2_divisions = {{"1", divisions}, {"2", divisions}};
        test::HandTraining training(run, {});
        training.step();
        training.forward();
        run.oom(24 * kM, 4 * kM, Bucket::temporary, Role::none, kLoss);
        const bool is_on =
            test::fixOf(run.finish(), "roundup-power2").status == FixStatus::already_on;
        QCOMPARE(is_on, divisions > 0);
    }
}

void TstFixesDirect::gradientsInBucketsAloneAreNoCopy()
{
    const Analysis a = diesWithGradientsInBuckets();
    QCOMPARE(test::fixOf(a, "gradient-bucket-view").status, FixStatus::not_applicable);
    QVERIFY(std::ranges::none_of(test::deviceDiagnosisOf(a).findings, [](const Finding& finding) {
        return finding.id == "gradient-copies";
    }));
}

void TstFixesDirect::whatEachStepKeepsCanBeStopped()
{
    // Three steps leave too little to be called a leak, and the recording ends before it kills.
    test::HandRun run(1024 * kM);
    test::HandTraining training(run, {});
    for (int i = 0; i < 3; ++i) {
        training.step();
        run.alloc(4 * kM, Bucket::output, Role::none, "train /home/me/train.py:50");
    }
    const Analysis a = run.finish();
    const auto d = test::deviceDiagnosisOf(a);
    const auto finding = std::ranges::find(d.findings, std::string("each-step"), &Finding::id);
    QVERIFY(finding != d.findings.end());
    QVERIFY2(finding->evidence.text.find("4.00 MiB") != std::string::npos,
             finding->evidence.text.c_str());
    // What the headline says, the fix says as well.
    const Fix fix = test::fixOf(a, "leak");
    QCOMPARE(fix.status, FixStatus::not_needed);
    QVERIFY2(fix.why.find("4.00 MiB more after each step, 12.00 MiB so far") != std::string::npos,
             fix.why.c_str());
    QCOMPARE(test::fixOf(test::fineRun(), "leak").status, FixStatus::not_applicable);
}

TIDEMARK_TEST(TstFixesDirect)

} // namespace tidemark::tst_fixes_direct

#include "tst_fixes_direct.moc"
