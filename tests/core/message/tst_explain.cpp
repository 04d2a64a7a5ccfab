// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/explain.h"
#include "core/message/proof.h"
#include "tests/core/message/fix_of.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <random>

namespace tidemark::tst_explain {

using namespace tidemark::diagnose;
using test::fixOf;

namespace {

/// As PyTorch prints a size.
std::string printed(std::int64_t bytes)
{
    if (bytes <= 1024) {
        return fmt::format("{} bytes", bytes);
    }
    const auto amount = static_cast<double>(bytes);
    return bytes <= (1 << 20) ? fmt::format("{:.2f} KiB", amount / 0x1p10)
        : bytes <= (1 << 30)  ? fmt::format("{:.2f} MiB", amount / 0x1p20)
                              : fmt::format("{:.2f} GiB", amount / 0x1p30);
}

struct Card {
    std::int64_t tried = 0;
    std::int64_t total = 0;
    std::int64_t free = 0;
    std::int64_t allocated = 0;
    std::int64_t unallocated = 0;

    [[nodiscard]] std::string message() const
    {
        return fmt::format(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {}. GPU 0 has a total "
            "capacity of {} of which {} is free. Of the allocated memory {} is allocated by "
            "PyTorch, and {} is reserved by PyTorch but unallocated. If reserved but unallocated "
            "memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
            printed(tried), printed(total), printed(free), printed(allocated),
            printed(unallocated));
    }
};

bool holds(const PrintedRange& range, std::int64_t value)
{
    return range.low <= value && value <= range.high;
}

} // namespace

class TstExplain : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingIsProvenThatRoundingCouldUndo();
    void theOwnProcessIsFoundInAContainer();
    void memoryAboveTheCardIsNoFragmentation();
    void aRequestIsMatchedOnlyByStatedFactors();
    void attentionIsMatchedByHeadsAndLength();
    void figuresOfACardInPassingAreNoError();
    void whatIsMissingBeyondTheFreeBytesIsSaid();
    void tablesFillInWhatTheMessageDoesNotSay();
    void tablesOfAnotherCardFillNothingIn();
    void framesTellWhereItDied_data();
    void framesTellWhereItDied();
    void aCheckpointsTensorIsAsLargeAsItWasSaved();
    void theHintOfTheMessageIsNoSetting();
    void whatFollowsAnOutOfMemoryErrorIsNotItsCause();
    void whatIsCountedTwiceLeavesTheRequest();
    void aWrittenBudgetNamesWhatCanShrink_data();
    void aWrittenBudgetNamesWhatCanShrink();
    void theFirstRankOfSeveralIsNamed();
};

void TstExplain::nothingIsProvenThatRoundingCouldUndo()
{
    std::mt19937_64 random(11);
    int proven = 0;
    int excluded = 0;
    int possible = 0;
    for (int i = 0; i < 4000; ++i) {
        Card card;
        card.total = (24LL << 30) - static_cast<std::int64_t>(random() % (1 << 30));
        card.tried = static_cast<std::int64_t>(1 + random() % 3000) << 21;
        card.unallocated = static_cast<std::int64_t>(random() % (4ULL << 30));
        card.free = static_cast<std::int64_t>(random() % (1ULL << 30));
        if (i % 2 == 0) { // close to the border
            card.tried = (card.unallocated + (i % 4 == 0 ? card.free : 0)) >> 21 << 21;
        }
        card.allocated = card.total - card.free - card.unallocated - (400LL << 20);
        if (card.tried <= 0) {
            continue;
        }
        const auto message = parseOomMessage(card.message());
        QVERIFY(message.has_value());
        const MessageProof proof = prove(*message);
        QVERIFY(holds(*proof.tried, card.tried) && holds(*proof.total, card.total));
        QVERIFY(holds(*proof.free, card.free) && holds(*proof.allocated, card.allocated));
        QVERIFY(holds(*proof.unallocated, card.unallocated));
        QVERIFY(holds(*proof.outside, 400LL << 20));
        switch (proof.fragmentation) {
        case FragmentationProof::proven:
            QVERIFY(card.unallocated >= card.tried);
            ++proven;
            break;
        case FragmentationProof::excluded:
            QVERIFY(card.unallocated + card.free < card.tried);
            QVERIFY(holds(*proof.short_by, card.tried - card.unallocated - card.free));
            ++excluded;
            break;
        default:
            ++possible;
        }
        // Far from the border it is decided.
        const std::int64_t slack = 20LL << 20;
        QVERIFY(card.unallocated < card.tried + slack
                || proof.fragmentation == FragmentationProof::proven);
        QVERIFY(card.unallocated + card.free + slack > card.tried
                || proof.fragmentation == FragmentationProof::excluded);
    }
    QVERIFY(proven > 500 && excluded > 500 && possible > 500);
}

void TstExplain::theOwnProcessIsFoundInAContainer()
{
    const std::string head =
        "CUDA out of memory. Tried to allocate 158.00 MiB. GPU 0 has a total capacity of 39.69 GiB "
        "of which 115.69 MiB is free. ";
    const std::string tail =
        "Of the allocated memory 22.14 GiB is allocated by PyTorch, and 910.35 "
        "MiB is reserved by PyTorch but unallocated.";
    const MessageProof alone =
        prove(*parseOomMessage(head + "Process 21422 has 23.57 GiB memory in use. " + tail));
    QVERIFY(alone.own_is_listed && !alone.others);
    const MessageProof two =
        prove(*parseOomMessage(head
                               + "Process 7 has 12.00 GiB memory in use. Process 21422 has 23.57 "
                                 "GiB memory in use. "
                               + tail));
    QVERIFY(two.own_is_listed);
    QCOMPARE(two.other_count, std::size_t{1});
    QCOMPARE(two.others->mid, 12LL << 30);
    // 30 GiB and the 22.99 GiB that PyTorch reserved do not fit beside each other on this card.
    const MessageProof full =
        prove(*parseOomMessage(head + "Process 21422 has 30.00 GiB memory in use. " + tail));
    QVERIFY(full.own_is_listed && !full.others);
    // What is listed fills the card, so this process is among them.
    const MessageProof both = prove(*parseOomMessage(
        "CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 80.00 GiB "
        "of which 102.40 MiB is free. Process 8 has 59.90 GiB memory in use. Process 7 has 20.00 "
        "GiB memory in use. Of the allocated memory 9.20 GiB is allocated by PyTorch, and 307.20 "
        "MiB is reserved by PyTorch but unallocated."));
    QVERIFY(both.own_is_listed);
    QCOMPARE(both.others->mid, std::llround(59.9 * 0x1p30));
    // Beside one of 12 GiB they do.
    const MessageProof other =
        prove(*parseOomMessage(head + "Process 21422 has 12.00 GiB memory in use. " + tail));
    QVERIFY(!other.own_is_listed);
    const MessageProof named =
        prove(*parseOomMessage(head
                               + "Process 21422 has 23.57 GiB memory in use. Including non-PyTorch "
                                 "memory, this process has 23.60 GiB memory in use. "
                               + tail));
    QVERIFY(!named.own_is_listed);
    QVERIFY(named.has_sibling);
    QCOMPARE(named.other_count, std::size_t{1});
}

void TstExplain::memoryAboveTheCardIsNoFragmentation()
{
    const Explanation e = explain(
        "CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 11.99 GiB total capacity; 11.80 "
        "GiB already allocated; 0 bytes free; 23.34 GiB reserved in total by PyTorch)");
    QCOMPARE(e.causes.front().cause, Cause::virtual_only);
    QVERIFY(std::ranges::find(e.causes, Cause::fragmentation, &CauseFinding::cause)
            == e.causes.end());
    QCOMPARE(fixOf(e, "expandable-segments").status, FixStatus::not_applicable);
}

void TstExplain::aRequestIsMatchedOnlyByStatedFactors()
{
    OomMessage message = *parseOomMessage("CUDA out of memory. Tried to allocate 3.91 GiB.");
    const auto match = matchSize(message, {{4}, {2048}, {128256}, {}}); // 4 B
    QVERIFY(match && match->is_logits);
    QVERIFY(match->arithmetic.find("128,256 × 4 B") != std::string::npos);
    QVERIFY(!matchSize(message, {{4}, {2048}, {}, {32}}));
    QVERIFY(!matchSize(message, {{4}, {2000}, {128256}, {}}));
    message = *parseOomMessage("CUDA out of memory. Tried to allocate 20.00 MiB.");
    QVERIFY(!matchSize(message, {{1}, {80}, {65536}, {}})); // says nothing about the tensor
}

void TstExplain::attentionIsMatchedByHeadsAndLength()
{
    const OomMessage message =
        *parseOomMessage("CUDA out of memory. Tried to allocate 128.00 MiB.");
    const auto match = matchSize(message, {{8}, {512}, {}, {32}});
    QVERIFY(match && !match->is_logits);
    QVERIFY(match->arithmetic.find("512² × 2 B") != std::string::npos);
}

void TstExplain::figuresOfACardInPassingAreNoError()
{
    const std::string said = "GPU has 23.64 GiB total, 2.00 GiB in use, 21.64 GiB free\n";
    std::string log = said;
    for (int i = 0; i < 200; ++i) {
        log += fmt::format("step {} loss 2.13\n", i);
    }
    QCOMPARE(explain(log).causes.front().cause, Cause::none);
    // What a person types holds nothing else, so it is about their error.
    QVERIFY(explain(said).message);
    // A request far from it is another matter.
    QVERIFY(!explain(log + "CUDA out of memory. Tried to allocate 2.00 GiB.").message->total);
}

void TstExplain::whatIsMissingBeyondTheFreeBytesIsSaid()
{
    const Explanation e = explain(
        "Tried to allocate 13.89 GiB\nGPU has 178.36 GiB total, 164.31 GiB in use, 11.54 GiB free");
    QCOMPARE(e.causes.front().cause, Cause::unclear);
    QVERIFY(e.causes.front().evidence.front().text.find("2.35 GiB short") != std::string::npos);
    QVERIFY(e.explanation.find("2.5 GiB of 178.4 GiB unaccounted") != std::string::npos);
    QVERIFY(!prove(*parseOomMessage("CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a "
                                    "total capacity of 9.00 GiB of which 1.00 GiB is free."))
                 .beyond_free);
}

namespace {

constexpr const char* kTables =
    "|   1  NVIDIA A100-SXM4-80GB   On  | 00000000:07:00.0 Off |                  0 |\n"
    "| N/A   34C    P0    63W / 400W |  81231MiB / 81920MiB |      0%      Default |\n"
    "| Processes:                                                                  |\n"
    "|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |\n"
    "|        ID   ID                                                   Usage      |\n"
    "|=============================================================================|\n"
    "|    1   N/A  N/A   2086283      C   python                        15220MiB |\n"
    "|    1   N/A  N/A   2086999      C   python                        66000MiB |\n"
    "+-----------------------------------------------------------------------------+\n"
    "|                  PyTorch CUDA memory summary, device ID 1                 |\n"
    "|---------------------------------------------------------------------------|\n"
    "| Allocated memory      |  14000 MiB |  14000 MiB |     12 GiB |   3000 MiB |\n"
    "| GPU reserved memory   |  14500 MiB |  14500 MiB |     10 GiB |      0 B   |\n";

} // namespace

void TstExplain::tablesFillInWhatTheMessageDoesNotSay()
{
    const Explanation e =
        explain(std::string(kTables) + "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 1;");
    QVERIFY(!e.message->total && !e.message->allocated); // what the message says stays apart
    std::vector<std::string> added;
    const MessageProof proof = prove(completedBy(*e.message, e.findings.readings, added));
    QCOMPARE(proof.total->mid, std::int64_t{81920} << 20);
    QCOMPARE(proof.allocated->mid, std::int64_t{14000} << 20);
    QCOMPARE(proof.unallocated->mid, std::int64_t{500} << 20);
    QVERIFY(proof.own_is_listed); // 15,220 MiB is what it reserved and a context
    QCOMPARE(proof.others->mid, std::int64_t{66000} << 20);
    QCOMPARE(e.causes.front().cause, Cause::other_process);
    QVERIFY(e.explanation.find("total, allocated, reserved, processes") != std::string::npos);
}

void TstExplain::tablesOfAnotherCardFillNothingIn()
{
    const Explanation e =
        explain(std::string(kTables) + "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 3;");
    std::vector<std::string> added;
    const MessageProof proof = prove(completedBy(*e.message, e.findings.readings, added));
    QVERIFY(added.empty() && !proof.total && !proof.others && !proof.allocated);
    QCOMPARE(e.causes.front().cause, Cause::unclear);
}

void TstExplain::framesTellWhereItDied_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("cause");
    const auto row = [](const char* line, Cause cause) {
        QTest::newRow(line) << line << static_cast<int>(cause);
    };
    row("return torch._C._nn.cross_entropy_loss(input, target)", Cause::logits);
    row("state[\"exp_avg\"] = torch.zeros_like(p)  # in _init_group", Cause::optimizer_state);
    row("y = copier(memo)  # in __deepcopy__", Cause::model_states);
    row("model = AutoModel.from_pretrained(name)", Cause::loading);
    row("attn_weights = torch.matmul(query, key)", Cause::activations_sequence);
    row("result = unpickler.load()  # torch/serialization.py", Cause::loading);
    row("preds.append(model(x))  # in validate", Cause::evaluation_accumulation);
    row("loss = model(x)  # in validate", Cause::activations);
    row("return torch.layer_norm(x, s)  # torch/nn/functional.py", Cause::activations);
    row("x = self.norm(x)", Cause::activations); // of train.py
}

void TstExplain::framesTellWhereItDied()
{
    QFETCH(QString, line);
    QFETCH(int, cause);
    const Card card{64LL << 20, 24LL << 30, 10LL << 20, 23LL << 30, 20LL << 20};
    const Explanation e =
        explain("Traceback (most recent call last):\n  File \"/a/train.py\", line "
                "7, in step\n    "
                + line.toStdString() + "\n" + card.message());
    QCOMPARE(static_cast<int>(e.causes.front().cause), cause);
}

void TstExplain::aCheckpointsTensorIsAsLargeAsItWasSaved()
{
    // More than half of the card in one piece, which no shape made.
    const Card card{15LL << 30, 22LL << 30, 6LL << 30, 15LL << 30, 10LL << 20};
    const std::string_view frame = "  File \"/lib/torch/serialization.py\", line 1131, in _load\n";
    QCOMPARE(explain(card.message()).causes.front().cause, Cause::single_huge_tensor);
    QCOMPARE(explain(std::string(frame) + card.message()).causes.front().cause, Cause::loading);
}

void TstExplain::theHintOfTheMessageIsNoSetting()
{
    const Card card{1LL << 30, 24LL << 30, 10LL << 20, 18LL << 30, 5LL << 30};
    const Explanation hint = explain(card.message());
    QCOMPARE(hint.causes.front().cause, Cause::fragmentation);
    QCOMPARE(fixOf(hint, "expandable-segments").status, FixStatus::recommended);
    // One request would have passed; the run asks for more behind it.
    QVERIFY(!fixOf(hint, "expandable-segments").fits);
    QVERIFY(fixOf(hint, "expandable-segments").why.find("would pass") != std::string::npos);
    const Explanation set =
        explain("PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python x.py\n" + card.message());
    QCOMPARE(fixOf(set, "expandable-segments").status, FixStatus::already_on);
}

void TstExplain::whatFollowsAnOutOfMemoryErrorIsNotItsCause()
{
    const Card card{1LL << 30, 24LL << 30, 10LL << 20, 18LL << 30, 5LL << 30};
    const Explanation e =
        explain("[rank1]: " + card.message() + "\n[rank0]: NCCL error: remote process exited\n"
                + "failed (exitcode: -9) local_rank: 1\n");
    QCOMPARE(e.causes.front().cause, Cause::fragmentation);
    QVERIFY(e.headline.starts_with("Rank 1 (GPU 0) ran out of memory"));
    QVERIFY(e.explanation.find("line 2") != std::string::npos);
    QCOMPARE(e.findings.events.size(), std::size_t{2});
}

void TstExplain::whatIsCountedTwiceLeavesTheRequest()
{
    // An engine in the same process sleeps: PyTorch still counts what it gave back.
    const std::string message =
        "CUDA out of memory. Tried to allocate 16.00 GiB. GPU 0 has a total capacity of 79.18 GiB "
        "of which 5.00 GiB is free. Of the allocated memory 100.00 GiB is allocated by PyTorch";
    const Explanation e = explain(message + "\nMicro-batch size per GPU: 32\n");
    QCOMPARE(e.causes.front().cause, Cause::activations);
    QCOMPARE(e.causes[1].cause, Cause::virtual_only);
    QCOMPARE(fixOf(e, "micro-batch").status, FixStatus::recommended);
    QVERIFY2(e.headline.find("scale with batch") != std::string::npos, e.headline.c_str());
    QVERIFY(e.causes.front().evidence.front().text.find("20 % of the GPU") != std::string::npos);
    QCOMPARE(explain(message).causes.front().cause, Cause::virtual_only);
}

void TstExplain::aWrittenBudgetNamesWhatCanShrink_data()
{
    QTest::addColumn<QString>("lines");
    QTest::addColumn<int>("cause");
    QTest::newRow("activations") << "- Base model (FP16): ~14GB\n- **Activations** (2 x 2048): "
                                    "~4-6GB\n- Gradients: ~2-3GB\n- Optimizer states: 1.5 GB\n"
                                 << int(Cause::activations);
    QTest::newRow("states") << "Weights: 14 GB\nGradients: 14 GB\nOptimizer: 56 GB\n"
                            << int(Cause::optimizer_state);
    QTest::newRow("gradients") << "Model weights  14.0 GB\nActivations 2 GB\nGradients 14 GB\n"
                               << int(Cause::gradients);
    QTest::newRow("two parts are none") << "Weights: 14 GB\nGradients: 14 GB\n"
                                        << int(Cause::unclear);
}

void TstExplain::aWrittenBudgetNamesWhatCanShrink()
{
    QFETCH(QString, lines);
    QFETCH(int, cause);
    const Explanation e =
        explain("torch.OutOfMemoryError even with batch_size=1\n" + lines.toStdString());
    QCOMPARE(static_cast<int>(e.causes.front().cause), cause);
    // When it died, nothing says.
    QVERIFY2(e.headline.find("died") == std::string::npos, e.headline.c_str());
}

void TstExplain::theFirstRankOfSeveralIsNamed()
{
    const Card card{1LL << 30, 24LL << 30, 10LL << 20, 23LL << 30, 50LL << 20};
    const Explanation e =
        explain("start\n[rank6]: " + card.message() + "\n[rank2]: " + card.message() + "\n");
    QVERIFY2(e.explanation.find("ranks 2, 6; the first is in line 2, from rank 6")
                 != std::string::npos,
             e.explanation.c_str());
}

TIDEMARK_TEST(TstExplain)

} // namespace tidemark::tst_explain

#include "tst_explain.moc"
