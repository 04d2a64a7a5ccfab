// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/in_use.h"
#include "core/message/texts.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_in_use {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::kM;

namespace {

/// A training run that dies in backward; a small block is allocated from `stack` first.
Analysis diesAfter(std::string_view stack, test::ModelShape shape = {})
{
    test::HandRun run(396 * kM);
    run.alloc(1024, Bucket::temporary, Role::none, stack);
    test::HandTraining training(run, shape);
    training.step();
    training.forward();
    run.phase(Phase::backward, training.stepNumber());
    run.oom(training.scaled(shape.logits), 4 * kM, Bucket::temporary, Role::activation_gradient);
    UserInput input;
    input.gpus = 4;
    return run.finish(std::move(input));
}

std::vector<std::string> fixesOf(std::string_view stack)
{
    std::vector<std::string> ids;
    for (const InUse& use : fixesInUse(*diesAfter(stack).snapshot)) {
        ids.push_back(use.fix);
    }
    return ids;
}

} // namespace

class TstInUse : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void framesNameTheRemedy_data()
    {
        QTest::addColumn<QString>("stack");
        QTest::addColumn<QString>("fixes");
        const auto row = [](const char* name, const char* stack, const char* fixes) {
            QTest::newRow(name) << QString::fromUtf8(stack) << QString::fromUtf8(fixes);
        };
        row("nothing", "forward /home/me/model.py:40", "");
        row("a user's own name", "matmul_4bit /home/me/model.py:40", "");
        row("bitsandbytes in 8 bits", "forward /sp/bitsandbytes/autograd/_functions.py:3", "");
        row("4 bits", "matmul_4bit /sp/bitsandbytes/autograd/_functions.py:3", "qlora");
        row("4 bits on Windows",
            "dequantize_4bit C:\\sp\\bitsandbytes\\functional.py:3; forward C:\\me\\m.py:1",
            "qlora");
        row("adapters", "forward /sp/peft/tuners/lora/layer.py:9", "lora");
        // FSDP makes a copy of its weights there if they are gathered in another type; what is made
        // further in brings back those that were offloaded.
        row("FSDP in 16 bits",
            "_get_param_all_gather_inputs "
            "/sp/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:419; foreach_all_gather "
            "/sp/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:337",
            "bf16 zero-1 zero-2");
        row("FSDP with weights on the host",
            "all_gather_inputs /sp/torch/distributed/fsdp/_fully_shard/_fsdp_param.py:700; "
            "_get_param_all_gather_inputs "
            "/sp/torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py:440",
            "zero-1 zero-2");
        row("both",
            "matmul_4bit /sp/bitsandbytes/autograd/_functions.py:3; forward "
            "/sp/peft/tuners/lora/bnb.py:290",
            "qlora lora");
        row("ZeRO 3", "partition /sp/deepspeed/runtime/zero/stage3.py:3", "zero-1 zero-2 zero-3");
        row("ZeRO 1 or 2", "step /sp/deepspeed/runtime/zero/stage_1_and_2.py:3", "zero-1 zero-2");
        row("ZeRO 1",
            "get_flat_partition /sp/deepspeed/runtime/zero/stage_1_and_2.py:3; "
            "independent_gradient_partition_epilogue "
            "/sp/deepspeed/runtime/zero/stage_1_and_2.py:4; "
            "reduce_gradients /sp/deepspeed/runtime/zero/stage_1_and_2.py:5; "
            "allreduce_gradients /sp/deepspeed/runtime/engine.py:6",
            "zero-1");
        row("ZeRO 2",
            "get_flat_partition /sp/deepspeed/runtime/zero/stage_1_and_2.py:3; "
            "independent_gradient_partition_epilogue "
            "/sp/deepspeed/runtime/zero/stage_1_and_2.py:4; "
            "allreduce_gradients /sp/deepspeed/runtime/engine.py:6",
            "zero-1 zero-2");
        row("FSDP that gathers again in backward",
            "unshard /sp/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:3; pre_backward "
            "/sp/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:9; post_backward "
            "/sp/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:12",
            "zero-1 zero-2 zero-3");
        row("FSDP whose backward gathers nothing",
            "unshard /sp/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:3; post_backward "
            "/sp/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:12",
            "zero-1 zero-2");
        row("FSDP", "unshard /sp/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py:3",
            "zero-1 zero-2 zero-3");
    }
    void framesNameTheRemedy()
    {
        QFETCH(QString, stack);
        QFETCH(QString, fixes);
        const std::vector<std::string> ids = fixesOf(stack.toStdString());
        QCOMPARE(QString::fromStdString(fmt::format("{}", fmt::join(ids, " "))), fixes);
    }

    void everyRuleIsAboutARemedyThatThereIs()
    {
        // A frame whose name and file have every word of every rule shows all of them.
        const std::string words =
            "4bit-4Bit-_flash_attention_forward-_efficient_attention_forward-fused_linear_cross_"
            "entropy-reshard-unshard-8bit-_approx_sq_grad-zeropower_via_newtonschulz-unpack_from_"
            "cpu-optim_step_in_bwd";
        std::size_t count = 0;
        for (const std::string file :
             {"/bitsandbytes/optim/lion.py", "/peft/tuners/lora/", "/flash_attn/",
              "/cut_cross_entropy/", "/deepspeed/runtime/zero/stage3.py",
              "/torch/distributed/pipelining/", "/ring_flash_attn/", "/torchao/", "/adafactor.py",
              "/muon.py", "/galore_torch/", "/apollo_torch/", "/torch/autograd/graph.py"}) {
            for (const std::string& id : fixesOf(words + " " + file + ":1")) {
                ++count;
                QVERIFY2(std::ranges::find(fixTexts(), id, &FixText::id) != fixTexts().end(),
                         id.c_str());
            }
        }
        QVERIFY(count >= 15);
    }

    void whatIsOnIsNotAdvisedAgain()
    {
        const auto status = [](std::string_view stack, std::string_view id) {
            return test::fixOf(diesAfter(stack), id).status;
        };
        const char* const plain = "forward /home/me/model.py:40";
        QVERIFY(status(plain, "zero-3") != FixStatus::already_on);
        QVERIFY(status(plain, "zero-3") != FixStatus::not_applicable);
        QCOMPARE(status("partition /sp/deepspeed/runtime/zero/stage3.py:3", "zero-3"),
                 FixStatus::already_on);
        const Fix fix = test::fixOf(
            diesAfter("matmul_4bit /sp/bitsandbytes/autograd/_functions.py:3"), "qlora");
        QCOMPARE(fix.status, FixStatus::already_on);
        QVERIFY(fix.why.find("already 4-bit") != std::string::npos);
        const Fix doubtful =
            test::fixOf(diesAfter("step /sp/deepspeed/runtime/zero/stage_1_and_2.py:3"), "zero-2");
        QVERIFY(doubtful.status != FixStatus::already_on);
        QVERIFY2(doubtful.why.find("which one is unknown") != std::string::npos,
                 doubtful.why.c_str());
    }

    void whatIsOnInPlacesIsAdvisedWhereItsMemoryIsThere()
    {
        // 4 attention matrices of 32 MiB are live: the fused kernel does not run there.
        const char* const stack = "_flash_attn_forward /sp/flash_attn/flash_attn_interface.py:3";
        QVERIFY(test::fixOf(diesAfter(stack), "attention-flash").status != FixStatus::already_on);
        QCOMPARE(test::fixOf(diesAfter(stack, {.attention = 1024}), "attention-flash").status,
                 FixStatus::already_on);
    }

    void quantisedWeightsAreNotCounted()
    {
        const auto recipe = [](std::string_view stack) {
            return test::deviceDiagnosisOf(diesAfter(stack)).recipe;
        };
        QVERIFY(recipe("forward /home/me/model.py:40").parameters > 0);
        const Recipe quantised =
            recipe("matmul_4bit /sp/bitsandbytes/autograd/_functions.py:3; forward "
                   "/sp/peft/tuners/lora/bnb.py:290");
        QCOMPARE(quantised.parameters, std::int64_t{0});
        // 4 blocks of 8 MiB.
        QCOMPARE(QString::fromStdString(quantised.text),
                 QStringLiteral("quantized weights, 32.0 MiB with unquantized layers, + LoRA "
                                "adapters"));
    }
};

TIDEMARK_TEST(TstInUse)

} // namespace tidemark::tst_in_use

#include "tst_in_use.moc"
