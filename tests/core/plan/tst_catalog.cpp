// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/capacity_text.h"
#include "core/plan/catalog.h"
#include "core/plan/training.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <set>

namespace tidemark::tst_catalog {

using namespace tidemark::plan;

class TstCatalog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyModelHasItsPublishedNumberOfParameters_data()
    {
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(knownModels().size()); ++i) {
            QTest::newRow(knownModels()[static_cast<std::size_t>(i)].name.c_str()) << i;
        }
    }
    void everyModelHasItsPublishedNumberOfParameters()
    {
        QFETCH(const int, index);
        const KnownModel& model = knownModels()[static_cast<std::size_t>(index)];
        RunShape run;
        run.sequence = 8;
        run.mode = Mode::inference;
        QCOMPARE(planRun(model.shape, run).parameters, model.parameters);
        QVERIFY(model.source.starts_with("https://huggingface.co/" + model.name + "/"));
    }
    void modelsAreFoundByEitherName()
    {
        QCOMPARE(findModel("Qwen/Qwen2.5-7B"), findModel("qwen2.5-7b"));
        QVERIFY(findModel("gpt2") != nullptr);
        QVERIFY(findModel("gpt3") == nullptr);
        QVERIFY(findModel("") == nullptr);
        QVERIFY(similarModels("qwen3-9b").find("Qwen/Qwen3-") == 0);
        QVERIFY(looksLikeModelName("org/name-1.5"));
        QVERIFY(!looksLikeModelName("batch_size=4"));
    }
    void namesAreUnique()
    {
        std::set<std::string> names;
        for (const KnownModel& model : knownModels()) {
            QVERIFY(names.insert(model.name).second);
        }
        for (const KnownCard& card : knownCards()) {
            QVERIFY(names.insert(card.name).second);
            QVERIFY(card.source.starts_with("https://") || card.source == "several logs");
            QVERIFY(card.total > kGiB && card.total.value < (200LL << 30));
        }
    }
    void aCapacityIsAnAmountOrACard()
    {
        const auto bytes = [](const char* words) {
            const auto capacity = parseCapacity(words);
            return capacity.has_value() ? capacity.value().value : -1;
        };
        QCOMPARE(bytes("24"), 24 * kGiB.value); // As one says it of a card.
        QCOMPARE(bytes(" 24 GiB "), 24 * kGiB.value);
        QCOMPARE(bytes("24gib"), 24 * kGiB.value);
        QCOMPARE(bytes("1,5g"), 3 * kGiB.value / 2);
        QCOMPARE(bytes("0.5TiB"), 512 * kGiB.value);
        QCOMPARE(bytes("80 GB"), bytes("80GiB")); // A card's are of 1024.
        QCOMPARE(bytes("11811160064"), 11'811'160'064);
        QCOMPARE(bytes("512 B"), 512);
        for (const char* card : {"H100 80GB", "h100-80gb", "NVIDIA H100 80GB HBM3"}) {
            QCOMPARE(bytes(card), findCard("H100-80GB")->total.value);
        }
        for (const char* card : {"4090", "RTX 4090", "L4", "H200", "B200", "A6000", "A40", "MI300X",
                                 "AMD Instinct MI300X", "NVIDIA RTX A6000"}) {
            QVERIFY2(findCard(card) != nullptr && bytes(card) == findCard(card)->total.value, card);
        }
        for (const char* words :
             {"", " ", "lots", "-3 GiB", "0", "4080", "24576", "5000", "1 GiB or so", "1e99",
              "1,024 MiB", "1,2,3", "inf", "nan", "24 GiB 24", "99999999TiB"}) {
            QCOMPARE(bytes(words), -1);
        }
        // Which A100 is for the person to say, and so is what they meant by a card unheard of.
        const std::string message = parseCapacity("A100").error().message;
        QVERIFY(message.find("one of A100-80GB, A100-40GB.") != std::string::npos);
        QVERIFY(parseCapacity("4080").error().message.find("more GiB than any GPU")
                != std::string::npos);
        QVERIFY(parseCapacity("RTX-9999").error().message.find("known GPU") != std::string::npos);
    }
    void aCardIsFoundAsTheDriverNamesIt()
    {
        QCOMPARE(findCard("NVIDIA A100-SXM4-80GB"), findCard("A100-80GB"));
        QCOMPARE(findCard("NVIDIA GeForce RTX 4090"), findCard("RTX-4090"));
        QCOMPARE(findCard("Tesla V100-SXM2-32GB"), findCard("V100-32GB"));
        QCOMPARE(findCard("NVIDIA RTX 6000 Ada Generation"), findCard("RTX-6000-Ada"));
        QVERIFY(findCard("NVIDIA") == nullptr);
    }
    void cardsAreFoundHoweverTheyAreWritten()
    {
        QVERIFY(findCard("a100 80gb") != nullptr);
        QCOMPARE(findCard("RTX4090"), findCard("rtx-4090"));
        QVERIFY(findCard("80GiB") == nullptr);
        QVERIFY(findCard("H100")->workspace > findCard("T4")->workspace);
    }
};

TIDEMARK_TEST(TstCatalog)

} // namespace tidemark::tst_catalog

#include "tst_catalog.moc"
