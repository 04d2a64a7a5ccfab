// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cmath>
#include <cstdint>
#include <vector>

namespace tidemark::tst_laws_rank {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

constexpr std::int64_t kHidden = 1024; // numbers of a row
constexpr std::int64_t kRows = 2048;
constexpr int kBlocks = 6;
constexpr std::int64_t kRank = 16;

/// Bytes of two matrices of one pair on a square weight.
constexpr std::int64_t pairBytes(std::int64_t rank)
{
    return 2 * rank * kHidden * 4;
}

/// One step of Adam on adapters beside frozen square weights; each pair makes something of the
/// rank's width in between.
Prediction predicted(const char* changes)
{
    HandRun run(900 * kM);
    run.phase(Phase::setup, 0);
    const auto weight = [&](std::int64_t bytes, Role role) {
        return run.alloc(bytes, Bucket::parameter, role, "convert /home/me/train.py:5");
    };
    weight(4000 * kHidden * 4, Role::frozen);
    for (int block = 0; block < kBlocks; ++block) {
        weight(kHidden * 4, Role::frozen);
        weight(kHidden * kHidden * 4, Role::frozen);
        weight(pairBytes(kRank) / 2, Role::trainable);
        weight(pairBytes(kRank) / 2, Role::trainable);
    }
    run.phase(Phase::forward, 1);
    std::vector<HandRun::Handle> saved;
    for (int block = 0; block < kBlocks; ++block) {
        for (const std::int64_t numbers : {kHidden, kRank}) {
            saved.push_back(run.alloc(kRows * numbers * 4, Bucket::activation));
        }
        run.free(run.alloc(kRows * kHidden * 4, Bucket::temporary));
    }
    run.phase(Phase::backward, 1);
    run.free(run.alloc(kRows * kHidden * 4, Bucket::temporary, Role::none, ""));
    for (; !saved.empty(); saved.pop_back()) {
        run.free(saved.back());
    }
    std::vector<HandRun::Handle> gradients;
    for (int i = 0; i < 2 * kBlocks; ++i) {
        gradients.push_back(run.alloc(pairBytes(kRank) / 2, Bucket::gradient, Role::none, ""));
    }
    run.phase(Phase::optimizer, 1);
    for (int i = 0; i < 4 * kBlocks; ++i) {
        run.alloc(pairBytes(kRank) / 2, Bucket::optimizer_state);
    }
    for (const HandRun::Handle gradient : gradients) {
        run.free(gradient);
    }
    return test::predictionOf(run.finish(), changes);
}

constexpr std::int64_t kFrozen = 4000 * kHidden * 4 + kBlocks * (kHidden + kHidden * kHidden) * 4;

/// The peak of that run with adapters of another rank: at the end of forward, beside one gradient
/// of a hidden state.
constexpr std::int64_t peakWith(std::int64_t rank)
{
    const std::int64_t saved = kBlocks * kRows * (kHidden + rank) * 4;
    return kFrozen + kBlocks * pairBytes(rank) + saved + kRows * kHidden * 4;
}

} // namespace

class TstLawsRank : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void adaptersGetAnotherRank_data()
    {
        QTest::addColumn<int>("rank");
        for (const int rank : {4, 16, 64, 128}) {
            QTest::addRow("%d", rank) << rank;
        }
    }
    void adaptersGetAnotherRank()
    {
        QFETCH(int, rank);
        const Prediction p = predicted(QStringLiteral("lora=%1").arg(rank).toUtf8().constData());
        QCOMPARE(p.before_peak.value, peakWith(kRank));
        QCOMPARE(p.after_peak.value, peakWith(rank));
        QVERIFY(p.after_low.value * 100 > p.after_peak.value * 99);
        QVERIFY(p.after_high.value * 100 < p.after_peak.value * 101);
    }
    void quantisingKeepsTheAdaptersThatAreThere()
    {
        const std::int64_t matrices = (4000 + kBlocks * kHidden) * kHidden; // elements
        const std::int64_t with = peakWith(64);
        const Prediction p = predicted("qlora=64");
        const double saved = static_cast<double>(matrices) * (4 - 0.54);
        QVERIFY(std::abs(static_cast<double>(with - p.after_peak.value) - saved) < 1000);
    }
};

TIDEMARK_TEST(TstLawsRank)

} // namespace tidemark::tst_laws_rank

#include "tst_laws_rank.moc"
