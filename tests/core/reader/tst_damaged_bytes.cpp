// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/sanitizers.h"
#include "core/reader/reader.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/archive_writer.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <QtCore/QByteArray>
#include <QtTest/QTest>

#include <string>
#include <vector>

namespace tidemark::tst_damaged_bytes {

using namespace std::string_literals;
using namespace std::string_view_literals;
using test::ArchiveWriter;

namespace {

// Some of the bytes; the sanitizers, which take ten times as long, see fewer of them.
const std::size_t kStep = kSanitized ? 7 : test::sample();

struct Form {
    const char* title;
    std::string bytes;
};

std::string jsonSnapshot()
{
    return R"({"segments": [{"device": 0, "address": 139637976727552, "total_size": 2097152,
  "stream": 0, "segment_type": "small", "is_expandable": false, "segment_pool_id": [0, 0],
  "blocks": [{"address": 139637976727552, "size": 512, "requested_size": 400,
    "state": "active_allocated", "frames": [{"name": "f\u006frward\n", "filename": "m.py", "line": 7}]},
   {"address": 139637976728064, "size": 2096640, "requested_size": 0, "state": "inactive"}]}],
 "device_traces": [[{"action": "segment_alloc", "addr": 139637976727552, "size": 2097152, "stream": 0,
   "time_us": 1.7e9, "frames": []},
  {"action": "alloc", "addr": 139637976727552, "size": 400, "stream": 0, "time_us": 1700000001,
   "frames": [{"name": "forward", "filename": "m.py", "line": 7}]}]], "extra": [true, null, -1.5e-3]})";
}

std::string page(const std::string& pickle)
{
    return "<!DOCTYPE html>\n<script type=\"module\">\nconst local_files = [{\"name\": "
           "\"a.pickle\", "
           "\"base64\": \""
        + QByteArray::fromStdString(pickle).toBase64().toStdString() + "\"}];\n</script>\n";
}

std::vector<Form> forms()
{
    const std::string pickle = test::smallSnapshot().string();
    return {
        {"protocol 0", test::smallSnapshot(0).string()},
        {"protocol 2", test::smallSnapshot(2).string()},
        {"protocol 4", pickle},
        {"protocol 5", test::smallSnapshot(5).string()},
        {"JSON", jsonSnapshot()},
        {"HTML", page(pickle)},
        {"gzip", ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, pickle)},
        {"xz", ArchiveWriter::compress(ARCHIVE_FILTER_XZ, pickle)},
        {"Zstandard", ArchiveWriter::compress(ARCHIVE_FILTER_ZSTD, pickle)},
        {"bzip2", ArchiveWriter::compress(ARCHIVE_FILTER_BZIP2, pickle)},
        {"zip", ArchiveWriter::zip({{"run/", ""}, {"run/a.pickle", pickle}})},
        {"stored zip", ArchiveWriter::zip({{"a.pickle", pickle}}, "zip:compression=store")},
        {"tar", ArchiveWriter::tar({{"a.pickle", pickle}})},
        {"tar in gzip",
         ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, ArchiveWriter::tar({{"a.pickle", pickle}}))}};
}

void rows()
{
    QTest::addColumn<int>("form");
    QTest::addColumn<int>("choice");
    const auto all = forms();
    for (std::size_t i = 0; i < all.size(); ++i) {
        // What is around a pickle is unpacked before anybody chooses.
        const bool is_pickle = std::string_view(all[i].title).starts_with("protocol");
        for (const auto& [name, choice] : {std::pair("automatic", reader::ReaderChoice::automatic),
                                           std::pair("cpython", reader::ReaderChoice::cpython),
                                           std::pair("native", reader::ReaderChoice::native)}) {
            const bool is_usual = choice == reader::ReaderChoice::automatic;
            if (is_pickle != is_usual || all[i].title == "protocol 4"sv) {
                QTest::addRow("%s by %s", all[i].title, name)
                    << static_cast<int>(i) << static_cast<int>(choice);
            }
        }
    }
}

/// "read", or what is wrong with the way the reading ended; nothing where that is a sentence.
std::string ending(std::string_view bytes, reader::ReaderChoice choice)
{
    reader::ReadOptions options;
    options.reader = choice;
    const auto result = test::readString(bytes, options);
    if (result.has_value()) {
        return "read";
    }
    const Error& error = result.error();
    const bool is_sentence = error.message.size() > 20 && error.message.ends_with('.')
        && error.message.find('\n') == std::string::npos && error.code != ErrorCode::internal
        && error.code != ErrorCode::cancelled && error.code != ErrorCode::outOfMemory;
    return is_sentence ? "" : test::outcome(result);
}

} // namespace

class TstDamagedBytes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCutEndsInASnapshotOrASentence_data()
    {
        rows();
    }
    void everyCutEndsInASnapshotOrASentence()
    {
        QFETCH(int, form);
        QFETCH(int, choice);
        const auto reader = static_cast<reader::ReaderChoice>(choice);
        const std::string bytes = forms()[static_cast<std::size_t>(form)].bytes;
        QCOMPARE(ending(bytes, reader), "read"s);
        for (std::size_t size = 0; size < bytes.size(); size += kStep) {
            const std::string end = ending(std::string_view(bytes).substr(0, size), reader);
            QVERIFY2(end.empty() || end == "read", (std::to_string(size) + ": " + end).c_str());
        }
    }

    void everyFlippedByteEndsInASnapshotOrASentence_data()
    {
        rows();
    }
    void everyFlippedByteEndsInASnapshotOrASentence()
    {
        QFETCH(int, form);
        QFETCH(int, choice);
        const auto reader = static_cast<reader::ReaderChoice>(choice);
        std::string bytes = forms()[static_cast<std::size_t>(form)].bytes;
        for (std::size_t at = 0; at < bytes.size(); at += kStep) {
            const char was = bytes[at];
            for (const int flip : {0x01, 0x80, 0xff}) {
                bytes[at] = static_cast<char>(was ^ static_cast<char>(flip));
                const std::string end = ending(bytes, reader);
                QVERIFY2(end.empty() || end == "read", (std::to_string(at) + ": " + end).c_str());
            }
            bytes[at] = was;
        }
    }

    void bytesThatAreMissingOrDoubledEndInASnapshotOrASentence_data()
    {
        rows();
    }
    void bytesThatAreMissingOrDoubledEndInASnapshotOrASentence()
    {
        QFETCH(int, form);
        QFETCH(int, choice);
        const auto reader = static_cast<reader::ReaderChoice>(choice);
        const std::string bytes = forms()[static_cast<std::size_t>(form)].bytes;
        for (std::size_t at = 0; at < bytes.size(); at += kStep) {
            for (const std::size_t count : {1U, 7U, 100U}) {
                std::string missing = bytes;
                missing.erase(at, count);
                std::string doubled = bytes;
                doubled.insert(at, bytes, at, count);
                for (const std::string& damaged : {missing, doubled}) {
                    const std::string end = ending(damaged, reader);
                    QVERIFY2(end.empty() || end == "read",
                             (std::to_string(at) + ": " + end).c_str());
                }
            }
        }
    }
};

TIDEMARK_TEST(TstDamagedBytes)

} // namespace tidemark::tst_damaged_bytes

#include "tst_damaged_bytes.moc"
