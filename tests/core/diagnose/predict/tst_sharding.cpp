// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/config/run_config.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_sharding {

using namespace tidemark::diagnose;
using test::kM;

// The fine run's peak, in MiB, at the start of a backward: weights 4 × 8, state 64, input 1/16,
// four blocks of 16 + 32 + 16, logits 24 and their gradient 24. Weights are fp32, so that the model
// has 8 Mi elements and a block 2 Mi. Over 4 GPUs a state of 64 leaves 16 (48 less), weights of 32
// leave 8 (24 less).
namespace {

constexpr std::int64_t kPeak = (4 * 8 + 64 + 4 * (16 + 32 + 16) + 24 + 24) * kM + (64 << 10);

Prediction predictionWith(const std::string& sharding, std::string_view changes)
{
    UserInput input;
    if (!sharding.empty()) {
        input.config = config::readRunConfig("{\"train_micro_batch_size_per_gpu\": 4, "
                                             "\"zero_optimization\": {"
                                             + sharding + "}}")
                           .value();
    }
    return test::predictionOf(test::fineRun(input), changes);
}

std::int64_t peakWith(const std::string& sharding, std::string_view changes)
{
    return predictionWith(sharding, changes).after_peak.value;
}

// 1 Mi elements are 4 MiB, 2 Mi are 8 MiB.
const std::string kBuckets =
    R"("reduce_bucket_size": 1048576, "allgather_bucket_size": 2097152, "overlap_comm": false)";

} // namespace

class TstSharding : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bucketsOfTheConfigurationAreAdded();
    void communicationBesideComputationTakesFourAndAHalf();
    void noBucketIsLargerThanTheModel();
    void gatheredWeightsFollowTheLimitOfLiveParameters();
    void smallWeightsStayWhole();
    void withoutAConfigurationABlockIsGathered();
    void offloadedWeightsComeBackAsTheLimitSays();
    void sizesAreReadInEveryForm();
};

void TstSharding::bucketsOfTheConfigurationAreAdded()
{
    // 4 to reduce + 8 to gather. Stage 2: the whole gradients are those in the bucket.
    QCOMPARE(peakWith(kBuckets, "zero=1,gpus=4"), kPeak + (-48 + 4 + 8) * kM);
    QCOMPARE(peakWith(kBuckets, "zero=2,gpus=4"), kPeak + (-48 + 4 + 8) * kM);
    // Alone nobody talks to anybody.
    QCOMPARE(peakWith(kBuckets, "zero=1,gpus=1"), kPeak);
}

void TstSharding::communicationBesideComputationTakesFourAndAHalf()
{
    const std::string overlapping =
        R"("reduce_bucket_size": 1048576, "allgather_bucket_size": 2097152, "overlap_comm": true)";
    // 4.5 · (4 + 8) = 54
    QCOMPARE(peakWith(overlapping, "zero=1,gpus=4"), kPeak + (-48 + 54) * kM);
}

void TstSharding::noBucketIsLargerThanTheModel()
{
    const std::string defaults = R"("overlap_comm": false)"; // 5e8 each
    QCOMPARE(peakWith(defaults, "zero=1,gpus=4"), kPeak + (-48 + 32 + 32) * kM);
}

void TstSharding::gatheredWeightsFollowTheLimitOfLiveParameters()
{
    // 4 Mi elements, 16 MiB, may be live; one bucket of 4 to reduce.
    const std::string limited = R"("reduce_bucket_size": 1048576, "overlap_comm": false, )"
                                R"("stage3_param_persistence_threshold": 0, )"
                                R"("stage3_max_live_parameters": )";
    QCOMPARE(peakWith(limited + "4194304", "zero=3,gpus=4"), kPeak + (-48 - 24 + 4 + 16) * kM);
    // The default of 1e9 keeps this whole model gathered.
    QCOMPARE(peakWith(limited + "1e9", "zero=3,gpus=4"), kPeak + (-48 - 24 + 4 + 32) * kM);
    // No limit is below the block at work: 8.
    QCOMPARE(peakWith(limited + "1000", "zero=3,gpus=4"), kPeak + (-48 - 24 + 4 + 8) * kM);
}

void TstSharding::smallWeightsStayWhole()
{
    // Below 3 Mi elements: all four weights of 2 Mi are.
    const std::string persistent = R"("reduce_bucket_size": 1048576, "overlap_comm": false, )"
                                   R"("stage3_max_live_parameters": 1000, )"
                                   R"("stage3_param_persistence_threshold": 3145728)";
    QCOMPARE(peakWith(persistent, "zero=3,gpus=4"), kPeak + (-48 + 4 + 8) * kM);
}

void TstSharding::withoutAConfigurationABlockIsGathered()
{
    // Stage 2: at the peak backward has made no gradients of a block yet. Stage 3: two blocks'
    // weights, 16, as well.
    QCOMPARE(peakWith("", "zero=2,gpus=4"), kPeak + -48 * kM);
    const Prediction p = predictionWith("", "zero=3,gpus=4");
    QCOMPARE(p.after_peak.value, kPeak + (-48 - 24 + 16) * kM);
    // At most two buckets of a block and four blocks' weights.
    QVERIFY(p.after_high.value >= kPeak + (-48 - 24 + 16 + 32) * kM);
    QVERIFY(p.after_low.value <= kPeak + (-48 - 24 + 8) * kM);
}

void TstSharding::offloadedWeightsComeBackAsTheLimitSays()
{
    QCOMPARE(peakWith("", "offload=parameters"), kPeak + (-32 + 16) * kM);
    QCOMPARE(peakWith(R"("stage3_max_live_parameters": 2097152)", "offload=parameters"),
             kPeak + (-32 + 8) * kM);
}

void TstSharding::sizesAreReadInEveryForm()
{
    const config::RunConfig json =
        config::readRunConfig(R"({"train_batch_size": 8, "zero_optimization": {
        "stage": 3, "reduce_bucket_size": 5e7, "allgather_bucket_size": "auto",
        "stage3_max_live_parameters": 1e9, "overlap_comm": true}})")
            .value();
    QCOMPARE(json.sharding.reduce, std::optional<std::int64_t>(50'000'000));
    QVERIFY(!json.sharding.gather.has_value());
    QCOMPARE(json.sharding.live, std::optional<std::int64_t>(1'000'000'000));
    QCOMPARE(json.sharding.overlaps, std::optional(true));
    const config::RunConfig words =
        config::readRunConfig("zero_optimization.reduce_bucket_size=200000000 bf16=true").value();
    QCOMPARE(words.sharding.reduce, std::optional<std::int64_t>(200'000'000));
    QVERIFY(!config::readRunConfig("bf16=true micro_batch_size=2").value().sharding.any());
}

TIDEMARK_TEST(TstSharding)

} // namespace tidemark::tst_sharding

#include "tst_sharding.moc"
