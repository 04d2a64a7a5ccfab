// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/log_text.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/archive_writer.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <random>
#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::tst_log_text {

using test::ArchiveWriter;

namespace {

std::string gzip(std::string_view content)
{
    return ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, content);
}

const std::string& log()
{
    static const std::string kLog = "step 1\nCUDA out of memory. Tried to allocate 2.00 MiB\n";
    return kLog;
}

} // namespace

class TstLogText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aTextIsItself();
    void whatIsPackedIsUnpacked();
    void allFilesOfAnArchiveAreRead();
    void aTornFileGivesItsBeginning();
    void aSnapshotIsNoText();
    void aBombIsRefused();
    void aLogIsNoLongerThanItMayBe();
    void unpackingEndsWhenItIsToStop();
};

void TstLogText::aTextIsItself()
{
    for (const std::string& text : {log(), std::string(), std::string("BZ is not bzip2")}) {
        QCOMPARE(reader::logText(text).value(), text);
    }
}

void TstLogText::whatIsPackedIsUnpacked()
{
    for (const std::string& packed :
         {gzip(log()), ArchiveWriter::compress(ARCHIVE_FILTER_XZ, log()),
          ArchiveWriter::compress(ARCHIVE_FILTER_ZSTD, log()),
          ArchiveWriter::compress(ARCHIVE_FILTER_BZIP2, log()), gzip(gzip(log())),
          ArchiveWriter::zip({{"a.log", log()}}), gzip(ArchiveWriter::tar({{"a.log", log()}}))}) {
        QCOMPARE(reader::logText(packed).value(), log());
    }
}

void TstLogText::allFilesOfAnArchiveAreRead()
{
    const std::string packed =
        ArchiveWriter::zip({{"rank0.log", "no newline"}, {"rank1.log.gz", gzip(log())}});
    QCOMPARE(reader::logText(packed).value(), "no newline\n" + log());
}

void TstLogText::aTornFileGivesItsBeginning()
{
    std::mt19937 random(1);
    std::string text;
    while (text.size() < 1'000'000) {
        text += std::to_string(random()) + '\n';
    }
    const std::string packed = gzip(text);
    const auto half = reader::logText(packed.substr(0, packed.size() / 2));
    QVERIFY(half.has_value());
    QVERIFY(text.starts_with(half.value()));
    QVERIFY(half.value().size() > text.size() / 4);
    QVERIFY(!reader::logText(packed.substr(0, 12)).has_value()); // nothing came out
}

void TstLogText::aSnapshotIsNoText()
{
    const std::string pickle = test::smallSnapshot().string();
    for (const std::string& bytes : {pickle, gzip(pickle)}) {
        const auto result = reader::logText(bytes);
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().code, ErrorCode::badArgument);
        QVERIFY(result.error().message.find("memory snapshot") != std::string::npos);
    }
    // Beside one in an archive the log is read.
    QCOMPARE(reader::logText(ArchiveWriter::zip({{"a.log", log()}, {"a.pickle", pickle}})).value(),
             log());
}

void TstLogText::aBombIsRefused()
{
    reader::ReaderLimits limits;
    limits.unpack_floor_bytes = 100'000;
    limits.max_unpack_ratio = 100;
    const auto result = reader::logText(gzip(std::string(8'000'000, 'N')), limits);
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().code, ErrorCode::tooLarge);
}

/// However it is packed: at one go, in levels that unpack to little each, or in many files.
void TstLogText::aLogIsNoLongerThanItMayBe()
{
    reader::ReaderLimits limits;
    limits.log_floor_bytes = 1'000'000;
    limits.max_log_ratio = 10;
    const std::string lines(900'000, 'n');
    QCOMPARE(reader::logText(gzip(lines), limits).value().size(), lines.size());
    const std::vector<test::PackedFile> files(3, {"rank.log", lines});
    for (const std::string& packed :
         {gzip(lines + lines), ArchiveWriter::zip(files), gzip(ArchiveWriter::tar(files)),
          gzip(gzip(std::string(900'000, 'n') + std::string(200'000, 'm')))}) {
        const auto result = reader::logText(packed, limits);
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().code, ErrorCode::tooLarge);
        QVERIFY2(result.error().message.find("exceeds 977 KiB") != std::string::npos,
                 result.error().message.c_str());
    }
    limits.max_log_bytes = 800'000;
    QCOMPARE(reader::logText(gzip(lines), limits).error().code, ErrorCode::tooLarge);
    // A snapshot beside it counts by its beginning alone.
    const std::string pickle = test::smallSnapshot().string() + std::string(5'000'000, '\0');
    QCOMPARE(reader::logText(ArchiveWriter::zip({{"a.pickle", pickle}, {"a.log", log()}}), limits)
                 .value(),
             log());
}

void TstLogText::unpackingEndsWhenItIsToStop()
{
    std::stop_source stop;
    stop.request_stop();
    const auto result = reader::logText(gzip(log()), {}, stop.get_token());
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().code, ErrorCode::cancelled);
}

TIDEMARK_TEST(TstLogText)

} // namespace tidemark::tst_log_text

#include "tst_log_text.moc"
