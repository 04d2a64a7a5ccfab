// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/masked_attention.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

using namespace tidemark;
using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

constexpr std::int64_t kElement = 4;
constexpr std::int64_t kWidth = 128; // of the hidden state
constexpr std::int64_t kLength = 64; // of a sequence
constexpr std::int64_t kSamples = 4;
constexpr std::int64_t kHidden = kSamples * kLength * kWidth * kElement;
constexpr std::int64_t kMask = kLength * kLength * kElement;

std::int64_t scoresOf(std::int64_t heads)
{
    return kSamples * heads * kLength * kLength * kElement;
}

/// Three blocks of four square matrices and an MLP that is `mlp_columns` wide, and a forward pass
/// that dies behind them. Each block keeps hidden states, a mask if there is one, and two matrices;
/// under autocast a copy of a weight is kept as well.
std::int64_t matricesFound(std::int64_t matrix_bytes, std::int64_t mask_bytes,
                           std::int64_t mlp_columns = 3 * kWidth, bool autocast = false)
{
    HandRun run(256 * kM);
    run.phase(Phase::setup, 0);
    for (int block = 0; block < 3; ++block) {
        for (int k = 0; k < 4; ++k) {
            run.alloc(kWidth * kElement, Bucket::parameter, Role::trainable);
            run.alloc(kWidth * kWidth * kElement, Bucket::parameter, Role::trainable);
        }
        run.alloc(kWidth * mlp_columns * kElement, Bucket::parameter, Role::trainable);
    }
    run.phase(Phase::forward, 1);
    for (int block = 0; block < 3; ++block) {
        for (int k = 0; k < 3; ++k) {
            run.alloc(kHidden, Bucket::activation, Role::none, "forward /home/me/model.py:20");
        }
        const auto mask =
            run.alloc(mask_bytes, Bucket::temporary, Role::none, "forward /home/me/model.py:21");
        const auto scores =
            run.alloc(matrix_bytes, Bucket::temporary, Role::none, "forward /home/me/model.py:22");
        run.alloc(matrix_bytes, Bucket::activation, Role::none, "forward /home/me/model.py:23");
        run.free(mask);
        run.free(scores);
    }
    if (autocast) {
        run.alloc(kWidth * mlp_columns * kElement / 2, Bucket::activation, Role::weight_cast,
                  "forward /home/me/model.py:24");
    }
    // What frames do name is left alone.
    run.alloc(4 * kHidden, Bucket::activation, Role::logits, "forward /home/me/model.py:30");
    run.oom(kM, 0, Bucket::temporary);
    return std::ranges::count(test::GatheredRun(run.finish()).facts.roles, Role::attention_matrix);
}

} // namespace

class TstMaskedAttention : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rowsTimesHeadsTimesTheLengthOfAMaskIsAttention();
    void aMaskOfBytesTellsTheLength();
    void withoutAMaskNothingIsSaid();
    void asManyHeadsAsDoNotDivideTheWidthAreNone();
    void whatAWeightMakesIsNone();
    void underAutocastTwiceTheHiddenStateIsNone();
};

void TstMaskedAttention::rowsTimesHeadsTimesTheLengthOfAMaskIsAttention()
{
    QCOMPARE(matricesFound(scoresOf(8), kMask), 6); // two in each of three blocks
}

void TstMaskedAttention::aMaskOfBytesTellsTheLength()
{
    QCOMPARE(matricesFound(scoresOf(8), kLength * kLength), 6);
}

void TstMaskedAttention::withoutAMaskNothingIsSaid()
{
    QCOMPARE(matricesFound(scoresOf(8), kMask + 4096), 0);
}

void TstMaskedAttention::asManyHeadsAsDoNotDivideTheWidthAreNone()
{
    QCOMPARE(matricesFound(scoresOf(6), kMask), 0);
}

void TstMaskedAttention::whatAWeightMakesIsNone()
{
    // An MLP of 512 columns makes what 8 heads of 64 would be.
    QCOMPARE(matricesFound(scoresOf(8), kMask, 8 * kLength), 0);
}

void TstMaskedAttention::underAutocastTwiceTheHiddenStateIsNone()
{
    // Four heads of 64 would be as wide as the hidden state in 32 bits beside 16.
    QCOMPARE(scoresOf(4), 2 * kHidden);
    QCOMPARE(matricesFound(scoresOf(4), kMask), 6);
    QCOMPARE(matricesFound(scoresOf(4), kMask, 3 * kWidth, true), 0);
    QCOMPARE(matricesFound(scoresOf(8), kMask, 3 * kWidth, true), 6);
}

TIDEMARK_TEST(TstMaskedAttention)
#include "tst_masked_attention.moc"
