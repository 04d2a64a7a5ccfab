// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/tensor_guesses.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

using namespace tidemark;
using namespace tidemark::label;

namespace {

using Shape = std::vector<std::int64_t>;

/// Allocations with known shapes, one after another.
class Model {
public:
    std::size_t add(std::int64_t elements, std::int64_t width, Bucket bucket,
                    Role role = Role::none, char stack = 's')
    {
        m_script += fmt::format("t{} +{} @{}\n", m_buckets.size(), elements * width, stack);
        m_buckets.push_back(bucket);
        m_roles.push_back(role);
        m_reasons.push_back(0);
        return m_buckets.size() - 1;
    }
    /// What autocast copied for a layer to read.
    std::size_t addInputCopy(std::int64_t elements)
    {
        const std::size_t i = add(elements, 2, Bucket::activation);
        m_reasons.back() = 1;
        return i;
    }
    /// A transformer's weights: `layers` blocks with biases, an embedding.
    void addWeights(std::int64_t hidden, std::int64_t layers, std::int64_t vocabulary,
                    std::int64_t width)
    {
        for (std::int64_t l = 0; l < layers; ++l) {
            add(3 * hidden * hidden, width, Bucket::parameter);
            add(3 * hidden, width, Bucket::parameter);
            add(hidden * hidden, width, Bucket::parameter);
            add(hidden, width, Bucket::parameter);
            add(hidden, width, Bucket::parameter);
            add(4 * hidden * hidden, width, Bucket::parameter);
            add(4 * hidden, width, Bucket::parameter);
        }
        add(vocabulary * hidden, width, Bucket::parameter);
    }
    /// What a normalisation of `rows` × `hidden` makes, its statistics by another call of C++.
    void addNorm(std::int64_t rows, std::int64_t hidden, std::int64_t width)
    {
        add(rows * hidden, width, Bucket::activation);
        add(rows, 4, Bucket::activation, Role::none, 'n');
        add(rows, 4, Bucket::activation, Role::none, 'n');
    }
    [[nodiscard]] TensorGuesses guess() const
    {
        const trace::Snapshot snapshot =
            test::snapshotFromScript("stack s = f /me/train.py:1\n"
                                     "stack n = at::empty() ??:0; f /me/train.py:1\n"
                                     + m_script);
        NoProgress progress;
        const replay::Replay replay = replay::run(snapshot, progress, {}).value();
        DeviceLabels labels;
        labels.bucket = m_buckets;
        labels.role = m_roles;
        labels.reason = m_reasons;
        labels.reasons = {{"saved-for-backward", ""}, {"autocast-input", ""}};
        return guessTensors(snapshot, snapshot.devices[0], replay.devices[0], labels);
    }

private:
    std::string m_script;
    std::vector<Bucket> m_buckets;
    std::vector<Role> m_roles;
    std::vector<std::uint32_t> m_reasons;
};

const TensorGuess& of(const TensorGuesses& guesses, std::size_t i)
{
    static const TensorGuess none;
    const TensorGuess* const guess = guesses.of(AllocationId(i));
    return guess == nullptr ? none : *guess;
}

} // namespace

class TstTensorGuesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void vectorsAndMatricesGiveTheWidthOfAnElement()
    {
        for (const std::int64_t width : {4, 2}) {
            Model model;
            model.addWeights(768, 4, 50304, width);
            const TensorGuesses guesses = model.guess();
            QCOMPARE(guesses.facts().element, width);
            QCOMPARE(guesses.facts().hidden, std::int64_t{768});
            QCOMPARE(of(guesses, 0).shape, (Shape{2304, 768}));
            QCOMPARE(of(guesses, 1).shape, (Shape{2304}));
            QCOMPARE(of(guesses, 2).shape, (Shape{768, 768}));
            QCOMPARE(of(guesses, 5).shape, (Shape{3072, 768}));
            QCOMPARE(of(guesses, 28).shape, (Shape{50304, 768}));
            QVERIFY(of(guesses, 0).any_order);
            QCOMPARE(of(guesses, 0).dtype,
                     std::string(width == 4 ? "float32" : "float16 or bfloat16"));
        }
    }
    void rowsComeFromTheStatisticsOfANorm()
    {
        Model model;
        model.addWeights(768, 4, 50304, 4);
        model.addNorm(8192, 768, 4);
        const std::size_t gelu = model.add(8192 * 3072, 4, Bucket::activation);
        const std::size_t logits = model.add(8192 * 50304, 4, Bucket::temporary);
        const std::size_t matrix =
            model.add(8 * 12 * 1024 * 1024, 4, Bucket::activation, Role::attention_matrix);
        const std::size_t odd = model.add(8192 * 769, 4, Bucket::activation);
        const std::size_t ids = model.add(8192, 8, Bucket::input);
        const TensorGuesses guesses = model.guess();
        QCOMPARE(guesses.facts().tokens, std::int64_t{8192});
        QCOMPARE(of(guesses, gelu).shape, (Shape{8192, 3072}));
        QCOMPARE(of(guesses, gelu).dtype, std::string("float32"));
        QCOMPARE(of(guesses, logits).shape, (Shape{8192, 50304}));
        QCOMPARE(of(guesses, matrix).shape, (Shape{8192, 12 * 1024}));
        QCOMPARE(of(guesses, ids).shape, (Shape{8192}));
        QCOMPARE(of(guesses, ids).dtype, std::string("int64"));
        QVERIFY(of(guesses, odd).shape.empty());
        QVERIFY(of(guesses, odd).dtype.empty());
        QVERIFY(!of(guesses, odd).reason.empty());
    }
    void statesAndCopiesHaveTheShapeOfTheirWeight()
    {
        Model model;
        model.addWeights(768, 4, 50304, 2);
        const std::size_t master =
            model.add(4 * 768 * 768, 4, Bucket::optimizer_state); // of 16-bit weights
        const std::size_t gradient = model.add(3 * 768 * 768, 2, Bucket::gradient);
        const TensorGuesses guesses = model.guess();
        QCOMPARE(of(guesses, master).shape, (Shape{3072, 768}));
        QCOMPARE(of(guesses, master).dtype, std::string("float32"));
        QCOMPARE(of(guesses, gradient).shape, (Shape{2304, 768}));
        QCOMPARE(of(guesses, gradient).dtype, std::string("float16 or bfloat16"));

        Model autocast;
        autocast.addWeights(768, 4, 50304, 4);
        const std::size_t cast =
            autocast.add(3 * 768 * 768, 2, Bucket::activation, Role::weight_cast);
        QCOMPARE(of(autocast.guess(), cast).shape, (Shape{2304, 768}));
        QCOMPARE(of(autocast.guess(), cast).dtype, std::string("float16 or bfloat16"));
    }
    void whatFitsTwiceIsNotSaid()
    {
        // 16-bit copies exist, so a row of 2 × 768 elements in 4 bytes looks like one of 4 × 768
        // in 2.
        Model model;
        model.addWeights(768, 4, 50304, 4);
        model.add(1536, 4, Bucket::parameter);
        model.add(768 * 768, 2, Bucket::activation, Role::weight_cast);
        model.addNorm(8192, 768, 4);
        const std::size_t twice = model.add(8192 * 1536, 4, Bucket::activation);
        const std::size_t once = model.add(8192 * 50304, 4, Bucket::activation);
        const TensorGuesses guesses = model.guess();
        QVERIFY(of(guesses, twice).shape.empty());
        QCOMPARE(of(guesses, once).shape, (Shape{8192, 50304}));
    }
    void whatAutocastCopiedHasTwoBytesAnElement()
    {
        // Scores of 12 heads × 512 keys, as large as rows of 3072 elements in four bytes.
        Model model;
        model.addWeights(768, 4, 50304, 4);
        model.addNorm(8192, 768, 4);
        const std::size_t scores = model.addInputCopy(8192 * 6144);
        const std::size_t hidden = model.addInputCopy(8192 * 768);
        const std::size_t wide = model.add(8192 * 3072, 4, Bucket::activation);
        const TensorGuesses guesses = model.guess();
        QVERIFY(of(guesses, scores).shape.empty());
        QCOMPARE(of(guesses, hidden).shape, (Shape{8192, 768}));
        QCOMPARE(of(guesses, hidden).dtype, std::string("float16 or bfloat16"));
        QCOMPARE(of(guesses, wide).shape, (Shape{8192, 3072}));
        QCOMPARE(of(guesses, wide).dtype, std::string("float32"));
    }
    void withoutAProductOfVectorsNothingIsSaid()
    {
        Model model;
        for (int i = 0; i < 12; ++i) {
            model.add(1000 + 7 * i, 4, Bucket::parameter);
            model.add(300000 + 1111 * i, 4, Bucket::parameter);
        }
        const TensorGuesses guesses = model.guess();
        QCOMPARE(guesses.facts().element, std::int64_t{0});
        QVERIFY(of(guesses, 0).shape.empty() && of(guesses, 0).dtype.empty());
    }
    void widthsThatDoubleFitAnyElement()
    {
        Model model;
        for (const std::int64_t width : {64, 128, 256, 512}) {
            model.add(width, 4, Bucket::parameter);
            model.add(width, 4, Bucket::parameter);
            model.add(width * width, 4, Bucket::parameter);
            model.add(2 * width * width, 4, Bucket::parameter);
        }
        QCOMPARE(model.guess().facts().element, std::int64_t{0});
    }
    void packedWeightsAreNotReadAsPlainOnes()
    {
        // Four bits an element, with 16-bit biases: [2048, 8192] takes as much as 16-bit [2048,
        // 2048].
        Model model;
        for (int l = 0; l < 8; ++l) {
            for (int k = 0; k < 4; ++k) {
                model.add(2048 * 2048 / 2, 1, Bucket::parameter);
                model.add(2048, 2, Bucket::parameter);
            }
            model.add(2048 * 8192 / 2, 1, Bucket::parameter);
            model.add(8192, 2, Bucket::parameter);
        }
        QCOMPARE(model.guess().facts().element, std::int64_t{0});
    }
    void whatTheFileStatesWins()
    {
        const auto said =
            tensorInText("layer.0.weight: torch.bfloat16 [768, 3072]", 768 * 3072 * 2);
        QVERIFY(said.has_value());
        QCOMPARE(said->shape, (Shape{768, 3072}));
        QCOMPARE(said->dtype, std::string("bfloat16"));
        QVERIFY(said->is_exact && !said->any_order);
        QVERIFY(tensorInText("float32 (8, 128)", 8 * 128 * 4).has_value());
        QVERIFY2(!tensorInText("float32 (8, 128)", 8 * 128 * 2), "its size is another");
        QVERIFY2(!tensorInText("epoch 1", 512), "it names nothing");
        QVERIFY2(!tensorInText("float32 (a, 8)", 32), "it names no numbers");
        QVERIFY2(!tensorInText("float32x (8)", 32), "it is another word");
        QVERIFY2(!tensorInText("int8 [0, 4]", 0), "it has no elements");
    }
};

TIDEMARK_TEST(TstTensorGuesses)
#include "tst_tensor_guesses.moc"
