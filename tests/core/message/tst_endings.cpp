// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/ascii.h"
#include "core/message/explain.h"
#include "core/message/stated_run.h"
#include "tests/core/message/fix_of.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QtTest/QTest>

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace tidemark::tst_endings {

using namespace tidemark::diagnose;
using test::fixOf;

namespace {

std::vector<std::string> posts()
{
    std::ifstream file(TIDEMARK_SOURCE_DIR "/tests/data/posts.json");
    std::vector<std::string> texts;
    for (const auto& post : nlohmann::json::parse(file)) {
        texts.push_back(post.at("text"));
    }
    return texts;
}

bool isOpen(const Fix& fix)
{
    return fix.status == FixStatus::recommended || fix.status == FixStatus::would_help;
}

bool isOpen(const Explanation& explanation, std::string_view id)
{
    return std::ranges::any_of(explanation.fixes,
                               [&](const Fix& fix) { return fix.id == id && isOpen(fix); });
}

/// What is wrong with how a text's explanation ends; empty: nothing.
std::string complaint(const std::string& text)
{
    const Explanation e = explain(text);
    const std::string small = lowered(text);
    const bool says_so = small.find("out of memory") != std::string::npos
        || small.find("outofmemory") != std::string::npos;
    const bool has_lines = std::ranges::any_of(
        e.fixes, [](const Fix& fix) { return isOpen(fix) && !fix.how.empty(); });
    const bool asks = e.causes.size() >= 2 && !e.causes.front().to_be_sure.empty();
    const bool is_nothing = e.causes.front().cause == Cause::none;
    if (is_nothing != (e.ending == Ending::nothing) || (is_nothing && says_so)) {
        return "nothing about memory";
    }
    if ((e.ending == Ending::lines && !has_lines) || (e.ending == Ending::question && !asks)) {
        return "neither lines nor a question";
    }
    const bool is_host =
        e.causes.front().cause == Cause::host_memory && e.causes.front().score >= 0.6;
    if (is_host && (isOpen(e, "micro-batch") || isOpen(e, "expandable-segments"))) {
        return "advice for the GPU where the host ran out";
    }
    if (e.message && e.message->tried && e.message->free && e.message->unallocated
        && (*e.message->free + *e.message->unallocated) < *e.message->tried
        && isOpen(e, "expandable-segments")) {
        return "an allocator setting for a full GPU";
    }
    return {};
}

/// A post about a request that failed on one of several GPUs, with what the run is.
std::string ofEightGpus(std::string_view more)
{
    return "Our 2.0B parameters model trains with AdamW on 8x H100, bf16 weights.\n"
        + std::string(more)
        + "\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.00 GiB. GPU 0 has a "
          "total "
          "capacity of 79.10 GiB of which 3.00 GiB is free. Including non-PyTorch memory, this "
          "process has 76.00 GiB memory in use. Of the allocated memory 74.90 GiB is allocated by "
          "PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.";
}

} // namespace

class TstEndings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aBatchOfOneIsStated_data()
    {
        QTest::addColumn<bool>("is_one");
        const auto row = [](const char* text, bool is_one) { QTest::newRow(text) << is_one; };
        row("python train.py --batch_size 1 --lr 1e-4", true);
        row("The batch size is already 1. It still fails.", true);
        row("per_device_train_batch_size=1, per_device_eval_batch_size=8", true);
        row("--per_device_eval_batch_size 1", false);
        row("validation_batch_size: 1", false);
        row("batch size 16", false);
        row("batch_size=1,024", false);
        row("batch size 1 works, batch size 2 does not", false);
    }
    void aBatchOfOneIsStated()
    {
        QFETCH(const bool, is_one);
        QCOMPARE(statedRun(QTest::currentDataTag()).has_one_sample, is_one);
    }

    void aNumberIsNoCard()
    {
        QVERIFY(!statedRun("vllm serve --port 8000, http://0.0.0.0:8000").card);
        QVERIFY(!statedRun("File \"a.py\", line 3080, in forward").card);
        QVERIFY(statedRun("on my RTX 3090").card);
    }

    /// Thrust raises the host's error for the GPU; a path that has the word says nothing.
    void whoseMemoryWasRefused()
    {
        const auto cause = [](const char* text) { return explain(text).causes.front().cause; };
        QVERIFY(cause("MemoryError: std::bad_alloc: cudaErrorMemoryAllocation: out of memory")
                != Cause::host_memory);
        QCOMPARE(cause("/opt/conda/envs/cuda12/bin/python: Cannot allocate memory"),
                 Cause::host_memory);
    }

    void everyPostEndsInOneOfThree();
    void soDoesEveryPartOfOne();
    void soDoesProse();
    void wordsAloneAreAQuestion();
    void anotherFaultNamesTheCommandThatShowsMore();
    void whatARunHasOnIsNotOffered_data();
    void whatARunHasOnIsNotOffered();
    void factsOfTheRunAreRead_data();
    void factsOfTheRunAreRead();
    void cardsAreRead_data();
    void cardsAreRead();
    void modelsAreReadByName_data();
    void modelsAreReadByName();
    void onlyAdamHasAdamsStates();
    void smallModelsAreNotOfferedWhatLargeOnesNeed_data();
    void smallModelsAreNotOfferedWhatLargeOnesNeed();
    void aTrapIsShownByItsLine();
    void shardingSaysWhatItFreesAndWhetherTheRequestFits();
};

void TstEndings::everyPostEndsInOneOfThree()
{
    for (const std::string& text : posts()) {
        QVERIFY2(complaint(text).empty(), (complaint(text) + ": " + text).c_str());
    }
}

void TstEndings::soDoesEveryPartOfOne()
{
    const std::vector<std::string> texts = posts();
    std::mt19937 random(20261128); // NOLINT(cert-msc32-c,cert-msc51-cpp)
    for (int i = 0; i < 400; ++i) {
        const std::string& text = texts[random() % texts.size()];
        const std::size_t begin = random() % text.size();
        const std::string part = text.substr(begin, random() % (text.size() - begin + 1));
        QVERIFY2(complaint(part).empty(), (complaint(part) + ": " + part).c_str());
    }
}

void TstEndings::soDoesProse()
{
    static constexpr std::array<std::string_view, 24> kWords{
        "the",  "run",  "memory",  "GPU",   "8",      "GiB",   "out of memory", "batch", "trains",
        "fine", "loss", "step",    "RAM",   "Killed", "error", "free",          "7B",    "params",
        "nccl", "vLLM", "process", "cache", "is",     "\n"};
    std::mt19937 random(7); // NOLINT(cert-msc32-c,cert-msc51-cpp)
    for (int i = 0; i < 400; ++i) {
        std::string text;
        for (std::size_t n = random() % 30; n > 0; --n) {
            text += std::string(kWords[random() % kWords.size()]) + ' ';
        }
        QVERIFY2(complaint(text).empty(), (complaint(text) + ": " + text).c_str());
    }
    QVERIFY(explain("The weather is fine, and the run trains.").ending == Ending::nothing);
    QVERIFY(explain("We ran out of time and patience.").ending == Ending::nothing);
}

void TstEndings::wordsAloneAreAQuestion()
{
    const Explanation e = explain("our job died with OutOfMemoryError yesterday");
    QVERIFY(e.ending == Ending::question);
    QVERIFY(e.causes.size() >= 2 && !e.causes.front().to_be_sure.empty());
    // In a long log, too, wherever it stands.
    const std::string log(100'000, '.');
    QVERIFY(explain(log + "\nOutOfMemoryError\n" + log).ending != Ending::nothing);
}

void TstEndings::anotherFaultNamesTheCommandThatShowsMore()
{
    const Explanation e = explain("[rank3] Watchdog caught collective operation timeout: "
                                  "WorkNCCL(SeqNum=1802, OpType=BROADCAST)");
    QVERIFY(e.causes.front().cause == Cause::not_gpu_memory);
    QVERIFY(e.ending == Ending::lines);
    QVERIFY(fixOf(e, "next-log").how.front().second.find("NCCL_DEBUG") != std::string::npos);
}

void TstEndings::whatARunHasOnIsNotOffered_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("fix");
    QTest::newRow("LoRA by its adapters") << "LoRA adapters: ~0.5GB"
                                          << "lora";
    QTest::newRow("LoRA in Python") << "model = get_peft_model(model, LoraConfig(r=8))"
                                    << "lora";
    QTest::newRow("LoRA in a configuration") << "finetuning_type: lora"
                                             << "lora";
    QTest::newRow("16-bit weights") << "Base model (FP16): 14 GB"
                                    << "bf16";
    QTest::newRow("autocast") << "TrainingArguments(bf16=True)"
                              << "bf16";
    QTest::newRow("checkpointing") << "model.gradient_checkpointing_enable()"
                                   << "checkpointing-full";
    QTest::newRow("8-bit Adam") << "optim: adamw_8bit"
                                << "optimizer-8bit";
    QTest::newRow("ZeRO") << "\"zero_optimization\": {\"stage\": 2}"
                          << "zero-2";
}

void TstEndings::whatARunHasOnIsNotOffered()
{
    QFETCH(QString, words);
    QFETCH(QString, fix);
    const std::string id = fix.toStdString();
    const Explanation with = explain(ofEightGpus(words.toStdString()));
    QVERIFY(fixOf(with, id).status == FixStatus::already_on);
    if (id != "bf16") { // which this text has on
        QVERIFY(isOpen(explain(ofEightGpus("Should I use it?")), id));
    }
    // What somebody only thinks of is not on.
    QVERIFY(isOpen(explain(ofEightGpus("Would LoRA or checkpointing help?")), "lora"));
}

void TstEndings::factsOfTheRunAreRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("parameters");
    QTest::addColumn<qint64>("gpus");
    QTest::newRow("prose") << "1.829B parameters on 8 GPUs" << qint64(1'829'000'000) << qint64(8);
    QTest::newRow("a card's name")
        << "xl, 3.52B params, 4x A100" << qint64(3'520'000'000) << qint64(4);
    QTest::newRow("a sign of multiplication")
        << "**Hardware**: 8\xC3\x97 NVIDIA B200" << qint64(0) << qint64(8);
    QTest::newRow("in words") << "7 billion parameters" << qint64(7'000'000'000) << qint64(0);
    QTest::newRow("counted") << "124,439,808 parameters" << qint64(124'439'808) << qint64(0);
    QTest::newRow("a launcher") << "torchrun --nproc_per_node=4 train.py" << qint64(0) << qint64(4);
    QTest::newRow("the fewest of several")
        << "num_processes: 16 over 2 nodes of 8 GPUs" << qint64(0) << qint64(8);
    QTest::newRow("of adapters") << "239M trainable params" << qint64(0) << qint64(0);
    QTest::newRow("a size") << "7B of text, 80 GB cards" << qint64(0) << qint64(0);
    QTest::newRow("eleven are not one") << "11 GPUs" << qint64(0) << qint64(11);
    QTest::newRow("also tried on one")
        << "single GPU fails, so do 8 GPUs" << qint64(0) << qint64(8);
    QTest::newRow("one") << "on a single GPU" << qint64(0) << qint64(1);
    QTest::newRow("a batch of one") << "batch size 1, GPU memory is full" << qint64(0) << qint64(0);
    QTest::newRow("a version") << "torch 2.8 and x8 lanes" << qint64(0) << qint64(0);
}

void TstEndings::factsOfTheRunAreRead()
{
    QFETCH(QString, text);
    QFETCH(qint64, parameters);
    QFETCH(qint64, gpus);
    const StatedRun run = statedRun(text.toStdString());
    QCOMPARE(run.parameters.value_or(0), parameters);
    QCOMPARE(run.gpus.value_or(0), gpus);
}

void TstEndings::cardsAreRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("gib");
    QTest::addColumn<int>("bits");
    QTest::newRow("in words") << "a 24 GB card" << qint64(24) << 16;
    QTest::newRow("by its name") << "RTX 4070 Ti SUPER 16GB" << qint64(16) << 16;
    QTest::newRow("in one word") << "8xA100-80GB" << qint64(80) << 16;
    QTest::newRow("RAM beside a card") << "RTX 4090, 64GB RAM" << qint64(23) << 16;
    QTest::newRow("RAM of its computer") << "RTX 3090 with 64 GB of RAM" << qint64(23) << 16;
    QTest::newRow("what a run takes") << "the A100 shows 12 GB" << qint64(79) << 16;
    QTest::newRow("the name alone") << "on my 3090 it stops" << qint64(23) << 16;
    QTest::newRow("in one word, alone") << "a gtx1080ti" << qint64(10) << 16;
    QTest::newRow("a number") << "30900 images" << qint64(0) << 16;
    QTest::newRow("switched on") << "load_in_4bit=True" << qint64(0) << 4;
    QTest::newRow("switched off") << "\"load_in_4bit\": false, load_in_8bit=False" << qint64(0)
                                  << 16;
    QTest::newRow("a dtype is no T4") << "as int4 12 GB" << qint64(0) << 4;
    QTest::newRow("wide weights") << "all in fp32" << qint64(0) << 32;
    QTest::newRow("wide states") << "bf16 weights, fp32 optimizer states" << qint64(0) << 16;
}

void TstEndings::cardsAreRead()
{
    QFETCH(QString, text);
    QFETCH(qint64, gib);
    QFETCH(int, bits);
    const StatedRun run = statedRun(text.toStdString());
    QCOMPARE(run.card.value_or(0) >> 30, gib);
    QCOMPARE(run.weight_bits, bits);
}

void TstEndings::modelsAreReadByName_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("billions");
    QTest::newRow("behind the family") << "llama 7b" << qint64(7);
    QTest::newRow("in one word") << "vicuna-13b-v1.5" << qint64(13);
    QTest::newRow("before the word") << "a 7B model" << qint64(7);
    QTest::newRow("of tokens") << "trained on 13B tokens" << qint64(0);
    QTest::newRow("inside a word") << "the adoption 7b" << qint64(0);
}

void TstEndings::modelsAreReadByName()
{
    QFETCH(QString, text);
    QFETCH(qint64, billions);
    QCOMPARE(statedRun(text.toStdString()).model.value_or(0), billions * 1'000'000'000);
}

void TstEndings::smallModelsAreNotOfferedWhatLargeOnesNeed_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("first");
    QTest::addColumn<bool>("is_large");
    const char* const activations = "activations";
    QTest::newRow("a U-Net") << "Training a 3D U-Net on CT volumes stops here." << activations
                             << false;
    QTest::newRow("a GAN") << "python train.py --cfg stylegan2 --batch 32" << activations << false;
    QTest::newRow("nothing but a batch")
        << "I have to make the batch smaller, but how?" << activations << false;
    QTest::newRow("a test script") << "python tools/test.py on my own pictures ends so"
                                   << "evaluation-batch" << false;
    QTest::newRow("a transformer")
        << "Fine-tuning a language model of ours stops here." << activations << true;
}

void TstEndings::smallModelsAreNotOfferedWhatLargeOnesNeed()
{
    QFETCH(QString, words);
    QFETCH(QString, first);
    QFETCH(bool, is_large);
    const Explanation e = explain(
        words.toStdString()
        + "\nRuntimeError: CUDA out of memory. Tried to allocate 314.00 MiB (GPU 0; 10.91 GiB "
          "total capacity; 9.80 GiB already allocated; 120.44 MiB free; 10.21 GiB reserved "
          "in total by PyTorch)");
    QCOMPARE(std::string(causeId(e.causes.front().cause)), first.toStdString());
    for (const std::string_view id : {"optimizer-8bit", "lora", "zero-2"}) {
        QCOMPARE(isOpen(e, id), is_large);
    }
    // 4 % of what is reserved is left over on every full card.
    QVERIFY(!isOpen(e, "expandable-segments"));
}

void TstEndings::aTrapIsShownByItsLine()
{
    const Explanation e =
        explain("The GPU is shared.\nAnother user's job still uses 9 GB of this GPU "
                "memory.\nCUDA out of memory.");
    QVERIFY(e.trap && e.trap->id == "leftover-process");
    QVERIFY(e.causes.front().evidence.front().text.starts_with("Line 2: "));
    const auto repeats = [&](const Evidence& evidence) {
        return e.headline.find(evidence.text.substr(0, evidence.text.size() - 1))
            != std::string::npos;
    };
    QVERIFY(std::ranges::none_of(e.causes.front().evidence, repeats));
}

void TstEndings::onlyAdamHasAdamsStates()
{
    const auto first = [](const std::string& optimizer) {
        return explain("CUDA out of memory while training a 7B model with " + optimizer
                       + " on a 24 GB card.")
            .causes.front()
            .cause;
    };
    QVERIFY(first("AdamW") == Cause::model_states);
    QVERIFY(first("plain SGD") != Cause::model_states);
    QVERIFY(first("adamw8bit()") != Cause::model_states);
}

void TstEndings::shardingSaysWhatItFreesAndWhetherTheRequestFits()
{
    // 2.0 G parameters: 8 to 16 GB of state, of which 8 GPUs keep an eighth each: 6.5 GiB at least.
    const Explanation e = explain(ofEightGpus(""));
    const Fix& fix = fixOf(e, "zero-1");
    QCOMPARE(fix.saves.value, std::int64_t(7'000'000'000));
    QVERIFY(fix.status == FixStatus::recommended);
    QVERIFY(fix.title.find("8 GPUs") != std::string::npos);
    QVERIFY(fix.why.find("request would pass") != std::string::npos);
    // A budget that is written says it to the byte; without a number of GPUs nothing is known.
    const Explanation written = explain(
        ofEightGpus("Model params (BF16): 4 GB\nGradients: 4 GB\nOptimizer states: 4 GB\n"));
    QCOMPARE(fixOf(written, "zero-1").saves.value, std::int64_t(3'500'000'000));
    QVERIFY(fixOf(written, "zero-1").status == FixStatus::would_help);
    std::string alone = ofEightGpus("");
    alone.replace(alone.find("8x H100"), 7, "an H100");
    QVERIFY(!isOpen(explain(alone), "zero-1"));
}

TIDEMARK_TEST(TstEndings)

} // namespace tidemark::tst_endings

#include "tst_endings.moc"
