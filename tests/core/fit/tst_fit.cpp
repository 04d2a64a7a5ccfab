// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/diagnose/predict/change.h"
#include "core/diagnose/what_if.h"
#include "core/fit/fit.h"
#include "core/pipeline/pipeline.h"
#include "core/shapes/read_model.h"
#include "core/walk/planned_trace.h"
#include "core/walk/training.h"
#include "tests/core/walk/small_models.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QtTest/QTest>

#include <cmath>
#include <fstream>
#include <string>

namespace tidemark::tst_fit {

namespace {

diagnose::Analysis opened(const std::filesystem::path& file)
{
    pipeline::Options options;
    options.last = pipeline::Stage::programs;
    NoProgress progress;
    return pipeline::analyze(file, options, progress, {}).value();
}

fit::Fit fitted(const diagnose::Analysis& analysis, const std::stop_token& stop = {})
{
    const std::size_t device = analysis.mainDevice();
    return fit::fitTo({*analysis.snapshot, analysis.replay->devices[device],
                       analysis.labels->devices[device], analysis.program(device)},
                      stop);
}

/// A run as its walk plans it, analyzed as a recording.
diagnose::Analysis planned(const walk::ModelShape& model, const walk::RunShape& run)
{
    const walk::Timeline timeline = walk::planRun(model, run).timeline;
    walk::PlannedTrace trace = walk::recordedTraceOf(timeline, model, run).value();
    pipeline::MadeRun made;
    made.name = "planned";
    made.snapshot = std::move(trace.snapshot);
    made.labels = [&](const replay::Replay& replay) { return labelsOf(timeline, trace, replay); };
    pipeline::Options options;
    NoProgress progress;
    return pipeline::analyzeMade(std::move(made), options, progress, {}).value();
}

walk::RunShape ownLoop()
{
    walk::RunShape run = test::onCpu(2, 256);
    run.loop = walk::Loop::plain;
    run.attention = walk::Attention::eager; // Whose matrices tell batch from sequence.
    return run;
}

/// Of tests/data/modern.
std::filesystem::path modern(const std::string& name)
{
    return test::ownData() / "modern" / (name + ".pickle.xz");
}

nlohmann::json pairOf(const std::string& name)
{
    std::ifstream file(test::ownData() / "modern" / (name + ".pair.json"));
    return nlohmann::json::parse(file);
}

} // namespace

/// Recordings fitted by what they show alone, against what was run.
class TstFit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The walk of a small model, read as a recording of it, is fitted with itself.
    void plansAreFoundAgain_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<int>("optimizer");
        QTest::addColumn<int>("precision");
        const auto row = [](const char* name, const char* config, walk::Optimizer optimizer,
                            walk::Precision precision = walk::Precision::fp32) {
            QTest::newRow(name) << QString::fromLatin1(config).replace(QLatin1Char('\''),
                                                                       QLatin1Char('"'))
                                << static_cast<int>(optimizer) << static_cast<int>(precision);
        };
        using walk::Optimizer;
        row("llama",
            "{'model_type':'llama','vocab_size':20000,'hidden_size':192,'num_hidden_layers':3,"
            "'num_attention_heads':6,'num_key_value_heads':2,'head_dim':40,"
            "'intermediate_size':520}",
            Optimizer::adamw);
        // 32 buckets of five heads are as large as a norm.
        row("t5 whose tables are as large as norms",
            "{'model_type':'t5','vocab_size':3000,'d_model':160,'d_kv':32,'d_ff':480,"
            "'num_layers':3,'num_heads':5,'feed_forward_proj':'gated-gelu','dropout_rate':0.1}",
            Optimizer::adamw_foreach);
        // Each size is one of a model half as wide, too.
        row("gemma2 in 16 bits",
            "{'model_type':'gemma2','vocab_size':3000,'hidden_size':256,'num_hidden_layers':4,"
            "'num_attention_heads':2,'num_key_value_heads':1,'head_dim':128,"
            "'intermediate_size':512}",
            Optimizer::adamw_foreach, walk::Precision::bf16);
    }
    void plansAreFoundAgain()
    {
        QFETCH(const QString, config);
        QFETCH(const int, optimizer);
        QFETCH(const int, precision);
        const walk::ModelShape model = shapes::readModelShape(config.toStdString()).value();
        walk::RunShape run = ownLoop();
        run.target = walk::Target::cuda;
        run.target_sequence = model.decoder ? run.sequence : 0;
        run.optimizer = static_cast<walk::Optimizer>(optimizer);
        run.precision = static_cast<walk::Precision>(precision);
        const fit::Fit fit = fitted(planned(model, run));
        QCOMPARE(QString::fromStdString(fit.refused), QString());
        QCOMPARE(fit.model.layers, model.layers);
        QCOMPARE(fit.model.hidden, model.hidden);
        QCOMPARE(fit.model.feed_forward, model.feed_forward);
        // A plan has no angles of rotary positions, which tell the heads from the samples.
        QCOMPARE(fit.run.batch * fit.run.sequence, run.batch * run.sequence);
        QVERIFY(fit.run.precision == run.precision);
        QVERIFY(fit.run.optimizer == run.optimizer);
        constexpr double kNear = 0.005;
        const double planned_share =
            static_cast<double>(fit.planned.value) / static_cast<double>(fit.recorded.value);
        QVERIFY2(std::abs(planned_share - 1) < kNear, qPrintable(QString::number(planned_share)));
    }

    /// First adapters that nobody places lie on PEFT's usual layers, on all linear ones at most.
    void unnamedAdaptersHaveARange()
    {
        const diagnose::Analysis analysis = planned(test::smallLlama(), ownLoop());
        const auto peakOf = [&](const char* change) {
            return diagnose::predict(analysis, analysis.mainDevice(),
                                     diagnose::parseChanges(change).value());
        };
        const diagnose::Prediction unnamed = peakOf("lora=16");
        QVERIFY(unnamed.by == diagnose::Engine::walk);
        QCOMPARE(unnamed.after_peak, peakOf("lora=16:q_proj,v_proj").after_peak);
        const Bytes most = peakOf("lora=16:all-linear").after_peak;
        QVERIFY(peakOf("lora=16:q_proj,v_proj").after_high < most);
        QVERIFY(unnamed.after_high >= most);
    }

    void recordingsAreFitted_data()
    {
        QTest::addColumn<QString>("pair");
        for (const char* const name :
             {"hf_llama__batch_8", "hf_llama__checkpointing", "hf_llama__seq_512", "hf_llama__sgd",
              "hf_llama__pure_bf16", "hf_llama_eager__sdpa", "hf_mixtral__batch_4",
              "hf_gpt2__seq_512"}) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }
    /// And what the fitted walk makes of a change is what the changed run took.
    void recordingsAreFitted()
    {
        QFETCH(const QString, pair);
        const nlohmann::json truth = pairOf(pair.toStdString());
        const diagnose::Analysis analysis = opened(modern(truth["base"]));
        const fit::Fit fit = fitted(analysis);
        QCOMPARE(QString::fromStdString(fit.refused), QString());
        const nlohmann::json& ran = truth["dimensions_after"]["config"];
        if (ran.contains("num_hidden_layers")) {
            QCOMPARE(fit.model.layers, ran["num_hidden_layers"].get<std::int64_t>());
            QCOMPARE(fit.model.heads, ran["num_attention_heads"].get<std::int64_t>());
            QCOMPARE(fit.model.key_heads, ran["num_key_value_heads"].get<std::int64_t>());
        }
        const diagnose::Prediction said =
            diagnose::predict(analysis, analysis.mainDevice(),
                              diagnose::parseChanges(truth["apply"].get<std::string>()).value());
        QVERIFY(said.by == diagnose::Engine::walk);
        const auto after = truth["peak_requested_after"].get<std::int64_t>();
        QVERIFY(said.after_low.value <= after && after <= said.after_high.value);
        const double error =
            static_cast<double>(said.after_peak.value) / static_cast<double>(after);
        QVERIFY2(std::abs(error - 1) < 0.02, qPrintable(QString::number(error)));
    }

    /// It walks through no model any more, and What if answers by the laws.
    void askedToStopItEndsSoon()
    {
        const diagnose::Analysis analysis = opened(modern("hf_llama"));
        std::stop_source stop;
        const diagnose::WhatIf what_if(analysis, analysis.mainDevice(), stop.get_token());
        stop.request_stop();
        const fit::Fit fit = fitted(analysis, stop.get_token());
        QVERIFY(!fit.isAccepted());
        QCOMPARE(fit.walks, 0);
        const auto changes = diagnose::parseChanges("micro-batch=0.5").value();
        QVERIFY(what_if.predict(changes).by == diagnose::Engine::laws);
    }

    /// Of a model with frames of transformers, fitted or not.
    void layersThatTheModelHasNotAreNamed()
    {
        const diagnose::Analysis analysis = opened(modern("hf_llama"));
        const auto objection = [&](std::string_view changes) {
            return QString::fromStdString(diagnose::objectionTo(
                analysis, analysis.mainDevice(), diagnose::parseChanges(changes).value()));
        };
        QCOMPARE(objection("micro-batch=2,lora=16"), QString());
        QCOMPARE(objection("lora=16:q_proj,self_attn.v_proj,micro-batch=2"), QString());
        QCOMPARE(objection("lora=16:all-linear"), QString());
        const QString has =
            QStringLiteral("it has q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj.");
        QCOMPARE(objection("lora=16:q_porj"),
                 QStringLiteral("The model has no linear layer “q_porj”; ") + has);
        QCOMPARE(objection("qlora=16:q_proj,micro-btach"),
                 QStringLiteral("The model has no linear layer “micro-btach”; ") + has);
    }

    void othersAreRefused_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* const name : {"compiled", "generate", "lightning_gpt",
                                       "oom_first_optimizer_step", "oom_longest_batch"}) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }
    /// Compiled graphs, inference, code of one's own, runs that died.
    void othersAreRefused()
    {
        QFETCH(const QString, name);
        QVERIFY(!fitted(opened(modern(name.toStdString()))).refused.empty());
    }
};

TIDEMARK_TEST(TstFit)

} // namespace tidemark::tst_fit

#include "tst_fit.moc"
