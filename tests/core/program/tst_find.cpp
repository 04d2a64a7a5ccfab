// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/find.h"
#include "tests/core/program/made_program.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace tidemark::tst_find {

using namespace tidemark::program;
using tidemark::test::MadeProgram;
using tidemark::test::MadeShape;
using tidemark::test::madeTransformer;

namespace {

Program found(const MadeProgram& made)
{
    return find(made.replay(), made.evidence);
}

/// One of a few values; the same for the same seed on every machine.
template <class T>
T oneOf(std::mt19937& random, std::initializer_list<T> values)
{
    return *(values.begin() + random() % values.size());
}

MadeShape drawn(std::mt19937& random)
{
    MadeShape shape;
    shape.heads = oneOf<std::int64_t>(random, {3, 4, 5, 6, 8, 12});
    shape.hidden = shape.heads * oneOf<std::int64_t>(random, {32, 64, 80, 128});
    shape.feed_forward =
        oneOf(random, {4 * shape.hidden, 3 * shape.hidden, shape.hidden * 8 / 3 / 64 * 64});
    shape.layers = oneOf<std::int64_t>(random, {2, 3, 4, 6, 8});
    shape.vocabulary = oneOf<std::int64_t>(random, {4000, 5000, 7777, 32000});
    shape.batch = oneOf<std::int64_t>(random, {1, 2, 3, 4, 6, 8});
    shape.sequence = oneOf<std::int64_t>(random, {96, 128, 160, 200, 256, 384});
    shape.trains = random() % 3 != 0;
    return shape;
}

std::map<DimensionName, std::int64_t> truthOf(const MadeShape& s)
{
    return {{DimensionName::batch, s.batch},
            {DimensionName::sequence, s.sequence},
            {DimensionName::tokens, s.batch * s.sequence},
            {DimensionName::hidden, s.hidden},
            {DimensionName::feed_forward, s.feed_forward},
            {DimensionName::heads, s.heads},
            {DimensionName::layers, s.layers},
            {DimensionName::vocabulary, s.vocabulary},
            {DimensionName::head_width, s.hidden / s.heads},
            {DimensionName::element_bytes, 4}};
}

std::string wordsOf(const MadeShape& s)
{
    return "d " + std::to_string(s.hidden) + " f " + std::to_string(s.feed_forward) + " N "
        + std::to_string(s.layers) + " H " + std::to_string(s.heads) + " V "
        + std::to_string(s.vocabulary) + " B " + std::to_string(s.batch) + " L "
        + std::to_string(s.sequence) + (s.trains ? " trains" : " forward");
}

} // namespace

class TstFind : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void dimensionsAreFoundOrNotStated()
    {
        std::mt19937 random(20);
        std::size_t known = 0;
        std::size_t stated = 0;
        for (int i = 0; i < 60; ++i) {
            const MadeShape shape = drawn(random);
            const Program program = found(madeTransformer(shape));
            const auto truth = truthOf(shape);
            known += truth.size();
            for (const Dimension& d : program.dimensions) {
                const auto true_value = truth.find(d.name);
                const std::string words = wordsOf(shape) + ": " + std::string(idOf(d.name)) + " "
                    + std::to_string(d.value);
                QVERIFY2(true_value != truth.end() && true_value->second == d.value, words.c_str());
                QVERIFY2(!d.evidence.empty() && d.confidence >= 0 && d.confidence <= 1,
                         words.c_str());
                QVERIFY2(std::ranges::all_of(d.alternatives,
                                             [](const Alternative& a) { return a.value > 0; }),
                         words.c_str());
                ++stated;
            }
        }
        QVERIFY2(stated * 100 >= known * 95,
                 (std::to_string(stated) + " of " + std::to_string(known)).c_str());
    }
    void tokensAsManyAsAWidthAreNoHalvesOfTwiceAsMany()
    {
        // A hidden state in 4 bytes is as large as one of twice the tokens in 2, but no weight is
        // cast.
        for (const std::int64_t heads : {4, 8, 16}) {
            for (const std::int64_t batch : {2, 4}) {
                MadeShape shape;
                shape.heads = heads;
                shape.hidden = 64 * heads;
                shape.feed_forward = 4 * shape.hidden;
                shape.batch = batch;
                shape.sequence = shape.hidden / batch;
                shape.trains = false;
                const auto truth = truthOf(shape);
                for (const Dimension& d : found(madeTransformer(shape)).dimensions) {
                    const std::string words = wordsOf(shape) + ": " + std::string(idOf(d.name))
                        + " " + std::to_string(d.value);
                    QVERIFY2(truth.at(d.name) == d.value, words.c_str());
                }
            }
        }
    }
    void everyExpressionGivesTheBytes()
    {
        std::mt19937 random(21);
        for (int i = 0; i < 10; ++i) {
            const MadeProgram made = madeTransformer(drawn(random));
            const Program program = found(made);
            const auto replay = made.replay();
            QCOMPARE(program.size_of.size(), replay.allocations.count());
            std::vector<std::int64_t> count(program.sizes.size(), 0);
            for (std::size_t a = 0; a < program.size_of.size(); ++a) {
                const SizeUse& use = program.sizeOf(AllocationId(a));
                QCOMPARE(use.bytes, replay.allocations.requested[a].value);
                ++count[program.size_of[a]];
            }
            for (std::size_t s = 0; s < program.sizes.size(); ++s) {
                QCOMPARE(count[s], program.sizes[s].count);
                for (const Expression& e : program.sizes[s].expressions) {
                    QCOMPARE(valueOf(e, program.values), program.sizes[s].bytes);
                }
            }
        }
    }
    void sizesSayWhatTheyAre()
    {
        const Program program = found(madeTransformer({}));
        std::map<TensorKind, std::int64_t> count;
        for (const SizeUse& use : program.sizes) {
            count[use.what] += use.count;
        }
        // Two steps of four layers: one matrix saved and one made on the way, each.
        QCOMPARE(count[TensorKind::attention_matrix], 16);
        QCOMPARE(count[TensorKind::token_ids], 2);
        QCOMPARE(count[TensorKind::logits], 2);
        QVERIFY(program.explained_share > 0.7);
    }
    void copiesAndBucketsAreToldByTheWeightsThereAre()
    {
        MadeShape shape;
        shape.feed_forward = 1600;
        shape.batch = 3;
        shape.sequence = 96;
        MadeProgram made = madeTransformer(shape);
        const std::int64_t matrix = shape.feed_forward * shape.hidden;
        made.make(4001 * shape.hidden * 4, Usage::gradient); // a flat bucket of many
        made.make(4160 * shape.hidden * 4, Usage::workspace);
        const std::size_t copy = made.make(matrix * 2, Usage::unknown);
        made.free(copy);
        const Program program = found(made);
        const SizeUse& use = program.sizeOf(AllocationId(copy));
        QCOMPARE(use.what, TensorKind::weight_copy);
        QCOMPARE(use.expressions.size(), std::size_t{1});
        QCOMPARE(use.expressions[0], (Expression{{Factor::feed_forward, Factor::hidden}, 1600, 2}));
        QVERIFY(program.sizeOf(AllocationId(copy - 1)).expressions.empty());
        QVERIFY(program.sizeOf(AllocationId(copy - 2)).expressions.empty());
    }
    void weightsAreFoundByTheirLifetimes()
    {
        MadeProgram made = madeTransformer({});
        for (Usage& kind : made.evidence.kind) {
            kind = kind == Usage::weight ? Usage::unknown : kind;
        }
        const Program program = found(made);
        QCOMPARE(program.find(DimensionName::hidden)->value, 512);
        QCOMPARE(program.find(DimensionName::layers)->value, 4);
    }
    void aCertainClaimIsNotOverruled()
    {
        MadeProgram made = madeTransformer({});
        for (Usage& kind : made.evidence.kind) {
            kind = kind == Usage::weight ? Usage::result : kind;
        }
        made.evidence.is_certain.assign(made.evidence.kind.size(), 1);
        const Program program = found(made);
        QVERIFY(program.weights.sizes.empty());
        for (const SizeUse& use : program.sizes) {
            QVERIFY(use.kind != Usage::weight);
        }
    }
    void trainedIsSaidOnlyWhereItShows()
    {
        MadeShape shape;
        shape.frozen_embedding = true;
        const Program program = found(madeTransformer(shape));
        const Weights& weights = program.weights;
        for (const WeightSize& w : weights.sizes) {
            if (w.bytes == shape.vocabulary * shape.hidden * 4) {
                // One of two is trained, and their sizes do not tell which.
                QCOMPARE(w.count, 2);
                QVERIFY(!w.trainable.has_value());
            } else {
                QCOMPARE(w.trainable, std::optional(true));
                QCOMPARE(w.gradients, 1);
                QCOMPARE(w.states, 2);
            }
        }
        shape.trains = false;
        const Program once = found(madeTransformer(shape));
        for (const WeightSize& w : once.weights.sizes) {
            QVERIFY(!w.trainable.has_value());
        }
    }
    void whatFollowsTheSequenceIsNoParameter_data()
    {
        QTest::addColumn<bool>("trains");
        QTest::newRow("training") << true;
        QTest::newRow("forward alone") << false;
    }
    void whatFollowsTheSequenceIsNoParameter()
    {
        QFETCH(const bool, trains);
        MadeShape shape;
        shape.trains = trains;
        shape.positions = 512; // a learned table is one
        const std::int64_t parameters = found(madeTransformer(shape)).weights.parameters;
        shape.has_buffers = true;
        const Weights weights = found(madeTransformer(shape)).weights;
        QCOMPARE(weights.parameters, parameters);
        QCOMPARE(weights.trainable, trains ? parameters : 0);
        std::int64_t buffers = 0;
        for (const WeightSize& w : weights.sizes) {
            QCOMPARE(w.buffers == 0 || w.buffers == w.count, true);
            buffers += w.buffers;
        }
        QCOMPARE(buffers, 6);
    }
    void runningStatisticsAreNoParameters()
    {
        // A normalisation of a batch has two vectors that are trained and two that are not.
        MadeProgram made;
        const std::vector<std::int64_t> matrices{147'456, 1'179'648, 2'359'296};
        std::vector<std::int64_t> trained;
        for (const std::int64_t bytes : matrices) {
            for (int vector = 0; vector < 4; ++vector) {
                made.before(1024, Usage::weight);
            }
            made.before(bytes, Usage::weight);
            trained.insert(trained.end(), {1024, 1024, bytes});
        }
        for (int step = 0; step < 2; ++step) {
            std::vector<std::size_t> gradients;
            for (const std::int64_t bytes : trained) {
                gradients.push_back(made.make(bytes, Usage::gradient));
            }
            for (const std::size_t gradient : gradients) {
                made.free(gradient);
            }
        }
        const Weights weights = found(made).weights;
        QCOMPARE(weights.parameters, (147'456 + 1'179'648 + 2'359'296 + 6 * 1024) / 4);
        QCOMPARE(weights.trainable, weights.parameters);
    }
    void aFailedRequestGrowsAsItsSizeDoes()
    {
        const MadeShape shape;
        const std::int64_t tokens = shape.batch * shape.sequence;
        const std::int64_t scores = tokens * shape.heads * shape.sequence * 4;
        MadeProgram made = madeTransformer(shape);
        made.evidence.failed = {{scores, Usage::saved},
                                {tokens * shape.feed_forward * 4, Usage::saved},
                                {scores + 4, Usage::scratch}};
        const Program program = found(made);
        QCOMPARE(program.failed.size(), 3U);
        QCOMPARE(program.failed[0].growths.front(), (Growth{1, 2}));
        QCOMPARE(program.failed[1].growths.front(), (Growth{1, 1}));
        QVERIFY(program.failed[2].growths.empty());
    }
    void rowsOfFeedForwardAreNoLogits()
    {
        // 1,024 positions in 4 bytes are as many as feed-forward's 2,048 numbers in 2.
        MadeShape shape;
        shape.positions = shape.feed_forward / 2;
        shape.has_head = false;
        shape.casts = true;
        const Program program = found(madeTransformer(shape));
        QCOMPARE(program.values.vocabulary, shape.vocabulary);
        shape.has_head = true;
        QCOMPARE(found(madeTransformer(shape)).find(DimensionName::vocabulary)->value,
                 shape.vocabulary);
    }
    void momentsThatPassForWeightsAreOneModel()
    {
        MadeProgram made = madeTransformer({});
        for (Usage& kind : made.evidence.kind) {
            kind = kind == Usage::state ? Usage::weight : kind;
        }
        const Program program = found(made);
        QCOMPARE(program.find(DimensionName::layers)->value, 4);
        QCOMPARE(program.find(DimensionName::vocabulary)->value, 8000);
    }
    void activationsThatPassForWeightsAreDoubted()
    {
        MadeShape shape;
        shape.batch = 3;
        MadeProgram made = madeTransformer(shape);
        const auto replay = made.replay();
        for (std::size_t a = 0; a < made.evidence.kind.size(); ++a) {
            const std::int64_t tokens = shape.batch * shape.sequence;
            if (made.evidence.kind[a] == Usage::saved
                && replay.allocations.requested[a].value == tokens * shape.feed_forward * 4) {
                made.evidence.kind[a] = Usage::weight;
            }
        }
        const Program program = found(made);
        QCOMPARE(program.find(DimensionName::layers)->value, 4);
        QCOMPARE(program.find(DimensionName::feed_forward)->value, 2048);
    }
    void whatIsNoTransformerHasNoDimensions()
    {
        std::mt19937 random(22);
        for (int i = 0; i < 20; ++i) {
            MadeProgram made;
            // Convolutions: every layer has other channels, and so have its activations.
            std::int64_t channels = oneOf<std::int64_t>(random, {16, 24, 32, 48});
            std::int64_t side = oneOf<std::int64_t>(random, {32, 64, 96});
            std::vector<std::int64_t> outputs;
            made.before(3 * channels * 9 * 4, Usage::weight);
            for (int layer = 0; layer < 6; ++layer) {
                const std::int64_t next = layer % 2 == 0 ? channels * 2 : channels;
                made.before(channels * next * 9 * 4, Usage::weight);
                made.before(next * 4, Usage::weight);
                side = layer % 2 == 0 ? side / 2 : side;
                channels = next;
                outputs.push_back(8 * channels * side * side * 4);
            }
            for (int step = 0; step < 3; ++step) {
                std::vector<std::size_t> saved;
                for (const std::int64_t bytes : outputs) {
                    saved.push_back(made.make(bytes, Usage::saved));
                }
                for (const std::size_t a : saved) {
                    made.free(a);
                }
            }
            const Program program = found(made);
            QVERIFY(program.dimensions.empty());
            QVERIFY(!program.unidentified.empty());
        }
    }
    void perceptronsAndTowersHaveNoDimensions()
    {
        constexpr std::int64_t kWidth = 768;
        constexpr std::int64_t kSamples = 1000;
        struct Stack {
            int stacks;
            int depth;
        };
        for (const Stack& s : {Stack{1, 7}, Stack{2, 3}, Stack{2, 4}}) {
            MadeProgram made;
            // Each layer is one square matrix with its bias and a normalisation.
            for (int layer = 0; layer < s.stacks * s.depth; ++layer) {
                if (layer % s.depth == 0) {
                    made.before(256 * kWidth * 4, Usage::weight);
                }
                made.before(kWidth * kWidth * 4, Usage::weight);
                for (int vector = 0; vector < 3; ++vector) {
                    made.before(kWidth * 4, Usage::weight);
                }
            }
            for (int step = 0; step < 3; ++step) {
                std::vector<std::size_t> saved;
                saved.push_back(made.make(kSamples * 256 * 4, Usage::input));
                for (int layer = 0; layer < s.stacks * s.depth; ++layer) {
                    saved.push_back(made.make(kSamples * kWidth * 4, Usage::saved));
                    saved.push_back(made.make(kSamples * 4, Usage::saved));
                    saved.push_back(made.make(kSamples * kWidth * 4, Usage::saved));
                }
                for (const std::size_t a : saved) {
                    made.free(a);
                }
            }
            const Program program = found(made);
            QVERIFY(program.dimensions.empty());
            QVERIFY(!program.unidentified.empty());
        }
    }
    void randomSizesHaveNoDimensions()
    {
        std::mt19937 random(23);
        for (int i = 0; i < 20; ++i) {
            MadeProgram made;
            for (int w = 0; w < 40; ++w) {
                made.before(4 * (100'000 + static_cast<std::int64_t>(random() % 1'000'000)),
                            Usage::weight);
            }
            for (int a = 0; a < 300; ++a) {
                made.scratch(4 * (1000 + static_cast<std::int64_t>(random() % 1'000'000)));
            }
            QVERIFY(found(made).dimensions.empty());
        }
    }
    void nothingIsFoundInNothing()
    {
        const Program program = found({});
        QVERIFY(program.dimensions.empty());
        QVERIFY(program.sizes.empty());
        QVERIFY(!program.unidentified.empty());
    }
    void askedToStopItReadsNothing()
    {
        const MadeProgram made = madeTransformer(MadeShape());
        QVERIFY(found(made).effort.readings > 0);
        std::stop_source source;
        source.request_stop();
        const Program program = find(made.replay(), made.evidence, source.get_token());
        QCOMPARE(program.effort.readings, std::int64_t{0});
        QCOMPARE(program.effort.allocations, std::int64_t{0});
        QVERIFY(program.sizes.empty());
    }
    void theSearchDoesNotGrowWithTheAllocations()
    {
        MadeShape shape;
        const MadeProgram once = madeTransformer(shape);
        shape.steps = 4;
        const MadeProgram twice = madeTransformer(shape);
        const Program short_run = found(once);
        const Program long_run = found(twice);
        const auto allocations = static_cast<double>(twice.evidence.kind.size())
            / static_cast<double>(once.evidence.kind.size());
        const auto ratio = [](std::int64_t a, std::int64_t b) {
            return static_cast<double>(b) / static_cast<double>(a);
        };
        QVERIFY(ratio(short_run.effort.readings, long_run.effort.readings) < 1.1);
        QVERIFY(ratio(short_run.effort.allocations, long_run.effort.allocations)
                <= allocations * 1.01);
    }
};

TIDEMARK_TEST(TstFind)

} // namespace tidemark::tst_find

#include "tst_find.moc"
