// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/model_states.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cmath>
#include <set>

namespace tidemark::tst_model_states {

using namespace tidemark::plan;

namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

std::vector<ModelStates> statesOf(const char* recipe, std::int64_t parameters, int gpus,
                                  std::optional<Bytes> capacity = {})
{
    return modelStates({parameters, {}, 0, gpus, capacity}, *stateRecipe(recipe));
}

} // namespace

class TstModelStates : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bytesPerParameterAreThoseOfTheSources_data();
    void bytesPerParameterAreThoseOfTheSources();
    void zeroShardsTheMasterWithTheOptimizer();
    void zeroThreeAddsTheLayersItGathers();
    void adaptersLeaveTheBaseFrozen();
    void adaptersFollowTheModelsSizes();
    void theFewestGpusAreTheFirstThatFit();
    void noNumberOfGpusShardsTheWeightsOfZeroTwo();
    void parameterCountsAreReadAsPeopleWriteThem();
    void whatIsNoCountIsRefused();
};

void TstModelStates::bytesPerParameterAreThoseOfTheSources_data()
{
    QTest::addColumn<QString>("recipe");
    QTest::addColumn<double>("bytes");
    QTest::newRow("fp32") << "fp32-adam" << 16.0;
    QTest::newRow("autocast") << "autocast-adam" << 16.0;
    QTest::newRow("pure") << "bf16-adam" << 8.0;
    QTest::newRow("master") << "bf16-master-adam" << 16.0;
    QTest::newRow("megatron") << "megatron-adam" << 18.0;
    QTest::newRow("kahan") << "bf16-kahan-adam" << 10.0;
    QTest::newRow("sgd") << "fp32-sgd" << 8.0;
    QTest::newRow("momentum") << "fp32-one-state" << 12.0;
    QTest::newRow("amsgrad") << "fp32-three-states" << 20.0;
}

void TstModelStates::bytesPerParameterAreThoseOfTheSources()
{
    QFETCH(QString, recipe);
    QFETCH(double, bytes);
    const auto states = statesOf(qPrintable(recipe), kBillion, 1);
    QCOMPARE(states.size(), std::size_t{1});
    QCOMPARE(states[0].total().value, std::llround(bytes * 1e9));
}

void TstModelStates::zeroShardsTheMasterWithTheOptimizer()
{
    // Seven billion on eight GPUs, as the ZeRO paper counts: 112, 38.5, 26.25 and 14 GB.
    const auto states = statesOf("bf16-master-adam", 7 * kBillion, 8);
    QCOMPARE(states.size(), std::size_t{4});
    QCOMPARE(states[0].total().value, 112 * kBillion);
    QCOMPARE(states[1].total().value, 385 * kBillion / 10);
    QCOMPARE(states[2].total().value, 2625 * kBillion / 100);
    QCOMPARE(states[3].total().value, 14 * kBillion);
    QCOMPARE(states[1].optimizer.value, 105 * kBillion / 10); // (8 + 4) × 7 / 8
}

void TstModelStates::zeroThreeAddsTheLayersItGathers()
{
    const auto states = modelStates({kBillion, {}, 100'000'000, 4, {}}, *stateRecipe("bf16-adam"));
    QCOMPARE(states[2].gathered.value, std::int64_t{0});
    QCOMPARE(states[3].gathered.value, std::int64_t{600'000'000}); // 2 × 2 B and a gradient of 2 B
    QCOMPARE(states[3].total().value, std::int64_t{2'600'000'000});
}

void TstModelStates::adaptersLeaveTheBaseFrozen()
{
    const StatesQuestion question{7 * kBillion, 40'000'000, 0, 1, {}};
    const ModelStates lora = modelStates(question, *stateRecipe("lora-bf16")).front();
    QCOMPARE(lora.weights.value, 2 * 6'960'000'000 + 4 * 40'000'000);
    QCOMPARE(lora.gradients.value, 4 * 40'000'000);
    QCOMPARE(lora.optimizer.value, 8 * 40'000'000);
    const StatesQuestion usual{7 * kBillion, {}, 0, 1, {}};
    QCOMPARE(trainedOf(usual, *stateRecipe("lora-bf16")), std::int64_t{35'000'000});
    QCOMPARE(trainedOf(usual, *stateRecipe("bf16-adam")), 7 * kBillion);
}

void TstModelStates::adaptersFollowTheModelsSizes()
{
    // Llama-2-7B: 16 × 32 × (3 × (4096 + 4096) + 2 × (4096 + 11008)) = 28,049,408.
    StatesQuestion question;
    question.parameters = 6'740'000'000;
    QVERIFY(isTrainedAssumed(question, *stateRecipe("lora-bf16")));
    QVERIFY(!isTrainedAssumed(question, *stateRecipe("bf16-adam")));
    question.adapters = AdapterShape{16, 4096, 32, 11008};
    QCOMPARE(trainedOf(question, *stateRecipe("lora-bf16")), std::int64_t{28'049'408});
    QVERIFY(!isTrainedAssumed(question, *stateRecipe("lora-bf16")));
    QCOMPARE(trainedOf(question, *stateRecipe("bf16-adam")), question.parameters);
    question.adapters->rank = 64;
    QCOMPARE(trainedOf(question, *stateRecipe("lora-bf16")), std::int64_t{4 * 28'049'408});
    // 2.69 × 4096 = 11018.24: 11018 instead of 11008.
    question.adapters->inner.reset();
    QCOMPARE(trainedOf(question, *stateRecipe("lora-bf16")),
             std::int64_t{4 * 28'049'408 + 64 * 32 * 2 * 10});
    question.trained = 5;
    QCOMPARE(trainedOf(question, *stateRecipe("lora-bf16")), std::int64_t{5});
}

void TstModelStates::theFewestGpusAreTheFirstThatFit()
{
    const Bytes capacity{40 * kBillion};
    for (const ModelStates& asked : statesOf("bf16-master-adam", 7 * kBillion, 2, capacity)) {
        int first = 0; // by trying one after the other
        for (int gpus = 1; gpus <= 64 && first == 0; ++gpus) {
            const double n = 7e9;
            const double needed = (asked.zero >= 3 ? 2 * n / gpus : 2 * n)
                + (asked.zero >= 2 ? 2 * n / gpus : 2 * n)
                + (asked.zero >= 1 ? 12 * n / gpus : 12 * n);
            first = needed < 40e9 ? gpus : 0;
        }
        QCOMPARE(asked.fewest_gpus, first == 0 ? std::optional<int>() : std::optional(first));
    }
}

void TstModelStates::noNumberOfGpusShardsTheWeightsOfZeroTwo()
{
    const auto states = statesOf("bf16-master-adam", 70 * kBillion, 8, Bytes{80 * kBillion});
    QVERIFY(!states[2].fewest_gpus); // 140 GB of weights on each
    QCOMPARE(states[3].fewest_gpus, std::optional(15)); // 1,120 GB / 80 GB leaves nothing at 14
    QVERIFY(states[0].left->value < 0);
}

void TstModelStates::parameterCountsAreReadAsPeopleWriteThem()
{
    const std::pair<const char*, std::int64_t> kCounts[]{
        {"7.6B", 7'600'000'000},      {"350M", 350'000'000},   {"1.83e9", 1'830'000'000},
        {"124,439,808", 124'439'808}, {"70 b", 70 * kBillion}, {"1T", 1000 * kBillion}};
    for (const auto& [words, count] : kCounts) {
        QCOMPARE(parseParameterCount(words).value(), count);
    }
}

void TstModelStates::whatIsNoCountIsRefused()
{
    for (const char* words : {"", "B", "7.6X", "-3B", "0", "nan", "inf", "1e300", "7B5"}) {
        QVERIFY2(!parseParameterCount(words).has_value(), words);
    }
    QVERIFY(stateRecipe("fp64-adam") == nullptr);
    std::set<std::string> ids;
    for (const StateRecipe& recipe : stateRecipes()) {
        QVERIFY(ids.insert(recipe.id).second);
    }
}

TIDEMARK_TEST(TstModelStates)

} // namespace tidemark::tst_model_states

#include "tst_model_states.moc"
