// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/log_findings.h"
#include "core/message/printed_size.h"
#include "core/message/word_finder.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <random>

namespace tidemark::tst_log_findings {

using namespace tidemark::diagnose;

namespace {

std::int64_t gib(double amount)
{
    return std::llround(amount * 0x1p30);
}

std::string squeezedText(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (squeezed(c) != '\0') {
            out.push_back(squeezed(c));
        }
    }
    return out;
}

const OomMessage& mainOf(const LogFindings& findings)
{
    return findings.messages.at(findings.main.value());
}

const MemoryReading* reading(const LogFindings& findings, std::string_view what,
                             std::optional<std::int64_t> gpu = {})
{
    const auto found = std::ranges::find_if(findings.readings, [&](const MemoryReading& r) {
        return r.what == what && (!gpu || r.gpu == gpu);
    });
    return found == findings.readings.end() ? nullptr : &*found;
}

} // namespace

class TstLogFindings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wordsAreFoundAsASearchOneByOneFindsThem();
    void aFigureIsAsPreciseAsItIsPrinted_data();
    void aFigureIsAsPreciseAsItIsPrinted();
    void retypedMessagesAreRead_data();
    void retypedMessagesAreRead();
    void ranksThatWriteInBetweenDoNotMix();
    void aMessageInsideAnotherEndsIt();
    void theFullMessageCountsWhereASummaryCutsIt();
    void theReserveOfExpandableSegmentsIsRead();
    void whatIsNoGpuMemoryIsTold_data();
    void whatIsNoGpuMemoryIsTold();
    void harmlessSentencesAreNoEvents();
    void tablesAndLinesAboutMemoryAreRead();
    void factorsOfSizesAreRead();
    void textWithoutEndCostsNoMoreThanItsLength();
};

void TstLogFindings::wordsAreFoundAsASearchOneByOneFindsThem()
{
    const std::vector<std::string_view> words{"ab", "abc", "bca", "c", "aab", "bb", "abc"};
    const WordFinder finder(words);
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::string text;
        for (int i = 0; i < 60; ++i) {
            text.push_back("aAbBcC \n|\xe2"[random() % 10]);
        }
        std::vector<std::pair<std::size_t, std::size_t>> expected;
        std::string soFar;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (squeezed(text[i]) == '\0') {
                continue;
            }
            soFar.push_back(squeezed(text[i]));
            for (std::size_t w = 0; w < words.size(); ++w) {
                if (soFar.ends_with(words[w])) {
                    expected.emplace_back(i + 1, w);
                }
            }
        }
        std::vector<std::pair<std::size_t, std::size_t>> found;
        for (const WordHit& hit : finder.find(text)) {
            found.emplace_back(hit.end, hit.word);
        }
        std::ranges::sort(found);
        QCOMPARE(found, expected);
    }
}

void TstLogFindings::aFigureIsAsPreciseAsItIsPrinted_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("low");
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<qint64>("high");
    const auto row = [](const char* text, double low, double bytes, double high) {
        QTest::newRow(text) << text << qint64{gib(low)} << qint64{gib(bytes)} << qint64{gib(high)};
    };
    row("5.27 GiB", 5.265, 5.27, 5.275);
    row("64.50 MiB", 64.495 / 1024, 64.5 / 1024, 64.505 / 1024);
    row("3.8 GiB", 3.75, 3.8, 3.85);
    row("80 GiB", 79.5, 80, 80.5);
    row("512.00 KiB", 511.995 / 0x1p20, 512 / 0x1p20, 512.005 / 0x1p20);
    QTest::newRow("bytes") << "1024 bytes" << qint64{1024} << qint64{1024} << qint64{1024};
}

void TstLogFindings::aFigureIsAsPreciseAsItIsPrinted()
{
    QFETCH(QString, text);
    QFETCH(qint64, low);
    QFETCH(qint64, bytes);
    QFETCH(qint64, high);
    const auto size = sizeAt(squeezedText(text.toStdString()), 0);
    QVERIFY(size && size->bytes);
    QCOMPARE(qint64{size->bytes->value}, bytes);
    QVERIFY2(std::abs(size->low.value - low) <= 1, qPrintable(text));
    QVERIFY2(std::abs(size->high.value - high) <= 1, qPrintable(text));
}

void TstLogFindings::retypedMessagesAreRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("tried");
    QTest::addColumn<double>("total");
    QTest::addColumn<double>("free");
    QTest::addColumn<double>("other"); // in use or allocated
    QTest::newRow("in use") << "Tried to allocate 13.89 GiB\nGPU has 178.36 GiB total, 164.31 GiB "
                               "in use, 11.54 GiB free"
                            << 13.89 << 178.36 << 11.54 << 164.31;
    QTest::newRow("capacity")
        << "Tried to allocate 17.66 GiB. GPU 0 has a total capacity of 79.18 GiB of which 4.97 GiB "
           "is free. Of the allocated memory 100.77 GiB is allocated by PyTorch"
        << 17.66 << 79.18 << 4.97 << 100.77;
    QTest::newRow("free only") << "Tried to allocate 3.91 GiB. GPU has 3.8 GiB free" << 3.91 << 0.0
                               << 3.8 << 0.0;
    QTest::newRow("card first") << "GPU has 178.36 GiB total, 164.31 GiB in use, 11.54 GiB free.\n"
                                   "Tried to allocate 13.89 GiB"
                                << 13.89 << 178.36 << 11.54 << 164.31;
    QTest::newRow("no request")
        << "GPU 0 has a total capacity of 79.18 GiB of which 4.97 GiB is free. Of the allocated "
           "memory 100.77 GiB is allocated by PyTorch"
        << 0.0 << 79.18 << 4.97 << 100.77;
    QTest::newRow("colons") << "OOM: tried to allocate 2.00 GiB (Total: 24.00 GiB, Free: 1.00 GiB, "
                               "Allocated: 20.50 GiB)"
                            << 2.0 << 24.0 << 1.0 << 20.5;
}

void TstLogFindings::retypedMessagesAreRead()
{
    QFETCH(QString, text);
    QFETCH(double, tried);
    QFETCH(double, total);
    QFETCH(double, free);
    QFETCH(double, other);
    const LogFindings findings = readLog(text.toStdString());
    const OomMessage& m = mainOf(findings);
    const auto is = [](const std::optional<Bytes>& bytes, double wanted) {
        return wanted == 0 ? !bytes : bytes && bytes->value == gib(wanted);
    };
    QVERIFY(is(m.tried, tried));
    QVERIFY(is(m.total, total));
    QVERIFY(is(m.free, free));
    QVERIFY(is(m.allocated ? m.allocated : m.in_use, other));
}

void TstLogFindings::ranksThatWriteInBetweenDoNotMix()
{
    // Rank 0 wraps its message over four lines, and ranks 1 and 3 write between them.
    const std::string log =
        "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 "
        "has a total capac\n"
        "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 1 "
        "has a total capacity of 40.00 GiB of which 3.00 GiB is free.\n"
        "[rank0]: ity of 24.00 Gi\n"
        "[rank3]: Traceback (most recent call last):\n"
        "[rank0]: B of which 1.00 GiB is free. Of the allocated memory 20.00 GiB is allocated by "
        "PyTorch,\n"
        "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.00 GiB.\n"
        "[rank0]: and 1.50 GiB is reserved by PyTorch but unallocated.\n";
    const LogFindings findings = readLog(log);
    QCOMPARE(findings.messages.size(), std::size_t{3});
    const OomMessage& zero = findings.messages[0];
    QCOMPARE(zero.rank, std::optional<std::int64_t>(0));
    QCOMPARE(zero.total->value, gib(24));
    QCOMPARE(zero.free->value, gib(1));
    QCOMPARE(zero.allocated->value, gib(20));
    QCOMPARE(zero.unallocated->value, gib(1.5));
    const OomMessage& one = findings.messages[1];
    QCOMPARE(one.rank, std::optional<std::int64_t>(1));
    QCOMPARE(one.total->value, gib(40));
    QVERIFY(!one.allocated);
    QCOMPARE(findings.messages[2].rank, std::optional<std::int64_t>(3));
    QVERIFY(!findings.messages[2].total);
    QCOMPARE(findings.message_lines, (std::vector<std::int64_t>{1, 2, 6}));
}

void TstLogFindings::aMessageInsideAnotherEndsIt()
{
    const LogFindings findings =
        readLog("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capCUDA out of "
                "memory. Tried to allocate 4.00 GiB. GPU 1 has a total capacity of 40.00 GiB");
    QCOMPARE(findings.messages.size(), std::size_t{2});
    QVERIFY(!findings.messages[0].total);
    QCOMPARE(findings.messages[0].gpu, std::optional<std::int64_t>(0));
    QCOMPARE(findings.messages[1].total->value, gib(40));
    QCOMPARE(findings.messages[1].gpu, std::optional<std::int64_t>(1));
}

void TstLogFindings::theFullMessageCountsWhereASummaryCutsIt()
{
    const LogFindings findings = readLog(
        "CUDA out of memory. Tried to allocate 4.00 GiB. GPU 1 has a total capacity of "
        "40.00 GiB of which 2.00 GiB is free.\n"
        "Root cause: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. "
        "GPU 1 has a to\n");
    QCOMPARE(findings.messages.size(), std::size_t{2});
    QCOMPARE(findings.main, std::optional<std::size_t>(0));
}

void TstLogFindings::theReserveOfExpandableSegmentsIsRead()
{
    const LogFindings findings = readLog(
        "CUDA out of memory. Tried to allocate 9.00 GiB. GPU 0 has a total capacity of 79.14 GiB "
        "of "
        "which 30.00 GiB is free. Of the allocated memory 10.00 GiB is allocated by PyTorch, and "
        "40.25 MiB is reserved by PyTorch but unallocated. This allocation exceeds the "
        "expandable-segment reserve of 8.00 GiB for this stream, and a single allocation cannot "
        "span expandable segments. Raise it to at least 9.00 GiB.");
    QCOMPARE(mainOf(findings).reserve->value, gib(8));
    QCOMPARE(mainOf(findings).tried->value, gib(9));
}

void TstLogFindings::whatIsNoGpuMemoryIsTold_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("kind");
    const auto row = [](const char* name, const char* text, LogEventKind kind) {
        QTest::newRow(name) << text << static_cast<int>(kind);
    };
    using Kind = LogEventKind;
    row("shell", "step 3\nrun.sh: line 4: 4711 Killed                  python train.py",
        Kind::host_killed);
    row("alone", "step 3\nKilled\n", Kind::host_killed);
    row("docker", "container exited with exit code 137", Kind::host_killed);
    row("torchrun", "failed (exitcode: -9) local_rank: 0 (pid: 123)", Kind::host_killed);
    row("kernel", "[ 12.3] Out of memory: Killed process 4711 (python) total-vm:1kB",
        Kind::host_killed);
    row("slurm", "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0", Kind::host_killed);
    row("kubernetes", "    Reason:       OOMKilled\n", Kind::host_killed);
    row("loader", "RuntimeError: DataLoader worker (pid 3) is killed by signal: Killed.",
        Kind::host_killed);
    row("cpu",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:75] DefaultCPUAllocator: can't "
        "allocate memory: you tried to allocate 4096 bytes.",
        Kind::host_refused);
    row("numpy", "Unable to allocate 3.5 GiB for an array with shape (9, 9)", Kind::host_refused);
    row("shm", "It is possible that dataloader's workers are out of shared memory.",
        Kind::shared_memory);
    row("illegal", "CUDA error: an illegal memory access was encountered", Kind::illegal_access);
    row("assert", "CUDA error: device-side assert triggered", Kind::device_assert);
    row("nccl", "torch.distributed.DistBackendError: NCCL error in: x.cpp:1", Kind::collective);
    row("timeout", "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)",
        Kind::collective);
    row("disk", "OSError: [Errno 28] No space left on device", Kind::disk);
    row("cublas", "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling",
        Kind::cuda_library);
    row("cudnn", "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", Kind::cuda_library);
    row("driver", "NCCL WARN Cuda failure 'out of memory'", Kind::driver_memory);
    row("jax", "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory",
        Kind::jax);
    row("tensorflow", "OOM when allocating tensor with shape[8,128]", Kind::tensorflow);
    row("tensorflow's arena",
        "W bfc_allocator.cc:485] Allocator (GPU_0_bfc) ran out of memory trying to allocate "
        "4.50GiB (rounded to 4831838208)requested by op",
        Kind::tensorflow);
    row("no figures",
        "RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "
        "\"../c10/cuda/CUDACachingAllocator.cpp\":844, please report a bug to PyTorch.",
        Kind::without_figures);
    row("vllm, below zero", "Available KV cache memory: -2.35 GiB", Kind::vllm_cache);
    row("vllm, the rest", "the rest of the memory reserved for KV Cache is -1.05GiB.",
        Kind::vllm_cache);
    row("vllm, blocks", "executor_base.py:111] # cuda blocks: 0, # CPU blocks: 4681",
        Kind::vllm_cache);
    row("vllm", "ValueError: No available memory for the cache blocks.", Kind::vllm_cache);
    row("vllm busy",
        "Free memory on device (3.1/79.1 GiB) on startup is less than desired GPU "
        "memory utilization (0.9, 71.2 GiB).",
        Kind::vllm_busy);
}

void TstLogFindings::whatIsNoGpuMemoryIsTold()
{
    QFETCH(QString, text);
    QFETCH(int, kind);
    const LogFindings findings = readLog(text.toStdString());
    QVERIFY(!findings.events.empty());
    QCOMPARE(static_cast<int>(findings.events.front().kind), kind);
    QVERIFY(!findings.events.front().line.empty());
}

void TstLogFindings::harmlessSentencesAreNoEvents()
{
    const LogFindings findings = readLog(
        "Workers are killed politely at the end\ntorch.cuda.OutOfMemoryError: x\nexit code 1370\n"
        "Unable to allocate a port\nload 137 files\nAvailable KV cache memory: 12.35 GiB\n"
        "# cuda blocks: 1024, # CPU blocks: 4681\nAllocator ran out of memory trying to allocate "
        "4.50GiB. The caller indicates that this is not a failure\n");
    QVERIFY(findings.events.empty());
    // A time as TensorFlow prints it is no part of what is shown.
    const LogFindings timed =
        readLog("2026-03-01 12:00:00.123456: W bfc_allocator.cc:485] Allocator (GPU_0_bfc) ran out "
                "of memory trying to allocate 4.50GiB\n");
    QCOMPARE(timed.events.size(), std::size_t{1});
    QVERIFY(!timed.events.front().line.starts_with(':'));
}

void TstLogFindings::tablesAndLinesAboutMemoryAreRead()
{
    const LogFindings findings = readLog(
        "|   1  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 "
        "|\n"
        "| N/A   34C    P0              63W / 400W |  15231MiB / 81920MiB |      0%      Default "
        "|\n"
        "| Processes:                                                                            "
        "|\n"
        "|  GPU   GI   CI        PID   Type   Process name                            GPU Memory "
        "|\n"
        "|        ID   ID                                                             Usage      "
        "|\n"
        "|=======================================================================================|"
        "\n"
        "|    1   N/A  N/A   2086283      C   python                                    15220MiB "
        "|\n"
        "|    1     7    0   2086999      C   python                                      640MiB "
        "|\n"
        "+---------------------------------------------------------------------------------------+"
        "\n"
        "|                  PyTorch CUDA memory summary, device ID 2                 |\n"
        "|---------------------------------------------------------------------------|\n"
        "|            CUDA OOMs: 1            |        cudaMalloc retries: 1         |\n"
        "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
        "| Allocated memory      |   9420 MiB |  10123 MiB |     12 GiB |   3000 MiB |\n"
        "| GPU reserved memory   |  10240 MiB |  10240 MiB |     10 GiB |      0 B   |\n"
        "model weights take 14.99GiB; non_torch_memory takes 0.08GiB; PyTorch activation peak "
        "memory takes 1.23GiB\n");
    QCOMPARE(reading(findings, "used", 1)->bytes.value, std::int64_t{15231} << 20);
    QCOMPARE(reading(findings, "total", 1)->bytes.value, std::int64_t{81920} << 20);
    QCOMPARE(reading(findings, "process", 1)->pid, std::optional<std::int64_t>(2086283));
    QCOMPARE(reading(findings, "process", 1)->bytes.value, std::int64_t{15220} << 20);
    // Of a part of the GPU (MIG) its two ids stand before the process.
    QVERIFY(std::ranges::any_of(findings.readings, [](const MemoryReading& each) {
        return each.pid == 2086999 && each.gpu == 1 && each.bytes.value == std::int64_t{640} << 20;
    }));
    QCOMPARE(reading(findings, "allocated", 2)->bytes.value, std::int64_t{9420} << 20);
    QCOMPARE(reading(findings, "peak allocated", 2)->bytes.value, std::int64_t{10123} << 20);
    QCOMPARE(reading(findings, "peak reserved", 2)->bytes.value, std::int64_t{10240} << 20);
    QCOMPARE(reading(findings, "weights")->bytes.value, gib(14.99));
    QCOMPARE(reading(findings, "outside PyTorch")->bytes.value, gib(0.08));
    // As dictionaries and YAML have them, in billions of bytes.
    const LogFindings named =
        readLog("reserved_gb: 182.856974336\n\"gpu_memory_gb\": 191.514148864,\n");
    QCOMPARE(reading(named, "reserved")->bytes.value / 1'000'000, 182856);
    QCOMPARE(reading(named, "total")->bytes.value / 1'000'000, 191514);
}

void TstLogFindings::factorsOfSizesAreRead()
{
    const LogFindings findings = readLog(
        "Config: {\"vocab_size\": 151669, \"max_seq_len\": 2048}\n"
        "per_device_train_batch_size=24 num_attention_heads: 16\nlearning batch_size 0.5\n");
    QCOMPARE(findings.factors.vocabulary, std::vector<std::int64_t>{151669});
    QCOMPARE(findings.factors.sequence, std::vector<std::int64_t>{2048});
    QCOMPARE(findings.factors.batch, std::vector<std::int64_t>{24});
    QCOMPARE(findings.factors.heads, std::vector<std::int64_t>{16});
}

void TstLogFindings::textWithoutEndCostsNoMoreThanItsLength()
{
    std::string log;
    for (int i = 0; i < 20000; ++i) {
        log += "Tried to allocate 1.00 GiB max_allocated_gb: 3 mib/ killed [rank1]: ";
    }
    log += std::string(1 << 20, '9') + std::string(1 << 20, '\x1b');
    const LogFindings findings = readLog(log);
    QVERIFY(findings.messages.size() <= 800);
    QVERIFY(findings.readings.size() <= 400);
    QCOMPARE(mainOf(findings).tried->value, gib(1));
}

TIDEMARK_TEST(TstLogFindings)

} // namespace tidemark::tst_log_findings

#include "tst_log_findings.moc"
