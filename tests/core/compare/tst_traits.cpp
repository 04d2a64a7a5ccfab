// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/run_traits.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::tst_traits {

using compare::Adapters;
using compare::RunTraits;
using program::WeightSize;

namespace {

WeightSize frozen(std::int64_t rows, std::int64_t columns, std::int64_t count)
{
    return {rows * columns * 4, count, 0, 4, {rows, columns}, false, 0, 0};
}

/// As the search guesses it: the shape may be wrong.
WeightSize trained(std::int64_t elements, std::int64_t count, std::vector<std::int64_t> shape = {})
{
    return {elements * 4, count, 0, 4, std::move(shape), true, 1, 2};
}

/// A decoder of four layers, 384 and 1024 wide.
program::Weights withAdapters(std::vector<WeightSize> adapters)
{
    program::Weights weights;
    weights.sizes = {frozen(6000, 384, 2), frozen(1024, 384, 12), frozen(384, 384, 16)};
    weights.sizes.insert(weights.sizes.end(), adapters.begin(), adapters.end());
    return weights;
}

RunTraits traits(std::vector<std::pair<std::int64_t, std::int64_t>> weights, bool is_exact)
{
    RunTraits made;
    made.is_exact = is_exact;
    for (const auto& [elements, count] : weights) {
        made.weights[elements * 4] = 4;
        made.weight_counts[elements * 4] = count;
        made.parameters += elements * count;
    }
    return made;
}

} // namespace

/// What one run was: adapters, parameters.
class TstTraits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void adaptersOnAllLinearLayersAreNoWholeMatrices()
    {
        // 16 × 1024 elements are 128 × 128 as well, and the search may read them so.
        const Adapters found = compare::adaptersOf(
            withAdapters({trained(16 * 384, 44), trained(16 * 1024, 12, {128, 128})}));
        QCOMPARE(found.rank, 16);
        QCOMPARE(found.matrices, 28);
        QCOMPARE(found.linears, 28);
        QCOMPARE(found.parameters, 44 * 16 * 384 + 12 * 16 * 1024);
        QCOMPARE(nameOf(found), std::string("rank 16 on all 28 linear layers"));
    }
    void adaptersOnSomeSayOnHowMany()
    {
        const Adapters found = compare::adaptersOf(withAdapters({trained(16 * 384, 16)}));
        QCOMPARE(found.rank, 16); // as well rank 6 of 1024
        QCOMPARE(nameOf(found), std::string("rank 16 on 8 of 28 linear layers"));
    }
    void aHeadThatIsTrainedIsNoAdapter()
    {
        QCOMPARE(compare::adaptersOf(withAdapters({trained(384 * 6000, 1, {6000, 384})})).rank, 0);
        QCOMPARE(nameOf(Adapters{}), std::string("none"));
    }
    void tablesThatFollowTheSequenceAreNoParameters()
    {
        // Inference tells no buffers from weights: the tables are those that only one run has.
        const auto [a, b] =
            compare::parameterTexts(traits({{4'000'000, 100}, {128 * 64, 2}}, false),
                                    traits({{4'000'000, 100}, {1024 * 64, 2}}, false));
        QCOMPARE(a, std::string("400.0 M"));
        QCOMPARE(b, a);
    }
    void parametersHaveAllDigitsWhereAllIsTrained()
    {
        const auto [a, b] = compare::parameterTexts(traits({{4'000'001, 100}}, true),
                                                    traits({{4'000'001, 101}}, true));
        QCOMPARE(a, std::string("400,000,100"));
        QCOMPARE(b, std::string("404,000,101"));
    }
    void whatOneRunAloneMakesHalvesOfIsCast()
    {
        using compare::Precision;
        const auto with = [](std::int64_t halves, bool are_copies) {
            RunTraits made = traits({{4'000'000, 2}, {1'000'000, 8}, {300, 9}}, true);
            // Halves of the smaller ones are as large as activations of both runs.
            made.halves = {{16'000'000, {halves, are_copies}}, {4'000'000, {700, true}}};
            return made;
        };
        RunTraits a = with(0, false);
        RunTraits b = with(6, true);
        compare::tellPrecisions(a, b);
        QCOMPARE(a.precision, Precision::full);
        QCOMPARE(b.precision, Precision::autocast);
        // Not by a size that nothing reads as copies, nor where both make it.
        for (const auto& [in_a, in_b, are_copies] :
             {std::tuple(0, 6, false), std::tuple(6, 6, true), std::tuple(0, 0, false)}) {
            a = with(in_a, are_copies);
            b = with(in_b, are_copies);
            b.halves[4'000'000].are_copies = false;
            compare::tellPrecisions(a, b);
            QCOMPARE(a.precision, Precision::unknown);
            QCOMPARE(b.precision, Precision::unknown);
        }
    }
    void anotherNumberOfLayersIsADifference()
    {
        const auto [a, b] = compare::parameterTexts(traits({{4'000'000, 100}}, false),
                                                    traits({{4'000'000, 101}}, true));
        QVERIFY(a != b);
    }
};

TIDEMARK_TEST(TstTraits)

} // namespace tidemark::tst_traits

#include "tst_traits.moc"
