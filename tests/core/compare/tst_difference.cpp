// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/difference.h"
#include "tests/core/compare/decoder_run.h"
#include "tests/core/compare/difference_probe.h"
#include "tests/core/diagnose/hand_run.h"
#include "tests/support/labelled.h"
#include "tests/support/random_memory.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>

namespace tidemark::tst_difference {

using compare::Became;
using compare::ChangeOf;
using compare::Difference;
using namespace tidemark::test;

namespace {

bool saysNothing(const Difference& d)
{
    return d.parts.changes.empty() && d.parts.unexplained.value == 0
        && std::ranges::all_of(d.parts.places, [](const compare::PlaceDifference& place) {
               return place.became == compare::Became::equal;
           });
}

} // namespace

class TstDifference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneRunTwiceDiffersInNothing()
    {
        const Difference d = between(DecoderOptions(), DecoderOptions());
        QVERIFY(saysNothing(d));
        QCOMPARE(d.matched, d.allocations_a);
        QVERIFY(d.headline.warnings.empty());
        QVERIFY(says(d.sentences, "same peak"));
    }
    void placesSurviveMovedLinesRenamedFilesAndAnotherTorch()
    {
        const Difference d = between(
            DecoderOptions(),
            DecoderOptions{.folder = "/data/x/", .file = "net.py", .line = 77, .torch_line = 912});
        QVERIFY(saysNothing(d));
        QCOMPARE(d.matched, d.allocations_a);
        QVERIFY(d.allocator.is_other_torch);
        QVERIFY(says(d.sentences, "different torch releases"));
    }
    void aLongerSequenceIsFoundAndExplainsAll()
    {
        const Difference d = between(DecoderOptions{}, DecoderOptions{.sequence = 256});
        const compare::RunChange* const change = find(d, ChangeOf::sequence);
        QVERIFY(change != nullptr);
        QCOMPARE(change->ratio.value(), 2.0);
        QCOMPARE(change->from, std::string("128"));
        QCOMPARE(change->to, std::string("256"));
        QCOMPARE(diagnose::changeText(change->apply.value()), std::string("sequence=2"));
        QCOMPARE(d.parts.changes.size(), 1UL);
        QCOMPARE(d.parts.unexplained.value, 0);
        QCOMPARE(change->explains.value, delta(d));
        const auto grewFour = [](const compare::PlaceDifference& place) {
            return place.what == program::TensorKind::attention_matrix && place.factor == 4.0;
        };
        QVERIFY(std::ranges::any_of(d.parts.places, grewFour));
    }
    void aWiderModelHasNoMoreRows()
    {
        const Difference d = between(
            DecoderOptions{}, DecoderOptions{.hidden = 640, .feed_forward = 2560, .heads = 10});
        QVERIFY(d.is_other_model);
        QVERIFY(find(d, ChangeOf::model) != nullptr);
        QVERIFY(find(d, ChangeOf::rows) == nullptr);
        QVERIFY(find(d, ChangeOf::sequence) == nullptr);
        QVERIFY(find(d, ChangeOf::micro_batch) == nullptr);
        QCOMPARE(sumOfParts(d), delta(d));
    }
    void theOtherWayRoundEverythingIsNegative()
    {
        const Difference there = between(DecoderOptions{}, DecoderOptions{.sequence = 256});
        const Difference back = between(DecoderOptions{.sequence = 256}, DecoderOptions{});
        QCOMPARE(find(back, ChangeOf::sequence)->ratio.value(), 0.5);
        QCOMPARE(find(back, ChangeOf::sequence)->explains.value,
                 -find(there, ChangeOf::sequence)->explains.value);
        QCOMPARE(back.parts.unexplained.value, 0);
    }
    void aLargerBatchIsNoLongerSequence()
    {
        const Difference d = between(DecoderOptions{}, DecoderOptions{.batch = 12});
        QCOMPARE(d.parts.changes.size(), 1UL);
        QVERIFY(d.parts.changes[0].of == ChangeOf::micro_batch);
        QCOMPARE(d.parts.changes[0].ratio.value(), 3.0);
        QCOMPARE(d.parts.changes[0].explains.value, delta(d));
    }
    void twoChangesShareTheDifference()
    {
        const Difference d = between(DecoderOptions{}, DecoderOptions{.batch = 8, .sequence = 256});
        QVERIFY(find(d, ChangeOf::sequence)->explains.value > 0);
        QVERIFY(find(d, ChangeOf::micro_batch)->explains.value > 0);
        QCOMPARE(d.parts.unexplained.value, 0);
        QCOMPARE(sumOfParts(d), delta(d));
    }
    void aPlaceIsToldAsAPartOfWhatExplainsIt()
    {
        const auto placesOf = [](const Difference& d) {
            std::vector<std::string> texts;
            for (const compare::Sentence& sentence : d.sentences) {
                if (sentence.says == compare::Says::place) {
                    texts.push_back(sentence.text);
                    texts.push_back(sentence.brief);
                }
            }
            return texts;
        };
        const auto isPart = [](const std::string& text) { return text.starts_with("Including "); };
        const auto of_change = placesOf(between(DecoderOptions{}, DecoderOptions{.sequence = 256}));
        QVERIFY(!of_change.empty() && std::ranges::all_of(of_change, isPart));
    }
    void peaksInOtherPhasesAreComparedAtThePlaceOfTheLargerOne()
    {
        const Difference d =
            between(DecoderOptions{.sequence = 32}, DecoderOptions{.sequence = 1024});
        QVERIFY(d.place_a != d.place_b);
        QVERIFY(d.parts.moved.value > 0);
        QVERIFY(says(d.sentences, "different phases"));
        QCOMPARE(sumOfParts(d), delta(d));
        QCOMPARE(d.parts.unexplained.value, 0);
    }
    void autocastIsFoundWhereAMatrixIsHalfAsLargeAsAnother()
    {
        // What the optimizer makes for a square matrix is as large as a copy of a feed-forward's.
        const Difference d =
            between(DecoderOptions{.feed_forward = 1024, .batch = 12},
                    DecoderOptions{.feed_forward = 1024, .batch = 12, .is_autocast = true});
        QVERIFY(find(d, ChangeOf::precision) != nullptr);
        QCOMPARE(find(d, ChangeOf::precision)->from, std::string("fp32"));
        QCOMPARE(find(d, ChangeOf::precision)->to, std::string("autocast"));
    }
    void autocastIsFoundByItsCopies()
    {
        const Difference d = between(DecoderOptions{}, DecoderOptions{.is_autocast = true});
        QVERIFY(find(d, ChangeOf::precision) != nullptr);
        QCOMPARE(find(d, ChangeOf::precision)->from, std::string("fp32"));
        QCOMPARE(find(d, ChangeOf::precision)->to, std::string("autocast"));
        QCOMPARE(diagnose::changeText(find(d, ChangeOf::precision)->apply.value()),
                 std::string("precision=bf16"));
        QVERIFY(find(d, ChangeOf::sequence) == nullptr);
        QCOMPARE(find(d, ChangeOf::precision)->explains.value, delta(d));
    }
    void sequenceAndAutocastAreToldApart()
    {
        const Difference d =
            between(DecoderOptions{}, DecoderOptions{.sequence = 256, .is_autocast = true});
        QCOMPARE(find(d, ChangeOf::sequence)->ratio.value(), 2.0);
        QVERIFY(find(d, ChangeOf::sequence)->explains.value > 0);
        QVERIFY(find(d, ChangeOf::precision) != nullptr);
        QCOMPARE(sumOfParts(d), delta(d));
    }
    void whatATrainingRunSavesForBackwardIsNamed()
    {
        // Autograd records nothing in inference: what B saves has a partner in A that is freed.
        const DecoderOptions inference{.is_inference = true};
        const Difference d = between(inference, DecoderOptions{});
        const compare::RunChange* const graph = find(d, ChangeOf::graph);
        QVERIFY(graph != nullptr);
        std::int64_t saved = 0;
        for (const compare::PlaceDifference& place : d.parts.places) {
            const bool is_saved =
                place.bucket == label::Bucket::activation && place.became != Became::equal;
            QVERIFY(!is_saved || place.change == ChangeOf::graph);
            saved += is_saved ? place.delta().value : 0;
        }
        // Less the part of what A's own peak is higher.
        QVERIFY(graph->explains.value <= saved);
        QVERIFY(graph->explains.value >= saved - d.parts.moved.value);
        QVERIFY(find(d, ChangeOf::phases) != nullptr); // Gradients and optimizer state.
        QVERIFY(find(d, ChangeOf::sequence) == nullptr);
        QCOMPARE(d.parts.unexplained.value, 0);
        QCOMPARE(sumOfParts(d), delta(d));
        QVERIFY(says(d.sentences, "Activations saved for backward (no graph → autograd graph)"));
        const Difference back = between(DecoderOptions{}, inference);
        QCOMPARE(find(back, ChangeOf::graph)->explains.value, -graph->explains.value);
        QVERIFY(find(between(inference, inference), ChangeOf::graph) == nullptr);
        QVERIFY(find(between(DecoderOptions{}, DecoderOptions{}), ChangeOf::graph) == nullptr);
    }
    void aLongerSequenceIsToldApartFromWhatIsSaved()
    {
        const Difference d =
            between(DecoderOptions{.is_inference = true}, DecoderOptions{.sequence = 256});
        const Difference same = between(DecoderOptions{.is_inference = true}, DecoderOptions{});
        QCOMPARE(find(d, ChangeOf::sequence)->ratio.value(), 2.0);
        QVERIFY(find(d, ChangeOf::sequence)->explains.value > 0);
        QCOMPARE(d.parts.unexplained.value, 0);
        // On average over both orders: at A's own sequence, and at that of B.
        const auto graph = static_cast<double>(find(d, ChangeOf::graph)->explains.value);
        const auto alone = static_cast<double>(find(same, ChangeOf::graph)->explains.value);
        QVERIFY(graph > 1.5 * alone);
        QVERIFY(graph < 2 * alone);
    }
    void anotherOptimizerExplainsItsState()
    {
        const Difference d = between(DecoderOptions{}, DecoderOptions{.states = 0});
        QVERIFY(find(d, ChangeOf::optimizer) != nullptr);
        QCOMPARE(diagnose::changeText(find(d, ChangeOf::optimizer)->apply.value()),
                 std::string("optimizer=sgd"));
        QCOMPARE(sumOfParts(d), delta(d));
        QVERIFY(std::abs(d.parts.unexplained.value) < std::abs(delta(d)) / 100);
    }
    void fusedAttentionIsNoShorterSequence()
    {
        const Difference d = between(DecoderOptions{.sequence = 512},
                                     DecoderOptions{.sequence = 512, .is_fused = true});
        QVERIFY(find(d, ChangeOf::attention) != nullptr);
        QVERIFY(find(d, ChangeOf::sequence) == nullptr);
        QVERIFY(find(d, ChangeOf::micro_batch) == nullptr);
        QVERIFY(find(d, ChangeOf::attention)->explains.value < 0);
    }
    void aLeakIsHeldAgainstItsMendedRun()
    {
        const Difference d = between(DecoderOptions{.steps = 8},
                                     DecoderOptions{.steps = 8, .kept_per_step = 8 * test::kM});
        const compare::RunChange* const leak = find(d, ChangeOf::leak);
        QVERIFY(leak != nullptr);
        QVERIFY(leak->to.find("8.00 MiB") != std::string::npos);
        QCOMPARE(leak->explains.value, delta(d));
    }
    void aLaterDumpOfOneRunKeepsMore()
    {
        // The same events, and two steps more.
        const Difference d = between(DecoderOptions{.steps = 2, .kept_per_step = 8 * test::kM},
                                     DecoderOptions{.steps = 4, .kept_per_step = 8 * test::kM});
        const compare::RunChange* const kept = find(d, ChangeOf::leak);
        QVERIFY(kept != nullptr);
        QCOMPARE(kept->explains.value, delta(d));
        QCOMPARE(d.parts.changes.size(), 1UL);
    }
    void wrappersAndCallersDoNotMakeAnotherPlace()
    {
        // Another function of the program calls the model, and a library wraps it.
        const Difference d = between(DecoderOptions{}, DecoderOptions{.caller = "fit"});
        QVERIFY(saysNothing(d));
        QCOMPARE(d.matched, d.allocations_a);
    }
    void anotherModelIsComparedWithAWarning()
    {
        const Difference d = between(
            DecoderOptions{}, DecoderOptions{.hidden = 768, .feed_forward = 3072, .heads = 12});
        QVERIFY(find(d, ChangeOf::model) != nullptr);
        QVERIFY(d.is_other_model);
        QVERIFY(says(d.warnings, "different models"));
        QCOMPARE(sumOfParts(d), delta(d));
    }
    void anotherModelThatIsCompiledIsAnotherModel()
    {
        const Difference d = between(DecoderOptions{},
                                     DecoderOptions{.hidden = 384,
                                                    .feed_forward = 1100,
                                                    .heads = 6,
                                                    .vocabulary = 3000,
                                                    .folder = "/tmp/torchinductor_me/"});
        QVERIFY(d.is_other_model);
        QVERIFY(find(d, ChangeOf::compile) != nullptr);
        QCOMPARE(find(d, ChangeOf::compile)->explains.value, 0);
        QCOMPARE(find(d, ChangeOf::model)->explains.value, delta(d));
    }
    void moreLayersAreAnotherModelWithTheSameSizes()
    {
        const Difference d = between(DecoderOptions{}, DecoderOptions{.layers = 8});
        QVERIFY(find(d, ChangeOf::model) != nullptr);
        QVERIFY(find(d, ChangeOf::model)->to.find('8') != std::string::npos);
        QVERIFY(find(d, ChangeOf::sequence) == nullptr);
    }
    void whatIsNotIdentifiedHasNoFalseRatio()
    {
        const auto train = [](double batch) {
            test::HandRun run(2000 * test::kM);
            test::HandTraining training(run, {.batch = batch});
            training.step();
            training.step();
            return run.finish();
        };
        const Difference d = between(train(1), train(2));
        QVERIFY(find(d, ChangeOf::sequence) == nullptr);
        QVERIFY(find(d, ChangeOf::micro_batch) == nullptr);
        QVERIFY(find(d, ChangeOf::rows) != nullptr);
        QCOMPARE(find(d, ChangeOf::rows)->ratio.value(), 2.0);
        QVERIFY(says(d.open, "Unknown whether batch or sequence"));
        QCOMPARE(find(d, ChangeOf::rows)->explains.value, delta(d));
    }
    void whatOneMoreTokenAddsTellsBatchFromSequence()
    {
        // A rollout whose cache grows by one token a pass, and training on what it made.
        const auto train = [](double rows, std::int64_t prompt, std::int64_t per_token) {
            test::HandRun run(2000 * test::kM);
            run.phase(label::Phase::inference, 0);
            for (std::int64_t token = prompt; token < prompt + 6; ++token) {
                run.free(run.alloc(token * per_token, label::Bucket::kv_cache, label::Role::none,
                                   "update /me/model.py:5"));
            }
            test::HandTraining training(run, {.batch = rows});
            training.step();
            training.step();
            return run.finish();
        };
        const Difference batch = between(train(1, 100, 4096), train(2, 100, 8192));
        QCOMPARE(find(batch, ChangeOf::micro_batch)->ratio.value(), 2.0);
        QVERIFY(find(batch, ChangeOf::rows) == nullptr);
        QVERIFY(says(batch.sentences, "Micro-batch ×2: +"));
        const Difference sequence = between(train(1, 100, 4096), train(2, 200, 4096));
        QCOMPARE(find(sequence, ChangeOf::sequence)->ratio.value(), 2.0);
        QVERIFY(find(sequence, ChangeOf::micro_batch) == nullptr);
        // Neither as much nor as the rows: no reason to say either.
        const Difference open = between(train(1, 100, 4096), train(2, 100, 12288));
        QVERIFY(find(open, ChangeOf::rows) != nullptr);
    }
    void sizesWithoutACommonRatioAreUnexplained()
    {
        const auto run = [](std::int64_t x, std::int64_t y, std::int64_t z) {
            test::HandRun made(2000 * test::kM);
            made.phase(label::Phase::other, 0);
            made.alloc(x * test::kM, label::Bucket::unknown, label::Role::none, "f /me/a.py:1");
            made.alloc(y * test::kM, label::Bucket::unknown, label::Role::none, "g /me/a.py:2");
            made.alloc(z * test::kM, label::Bucket::unknown, label::Role::none, "h /me/a.py:3");
            return made.finish();
        };
        const Difference d = between(run(10, 20, 30), run(13, 21, 47));
        QVERIFY(d.parts.changes.empty());
        QCOMPARE(d.parts.unexplained.value, delta(d));
        QVERIFY(says(d.open, "Unknown whether batch or sequence"));
        QVERIFY(says(d.sentences, "a.py:3 h"));
        QVERIFY(!says(d.sentences, "Including")); // a place is the answer here
    }
    void aConstantPartDoesNotBlurTheRatio()
    {
        // One size has a part that does not grow; it obeys the ratio of the others all the same.
        const auto run = [](std::int64_t x, std::int64_t y, std::int64_t z) {
            test::HandRun made(2000 * test::kM);
            made.phase(label::Phase::other, 0);
            made.alloc(x, label::Bucket::unknown, label::Role::none, "f /me/a.py:1");
            made.alloc(y, label::Bucket::unknown, label::Role::none, "g /me/a.py:2");
            made.alloc(z, label::Bucket::unknown, label::Role::none, "h /me/a.py:3");
            return made.finish();
        };
        constexpr std::int64_t kPart = 4096;
        for (const bool is_first : {true, false}) {
            const std::int64_t first = is_first ? kPart : 0;
            const std::int64_t last = is_first ? 0 : kPart;
            const Difference d =
                between(run(10 * test::kM + first, 20 * test::kM, 30 * test::kM + last),
                        run(20 * test::kM + first, 40 * test::kM, 60 * test::kM + last));
            QCOMPARE(d.parts.changes.size(), 1UL);
            QCOMPARE(d.parts.changes.front().ratio.value(), 2.0);
            QCOMPARE(d.parts.unexplained.value, 0);
            QCOMPARE(d.parts.changes.front().explains.value, delta(d));
        }
    }
    void stepsCanBePairedByHand()
    {
        // The second recording began one step later.
        const diagnose::Analysis a = decoderRun({.steps = 3, .kept_per_step = test::kM});
        compare::DifferenceOptions options = compare::mainDevices(a, a);
        options.align.steps = {1, 2};
        options.at = compare::At::peak_b;
        const Difference d = compare::findDifference(a, a, options);
        // B's peak is of step 3, which is step 2 of A: one more has been kept by then.
        QCOMPARE(sumOfPlaces(d), test::kM);
        QVERIFY(d.parts.at_a < d.parts.at_b);
    }
    void anyTwoMomentsCanBeCompared()
    {
        const diagnose::Analysis a = decoderRun();
        compare::DifferenceOptions options = compare::mainDevices(a, a);
        options.at = compare::At::events;
        const replay::DeviceReplay& replay = a.replay->devices[0];
        options.state_a = StateId::start();
        options.state_b = replay.peak;
        const Difference d = compare::findDifference(a, a, options);
        QCOMPARE(sumOfPlaces(d), replay.activeAt(replay.peak).value);
        QCOMPARE(sumOfParts(d), replay.activeAt(replay.peak).value);
    }
    void sameLiveButMoreReservedIsTheAllocators()
    {
        const Difference d = between(
            DecoderOptions{},
            DecoderOptions{.reserved = std::int64_t(6) << 30, .more = "max_split_size_mb:128"});
        QVERIFY(says(d.sentences, "the allocator differs, not the program"));
        QCOMPARE(d.headline.settings.size(), 1UL);
        QCOMPARE(d.allocator.b.reserved_peak - d.allocator.a.reserved_peak,
                 Bytes{std::int64_t(2) << 30});
    }
    void thePredictionStandsBesideTheMeasurement()
    {
        const Difference d = between(DecoderOptions{}, DecoderOptions{.batch = 8});
        QVERIFY(d.predicted.has_value());
        QCOMPARE(d.predicted->apply, std::string("micro-batch=2"));
        QCOMPARE(d.predicted->prediction.before_peak, d.headline.peak_a);
    }
    void thePartsAddUpWhateverTheFiles()
    {
        for (unsigned seed = 0; seed < 20; ++seed) {
            const auto a =
                test::labelledAnalysis(test::RandomMemory(seed, 150, true).snapshot(seed));
            const auto b =
                test::labelledAnalysis(test::RandomMemory(seed + 100, 200, false).snapshot(0));
            for (const compare::AlignBy by : {compare::AlignBy::step, compare::AlignBy::phase,
                                              compare::AlignBy::time, compare::AlignBy::event}) {
                compare::DifferenceOptions options = compare::mainDevices(a, b);
                options.align.by = by;
                const Difference d = compare::findDifference(a, b, options);
                QCOMPARE(sumOfParts(d), delta(d));
                const auto& ra = a.replay->devices[options.device_a];
                const auto& rb = b.replay->devices[options.device_b];
                QCOMPARE(sumOfPlaces(d),
                         (rb.activeAt(d.parts.at_b) - ra.activeAt(d.parts.at_a)).value);
                QCOMPARE(d.allocator.a.cached,
                         ra.reservedAt(ra.peak) - ra.activeAt(ra.peak)
                             - ra.privateCachedAt(ra.peak));
                QVERIFY(saysNothing(between(a, a)));
            }
        }
    }
};

TIDEMARK_TEST(TstDifference)

} // namespace tidemark::tst_difference

#include "tst_difference.moc"
