// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/explain.h"
#include "core/message/fix_conditions.h"
#include "core/message/run_activity.h"
#include "core/message/sayings.h"
#include "core/message/traps.h"
#include "tests/core/message/fix_of.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_sayings {

using namespace tidemark::diagnose;
using test::fixOf;

class TstSayings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sentencesAreHeard_data();
    void sentencesAreHeard();
    void whatRanIsKnown_data();
    void whatRanIsKnown();
    void fixesNeedWhatTheTextHas_data();
    void fixesNeedWhatTheTextHas();
    void forwardsAreNotOfferedTraining();
    void anOptionIsANumber();
    void hostileProseCostsItsLength();
};

void TstSayings::sentencesAreHeard_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("is_said");
    QTest::newRow("in order") << "GPU memory grows after each step" << true;
    QTest::newRow("the other way round") << "After each epoch I see growing MEMORY." << true;
    QTest::newRow("over a line's end") << "The memory keeps\ngrowing with every batch" << true;
    QTest::newRow("a part is missing") << "Memory grows." << false;
    QTest::newRow("two sentences") << "I have memory. It grows each year." << false;
    QTest::newRow("two paragraphs") << "memory\n\ngrows each step" << false;
    QTest::newRow("denied") << "The memory does not grow after each step" << false;
    QTest::newRow("denied, shortened") << "The memory doesn't keep growing each step" << false;
    QTest::newRow("denied, typeset") << "The memory doesn’t keep growing each step" << false;
    QTest::newRow("denied by no") << "GPU memory shows no growth each step" << false;
    QTest::newRow("in Chinese") << "显存每个epoch都在增长" << true;
    QTest::newRow("two Chinese sentences") << "显存满了。每个epoch都在增长" << false;
    QTest::newRow("in Korean") << "에폭마다 메모리가 늘어납니다" << true;
    QTest::newRow("in quotes, typeset") << "The “memory” grows each step" << true;
    QTest::newRow("of the host") << "Host memory grows each step" << false;
    QTest::newRow("inside of words") << "memorygrows eachstep" << false;
    QTest::newRow("too far apart") << QStringLiteral("memory ")
            + QStringLiteral("word ").repeated(60) + QStringLiteral("grows each step")
                                   << false;
    QTest::newRow("an abbreviation") << "memory, e.g. of GPU 0, grows each step" << true;
}

void TstSayings::sentencesAreHeard()
{
    QFETCH(QString, text);
    QFETCH(bool, is_said);
    const SayingFinder finder({{{{"memory"}, {"grow*"}, {"each", "with every"}}, {"host"}}});
    const std::string words = text.toStdString();
    const auto found = finder.find(words);
    QCOMPARE(found.front() > 0, is_said);
    QVERIFY(found.front() <= words.size());
}

void TstSayings::whatRanIsKnown_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("activity");
    const auto row = [](const char* name, const char* text, RunActivity activity) {
        QTest::newRow(name) << text << static_cast<int>(activity);
    };
    row("backward", "  File \"a.py\", line 3, in main\n    loss.backward()\n",
        RunActivity::training);
    row("evaluation", "training was fine\n  File \"a.py\", line 3, in evaluate\n    y = net(x)\n",
        RunActivity::evaluation);
    row("no_grad's frame",
        "  File \"/env/torch/utils/_contextlib.py\", line 115, in decorate_context\n"
        "    return func(*args, **kwargs)\n  File \"a.py\", line 9, in forward\n    x = f(x)\n",
        RunActivity::inference);
    row("an optimizer's",
        "  File \"/env/torch/utils/_contextlib.py\", line 115, in decorate_context\n"
        "    return func(*args, **kwargs)\n  File \"/env/torch/optim/adam.py\", line 9, in step\n",
        RunActivity::training);
    row("a server", "Serving a 7B with vLLM", RunActivity::inference);
    row("training in words", "I fine-tune it and test generation later", RunActivity::training);
    row("a program's name", "python tools/test.py --which_epoch 59", RunActivity::evaluation);
    row("the first frame",
        "I train, too.\n  File \"demo/infer.py\", line 3, in <module>\n    main()\n",
        RunActivity::inference);
    row("a module of a library", "training\n  File \"/env/eval.py\", line 3, in f\n    g()\n",
        RunActivity::training);
    row("a library's file",
        "training\n/opt/conda/lib/python3.11/site-packages/torch/_dynamo/eval_frame.py in f",
        RunActivity::training);
    row("in a sentence", "When I run demo.py of the training repository", RunActivity::inference);
    row("not training", "I want to infer (not train) a protein", RunActivity::inference);
    row("the title", "OOM in inference\nThe model was made by your training script.",
        RunActivity::inference);
    row("nothing", "It stops.", RunActivity::unknown);
}

void TstSayings::whatRanIsKnown()
{
    QFETCH(QString, text);
    QFETCH(int, activity);
    const std::string words = text.toStdString();
    QCOMPARE(static_cast<int>(runActivity(words, words.size())), activity);
}

void TstSayings::fixesNeedWhatTheTextHas_data()
{
    QTest::addColumn<QString>("fix");
    QTest::addColumn<int>("fact");
    QTest::newRow("optimizer in inference") << "optimizer-8bit" << 0;
    QTest::newRow("LoRA in inference") << "lora" << 0;
    QTest::newRow("micro-batch on the host") << "micro-batch" << 1;
    QTest::newRow("allocator beside others") << "expandable-segments" << 2;
    QTest::newRow("sharding on one GPU") << "zero-2" << 3;
    QTest::newRow("Adam of SGD") << "optimizer-8bit" << 4;
    QTest::newRow("adapters of convolutions") << "lora" << 5;
    QTest::newRow("states of convolutions") << "optimizer-8bit" << 5;
    QTest::newRow("shards of convolutions") << "zero-3" << 5;
    QTest::newRow("tokens of images") << "sequence" << 7;
    QTest::newRow("tiles of tokens") << "resolution" << 8;
    QTest::newRow("16 bits instead of 4") << "weights-16bit" << 6;
    QTest::newRow("4 bits instead of 4") << "weights-4bit" << 6;
}

void TstSayings::fixesNeedWhatTheTextHas()
{
    QFETCH(QString, fix);
    QFETCH(int, fact);
    const std::string id = fix.toStdString();
    TextFacts facts;
    QVERIFY(mayApply(id, facts));
    facts.activity = fact == 0 ? RunActivity::inference : RunActivity::unknown;
    facts.is_host = fact == 1;
    facts.is_of_others = fact == 2;
    facts.is_one_gpu = fact == 3;
    facts.has_other_optimizer = fact == 4;
    facts.is_small = fact == 5;
    facts.is_of_images = fact == 7;
    facts.is_of_tokens = fact == 8;
    facts.weight_bits = fact == 6 ? 4 : 16;
    QVERIFY(!mayApply(id, facts));
    QVERIFY(mayApply("other-process", facts)); // it needs nothing
}

void TstSayings::forwardsAreNotOfferedTraining()
{
    const std::string error =
        "\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a "
        "total capacity of 23.64 GiB of which 0.30 GiB is free. Including non-PyTorch memory, this "
        "process has 23.20 GiB memory in use. Of the allocated memory 22.80 GiB is allocated by "
        "PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.";
    const auto is_open = [](const Explanation& e, std::string_view id) {
        const FixStatus status = fixOf(e, id).status;
        return status == FixStatus::recommended || status == FixStatus::would_help;
    };
    const Explanation serves = explain("A demo of our chat model, inference alone." + error);
    const Explanation trains = explain("We train our chat model on four GPUs." + error);
    for (const std::string_view id : {"micro-batch", "optimizer-8bit", "lora", "zero-2"}) {
        QVERIFY2(!is_open(serves, id), std::string(id).c_str());
        QVERIFY2(is_open(trains, id), std::string(id).c_str());
    }
    QVERIFY(is_open(serves, "inference-mode"));
    QVERIFY(!is_open(trains, "inference-mode"));
}

void TstSayings::anOptionIsANumber()
{
    const auto trap = [](const std::string& text) {
        const Explanation e = explain(text + "\nCUDA out of memory. Tried to allocate 20.00 MiB.");
        return e.trap ? e.trap->id : std::string();
    };
    for (const char* text : {"gpu_memory_utilization=0.98", "--gpu-memory-utilization 0.97",
                             "GPU memory utilization of 1.0", "\"gpu_memory_utilization\": 0.96"}) {
        QCOMPARE(trap(text), std::string("engine-takes-all"));
    }
    for (const char* text :
         {"gpu_memory_utilization=0.9", "gpu_memory_utilization", "utilization 1"}) {
        QVERIFY(trap(text) != "engine-takes-all");
    }
}

void TstSayings::hostileProseCostsItsLength()
{
    std::string words;
    while (words.size() < kPostedText - 100) {
        words += "memory grows each step of every rank loss tensors ";
    }
    QVERIFY(!explain(words).causes.empty());
    QVERIFY(!explain(std::string(kPostedText, 'm')).causes.empty());
    QVERIFY(!explain(std::string(kPostedText - 1, '.')).causes.empty());
    QVERIFY(!explain(std::string(kPostedText - 1, '\n')).causes.empty());
}

TIDEMARK_TEST(TstSayings)

} // namespace tidemark::tst_sayings

#include "tst_sayings.moc"
