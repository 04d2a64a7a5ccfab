// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/archive_source.h"
#include "tests/support/archive_writer.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

namespace tidemark::tst_archive_source {

using namespace std::string_literals;
using reader::ArchiveSource;
using test::ArchiveWriter;
using test::PackedFile;

namespace {

/// Gives `step` bytes at a time and an error in place of the end, where there is one.
class TextSource final : public reader::ByteSource {
public:
    explicit TextSource(std::string bytes, std::size_t step = 4096, std::optional<Error> end = {})
        : m_bytes(std::move(bytes))
        , m_step(step)
        , m_end(std::move(end))
    {
    }
    Result<std::size_t> read(std::span<std::byte> target) override
    {
        const std::size_t size = std::min({target.size(), m_step, m_bytes.size() - m_at});
        if (size == 0 && m_end) {
            return *m_end;
        }
        std::memcpy(target.data(), m_bytes.data() + m_at, size);
        m_at += size;
        return size;
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return m_bytes.size();
    }

private:
    std::string m_bytes;
    std::size_t m_step;
    std::optional<Error> m_end;
    std::size_t m_at = 0;
};

/// Everything that a packed file gave, in words that can be compared.
struct Unpacked {
    std::vector<PackedFile> files;
    std::optional<Error> error;
};

std::optional<Error> readAll(reader::ByteSource& source, std::string& into)
{
    std::vector<std::byte> buffer(1000);
    for (;;) {
        const auto got = source.read(buffer);
        if (!got.has_value()) {
            return got.error();
        }
        if (got.value() == 0) {
            return {};
        }
        into.append(reinterpret_cast<const char*>(buffer.data()), got.value());
    }
}

Unpacked unpack(std::unique_ptr<reader::ByteSource> packed, const reader::ReaderLimits& limits = {})
{
    Unpacked result;
    auto opened = ArchiveSource::open(std::move(packed), limits);
    if (!opened.has_value()) {
        result.error = opened.error();
        return result;
    }
    ArchiveSource& source = *opened.value();
    for (;;) {
        const auto next = source.nextEntry();
        if (!next.has_value()) {
            result.error = next.error();
            return result;
        }
        if (!next.value()) {
            return result;
        }
        result.files.push_back({std::string(source.entryName()), ""});
        result.error = readAll(source, result.files.back().content);
        if (result.error) {
            return result;
        }
    }
}

Unpacked unpack(const std::string& packed, const reader::ReaderLimits& limits = {})
{
    return unpack(std::make_unique<TextSource>(packed), limits);
}

/// Bytes that no packer makes much smaller.
std::string noise(std::size_t size)
{
    std::mt19937 random(7);
    std::string result(size, '\0');
    std::ranges::generate(result, [&] { return static_cast<char>(random()); });
    return result;
}

struct Filter {
    const char* title;
    int code;
    reader::ContentKind kind;
    std::size_t block; ///< What the packer gives at a time.
};

constexpr Filter kFilters[] = {{"gzip", ARCHIVE_FILTER_GZIP, reader::ContentKind::gzip, 64 << 10},
                               {"xz", ARCHIVE_FILTER_XZ, reader::ContentKind::xz, 64 << 10},
                               {"zstd", ARCHIVE_FILTER_ZSTD, reader::ContentKind::zstd, 128 << 10},
                               {"bzip2", ARCHIVE_FILTER_BZIP2, reader::ContentKind::bzip2, 900'000},
                               {"LZ4", ARCHIVE_FILTER_LZ4, reader::ContentKind::lz4, 4 << 20}};

void filterRows()
{
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(kFilters)); ++i) {
        QTest::newRow(kFilters[i].title) << i;
    }
}

reader::ContentKind kindOf(std::string_view bytes)
{
    return reader::contentKind(std::as_bytes(std::span(bytes)));
}

} // namespace

class TstArchiveSource : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aCompressedFileGivesItsBytes_data()
    {
        filterRows();
    }
    void aCompressedFileGivesItsBytes()
    {
        QFETCH(int, index);
        const std::string content = noise(300'000) + std::string(300'000, 'x');
        const std::string packed = ArchiveWriter::compress(kFilters[index].code, content);
        QVERIFY(kindOf(packed) == kFilters[index].kind);
        QVERIFY(reader::isPackedKind(kindOf(packed)));
        for (const std::size_t step : {std::size_t{1}, std::size_t{600}, std::size_t{1'000'000}}) {
            const Unpacked whole = unpack(std::make_unique<TextSource>(packed, step));
            QVERIFY2(!whole.error, whole.error ? whole.error->message.c_str() : "");
            QCOMPARE(whole.files.size(), std::size_t{1});
            QVERIFY(whole.files[0].content == content);
        }
    }

    void twoCompressedFilesInARowAreOne()
    {
        for (const Filter& filter : kFilters) {
            const Unpacked both = unpack(ArchiveWriter::compress(filter.code, "first ")
                                         + ArchiveWriter::compress(filter.code, "second"));
            QVERIFY2(!both.error, filter.title);
            QCOMPARE(both.files[0].content, "first second"s);
        }
    }

    void onlyOneLevelIsUnpacked()
    {
        const std::string inner = ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, "inside");
        const Unpacked outer = unpack(ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, inner));
        QCOMPARE(outer.files[0].content, inner);
        const std::string tar = ArchiveWriter::tar({{"a", "x"}});
        const Unpacked tar_gz = unpack(ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, tar));
        QCOMPARE(tar_gz.files.size(), std::size_t{1});
        QVERIFY(tar_gz.files[0].content == tar);
    }

    void anArchiveGivesItsFilesInOrderAndNoFolders()
    {
        const std::vector<PackedFile> files{
            {"run/", ""}, {"run/notes.txt", "hello"}, {"empty", ""}, {"../up", noise(200'000)}};
        for (const std::string& packed :
             {ArchiveWriter::zip(files), ArchiveWriter::zip(files, "zip:compression=store"),
              ArchiveWriter::tar(files)}) {
            const Unpacked all = unpack(packed);
            QVERIFY2(!all.error, all.error ? all.error->message.c_str() : "");
            QCOMPARE(all.files.size(), std::size_t{3});
            for (std::size_t i = 0; i < 3; ++i) {
                QCOMPARE(all.files[i].name, files[i + 1].name);
                QVERIFY(all.files[i].content == files[i + 1].content);
            }
        }
        QVERIFY(kindOf(ArchiveWriter::zip(files)) == reader::ContentKind::zip);
        QVERIFY(kindOf(ArchiveWriter::tar(files)) == reader::ContentKind::tar);
    }

    void anArchiveWithoutFilesHasNoEntry()
    {
        for (const std::string& packed :
             {ArchiveWriter::zip({}), ArchiveWriter::zip({{"only/", ""}}),
              ArchiveWriter::tar({{"only/", ""}})}) {
            const Unpacked nothing = unpack(packed);
            QVERIFY2(!nothing.error, nothing.error ? nothing.error->message.c_str() : "");
            QVERIFY(nothing.files.empty());
        }
        const Unpacked nothing = unpack(ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, ""));
        QVERIFY(nothing.error && nothing.error->message.find("is empty") != std::string::npos);
    }

    void entriesCanBeLeftUnreadOrHalfRead()
    {
        const std::vector<PackedFile> files{
            {"one", noise(300'000)}, {"two", noise(300'000)}, {"three", "the last"}};
        for (const std::string& packed : {ArchiveWriter::zip(files), ArchiveWriter::tar(files)}) {
            auto opened = ArchiveSource::open(std::make_unique<TextSource>(packed), {});
            ArchiveSource& source = *opened.value();
            QVERIFY(source.nextEntry().value());
            std::byte some[10];
            QCOMPARE(source.read(some).value(), std::size_t{10});
            QVERIFY(source.packedBytes() < packed.size());
            QVERIFY(source.nextEntry().value());
            QVERIFY(source.nextEntry().value());
            std::string content;
            QVERIFY(!readAll(source, content));
            QCOMPARE(content, "the last"s);
            QVERIFY(!source.nextEntry().value());
            QVERIFY(source.entryName().empty());
            QVERIFY(source.packedBytes() <= packed.size());
            QVERIFY(source.packedSize() == packed.size());
        }
    }

    void theRestOfACompressedFileIsNotUnpackedForNothing()
    {
        const std::string packed = ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, noise(1'000'000));
        auto opened = ArchiveSource::open(std::make_unique<TextSource>(packed), {});
        ArchiveSource& source = *opened.value();
        QVERIFY(source.nextEntry().value());
        std::byte some[10];
        QCOMPARE(source.read(some).value(), std::size_t{10});
        QVERIFY(!source.nextEntry().value());
        QVERIFY(source.packedBytes() < packed.size() / 2);
        QCOMPARE(source.read(some).value(), std::size_t{0});
    }

    void anEntryOpensAsAPackedFileOfItsOwn()
    {
        const std::string inner = ArchiveWriter::compress(ARCHIVE_FILTER_XZ, "deep inside");
        auto outer = ArchiveSource::open(
            std::make_unique<TextSource>(ArchiveWriter::zip({{"readme", "no"}, {"x", inner}})), {});
        QVERIFY(outer.value()->nextEntry().value());
        QVERIFY(outer.value()->nextEntry().value());
        auto peeked = std::make_unique<reader::PeekedSource>(*outer.value());
        QVERIFY(reader::contentKind(peeked->head().value()) == reader::ContentKind::xz);
        const Unpacked all = unpack(std::move(peeked));
        QVERIFY(!all.error);
        QCOMPARE(all.files[0].content, "deep inside"s);
    }

    void whatCameBeforeTheBreakIsGiven_data()
    {
        filterRows();
    }
    void whatCameBeforeTheBreakIsGiven()
    {
        QFETCH(int, index);
        const std::size_t block = kFilters[index].block;
        const std::string content = noise(4 * block);
        std::string packed = ArchiveWriter::compress(kFilters[index].code, content);
        packed.resize(packed.size() / 2);
        const Unpacked half = unpack(packed);
        QVERIFY(half.error && half.error->code == ErrorCode::damaged);
        QVERIFY2(half.error->message.ends_with('.'), half.error->message.c_str());
        QVERIFY(half.error->where && *half.error->where <= packed.size());
        const std::string& got = half.files[0].content;
        QVERIFY(content.starts_with(got));
        QVERIFY2(got.size() + block >= content.size() / 2, std::to_string(got.size()).c_str());
    }

    void aCompressedFileCutAnywhereSaysSo_data()
    {
        filterRows();
    }
    void aCompressedFileCutAnywhereSaysSo()
    {
        QFETCH(int, index);
        const std::string packed = ArchiveWriter::compress(kFilters[index].code, noise(300));
        for (std::size_t size = 1; size < packed.size(); ++size) {
            const Unpacked part = unpack(packed.substr(0, size));
            QVERIFY2(part.error, std::to_string(size).c_str());
            QVERIFY(part.error->message.ends_with('.'));
        }
    }

    void aCutOrFlippedArchiveSaysSo()
    {
        const std::string content = noise(200'000);
        const std::string zip = ArchiveWriter::zip({{"a", content}}, "zip:compression=store");
        const Unpacked cut = unpack(zip.substr(0, 100'000));
        QVERIFY(cut.error && cut.error->code == ErrorCode::damaged);
        QVERIFY(content.starts_with(cut.files[0].content));
        QVERIFY(cut.files[0].content.size() > std::size_t{90'000});
        std::string flipped = ArchiveWriter::zip({{"a", content}});
        flipped[50'000] = static_cast<char>(flipped[50'000] ^ 1);
        const Unpacked wrong = unpack(flipped);
        QVERIFY(wrong.error && wrong.error->code == ErrorCode::damaged);
        QVERIFY2(wrong.error->message.find("CRC") != std::string::npos,
                 wrong.error->message.c_str());
        QCOMPARE(wrong.files[0].content.size(), content.size());
        const std::string tar = ArchiveWriter::tar({{"a", content}});
        const Unpacked short_tar = unpack(tar.substr(0, 100'000));
        QVERIFY(short_tar.error && short_tar.error->code == ErrorCode::damaged);
        QVERIFY(short_tar.files[0].content.size() > std::size_t{90'000});
    }

    void theSourcesOwnErrorIsPassedOn()
    {
        const Error broken{ErrorCode::cannotOpen, "The disk is gone.", 17};
        const std::string packed = ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, noise(500'000));
        const auto failing = [&](std::size_t size) {
            return unpack(std::make_unique<TextSource>(packed.substr(0, size), 4096, broken));
        };
        for (const std::size_t size : {0UL, 5UL, 100UL, 300'000UL}) {
            const Unpacked part = failing(size);
            QVERIFY(part.error.has_value());
            QCOMPARE(part.error->message, broken.message);
            QVERIFY(part.error->where == broken.where);
        }
        QVERIFY(failing(300'000).files[0].content.size() > 200'000);
    }

    void aBombEndsInASentence_data()
    {
        filterRows();
    }
    void aBombEndsInASentence()
    {
        QFETCH(int, index);
        const std::size_t block = kFilters[index].block;
        const std::string packed =
            ArchiveWriter::compress(kFilters[index].code, std::string(2'000'000 + 4 * block, '\0'));
        reader::ReaderLimits limits;
        limits.unpack_floor_bytes = 100'000;
        limits.max_unpack_ratio = 100;
        const Unpacked bomb = unpack(packed, limits);
        QVERIFY(bomb.error && bomb.error->code == ErrorCode::tooLarge);
        QVERIFY2(bomb.error->message.find("more than 100× its size") != std::string::npos,
                 bomb.error->message.c_str());
        QVERIFY(bomb.files[0].content.size() <= 100'000 + 100 * packed.size() + block);
        limits.max_unpack_ratio = 80'000'000;
        QVERIFY(!unpack(packed, limits).error);
    }

    void aBombThatIsSkippedCountsToo()
    {
        reader::ReaderLimits limits;
        limits.unpack_floor_bytes = 100'000;
        limits.max_unpack_ratio = 100;
        const std::string packed =
            ArchiveWriter::zip({{"bomb", std::string(8'000'000, '\0')}, {"b", "x"}});
        auto opened = ArchiveSource::open(std::make_unique<TextSource>(packed), limits);
        QVERIFY(opened.value()->nextEntry().value());
        const auto second = opened.value()->nextEntry();
        QVERIFY(!second.has_value() && second.error().code == ErrorCode::tooLarge);
        const auto third = opened.value()->nextEntry();
        QVERIFY(!third.has_value() && third.error().code == ErrorCode::tooLarge);
    }

    void packedBytesThatGiveNothingAreNotKept()
    {
        // A gzip header whose file name has no end.
        const std::string endless = "\x1f\x8b\x08\x08\0\0\0\0\0\3"s + std::string(64 << 20, 'n');
        const Unpacked nothing = unpack(std::make_unique<TextSource>(endless, 1 << 20));
        QVERIFY(nothing.error && nothing.error->code == ErrorCode::damaged);
        QVERIFY2(nothing.error->message.find("endless and empty") != std::string::npos,
                 nothing.error->message.c_str());
        QVERIFY(nothing.error->where < std::uint64_t{10} << 20);
    }

    void aPasswordIsSaidToBeInTheWay()
    {
        const Unpacked locked =
            unpack(ArchiveWriter::zip({{"a", "secret text"}}, "zip:encryption=zipcrypt"));
        QVERIFY(locked.error && locked.error->code == ErrorCode::notASnapshot);
        QVERIFY(locked.error->message.find("password") != std::string::npos);
    }

    void aZipPackedInARareWayIsLeftToOthers()
    {
        // The method stands at offset 8; 9 is what Windows takes for files above 2 GiB.
        for (const auto& [method, name] : {std::pair('\x09', "deflation-64-bit"),
                                           std::pair('\x0e', "lzma"), std::pair('\x62', "ppmd")}) {
            std::string zip = ArchiveWriter::zip({{"a", "text"}});
            QCOMPARE(zip[8], '\x08');
            zip[8] = method;
            const Unpacked rare = unpack(zip);
            QVERIFY(rare.error && rare.error->code == ErrorCode::notASnapshot);
            QVERIFY2(rare.error->message.find(name) != std::string::npos,
                     rare.error->message.c_str());
        }
    }

    void otherBytesAreNotUnpacked()
    {
        for (const std::string& bytes :
             {"\x80\4}."s, "[1, 2]"s, "7z\xbc\xaf\x27\x1c\0\4"s, "PK\3\4 archive/data.pkl"s, ""s}) {
            const auto opened = ArchiveSource::open(std::make_unique<TextSource>(bytes), {});
            QVERIFY(!opened.has_value());
            QVERIFY(opened.error().code == ErrorCode::notASnapshot);
            QVERIFY(!reader::isPackedKind(kindOf(bytes)));
        }
    }
};

TIDEMARK_TEST(TstArchiveSource)

} // namespace tidemark::tst_archive_source

#include "tst_archive_source.moc"
