// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/traps.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>
#include <vector>

namespace tidemark::tst_traps_in_stacks {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

// Frames as released libraries have them: torch 2.6, transformers 4.56, peft 0.17, trl 0.12,
// deepspeed 0.17.
constexpr std::string_view kModel = "__init__ /home/me/model.py:5; main /home/me/train.py:30";
constexpr std::string_view kLoad =
    "to /env/lib/site-packages/torch/storage.py:280; "
    "_deserialize /env/lib/site-packages/torch/serialization.py:612; "
    "default_restore_location /env/lib/site-packages/torch/serialization.py:698; "
    "load_tensor /env/lib/site-packages/torch/serialization.py:1956; "
    "persistent_load /env/lib/site-packages/torch/serialization.py:1981; "
    "load /env/lib/site-packages/torch/serialization.py:1471; main /home/me/train.py:41";
constexpr std::string_view kUpcast =
    "prepare_model_for_kbit_training /env/lib/site-packages/peft/utils/other.py:180; "
    "main /home/me/train.py:50";
constexpr std::string_view kDummyStep =
    "_init_group /env/lib/site-packages/torch/optim/adamw.py:100; "
    "_init_optim_state /env/lib/site-packages/torch/distributed/checkpoint/state_dict.py:640; "
    "set_optimizer_state_dict /env/lib/site-packages/torch/distributed/checkpoint/"
    "state_dict.py:1200; main /home/me/train.py:60";
constexpr std::string_view kMasters =
    "_create_fp32_partitions /env/lib/site-packages/deepspeed/runtime/zero/stage3.py:900; "
    "main /home/me/train.py:70";

/// The traps that are found, with what they hold.
std::vector<std::pair<std::string, std::int64_t>> trapsIn(const DeviceDiagnosis& diagnosis)
{
    std::vector<std::pair<std::string, std::int64_t>> traps;
    for (const Finding& finding : diagnosis.findings) {
        if (finding.id == "trap") {
            traps.emplace_back(finding.trap, finding.bytes.value);
        }
    }
    return traps;
}
using Traps = std::vector<std::pair<std::string, std::int64_t>>;

void allocate(HandRun& run, int count, std::int64_t mib, Bucket bucket, std::string_view stack)
{
    for (int i = 0; i < count; ++i) {
        run.alloc(mib * kM, bucket, Role::none, stack);
    }
}

/// Weights of 8 × 16 MiB from `weights`, then `count` × `mib` from `stack`, then the end.
DeviceDiagnosis runWith(std::string_view weights, int count, std::int64_t mib, Bucket bucket,
                        std::string_view stack)
{
    HandRun run(1000 * kM);
    run.phase(Phase::setup, 0);
    allocate(run, 8, 16, Bucket::parameter, weights);
    allocate(run, count, mib, bucket, stack);
    return test::deviceDiagnosisOf(run.finish());
}

} // namespace

class TstTrapsInStacks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aCheckpointBesideItsModelIsFound();
    void theModelItselfIsNoCopy();
    void whatAnotherFilesFunctionAllocatesIsNotIts();
    void littleIsNotSaid();
    void whatACalledModuleAllocatesIsNotIts();
    void aCastIsItsLineAlone();
    void whatEveryRunHasIsSaidWhereItWasRefused();
    void aDummyStepIsSaidWhereItMadeThePeak();
    void theSurestTrapOfAStackTakesIt();
    void graphsThatGenerationKeepsAreFound();
    void ordinaryRunsHaveNone();
    void theCatalogueSaysHowFarEachTrapReaches();
};

void TstTrapsInStacks::aCheckpointBesideItsModelIsFound()
{
    const DeviceDiagnosis d = runWith(kModel, 8, 16, Bucket::parameter, kLoad);
    QCOMPARE(trapsIn(d), (Traps{{"torch-load-onto-gpu", 8 * 16 * kM}}));
    const auto trap = std::ranges::find(d.findings, "trap", &Finding::id);
    QVERIFY(trap->evidence.text.find("in 8 allocations") != std::string::npos);
    QVERIFY(trap->evidence.at == d.moment.state && !trap->evidence.stack.isNone());
    QVERIFY(!trap->how.empty()
            && trap->how.front().second.find("map_location") != std::string::npos);
    QVERIFY(trap->score >= 0.8 && trap->to_be_sure.empty());
}

void TstTrapsInStacks::theModelItselfIsNoCopy()
{
    QCOMPARE(trapsIn(runWith(kLoad, 1, 1, Bucket::activation, kModel)), Traps());
    // As many bytes in other sizes are another model's.
    QCOMPARE(trapsIn(runWith(kModel, 4, 32, Bucket::parameter, kLoad)), Traps());
}

void TstTrapsInStacks::whatAnotherFilesFunctionAllocatesIsNotIts()
{
    QCOMPARE(trapsIn(runWith(kModel, 2, 32, Bucket::parameter, kUpcast)),
             (Traps{{"peft-kbit-upcast", 2 * 32 * kM}}));
    for (const std::string_view other :
         {"prepare_model_for_kbit_training /home/me/mine/utils/other.py:180",
          "prepare_model_for_kbit_training /env/lib/site-packages/peft/myutils/other.py:180",
          "prepare_model /env/lib/site-packages/peft/utils/other.py:180"}) {
        QCOMPARE(trapsIn(runWith(kModel, 2, 32, Bucket::parameter, other)), Traps());
    }
}

void TstTrapsInStacks::littleIsNotSaid()
{
    QCOMPARE(trapsIn(runWith(kModel, 1, 6, Bucket::parameter, kUpcast)), Traps());
    QCOMPARE(trapsIn(runWith(kModel, 1, 7, Bucket::parameter, kUpcast)),
             (Traps{{"peft-kbit-upcast", 7 * kM}}));
}

void TstTrapsInStacks::whatACalledModuleAllocatesIsNotIts()
{
    const std::string outer =
        "concatenated_forward /env/lib/site-packages/trl/trainer/dpo_trainer.py:1123; "
        "main /home/me/train.py:5";
    const std::string module = "forward /home/me/model.py:70; "
                               "_call_impl /env/lib/site-packages/torch/nn/modules/module.py:1750; "
        + outer;
    QCOMPARE(trapsIn(runWith(kModel, 4, 16, Bucket::activation, module)), Traps());
    QCOMPARE(trapsIn(runWith(kModel, 4, 16, Bucket::activation, outer)),
             (Traps{{"dpo-logps", 4 * 16 * kM}}));
}

void TstTrapsInStacks::aCastIsItsLineAlone()
{
    const std::string cast =
        "ForCausalLMLoss /env/lib/site-packages/transformers/loss/loss_utils.py:54; "
        "forward /env/lib/site-packages/transformers/models/llama/modeling_llama.py:470";
    QCOMPARE(trapsIn(runWith(kModel, 1, 64, Bucket::activation,
                             "at::native::to at::native::_to_copy:0; " + cast)),
             (Traps{{"trainer-causal-loss-fp32", 64 * kM}}));
    QCOMPARE(trapsIn(runWith(kModel, 1, 64, Bucket::activation,
                             "cross_entropy /env/lib/site-packages/torch/nn/functional.py:3458; "
                                 + cast)),
             Traps());
}

void TstTrapsInStacks::whatEveryRunHasIsSaidWhereItWasRefused()
{
    QCOMPARE(trapsIn(runWith(kModel, 4, 32, Bucket::parameter, kMasters)), Traps());
    HandRun run(300 * kM);
    run.phase(Phase::setup, 0);
    allocate(run, 8, 16, Bucket::parameter, kModel);
    allocate(run, 2, 32, Bucket::parameter, kMasters);
    run.oom(200 * kM, kM, Bucket::parameter, Role::none, kMasters);
    const DeviceDiagnosis d = test::deviceDiagnosisOf(run.finish());
    QCOMPARE(trapsIn(d), (Traps{{"ds-z3-fp32-partitions", (2 * 32 + 200) * kM}}));
    const auto trap = std::ranges::find(d.findings, "trap", &Finding::id);
    QVERIFY(trap->evidence.text.find("refused") != std::string::npos);
}

void TstTrapsInStacks::aDummyStepIsSaidWhereItMadeThePeak()
{
    QCOMPARE(trapsIn(runWith(kModel, 8, 16, Bucket::optimizer_state, kDummyStep)),
             (Traps{{"dcp-optimizer-placeholders", 8 * 16 * kM}}));
    HandRun run(1000 * kM);
    run.phase(Phase::setup, 0);
    allocate(run, 8, 16, Bucket::parameter, kModel);
    allocate(run, 8, 16, Bucket::optimizer_state, kDummyStep);
    allocate(run, 1, 16, Bucket::activation, "forward /home/me/model.py:70");
    QCOMPARE(trapsIn(test::deviceDiagnosisOf(run.finish())), Traps());
}

void TstTrapsInStacks::theSurestTrapOfAStackTakesIt()
{
    // Both are as sure; torch.load is further inside.
    const std::string both = std::string(kLoad.substr(0, kLoad.find("; main")))
        + "; _load_best_model /env/lib/site-packages/transformers/trainer.py:2900";
    QCOMPARE(trapsIn(runWith(kModel, 8, 16, Bucket::parameter, both)),
             (Traps{{"torch-load-onto-gpu", 8 * 16 * kM}}));
}

void TstTrapsInStacks::graphsThatGenerationKeepsAreFound()
{
    const auto trapsOfLoop = [](const std::string& function) {
        HandRun run(1000 * kM);
        run.phase(Phase::setup, 0);
        allocate(run, 2, 16, Bucket::parameter, kModel);
        run.phase(Phase::forward, 1);
        for (int turn = 0; turn < 5; ++turn) {
            run.alloc(kM, Bucket::input, Role::none, "encode /home/me/chat.py:11");
            for (const char* line : {"norm.py:9", "attention.py:19", "mlp.py:29", "mlp.py:30"}) {
                run.alloc(2 * kM, Bucket::activation, Role::none,
                          "forward /home/me/" + std::string(line)
                              + "; _call_impl /env/torch/nn/modules/module.py:1750; " + function
                              + " /home/me/chat.py:20");
            }
        }
        return trapsIn(test::deviceDiagnosisOf(run.finish()));
    };
    QCOMPARE(trapsOfLoop("generate"), (Traps{{"generation-keeps-graph", 5 * 4 * 2 * kM}}));
    QCOMPARE(trapsOfLoop("answer"), Traps());
}

void TstTrapsInStacks::ordinaryRunsHaveNone()
{
    QCOMPARE(trapsIn(test::deviceDiagnosisOf(test::fineRun())), Traps());
    QCOMPARE(trapsIn(test::deviceDiagnosisOf(test::diesInBackward())), Traps());
}

void TstTrapsInStacks::theCatalogueSaysHowFarEachTrapReaches()
{
    const auto count = [](InSnapshot reach) {
        return std::ranges::count(trapCatalogue().traps, reach, &Trap::in_snapshot);
    };
    for (const InSnapshot reach : {InSnapshot::line, InSnapshot::own, InSnapshot::copy,
                                   InSnapshot::peak, InSnapshot::oom, InSnapshot::graph}) {
        QVERIFY(count(reach) > 0);
    }
    for (const Trap& trap : trapCatalogue().traps) {
        const bool has_frames = std::ranges::any_of(trap.signs, [](const TrapSign& sign) {
            return sign.isByFrames() && !sign.frames.empty();
        });
        QVERIFY2(trap.in_snapshot == InSnapshot::no || (has_frames && trap.strength >= 0.8),
                 trap.id.c_str());
    }
}

TIDEMARK_TEST(TstTrapsInStacks)

} // namespace tidemark::tst_traps_in_stacks

#include "tst_traps_in_stacks.moc"
