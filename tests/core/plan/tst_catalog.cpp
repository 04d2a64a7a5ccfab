// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/capacity_text.h"
#include "core/plan/catalog.h"
#include "core/walk/training.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <set>

namespace tidemark::tst_catalog {

using namespace tidemark::plan;
using namespace tidemark::walk;

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
    void aModelTrainedFurtherHasTheShapeOfItsBase()
    {
        const auto is = [](const char* name, const char* known) {
            const KnownModel* const found = findModel(name);
            QVERIFY2(found != nullptr && found->name == known, name);
        };
        is("Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B");
        is("meta-llama/Meta-Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B");
        is("unsloth/llama-3-8b", "meta-llama/Meta-Llama-3-8B");
        is("Llama-2-7b-chat-hf", "meta-llama/Llama-2-7b-hf");
        is("Llama-2-7b", "meta-llama/Llama-2-7b-hf");
        is("Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B");
        is("Qwen/Qwen3-8B-Base", "Qwen/Qwen3-8B");
        is("mistralai/Mistral-7B-Instruct-v0.3", "mistralai/Mistral-7B-v0.3");
        is("Mistral-Nemo-Instruct-2407", "mistralai/Mistral-Nemo-Base-2407");
        is("google/gemma-2-9b-it", "google/gemma-2-9b");
        is("gemma-3-1b-it", "google/gemma-3-1b-pt");
        // Other sizes, versions and storage are other models; of encoders "base" is a size.
        for (const char* name :
             {"Llama-3.1-9B-Instruct", "Mistral-7B-Instruct-v0.2", "Qwen2.5-7B-Instruct-AWQ",
              "Qwen2.5-Coder-7B-Instruct", "bert-uncased", "t5", "Instruct", "org/-it", "/",
              "reward: Qwen/Qwen2.5-7B"}) {
            QVERIFY2(findModel(name) == nullptr, name);
        }
        for (const KnownModel& model : knownModels()) {
            QCOMPARE(findModel(model.name), &model);
            const std::string chat = model.name + "-chat";
            QCOMPARE(findModel(chat), model.shape.isCausal() ? &model : nullptr);
        }
    }
    void namesAreUnique()
    {
        std::set<std::string> names;
        for (const KnownModel& model : knownModels()) {
            QVERIFY(names.insert(model.name).second);
        }
        for (const KnownCard& card : knownCards()) {
            QVERIFY(names.insert(card.name).second);
            QVERIFY(card.source.starts_with("https://") || card.source == "several logs"
                    || card.source == "published size");
            QVERIFY(card.total > kGiB && card.total <= card.most);
            QCOMPARE(card.total == card.most,
                     card.source != "published size" && card.name != "A10G"
                         && card.name != "RTX-PRO-6000");
            // Torch has never reported more than the size in powers of 1024.
            QVERIFY2(card.most.value <= card.sold_gb << 30, card.name.c_str());
            QVERIFY2(card.total.value > (card.sold_gb << 30) / 10 * 9, card.name.c_str());
        }
    }
    void aCapacityIsAnAmountOrAGpu()
    {
        const auto bytes = [](const char* words) {
            const auto capacity = parseCapacity(words);
            return capacity.has_value() ? capacity.value().bytes.value : -1;
        };
        QCOMPARE(bytes(" 24 GiB "), 24 * kGiB.value);
        QCOMPARE(bytes("24gib"), 24 * kGiB.value);
        QCOMPARE(bytes("1,5g"), 3 * kGiB.value / 2);
        QCOMPARE(bytes("0.5TiB"), 512 * kGiB.value);
        QCOMPARE(bytes("11811160064"), 11'811'160'064);
        QCOMPARE(bytes("512 B"), 512);
        for (const char* card : {"H100 80GB", "h100-80gb", "NVIDIA H100 80GB HBM3"}) {
            QCOMPARE(parseCapacity(card).value().gpu, findCard("H100-80GB")->total);
        }
        for (const char* card : {"RTX 4090",
                                 "L4",
                                 "H200",
                                 "B200",
                                 "B100",
                                 "GH200",
                                 "NVIDIA GH200 480GB",
                                 "A6000",
                                 "A40",
                                 "A10G",
                                 "MI300X",
                                 "MI325X",
                                 "MI250X",
                                 "AMD Instinct MI300X",
                                 "NVIDIA RTX A6000",
                                 "V100 16GB",
                                 "v100 32",
                                 "P100",
                                 "Tesla P100-PCIE-16GB",
                                 "RTX 3060",
                                 "rtx4080",
                                 "A100 40"}) {
            const auto given = parseCapacity(card);
            QVERIFY2(given.has_value() && given.value().card == findCard(card), card);
            // CUDA's context takes its part, as a plan has it.
            QCOMPARE(given.value().bytes, findCard(card)->total - kContextBytes.high);
            QCOMPARE(given.value().bytes + given.value().unsure,
                     findCard(card)->most - kContextBytes.low);
            QVERIFY(given.value().source.find(findCard(card)->name) == 0);
        }
        for (const char* words :
             {"",     " ",     "lots",      "-3 GiB",      "0",      "24",        "4090",
              "4080", "24576", "5000",      "1 GiB or so", "1e99",   "1,024 MiB", "1,2,3",
              "inf",  "nan",   "24 GiB 24", "99999999TiB", "4090GB", "0.1GB"}) {
            QCOMPARE(bytes(words), -1);
        }
        // Which A100 is for the person to say, and so is what they meant by a card unheard of.
        const std::string message = parseCapacity("A100").error().message;
        QVERIFY(message.find("one of A100-80GB, A100-40GB.") != std::string::npos);
        QVERIFY(parseCapacity("RTX-9999").error().message.find("known GPU") != std::string::npos);
    }
    void aSizeThatGpusAreSoldWithIsWhatTorchReportsOfThem()
    {
        const GivenCapacity given = parseCapacity("24 GB").value();
        QCOMPARE(given.gpu, findCard("A10")->total); // The least of an A10, an L4, an RTX-4090 …
        QCOMPARE(given.bytes + given.unsure, findCard("RTX-3090")->most - kContextBytes.low);
        QVERIFY(given.bytes < parseCapacity("24GiB").value().bytes);
        QVERIFY2(given.source.find("sold with 24 GB") != std::string::npos, given.source.c_str());
        // No card is sold with so much: between the powers of 1000 and of 1024.
        const GivenCapacity other = parseCapacity("20GB").value();
        QCOMPARE(other.gpu, Bytes{20'000'000'000});
        QCOMPARE(other.bytes + other.unsure, Bytes{20 * kGiB.value} - kContextBytes.low);
    }
    void aLimitInGBIsThatAmount()
    {
        QCOMPARE(parseBytes("20GB").value(), Bytes{20 * kGiB.value});
        QCOMPARE(parseBytes(" 24 GB").value(), Bytes{24 * kGiB.value});
        QCOMPARE(parseBytes("0.5 GB").value(), Bytes{kGiB.value / 2});
        QCOMPARE(parseBytes("16MB").value(), Bytes{16 << 20});
        QCOMPARE(parseBytes("A100-80GB").value(), parseCapacity("A100-80GB").value().bytes);
        QVERIFY(!parseBytes("24").has_value());
    }
    void aNumberAloneIsAskedAbout()
    {
        using Readings = std::vector<std::string>;
        QCOMPARE(capacityReadings("4090"), (Readings{"RTX-4090", "4090GiB"}));
        QCOMPARE(capacityReadings("24"), (Readings{"24GB", "24GiB"}));
        QCOMPARE(capacityReadings("23.65"), (Readings{"23.65GiB"}));
        QCOMPARE(capacityReadings("25394806784"), Readings{}); // Bytes.
        QCOMPARE(capacityReadings("RTX 4090"), Readings{});
        QVERIFY(parseCapacity("4090").error().message.find("write RTX-4090 / 4090GiB.")
                != std::string::npos);
        for (const char* words : {"4090", "24", "80", "3060"}) {
            for (const std::string& reading : capacityReadings(words)) {
                QVERIFY2(parseCapacity(reading).has_value(), reading.c_str());
            }
        }
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
