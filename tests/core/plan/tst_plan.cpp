// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/diagnose/moment.h"
#include "core/plan/plan.h"
#include "core/plan/remedies.h"
#include "core/plan/request.h"
#include "core/shapes/read_model.h"
#include "tests/core/walk/small_models.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_plan {

using namespace tidemark::plan;
using namespace tidemark::walk;

namespace {

Question questionOf(std::int64_t batch = 8, std::int64_t sequence = 256)
{
    Question question;
    question.model = test::smallLlama(6);
    question.run = test::onCpu(batch, sequence);
    return question;
}

const diagnose::Fix* fixNamed(const Plan& plan, std::string_view id)
{
    const auto found = std::ranges::find(plan.fixes, id, &diagnose::Fix::id);
    return found == plan.fixes.end() ? nullptr : &*found;
}

bool fits(Question question, std::int64_t batch, std::int64_t sequence)
{
    question.run.batch = batch;
    question.run.sequence = sequence;
    return estimate(question, question.run).fits == true;
}

/// The bytes that a plan of two samples of 24 tokens, and 10 targets each, says to be cached.
std::string cacheSentence(std::string_view config)
{
    Question question;
    question.model = shapes::readModelShape(config).value();
    question.run = test::onCpu(2, 24);
    question.run.target_sequence = 10;
    question.run.mode = Mode::inference;
    const Plan plan = makePlan(question).value();
    for (const std::string& sentence : plan.assumptions) {
        if (const std::size_t at = sentence.find("(use_cache), "); at != std::string::npos) {
            const std::size_t from = at + std::string_view("(use_cache), ").size();
            return sentence.substr(from, sentence.find(',', from) - from);
        }
    }
    return {};
}

} // namespace

class TstPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theRangeHoldsThePeak()
    {
        const Plan plan = makePlan(questionOf()).value();
        QVERIFY(plan.estimate.peak.low < plan.estimate.peak.expected);
        QVERIFY(plan.estimate.peak.expected < plan.estimate.peak.high);
        QVERIFY(!plan.estimate.fits);
        QVERIFY(!plan.answer);
        QCOMPARE(plan.estimate.context.high.value, 0); // No CUDA on the CPU.
    }
    void aConfigurationsMomentumIsKept()
    {
        Request request;
        request.model = test::smallLlama();
        request.config.emplace().optimizer = "sgd";
        QVERIFY(tidemark::plan::questionOf(request).value().run.optimizer == Optimizer::sgd);
        request.config->momentum = 0.9;
        const Question question = tidemark::plan::questionOf(request).value();
        QVERIFY(question.run.optimizer == Optimizer::sgd_momentum);
        // Nothing of Adam's is left to replace.
        const Plan plan = makePlan(question).value();
        QVERIFY(fixNamed(plan, "optimizer-sgd") == nullptr);
        QVERIFY(fixNamed(plan, "optimizer-adafactor") == nullptr);
        QVERIFY(fixNamed(plan, "offload-optimizer") != nullptr);
    }
    void anAssumedOptimizerWidensTheRange()
    {
        Question question = questionOf(1, 16);
        const EstimateRange said = makePlan(question).value().estimate.peak;
        question.optimizer_is_assumed = true;
        const EstimateRange assumed = makePlan(question).value().estimate.peak;
        QCOMPARE(assumed.expected, said.expected);
        QVERIFY(assumed.high > said.high);
    }
    void theUpperEndOfZero3HasAnotherLayer()
    {
        Question question = questionOf(1, 16);
        question.run.gpus = 2;
        question.run.zero = 3;
        const Estimate made = estimate(question, question.run);
        const Bytes layer = made.budget.gathered_layer;
        QVERIFY(layer.value > 0 && made.peak.high >= made.peak.expected + layer);
        question.run.zero = 2;
        QCOMPARE(estimate(question, question.run).budget.gathered_layer.value, 0);
    }
    void fitsOnlyWhereTheWholeRangeAgrees()
    {
        Question question = questionOf();
        const EstimateRange need = makePlan(question).value().estimate.need();
        question.capacity = Bytes{need.high.value * 2};
        QCOMPARE(makePlan(question).value().estimate.fits, std::optional(true));
        question.capacity = Bytes{need.low.value - 1};
        QCOMPARE(makePlan(question).value().estimate.fits, std::optional(false));
        question.capacity = need.expected;
        QVERIFY(!makePlan(question).value().estimate.fits);
    }
    void whatPyTorchMayReserveIsWithoutTheContext()
    {
        Question question = questionOf();
        question.run.target = Target::cuda;
        const Estimate whole = estimate(question, question.run);
        question.capacity = Bytes{whole.need().low.value - 1};
        QCOMPARE(estimate(question, question.run).fits, std::optional(false));
        question.counts_context = false;
        const Estimate part = estimate(question, question.run);
        QCOMPARE(part.context.high, Bytes{});
        QCOMPARE(part.need().high + whole.context.high, whole.need().high);
        QVERIFY(part.fits != std::optional(false)); // The context takes nothing of it.
    }
    void everyRemedyIsThePlanOfTheChangedRun()
    {
        Question question = questionOf();
        const Plan plan = makePlan(question).value();
        const diagnose::Fix* const checkpointing = fixNamed(plan, "checkpointing-full");
        QVERIFY(checkpointing != nullptr);
        question.run.checkpoints = true;
        const Estimate changed = estimate(question, question.run);
        QCOMPARE(checkpointing->new_peak, changed.peak.expected);
        QCOMPARE(checkpointing->saves, plan.estimate.budget.peak.bytes - changed.budget.peak.bytes);
        QVERIFY(fixNamed(makePlan(question).value(), "checkpointing-full") == nullptr);
    }
    void whatOwnCodeLeavesOpenIsInTheRange()
    {
        Question question = questionOf();
        question.run.attention = Attention::own;
        question.run.own = {true, true, true};
        const EstimateRange peak = makePlan(question).value().estimate.peak;
        RunShape twice = question.run;
        twice.unsaid.repeats_exponentials = true;
        RunShape lean = question.run;
        lean.own = {true, false, false};
        QVERIFY(budgetOf(question.model, twice).peak.bytes <= peak.high);
        QVERIFY(budgetOf(question.model, lean).peak.bytes >= peak.low);
        QVERIFY(budgetOf(question.model, twice).peak.bytes > peak.expected);
        // Weights that are frozen keep no cast in inference.
        question.run = {};
        question.run.sequence = 64;
        question.run.mode = Mode::inference;
        question.run.precision = Precision::autocast_bf16;
        const Estimate wide = makePlan(question).value().estimate;
        RunShape frozen = question.run;
        frozen.unsaid.freezes_weights = true;
        const Bytes without = budgetOf(question.model, frozen).peak.bytes;
        QVERIFY(without < wide.peak.expected && without >= wide.peak.low);
    }
    void inferenceHasTheCacheInItsUpperEnd()
    {
        Question question = questionOf(2, 64);
        question.optimizer_is_assumed = true;
        question.run.mode = Mode::inference;
        const Plan plan = makePlan(question).value();
        const ModelShape& m = question.model;
        const Bytes cache{2 * m.layers * m.keyWidth() * question.run.tokens() * 4};
        QVERIFY(plan.estimate.peak.high >= plan.estimate.peak.expected + cache);
        QVERIFY(plan.estimate.reserved.high >= plan.estimate.reserved.expected + cache);
        const auto says = [](const Plan& of, std::string_view words) {
            return std::ranges::any_of(of.assumptions, [&](const std::string& sentence) {
                return sentence.find(words) != std::string::npos;
            });
        };
        QVERIFY(says(plan, "use_cache"));
        QVERIFY(!says(plan, "AdamW"));
        question.run.mode = Mode::forward;
        QVERIFY(!says(makePlan(question).value(), "use_cache"));
        question.run.mode = Mode::train;
        QVERIFY(says(makePlan(question).value(), "AdamW"));
    }
    void anEncoderDecoderCachesWhatBothHalvesRead()
    {
        // What transformers 5.24 hands out behind such a forward, counted.
        QCOMPARE(cacheSentence(R"({"model_type": "t5", "d_model": 64, "d_kv": 16, "num_heads": 4,
            "num_layers": 5, "num_decoder_layers": 4, "d_ff": 128, "vocab_size": 100})"),
                 formatBytes(Bytes{40'960 + 98'304}));
        QCOMPARE(cacheSentence(R"({"model_type": "bart", "d_model": 64, "encoder_layers": 5,
            "decoder_layers": 4, "encoder_attention_heads": 4, "decoder_attention_heads": 8,
            "encoder_ffn_dim": 128, "decoder_ffn_dim": 128, "vocab_size": 100,
            "max_position_embeddings": 128})"),
                 formatBytes(Bytes{40'960 + 98'304}));
    }
    void theRangeHasBothLoopsWhereTheyDiffer()
    {
        Question question = questionOf();
        question.model.architecture = Architecture::bert;
        question.model.token_types = 2;
        question.run.precision = Precision::autocast_bf16;
        question.run.target = Target::cuda;
        const EstimateRange open = estimate(question, question.run).peak;
        question.run.loop = Loop::trainer;
        const EstimateRange trainer = estimate(question, question.run).peak;
        question.run.loop = Loop::plain;
        const EstimateRange plain = estimate(question, question.run).peak;
        QVERIFY(plain.expected < trainer.expected);
        QCOMPARE(open.expected, trainer.expected);
        QCOMPARE(open.low, plain.low);
        QVERIFY(open.low < trainer.low);
        QCOMPARE(open.high, trainer.high);
        QVERIFY(!parseLoop("lightning").has_value());
    }
    void aWorkspaceInACachedBlockLeavesTooLittleRoom()
    {
        // Forward keeps 40 MiB, which backward gives back and asks for again in the next step.
        Timeline timeline;
        const auto add = [&](CallCount begin, CallCount end) {
            PlannedAllocation made;
            made.bytes = Bytes{40 * kMiB.value};
            made.begin = begin;
            made.end = end;
            timeline.allocations.push_back(made);
        };
        add(1, 2);
        add(3, 4);
        timeline.moments = 4;
        QCOMPARE(reservedFor(timeline, Bytes{32 * kMiB.value}).value, 40 * kMiB.value);
        timeline.products = {0, 2}; // Behind the first block's end.
        QCOMPARE(reservedFor(timeline).value, 40 * kMiB.value);
        QCOMPARE(reservedFor(timeline, Bytes{32 * kMiB.value}).value, 80 * kMiB.value);
        timeline.products = {0, 1}; // While it is in use: a segment of its own.
        QCOMPARE(reservedFor(timeline, Bytes{32 * kMiB.value}).value, 72 * kMiB.value);
    }
    void wordsOfOwnCodeAreReadAndRefused()
    {
        const OwnCode own = parseOwnCode("loss,activation").value();
        QVERIFY(own.loss && own.activation && !own.loop);
        QCOMPARE(wordsOf(own), (std::vector<std::string_view>{"activation", "loss"}));
        QVERIFY(!parseOwnCode("").has_value());
        QVERIFY(!parseOwnCode("loss,").has_value());
        QVERIFY(!parseOwnCode("norm").has_value());
    }
    void textsOfRemediesAreFilledIn()
    {
        Question question = questionOf();
        question.run.gpus = 8;
        question.run.target = Target::cuda;
        question.run.attention = Attention::eager;
        question.run.optimizer = Optimizer::adamw_foreach;
        const Plan plan = makePlan(question).value();
        QVERIFY(plan.fixes.size() >= 10);
        for (const diagnose::Fix& fix : plan.fixes) {
            QVERIFY(!fix.how.empty());
            std::string all = fix.title + fix.cost + fix.verify + fix.why + fix.apply;
            for (const auto& [framework, line] : fix.how) {
                all += line;
            }
            for (const std::string& conflict : fix.conflicts) {
                all += conflict;
            }
            QVERIFY2(all.find("«") == std::string::npos, all.c_str());
            QVERIFY(fix.saves.value > 0);
        }
    }
    void theAnswerIsTheCheapestSetThatFits()
    {
        Question question = questionOf(16, 512);
        const EstimateRange need = makePlan(question).value().estimate.need();
        question.capacity = Bytes{need.expected.value * 6 / 10};
        const Plan plan = makePlan(question).value();
        QCOMPARE(plan.estimate.fits, std::optional(false));
        QVERIFY(plan.answer && plan.answer->fits == true);
        QCOMPARE(plan.answer->fixes, std::vector<std::string>{"micro-batch"});
        QVERIFY(plan.answer->new_reserved <= *question.capacity);
        const diagnose::Fix* const batch = fixNamed(plan, "micro-batch");
        QCOMPARE(batch->status, diagnose::FixStatus::recommended);
        // Nothing helps where not even the weights fit.
        question.capacity = Bytes{1 << 20};
        const Plan none = makePlan(question).value();
        QCOMPARE(none.answer->fits, std::optional(false));
    }
    void sharedSequencesHaveALongestOneToo()
    {
        Question question = questionOf(2, 64);
        question.capacity = Bytes{makePlan(question).value().estimate.need().high.value * 2};
        question.run.division.context = 4;
        question.run.zero = 1;
        const auto limit = findLimits(question).sequence;
        QVERIFY(limit.has_value());
        QCOMPARE(*limit->value % 4, 0);
        QVERIFY(fits(question, 2, *limit->value));
        QVERIFY(*limit->value == 4096 || !fits(question, 2, *limit->value + 4));
    }

    void limitsAreTheLargestThatFit()
    {
        Question question = questionOf(4, 128);
        question.capacity = Bytes{makePlan(question).value().estimate.need().high.value * 3};
        const diagnose::Limits limits = findLimits(question);
        QVERIFY(limits.micro_batch && limits.sequence);
        const int batch = *limits.micro_batch->value;
        QVERIFY(batch > 4);
        QVERIFY(fits(question, batch, 128));
        QVERIFY(!fits(question, batch + 1, 128));
        const int sequence = *limits.sequence->value;
        QVERIFY(fits(question, 4, sequence));
        QVERIFY(sequence == 4096 || !fits(question, 4, sequence + 1));
    }
    void fewestGpusOfAStage()
    {
        Question question = questionOf(1, 16);
        question.model.hidden = 1024;
        const PlannedBudget budget = budgetOf(question.model, question.run);
        question.capacity = Bytes{budget.peak.bytes.value * 2 / 3};
        const diagnose::Limits limits = findLimits(question);
        QCOMPARE(limits.gpus.size(), std::size_t{3});
        const diagnose::GpuLimit& two = limits.gpus[1];
        QVERIFY(two.gpus && *two.gpus > 1);
        RunShape run = question.run;
        run.zero = 2;
        run.gpus = *two.gpus;
        QVERIFY(estimate(question, run).fits == true);
        run.gpus -= 1;
        run.zero = run.gpus > 1 ? 2 : 0;
        QVERIFY(estimate(question, run).fits != true);
    }
    void runsThatCannotBeAreRefused()
    {
        Question question = questionOf();
        question.run.zero = 2;
        QVERIFY(!makePlan(question).has_value());
        question = questionOf();
        question.run.lora = Lora{4, {"c_attn"}};
        QVERIFY(makePlan(question).error().message.find("q_proj") != std::string::npos);
        question.run.lora = Lora{4, {"q_proj"}};
        QVERIFY(makePlan(question).has_value());
        question = questionOf(1, 5000);
        question.model.architecture = Architecture::bert;
        QVERIFY(makePlan(question).error().message.find("4096 positions") != std::string::npos);
        question = questionOf(1 << 22, 1 << 22);
        QVERIFY(makePlan(question).error().message.find("tokens") != std::string::npos);
        question = questionOf();
        question.model.caps_scores = true;
        QVERIFY(!makePlan(question).has_value());
    }
};

TIDEMARK_TEST(TstPlan)

} // namespace tidemark::tst_plan

#include "tst_plan.moc"
