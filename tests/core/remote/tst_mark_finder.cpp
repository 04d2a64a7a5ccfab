// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/mark_finder.h"
#include "core/remote/received.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <initializer_list>
#include <string_view>

namespace tidemark::tst_mark_finder {

using namespace tidemark::remote;

namespace {

std::string joined(std::initializer_list<std::string_view> parts)
{
    std::string text;
    for (const std::string_view part : parts) {
        text += part;
    }
    return text;
}

std::string zstdMark(const std::string& key, const std::string& number)
{
    const std::string_view head("\x50\x2a\x4d\x18\x26\0\0\0", 8);
    return joined({head, "tidemark ", key, " ", number});
}

std::string gzipMark(const std::string& key, const std::string& number)
{
    const std::string_view head("\x1f\x8b\x08\x10\0\0\0\0\0\x03", 10);
    const std::string_view tail("\0\x03\0\0\0\0\0\0\0\0\0", 11);
    return joined({head, "tidemark ", key, " ", number, tail});
}

} // namespace

class TstMarkFinder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aMarkIsFoundHoweverTheBytesCome_data()
    {
        QTest::addColumn<int>("packer");
        QTest::addColumn<int>("step");
        for (const int step : {1, 7, 40, 1000}) {
            QTest::addRow("zstd by %d", step) << static_cast<int>(Packer::zstd) << step;
            QTest::addRow("gzip by %d", step) << static_cast<int>(Packer::gzip) << step;
        }
    }
    void aMarkIsFoundHoweverTheBytesCome()
    {
        QFETCH(int, packer);
        QFETCH(int, step);
        const auto with = static_cast<Packer>(packer);
        const auto mark = with == Packer::gzip ? gzipMark : zstdMark;
        const std::string key = "0123456789abcdef";
        const std::string first = std::string(100, 'p') + mark(key, "000000000008");
        const std::string second = std::string(50, 'q') + mark(key, "000000000016");
        const std::string bytes = first + second + "tidemark tidemark " + key + " 0000000000";
        MarkFinder finder(with, key, {});
        Whole known;
        for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(step)) {
            finder.take(std::string_view(bytes).substr(at, static_cast<std::size_t>(step)));
            const std::size_t came = std::min(bytes.size(), at + static_cast<std::size_t>(step));
            QVERIFY(finder.whole().kept <= came); // Never more than what is there.
            known = finder.whole();
        }
        QCOMPARE(known, (Whole{first.size() + second.size(), 16 * kBlockBytes}));
    }

    void whatIsHereAlreadyCounts()
    {
        MarkFinder finder(Packer::zstd, "key", {500, 8 * kBlockBytes});
        QCOMPARE(finder.whole(), (Whole{500, 8 * kBlockBytes}));
        const std::string bytes = "piece" + zstdMark("key", "000000000016");
        finder.take(bytes);
        QCOMPARE(finder.whole(), (Whole{500 + bytes.size(), 16 * kBlockBytes}));
    }

    void whatOnlyLooksLikeAMarkIsNone()
    {
        MarkFinder finder(Packer::zstd, "key", {});
        finder.take(zstdMark("other", "000000000008") + zstdMark("key", "00000000000x")
                    + "tidemark key 12345678901");
        QCOMPARE(finder.whole(), Whole{});
    }

    void whatHasComeIsPutInWords()
    {
        constexpr std::uint64_t kMiB = kBlockBytes;
        Received received{3 * kMiB, 0, false, 0};
        QCOMPARE(receivedWords(received), std::string("3.00 MiB received"));
        received = {3 * kMiB, 12 * kMiB, false, 6 * kMiB};
        QCOMPARE(receivedWords(received), std::string("6.00 of 12.00 MiB received"));
        received = {3 * kMiB, 100 * kMiB, true, 0};
        QCOMPARE(receivedWords(received),
                 std::string("3.0 MiB received, packed, of a file of 100.0 MiB"));
        received.holds = 38 * kMiB;
        QCOMPARE(receivedWords(received),
                 std::string("3.0 MiB received, packed: 38 % of 100.0 MiB"));
        received.holds = 104 * kMiB; // The last piece is counted as a whole one.
        QCOMPARE(received.share(), 1.0);
    }
};

TIDEMARK_TEST(TstMarkFinder)

} // namespace tidemark::tst_mark_finder

#include "tst_mark_finder.moc"
