// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/facts.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_layers {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using test::kM;

namespace {

const char* const kHead = "forward /home/me/model.py:40";

/// Backward frees what was saved, the last first; the optimizer follows.
void endStep(test::HandRun& run, std::vector<test::HandRun::Handle>& saved)
{
    run.phase(Phase::backward, 1);
    while (!saved.empty()) {
        run.free(saved.back());
        saved.pop_back();
    }
    run.phase(Phase::optimizer, 1);
    run.free(run.alloc(kM, Bucket::temporary));
}

/// Forward and backward of blocks that are called from the given stacks, `count` times each.
void addPass(test::HandRun& run, const std::vector<std::pair<std::string, int>>& groups)
{
    run.phase(Phase::forward, 1);
    std::vector<test::HandRun::Handle> saved;
    for (const auto& [stack, count] : groups) {
        for (int i = 0; i < count; ++i) {
            saved.push_back(run.alloc(4 * kM, Bucket::activation, label::Role::none, stack));
            saved.push_back(run.alloc(2 * kM, Bucket::activation, label::Role::none, stack + "0"));
        }
    }
    saved.push_back(run.alloc(kM, Bucket::activation, label::Role::none, kHead));
    endStep(run, saved);
}

} // namespace

class TstLayers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theBlocksOfATransformerAreCounted();
    void aBlockEndsWhereTheNextBegins();
    void backwardReachesTheBlocksInReverse();
    void whatABlockHandsOnIsItsOutput();
    void twoGroupsOfBlocksAreToldApart();
    void equalPartsOfABlockAreNoBlocks();
    void oneOperationWithSmallHelpersIsNoBlock();
    void anOperationThatSavesTwoThingsIsNotTwoBlocks();
    void aPassThatWasCutOffUsesTheBlocksOfAWholeOne();
    void straightCodeHasNoBlocks();
    void aLastNormOfTheBlocksKindEndsTheLast();
    void aBlockThatSavesNothingIsFoundByWhatItMakes();
    void partsOfASingleBlockAreNoBlocks();
    void backwardBeginsWithWhatLiesBehindTheBlocks();
    void aBlockWaitsUntilBackwardIsDoneWithTheNext();
    void aForwardThatIsWholeLacksNothing();
    void whatAPassMadeLiesInOnePiece();
};

void TstLayers::theBlocksOfATransformerAreCounted()
{
    const test::GatheredRun run(test::fineRun());
    QCOMPARE(run.facts.layers.count, 4U);
    QCOMPARE(run.facts.layers.layers.size(), std::size_t{12}); // three steps
    QCOMPARE(run.facts.passes.size(), std::size_t{3});
}

void TstLayers::aBlockEndsWhereTheNextBegins()
{
    const test::GatheredRun run(test::fineRun());
    const auto& layers = run.facts.layers.layers;
    for (std::size_t i = 0; i + 1 < 4; ++i) {
        QVERIFY(layers[i].forward_end == layers[i + 1].forward_begin);
    }
    QVERIFY(layers[3].forward_end <= run.facts.passes[0].forward.end);
}

void TstLayers::backwardReachesTheBlocksInReverse()
{
    const test::GatheredRun run(test::fineRun());
    const auto& layers = run.facts.layers.layers;
    for (std::size_t i = 0; i + 1 < 4; ++i) {
        QVERIFY(layers[i].backward_begin > layers[i + 1].backward_begin);
    }
    QVERIFY(layers[3].backward_begin >= run.facts.passes[0].backward.begin);
    QVERIFY(layers[0].backward_begin < run.facts.passes[0].backward.end);
}

void TstLayers::whatABlockHandsOnIsItsOutput()
{
    const test::GatheredRun run(test::fineRun());
    for (const Layer& layer : run.facts.layers.layers) {
        QCOMPARE(run.facts.bytes(layer.output), 16 * kM);
        QCOMPARE(layer.saved_bytes, (16 + 32) * kM); // norm and attention matrix
    }
}

void TstLayers::twoGroupsOfBlocksAreToldApart()
{
    test::HandRun run(256 * kM);
    addPass(run, {{"encode /home/me/model.py:10", 3}, {"decode /home/me/model.py:20", 5}});
    const test::GatheredRun found(run.finish());
    QCOMPARE(found.facts.layers.layers.size(), std::size_t{8});
    QCOMPARE(found.facts.layers.count, 8U);
}

void TstLayers::equalPartsOfABlockAreNoBlocks()
{
    // Three blocks of an attention and four experts, which hold most.
    test::HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    std::vector<test::HandRun::Handle> saved;
    const auto save = [&](std::int64_t bytes, const char* stack) {
        saved.push_back(run.alloc(bytes, Bucket::activation, label::Role::none, stack));
    };
    for (int block = 0; block < 3; ++block) {
        save(4 * kM, "forward /home/me/model.py:10");
        for (int expert = 0; expert < 4; ++expert) {
            save(4 * kM, "forward /home/me/model.py:20");
            save(2 * kM, "forward /home/me/model.py:21");
        }
    }
    endStep(run, saved);
    const test::GatheredRun gathered(run.finish());
    QCOMPARE(gathered.facts.layers.count, 3U);
    for (const Layer& layer : gathered.facts.layers.layers) {
        QCOMPARE(layer.saved_bytes, (4 + 4 * 6 - 2) * kM); // without what it hands on
    }
}

void TstLayers::oneOperationWithSmallHelpersIsNoBlock()
{
    test::HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    std::vector<test::HandRun::Handle> saved;
    for (const std::int64_t bytes : {64 * kM, kM, kM}) {
        saved.push_back(run.alloc(bytes, Bucket::activation, label::Role::none, kHead));
    }
    run.phase(Phase::backward, 1);
    for (const auto handle : saved) {
        run.free(handle);
    }
    run.phase(Phase::optimizer, 1);
    run.free(run.alloc(kM, Bucket::temporary));
    const test::GatheredRun found(run.finish());
    QCOMPARE(found.facts.layers.count, 0U);
}

void TstLayers::anOperationThatSavesTwoThingsIsNotTwoBlocks()
{
    // Dropout behind the embedding: a mask and a result from one line, then three blocks.
    test::HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    for (int i = 0; i < 2; ++i) {
        run.alloc(4 * kM, Bucket::activation, label::Role::none, "embed /home/me/model.py:5");
    }
    for (int block = 0; block < 3; ++block) {
        run.alloc(4 * kM, Bucket::activation, label::Role::none, "forward /home/me/model.py:10");
        run.alloc(6 * kM, Bucket::activation, label::Role::none, "forward /home/me/model.py:11");
    }
    run.oom(kM, 0, Bucket::activation);
    QCOMPARE(test::GatheredRun(run.finish()).facts.layers.count, 3U);
}

void TstLayers::aPassThatWasCutOffUsesTheBlocksOfAWholeOne()
{
    const test::GatheredRun run(test::diesInLongestBatch());
    const auto last = static_cast<std::uint32_t>(run.facts.passes.size() - 1);
    QCOMPARE(std::ranges::count(run.facts.layers.layers, last, &Layer::pass), 3);
    // The block that was running stays alive to the end.
    QVERIFY(run.facts.layers.layers.back().forward_end > run.facts.moment.state);
}

void TstLayers::straightCodeHasNoBlocks()
{
    test::HandRun run(256 * kM);
    addPass(run, {{"a /home/me/model.py:1", 1}, {"b /home/me/model.py:2", 1}});
    QCOMPARE(test::GatheredRun(run.finish()).facts.layers.count, 0U);
}

void TstLayers::aLastNormOfTheBlocksKindEndsTheLast()
{
    // Of 2 each a norm and a sum of every block, and a norm behind all; nothing else is made there.
    test::HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    std::vector<test::HandRun::Handle> saved;
    const auto save = [&](std::int64_t bytes, const char* stack) {
        saved.push_back(run.alloc(bytes, Bucket::activation, label::Role::none, stack));
    };
    for (int block = 0; block < 3; ++block) {
        save(2 * kM, "norm /home/me/model.py:9");
        save(8 * kM, "forward /home/me/model.py:10");
        save(2 * kM, "add /home/me/model.py:11");
    }
    save(2 * kM, "norm /home/me/model.py:9");
    save(kM, kHead);
    endStep(run, saved);
    const test::GatheredRun found(run.finish());
    QCOMPARE(found.facts.layers.count, 3U);
    for (const Layer& layer : found.facts.layers.layers) {
        QCOMPARE(layer.saved_bytes, (8 + 2) * kM); // without the norm that it hands on
        QCOMPARE(found.facts.bytes(layer.output), 2 * kM);
    }
}

void TstLayers::aBlockThatSavesNothingIsFoundByWhatItMakes()
{
    // Of two blocks the first is frozen; the second saves all, twice from one line. Two embeddings
    // come before them and a norm behind.
    test::HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    std::vector<test::HandRun::Handle> saved;
    const auto make = [&](bool saves, std::int64_t bytes, const char* stack) {
        const auto made = run.alloc(bytes, saves ? Bucket::activation : Bucket::temporary,
                                    label::Role::none, stack);
        if (saves) {
            saved.push_back(made);
        } else {
            run.free(made);
        }
    };
    make(false, 2 * kM, "embed /home/me/model.py:5");
    make(false, 2 * kM, "embed /home/me/model.py:5");
    for (const bool saves : {false, true}) {
        make(saves, 2 * kM, "norm /home/me/model.py:9");
        make(saves, 2 * kM, "norm /home/me/model.py:9");
        make(saves, 6 * kM, "forward /home/me/model.py:10");
        make(saves, 8 * kM, "forward /home/me/model.py:11");
    }
    make(true, 2 * kM, "norm /home/me/model.py:9");
    endStep(run, saved);
    const test::GatheredRun found(run.finish());
    QCOMPARE(found.facts.layers.count, 2U);
    const std::vector<Layer>& layers = found.facts.layers.layers;
    QCOMPARE(layers[0].saved_bytes, 2 * kM); // a norm of the next one; the other is its output
    QCOMPARE(layers[1].saved_bytes, (6 + 8) * kM); // the norm behind is its output
}

void TstLayers::partsOfASingleBlockAreNoBlocks()
{
    // Its norms come from one line, all else once.
    test::HandRun run(256 * kM);
    run.phase(Phase::forward, 1);
    std::vector<test::HandRun::Handle> saved;
    for (const char* const rest : {"attend /home/me/model.py:10", "widen /home/me/model.py:11",
                                   "head /home/me/model.py:12"}) {
        saved.push_back(
            run.alloc(2 * kM, Bucket::activation, label::Role::none, "norm /home/me/model.py:9"));
        saved.push_back(run.alloc(8 * kM, Bucket::activation, label::Role::none, rest));
    }
    endStep(run, saved);
    QCOMPARE(test::GatheredRun(run.finish()).facts.layers.count, 0U);
}

void TstLayers::backwardBeginsWithWhatLiesBehindTheBlocks()
{
    // It dies at the first gradient, that of the loss, or when head and norm are done.
    const auto reachesLast = [](bool passed_head) {
        test::HandRun run(256 * kM);
        run.phase(Phase::forward, 1);
        for (int i = 0; i < 3; ++i) {
            run.alloc(4 * kM, Bucket::activation, label::Role::none, "a /home/me/model.py:1");
            run.alloc(2 * kM, Bucket::activation, label::Role::none, "b /home/me/model.py:2");
        }
        const auto norm =
            run.alloc(2 * kM, Bucket::activation, label::Role::none, "norm /home/me/model.py:39");
        const auto head = run.alloc(8 * kM, Bucket::activation, label::Role::none, kHead);
        run.phase(Phase::backward, 1);
        if (passed_head) {
            run.free(head);
            run.free(norm);
        }
        run.oom(8 * kM, 0, Bucket::temporary, label::Role::activation_gradient);
        const test::GatheredRun found(run.finish());
        return found.facts.layers.layers.back().backward_begin <= found.facts.moment.state;
    };
    QVERIFY(!reachesLast(false));
    QVERIFY(reachesLast(true));
}

void TstLayers::aBlockWaitsUntilBackwardIsDoneWithTheNext()
{
    // It dies in the backward of the last block, or when that has used all that it saved.
    const auto reachesSecond = [](bool is_done) {
        test::HandRun run(256 * kM);
        run.phase(Phase::forward, 1);
        std::vector<test::HandRun::Handle> saved;
        for (int i = 0; i < 3; ++i) {
            for (const char* stack :
                 {"a /home/me/model.py:1", "b /home/me/model.py:2", "c /m.py:3"}) {
                saved.push_back(run.alloc(4 * kM, Bucket::activation, label::Role::none, stack));
            }
        }
        run.phase(Phase::backward, 1);
        run.free(saved[7]);
        if (is_done) {
            run.free(saved[6]);
        }
        run.oom(8 * kM, 0, Bucket::temporary, label::Role::activation_gradient);
        const test::GatheredRun found(run.finish());
        return found.facts.layers.layers[1].backward_begin <= found.facts.moment.state;
    };
    QVERIFY(!reachesSecond(false));
    QVERIFY(reachesSecond(true));
}

void TstLayers::aForwardThatIsWholeLacksNothing()
{
    // What blocks add up is there once before the first of them as well: seven of three blocks.
    const auto isInBlock = [](bool begins_backward) {
        test::HandRun run(256 * kM);
        run.phase(Phase::forward, 1);
        const auto save = [&](const char* stack) {
            return run.alloc(4 * kM, Bucket::activation, label::Role::none, stack);
        };
        save("sum /home/me/model.py:9");
        for (int i = 0; i < 3; ++i) {
            for (const char* stack :
                 {"norm /home/me/model.py:1", "b /home/me/model.py:2", "sum /home/me/model.py:9",
                  "c /home/me/model.py:3", "sum /home/me/model.py:9"}) {
                save(stack);
            }
        }
        save(kHead);
        if (begins_backward) {
            run.phase(Phase::backward, 1);
        }
        run.oom(8 * kM, 0, Bucket::temporary);
        const test::GatheredRun found(run.finish());
        return found.facts.layers.layerOf(AllocationId(0U)) != nullptr;
    };
    QVERIFY(!isInBlock(true));
    QVERIFY(isInBlock(false)); // there the last may lack some
}

void TstLayers::whatAPassMadeLiesInOnePiece()
{
    const test::GatheredRun run(test::diesInLongestBatch());
    const Facts& facts = run.facts;
    QVERIFY(facts.passes.size() >= 2);
    for (std::size_t p = 0; p < facts.passes.size(); ++p) {
        const auto [first, end] = facts.madeIn(facts.passes[p]);
        QVERIFY(first < end);
        for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
            const bool in_pass = facts.pass_of[i] == static_cast<std::int32_t>(p);
            QCOMPARE(i >= first && i < end, in_pass);
        }
    }
}

TIDEMARK_TEST(TstLayers)

} // namespace tidemark::tst_layers

#include "tst_layers.moc"
