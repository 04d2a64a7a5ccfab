// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/tensor_guesses.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

namespace tidemark::tst_tensor_guesses {

using namespace tidemark::label;
using program::DimensionName;
using program::Expression;
using program::Factor;
using program::TensorKind;

namespace {

using Shape = std::vector<std::int64_t>;

/// A program of known dimensions and one allocation per size.
class Run {
public:
    Run()
    {
        m_program.values.hidden = 768;
        m_program.values.feed_forward = 3072;
        m_program.values.tokens = 8192;
        m_program.values.batch = 8;
        m_program.values.sequence = 1024;
        m_program.values.heads = 12;
        state(DimensionName::hidden);
        state(DimensionName::feed_forward);
        state(DimensionName::tokens);
    }
    void state(DimensionName name)
    {
        m_program.dimensions.push_back({name, 1, 1, "", {}});
    }
    void stateNothing()
    {
        m_program.dimensions.clear();
        m_program.unidentified = "No layers repeat.";
    }
    std::size_t add(TensorKind what, const std::vector<Expression>& expressions,
                    std::int64_t bytes = 0)
    {
        program::SizeUse use;
        use.bytes = bytes > 0 ? bytes : program::valueOf(expressions.at(0), m_program.values);
        use.what = what;
        use.expressions = expressions;
        m_script += fmt::format("t{} +{} @s\n", m_program.sizes.size(), use.bytes);
        m_program.size_of.push_back(static_cast<std::uint32_t>(m_program.sizes.size()));
        m_program.sizes.push_back(use);
        return m_program.sizes.size() - 1;
    }
    [[nodiscard]] TensorGuesses guess() const
    {
        const trace::Snapshot snapshot =
            test::snapshotFromScript("stack s = f /me/train.py:1\n" + m_script);
        NoProgress progress;
        const replay::Replay replay = replay::run(snapshot, progress, {}).value();
        return guessTensors(snapshot, snapshot.devices[0], replay.devices[0], &m_program);
    }

private:
    program::Program m_program;
    std::string m_script;
};

const TensorGuess& of(const TensorGuesses& guesses, std::size_t i)
{
    static const TensorGuess none;
    const TensorGuess* const guess = guesses.of(AllocationId(i));
    return guess == nullptr ? none : *guess;
}

constexpr Expression kMatrix{{Factor::feed_forward, Factor::hidden}, 0, 4};
constexpr Expression kHidden{{Factor::tokens, Factor::hidden}, 0, 4};
constexpr Expression kScores{
    {Factor::batch, Factor::heads, Factor::sequence, Factor::sequence}, 0, 4};

} // namespace

class TstTensorGuesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aProductOfDimensionsIsAShape()
    {
        Run run;
        const std::size_t weight = run.add(TensorKind::weight, {kMatrix});
        const std::size_t hidden = run.add(TensorKind::hidden_state, {kHidden});
        const std::size_t narrow =
            run.add(TensorKind::feed_forward, {{{Factor::tokens, Factor::feed_forward}, 0, 2}});
        const std::size_t ids = run.add(TensorKind::token_ids, {{{Factor::tokens}, 0, 8}});
        const std::size_t copy =
            run.add(TensorKind::weight_copy, {{{Factor::feed_forward, Factor::hidden}, 0, 2}});
        const TensorGuesses guesses = run.guess();
        QCOMPARE(of(guesses, weight).shape, (Shape{3072, 768}));
        QCOMPARE(of(guesses, weight).dtype, std::string("float32"));
        QVERIFY2(of(guesses, weight).any_order, "which side comes first does not show");
        QCOMPARE(of(guesses, hidden).shape, (Shape{8192, 768}));
        QVERIFY(!of(guesses, hidden).any_order && !of(guesses, hidden).is_exact);
        QVERIFY(of(guesses, hidden).reason.find("tokens · hidden · 4 B") == 0);
        QCOMPARE(of(guesses, narrow).shape, (Shape{8192, 3072}));
        QCOMPARE(of(guesses, narrow).dtype, std::string("float16 or bfloat16"));
        QCOMPARE(of(guesses, ids).shape, (Shape{8192}));
        QCOMPARE(of(guesses, ids).dtype, std::string("int64"));
        QCOMPARE(of(guesses, copy).shape, (Shape{3072, 768}));
    }
    void whatTwoProductsFitIsNotSaid()
    {
        Run run;
        const std::size_t twice = run.add(TensorKind::hidden_state,
                                          {kHidden, {{Factor::tokens, Factor::number}, 768, 4}});
        const TensorGuesses guesses = run.guess();
        QVERIFY(of(guesses, twice).shape.empty() && of(guesses, twice).dtype.empty());
        QVERIFY(!of(guesses, twice).reason.empty());
    }
    void aProductOfWhatIsNotStatedIsNone()
    {
        for (const bool is_stated : {false, true}) {
            Run run;
            if (is_stated) {
                run.state(DimensionName::batch);
                run.state(DimensionName::sequence);
                run.state(DimensionName::heads);
            }
            const std::size_t scores = run.add(TensorKind::attention_matrix, {kScores});
            const std::size_t hidden = run.add(TensorKind::hidden_state, {kHidden, kScores});
            const TensorGuesses guesses = run.guess();
            QCOMPARE(of(guesses, scores).shape, is_stated ? (Shape{8, 12, 1024, 1024}) : Shape());
            QCOMPARE(of(guesses, hidden).shape, is_stated ? Shape() : (Shape{8192, 768}));
        }
    }
    void whereNothingIsKnownTheReasonSaysWhy()
    {
        Run run;
        run.stateNothing();
        const std::size_t hidden = run.add(TensorKind::hidden_state, {kHidden});
        const std::size_t workspace = run.add(TensorKind::workspace, {}, 8519680);
        const TensorGuesses guesses = run.guess();
        QVERIFY(of(guesses, hidden).shape.empty());
        QCOMPARE(of(guesses, hidden).reason, std::string("No layers repeat."));
        QVERIFY(guesses.of(AllocationId(workspace)) == nullptr);
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

} // namespace tidemark::tst_tensor_guesses

#include "tst_tensor_guesses.moc"
