// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/find.h"
#include "core/program/said.h"
#include "tests/core/program/made_program.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::tst_said {

using namespace tidemark::program;
using tidemark::test::MadeProgram;
using tidemark::test::MadeShape;
using tidemark::test::madeTransformer;

namespace {

using Dimensions = std::vector<SaidDimension>;

Program found(MadeProgram made, Dimensions said)
{
    made.evidence.dimensions = std::move(said);
    return find(made.replay(), made.evidence);
}

std::int64_t valueIn(const Program& program, DimensionName name)
{
    const Dimension* const d = program.find(name);
    return d == nullptr ? 0 : d->value;
}

/// Fused attention: nothing has the shape of attention matrices or of statistics per head.
MadeProgram withoutHeads(const MadeShape& shape)
{
    const MadeProgram whole = madeTransformer(shape);
    const replay::DeviceReplay replay = whole.replay();
    MadeProgram made;
    const std::int64_t rows = shape.batch * shape.sequence;
    const auto isLeftOut = [&](std::size_t a) {
        const std::int64_t bytes = replay.allocations.requested[a].value;
        return bytes == rows * shape.heads * 4 || bytes == rows * shape.heads * shape.sequence * 4
            || bytes == shape.sequence * shape.sequence || bytes == shape.sequence * 8;
    };
    struct Event {
        std::uint32_t at;
        bool is_free;
        std::size_t allocation;
    };
    std::vector<Event> events;
    for (std::size_t a = 0; a < whole.evidence.kind.size(); ++a) {
        if (!isLeftOut(a)) {
            events.push_back({replay.allocations.begin[a].value, false, a});
            events.push_back({replay.allocations.end[a].value, true, a});
        }
    }
    std::ranges::stable_sort(events, {}, &Event::at);
    std::vector<std::size_t> of(whole.evidence.kind.size());
    for (const Event& event : events) {
        const auto bytes = replay.allocations.requested[event.allocation].value;
        const Usage kind = whole.evidence.kind[event.allocation];
        if (event.is_free) {
            if (event.at < replay.stateCount()) {
                made.free(of[event.allocation]);
            }
        } else {
            of[event.allocation] =
                event.at == 0 ? made.before(bytes, kind) : made.make(bytes, kind);
        }
    }
    return made;
}

} // namespace

class TstSaid : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsTrueIsAlwaysAgreedWith()
    {
        std::mt19937 random(31);
        for (int i = 0; i < 6; ++i) {
            MadeShape shape;
            shape.heads = std::vector<std::int64_t>{4, 6, 8}[random() % 3];
            shape.hidden = shape.heads * 64;
            shape.batch = std::vector<std::int64_t>{1, 3, 4}[random() % 3];
            shape.trains = random() % 2 == 0;
            const MadeProgram made = madeTransformer(shape);
            for (const auto& [name, value] : Dimensions{{DimensionName::batch, shape.batch},
                                                        {DimensionName::sequence, shape.sequence},
                                                        {DimensionName::hidden, shape.hidden},
                                                        {DimensionName::heads, shape.heads},
                                                        {DimensionName::layers, shape.layers},
                                                        {DimensionName::head_width, 64},
                                                        {DimensionName::element_bytes, 4},
                                                        {DimensionName::feed_forward, 2048},
                                                        {DimensionName::vocabulary, 8000}}) {
                const Program program = found(made, {{name, value}});
                const Dimension* const said = program.find(name);
                QVERIFY2(said != nullptr, std::string(idOf(name)).c_str());
                QCOMPARE(said->value, value);
                QCOMPARE(said->confidence, 1.0);
                QCOMPARE(said->evidence, std::string("from a correction"));
                QVERIFY(said->alternatives.empty());
                QCOMPARE(valueIn(program, DimensionName::tokens), shape.batch * shape.sequence);
                QCOMPARE(valueIn(program, DimensionName::layers), shape.layers);
            }
        }
    }
    void headsThatNoSizeShowsAreTaken()
    {
        MadeShape shape;
        const MadeProgram made = withoutHeads(shape);
        const Program without = found(made, {});
        QCOMPARE(valueIn(without, DimensionName::hidden), shape.hidden);
        QCOMPARE(valueIn(without, DimensionName::heads), 0);
        QVERIFY(!without.unidentified.empty());
        const Program with = found(made, {{DimensionName::heads, shape.heads}});
        QCOMPARE(valueIn(with, DimensionName::heads), shape.heads);
        QCOMPARE(valueIn(with, DimensionName::head_width), shape.hidden / shape.heads);
        QCOMPARE(with.values.heads, shape.heads);
    }
    void theSplitFollowsFromOneOfItsParts()
    {
        MadeShape shape;
        const MadeProgram made = withoutHeads(shape);
        QCOMPARE(valueIn(found(made, {}), DimensionName::sequence), 0);
        const Program of_batch = found(made, {{DimensionName::batch, shape.batch}});
        QCOMPARE(valueIn(of_batch, DimensionName::sequence), shape.sequence);
        QCOMPARE(of_batch.find(DimensionName::sequence)->evidence, std::string("tokens / batch"));
        const Program of_sequence = found(made, {{DimensionName::sequence, shape.sequence}});
        QCOMPARE(valueIn(of_sequence, DimensionName::batch), shape.batch);
        // Twice the sequence is as good where nothing speaks against it: a person is believed.
        const Program half = found(made, {{DimensionName::batch, shape.batch / 2}});
        QCOMPARE(valueIn(half, DimensionName::sequence), shape.sequence * 2);
        QCOMPARE(half.values.sequence, shape.sequence * 2);
    }
    void expressionsFollowWhatIsSaid()
    {
        MadeShape shape;
        const Program program =
            found(madeTransformer(shape),
                  {{DimensionName::heads, shape.heads}, {DimensionName::batch, shape.batch}});
        for (const SizeUse& use : program.sizes) {
            for (const Expression& e : use.expressions) {
                QCOMPARE(valueOf(e, program.values), use.bytes);
            }
        }
    }
    void whereNothingAgreesOneSentenceSaysSo_data()
    {
        QTest::addColumn<int>("name");
        QTest::addColumn<qint64>("value");
        QTest::addColumn<QString>("words");
        const auto row = [](DimensionName name, qint64 value, const char* words) {
            QTest::newRow(words) << static_cast<int>(name) << value << QString::fromUtf8(words);
        };
        row(DimensionName::hidden, 500, "hidden 500");
        row(DimensionName::batch, 7, "batch 7");
        row(DimensionName::tokens, 1000, "1000 tokens");
        row(DimensionName::heads, 7, "7 heads");
        row(DimensionName::heads, 12, "12 heads");
        row(DimensionName::layers, 3, "3 layers");
        row(DimensionName::layers, 9, "9 layers");
        row(DimensionName::vocabulary, 8001, "vocabulary 8001");
        row(DimensionName::feed_forward, 2050, "feed-forward 2050");
        row(DimensionName::kv_width, 100, "key-value width 100");
        row(DimensionName::rank, 16, "LoRA rank 16");
    }
    void whereNothingAgreesOneSentenceSaysSo()
    {
        QFETCH(int, name);
        QFETCH(qint64, value);
        QFETCH(QString, words);
        const Program program =
            found(madeTransformer({}), {{static_cast<DimensionName>(name), value}});
        QVERIFY(program.dimensions.empty());
        QCOMPARE(QString::fromStdString(program.unidentified),
                 QStringLiteral("No dimensions fit %1, as a correction says, so none are "
                                "given.")
                     .arg(words));
    }
    void whatContradictsItselfAgreesWithNothing()
    {
        const Program program = found(madeTransformer({}),
                                      {{DimensionName::batch, 4},
                                       {DimensionName::sequence, 128},
                                       {DimensionName::tokens, 1024}});
        QVERIFY(program.dimensions.empty());
        QCOMPARE(program.unidentified,
                 std::string("No dimensions fit batch 4, sequence 128 and 1024 tokens, as "
                             "corrections say, so none are given."));
    }
    void theLastWordOnADimensionHolds()
    {
        const Program program =
            found(madeTransformer({}), {{DimensionName::heads, 7}, {DimensionName::heads, 8}});
        QCOMPARE(valueIn(program, DimensionName::heads), 8);
    }
    void whatNothingSpeaksAgainstStandsBesideTheReasonForTheRest()
    {
        // A model whose sizes show nothing: no structure is there to disagree.
        std::mt19937 random(33);
        MadeProgram made;
        for (int w = 0; w < 40; ++w) {
            made.before(4 * (100'000 + static_cast<std::int64_t>(random() % 1'000'000)),
                        Usage::weight);
        }
        const Program program =
            found(made, {{DimensionName::batch, 4}, {DimensionName::sequence, 512}});
        QCOMPARE(valueIn(program, DimensionName::batch), 4);
        QCOMPARE(valueIn(program, DimensionName::tokens), 2048);
        QCOMPARE(program.find(DimensionName::tokens)->evidence, std::string("batch · sequence"));
        QCOMPARE(program.dimensions.size(), 3U);
        QVERIFY(!program.unidentified.empty());
    }
    void nothingIsSearchedTwiceWhereNothingIsSaid()
    {
        const MadeProgram made = madeTransformer({});
        const Program without = found(made, {});
        const Program with = found(made, {{DimensionName::batch, 4}});
        QVERIFY(with.effort.allocations <= 2 * without.effort.allocations);
        QVERIFY(with.effort.readings <= 2 * without.effort.readings);
    }
    void idsLeadBackToNames()
    {
        for (std::size_t i = 0; i < kDimensionCount; ++i) {
            const auto name = static_cast<DimensionName>(i);
            QVERIFY(dimensionFromId(idOf(name)) == name);
        }
        QVERIFY(!dimensionFromId("head").has_value());
        QVERIFY(!dimensionFromId("").has_value());
    }
};

TIDEMARK_TEST(TstSaid)

} // namespace tidemark::tst_said

#include "tst_said.moc"
