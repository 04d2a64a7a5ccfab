// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/block_weights.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_block_weights {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

// A hidden state of 64 numbers in 32 bits, and what is made of it.
constexpr std::int64_t kVector = 64 * 4;
constexpr std::int64_t kSquare = 64 * 64 * 4;
constexpr std::int64_t kWide = 64 * 256 * 4;
constexpr std::int64_t kEmbedding = 1000 * 64 * 4;

void addWeights(HandRun& run, std::int64_t bytes, int count)
{
    for (int i = 0; i < count; ++i) {
        run.alloc(bytes, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:5");
    }
}

/// Each block: two norms, square matrices, one that widens and one that narrows; behind them a last
/// norm.
void addBlocks(HandRun& run, int blocks, int squares = 3)
{
    run.phase(Phase::setup, 0);
    addWeights(run, kVector, 4 * blocks + 2);
    addWeights(run, kSquare, squares * blocks);
    addWeights(run, kWide, 2 * blocks);
}

BlockWeights weightsOf(HandRun& run)
{
    return blockWeights(test::GatheredRun(run.finish()).facts);
}

/// A forward pass through blocks that save two things each; what they saved.
std::vector<HandRun::Handle> runThrough(HandRun& run, int blocks)
{
    run.phase(Phase::forward, 1);
    std::vector<HandRun::Handle> saved;
    for (int i = 0; i < blocks; ++i) {
        for (const char* const line :
             {"forward /home/me/model.py:20", "forward /home/me/model.py:21"}) {
            saved.push_back(run.alloc(kM, Bucket::activation, Role::none, line));
        }
    }
    return saved;
}

void dieAfter(HandRun& run, int blocks)
{
    runThrough(run, blocks);
    run.oom(kM, 0, Bucket::activation);
}

} // namespace

class TstBlockWeights : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sizesThatRecurAreBlocks();
    void aMatrixIsMeasuredByTheVector();
    void halfAsWideElementsShow();
    void someMatricesReadNoNorm();
    void whereQueriesAreGroupedTwoOfABlockHaveAdapters();
    void gatedBlocksWithoutBiasesHaveAdaptersOnQueriesAndValues();
    void differentSizesAreNoBlocks();
    void anEmbeddingAndItsHeadAreNotTwoBlocks();
    void threeTablesAreNotThreeBlocks();
    void anEmbeddingAndItsHeadEncloseTwoBlocks();
    void besideALargeVocabularyThoseThatRanAreSeen();
    void sharedBlocksAreCountedAsTheWeightsHaveThem();
};

void TstBlockWeights::sizesThatRecurAreBlocks()
{
    HandRun run(64 * kM);
    addBlocks(run, 3);
    addWeights(run, kEmbedding, 1);
    const BlockWeights found = weightsOf(run);
    QCOMPARE(found.blocks, 3);
    QCOMPARE(found.vector, kVector);
    QVERIFY(found.isOfBlocks(kSquare));
    QVERIFY(!found.isOfBlocks(kEmbedding));
    QVERIFY(!found.isOfBlocks(kSquare + 512));
}

void TstBlockWeights::aMatrixIsMeasuredByTheVector()
{
    HandRun run(64 * kM);
    addBlocks(run, 3);
    const BlockWeights found = weightsOf(run);
    QCOMPARE(found.width, 4.0);
    QCOMPARE(found.otherSide(kSquare), 64 * 4.0);
    QCOMPARE(found.otherSide(kWide), 256 * 4.0);
    QCOMPARE(found.otherSide(kVector), 0.0); // no matrix
    QCOMPARE(found.otherSide(kEmbedding), 0.0); // of no block
}

void TstBlockWeights::halfAsWideElementsShow()
{
    HandRun run(64 * kM);
    run.phase(Phase::setup, 0);
    addWeights(run, 256 * 2, 16);
    addWeights(run, 256 * 256 * 2, 8);
    addWeights(run, 256 * 1024 * 2, 8);
    const BlockWeights found = weightsOf(run);
    QCOMPARE(found.blocks, 8);
    QCOMPARE(found.width, 2.0);
    QCOMPARE(found.otherSide(256 * 1024 * 2), 1024 * 2.0);
}

void TstBlockWeights::someMatricesReadNoNorm()
{
    HandRun run(64 * kM);
    addBlocks(run, 3);
    const BlockWeights found = weightsOf(run);
    QCOMPARE(found.shareWithAdapter(kSquare), 2.0 / 3); // not the one after attention
    QCOMPARE(found.shareWithAdapter(kWide), 0.5); // not the one that narrows
}

/// Queries and the projection are square, keys and values half of that.
void addGrouped(HandRun& run, int blocks)
{
    run.phase(Phase::setup, 0);
    addWeights(run, kVector, 2 * blocks + 1);
    addWeights(run, kSquare, 2 * blocks);
    addWeights(run, kSquare / 2, 2 * blocks);
    addWeights(run, kWide, 3 * blocks);
}

void TstBlockWeights::whereQueriesAreGroupedTwoOfABlockHaveAdapters()
{
    HandRun run(64 * kM);
    addGrouped(run, 3);
    const BlockWeights found = weightsOf(run);
    QVERIFY(found.groupsQueries());
    QCOMPARE(found.width, 4.0);
    QCOMPARE(found.shareWithAdapter(kSquare), 0.5); // of queries and the projection
    QCOMPARE(found.shareWithAdapter(kSquare / 2), 0.5); // of keys and values
    QCOMPARE(found.shareWithAdapter(kWide), 0.0);
    HandRun plain(64 * kM);
    addBlocks(plain, 3);
    QVERIFY(!weightsOf(plain).adaptsQueriesAndValues());
}

void TstBlockWeights::gatedBlocksWithoutBiasesHaveAdaptersOnQueriesAndValues()
{
    HandRun run(64 * kM);
    run.phase(Phase::setup, 0);
    addWeights(run, kVector, 2 * 4 + 1);
    addWeights(run, kSquare, 4 * 4);
    addWeights(run, kWide, 3 * 4);
    const BlockWeights found = weightsOf(run);
    QVERIFY(found.adaptsQueriesAndValues() && !found.groupsQueries());
    QCOMPARE(found.shareWithAdapter(kSquare), 0.5);
    QCOMPARE(found.shareWithAdapter(kWide), 0.0);
    // Norms of single heads, of queries and of keys, are no biases.
    HandRun heads(64 * kM);
    heads.phase(Phase::setup, 0);
    addWeights(heads, kVector, 2 * 4 + 1);
    addWeights(heads, kVector / 4, 2 * 4);
    addWeights(heads, kSquare, 4 * 4);
    addWeights(heads, kWide, 3 * 4);
    QVERIFY(weightsOf(heads).adaptsQueriesAndValues());
    // With a bias on what the MLP widens it is another kind.
    HandRun biased(64 * kM);
    biased.phase(Phase::setup, 0);
    addWeights(biased, kVector, 2 * 4 + 1);
    addWeights(biased, 4 * kVector, 2 * 4);
    addWeights(biased, kSquare, 4 * 4);
    addWeights(biased, kWide, 3 * 4);
    QVERIFY(!weightsOf(biased).adaptsQueriesAndValues());
}

void TstBlockWeights::differentSizesAreNoBlocks()
{
    HandRun run(64 * kM);
    run.phase(Phase::setup, 0);
    for (int i = 1; i <= 6; ++i) {
        addWeights(run, i * 100'000, 1);
    }
    const BlockWeights found = weightsOf(run);
    QCOMPARE(found.blocks, 0);
    QVERIFY(!found.isOfBlocks(100'000));
}

void TstBlockWeights::anEmbeddingAndItsHeadAreNotTwoBlocks()
{
    // Two blocks would hold 1.2 MiB, four only 0.7 MiB of them.
    HandRun run(128 * kM);
    addBlocks(run, 4);
    addWeights(run, kEmbedding, 2);
    dieAfter(run, 4);
    const BlockWeights found = weightsOf(run);
    QCOMPARE(found.blocks, 4);
    QVERIFY(!found.isOfBlocks(kEmbedding));
}

void TstBlockWeights::threeTablesAreNotThreeBlocks()
{
    // Words, places and head are of one size. Three blocks would hold these, and one less of each
    // matrix than there are.
    constexpr int kBlocks = 4;
    constexpr std::int64_t kTable = 72 << 10;
    HandRun run(64 * kM);
    addWeights(run, kTable, 2);
    addBlocks(run, kBlocks, 1);
    addWeights(run, 2 * kVector, kBlocks);
    addWeights(run, 3 * kVector, kBlocks);
    addWeights(run, kTable, 1);
    addWeights(run, kSquare + 4, 1); // what was loaded before was not seen in order
    const BlockWeights found = weightsOf(run);
    QCOMPARE(found.blocks, kBlocks);
    QVERIFY(!found.isOfBlocks(kTable));
}

/// In the order of a model: words and places, blocks, a last norm, the head.
void addModel(HandRun& run, int blocks, std::int64_t places = kEmbedding / 2)
{
    run.phase(Phase::setup, 0);
    addWeights(run, kEmbedding, 1);
    addWeights(run, places, 1);
    for (int i = 0; i < blocks; ++i) {
        addWeights(run, kVector, 2);
        addWeights(run, 3 * kSquare, 1);
        addWeights(run, kSquare, 1);
        addWeights(run, kVector, 2);
        addWeights(run, kWide, 2);
    }
    addWeights(run, kVector, 2);
    addWeights(run, kEmbedding, 1);
}

void TstBlockWeights::anEmbeddingAndItsHeadEncloseTwoBlocks()
{
    HandRun run(64 * kM);
    addModel(run, 2);
    const BlockWeights found = weightsOf(run);
    QCOMPARE(found.blocks, 2);
    QVERIFY(!found.isOfBlocks(kEmbedding)); // though there are two of that size
    QVERIFY(!found.isOfBlocks(kEmbedding / 2));
    QVERIFY(found.isOfBlocks(kWide));
}

void TstBlockWeights::besideALargeVocabularyThoseThatRanAreSeen()
{
    HandRun run(128 * kM);
    addBlocks(run, 5);
    addWeights(run, 4 * kM, 2); // nine tenths of the weights
    dieAfter(run, 5);
    QCOMPARE(weightsOf(run).blocks, 5);
}

void TstBlockWeights::sharedBlocksAreCountedAsTheWeightsHaveThem()
{
    HandRun run(128 * kM);
    addBlocks(run, 3);
    dieAfter(run, 12); // each of the three four times
    QCOMPARE(weightsOf(run).blocks, 3);
}

TIDEMARK_TEST(TstBlockWeights)

} // namespace tidemark::tst_block_weights

#include "tst_block_weights.moc"
