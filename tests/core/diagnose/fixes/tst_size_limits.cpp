// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

namespace tidemark::tst_size_limits {

using namespace tidemark::diagnose;
using test::kM;

namespace {

UserInput withCapacity(std::int64_t bytes)
{
    UserInput input;
    input.capacity = Bytes{bytes};
    return input;
}

bool fits(const Analysis& a, const std::string& apply)
{
    return test::predictionOf(a, apply).fits == std::optional(true);
}

std::string batchIn(int turns)
{
    return turns > 1 ? fmt::format("micro-batch={:.6g},accumulation={}", 1.0 / turns, turns)
                     : "micro-batch=1";
}

} // namespace

class TstSizeLimits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theLargestBatchIsTheLastOneThatFits_data();
    void theLargestBatchIsTheLastOneThatFits();
    void theLongestSequenceIsTheLastOneThatFits();
    void aRunWithRoomMayGrow();
    void theBatchIsNamedWhereTheConfigurationTellsIt();
    void theFewestGpusAreTheFirstThatFit_data();
    void theFewestGpusAreTheFirstThatFit();
    void whereNothingFitsThereIsNoLimit();
    void whatTheConfigurationSharesIsNotSharedAgain();
};

void TstSizeLimits::theLargestBatchIsTheLastOneThatFits_data()
{
    QTest::addColumn<int>("capacity");
    for (const int capacity : {390, 320, 240, 200}) {
        QTest::newRow(qPrintable(QString::number(capacity))) << capacity;
    }
}

void TstSizeLimits::theLargestBatchIsTheLastOneThatFits()
{
    QFETCH(int, capacity);
    const Analysis a = test::diesInBackward(withCapacity(capacity * kM));
    int fewest = 0;
    for (int turns = 64; turns >= 1; --turns) {
        fewest = fits(a, batchIn(turns)) ? turns : fewest;
    }
    QVERIFY(fewest > 1);
    const auto limit = test::deviceDiagnosisOf(a).limits.micro_batch;
    QVERIFY(limit.has_value());
    QCOMPARE(limit->ratio, 1.0 / fewest);
    QCOMPARE(limit->turns, fewest);
    QCOMPARE(limit->apply, batchIn(fewest));
    QVERIFY(!limit->value.has_value());
}

void TstSizeLimits::theLongestSequenceIsTheLastOneThatFits()
{
    const Analysis a = test::diesInBackward(withCapacity(240 * kM));
    int last = 0;
    for (int part = 1; part <= 64; ++part) {
        last = fits(a, fmt::format("sequence={:.6g}", part / 64.0)) ? part : last;
    }
    QVERIFY(last > 0 && last < 64);
    QCOMPARE(test::deviceDiagnosisOf(a).limits.sequence->ratio, last / 64.0);
}

void TstSizeLimits::aRunWithRoomMayGrow()
{
    const Analysis a = test::fineRun(withCapacity(2048 * kM));
    const auto limit = test::deviceDiagnosisOf(a).limits.micro_batch;
    QVERIFY(limit.has_value());
    QVERIFY(limit->ratio > 1);
    QVERIFY(fits(a, limit->apply));
    QVERIFY(!fits(a, fmt::format("micro-batch={:.6g}", limit->ratio + 1.0 / 64)));
}

void TstSizeLimits::theBatchIsNamedWhereTheConfigurationTellsIt()
{
    UserInput input = withCapacity(300 * kM);
    input.config =
        config::readRunConfig("per_device_train_batch_size=12 max_seq_length=100").value();
    const Analysis a = test::diesInBackward(input);
    const auto limits = test::deviceDiagnosisOf(a).limits;
    QVERIFY(limits.micro_batch && limits.micro_batch->value);
    const int batch = *limits.micro_batch->value;
    QCOMPARE(limits.micro_batch->ratio, batch / 12.0);
    QVERIFY(fits(a, limits.micro_batch->apply));
    // The step still sees 12 samples, so 12 is made of 6 · 2, 4 · 3, 3 · 4, 2 · 6 or 1 · 12.
    QCOMPARE(12 % batch, 0);
    for (int larger = batch + 1; larger <= 12; ++larger) {
        QVERIFY(12 % larger != 0 || !fits(a, batchIn(12 / larger)));
    }
    QCOMPARE(limits.micro_batch->apply, batchIn(12 / batch));
    QCOMPARE(limits.sequence->ratio, *limits.sequence->value / 100.0);
}

void TstSizeLimits::theFewestGpusAreTheFirstThatFit_data()
{
    QTest::addColumn<int>("stage");
    for (const int stage : {1, 2, 3}) {
        QTest::newRow(qPrintable(QString::number(stage))) << stage;
    }
}

void TstSizeLimits::theFewestGpusAreTheFirstThatFit()
{
    QFETCH(int, stage);
    const Analysis a = test::diesMakingState();
    std::optional<int> first;
    for (int gpus = 2; gpus <= 1024 && !first; ++gpus) {
        if (fits(a, fmt::format("zero={},gpus={}", stage, gpus))) {
            first = gpus;
        }
    }
    const auto limits = test::deviceDiagnosisOf(a).limits;
    QCOMPARE(limits.gpus.size(), std::size_t{3});
    QCOMPARE(limits.gpus[static_cast<std::size_t>(stage - 1)].stage, stage);
    QCOMPARE(limits.gpus[static_cast<std::size_t>(stage - 1)].gpus, first);
}

void TstSizeLimits::whereNothingFitsThereIsNoLimit()
{
    const auto limits = test::deviceDiagnosisOf(test::diesInBackward(withCapacity(8 * kM))).limits;
    QVERIFY(!limits.micro_batch.has_value() && !limits.sequence.has_value());
    for (const GpuLimit& limit : limits.gpus) {
        QVERIFY(!limit.gpus.has_value());
    }
    const auto unknown = test::deviceDiagnosisOf(test::fineRun()).limits;
    QVERIFY(!unknown.micro_batch.has_value() && unknown.gpus.empty());
}

void TstSizeLimits::whatTheConfigurationSharesIsNotSharedAgain()
{
    UserInput input;
    input.config = config::readRunConfig("{\"zero_optimization\": {\"stage\": 1}}").value();
    QVERIFY(test::deviceDiagnosisOf(test::diesMakingState(input)).limits.gpus.empty());
}

TIDEMARK_TEST(TstSizeLimits)

} // namespace tidemark::tst_size_limits

#include "tst_size_limits.moc"
