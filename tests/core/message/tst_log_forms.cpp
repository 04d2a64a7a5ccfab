// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// One message in the shapes in which people and programs hand it on.
#include "core/message/explain.h"
#include "core/message/oom_message.h"
#include "core/message/printed_size.h"
#include "tests/support/test_main.h"

#include <QtCore/QRegularExpression>
#include <QtTest/QTest>

#include <cmath>
#include <string>
#include <vector>

namespace tidemark::tst_log_forms {

using namespace tidemark::diagnose;

namespace {

std::int64_t gib(double amount)
{
    return std::llround(amount * 0x1p30);
}

std::int64_t mib(double amount)
{
    return std::llround(amount * 0x1p20);
}

/// The message of all shapes, in pieces of at most 80 characters.
const std::vector<std::string>& pieces()
{
    static const std::vector<std::string> kPieces{
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 704.00 MiB. GPU 3",
        "has a total capacity of 31.73 GiB of which 212.25 MiB is free. Including",
        "non-PyTorch memory, this process has 31.52 GiB memory in use. Of the allocated",
        "memory 28.06 GiB is allocated by PyTorch, and 2.87 GiB is reserved by PyTorch",
        "but unallocated. If reserved but unallocated memory is large try setting"};
    return kPieces;
}

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

/// Every piece with something before it, in which %1 counts, and something behind it.
std::string shaped(std::string_view before, std::string_view behind,
                   std::string_view between = "\n")
{
    std::string text;
    for (std::size_t i = 0; i < pieces().size(); ++i) {
        text += i == 0 ? std::string_view() : between;
        text += replaced(std::string(before), "%1", std::to_string(i)) + pieces()[i];
        text += behind;
    }
    return text;
}

} // namespace

class TstLogForms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyShapeGivesTheSameFigures_data();
    void everyShapeGivesTheSameFigures();
    void processesThatWriteInBetweenDoNotMix_data();
    void processesThatWriteInBetweenDoNotMix();
    void numbersAreReadAsTheyAreWritten_data();
    void numbersAreReadAsTheyAreWritten();
    void theCauseIsSaid_data();
    void theCauseIsSaid();
    void figuresAreReadInAnyOrder_data();
    void figuresAreReadInAnyOrder();
    void otherBackendsNameTheirCard();
    void aMessageCutBehindReservedKeepsWhatIsReservedApart();
    void theHostsAllocatorAsksForNoGpuMemory();
    void mythsAreAnsweredWhereTheyTempt();
    void whatIsNotSureSaysWhatWouldMakeItSo();
};

void TstLogForms::everyShapeGivesTheSameFigures_data()
{
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, const std::string& text) { QTest::newRow(name) << text; };
    const std::string plain = shaped("", "", " ");
    row("plain", plain);
    row("wrapped", shaped("", ""));
    row("mail", shaped("> ", ""));
    row("mail, twice", shaped("> > ", ""));
    row("box", shaped("| ", "      |"));
    row("bold", shaped("**", "**", " "));
    row("code", shaped("`", "`", " "));
    row("hard blanks", replaced(plain, " ", "&nbsp;"));
    row("JSON text", "{\"msg\":\"" + shaped("", "", "\\n") + "\",\"pid\":7}");
    row("JSON text in JSON", "{\"msg\":\"" + shaped("", "", "\\\\n") + "\"}");
    row("JSON records",
        shaped("{\"log\":\"", "\\n\",\"stream\":\"stderr\",\"time\":\"2024-05-01T10:00:00Z\"}"));
    row("times", shaped("2024-06-28T06:11:52.685%1Z ", ""));
    row("times in brackets", shaped("[2024-06-28 06:11:52,12%1] [ERROR] ", ""));
    row("vLLM", shaped("ERROR 10-25 13:08:4%1 [core.py:708] ", ""));
    row("vLLM's processes",
        shaped("(EngineCore_DP0 pid=4711) ERROR 10-25 13:08:4%1 [core.py:708] ", ""));
    row("compose", shaped("vllm-1  | ", ""));
    row("replicas", shaped("worker-3: ", ""));
    row("uptime", shaped("[  812.0%1] ", ""));
    row("syslog", shaped("May  1 10:00:0%1 gpu-7 python[4711]: ", ""));
    row("colours in JSON", shaped("\\u001b[31m", "\\u001b[0m", "\\n"));
    row("decimal comma",
        QString::fromStdString(plain)
            .replace(QRegularExpression(QStringLiteral("(\\d)\\.(\\d\\d) ")),
                     QStringLiteral("\\1,\\2 "))
            .toStdString());
    row("short units", replaced(replaced(plain, "MiB", "M"), "GiB", "G"));
    row("no blanks", replaced(replaced(plain, " MiB", "MiB"), " GiB", "GiB"));
    row("split in the words",
        replaced(shaped("10:00:0%1 ", ""), "Tried to allocate", "Tried to\n10:00:09 allocate"));
}

void TstLogForms::everyShapeGivesTheSameFigures()
{
    QFETCH(std::string, text);
    const Explanation answer = explain(text);
    QVERIFY(answer.message.has_value());
    const OomMessage& m = *answer.message;
    QVERIFY(m.tried && m.total && m.free && m.this_process && m.allocated && m.unallocated);
    QCOMPARE(m.tried->value, mib(704));
    QCOMPARE(m.total->value, gib(31.73));
    QCOMPARE(m.free->value, mib(212.25));
    QCOMPARE(m.this_process->value, gib(31.52));
    QCOMPARE(m.allocated->value, gib(28.06));
    QCOMPARE(m.unallocated->value, gib(2.87));
    QCOMPARE(m.gpu.value_or(-1), 3);
    QVERIFY(!m.reserved);
    QCOMPARE(static_cast<int>(answer.causes.front().cause), static_cast<int>(Cause::fragmentation));
}

void TstLogForms::processesThatWriteInBetweenDoNotMix_data()
{
    QTest::addColumn<std::string>("first");
    QTest::addColumn<std::string>("second");
    const auto row = [](const char* name, const char* first, const char* second) {
        QTest::newRow(name) << std::string(first) << std::string(second);
    };
    row("ranks", "[rank0]: ", "[rank1]: ");
    row("numbers", "0: ", "1: ");
    row("processes", "(W pid=10, ip=10.0.0.1) ", "(W pid=20, ip=10.0.0.1) ");
    row("nodes", "node-0: ", "node-1: ");
    row("containers", "train-0  | ", "train-1  | ");
    row("times and ranks", "10:11:12 [rank0]: ", "10:11:13 [rank1]: ");
}

void TstLogForms::processesThatWriteInBetweenDoNotMix()
{
    QFETCH(std::string, first);
    QFETCH(std::string, second);
    const std::vector<std::string> other{
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0",
        "has a total capacity of 79.15 GiB of which 1.00 GiB is free. Including",
        "non-PyTorch memory, this process has 78.15 GiB memory in use. Of the allocated",
        "memory 75.00 GiB is allocated by PyTorch, and 2.50 GiB is reserved by PyTorch",
        "but unallocated."};
    std::string text;
    for (std::size_t i = 0; i < other.size(); ++i) {
        text += first + other[i] + "\n" + second + pieces()[i] + "\n";
    }
    const LogFindings findings = readLog(text);
    QCOMPARE(findings.messages.size(), std::size_t{2});
    QCOMPARE(findings.messages[0].allocated->value, gib(75));
    QCOMPARE(findings.messages[0].unallocated->value, gib(2.5));
    QCOMPARE(findings.messages[1].allocated->value, gib(28.06));
    QCOMPARE(findings.messages[1].unallocated->value, gib(2.87));
}

void TstLogForms::numbersAreReadAsTheyAreWritten_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<qint64>("bytes"); // -1: no size
    const auto row = [](const char* name, const char* text, std::int64_t bytes) {
        QTest::newRow(name) << std::string(text) << qint64{bytes};
    };
    row("decimal comma", "1,25gib", gib(1.25));
    row("thousands", "1,024.00mib", mib(1024));
    row("thousands twice", "1,073,741,824bytes", 1 << 30);
    row("four digits", "1,2345gib", -1);
    row("letter", "24g", gib(24));
    row("letter and i", "61gi,", gib(61));
    row("letter before its word", "22.8galreadyallocated", gib(22.8));
    row("letter of another word", "2gpus", -1);
    row("a count", "5total", -1);
}

void TstLogForms::numbersAreReadAsTheyAreWritten()
{
    QFETCH(std::string, text);
    QFETCH(qint64, bytes);
    const auto size = sizeAt(text, 0);
    QCOMPARE(size && size->bytes ? size->bytes->value : -1, std::int64_t{bytes});
}

void TstLogForms::theCauseIsSaid_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<int>("cause");
    const auto row = [](const char* name, const char* text, Cause cause) {
        QTest::newRow(name) << std::string(text) << static_cast<int>(cause);
    };
    row("worker gone", "RuntimeError: DataLoader worker (pid(s) 12) exited unexpectedly",
        Cause::host_memory);
    row("launcher", "['python', 'a.py'] exits with return code = -9", Cause::host_memory);
    row("old Slurm", "slurmstepd: error: Detected 1 oom-kill event(s) in step 3.0 cgroup.",
        Cause::host_memory);
    row("Slurm's accounts", "47.batch  batch  OUT_OF_ME+  0:125 6587K", Cause::host_memory);
    row("evicted", "Message: The node was low on resource: memory.", Cause::host_memory);
    row("Ray", "2 Workers (tasks / actors) killed due to memory pressure (OOM)",
        Cause::host_memory);
    row("Windows", "OSError: [WinError 1455] The paging file is too small", Cause::host_memory);
    row("Python", "  File \"a.py\", line 2\nMemoryError\n", Cause::host_memory);
    row("shared memory", "NCCL WARN Error while creating shared memory segment /dev/shm/nccl-a",
        Cause::host_memory);
    row("crash", "RuntimeError: CUDA error: unspecified launch failure", Cause::not_gpu_memory);
    row("memory errors", "CUDA error: uncorrectable ECC error encountered", Cause::not_gpu_memory);
    row("no engine", "GET was unable to find an engine to execute this computation",
        Cause::library_no_memory);
    row("XLA of old",
        "failed: Resource exhausted: Out \nof memory while trying to allocate 55 bytes.",
        Cause::not_gpu_memory);
    row("XLA with a table",
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4770354232 bytes.\n"
        "preallocated temp allocation: 4.44GiB\n total allocation: 14.44GiB\n",
        Cause::not_gpu_memory);
    row("Paddle", "Out of memory error on GPU 0. Cannot allocate 3.1GB memory on GPU 0",
        Cause::not_gpu_memory);
    row("CuPy", "OutOfMemoryError: Out of memory allocating 25,600,000 bytes (allocated so far: 3)",
        Cause::not_gpu_memory);
    row("ggml", "allocating 144817.04 MiB on device 0: cudaMalloc failed: out of memory",
        Cause::not_gpu_memory);
    row("SGLang", "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
        Cause::kv_cache);
    row("TGI", "Not enough memory to handle 4096 prefill tokens.", Cause::activations);
    row("too large", "ValueError: Some modules are dispatched on the CPU or the disk.",
        Cause::loading);
    row("not killed", "\"OOMKilled\": false, \"ExitCode\": 0", Cause::none);
    row("another status", "exit status 1370\n", Cause::none);
    row("a sound check", "no illegal memory access detected: 0 errors\n", Cause::none);
    row("notebook", "Your session crashed after using all available RAM.", Cause::host_memory);
    row("batch system", "=>> PBS: job killed: mem 67108864kb exceeded limit 62914560kb",
        Cause::host_memory);
    row("service", "train.service: Failed with result 'oom-kill'.", Cause::host_memory);
    row("spawned", "ProcessExitedException: process 1 terminated with signal SIGKILL",
        Cause::host_memory);
    row("Xid", "NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, MMU Fault", Cause::not_gpu_memory);
    row("shared memory of a kernel", "OutOfResources: out of resource: shared memory, Required: 9",
        Cause::not_gpu_memory);
    row("moving a model",
        "  File \"m.py\", line 9, in convert\n    return t.to(device, dtype)\nCUDA out of memory. "
        "Tried to allocate 172.00 MiB. GPU 0 has a total capacity of 14.75 GiB of which 100.00 MiB "
        "is free. Of the allocated memory 14.50 GiB is allocated by PyTorch, and 0 bytes is "
        "reserved by PyTorch but unallocated.",
        Cause::loading);
    row("a cache that grows",
        "  File \"c.py\", line 9, in update\n    self.key_cache[i] = torch.cat(...)\nCUDA out of "
        "memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which "
        "10.00 MiB is free. Of the allocated memory 23.00 GiB is allocated by PyTorch, and 9.00 "
        "MiB is reserved by PyTorch but unallocated.",
        Cause::kv_cache);
    row("the host's, before torch 1.0",
        "RuntimeError: $ Torch: not enough memory: you tried to allocate 123GB. Buy new RAM! at "
        "/opt/conda/work/aten/src/TH/THGeneral.c:218",
        Cause::host_memory);
    row("the driver, while a model is moved",
        "Traceback (most recent call last):\n  File \"main.py\", line 37, in <module>\n"
        "    model = Net(args).cuda()\n  File \"/env/torch/nn/modules/module.py\", line 201, in "
        "_apply\n    module._apply(fn)\nRuntimeError: CUDA error: out of memory\n",
        Cause::other_process);
    row("the driver, in a forward of old releases",
        "Traceback (most recent call last):\n  File \"main.py\", line 37, in train\n"
        "    y = model(x)\n  File \"/env/torch/nn/modules/conv.py\", line 301, in forward\n"
        "    self.padding, self.dilation, self.groups)\nRuntimeError: CUDA error: out of memory\n",
        Cause::activations);
    row("the driver, in training", "train.py stops: RuntimeError: CUDA error: out of memory",
        Cause::activations);
    row("a map per class",
        "I train a U-Net for segmentation.\nTraceback (most recent call last):\n"
        "  File \"/env/torch/nn/functional.py\", line 3014, in cross_entropy\n"
        "    return torch._C._nn.cross_entropy_loss(input, target)\n"
        "RuntimeError: CUDA out of memory. Tried to allocate 514.00 MiB (GPU 0; 10.91 GiB total "
        "capacity; 9.80 GiB already allocated; 120.44 MiB free; 10.01 GiB reserved in total by "
        "PyTorch)",
        Cause::activations);
    row("a little in blocks that are too small",
        "I train a detector.\nRuntimeError: CUDA out of memory. Tried to allocate 14.00 MiB (GPU "
        "0; "
        "6.00 GiB total capacity; 4.48 GiB already allocated; 0 bytes free; 4.80 GiB reserved in "
        "total by PyTorch)",
        Cause::activations);
    row("a disk", "Disk: total 100 GiB free 40 GiB\nstep 1\n", Cause::none);
    row("MPS, Metal itself",
        "MPS backend out of memory (MPS allocated: 9.50 GiB, other allocations: 17.30 GiB, max "
        "allowed: 27.20 GiB). Tried to allocate 512.00 MiB on private pool.",
        Cause::non_pytorch_memory);
    row("XPU, the driver",
        "level_zero backend failed with error: 39 "
        "(UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)",
        Cause::unclear);
}

void TstLogForms::theCauseIsSaid()
{
    QFETCH(std::string, text);
    QFETCH(int, cause);
    QCOMPARE(static_cast<int>(explain(text).causes.front().cause), cause);
}

void TstLogForms::figuresAreReadInAnyOrder_data()
{
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, const char* text) {
        QTest::newRow(name) << std::string(text);
    };
    row("list",
        "CUDA OOM\n- total 47.5 GiB\n- allocated 40.25 GiB\n- free 1.5 GiB\n- reserved but "
        "unallocated 5.25 GiB\n- tried to allocate 3.5 GiB\n");
    row("assigned",
        "CUDA out of memory tried=3.50GiB total=47.50GiB free=1.50GiB allocated=40.25GiB "
        "unallocated=5.25GiB");
    row("table",
        "| Tried to allocate | 3.5 GiB |\n| Total capacity | 47.5 GiB |\n| Free | 1.5 GiB |\n| "
        "Allocated by PyTorch | 40.25 GiB |\n| Reserved but unallocated | 5.25 GiB |\n");
    row("told",
        "PyTorch tried to allocate 3.5 GiB (capacity 47.5 GiB). 1.5 GiB was free, PyTorch had "
        "allocated 40.25 GiB and another 5.25 GiB was reserved but unallocated.");
}

void TstLogForms::figuresAreReadInAnyOrder()
{
    QFETCH(std::string, text);
    const auto message = parseOomMessage(text);
    QVERIFY(message && message->tried && message->total && message->free && message->allocated
            && message->unallocated);
    QCOMPARE(message->tried->value, gib(3.5));
    QCOMPARE(message->total->value, gib(47.5));
    QCOMPARE(message->free->value, gib(1.5));
    QCOMPARE(message->allocated->value, gib(40.25));
    QCOMPARE(message->unallocated->value, gib(5.25));
}

void TstLogForms::otherBackendsNameTheirCard()
{
    const auto message = parseOomMessage(
        "RuntimeError: NPU out of memory. Tried to allocate 34.00 MiB (NPU 5; 60.97 GiB total "
        "capacity; 40.10 GiB already allocated; 40.10 GiB current active; 19.00 MiB free; 41.00 "
        "GiB reserved in total by PyTorch)");
    QVERIFY(message.has_value());
    QCOMPARE(message->gpu.value_or(-1), 5);
    QCOMPARE(message->backend, std::string("NPU"));
    QCOMPARE(message->allocated->value, gib(40.1));
    QCOMPARE(message->reserved->value, gib(41));
}

void TstLogForms::aMessageCutBehindReservedKeepsWhatIsReservedApart()
{
    const auto message = parseOomMessage(
        "CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 23.69 GiB "
        "of which 0.50 GiB is free. Of the allocated memory 20.00 GiB is allocated by PyTorch, and "
        "2.25 GiB is reserved");
    QVERIFY(message.has_value());
    QCOMPARE(message->unallocated->value, gib(2.25));
    QVERIFY(!message->reserved);
}

void TstLogForms::theHostsAllocatorAsksForNoGpuMemory()
{
    const Explanation answer = explain(
        "RuntimeError: [enforce fail at alloc_cpu.cpp:73] . DefaultCPUAllocator: can't allocate "
        "memory: you tried to allocate 116813856768 bytes. Error code 12 (Cannot allocate memory)");
    QVERIFY(!answer.message);
    QCOMPARE(static_cast<int>(answer.causes.front().cause), static_cast<int>(Cause::host_memory));
}

void TstLogForms::mythsAreAnsweredWhereTheyTempt()
{
    const auto says = [](const std::string& text, const char* words) {
        return explain(text).explanation.find(words) != std::string::npos;
    };
    const std::string full = shaped("", "", " ");
    const std::string roomy = replaced(full, "212.25 MiB is free", "20.00 GiB is free");
    QVERIFY(says(full, "empty_cache() and gc.collect() do not help"));
    QVERIFY(!says(roomy, "gc.collect()"));
    QVERIFY(says(roomy, "makes another process on the GPU unlikely"));
    QVERIFY(!says(full, "makes another process on the GPU unlikely"));
    QVERIFY(says("step 3\nKilled\n", "do not help here"));
    QVERIFY(!says("step 3\n", "do not help here"));
}

void TstLogForms::whatIsNotSureSaysWhatWouldMakeItSo()
{
    const Explanation answer = explain(shaped("", "", " ") + " vLLM");
    QVERIFY(answer.causes.size() >= 2);
    for (const CauseFinding& finding : answer.causes) {
        const bool is_open = finding.score < 0.8 || finding.cause == Cause::unclear;
        QCOMPARE(finding.to_be_sure.empty(), !is_open);
    }
}

TIDEMARK_TEST(TstLogForms)

} // namespace tidemark::tst_log_forms

#include "tst_log_forms.moc"
