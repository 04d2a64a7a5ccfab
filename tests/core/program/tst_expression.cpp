// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/expression.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_expression {

using namespace tidemark::program;

namespace {

Values someValues()
{
    Values v;
    v.batch = 4;
    v.sequence = 512;
    v.tokens = 2048;
    v.hidden = 2560;
    v.feed_forward = 10240;
    v.vocabulary = 10000;
    v.heads = 32;
    v.kv_width = 640;
    return v;
}

} // namespace

class TstExpression : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void productsGiveTheBytes()
    {
        using enum Factor;
        const Values v = someValues();
        QCOMPARE(valueOf(Expression{{batch, heads, sequence, sequence}, 0, 4}, v), 134'217'728);
        QCOMPARE(valueOf(Expression{{tokens, vocabulary}, 0, 4}, v), 81'920'000);
        QCOMPARE(valueOf(Expression{{tokens, number}, 24, 2}, v), 98'304);
        QCOMPARE(valueOf(Expression{{tokens, kv_heads}, 0, 4}, v), 65'536);
        QCOMPARE(valueOf(Expression{{batch, sequence_less_one}, 0, 8}, v), 16'352);
        QCOMPARE(valueOf(Expression{{tokens, fused_qkv_width}, 0, 4}, v), 31'457'280);
    }
    /// Wrong guesses are tried, too: rows of a card's whole memory, squared.
    void whatNoMemoryCouldTakeGivesNothing()
    {
        using enum Factor;
        Values v = someValues();
        v.sequence = 138'248'576;
        v.batch = 512;
        QCOMPARE(valueOf(Expression{{batch, sequence, sequence}, 0, 1}, v), 0);
    }
    void whatIsNotKnownOrDoesNotDivideGivesNothing()
    {
        using enum Factor;
        Values v = someValues();
        v.heads = 0;
        QCOMPARE(valueOf(Expression{{tokens, heads}, 0, 4}, v), 0);
        QCOMPARE(valueOf(Expression{{sequence, head_width}, 0, 4}, v), 0);
        v.heads = 7;
        QCOMPARE(valueOf(Expression{{sequence, head_width}, 0, 4}, v), 0);
        v.hidden = 5;
        QCOMPARE(valueOf(Expression{{half_hidden}, 0, 4}, v), 0);
    }
    void growthCountsBatchAndSequence()
    {
        using enum Factor;
        QCOMPARE(growthOf({{batch, heads, sequence, sequence}, 0, 4}), (Growth{1, 2}));
        QCOMPARE(growthOf({{tokens, hidden}, 0, 4}), (Growth{1, 1}));
        QCOMPARE(growthOf({{sequence, sequence}, 0, 1}), (Growth{0, 2}));
        QCOMPARE(growthOf({{batch, sequence_less_one, vocabulary}, 0, 4}), (Growth{1, 1}));
        QCOMPARE(growthOf({{hidden, feed_forward}, 0, 4}), (Growth{}));
    }
    void formulasAndTextsNameTheDimensions()
    {
        using enum Factor;
        const Expression scores{{batch, heads, sequence, sequence}, 0, 4};
        QCOMPARE(formulaOf(scores), std::string("batch*heads*sequence*sequence*4"));
        QCOMPARE(textOf(scores), std::string("batch · heads · sequence · sequence · 4 B"));
        QCOMPARE(formulaOf({{tokens, half_hidden}, 0, 2}), std::string("tokens*hidden/2*2"));
        QCOMPARE(formulaOf({{tokens, number}, 1408, 4}), std::string("tokens*1408*4"));
        QCOMPARE(textOf({{tokens, number}, 1408, 4}), std::string("tokens · 1408 · 4 B"));
    }
};

TIDEMARK_TEST(TstExpression)

} // namespace tidemark::tst_expression

#include "tst_expression.moc"
