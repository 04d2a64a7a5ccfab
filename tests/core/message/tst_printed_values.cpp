// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/log_findings.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>

namespace tidemark::tst_printed_values {

using namespace tidemark::diagnose;

namespace {

constexpr double kOneGB = 1e9;
constexpr double kOneGiB = 0x1p30;
constexpr double kOneMiB = 0x1p20;

std::vector<MemoryReading> readingsOf(std::string_view text)
{
    return readLog(text).readings;
}

const MemoryReading* reading(const LogFindings& findings, std::string_view what)
{
    const auto found = std::ranges::find(findings.readings, what, &MemoryReading::what);
    return found == findings.readings.end() ? nullptr : &*found;
}

} // namespace

class TstPrintedValues : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatFrameworksPrintIsRead_data();
    void whatFrameworksPrintIsRead();
    void onlyUnitsThatMayBeEitherStayOpen();
    void decimalUnitsAreToldFromBinaryOnes();
    void aLongerNameIsNotAShorterOne();
    void aLineOfAnotherProgramIsNotRead_data();
    void aLineOfAnotherProgramIsNotRead();
    void theLastOfEachStepCounts();
};

void TstPrintedValues::whatFrameworksPrintIsRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("what");
    QTest::addColumn<double>("bytes");
    const auto row = [](const char* name, const char* text, const char* source, const char* what,
                        double bytes) { QTest::newRow(name) << text << source << what << bytes; };
    const char* const megatron =
        "[Rank 0] (after 100 iterations) memory (MB) | allocated: 2712.5 | max allocated: "
        "10595.75 | reserved: 12900.0 | max reserved: 12906.0";
    row("Megatron", megatron, "Megatron", "allocated", 2712.5 * kOneMiB);
    row("Megatron, peak", megatron, "Megatron", "peak allocated", 10595.75 * kOneMiB);
    row("Megatron, reserved", megatron, "Megatron", "reserved", 12900 * kOneMiB);
    row("Megatron, peak reserved", megatron, "Megatron", "peak reserved", 12906 * kOneMiB);
    row("torchtitan",
        "[titan] step: 10  \x1b[32mloss: 7.85  \x1b[33mmemory: 47.28GiB(59.76%)  tps: 7,200",
        "torchtitan", "peak reserved", 47.28 * kOneGiB);
    row("torchtune", "1|10|Loss: 1.3: peak_memory_active:31.42 peak_memory_alloc:30.11",
        "torchtune", "peak active", 31.42 * kOneGiB);
    row("torchtune, allocated", "peak_memory_active:31.42 peak_memory_alloc:30.11", "torchtune",
        "peak allocated", 30.11 * kOneGiB);
    row("Axolotl", "GPU memory usage after model load: 4.211GB (+0.107GB cache, +1.018GB misc)",
        "Axolotl", "allocated", 4.211 * kOneGiB);
    row("Axolotl, metrics", "{'loss': 1.2, 'memory/max_mem_active(gib)': 30.5}", "Axolotl",
        "peak active", 30.5 * kOneGiB);
    row("Unsloth", "GPU = NVIDIA L4. Max memory = 22.168 GB.", "Unsloth", "total",
        22.168 * kOneGiB);
    row("Unsloth, banner",
        "   \\\\   /|    Tesla T4. Num GPUs = 1. Max memory: 14.748 GB. Platform: Linux.",
        "Unsloth", "total", 14.748 * kOneGiB);
    row("Unsloth, peak",
        "Peak reserved memory = 18.811 GB.\nPeak reserved memory for training = 11.489 GB.",
        "Unsloth", "peak reserved", 18.811 * kOneGiB);
    row("ms-swift",
        "{'loss': 1.0, 'memory(GiB)': 43.21, 'train_speed(iter/s)': 0.06, 'elapsed_time': '5m'}",
        "ms-swift", "peak reserved", 43.21 * kOneGiB);
    row("PEFT",
        "GPU Total Peak Memory consumed during the train (max): 23577\n"
        "CPU Total Peak Memory consumed during the train (max): 5000",
        "PEFT", "peak allocated", 23577 * kOneMiB);
    const char* const verl = "After FSDP, memory allocated (GB): 7.49, memory reserved (GB): 8.47, "
                             "device memory used/total (GB): 9.59/31.36";
    row("veRL", verl, "veRL", "allocated", 7.49 * kOneGiB);
    row("veRL, reserved", verl, "veRL", "reserved", 8.47 * kOneGiB);
    row("veRL, card", verl, "veRL", "used", 9.59 * kOneGiB);
    row("veRL, all of it", verl, "veRL", "total", 31.36 * kOneGiB);
    row("SGLang", "Load weight end. type=Llama, avail mem=63.86 GB, mem usage=15.08 GB.", "SGLang",
        "free", 63.86 * kOneGiB);
    row("SGLang, weights", "Load weight end. avail mem=63.86 GB, mem usage=15.08 GB.", "SGLang",
        "weights", 15.08 * kOneGiB);
    row("Ultralytics",
        "      Epoch    GPU_mem   box_loss   cls_loss\n      1/100      11.2G      1.234     2.345",
        "Ultralytics", "reserved", 11.2 * kOneGB);
    row("MMEngine",
        "Epoch(train)  [1][50/7330]  time: 0.9  data_time: 0.01  memory: 11533  loss: 3",
        "MMEngine", "peak allocated", 11533 * kOneMiB);
    row("Detectron2", "d2.utils.events:  eta: 1:20:00  iter: 19  lr: 1e-5  max_mem: 7211M", "log",
        "peak allocated", 7211 * kOneMiB);
    row("torchvision's references",
        "Epoch: [0]  [  10/1251]  eta: 1:00:00  loss: 6.9  time: 1.2  data: 0.1  max mem: 21345",
        "log", "peak allocated", 21345 * kOneMiB);
    row("nanotron",
        "Memory usage: 1234.56MiB. Peak allocated 2345.67MiB. Peak reserved: 3456.00MiB", "log",
        "allocated", 1234.56 * kOneMiB);
    row("nanotron, peak",
        "Memory usage: 1234.56MiB. Peak allocated 2345.67MiB. Peak reserved: 3456.00MiB", "log",
        "peak reserved", 3456 * kOneMiB);
    row("DeepSpeed", "MA 1.66 GB         Max_MA 2.10 GB         CA 3.27 GB         Max_CA 3 GB",
        "DeepSpeed", "peak allocated", 2.10 * kOneGiB);
    row("by hand", "[mem] allocated 1.2 GiB | peak allocated 5.25 GiB", "log", "peak allocated",
        5.25 * kOneGiB);
    row("by hand, in words", "[step 4] Max memory allocated: 34.56 GB", "log", "peak allocated",
        34.56 * kOneGB);
}

void TstPrintedValues::whatFrameworksPrintIsRead()
{
    QFETCH(QString, text);
    QFETCH(QString, source);
    QFETCH(QString, what);
    QFETCH(double, bytes);
    const auto readings = readingsOf(text.toStdString());
    const auto found = std::ranges::find_if(readings, [&](const MemoryReading& reading) {
        return reading.source == source.toStdString() && reading.what == what.toStdString();
    });
    QVERIFY(found != readings.end());
    QCOMPARE(found->bytes.value, std::int64_t{std::llround(bytes)});
    QVERIFY(found->low <= found->bytes && found->bytes <= found->high);
}

void TstPrintedValues::onlyUnitsThatMayBeEitherStayOpen()
{
    const auto isOpen = [](const char* text) { return readingsOf(text).at(0).unit_is_open; };
    QVERIFY(isOpen("max memory allocated: 34.56 GB"));
    QVERIFY(isOpen("Epoch GPU_mem\n1/100 11.2G 1.2"));
    QVERIFY(!isOpen("peak allocated 5.25 GiB"));
    QVERIFY(!isOpen("avail mem=8.30 GB"));
    QVERIFY(!isOpen("memory allocated (GB): 7.49"));
}

void TstPrintedValues::decimalUnitsAreToldFromBinaryOnes()
{
    const std::string line = "{'max_allocated_gb': 179.78}\nGPU 3 memory allocated: 18.2 GB\n";
    const LogFindings open = readLog(line);
    const MemoryReading* peak = reading(open, "peak allocated");
    QVERIFY(peak != nullptr && peak->unit_is_open);
    QCOMPARE(peak->bytes.value, std::int64_t{179'780'000'000});
    QVERIFY(peak->high.value >= std::llround(179.78 * kOneGiB));
    QCOMPARE(reading(open, "allocated")->gpu, std::optional<std::int64_t>(3));
    QCOMPARE(reading(open, "allocated")->bytes.value, std::int64_t{18'200'000'000});
    // 179.78 GiB would be more than the card has.
    const LogFindings closed =
        readLog(line + "Tried to allocate 13.89 GiB\nGPU has 178.36 GiB total, 164.31 GiB in use");
    QVERIFY(!reading(closed, "peak allocated")->unit_is_open);
    QCOMPARE(reading(closed, "peak allocated")->high.value, std::int64_t{179'785'000'000});
    QVERIFY(reading(closed, "allocated")->unit_is_open);
}

void TstPrintedValues::aLongerNameIsNotAShorterOne()
{
    const auto readings = readingsOf("max memory allocated: 34.56 GB, peak memory reserved: 40 GB");
    QCOMPARE(readings.size(), std::size_t{2});
    QCOMPARE(readings[0].what, std::string("peak allocated"));
    QCOMPARE(readings[1].what, std::string("peak reserved"));
    QCOMPARE(readingsOf("(MB) memory (MB) | max allocated: 200.5").size(), std::size_t{1});
}

void TstPrintedValues::aLineOfAnotherProgramIsNotRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("a heap") << "GC: 12 ms | allocated: 4096.5 | reserved: 8192.0";
    QTest::newRow("the host") << "memory: 11533 kB in use by mysqld";
    QTest::newRow("the host's peak")
        << "CPU Total Peak Memory consumed during the train (max): 5000";
    QTest::newRow("a cloud's offer") << "CPUs:2,Memory(GiB):4";
    QTest::newRow("a column without rows") << "Epoch GPU_mem box_loss\nnothing was trained";
    QTest::newRow("a limit of Java") << "Max memory: 4 GB";
    QTest::newRow("no figure") << "peak allocated unknown, max_mem: none";
}

void TstPrintedValues::aLineOfAnotherProgramIsNotRead()
{
    QFETCH(QString, text);
    QVERIFY(readingsOf(text.toStdString()).empty());
}

void TstPrintedValues::theLastOfEachStepCounts()
{
    std::string log;
    for (int step = 1; step <= 3; ++step) {
        log += fmt::format("step: {0} memory: 4{0}.00GiB(5%) tps: 10\n", step);
    }
    const auto readings = readingsOf(log);
    QCOMPARE(readings.size(), std::size_t{1});
    QCOMPARE(readings[0].bytes.value, std::int64_t{43} << 30);
}

TIDEMARK_TEST(TstPrintedValues)

} // namespace tidemark::tst_printed_values

#include "tst_printed_values.moc"
