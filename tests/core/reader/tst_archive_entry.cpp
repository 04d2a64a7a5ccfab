// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/archive_entry.h"
#include "core/reader/content_route.h"
#include "core/reader/file_source.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/archive_writer.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::tst_archive_entry {

using namespace std::string_literals;
using reader::ArchiveEntry;
using test::ArchiveWriter;
using test::PackedFile;

namespace {

constexpr std::size_t kLong = ArchiveEntry::kKeptBytes + (std::size_t{1} << 20);

struct Count {
    std::size_t bytes = 0; ///< Read by all sources.
    std::size_t stop_at = 0; ///< Asks to stop when there are so many.
    std::stop_source stop;
};

/// Bytes in memory that count how many of them are read.
class CountedSource final : public reader::ByteSource {
public:
    CountedSource(const std::string& bytes, Count& count)
        : m_source(std::as_bytes(std::span(bytes)))
        , m_count(&count)
    {
    }
    Result<std::size_t> read(std::span<std::byte> target) override
    {
        Result<std::size_t> got = m_source.read(target);
        m_count->bytes += got.value();
        if (m_count->bytes >= m_count->stop_at) {
            m_count->stop.request_stop();
        }
        return got;
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return m_source.size();
    }

private:
    reader::MemorySource m_source;
    Count* m_count;
};

std::string noise(std::size_t bytes)
{
    std::mt19937 random(3);
    std::string result(bytes, ' ');
    for (char& c : result) {
        c = static_cast<char>(random());
    }
    return result;
}

/// A pickle that is no snapshot, of so many bytes: the native reader leaves it to the other one.
std::string otherPickle(std::size_t bytes)
{
    return "\x80\4]("s + std::string(bytes, 'N') + "cfoo\nBar\ne.";
}

std::string readAll(reader::ByteSource& source)
{
    std::string all;
    std::vector<std::byte> block(std::size_t{1} << 20);
    for (std::size_t got = 1; got > 0;) {
        got = source.read(block).value();
        all.append(reinterpret_cast<const char*>(block.data()), got);
    }
    return all;
}

Result<std::unique_ptr<reader::ArchiveSource>> openArchive(const std::string& bytes)
{
    return reader::ArchiveSource::open(
        std::make_unique<reader::MemorySource>(std::as_bytes(std::span(bytes))), {});
}

struct CountedReading {
    Result<trace::Snapshot> snapshot;
    std::size_t bytes = 0; ///< Read of the file, by all that read it.
};

CountedReading readCounted(const std::string& bytes, std::size_t stop_at = SIZE_MAX)
{
    Count count{0, stop_at, {}};
    const std::stop_token stop = count.stop.get_token();
    NoProgress progress;
    const reader::ReadOptions options{reader::ReaderChoice::automatic,
                                      reader::ReaderLimits().forFile(bytes.size())};
    auto snapshot = reader::readContent(
        [&]() -> Result<std::unique_ptr<reader::ByteSource>> {
            return std::unique_ptr<reader::ByteSource>(
                std::make_unique<CountedSource>(bytes, count));
        },
        {options, progress, stop, bytes.size()});
    return {std::move(snapshot), count.bytes};
}

} // namespace

class TstArchiveEntry : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anEntryIsReadAsOftenAsWanted()
    {
        for (const std::size_t size : {std::size_t{0}, std::size_t{100}, ArchiveEntry::kKeptBytes,
                                       ArchiveEntry::kKeptBytes + 1, kLong}) {
            const std::string content = noise(size);
            const std::string packed = ArchiveWriter::tar({{"a", content}, {"b", "next"}});
            auto archive = std::move(openArchive(packed)).value();
            QVERIFY(archive->nextEntry().value());
            int repeats = 0;
            const reader::SourceOpener again =
                [&]() -> Result<std::unique_ptr<reader::ByteSource>> {
                ++repeats;
                auto source = std::move(openArchive(packed)).value();
                source->nextEntry().value();
                return std::unique_ptr<reader::ByteSource>(std::move(source));
            };
            ArchiveEntry entry(*archive, again);
            std::vector<std::byte> head(64);
            QCOMPARE(entry.open()->read(head).value(), std::min(size, head.size()));
            for (int i = 0; i < 3; ++i) {
                QVERIFY(readAll(*entry.open()) == content);
            }
            QCOMPARE(repeats, size < ArchiveEntry::kKeptBytes ? 0 : 2);
            QVERIFY(archive->nextEntry().value());
            QCOMPARE(readAll(*archive), "next"s);
        }
    }

    void anArchiveOfManyFilesIsUnpackedOnce()
    {
        std::vector<PackedFile> files(20, {"notes.txt", noise(100'000)});
        files.resize(40, {"other.pickle", otherPickle(100'000)});
        files.resize(60, {"metrics.jsonl", "{}\n{\"a\":\"" + std::string(100'000, 'x')});
        files.push_back({"rank0.pickle", test::smallSnapshot().string()});
        const std::string tar = ArchiveWriter::tar(files);
        for (const std::string& bytes : {tar, ArchiveWriter::compress(ARCHIVE_FILTER_LZ4, tar)}) {
            const CountedReading reading = readCounted(bytes);
            QCOMPARE(test::outcome(reading.snapshot), "read"s);
            // The first bytes of the file tell its kind.
            QVERIFY2(reading.bytes < bytes.size() + 600'000, std::to_string(reading.bytes).c_str());
        }
    }

    void longFilesAreUnpackedAgainAFewTimesOnly()
    {
        const std::vector<PackedFile> files(12, {"other.pickle", otherPickle(kLong)});
        const std::string bytes = ArchiveWriter::tar(files);
        const CountedReading reading = readCounted(bytes);
        QVERIFY(!reading.snapshot.has_value());
        // The first four again, each from the archive's beginning.
        QVERIFY2(reading.bytes < 2 * bytes.size(), std::to_string(reading.bytes).c_str());
    }

    void unpackingEndsWhenReadingIsToStop()
    {
        // Nothing but the unpacker reads on: the text is of another kind.
        const std::string text = "text" + noise(20'000'000);
        const std::string packed = ArchiveWriter::tar({{"a.txt", text}, {"b.txt", text}});
        constexpr std::size_t kStopAt = 12'000'000;
        const CountedReading reading = readCounted(packed, kStopAt);
        QVERIFY(!reading.snapshot.has_value());
        QCOMPARE(reading.snapshot.error().code, ErrorCode::cancelled);
        QVERIFY2(reading.bytes < kStopAt + 1'000'000, std::to_string(reading.bytes).c_str());
    }
};

TIDEMARK_TEST(TstArchiveEntry)

} // namespace tidemark::tst_archive_entry

#include "tst_archive_entry.moc"
