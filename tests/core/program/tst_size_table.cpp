// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/constants.h"
#include "core/program/readings.h"
#include "core/program/size_table.h"
#include "core/program/weight_names.h"
#include "core/program/weight_set.h"
#include "tests/core/program/made_program.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_size_table {

using namespace tidemark::program;
using tidemark::test::MadeProgram;

namespace {

constexpr std::int64_t kHidden = 256;
constexpr std::int64_t kMatrix = kHidden * kHidden; // elements
constexpr int kLayers = 4;

struct Table {
    explicit Table(const MadeProgram& made)
        : replay(made.replay())
        , observed(observe(replay, made.evidence))
        , weights(findWeights(observed))
        , sizes(observed, weights, 4)
    {
    }
    replay::DeviceReplay replay;
    Observed observed;
    WeightSet weights;
    SizeTable sizes;
};

MadeProgram withWeights()
{
    MadeProgram made;
    for (int layer = 0; layer < kLayers; ++layer) {
        made.before(kMatrix * 4, Usage::weight);
    }
    return made;
}

bool hasCopies(const SizeTable& sizes, std::int64_t bytes)
{
    const auto& all = sizes.narrowCopies();
    const auto found = std::ranges::find(all, bytes, &NarrowCopies::bytes);
    return found != all.end() && found->are_there;
}

/// The prior of a mask of `batch · heads · sequence · sequence` bytes.
double maskPrior(const SizeTable& sizes, std::int64_t tokens, std::int64_t sequence,
                 std::int64_t heads)
{
    WeightView view;
    view.hidden = kHidden;
    const WeightNames names;
    const Widths widths;
    const Said said;
    const ReadingContext context{view, names, widths, sizes, said, Regime::full};
    for (const Reading& r : readingsOfSequence(context, tokens, sequence, heads)) {
        if (r.bytes == tokens * heads * sequence && r.expression == attentionMatrix(1)) {
            return r.prior;
        }
    }
    return 0;
}

} // namespace

class TstSizeTable : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void savedCopiesCountWhateverElseIsAsLarge()
    {
        MadeProgram made = withWeights();
        for (int layer = 0; layer < kLayers; ++layer) {
            made.make(kMatrix * 2, Usage::saved);
        }
        for (int other = 0; other < 3; ++other) {
            made.scratch(kMatrix * 2);
        }
        QVERIFY(hasCopies(Table(made).sizes, kMatrix * 2));
    }
    void whatIsSavedForSomeWeightsAloneIsNoCopy()
    {
        MadeProgram made = withWeights();
        for (int layer = 0; layer + 1 < kLayers; ++layer) {
            made.make(kMatrix * 2, Usage::saved);
        }
        QVERIFY(!hasCopies(Table(made).sizes, kMatrix * 2));
    }
    void aTableAmongManyWeightsIsNotCopied()
    {
        MadeProgram made;
        for (int matrix = 0; matrix < 14; ++matrix) {
            made.before(kMatrix * 4, Usage::weight);
            made.make(kMatrix * 2, Usage::saved);
        }
        made.before(kMatrix * 4, Usage::weight);
        QVERIFY(hasCopies(Table(made).sizes, kMatrix * 2));
        made.before(kMatrix * 4, Usage::weight);
        made.before(kMatrix * 4, Usage::weight);
        QVERIFY(!hasCopies(Table(made).sizes, kMatrix * 2));
    }
    void savedCopiesAsLargeAsAnotherWeightAreCopies()
    {
        MadeProgram made = withWeights();
        for (int layer = 0; layer < kLayers; ++layer) {
            made.before(kMatrix * 2, Usage::weight);
            made.make(kMatrix * 2, Usage::saved);
        }
        const Table table(made);
        QCOMPARE(table.sizes.find(kMatrix * 2)->explained, kNarrowCopy);
        QVERIFY(!hasCopies(table.sizes, kMatrix * 2)); // They do not tell autocast.
        made.make(kMatrix * 2, Usage::saved);
        QVERIFY(Table(made).sizes.find(kMatrix * 2)->explained < kNarrowCopy);
    }
    void aSmallTableHasNoCopies()
    {
        MadeProgram made = withWeights();
        made.before(1000 * 4, Usage::weight);
        made.scratch(1000 * 2);
        QVERIFY(!hasCopies(Table(made).sizes, 1000 * 2));
    }
    void inverseFrequenciesAreHalfAHead()
    {
        const Table table(withWeights());
        WeightView view;
        view.hidden = kHidden;
        const WeightNames names;
        const Widths widths;
        const Said said;
        const ReadingContext context{view, names, widths, table.sizes, said, Regime::full};
        const auto readings = readingsOfSequence(context, 512, 128, 8);
        const auto at = std::ranges::find_if(readings, [](const Reading& r) {
            return r.expression.factors[0] == Factor::half_head_width
                && r.expression.factors[1] == Factor::none && r.expression.element_bytes == 4;
        });
        QVERIFY(at != readings.end());
        QCOMPARE(at->bytes, kHidden / 8 / 2 * 4);
        QCOMPARE(growthOf(at->expression), Growth{});
    }
    void noMoreMasksAreSavedThanMatrices()
    {
        constexpr std::int64_t kTokens = 4 * 128;
        constexpr std::int64_t kScores = kTokens * 8 * 128;
        MadeProgram made = withWeights();
        for (int layer = 0; layer < kLayers; ++layer) {
            made.make(kScores * 4, Usage::saved);
            made.make(kScores, Usage::saved);
        }
        const double alone = maskPrior(Table(made).sizes, kTokens, 128, 8);
        made.make(kScores, Usage::saved);
        const double too_many = maskPrior(Table(made).sizes, kTokens, 128, 8);
        QVERIFY2(too_many < alone / 2, qPrintable(QString::number(too_many)));
    }
};

TIDEMARK_TEST(TstSizeTable)

} // namespace tidemark::tst_size_table

#include "tst_size_table.moc"
