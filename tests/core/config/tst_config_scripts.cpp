// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Configurations that stand in scripts: shell variables, calls in a Python file.
#include "core/config/framework.h"
#include "core/config/run_config.h"
#include "core/config/settings.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <array>
#include <string>

namespace tidemark::tst_config_scripts {

using namespace tidemark::config;

namespace {

RunConfig configOf(std::string_view text)
{
    const Result<RunConfig> config = readRunConfig(text);
    if (!config.has_value()) {
        QTest::qFail(config.error().message.c_str(), __FILE__, __LINE__);
        return {};
    }
    return config.value();
}

} // namespace

class TstConfigScripts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void variablesStandWhereTheyAreUsed_data();
    void variablesStandWhereTheyAreUsed();
    void aScriptOfMegatronIsRead();
    void variablesOfVariablesDoNotGrow();
    void theWholeBatchTellsHowOftenMegatronAccumulates();
    void callsInAPythonFileAreRead();
    void sectionsAreRead();
    void aConfigurationsNameTellsItsStage_data();
    void aConfigurationsNameTellsItsStage();
    void theStageThatIsWrittenComesBeforeAName();
    void plainAssignmentsOfAPythonFileAreRead();
    void batchesOfVerlCountPrompts();
    void theFrameworkIsThatOfItsSettings_data();
    void theFrameworkIsThatOfItsSettings();
    void whatDoesNotGoTogetherIsNamed();
};

void TstConfigScripts::variablesStandWhereTheyAreUsed_data()
{
    QTest::addColumn<std::string>("script");
    QTest::addColumn<std::string>("plain");
    const auto row = [](const char* name, const char* script, const char* plain) {
        QTest::newRow(name) << std::string(script) << std::string(plain);
    };
    row("quoted", "ARGS=\"--a 1 \\\n --b 2\"\nrun $ARGS --c", "\nrun --a 1 \\\n --b 2 --c");
    row("braces", "ARGS='--a 1'\nrun ${ARGS}x", "\nrun --a 1x");
    row("a list", "ARGS=(\n --a 1\n)\nrun \"${ARGS[@]}\" ${ARGS[*]}",
        "\nrun \n --a 1\n \n --a 1\n");
    row("in another", "N=4\nARGS=\"--n $N\"\nrun $ARGS", "N=4\n\nrun --n 4");
    row("a default", "run --n ${N:-8}", "run --n 8");
    row("set before a default", "N=2\nrun --n ${N:-8}", "N=2\nrun --n 2");
    row("exported", "export ARGS=\"--a\"; run $ARGS", "; run --a");
    row("not known", "run $UNKNOWN ${THIS} $1 cost$", "run $UNKNOWN ${THIS} $1 cost$");
    row("single quotes keep it", "N=4\nARGS='--n $N'\nrun $ARGS", "N=4\n\nrun --n $N");
    row("before a command", "A=--x run $A", "A=--x run $A");
    row("the later one", "A=\"--a 1\"\nA=\"--a 2\"\nrun $A", "\n\nrun --a 2");
    row("open at the end", "A=\"--a 1\nrun $A", "A=\"--a 1\nrun $A");
}

void TstConfigScripts::variablesStandWhereTheyAreUsed()
{
    QFETCH(std::string, script);
    QFETCH(std::string, plain);
    QCOMPARE(withShellVariables(script), plain);
}

void TstConfigScripts::aScriptOfMegatronIsRead()
{
    const RunConfig config = configOf("#!/bin/bash\nGPUS=8\nNODES=${NODES:-2}\n"
                                      "WORLD=(--nproc_per_node $GPUS --nnodes $NODES)\n"
                                      "TRAIN=\"--micro-batch-size 2 \\\n  --global-batch-size 256 "
                                      "--bf16 --use-distributed-optimizer\"\n"
                                      "torchrun ${WORLD[@]} pretrain_gpt.py \\\n  $TRAIN "
                                      "--tensor-model-parallel-size 2\n");
    QCOMPARE(config.ranks.value(), 8); // 16 GPUs, 2 for each copy of the model
    QCOMPARE(config.micro_batch.value(), 2);
    QCOMPARE(config.accumulation.value(), 16); // 256 / (2 · 8)
    QCOMPARE(config.precision, std::string("bf16"));
    QCOMPARE(config.zero_stage.value(), 1);
}

void TstConfigScripts::variablesOfVariablesDoNotGrow()
{
    std::string script = "A0=\"--x 1 --x 1 --x 1 --x 1\"\n";
    for (int i = 1; i < 40; ++i) {
        const std::string last = "$A" + std::to_string(i - 1);
        script += "A" + std::to_string(i) + "=\"";
        for (int k = 0; k < 10; ++k) {
            script += last + ' ';
        }
        script += "\"\n";
    }
    QVERIFY(withShellVariables(script + "run $A39").size() <= kMostConfigBytes);
}

void TstConfigScripts::theWholeBatchTellsHowOftenMegatronAccumulates()
{
    const std::string line = "python megatron_gpt.py trainer.devices=4 model.micro_batch_size=6 "
                             "trainer.accumulate_grad_batches=";
    QCOMPARE(configOf(line + "1 model.global_batch_size=192").accumulation.value(), 8);
    QCOMPARE(configOf(line + "2 model.global_batch_size=192").accumulation.value(), 2);
    QCOMPARE(configOf(line + "1 model.global_batch_size=100").accumulation.value(), 1);
    QCOMPARE(configOf(line + "1").accumulation.value(), 1);
}

void TstConfigScripts::callsInAPythonFileAreRead()
{
    const RunConfig config =
        configOf("from transformers import TrainingArguments\n"
                 "quantized = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=\"nf4\")\n"
                 "arguments = TrainingArguments(\n    output_dir=\"./out\",  # where\n"
                 "    # on each GPU\n    per_device_train_batch_size = 4,\n"
                 "    gradient_accumulation_steps=2,  # of these, or more\n"
                 "    optim=\"paged_adamw_8bit\"  # last\n)\n"
                 "trainer = SFTTrainer(model=model, args=arguments, max_seq_length=512)\n"
                 "print(fold(batch_size=99))\n");
    QCOMPARE(config.form, std::string("trainer arguments"));
    QCOMPARE(config.micro_batch.value(), 4);
    QCOMPARE(config.accumulation.value(), 2);
    QCOMPARE(config.sequence.value(), 512);
    QVERIFY(!config.whatHasOn("qlora").empty());
    QVERIFY(!config.whatHasOn("optimizer-paged-8bit").empty());
    QCOMPARE(configOf("peft = LoraConfig(r=8, lora_alpha=16)\n").whatHasOn("lora"),
             std::string_view("loraconfig.r=8"));
}

void TstConfigScripts::sectionsAreRead()
{
    const RunConfig config = configOf("# of torchtitan\n[job]\ndump_folder = \"./out\"  # here\n"
                                      "tags = [\n  \"a=b\",\n]\n\n[training]\n"
                                      "local_batch_size = 8 # sequences\nseq_len=8192\n\n"
                                      "[activation_checkpoint]\nmode = \"selective\"\n");
    QCOMPARE(config.form, std::string("sections"));
    QCOMPARE(config.micro_batch.value(), 8);
    QCOMPARE(config.sequence.value(), 8192);
    QCOMPARE(config.whatHasOn("checkpointing-selective"),
             std::string_view("activation_checkpoint.mode=selective"));
    QVERIFY(config.whatHasOn("checkpointing-full").empty());
    // Without a section it is something else.
    QCOMPARE(configOf("training.local_batch_size=8").form, std::string("overrides"));
}

void TstConfigScripts::aConfigurationsNameTellsItsStage_data()
{
    QTest::addColumn<std::string>("name");
    QTest::addColumn<int>("stage");
    QTest::addColumn<bool>("offloads");
    QTest::newRow("zero2") << std::string("zero2") << 2 << false;
    QTest::newRow("path") << std::string("a/zero1/ds_z3_config.json") << 3 << false;
    QTest::newRow("offload") << std::string("zero3_offload") << 3 << true;
    QTest::newRow("stage") << std::string("ds-stage_1.json") << 1 << false;
    QTest::newRow("nothing") << std::string("ds_config.json") << 0 << false;
}

void TstConfigScripts::aConfigurationsNameTellsItsStage()
{
    QFETCH(std::string, name);
    QFETCH(int, stage);
    QFETCH(bool, offloads);
    const RunConfig config = configOf("swift sft --bf16 true --deepspeed " + name);
    QCOMPARE(config.zero_stage.value_or(0), stage);
    QCOMPARE(!config.whatHasOn("offload-parameters").empty(), offloads);
}

void TstConfigScripts::theStageThatIsWrittenComesBeforeAName()
{
    const std::array<std::string, 2> texts{"deepspeed train.py --deepspeed ds_zero3.json --bf16",
                                           R"({"zero_optimization": {"stage": 2}})"};
    QCOMPARE(readRunConfigs(texts).value().zero_stage.value(), 2);
}

void TstConfigScripts::plainAssignmentsOfAPythonFileAreRead()
{
    const RunConfig config = configOf("# config/config.py\n"
                                      "MAX_SEQ_LENGTH = 1536  # down from 2048\n"
                                      "RUNS = MAX_SEQ_LENGTH * 2\n"
                                      "TRAINING_CONFIG = {\n"
                                      "    \"per_device_train_batch_size\": 1,  # down\n"
                                      "    'gradient_accumulation_steps': 16,\n"
                                      "    \"gradient_checkpointing\": True,\n"
                                      "    \"optim\": \"paged_adamw_8bit\",\n"
                                      "    \"learning_rate\": base_rate * 2,\n"
                                      "}\n");
    QCOMPARE(config.form, std::string("Python assignments"));
    QCOMPARE(config.sequence, std::optional(1536));
    QCOMPARE(config.micro_batch, std::optional(1));
    QCOMPARE(config.accumulation, std::optional(16));
    QVERIFY(!config.whatHasOn("checkpointing-full").empty());
    QVERIFY(!config.whatHasOn("optimizer-paged-8bit").empty());
    // What would have to be worked out is not read.
    QVERIFY(config.unread.empty());
    const RunConfig plain = configOf("batch_size = 24\nmax_seq_len = 2048\nuse_zero1 = True\n"
                                     "gradient_checkpointing = False\ndtype = \"bfloat16\"\n");
    QCOMPARE(plain.micro_batch, std::optional(24));
    QCOMPARE(plain.zero_stage, std::optional(1));
    QVERIFY(plain.whatHasOn("checkpointing-full").empty());
    QVERIFY(!readRunConfig("x = y\nprint(x)\n").has_value());
}

void TstConfigScripts::batchesOfVerlCountPrompts()
{
    const RunConfig config = configOf("actor_rollout_ref:\n"
                                      "  actor:\n"
                                      "    strategy: fsdp\n"
                                      "    ppo_mini_batch_size: 64\n"
                                      "    ppo_micro_batch_size_per_gpu: 4\n"
                                      "  rollout:\n"
                                      "    name: vllm\n"
                                      "    gpu_memory_utilization: 0.6\n"
                                      "    n: 5\n"
                                      "data:\n"
                                      "  max_prompt_length: 1024\n"
                                      "  max_response_length: 8192\n"
                                      "trainer:\n"
                                      "  n_gpus_per_node: 8\n");
    QCOMPARE(config.sequence, std::optional(9216));
    QCOMPARE(config.global_batch, std::optional(320));
    QCOMPARE(config.accumulation, std::optional(10)); // 320 answers: 4 at a time on 8 GPUs
    QVERIFY(config.unread.empty());
}

void TstConfigScripts::theFrameworkIsThatOfItsSettings_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("framework");
    const auto row = [](const char* framework, const char* text) {
        QTest::newRow(text) << std::string(text) << std::string(framework);
    };
    row("DeepSpeed", R"({"zero_optimization": {"stage": 3}})");
    row("veRL", "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4");
    row("HF Trainer", "TrainingArguments(per_device_train_batch_size=4)");
    row("HF Trainer", "python t.py --per_device_train_batch_size 4 --deepspeed ds_zero3.json");
    row("Lightning", "Trainer(accumulate_grad_batches=4)");
    row("Megatron", "python pretrain.py --tensor-model-parallel-size 2 --micro-batch-size 1");
    row("vLLM", "vllm serve m --gpu-memory-utilization 0.9 --max-model-len 4096");
    row("", "python train.py --batch-size 4");
}

void TstConfigScripts::theFrameworkIsThatOfItsSettings()
{
    QFETCH(std::string, text);
    QFETCH(std::string, framework);
    QCOMPARE(std::string(frameworkOf(configOf(text))), framework);
}

void TstConfigScripts::whatDoesNotGoTogetherIsNamed()
{
    const auto warningsOf = [](std::string_view text) { return warningsOn(configOf(text)); };
    const auto both =
        warningsOf("export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True,max_split_size_mb:512\n"
                   "python t.py --batch-size 2\n");
    QCOMPARE(both.size(), 1UL);
    QVERIFY(both.front().find("max_split_size_mb") != std::string::npos);
    QVERIFY(warningsOf("PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512 python t.py --batch-size 2")
                .empty());
    QCOMPARE(warningsOf("python t.py --batch-size 2 --debug underflow_overflow").size(), 1UL);
    QCOMPARE(warningsOf("Trainer(batch_size=2, detect_anomaly=True)").size(), 1UL);
    QVERIFY(warningsOf("Trainer(batch_size=2, detect_anomaly=False)").empty());
}

TIDEMARK_TEST(TstConfigScripts)

} // namespace tidemark::tst_config_scripts

#include "tst_config_scripts.moc"
