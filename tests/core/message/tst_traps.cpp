// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/explain.h"
#include "core/message/texts.h"
#include "core/message/traps.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <set>

namespace tidemark::tst_traps {

using namespace tidemark::diagnose;

namespace {

std::string trapOf(std::string_view text)
{
    const Explanation explanation = explain(text);
    return explanation.trap ? explanation.trap->id : std::string();
}

constexpr std::string_view kFrame =
    "  File \"/opt/venv/lib/python3.11/site-packages/transformers/trainer_pt_utils.py\", line 97, "
    "in "
    "nested_concat\n    return torch_pad_and_concatenate(tensors, new_tensors)\n";

} // namespace

class TstTraps : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theCatalogueIsWhole();
    void framesOfEveryFormAreRead_data();
    void framesOfEveryFormAreRead();
    void nearMissesDoNotFire_data();
    void nearMissesDoNotFire();
    void figuresAreCompared_data();
    void figuresAreCompared();
    void aStackIsMatchedByWholeComponents();
    void itsLinesComeFirstAndWhatCannotHelpGoes();
    void rowsOfContextsAreTheWrongGpu();
    void theSameShareOfEveryGpuIsPreallocated();
    void aShapeExplainsTheRequest();
    void hostileTextCostsItsLength();
};

void TstTraps::theCatalogueIsWhole()
{
    const TrapCatalogue& catalogue = trapCatalogue();
    QVERIFY(catalogue.traps.size() > 200);
    std::set<std::string> ids;
    for (const Trap& trap : catalogue.traps) {
        QVERIFY2(ids.insert(trap.id).second, trap.id.c_str());
        QVERIFY2(!trap.say.empty() && !trap.next.empty() && !trap.lines.empty(), trap.id.c_str());
        QVERIFY2(trap.strength >= 0.5 && trap.strength <= 0.97, trap.id.c_str());
        QVERIFY2(trap.source.starts_with("https://"), trap.id.c_str());
        for (const TrapSign& sign : trap.signs) {
            QVERIFY2(!sign.isByFrames() || !sign.frames.empty(), trap.id.c_str());
            QVERIFY2(sign.strength >= 0.5 && sign.strength <= 0.97, trap.id.c_str());
        }
    }
    for (const std::string& phrase : catalogue.squeezed_phrases) {
        QVERIFY2(phrase.size() >= 2, phrase.c_str());
    }
}

void TstTraps::framesOfEveryFormAreRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("a traceback that was cut off") << QString::fromUtf8(kFrame.data());
    QTest::newRow("of Windows")
        << R"(  File "C:\env\lib\site-packages\transformers\trainer_pt_utils.py", line 97, in nested_concat)";
    QTest::newRow("of rich") << "/env/transformers/trainer_pt_utils.py:97 in nested_concat";
    QTest::newRow("of py-spy") << "    nested_concat (transformers/trainer_pt_utils.py:97)";
    QTest::newRow("of one rank")
        << "[rank3]:   File \"/env/transformers/trainer_pt_utils.py\", line 97, in nested_concat";
}

void TstTraps::framesOfEveryFormAreRead()
{
    QFETCH(QString, text);
    QCOMPARE(trapOf(text.toStdString()), std::string("trainer-eval-logits"));
}

void TstTraps::nearMissesDoNotFire_data()
{
    QTest::addColumn<QString>("text");
    const std::string frame(kFrame);
    QTest::newRow("another error")
        << QString::fromStdString(frame + "TypeError: unsupported operand type(s)\n");
    QTest::newRow("another file")
        << "  File \"/env/my_trainer_pt_utils.py\", line 97, in nested_concat\n";
    QTest::newRow("another function")
        << "  File \"/env/trainer_pt_utils.py\", line 97, in nested_concatenate\n";
    QTest::newRow("an ordinary log of Trainer")
        << "{'loss': 1.9, 'epoch': 0.3}\nSaving model checkpoint to out/checkpoint-500\n"
           "***** Running Evaluation *****\n  Num examples = 512\n";
    QTest::newRow("an ordinary log of vLLM")
        << "INFO Model loading took 14.2 GiB\nINFO Available KV cache memory: 50.1 GiB\n"
           "INFO Capturing CUDA graph shapes: 100%\nINFO Application startup complete.\n";
    QTest::newRow("words that hold a sign's letters")
        << "skilled programmers restarted the jupyterhub; memory of the cell is fine\n";
}

void TstTraps::nearMissesDoNotFire()
{
    QFETCH(QString, text);
    QCOMPARE(trapOf(text.toStdString()), std::string());
}

void TstTraps::figuresAreCompared_data()
{
    QTest::addColumn<QString>("relation");
    QTest::addColumn<bool>("is_so");
    QTest::newRow("less") << "tried<free" << true;
    QTest::newRow("not less") << "free<tried" << false;
    QTest::newRow("a product") << "free<total*0.5" << true;
    QTest::newRow("a sum") << "tried+free>total" << false;
    QTest::newRow("a number") << "tried>=1073741824" << true;
    QTest::newRow("what the message lacks") << "reserved<total" << false;
    QTest::newRow("no relation") << "tried" << false;
    QTest::newRow("nothing on one side") << "tried<" << false;
}

void TstTraps::figuresAreCompared()
{
    QFETCH(QString, relation);
    QFETCH(bool, is_so);
    OomMessage message;
    message.tried = Bytes{1LL << 30};
    message.free = Bytes{2LL << 30};
    message.total = Bytes{8LL << 30};
    QCOMPARE(holds(relation.toStdString(), message), is_so);
}

void TstTraps::aStackIsMatchedByWholeComponents()
{
    const TrapFrame frame{"torch/serialization.py", "_deserialize"};
    QVERIFY(frame.matches("/env/lib/torch/serialization.py", "_deserialize"));
    QVERIFY(frame.matches("C:\\env\\torch\\serialization.py", "Loader._deserialize"));
    QVERIFY(!frame.matches("/env/mytorch/serialization.py", "_deserialize"));
    QVERIFY(!frame.matches("/env/torch/serialization.py", "load"));
}

void TstTraps::itsLinesComeFirstAndWhatCannotHelpGoes()
{
    const Explanation explanation = explain(
        std::string(kFrame)
        + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a "
          "total "
          "capacity of 23.64 GiB of which 1.10 GiB is free. Process 1 has 22.5 GiB memory in use. "
          "Of "
          "the allocated memory 21.90 GiB is allocated by PyTorch, and 100.00 MiB is reserved by "
          "PyTorch but unallocated.\n");
    QCOMPARE(explanation.causes.front().cause, Cause::evaluation_accumulation);
    QVERIFY(explanation.trap.has_value());
    QVERIFY(!explanation.trap->next.empty());
    const auto& trap = *std::ranges::find(trapCatalogue().traps, explanation.trap->id, &Trap::id);
    bool shows_line = false;
    for (const Fix& fix : explanation.fixes) {
        const bool is_never = std::ranges::find(trap.never, fix.id) != trap.never.end();
        QVERIFY2(!is_never || fix.status == FixStatus::not_applicable || fix.is_of_trap,
                 fix.id.c_str());
        for (const auto& [framework, line] : fix.how) {
            shows_line |= fix.status == FixStatus::recommended
                && line.find("eval_accumulation_steps") != std::string::npos;
        }
    }
    QVERIFY(shows_line);
}

void TstTraps::rowsOfContextsAreTheWrongGpu()
{
    std::string rows = "|    0   N/A  N/A     51011      C   python train.py      18211MiB |\n";
    const std::string one = rows;
    for (int pid = 51012; pid < 51015; ++pid) {
        rows += "|    0   N/A  N/A     " + std::to_string(pid)
            + "      C   python train.py        633MiB |\n";
    }
    QCOMPARE(explain(rows).causes.front().cause, Cause::wrong_device);
    QVERIFY(explain(one).causes.front().cause != Cause::wrong_device);
}

void TstTraps::theSameShareOfEveryGpuIsPreallocated()
{
    const auto table = [](int used) {
        std::string text;
        for (int gpu = 0; gpu < 3; ++gpu) {
            text += "|   " + std::to_string(gpu)
                + "  NVIDIA A100-SXM4-40GB          Off | 00000000:07:00.0 Off |                   "
                  " 0 |\n"
                  "| N/A   31C    P0              61W / 400W |  "
                + std::to_string(used) + "MiB / 40960MiB |      0%      Default |\n";
        }
        return text;
    };
    QCOMPARE(explain(table(30900)).causes.front().cause, Cause::preallocation);
    QVERIFY(explain(table(12000)).causes.front().cause != Cause::preallocation);
}

void TstTraps::aShapeExplainsTheRequest()
{
    const std::string error =
        "mask = torch.ones(80000, 80000, dtype=torch.bfloat16, device='cuda')\n"
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ";
    const Explanation fits = explain(error + "11.92 GiB.");
    QCOMPARE(fits.causes.front().cause, Cause::single_huge_tensor);
    QVERIFY(explain(error + "1.50 GiB.").causes.front().cause != Cause::single_huge_tensor);
    // Every row of one with every row of the other.
    const std::string pairs = "a is torch.Size([49021, 2048]), b is torch.Size([50000, 2048])\n"
                              "CUDA out of memory. Tried to allocate ";
    QCOMPARE(explain(pairs + "9.13 GiB").causes.front().cause, Cause::single_huge_tensor);
    QVERIFY(explain(pairs + "9.20 GiB").causes.front().cause != Cause::single_huge_tensor);
}

void TstTraps::hostileTextCostsItsLength()
{
    std::string frames;
    for (int i = 0; i < 100'000; ++i) {
        frames += "  File \"/x/torch/serialization.py\", line 1, in _deserialize\n";
    }
    QVERIFY(!explain(frames).causes.empty());
    const std::string slashes = std::string(1'000'000, '/') + "serialization.py\", line 1, in load";
    QVERIFY(!explain(slashes).causes.empty());
    const std::string digits(2'000'000, '9');
    QVERIFY(!explain("out of memory " + digits + " x " + digits).causes.empty());
    std::string names;
    for (int i = 0; i < 50'000; ++i) {
        names += "serialization.py";
    }
    QVERIFY(!explain(names).causes.empty());
}

TIDEMARK_TEST(TstTraps)

} // namespace tidemark::tst_traps

#include "tst_traps.moc"
