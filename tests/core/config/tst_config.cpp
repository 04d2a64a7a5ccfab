// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/config/run_config.h"
#include "core/config/settings.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <random>

namespace tidemark::tst_config {

using namespace tidemark::config;

namespace {

RunConfig configOf(std::string_view text)
{
    auto config = readRunConfig(text);
    if (!config.has_value()) {
        qFatal("%s", config.error().message.c_str());
    }
    return std::move(config).value();
}

std::string onIn(const RunConfig& config)
{
    std::vector<std::string> ids;
    for (const SwitchedOn& one : config.on) {
        ids.push_back(one.fix);
    }
    std::ranges::sort(ids);
    std::string text;
    for (const std::string& id : ids) {
        text += (text.empty() ? "" : " ") + id;
    }
    return text;
}

struct Expected {
    const char* name;
    const char* text;
    const char* form;
    int micro_batch; ///< 0: not said, as in all below.
    int accumulation;
    int ranks;
    int batch;
    int sequence;
    int zero; ///< −1: not said.
    const char* precision;
    const char* on;
};

const Expected kForms[]{
    {"DeepSpeed", R"({
        "train_batch_size": 64, "train_micro_batch_size_per_gpu": 4,
        "gradient_accumulation_steps": 2, "steps_per_print": 10,
        "bf16": {"enabled": true}, "fp16": {"enabled": false},
        "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
        "zero_optimization": {"stage": 2, "overlap_comm": true,
            "offload_optimizer": {"device": "cpu", "pin_memory": true},
            "offload_param": {"device": "none"}}})",
     "JSON", 4, 2, 8, 64, 0, 2, "bf16", "bf16 offload-optimizer zero-1 zero-2"},
    {"DeepSpeed whose batch does not divide",
     R"({"train_batch_size": 63, "train_micro_batch_size_per_gpu": 4,
        "gradient_accumulation_steps": 2})",
     "JSON", 4, 2, 0, 8, 0, -1, "", ""},
    {"FSDP2 that keeps its weights gathered",
     "fsdp: full_shard auto_wrap\nfsdp_config:\n  fsdp_version: 2\n  reshard_after_forward: "
     "false\n",
     "YAML", 0, 0, 0, 0, 0, 2, "", "zero-1 zero-2"},
    {"FSDP2 that gives them up",
     "fsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: true\nnum_processes: 4\n",
     "YAML", 0, 0, 4, 0, 0, 3, "", "zero-1 zero-2 zero-3"},
    {"FSDP of Lightning",
     "Trainer(strategy=\"fsdp\", sharding_strategy=\"SHARD_GRAD_OP\", devices=4)",
     "trainer arguments", 0, 0, 4, 0, 0, 2, "", "zero-1 zero-2"},
    {"DeepSpeed with auto",
     R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto",
        "zero_optimization": {"stage": 3}})",
     "JSON", 0, 0, 0, 0, 0, 3, "", "zero-1 zero-2 zero-3"},
    {"trainer arguments as Python prints them",
     "TrainingArguments(\n_n_gpu=1,\naccelerator_config={'split_batches': False, 'x': "
     "[1, 2]},\nbf16=True,\nfp16=False,\nfsdp=[],\ndeepspeed=None,\n"
     "gradient_accumulation_steps=16,\ngradient_checkpointing=True,\nmax_steps=-1,\n"
     "optim=OptimizerNames.ADAMW_BNB,\noutput_dir='out, (1)',\n"
     "per_device_eval_batch_size=8,\nper_device_train_batch_size=2,\n"
     "use_liger_kernel=False,\n)",
     "trainer arguments", 2, 16, 0, 32, 0, -1, "bf16",
     "bf16 checkpointing-full checkpointing-selective"},
    {"SFTConfig call",
     "SFTConfig(per_device_train_batch_size=4, max_length=4096, optim=\"paged_adamw_8bit\", "
     "activation_offloading=True, use_liger_kernel=True)",
     "trainer arguments", 4, 0, 0, 4, 4096, -1, "",
     "fused-loss offload-activations optimizer-8bit optimizer-paged-8bit"},
    {"trainer arguments in YAML",
     "### model\nmodel_name_or_path: meta/llama\n\nper_device_train_batch_size: 1\n"
     "gradient_accumulation_steps: 8\ncutoff_len: 2048\nfinetuning_type: lora\nlora_rank: 8\n"
     "bf16: true\nflash_attn: fa2\ndeepspeed: examples/ds_z3.json\n",
     "YAML", 1, 8, 0, 8, 2048, 3, "bf16", "attention-flash bf16 lora zero-1 zero-2 zero-3"},
    {"accelerate with FSDP",
     "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n"
     "  fsdp_activation_checkpointing: true\n  fsdp_offload_params: false\n"
     "  fsdp_sharding_strategy: FULL_SHARD\nmixed_precision: bf16\nnum_machines: 2\n"
     "num_processes: 16\n",
     "YAML", 0, 0, 16, 0, 0, 3, "bf16",
     "bf16 checkpointing-full checkpointing-selective zero-1 zero-2 zero-3"},
    {"accelerate with DeepSpeed",
     "deepspeed_config:\n  gradient_accumulation_steps: 4\n  offload_optimizer_device: none\n"
     "  zero_stage: 2\nmixed_precision: 'no'\nnum_processes: 4\n",
     "YAML", 0, 4, 4, 0, 0, 2, "", "zero-1 zero-2"},
    {"torchtune",
     "batch_size: 2\ngradient_accumulation_steps: 8\ndtype: bf16\n"
     "enable_activation_checkpointing: True\nenable_activation_offloading: False\n"
     "optimizer:\n  _component_: bitsandbytes.optim.PagedAdamW8bit\n  lr: 2e-5\n"
     "optimizer_in_bwd: True\nloss:\n  _component_: "
     "torchtune.modules.loss.CEWithChunkedOutputLoss\ntokenizer:\n  max_seq_len: null\n",
     "YAML", 2, 8, 0, 16, 0, -1, "bf16",
     "bf16 bf16-pure checkpointing-full checkpointing-selective fused-loss optimizer-8bit "
     "optimizer-in-backward optimizer-paged-8bit"},
    {"veRL overrides",
     "data.train_batch_size=1024 data.max_prompt_length=512 "
     "actor_rollout_ref.actor.ppo_mini_batch_size=256 "
     "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 "
     "actor_rollout_ref.model.enable_gradient_checkpointing=True "
     "actor_rollout_ref.rollout.tensor_model_parallel_size=2 "
     "+actor_rollout_ref.model.use_liger=True trainer.n_gpus_per_node=8 trainer.nnodes=2 "
     "actor_rollout_ref.actor.fsdp_config.optimizer_offload=True",
     "overrides", 4, 4, 16, 256, 0, -1, "",
     "checkpointing-full checkpointing-selective fused-loss offload-optimizer"},
    {"torchrun",
     "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True torchrun --standalone "
     "--nproc_per_node=8 --nnodes 2 train.py \\\n  --per_device_train_batch_size 4 "
     "--gradient-accumulation-steps 2 --bf16 --output_dir 'my out' --optim adamw_torch_fused",
     "launch line", 4, 2, 16, 128, 0, -1, "bf16", "bf16 expandable-segments fused-optimizer"},
    {"deepspeed launcher",
     "deepspeed --include localhost:0,1,2 train.py --deepspeed ds.json "
     "--per_device_train_batch_size 1",
     "launch line", 1, 0, 3, 3, 0, -1, "", ""},
    {"accelerate launch",
     "accelerate launch --num_processes 4 --mixed_precision fp16 train.py "
     "--use_peft --lora_r 16 --load_in_4bit true",
     "launch line", 0, 0, 4, 0, 0, -1, "fp16", "bf16 lora qlora"},
    {"Megatron",
     "torchrun --nproc-per-node 8 pretrain_gpt.py --tensor-model-parallel-size 2 "
     "--pipeline-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 32 "
     "--seq-length 4096 --bf16 --recompute-granularity selective --use-distributed-optimizer",
     "launch line", 1, 16, 2, 32, 4096, 1, "bf16", "bf16 checkpointing-selective zero-1"},
    {"vLLM",
     "vllm serve meta/llama --max-model-len 8192 --kv-cache-dtype fp8 --enforce-eager "
     "--tensor-parallel-size 2 --gpu-memory-utilization 0.9",
     "launch line", 0, 0, 0, 0, 8192, -1, "", "graph-eager kv-cache-fp8"},
    {"Lightning",
     "Trainer(devices=4, num_nodes=1, precision=\"bf16-mixed\", "
     "strategy=\"deepspeed_stage_2_offload\", accumulate_grad_batches=4)",
     "trainer arguments", 0, 4, 4, 0, 0, 2, "bf16", "bf16 offload-optimizer zero-1 zero-2"},
};

} // namespace

class TstConfig : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shardingInANodeOnlyIsSaid();
    void ofSeveralConfigurationsTheLaterOneHolds();
    void everyFormIsRead_data();
    void everyFormIsRead();
    void theSettingThatHasItOnIsNamed();
    void whatHasNoMeaningIsListed();
    void whatIsNoConfigurationIsRefused_data();
    void whatIsNoConfigurationIsRefused();
    void anAliasCannotMakeItGrow();
    void deepNestingIsCutOff();
    void garbageDoesNoHarm();
};

void TstConfig::shardingInANodeOnlyIsSaid()
{
    const RunConfig hybrid = configOf("fsdp_config:\n  fsdp_sharding_strategy: HYBRID_SHARD\n");
    QCOMPARE(hybrid.zero_stage.value(), 3);
    QVERIFY(hybrid.sharding_words.find("copy per node") != std::string::npos);
    const RunConfig second =
        configOf("fsdp_config:\n  fsdp_sharding_strategy: _HYBRID_SHARD_ZERO2\n");
    QCOMPARE(second.zero_stage.value(), 2);
    QVERIFY(!second.sharding_words.empty());
    QVERIFY(
        configOf("fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n").sharding_words.empty());
}

void TstConfig::ofSeveralConfigurationsTheLaterOneHolds()
{
    const std::vector<std::string> texts{
        R"({"train_micro_batch_size_per_gpu": 8, "zero_optimization": {"stage": 3}})",
        "torchrun --nproc_per_node=4 train.py --per_device_train_batch_size 2 "
        "--gradient_checkpointing true",
        "gradient_checkpointing: false\nzero_optimization:\n  stage: 1\n"};
    const Result<RunConfig> both = readRunConfigs(texts);
    QVERIFY(both.has_value());
    const RunConfig& config = both.value();
    QCOMPARE(config.form, std::string("JSON + launch line + YAML"));
    QCOMPARE(config.micro_batch.value(), 2);
    QCOMPARE(config.ranks.value(), 4);
    QCOMPARE(config.zero_stage.value(), 1);
    QCOMPARE(onIn(config), std::string("zero-1"));
    QVERIFY(!readRunConfigs(std::vector<std::string>{texts[0], "{"}).has_value());
}

void TstConfig::everyFormIsRead_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < std::size(kForms); ++i) {
        QTest::newRow(kForms[i].name) << static_cast<int>(i);
    }
}

void TstConfig::everyFormIsRead()
{
    QFETCH(int, index);
    const Expected& e = kForms[index];
    const RunConfig config = configOf(e.text);
    QCOMPARE(config.form, std::string(e.form));
    QCOMPARE(config.micro_batch.value_or(0), e.micro_batch);
    QCOMPARE(config.accumulation.value_or(0), e.accumulation);
    QCOMPARE(config.ranks.value_or(0), e.ranks);
    QCOMPARE(config.effectiveBatch().value_or(0), e.batch);
    QCOMPARE(config.sequence.value_or(0), e.sequence);
    QCOMPARE(config.zero_stage.value_or(-1), e.zero);
    QCOMPARE(config.precision, std::string(e.precision));
    QCOMPARE(onIn(config), std::string(e.on));
}

void TstConfig::theSettingThatHasItOnIsNamed()
{
    const RunConfig config = configOf("--gradient-checkpointing --fsdp \"shard_grad_op offload\"");
    QCOMPARE(config.whatHasOn("checkpointing-full"),
             std::string_view("gradient_checkpointing=true"));
    QCOMPARE(config.whatHasOn("zero-2"), std::string_view("fsdp=shard_grad_op offload"));
    QCOMPARE(config.whatHasOn("zero-3"), std::string_view());
    QCOMPARE(configOf("gradient_checkpointing: false\nbf16: no").on.size(), std::size_t{0});
}

void TstConfig::whatHasNoMeaningIsListed()
{
    const RunConfig config = configOf("{\"bf16\": true, \"wall_clock_breakdown\": false, "
                                      "\"scheduler\": {\"type\": \"WarmupLR\"}}");
    QCOMPARE(config.unread, (std::vector<std::string>{"wall_clock_breakdown", "scheduler.type"}));
    QCOMPARE(config.read.size(), std::size_t{1});
}

void TstConfig::whatIsNoConfigurationIsRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("nothing") << QByteArray(" \n");
    QTest::newRow("prose") << QByteArray("it ran out of memory again");
    QTest::newRow("broken JSON") << QByteArray("{\"bf16\": true");
    QTest::newRow("broken YAML") << QByteArray("bf16: [true\nfp16: }");
    QTest::newRow("unknown names") << QByteArray("colour: red\n");
    QTest::newRow("zeros") << QByteArray("a=b\0c=d", 7);
    QTest::newRow("too large") << QByteArray("a=b ").repeated(1 << 17);
}

void TstConfig::whatIsNoConfigurationIsRefused()
{
    QFETCH(QByteArray, text);
    const auto config = readRunConfig(text.toStdString());
    QVERIFY(!config.has_value());
    const std::string& sentence = config.error().message;
    QVERIFY2(sentence.ends_with('.') && sentence.size() > 20, sentence.c_str());
}

void TstConfig::anAliasCannotMakeItGrow()
{
    std::string bomb = "a0: &a0 {bf16: true}\n";
    for (int i = 1; i < 20; ++i) {
        const std::string last = std::to_string(i - 1);
        const std::string now = std::to_string(i);
        bomb += 'a' + now + ": &a" + now + " {x: *a" + last + ", y: *a" + last + ", z: *a" + last
            + "}\n";
    }
    const auto settings = readSettings(bomb);
    QVERIFY(settings.has_value());
    QVERIFY(settings.value().all.size() <= kMostSettings);
}

void TstConfig::deepNestingIsCutOff()
{
    for (const auto& [open, close] :
         {std::pair<std::string, std::string>{"{\"a\":", "}"}, {"[", "]"}, {"{a: ", "}"}}) {
        std::string text = open[0] == '{' && open[1] == '"' ? "" : "k: ";
        for (int i = 0; i < 20000; ++i) {
            text += open;
        }
        text += '1';
        for (int i = 0; i < 20000; ++i) {
            text += close;
        }
        QVERIFY(!readRunConfig(text).has_value());
    }
    for (const std::string& begin : {std::string("{\"a\": "), std::string("a: ")}) {
        for (const char open : {'[', '{'}) {
            QVERIFY(!readRunConfig(begin + std::string(200'000, open)).has_value());
        }
        QVERIFY(!readRunConfig(begin + std::string(120'000, '[') + std::string(120'000, ']'))
                     .has_value());
        QVERIFY(!readRunConfig(begin + std::string(120'000, '[') + std::string(120'000, ']') + '}')
                     .has_value());
    }
}

void TstConfig::garbageDoesNoHarm()
{
    std::mt19937 random(7); // the same every time
    const std::string marks = "{}[](),:=\"'\\-+#&*!|>%@ \n\tab1.";
    int read = 0;
    for (const Expected& form : kForms) {
        for (int round = 0; round < 200; ++round) {
            std::string text = form.text;
            for (int changes = 0; changes < 4; ++changes) {
                text[random() % text.size()] = marks[random() % marks.size()];
            }
            text = text.substr(0, text.size() - random() % (text.size() / 2));
            const auto config = readRunConfig(text);
            read += config.has_value() ? 1 : 0;
            if (config.has_value()) {
                QVERIFY(config.value().micro_batch.value_or(1) > 0);
                QVERIFY(config.value().ranks.value_or(1) > 0);
            }
        }
    }
    QVERIFY(read > 100);
}

TIDEMARK_TEST(TstConfig)

} // namespace tidemark::tst_config

#include "tst_config.moc"
