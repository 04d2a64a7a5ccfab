// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/diagnose/facts/optimizer_kinds.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_unseen_states {

using namespace tidemark::diagnose;
using test::kM;

namespace {

using label::Bucket;

UserInput configured(std::string_view text)
{
    UserInput input;
    input.config = config::readRunConfig(text).value();
    return input;
}

std::int64_t needWith(std::string_view config)
{
    const UserInput input = config.empty() ? UserInput() : configured(config);
    return test::deviceDiagnosisOf(test::diesMakingGradients(input)).need.value;
}

/// At the end of the first backward: weights, gradients of as much, the input.
constexpr std::int64_t kWeights = 4 * 24 * kM;
constexpr std::int64_t kWithoutState = 2 * kWeights + (64 << 10);
constexpr std::int64_t kPassing = 2 * 24 * kM; // what Adam makes of one weight

constexpr std::string_view kPeft = "reset_lora_parameters /site-packages/peft/tuners/lora/layer.py:"
                                   "170; main /home/me/train.py:12";

/// A base of 96 and adapters of 2 MiB; the first forward does not fit.
Analysis diesWithAdapters(std::string_view of_adapters, std::string_view of_forward,
                          UserInput input)
{
    test::HandRun run(140 * kM);
    run.phase(label::Phase::setup, 0);
    run.alloc(96 * kM, Bucket::parameter, label::Role::none, "load /home/me/train.py:10");
    run.alloc(kM, Bucket::parameter, label::Role::none, of_adapters);
    run.alloc(kM, Bucket::parameter, label::Role::none, of_adapters);
    run.phase(label::Phase::forward, 1);
    run.alloc(20 * kM, Bucket::activation, label::Role::none, of_forward);
    run.oom(40 * kM, 2 * kM, Bucket::activation);
    return run.finish(std::move(input));
}

std::int64_t trainableOf(Analysis analysis)
{
    return test::GatheredRun(std::move(analysis)).facts.states.trainable;
}

} // namespace

class TstUnseenStates : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void optimizersAreKnownByTheNamesOfConfigurations_data();
    void optimizersAreKnownByTheNamesOfConfigurations();
    void theConfigurationTellsWhatAnOptimizerWillKeep();
    void stateElsewhereIsNotCounted();
    void stateThatIsSharedIsCountedByItsPart();
    void aConfiguredOptimizerIsNoLongerADoubt();
    void changesStartFromTheConfiguredOptimizer();
    void onlyAdaptersAreTrainedWherePeftMadeThem();
    void aConfigurationTellsOfAdapters();
};

void TstUnseenStates::optimizersAreKnownByTheNamesOfConfigurations_data()
{
    QTest::addColumn<QString>("setting");
    QTest::addColumn<double>("momentum");
    QTest::addColumn<bool>("amsgrad");
    QTest::addColumn<QString>("kind");
    const auto add = [](const char* setting, const char* kind, double momentum = 0,
                        bool amsgrad = false) {
        QTest::addRow("%s %g %d", setting, momentum, amsgrad ? 1 : 0)
            << setting << momentum << amsgrad << kind;
    };
    add("adamw_torch_fused", "adam");
    add("torch.optim.AdamW", "adam");
    add("OneBitAdam", "adam");
    add("adamw_bnb_8bit", "adamw8bit");
    add("AdamW8bit", "adamw8bit");
    add("paged_adamw_8bit", "paged-adamw8bit");
    add("paged_lion_8bit", "paged-adamw8bit");
    add("lion_8bit", "lion8bit");
    add("adamw_torch_4bit", "adamw4bit");
    add("adafactor", "adafactor");
    add("adalomo", "lomo");
    add("sgd", "sgd");
    add("SGD", "sgd-momentum", 0.9);
    add("torch.optim.AdamW", "amsgrad", 0, true);
    add("SGD", "sgd", 0, true); // has none
    add("rmsprop", "one-copy");
    add("ademamix", "ademamix");
    add("galore_adamw", "");
    add("rmsprop_bnb_8bit", "");
    add("my_own", "");
    add("", "");
}

void TstUnseenStates::optimizersAreKnownByTheNamesOfConfigurations()
{
    QFETCH(QString, setting);
    QFETCH(double, momentum);
    QFETCH(bool, amsgrad);
    QFETCH(QString, kind);
    const OptimizerKind* const found =
        optimizerOfSetting(setting.toStdString(), {momentum, amsgrad});
    QCOMPARE(found == nullptr ? std::string_view() : found->name,
             std::string_view(kind.toStdString()));
}

void TstUnseenStates::theConfigurationTellsWhatAnOptimizerWillKeep()
{
    QCOMPARE(needWith(""), kWithoutState + 2 * kWeights + kPassing);
    QCOMPARE(needWith("optim: adamw_torch"), kWithoutState + 2 * kWeights + kPassing);
    QCOMPARE(needWith("optim: sgd"), kWithoutState);
    QCOMPARE(needWith("optimizer: sgd\nmomentum: 0.9"), kWithoutState + kWeights);
    QCOMPARE(needWith(R"({"optimizer": {"type": "SGD", "params": {"momentum": 0.9}}})"),
             kWithoutState + kWeights);
    const std::int64_t three = kWithoutState + 3 * kWeights + kPassing;
    QCOMPARE(needWith("optimizer:\n  _target_: torch.optim.AdamW\n  amsgrad: true"), three);
    QCOMPARE(
        needWith("optimizer:\n  class_path: torch.optim.Adam\n  init_args:\n    amsgrad: true"),
        three);
    QCOMPARE(needWith("optimizer: adamw\namsgrad: false"), needWith(""));
    QCOMPARE(needWith("optim: adamw_bnb_8bit"),
             kWithoutState + std::llround(2.03 / 4 * static_cast<double>(kWeights)));
    // A name that says nothing here leaves it at what is most common.
    QCOMPARE(needWith("optim: my_own"), needWith(""));
}

void TstUnseenStates::stateElsewhereIsNotCounted()
{
    const std::string_view offloaded =
        R"({"zero_optimization": {"stage": 1, "offload_optimizer": {"device": "cpu"}}})";
    QCOMPARE(needWith(offloaded), kWithoutState);
    QCOMPARE(needWith("optim: paged_adamw_8bit"), kWithoutState);
}

void TstUnseenStates::stateThatIsSharedIsCountedByItsPart()
{
    UserInput input = configured(R"({"zero_optimization": {"stage": 1}})");
    input.gpus = 4;
    QCOMPARE(test::deviceDiagnosisOf(test::diesMakingGradients(input)).need.value,
             kWithoutState + 2 * kWeights / 4 + kPassing);
}

void TstUnseenStates::aConfiguredOptimizerIsNoLongerADoubt()
{
    const auto range = [](std::string_view config) {
        const UserInput input = config.empty() ? UserInput() : configured(config);
        const Prediction p = test::predictionOf(test::diesMakingGradients(input), "set-to-none=on");
        return p.after_need_high.value - p.after_need_low.value;
    };
    QVERIFY(range("optim: adamw_torch_fused") < range(""));
    // The name alone does not say whether there is momentum.
    QVERIFY(range("optimizer: sgd\nmomentum: 0") < range("optim: sgd"));
}

void TstUnseenStates::changesStartFromTheConfiguredOptimizer()
{
    const auto after = [](std::string_view config, std::string_view change) {
        return test::predictionOf(test::diesMakingGradients(configured(config)), change)
            .after_need.value;
    };
    QCOMPARE(after("optim: adamw_torch", "optimizer=sgd"), kWithoutState);
    QCOMPARE(after("optimizer: sgd\nmomentum: 0.9", "optimizer=sgd"), kWithoutState);
    // What it is already changes nothing.
    QCOMPARE(after("optim: adamw_bnb_8bit", "optimizer=adamw8bit"),
             needWith("optim: adamw_bnb_8bit"));
}

void TstUnseenStates::onlyAdaptersAreTrainedWherePeftMadeThem()
{
    const std::string_view load = "load /home/me/train.py:10";
    const std::string_view forward =
        "forward /site-packages/peft/tuners/lora/layer.py:500; main /home/me/train.py:20";
    QCOMPARE(trainableOf(diesWithAdapters(kPeft, forward, {})), 2 * kM);
    // Their making was not recorded, but they run: some small part is trained.
    QCOMPARE(trainableOf(diesWithAdapters(load, forward, {})), 98 * kM / 50);
    // Without any sign of them all of it is.
    QCOMPARE(trainableOf(diesWithAdapters(load, "forward /home/me/model.py:3", {})), 98 * kM);
}

void TstUnseenStates::aConfigurationTellsOfAdapters()
{
    const std::string_view load = "load /home/me/train.py:10";
    const std::string_view forward = "forward /home/me/model.py:3";
    QCOMPARE(trainableOf(diesWithAdapters(load, forward, configured("finetuning_type: lora"))),
             98 * kM / 50);
    const auto need = [&](std::string_view config) {
        return test::deviceDiagnosisOf(diesWithAdapters(load, forward, configured(config)))
            .need.value;
    };
    QVERIFY(need("finetuning_type: lora") < need("bf16: true") - 150 * kM);
    // How large they are was not seen: up to a tenth of the weights, with gradients and state.
    const Prediction p = test::predictionOf(
        diesWithAdapters(load, forward, configured("finetuning_type: lora")), "set-to-none=on");
    QVERIFY(p.after_need_high.value >= p.after_need.value + 2 * (98 * kM / 10 - 98 * kM / 50));
}

TIDEMARK_TEST(TstUnseenStates)

} // namespace tidemark::tst_unseen_states

#include "tst_unseen_states.moc"
