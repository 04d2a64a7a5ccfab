// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/archive_writer.h"
#include "tests/support/same_snapshot.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <random>
#include <string>
#include <vector>

namespace tidemark::tst_packed_files {

using namespace std::string_literals;
using test::ArchiveWriter;
using test::PackedFile;

namespace {

std::string gzip(std::string_view content)
{
    return ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, content);
}

/// Events whose addresses no packer can foresee, so that half of the packed bytes are half of them.
std::string longPickle(std::size_t events)
{
    std::mt19937_64 random(5);
    test::PickleWriter w(4);
    w.dict([&] {
        w.key("segments").list([] {});
        w.key("device_traces").list([&] {
            w.list([&] {
                for (std::size_t i = 0; i < events; ++i) {
                    test::writeEvent(w, "alloc", random() >> 2U, 512);
                }
            });
        });
    });
    return w.string();
}

trace::Snapshot read(const std::string& bytes)
{
    auto result = test::readString(bytes);
    if (!result.has_value()) {
        QTest::qFail(result.error().message.c_str(), __FILE__, __LINE__);
        return {};
    }
    return std::move(result).value();
}

struct Packing {
    const char* title;
    std::string bytes;
};

std::vector<Packing> packings()
{
    const std::string pickle = test::smallSnapshot().string();
    const PackedFile file{"a.pickle", pickle};
    return {{"gzip", gzip(pickle)},
            {"xz", ArchiveWriter::compress(ARCHIVE_FILTER_XZ, pickle)},
            {"Zstandard", ArchiveWriter::compress(ARCHIVE_FILTER_ZSTD, pickle)},
            {"bzip2", ArchiveWriter::compress(ARCHIVE_FILTER_BZIP2, pickle)},
            {"LZ4", ArchiveWriter::compress(ARCHIVE_FILTER_LZ4, pickle)},
            {"zip", ArchiveWriter::zip({file})},
            {"stored zip", ArchiveWriter::zip({file}, "zip:compression=store")},
            {"zip with a folder", ArchiveWriter::zip({{"run/", ""}, {"run/a", pickle}})},
            {"tar", ArchiveWriter::tar({file})},
            {"tar in gzip", gzip(ArchiveWriter::tar({file}))},
            {"gzip in zip", ArchiveWriter::zip({{"a.gz", gzip(pickle)}})},
            {"gzip in gzip", gzip(gzip(pickle))},
            {"gzip in tar in xz",
             ArchiveWriter::compress(ARCHIVE_FILTER_XZ, ArchiveWriter::tar({{"a", gzip(pickle)}}))},
            {"zip in zip in zip",
             ArchiveWriter::zip({{"b", ArchiveWriter::zip({{"a", ArchiveWriter::zip({file})}})}})}};
}

} // namespace

class TstPackedFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPackedSnapshotReadsAsIfItWereNot_data()
    {
        QTest::addColumn<int>("index");
        const auto all = packings();
        for (std::size_t i = 0; i < all.size(); ++i) {
            QTest::newRow(all[i].title) << static_cast<int>(i);
        }
    }
    void aPackedSnapshotReadsAsIfItWereNot()
    {
        QFETCH(int, index);
        const std::string packed = packings()[static_cast<std::size_t>(index)].bytes;
        trace::Snapshot plain = read(test::smallSnapshot().string());
        plain.file_bytes = packed.size();
        for (const auto choice : {reader::ReaderChoice::native, reader::ReaderChoice::cpython}) {
            reader::ReadOptions options;
            options.reader = choice;
            const auto result = test::readString(packed, options);
            QCOMPARE(test::outcome(result), "read"s);
            const auto difference = test::firstDifference(plain, result.value());
            QVERIFY2(!difference, difference ? difference->c_str() : "");
            QVERIFY(result.value().notes.find("more-snapshots") == nullptr);
        }
    }

    void whatIsPackedFourTimesIsLeftPacked()
    {
        const auto result =
            test::readString(gzip(gzip(gzip(gzip(test::smallSnapshot().string())))));
        QVERIFY(test::outcome(result).find("gunzip FILE") != std::string::npos);
    }

    void theFirstSnapshotOfSeveralFilesIsShown()
    {
        const std::string first = longPickle(3);
        const trace::Snapshot snapshot =
            read(ArchiveWriter::zip({{"notes.txt", "hello"},
                                     {"list.json", "[1, 2]"},
                                     {"inner.zip", ArchiveWriter::zip({{"b.txt", "nothing"}})},
                                     {"rank0.pickle", first},
                                     {"rank1.pickle", test::smallSnapshot().string()}}));
        QCOMPARE(snapshot.devices.front().events.count(), std::size_t{3});
        const trace::InputNote* note = snapshot.notes.find("more-snapshots");
        QVERIFY(note != nullptr);
        QVERIFY2(note->text.find("this is rank0.pickle") != std::string::npos, note->text.c_str());
    }

    void anArchiveWithoutSnapshotsSaysWhatItsFirstFileIs()
    {
        const auto said = [](const std::string& bytes) {
            return test::outcome(test::readString(bytes));
        };
        const std::string text = said(ArchiveWriter::tar({{"a\nb", "hello"}, {"c", "world"}}));
        QVERIFY2(text.find("the first file, a?b, says: This is a text file") != std::string::npos,
                 text.c_str());
        QVERIFY(said(gzip("hello, this is text")).find("This is a text file") != std::string::npos);
        QVERIFY(said(ArchiveWriter::zip({{"run/", ""}})).find("is empty") != std::string::npos);
        QVERIFY(said(ArchiveWriter::zip({{"archive/data.pkl", "x"}}, "zip:compression=store"))
                    .find("torch.save")
                != std::string::npos);
        QVERIFY(said(ArchiveWriter::zip({{"a", "x"}}, "zip:encryption=zipcrypt")).find("password")
                != std::string::npos);
    }

    void anOddFileAheadOfTheSnapshotIsLeftOut_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<bool>("is_named"); // As a damaged one it could be the one that was meant.
        const auto row = [](const char* title, const std::string& content, bool is_named) {
            QTest::newRow(title) << QByteArray::fromStdString(content) << is_named;
        };
        row("a log", "epoch 1, loss 3.2\n", false);
        row("a log in brackets", "[rank0]: epoch 1, loss 3.2\n", true);
        row("metrics, line by line", "{\"step\": 1}\n{\"step\": 2}\n", true);
        row("not a number", R"({"loss": NaN})", true);
        row("a comma too many", R"({"loss": 1.5,})", false);
        row("TOML", "[train]\nbatch = 4\n", true);
        row("another pickle", "\x80\4K\1.", false);
        row("a pickle with a class", "\x80\2cfoo\nBar\n)\x81.", true);
        row("a pickle cut off", test::smallSnapshot().string().substr(0, 1), false);
        row("a gzip file cut off", gzip(std::string(5000, 'a') + longPickle(9)).substr(0, 20),
            true);
        row("nothing", "", false);
        row("noise", "\x01\x02\xff\xfe\x03", false);
    }
    void anOddFileAheadOfTheSnapshotIsLeftOut()
    {
        QFETCH(QByteArray, content);
        QFETCH(bool, is_named);
        const std::vector<PackedFile> files{{"odd\n.file", content.toStdString()},
                                            {"rank1.pickle", test::smallSnapshot().string()}};
        for (const std::string& packed :
             {ArchiveWriter::zip(files), ArchiveWriter::tar(files), gzip(ArchiveWriter::tar(files)),
              ArchiveWriter::zip({{"a.tar", ArchiveWriter::tar(files)}})}) {
            const trace::Snapshot snapshot = read(packed);
            QCOMPARE(snapshot.devices.front().events.count(), std::size_t{2});
            const trace::InputNote* more = snapshot.notes.find("more-snapshots");
            QVERIFY(more != nullptr);
            QVERIFY(more->text.find("this is rank1.pickle") != std::string::npos);
            const trace::InputNote* note = snapshot.notes.find("skipped-files");
            QCOMPARE(note != nullptr, is_named);
            QVERIFY(note == nullptr || note->text.find("Skipped odd?.file") == 0);
        }
    }

    void anErrorNamesTheFileThatIsClosestToASnapshot()
    {
        const std::string said = test::outcome(test::readString(ArchiveWriter::zip(
            {{"notes.txt", "hello"}, {"metrics.jsonl", "{}\n{}\n"}, {"more.txt", "hello"}})));
        QVERIFY2(said.find("one file, metrics.jsonl, says: The file is damaged at byte")
                     != std::string::npos,
                 said.c_str());
    }

    void theSearchThroughArchivesInArchivesEnds()
    {
        constexpr std::size_t kMany = 60;
        const auto many = [](const std::string& content) {
            return ArchiveWriter::zip(std::vector<PackedFile>(kMany, {"a", content}));
        };
        const std::string said = test::outcome(test::readString(many(many(many("text")))));
        QVERIFY2(said.find("first 64 files") != std::string::npos, said.c_str());
        std::vector<PackedFile> files(kMany, {"a", "text"});
        files.push_back({"b", test::smallSnapshot().string()});
        QCOMPARE(test::outcome(test::readString(ArchiveWriter::zip(files))), "read"s);
    }

    void filesThatAreNoneMayNotTakeForEver()
    {
        const auto zipped = [](std::size_t files) {
            std::vector<PackedFile> all(files, {"a.json", '[' + std::string(100'000, ' ') + "1]"});
            all.push_back({"b", test::smallSnapshot().string()});
            return ArchiveWriter::zip(all);
        };
        reader::ReadOptions options;
        options.limits.unpack_floor_bytes = 100'000;
        QCOMPARE(test::outcome(test::readString(zipped(3), options)), "read"s);
        const auto result = test::readString(zipped(5), options);
        QVERIFY(!result.has_value());
        QVERIFY(result.error().message.find("too many large files") != std::string::npos);
    }

    void aRefusedPickleStaysRefusedWhenPacked()
    {
        const std::string hostile = "cos\nsystem\n(S'true'\ntR.";
        for (const std::string& packed : {gzip(hostile), ArchiveWriter::zip({{"a", hostile}}),
                                          ArchiveWriter::zip({{"b", gzip(hostile)}})}) {
            const auto result = test::readString(packed);
            QVERIFY(!result.has_value());
            QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::refused));
        }
    }

    void aPackedFileThatWasCutOffShowsWhatArrived()
    {
        constexpr std::size_t kEvents = 50'000;
        const std::string pickle = longPickle(kEvents);
        for (const std::string& packed :
             {gzip(pickle), ArchiveWriter::compress(ARCHIVE_FILTER_XZ, pickle),
              ArchiveWriter::zip({{"a.pickle", pickle}}),
              gzip(ArchiveWriter::tar({{"a", pickle}}))}) {
            const trace::Snapshot half = read(packed.substr(0, packed.size() / 2));
            QVERIFY(half.notes.find("cut-off") != nullptr);
            const std::size_t events = half.devices.front().events.count();
            QVERIFY2(events > kEvents / 4 && events < kEvents * 3 / 4,
                     std::to_string(events).c_str());
        }
    }

    void aBombIsTooLarge()
    {
        reader::ReadOptions options;
        options.limits.unpack_floor_bytes = 100'000;
        options.limits.max_unpack_ratio = 100;
        // Zeroes behind a list that goes on: the bytes are wanted, as far as they are allowed.
        std::string bomb = "\x80\4](";
        bomb.resize(8'000'000, 'N');
        const auto result = test::readString(gzip(bomb), options);
        QVERIFY(!result.has_value());
        QVERIFY2(result.error().code == ErrorCode::tooLarge, result.error().message.c_str());
    }
};

TIDEMARK_TEST(TstPackedFiles)

} // namespace tidemark::tst_packed_files

#include "tst_packed_files.moc"
