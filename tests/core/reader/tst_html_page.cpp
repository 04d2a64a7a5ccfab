// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/html_page.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <QtCore/QByteArray>
#include <QtTest/QTest>

namespace tidemark::tst_html_page {

namespace {

std::string base64(const std::string& bytes)
{
    return QByteArray::fromStdString(bytes).toBase64().toStdString();
}

struct Named {
    std::string name;
    std::string bytes;
};

/// The form of torch's _memory_viz.py.
std::string page(const std::vector<Named>& files)
{
    std::string list;
    for (const Named& file : files) {
        list += list.empty() ? "" : ", ";
        list += "{\"name\": \"" + file.name + "\", \"base64\": \"" + base64(file.bytes) + "\"}";
    }
    return "\n<!DOCTYPE html>\n<html>\n<body>\n<script type=\"module\">\n"
           "import {add_local_files} from \"https://example.org/MemoryViz.js\"\n"
           "const local_files = ["
        + list + "]\nadd_local_files(local_files, 'Active Memory Timeline')\n</script>\n</body>\n";
}

} // namespace

class TstHtmlPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPageIsReadAsTheSnapshotInside()
    {
        const std::string bytes = test::smallSnapshot().string() + std::string(3, '\0');
        const auto result = test::readString(page({{"snapshot.pickle", bytes}}));
        QVERIFY2(result.has_value(), result.has_value() ? "" : result.error().message.c_str());
        QCOMPARE(result.value().format.route, std::string("html"));
        QCOMPARE(result.value().format.protocol, 4);
        QCOMPARE(result.value().devices.at(0).events.count(), std::size_t{2});
        QVERIFY(result.value().notes.find("more-snapshots") == nullptr);
    }

    void theFirstSnapshotIsShownAndTheOthersAreNamed()
    {
        const auto empty = test::oneEvent([](test::PickleWriter&) {}).string();
        const auto result =
            test::readString(page({{"settings.pickle", "\x80\x02K\1."},
                                   {"rank0.pickle", test::smallSnapshot(2).string()},
                                   {"rank1.pickle", empty}}));
        QVERIFY2(result.has_value(), result.has_value() ? "" : result.error().message.c_str());
        QCOMPARE(result.value().format.protocol, 2);
        const trace::InputNote* note = result.value().notes.find("more-snapshots");
        QVERIFY(note != nullptr);
        QCOMPARE(note->count, std::int64_t{2});
        QCOMPARE(note->text,
                 std::string("The page has 3 snapshots; this is rank0.pickle, not settings.pickle, "
                             "rank1.pickle."));
    }

    void aHostileFileInAPageIsRefused()
    {
        const auto result = test::readString(page({{"a", "\x80\x04\x8c\x02os\x8c\x06system\x93)R."},
                                                   {"b", test::smallSnapshot().string()}}));
        QVERIFY(!result.has_value());
        QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::refused));
    }

    void aPageWithoutASnapshotSaysWhatItHolds()
    {
        const auto number = test::readString(page({{"a", "\x80\x02K\1."}}));
        QVERIFY(test::outcome(number).find("a single number") != std::string::npos);
        const auto none = test::readString(page({}));
        QVERIFY(test::outcome(none).find("web page") != std::string::npos);
    }

    void damagedBase64IsFoundAtItsByte()
    {
        std::string bytes = page({{"a", test::smallSnapshot().string()}});
        const std::size_t at = bytes.find("base64\": \"") + 50;
        bytes[at] = '!';
        const auto result = test::readString(bytes);
        QVERIFY(!result.has_value());
        QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::damaged));
        QCOMPARE(*result.error().where, std::uint64_t{at});
    }

    void everyCutOfAPageEndsInASnapshotOrASentence()
    {
        const std::string bytes = page({{"a", test::smallSnapshot().string()}});
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const auto result = test::readString(std::string_view(bytes).substr(0, size));
            QVERIFY(result.has_value() || result.error().message.ends_with('.'));
        }
    }

    void base64OfEveryLengthIsDecoded()
    {
        std::string bytes;
        for (int i = 0; i < 40; ++i) {
            const std::string encoded = base64(bytes);
            const auto decoded = reader::decodeBase64({"x", encoded, 0});
            QVERIFY(decoded.has_value());
            const auto span = decoded.value().bytes();
            QCOMPARE(std::string(reinterpret_cast<const char*>(span.data()), span.size()), bytes);
            bytes += static_cast<char>(i * 37);
        }
    }

    void listsInTheScriptThatHoldNoFilesArePassedOver()
    {
        const std::string bytes =
            "<script>const a = [1, 2]; const b = [{x: 1}]; const c = [{\"k\": \"v\"}];"
            "const files = [ { \"name\" : \"q\\\"uote\", \"base64\" : \"gAJLAS4=\" } ]"
            "</script>";
        const auto files = reader::findPageFiles(bytes);
        QCOMPARE(files.size(), std::size_t{1});
        QCOMPARE(files[0].name, std::string("q\\\"uote"));
        QCOMPARE(std::string(files[0].base64), std::string("gAJLAS4="));
    }
};

TIDEMARK_TEST(TstHtmlPage)

} // namespace tidemark::tst_html_page

#include "tst_html_page.moc"
