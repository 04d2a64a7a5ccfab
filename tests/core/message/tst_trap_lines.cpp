// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What the lines of a known trap say of the text at hand.
#include "core/message/explain.h"
#include "tests/core/message/fix_of.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_trap_lines {

using namespace tidemark::diagnose;
using test::fixOf;

namespace {

std::string notFree(const char* device, const char* free, const char* total)
{
    return fmt::format("ValueError: Free memory on device {}({}/{} GiB) on startup is less than "
                       "desired GPU memory utilization (0.9, 70.00 GiB). Decrease GPU memory "
                       "utilization or reduce GPU memory used by other processes.",
                       device, free, total);
}

/// All that is to be pasted for a fix.
std::string linesOf(const Fix& fix)
{
    std::string lines;
    for (const auto& [framework, line] : fix.how) {
        lines += line + '\n';
    }
    return lines;
}

} // namespace

class TstTrapLines : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void vllmsShareIsBelowWhatIsFree_data();
    void vllmsShareIsBelowWhatIsFree();
    void aShareThatIsLoweredIsNoLimitThatIsRaised();
    void theLongestContextIsTheMessages_data();
    void theLongestContextIsTheMessages();
    void quotedLinesAreCutBetweenWords();
    void aFullHostGetsWhatFreesItsRam();
};

void TstTrapLines::vllmsShareIsBelowWhatIsFree_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("free");
    QTest::addColumn<QString>("total");
    QTest::addColumn<QString>("share");
    QTest::newRow("rounded down") << ""
                                  << "6.40"
                                  << "31.36"
                                  << " 0.20 ";
    QTest::newRow("with the device") << "cuda:0 "
                                     << "12.50"
                                     << "47.40"
                                     << " 0.26 ";
    // Printed figures are rounded: the share itself may be more than is free.
    QTest::newRow("exact") << ""
                           << "21.00"
                           << "100.00"
                           << " 0.20 ";
    QTest::newRow("almost all") << ""
                                << "78.90"
                                << "79.10"
                                << " 0.99 ";
    QTest::newRow("nothing") << ""
                             << "0.20"
                             << "79.10"
                             << " ... ";
}

void TstTrapLines::vllmsShareIsBelowWhatIsFree()
{
    QFETCH(QString, device);
    QFETCH(QString, free);
    QFETCH(QString, total);
    QFETCH(QString, share);
    const Explanation e = explain(notFree(device.toUtf8().constData(), free.toUtf8().constData(),
                                          total.toUtf8().constData()));
    const Fix& fix = fixOf(e, "vllm-share");
    QCOMPARE(fix.status, FixStatus::would_help);
    const std::string lines = linesOf(fix);
    QVERIFY2(lines.find("--gpu-memory-utilization" + share.toStdString()) != std::string::npos,
             lines.c_str());
    QCOMPARE(fixOf(e, "memory-fraction").status, FixStatus::not_applicable);
    // vLLM checks what is free before it looks at a size given for the cache.
    QVERIFY(std::ranges::none_of(e.fixes, [](const Fix& other) {
        return linesOf(other).find("kv-cache-memory-bytes") != std::string::npos;
    }));
}

void TstTrapLines::aShareThatIsLoweredIsNoLimitThatIsRaised()
{
    const Explanation vllm =
        explain("RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy "
                "requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when "
                "initializing the engine.");
    QCOMPARE(fixOf(vllm, "vllm-share").title, std::string("Lower vLLM's share of the GPU"));
    QCOMPARE(fixOf(vllm, "vllm-share").status, FixStatus::would_help);
    QCOMPARE(fixOf(vllm, "memory-fraction").status, FixStatus::not_applicable);
    const Explanation sglang =
        explain("Exception: Capture CUDA graph failed: CUDA out of memory. Tried to allocate 1.00 "
                "GiB. sglang");
    QCOMPARE(fixOf(sglang, "sglang-share").title, std::string("Lower SGLang's share of the GPU"));
    QVERIFY(fixOf(sglang, "sglang-share").status != FixStatus::not_applicable);
}

void TstTrapLines::theLongestContextIsTheMessages_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("line");
    const std::string needed =
        "ValueError: To serve at least one request with the models's max seq len (65536), (8.00 "
        "GiB KV cache is needed, which is larger than the available KV cache memory (1.10 GiB). ";
    const auto row = [](const char* name, const std::string& text, const char* line) {
        QTest::newRow(name) << QString::fromStdString(text) << QString::fromLatin1(line);
    };
    row("estimated",
        needed + "Based on the available memory, the estimated maximum model length is 9008. Try.",
        "--max-model-len 9008 ");
    row("of a rank, on two lines",
        "(EngineCore_0 pid=7) " + needed
            + "Based on the available memory, the estimated\n(EngineCore_0 pid=7) maximum model "
              "length is 1744.",
        "--max-model-len 1744 ");
    row("older",
        "ValueError: The model's max seq len (40960) is larger than the maximum number of tokens "
        "that can be stored in KV cache (21136). Try increasing `gpu_memory_utilization`.",
        "--max-model-len 21136 ");
    row("cut off", needed, "--max-model-len 8192 ");
    row("none fits", needed + "the estimated maximum model length is 0.", "--max-model-len 8192 ");
}

void TstTrapLines::theLongestContextIsTheMessages()
{
    QFETCH(QString, text);
    QFETCH(QString, line);
    const Explanation e = explain(text.toStdString());
    const Fix& fix = fixOf(e, "kv-cache-limit");
    QCOMPARE(fix.status, FixStatus::recommended);
    QVERIFY2(linesOf(fix).starts_with(line.toStdString()), linesOf(fix).c_str());
    QCOMPARE(fix.title, std::string("Limit the KV cache"));
}

void TstTrapLines::quotedLinesAreCutBetweenWords()
{
    const std::string words(40, 'w');
    const std::string sign = "on startup is less than desired GPU memory utilization";
    std::string line;
    for (int i = 0; i < 10; ++i) {
        line += words + ' ';
    }
    const auto quotesOf = [](const Explanation& e) {
        std::string quotes;
        for (const Evidence& evidence : e.causes.front().evidence) {
            quotes += evidence.text + '\n';
        }
        return quotes;
    };
    // Both sides are cut, whole words stay, the sign among them.
    const std::string both =
        quotesOf(explain("ERROR 07-01 12:00:00 Free memory on device " + line + sign + ' ' + line));
    QVERIFY2(both.find("… " + words + ' ') != std::string::npos, both.c_str());
    QVERIFY2(both.find(' ' + words + " …") != std::string::npos, both.c_str());
    QVERIFY2(both.find(sign) != std::string::npos, both.c_str());
    // The beginning stays where the sign is near it.
    const std::string front = quotesOf(explain("ValueError: " + words + ' ' + sign + ' ' + line));
    QVERIFY2(front.find(": ValueError: " + words) != std::string::npos, front.c_str());
    QVERIFY2(front.find(words + " …") != std::string::npos, front.c_str());
}

void TstTrapLines::aFullHostGetsWhatFreesItsRam()
{
    const Explanation e = explain("[ 812.115] Out of memory: Killed process 977 (python3) "
                                  "total-vm:98765432kB, anon-rss:60123456kB, file-rss:2048kB");
    QCOMPARE(e.causes.front().cause, Cause::host_memory);
    QVERIFY2(e.explanation.find("smaller model") == std::string::npos, e.explanation.c_str());
    QCOMPARE(fixOf(e, "host-memory").status, FixStatus::recommended);
    QVERIFY(fixOf(e, "host-mmap").title.starts_with("Map the checkpoint (mmap=True)"));
    QCOMPARE(fixOf(e, "host-mmap").status, FixStatus::would_help);
    QCOMPARE(fixOf(e, "host-load").status, FixStatus::not_applicable);
    QVERIFY(linesOf(fixOf(e, "host-memory")).find("sudo chmod 600") != std::string::npos);
    // To look at what the kernel did frees nothing.
    for (const Trap& trap : trapCatalogue().traps) {
        for (const TrapLine& line : trap.lines) {
            QVERIFY2(line.line.find("dmesg") == std::string::npos, trap.id.c_str());
        }
    }
}

TIDEMARK_TEST(TstTrapLines)

} // namespace tidemark::tst_trap_lines

#include "tst_trap_lines.moc"
