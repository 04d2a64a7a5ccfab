// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/archive_writer.h"
#include "tests/support/process_memory.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::tst_bombs {

using namespace std::string_literals;

namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20U;

std::string repeated(std::string_view text, std::size_t bytes)
{
    std::string result;
    result.reserve(bytes + text.size());
    while (result.size() < bytes) {
        result += text;
    }
    return result;
}

std::string lengthOf(std::size_t size, std::size_t bytes)
{
    std::string result;
    for (std::size_t i = 0; i < bytes; ++i) {
        result += static_cast<char>((size >> (8 * i)) & 0xffU);
    }
    return result;
}

/// A snapshot whose one key goes on for so many bytes.
std::string longText(std::size_t bytes)
{
    return "\x80\4}\x8d"s + lengthOf(bytes, 8) + std::string(bytes, 'x') + "]s.";
}

std::string pickleOf(std::string_view opcodes, std::size_t bytes)
{
    return "\x80\4]("s + repeated(opcodes, bytes) + "e.";
}

std::string jsonOf(std::string_view item, std::size_t bytes)
{
    return "{\"segments\":["s + repeated(item, bytes) + std::string(item).substr(0, item.size() - 1)
        + "],\"device_traces\":[]}";
}

} // namespace

/// Small packed files that unpack to much. None may take memory or time out of proportion.
class TstBombs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSmallPackedFileTakesLittleMemory_data()
    {
        QTest::addColumn<QByteArray>("packed");
        constexpr std::size_t kBytes = 40 * kMebi;
        const auto row = [](const char* title, const std::string& content) {
            const std::string packed = test::ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, content);
            QTest::newRow(title) << QByteArray(packed.data(),
                                               static_cast<qsizetype>(packed.size()));
        };
        row("one text", longText(kBytes));
        row("no values", pickleOf("N", kBytes));
        row("numbers", pickleOf("G@\x09\x21\xfb\x54\x44\x2d\x18"s, kBytes));
        row("wide numbers", pickleOf("\x8a\x08\x01\x02\x03\x04\x05\x06\x07\x78"s, kBytes));
        row("empty lists", pickleOf("]", kBytes));
        row("marks", "\x80\4"s + std::string(kBytes, '('));
        row("memo", "\x80\4N"s + std::string(kBytes, '\x94') + ".");
        row("JSON integers", jsonOf("1,", kBytes));
        row("JSON wide integers", jsonOf("9223372036854775807,", kBytes));
        row("JSON objects", jsonOf("{},", kBytes));
        row("JSON arrays", jsonOf("[1,[2]],", kBytes));
        row("a JSON text", "{\"" + std::string(kBytes, 'x') + "\":1}");
        row("a JSON number", "{\"a\":" + std::string(kBytes, '1') + "}");
        row("JSON of spaces", "{" + std::string(kBytes, ' ') + "}");
        row("a page", "<!DOCTYPE html><html>" + std::string(kBytes, ' '));
    }
    void aSmallPackedFileTakesLittleMemory()
    {
        QFETCH(QByteArray, packed);
        QVERIFY2(packed.size() < static_cast<qsizetype>(kMebi),
                 std::to_string(packed.size()).c_str());
        const std::string bytes(packed.data(), static_cast<std::size_t>(packed.size()));
        // All bounds at an eighth of what they are, so that the test need not unpack gigabytes.
        reader::ReadOptions options;
        options.limits.memory_floor_bytes = 8 * kMebi;
        options.limits.file_memory_floor_bytes = 32 * kMebi;
        options.limits.max_text_bytes = 8 * kMebi;
        const test::PeakMemory memory;
        const auto result = test::readString(bytes, options);
        const std::uint64_t growth = memory.growth();
        const std::string outcome =
            test::outcome(result) + ", " + std::to_string(growth / kMebi) + " MiB";
        QVERIFY2(!result.has_value(), outcome.c_str());
        QVERIFY2(growth < 112 * kMebi, outcome.c_str());
    }

    void aLoopThatRepeatsToTheByteIsNoBomb()
    {
        test::PickleWriter w(4);
        w.dict([&] {
            w.key("segments").list([] {});
            w.key("device_traces").list([&] {
                w.list([&] {
                    for (int i = 0; i < 500'000; ++i) {
                        test::writeEvent(w, i % 2 == 0 ? "alloc" : "free_completed", 4096, 512);
                    }
                });
            });
        });
        const std::string pickle = w.string();
        const std::string packed = test::ArchiveWriter::compress(ARCHIVE_FILTER_XZ, pickle);
        QVERIFY(packed.size() * 500 < pickle.size());
        const auto result = test::readString(packed);
        QCOMPARE(test::outcome(result), "read"s);
        QCOMPARE(result.value().devices.at(0).events.count(), std::size_t{500'000});
    }

    void whatIsRefusedPackedIsReadUnpacked()
    {
        // One text above the native reader's bound goes to CPython where the file has its size.
        const std::string content = "\x80\4}("s + "X" + lengthOf(8, 4) + "segments]X"
            + lengthOf(13, 4) + "device_traces]X" + lengthOf(1, 4) + "x\x8d"
            + lengthOf(20 * kMebi, 8) + std::string(20 * kMebi, 'x') + "u.";
        const auto result = test::readString(content);
        QCOMPARE(test::outcome(result), "read"s);
        QVERIFY(result.value().notes.find("second-reader") != nullptr);
    }
};

TIDEMARK_TEST(TstBombs)

} // namespace tidemark::tst_bombs

#include "tst_bombs.moc"
