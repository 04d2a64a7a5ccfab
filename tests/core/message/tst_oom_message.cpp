// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/oom_message.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QtTest/QTest>

#include <fstream>
#include <set>

namespace tidemark::tst_oom_message {

using namespace tidemark::diagnose;

namespace {

constexpr std::int64_t kGi = 1LL << 30;
constexpr std::int64_t kMi = 1LL << 20;

std::int64_t hundredths(std::int64_t value, std::int64_t unit)
{
    return (value * unit + 50) / 100;
}

OomMessage read(std::string_view text)
{
    const auto message = parseOomMessage(text);
    return message ? *message : OomMessage{};
}

std::int64_t valueOf(const std::optional<Bytes>& bytes)
{
    return bytes ? bytes->value : -1;
}

} // namespace

class TstOomMessage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFieldOfTheCollectedCasesIsRead();
    void cachedOfTorch1Point1IsRead();
    void theLimitOfTorch1Point8IsRead();
    void theMisspelledCapacityOfTorch2Point1IsRead();
    void privatePoolsAndTheLimitAreReadTogether();
    void theOtherBackendsAreTold_data();
    void theOtherBackendsAreTold();
    void theAsyncAllocatorsSixLinesAreRead();
    void theLastMessageOfALogCounts();
    void aMessageWrappedInTheMiddleOfAWordIsJoined();
    void colourCodesAndBoxesAreNoPartOfIt();
    void theSentinelOfWindowsCountsAsAbsent();
    void translatedMessagesAreReadByTheOrderOfTheirFigures_data();
    void translatedMessagesAreReadByTheOrderOfTheirFigures();
    void otherBracketsAreNoTranslatedMessage();
    void driverErrorsHaveNoFigures();
    void aTextWithoutSuchAnErrorIsNone();
};

void TstOomMessage::everyFieldOfTheCollectedCasesIsRead()
{
    // Figures that stood in the original report, but not in the text that is kept, and the
    // sentinel, which counts as absent here; and one that the text has and the case does not name.
    const std::set<std::string> elsewhere{"stanford-alpaca-221.gpu", "wsl-11050.this_process",
                                          "seed-000.total"};
    std::ifstream in(test::ownData() / "cases/oom-dev.json");
    const auto cases = nlohmann::json::parse(in);
    int compared = 0;
    for (const auto& c : cases) {
        const auto id = c.at("id").get<std::string>();
        const auto parsed = parseOomMessage(c.at("text").get<std::string>());
        QVERIFY2(parsed.has_value(), id.c_str());
        const std::map<std::string, std::optional<Bytes>> fields{
            {"tried", parsed->tried},
            {"total", parsed->total},
            {"free", parsed->free},
            {"allocated", parsed->allocated},
            {"reserved", parsed->reserved},
            {"cached", parsed->cached},
            {"unallocated", parsed->unallocated},
            {"allowed", parsed->allowed},
            {"private", parsed->private_pools},
            {"this_process", parsed->this_process}};
        const auto& wanted = c.at("fields_bytes");
        for (const auto& [name, field] : fields) {
            const std::string what = id + "." + name;
            if (elsewhere.contains(what)) {
                continue;
            }
            const std::int64_t figure =
                wanted.contains(name) ? wanted.at(name).get<std::int64_t>() : -1;
            QVERIFY2(valueOf(field) == figure, what.c_str());
            compared += figure >= 0 ? 1 : 0;
        }
        if (wanted.contains("gpu") && !wanted.at("gpu").is_null()
            && !elsewhere.contains(id + ".gpu")) {
            QVERIFY2(parsed->gpu == wanted.at("gpu").get<std::int64_t>(), (id + ".gpu").c_str());
        }
        if (!wanted.at("backend").is_null()) {
            QCOMPARE(parsed->backend, wanted.at("backend").get<std::string>());
        }
        const auto& processes = wanted.at("processes");
        QCOMPARE(parsed->processes.size(), processes.size());
        for (std::size_t p = 0; p < processes.size(); ++p) {
            QCOMPARE(parsed->processes[p].pid, processes[p][0].get<std::int64_t>());
            QCOMPARE(valueOf(parsed->processes[p].in_use), processes[p][1].get<std::int64_t>());
        }
    }
    QVERIFY(compared > 150);
}

void TstOomMessage::cachedOfTorch1Point1IsRead()
{
    const auto m =
        read("RuntimeError: CUDA out of memory. Tried to allocate 640.00 MiB (GPU 0; 11.17 GiB "
             "total capacity; 9.82 GiB already allocated; 402.31 MiB free; 233.50 KiB cached)");
    QCOMPARE(valueOf(m.tried), 640 * kMi);
    QCOMPARE(valueOf(m.total), hundredths(1117, kGi));
    QCOMPARE(valueOf(m.cached), hundredths(23350, 1024));
    QCOMPARE(valueOf(m.reserved), std::int64_t{-1});
    QCOMPARE(m.gpu, std::optional<std::int64_t>(0));
}

void TstOomMessage::theLimitOfTorch1Point8IsRead()
{
    const auto m =
        read("CUDA out of memory. Tried to allocate 96.00 MiB (GPU 1; 15.78 GiB total capacity; "
             "13.01 GiB already allocated; 71.44 MiB free; 14.20 GiB allowed; 13.90 GiB reserved "
             "in total by PyTorch) If reserved memory is >> allocated memory try setting "
             "max_split_size_mb to avoid fragmentation. 99.00 GiB free");
    QCOMPARE(valueOf(m.allowed), hundredths(1420, kGi));
    QCOMPARE(valueOf(m.reserved), hundredths(1390, kGi));
    QCOMPARE(valueOf(m.free), hundredths(7144, kMi));
    QCOMPARE(m.gpu, std::optional<std::int64_t>(1));
}

void TstOomMessage::theMisspelledCapacityOfTorch2Point1IsRead()
{
    const auto m =
        read("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 258.00 MiB. GPU 0 "
             "has a total capacty of 39.39 GiB of which 61.12 MiB is free. Process 40417 has 3.50 "
             "GiB memory in use. Including non-PyTorch memory, this process has 35.80 GiB memory "
             "in use. Of the allocated memory 33.02 GiB is allocated by PyTorch, and 1.77 GiB is "
             "reserved by PyTorch but unallocated. If reserved but unallocated memory is large");
    QCOMPARE(valueOf(m.total), hundredths(3939, kGi));
    QCOMPARE(valueOf(m.this_process), hundredths(3580, kGi));
    QCOMPARE(m.processes.size(), std::size_t{1});
    QCOMPARE(m.processes[0].pid, std::int64_t{40417});
    QCOMPARE(valueOf(m.unallocated), hundredths(177, kGi));
}

void TstOomMessage::privatePoolsAndTheLimitAreReadTogether()
{
    const auto m = read(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a "
        "total capacity of 79.14 GiB of which 1.06 GiB is free. Process 9001 has 78.00 GiB "
        "memory in use. 71.22 GiB allowed; Of the allocated memory 66.40 GiB is allocated by "
        "PyTorch, with 512.00 MiB allocated in private pools (e.g., CUDA Graphs), and 9.81 GiB "
        "is reserved by PyTorch but unallocated.");
    QCOMPARE(valueOf(m.allowed), hundredths(7122, kGi));
    QCOMPARE(valueOf(m.private_pools), 512 * kMi);
    QCOMPARE(valueOf(m.allocated), hundredths(6640, kGi));
    QCOMPARE(m.gpu, std::optional<std::int64_t>(3));
}

void TstOomMessage::theOtherBackendsAreTold_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("backend");
    QTest::newRow("hip")
        << "HIP out of memory. Tried to allocate 320.00 MiB. GPU 0 has a total capacity of "
           "15.98 GiB of which 210.00 MiB is free."
        << "HIP";
    QTest::newRow("xpu")
        << "XPU out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
           "15.56 GiB of which 0 bytes is free. Please use `empty_cache` to release"
        << "XPU";
    QTest::newRow("mps")
        << "RuntimeError: MPS backend out of memory (MPS allocated: 9.05 GB, other "
           "allocations: 1.05 MB, max allowed: 9.07 GB). Tried to allocate 563.62 MB on "
           "private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0"
        << "MPS";
}

void TstOomMessage::theOtherBackendsAreTold()
{
    QFETCH(QString, text);
    QFETCH(QString, backend);
    const auto m = read(text.toStdString());
    QCOMPARE(QString::fromStdString(m.backend), backend);
    QVERIFY(m.tried.has_value());
    if (backend == QLatin1String("MPS")) {
        QCOMPARE(valueOf(m.tried), hundredths(56362, kMi));
        QCOMPARE(valueOf(m.allocated), hundredths(905, kGi));
        QCOMPARE(valueOf(m.allowed), hundredths(907, kGi));
    } else {
        QVERIFY(m.total.has_value() && m.free.has_value());
    }
}

void TstOomMessage::theAsyncAllocatorsSixLinesAreRead()
{
    const auto m = read("Allocation on device 2 would exceed allowed memory. (out of memory)\n"
                        "Currently allocated     : 10.50 GiB\n"
                        "Requested               : 3.00 GiB\n"
                        "Device limit            : 15.70 GiB\n"
                        "Free (according to CUDA): 12.19 MiB\n"
                        "PyTorch limit (set by user-supplied memory fraction)\n"
                        "                        : 17179869184.00 GiB\n");
    QCOMPARE(valueOf(m.tried), 3 * kGi);
    QCOMPARE(valueOf(m.allocated), hundredths(1050, kGi));
    QCOMPARE(valueOf(m.total), hundredths(1570, kGi));
    QCOMPARE(valueOf(m.free), hundredths(1219, kMi));
    QVERIFY(!m.allowed);
    QCOMPARE(m.gpu, std::optional<std::int64_t>(2));
}

void TstOomMessage::theLastMessageOfALogCounts()
{
    const auto m = read(
        "step 1: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of "
        "8.00 GiB of which 0 bytes is free.\nretrying with half the batch\n"
        "CUDA out of memory. Tried to allocate 512.00 MiB. GPU 1 has a total capacity of 16.00 "
        "GiB of which 3.00 MiB is free.\nKilled\n");
    QCOMPARE(valueOf(m.tried), 512 * kMi);
    QCOMPARE(valueOf(m.total), 16 * kGi);
    QCOMPARE(m.gpu, std::optional<std::int64_t>(1));
}

void TstOomMessage::aMessageWrappedInTheMiddleOfAWordIsJoined()
{
    const auto m = read(
        "CUDA out of memory. Tried to allo\ncate 35\n6.88 Mi\nB. GPU 0 has a total capac\nity of "
        "79.11 Gi\nB of which 12.00 MiB is fr\nee.");
    QCOMPARE(valueOf(m.tried), hundredths(35688, kMi));
    QCOMPARE(valueOf(m.total), hundredths(7911, kGi));
    QCOMPARE(valueOf(m.free), 12 * kMi);
}

void TstOomMessage::colourCodesAndBoxesAreNoPartOfIt()
{
    const auto m = read(
        "\x1b[1;31m│ CUDA out of memory.\x1b[0m Tried to allocate \x1b[1m2.00\x1b[0m GiB. GPU 0 │\n"
        "│ has a total capacity of 24.00 GiB of which 1.00 GiB is free. │");
    QCOMPARE(valueOf(m.tried), 2 * kGi);
    QCOMPARE(valueOf(m.total), 24 * kGi);
}

void TstOomMessage::theSentinelOfWindowsCountsAsAbsent()
{
    const auto m = read(
        "CUDA out of memory. Tried to allocate 30.00 GiB. GPU 0 has a total capacity of 15.99 GiB "
        "of which 0 bytes is free. Including non-PyTorch memory, this process has "
        "17179869184.00 GiB memory in use.");
    QVERIFY(!m.this_process);
    QVERIFY(m.this_process_unknown);
    QCOMPARE(valueOf(m.free), std::int64_t{0});
}

void TstOomMessage::translatedMessagesAreReadByTheOrderOfTheirFigures_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("German") << "CUDA hat keinen Speicher mehr. Versuch, 20,00 MiB zuzuweisen (GPU "
                               "0; 2,00 GiB insgesamt; 1,34 GiB bereits belegt; 14,76 MiB frei; "
                               "1,38 GiB von PyTorch reserviert)";
    QTest::newRow("French") << "Memoire insuffisante : tentative d'allouer 20,00 Mio (GPU 0; 2,00 "
                               "Gio de capacite totale; 1,34 Gio deja alloues; 14,76 Mio libres; "
                               "1,38 Gio reserves au total par PyTorch)";
    QTest::newRow("Chinese, wide punctuation")
        << QString::fromUtf8("CUDA 内存不足。尝试分配 20.00 MiB（GPU 0；总容量 2.00 GiB；已分配 "
                             "1.34 GiB；14.76 MiB 可用；PyTorch 共保留 1.38 GiB）");
}

void TstOomMessage::translatedMessagesAreReadByTheOrderOfTheirFigures()
{
    QFETCH(QString, text);
    const OomMessage message = read("step 12\n" + text.toStdString() + "\nexit 1\n");
    QCOMPARE(valueOf(message.tried), 20 * kMi);
    QCOMPARE(valueOf(message.total), 2 * kGi);
    QCOMPARE(valueOf(message.allocated), hundredths(134, kGi));
    QCOMPARE(valueOf(message.free), hundredths(1476, kMi));
    QCOMPARE(valueOf(message.reserved), hundredths(138, kGi));
    QCOMPARE(message.gpu.value_or(-1), std::int64_t{0});
    QCOMPARE(message.figure("free")->bytes.value, hundredths(1476, kMi));
}

void TstOomMessage::otherBracketsAreNoTranslatedMessage()
{
    // Free above total; a part without a size; too few figures; no device.
    for (const char* text :
         {"20 MiB (GPU 0; 2,00 GiB da; 1,34 GiB belegt; 3,00 GiB frei; 1,38 GiB reserviert)",
          "20 MiB (GPU 0; 2,00 GiB da; 1,34 GiB belegt; nichts frei; 1,38 GiB reserviert)",
          "20 MiB (GPU 0; 2,00 GiB da; 1,34 GiB belegt)",
          "20 MiB (GPU; 2,00 GiB da; 1,34 GiB belegt; 14 MiB frei)"}) {
        QVERIFY2(!parseOomMessage(text), text);
    }
}

void TstOomMessage::driverErrorsHaveNoFigures()
{
    for (const char* text : {"RuntimeError: CUDA error: out of memory",
                             "CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)",
                             "CUDA out of memory. Tried to allocate more than 1EB memory."}) {
        const auto m = parseOomMessage(text);
        QVERIFY2(m.has_value(), text);
        QVERIFY(!m->tried && !m->total);
        QCOMPARE(m->backend, std::string("CUDA"));
    }
}

void TstOomMessage::aTextWithoutSuchAnErrorIsNone()
{
    QVERIFY(!parseOomMessage(""));
    QVERIFY(!parseOomMessage("step 12 loss 3.41, 11.17 GiB free, all is well"));
    QVERIFY(!parseOomMessage("Tried to allocate"));
}

TIDEMARK_TEST(TstOomMessage)

} // namespace tidemark::tst_oom_message

#include "tst_oom_message.moc"
