// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/diagnose/predict/change.h"
#include "core/pipeline/pipeline.h"
#include "core/shapes/read_model.h"
#include "core/walk/planned_trace.h"
#include "core/walk/training.h"
#include "tests/core/walk/small_models.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

Q_DECLARE_METATYPE(std::function<void(tidemark::walk::RunShape&)>)

namespace tidemark::tst_laws_beside_plans {

using namespace tidemark::walk;

namespace {

ModelShape model()
{
    ModelShape made = test::smallLlama();
    made.vocabulary = 20'000;
    made.drops_attention = true;
    return made;
}

RunShape narrowRun()
{
    RunShape run = test::onCpu(4, 256);
    run.target = Target::cuda;
    run.precision = Precision::bf16;
    return run;
}

std::int64_t peakOfPlan(const RunShape& run, const ModelShape& shape = model())
{
    return peakOf(planRun(shape, run).timeline).bytes.value;
}

/// What is predicted of a change to a planned run that is read like a recording.
diagnose::Prediction predicted(const RunShape& run, const std::string& words,
                               const ModelShape& shape = model())
{
    const Timeline timeline = planRun(shape, run).timeline;
    PlannedTrace trace = recordedTraceOf(timeline, shape, run).value();
    pipeline::MadeRun made;
    made.name = "planned";
    made.snapshot = std::move(trace.snapshot);
    made.labels = [&](const replay::Replay& replay) { return labelsOf(timeline, trace, replay); };
    pipeline::Options options;
    options.last = pipeline::Stage::programs;
    NoProgress progress;
    const diagnose::Analysis analysis =
        pipeline::analyzeMade(std::move(made), options, progress, {}).value();
    return diagnose::predict(analysis, 0, diagnose::parseChanges(words).value(),
                             diagnose::Engine::laws);
}

} // namespace

/// A planned run changed by a law, beside the plan of the changed run.
class TstLawsBesidePlans : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bothAgree_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<std::function<void(RunShape&)>>("change");
        using Change = std::function<void(RunShape&)>;
        const auto row = [](const char* words, const Change& change) {
            QTest::addRow("%s", words) << QString::fromLatin1(words) << change;
        };
        row("micro-batch=2", [](RunShape& run) { run.batch *= 2; });
        // Of gradients that a step without requests leaves to the end of backward.
        row("accumulation=4", [](RunShape& run) { run.accumulation = 4; });
        row("sequence=2", [](RunShape& run) { run.sequence *= 2; });
        row("checkpointing=full", [](RunShape& run) { run.checkpoints = true; });
        row("optimizer=sgd", [](RunShape& run) { run.optimizer = Optimizer::sgd; });
        // One parameter after the other, in place of lists.
        row("optimizer=adafactor", [](RunShape& run) { run.optimizer = Optimizer::adafactor; });
        // What a dropout left of a matrix goes with it.
        row("attention=flash", [](RunShape& run) { run.attention = Attention::sdpa; });
        // The gradient of the logits is as narrow as the head made them.
        row("fused-loss=on", [](RunShape& run) { run.fuses_loss = true; });
        // Adapters in 32 bits read copies of what layers in 16 bits read, quantized or not.
        const std::vector<std::string> targets{"q_proj", "k_proj", "v_proj", "gate_proj",
                                               "up_proj"};
        row("lora=16", [targets](RunShape& run) { run.lora = Lora{16, targets}; });
        row("qlora=16", [targets](RunShape& run) {
            run.lora = Lora{16, targets};
            run.quantization = Quantization::nf4;
        });
    }
    void bothAgree()
    {
        QFETCH(QString, words);
        QFETCH(std::function<void(RunShape&)>, change);
        const std::string name = words.toStdString();
        RunShape recorded = narrowRun();
        recorded.attention = name == "attention=flash" ? Attention::eager : Attention::sdpa;
        if (name == "accumulation=4" || name == "optimizer=adafactor") {
            recorded.batch = 1;
            recorded.sequence = 64; // Else it is activations that count.
        }
        if (name == "optimizer=adafactor") {
            recorded.precision = Precision::fp32;
            recorded.optimizer = Optimizer::adamw_foreach;
        }
        RunShape changed = recorded;
        change(changed);
        const auto planned = static_cast<double>(peakOfPlan(changed));
        const diagnose::Prediction found = predicted(recorded, name);
        QCOMPARE(found.before_peak.value, peakOfPlan(recorded));
        const auto of = [planned](Bytes bytes) {
            return static_cast<double>(bytes.value) / planned;
        };
        const QByteArray figures = QByteArray::number(of(found.after_low)) + " to "
            + QByteArray::number(of(found.after_high)) + ", "
            + QByteArray::number(of(found.after_peak));
        QVERIFY2(of(found.after_low) < 1.01 && of(found.after_high) > 0.99, figures);
        QVERIFY2(of(found.after_peak) > 0.8 && of(found.after_peak) < 1.2, figures);
    }
    void otherModelsAgreeToo_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("words");
        QTest::addColumn<std::function<void(RunShape&)>>("change");
        const auto row = [](const char* config, const char* words,
                            const std::function<void(RunShape&)>& change) {
            QTest::addRow("%s of %s", words, config)
                << QString::fromLatin1(config) << QString::fromLatin1(words) << change;
        };
        const auto shard = [](int stage) {
            return [stage](RunShape& run) {
                run.zero = stage;
                run.gpus = 4;
            };
        };
        // Large tables are gathered as what is in no layer, and their gradients one after the
        // other.
        const char* const of_tables = "'model_type':'gemma','vocab_size':100000";
        row(of_tables, "zero=2,gpus=4", shard(2));
        row(of_tables, "zero=3,gpus=4", shard(3));
        // The head and its logits are no part of the last block.
        row("'model_type':'bart','vocab_size':20000", "checkpointing=full",
            [](RunShape& run) { run.checkpoints = true; });
        // 6 heads of 128 tokens are as wide as the feed-forward: frames tell the matrices.
        row("'model_type':'bert','vocab_size':20000,'intermediate_size':768", "attention=flash",
            [](RunShape& run) { run.attention = Attention::sdpa; });
        // All of its weights get gradients, so none is an adapter, whatever its sizes are.
        row("'model_type':'gemma3_text','vocab_size':20000,'head_dim':64", "lora=16",
            [](RunShape& run) {
                run.lora = Lora{16, {"q_proj", "v_proj"}};
            });
        // bitsandbytes looks for linear layers; those of experts are parameters.
        row("'model_type':'mixtral','vocab_size':20000,'num_local_experts':8,"
            "'num_experts_per_tok':2",
            "qlora=16", [](RunShape& run) {
                run.lora = Lora{16, {"q_proj", "v_proj"}};
                run.quantization = Quantization::nf4;
            });
    }
    void otherModelsAgreeToo()
    {
        QFETCH(const QString, config);
        QFETCH(const QString, words);
        QFETCH(const std::function<void(RunShape&)>, change);
        std::string json = "{'hidden_size':192,'intermediate_size':640,'num_hidden_layers':6,"
                           "'num_attention_heads':6,'num_key_value_heads':2,"
                           "'max_position_embeddings':512,"
                           "'d_model':192,'encoder_layers':6,'decoder_layers':6,"
                           "'encoder_attention_heads':6,'decoder_attention_heads':6,"
                           "'encoder_ffn_dim':640,'decoder_ffn_dim':640,"
            + config.toStdString() + "}";
        std::ranges::replace(json, '\'', '"');
        const ModelShape shape = shapes::readModelShape(json).value();
        RunShape run = test::onCpu(8, 128);
        run.target = Target::cuda;
        run.attention = Attention::eager;
        run.optimizer = Optimizer::adamw_foreach;
        RunShape changed = run;
        change(changed);
        const auto planned = static_cast<double>(peakOfPlan(changed, shape));
        const diagnose::Prediction found = predicted(run, words.toStdString(), shape);
        const double off = static_cast<double>(found.after_peak.value) / planned - 1;
        QVERIFY2(std::abs(off) < 0.05, QByteArray::number(off));
    }
    void aFusedLossIsCutAsLigerCutsIt()
    {
        // 20,000 words of a hidden size of 192: parts of 64 of the 4,096 rows.
        RunShape recorded = narrowRun();
        recorded.batch = 16;
        RunShape changed = recorded;
        changed.fuses_loss = true;
        const auto planned = static_cast<double>(peakOfPlan(changed));
        const diagnose::Prediction found = predicted(recorded, "fused-loss=on");
        const double off = static_cast<double>(found.after_peak.value) / planned - 1;
        QVERIFY2(std::abs(off) < 0.05, QByteArray::number(off));
    }
};

TIDEMARK_TEST(TstLawsBesidePlans)

} // namespace tidemark::tst_laws_beside_plans

#include "tst_laws_beside_plans.moc"
