// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/sanitizers.h"
#include "core/reader/file_source.h"
#include "core/reader/input_stream.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace tidemark::tst_input_stream {

using namespace tidemark::reader;

namespace {

std::byte byteAt(std::uint64_t offset)
{
    return static_cast<std::byte>(offset * 7 + offset / 4096);
}

/// A disk: so many bytes, in small pieces, with a pause between them, and perhaps an error.
class Disk final : public ByteSource {
public:
    std::uint64_t bytes = 0;
    std::size_t piece = 4096;
    std::chrono::microseconds pause{0};
    bool knows_size = true;
    std::optional<Error> problem;
    bool throws = false; ///< At its end.

    Result<std::size_t> read(std::span<std::byte> target) override
    {
        std::this_thread::sleep_for(pause);
        const std::size_t count =
            std::min({target.size(), piece, static_cast<std::size_t>(bytes - m_at)});
        if (count == 0 && throws) {
            throw std::bad_alloc();
        }
        if (count == 0 && problem) {
            return *problem;
        }
        for (std::size_t i = 0; i < count; ++i) {
            target[i] = byteAt(m_at + i);
        }
        m_at += count;
        return count;
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return knows_size ? std::optional(bytes) : std::nullopt;
    }

private:
    std::uint64_t m_at = 0;
};

/// Reads all of it, giving back what is behind; whether every byte was right.
bool readsRight(InputStream& stream, std::uint64_t bytes)
{
    std::uint64_t at = 0;
    while (true) {
        const bool is_complete = stream.isComplete();
        const std::uint64_t filled = stream.waitFor(at + 1);
        for (; at < filled; ++at) {
            if (stream.data()[at] != byteAt(at)) {
                return false;
            }
        }
        stream.releaseBefore(at);
        if (is_complete && at == filled) {
            return at == bytes;
        }
    }
}

/// Whether zeroes follow the last byte, as far as one may look.
bool isPadded(const InputStream& stream, std::uint64_t bytes)
{
    const std::byte* const end = stream.data() + bytes;
    return std::all_of(end, end + InputStream::kPadding,
                       [](std::byte b) { return b == std::byte{0}; });
}

std::uint64_t residentBytes()
{
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    file >> pages >> pages;
    return pages * 4096;
}

void write(const std::filesystem::path& path, std::string_view bytes, std::ios::openmode mode)
{
    std::ofstream file(path, std::ios::binary | mode);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string readAll(ByteSource& source)
{
    std::string result;
    std::array<std::byte, 100> piece{};
    while (true) {
        const Result<std::size_t> got = source.read(piece);
        if (!got.has_value() || got.value() == 0) {
            return result;
        }
        result.append(reinterpret_cast<const char*>(piece.data()), got.value());
    }
}

} // namespace

class TstInputStream : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyByteArrives_data()
    {
        QTest::addColumn<int>("bytes");
        QTest::addColumn<bool>("knows_size");
        QTest::addColumn<int>("piece");
        for (const int bytes :
             {1, 4095, 1 << 20, (1 << 20) + 1, 9'000'000, 24 << 20, (24 << 20) - 1, 30'000'001}) {
            for (const int piece : {4096, 65'537, 1 << 20}) {
                QTest::addRow("%d by %d, size known", bytes, piece) << bytes << true << piece;
                QTest::addRow("%d by %d, size unknown", bytes, piece) << bytes << false << piece;
            }
        }
    }
    void everyByteArrives()
    {
        QFETCH(int, bytes);
        QFETCH(bool, knows_size);
        QFETCH(int, piece);
        auto disk = std::make_unique<Disk>();
        disk->bytes = static_cast<std::uint64_t>(bytes);
        disk->piece = static_cast<std::size_t>(piece);
        disk->knows_size = knows_size;
        auto stream = InputStream::open(std::move(disk), std::uint64_t{1} << 40);
        QVERIFY(stream.has_value());
        QVERIFY(readsRight(*stream.value(), static_cast<std::uint64_t>(bytes)));
        QVERIFY(!stream.value()->error());
        QVERIFY(isPadded(*stream.value(), static_cast<std::uint64_t>(bytes)));
    }

    void whatIsNotReleasedStaysHoweverMuchItIs()
    {
        constexpr std::uint64_t kBytes = std::uint64_t{60} << 20;
        constexpr std::uint64_t kFirst = std::uint64_t{5} << 20; // Inside of a piece.
        auto disk = std::make_unique<Disk>();
        disk->bytes = kBytes;
        disk->piece = 1 << 20;
        auto stream = InputStream::open(std::move(disk), 0);
        QVERIFY(stream.has_value());
        for (std::uint64_t at = 0; at < kFirst; at += 1 << 20) {
            while (stream.value()->waitFor(at + (1 << 20)) < at + (1 << 20)) { }
            stream.value()->releaseBefore(at + (1 << 20));
        }
        // One value of 40 MiB, far more than the window.
        const std::uint64_t end = kFirst + (std::uint64_t{40} << 20);
        while (stream.value()->waitFor(end) < end) { }
        for (std::uint64_t at = kFirst; at < end; ++at) {
            if (stream.value()->data()[at] != byteAt(at)) {
                QFAIL(std::to_string(at).c_str());
            }
        }
        stream.value()->releaseBefore(end);
        while (!stream.value()->isComplete()) {
            (void)stream.value()->waitFor(kBytes + 1);
        }
        for (std::uint64_t at = end; at < kBytes; ++at) {
            if (stream.value()->data()[at] != byteAt(at)) {
                QFAIL(std::to_string(at).c_str());
            }
        }
    }

    void leavingEndsAThreadThatWaitsForRoom()
    {
        auto disk = std::make_unique<Disk>();
        disk->bytes = std::uint64_t{1} << 40;
        disk->piece = 1 << 20;
        auto stream = InputStream::open(std::move(disk), 0);
        QVERIFY(stream.has_value());
        std::uint64_t filled = 0;
        while (filled < (8U << 20U)) {
            filled = stream.value()->waitFor(8U << 20U);
        }
        QVERIFY(filled < (16U << 20U)); // Nothing was released: it does not run ahead.
    } // And it does not wait for ever.

    void onlyAWindowIsResident()
    {
        if constexpr (kThreadSanitizer) {
            return; // The sanitizer keeps four bytes of its own for each one.
        }
        constexpr std::uint64_t kBytes = std::uint64_t{300} << 20;
        auto disk = std::make_unique<Disk>();
        disk->bytes = kBytes;
        disk->piece = 1 << 20;
        const std::uint64_t before = residentBytes();
        auto stream = InputStream::open(std::move(disk), 0);
        QVERIFY(stream.has_value());
        std::uint64_t most = 0;
        for (std::uint64_t at = 0; at < kBytes; at += 1 << 20) {
            while (stream.value()->waitFor(at + (1 << 20)) < at + (1 << 20)) { }
            QCOMPARE(stream.value()->data()[at], byteAt(at));
            stream.value()->releaseBefore(at + (1 << 20));
            most = std::max(most, residentBytes());
        }
        QVERIFY2(most < before + (std::uint64_t{24} << 20),
                 std::to_string((most - before) >> 20).c_str());
    }

    void aSlowDiskDoesNotKeepACallerForLong()
    {
        auto disk = std::make_unique<Disk>();
        disk->bytes = 4 << 20;
        disk->piece = 64 << 10;
        disk->pause = std::chrono::milliseconds(2);
        auto stream = InputStream::open(std::move(disk), 0);
        QVERIFY(stream.has_value());
        const std::uint64_t filled = stream.value()->waitFor(std::uint64_t{1} << 40);
        QVERIFY(filled >= (1U << 20U)); // It came back before all was there.
    } // And leaving in the middle ends the reading ahead.

    void theErrorOfADiskIsPassedOn()
    {
        auto disk = std::make_unique<Disk>();
        disk->bytes = 22 << 20;
        disk->problem = Error{ErrorCode::cannotOpen, "The disk fails."};
        auto stream = InputStream::open(std::move(disk), 0);
        QVERIFY(stream.has_value());
        QVERIFY(readsRight(*stream.value(), 22 << 20));
        QVERIFY(isPadded(*stream.value(), 22 << 20));
        QVERIFY(stream.value()->error().has_value());
        QCOMPARE(stream.value()->error()->message, std::string("The disk fails."));
    }

    void memoryThatRunsOutInTheThreadEndsTheReadingNotTheProgram()
    {
        auto disk = std::make_unique<Disk>();
        disk->bytes = std::uint64_t{23} << 20; // More than is read before the thread begins.
        disk->piece = std::size_t{256} << 10;
        disk->throws = true;
        auto stream = InputStream::open(std::move(disk), 0);
        QVERIFY(stream.has_value());
        QVERIFY(readsRight(*stream.value(), std::uint64_t{23} << 20));
        QVERIFY(isPadded(*stream.value(), std::uint64_t{23} << 20));
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, static_cast<void>(stream.value()->error()));
    }
    void aFileIsReadToWhereItEndsWhenItIsRead()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath(QStringLiteral("f")).toStdString();
        write(path, "first", std::ios::trunc);
        const auto grown = FileSource::open(path, {});
        const auto cut = FileSource::open(path, {});
        QVERIFY(grown.has_value() && cut.has_value());
        QCOMPARE(grown.value()->size().value(), std::uint64_t{5});
        write(path, " and more", std::ios::app);
        QCOMPARE(readAll(*grown.value()), std::string("first and more"));
        std::filesystem::resize_file(path, 3);
        QCOMPARE(readAll(*cut.value()), std::string("fir"));
    }

    void aFileThatIsStillWrittenIsWaitedFor()
    {
        const QTemporaryDir folder;
        const std::filesystem::path begun = folder.filePath(QStringLiteral("f.part")).toStdString();
        const std::filesystem::path path = folder.filePath(QStringLiteral("f")).toStdString();
        const std::string bytes = test::smallSnapshot().string();
        const std::string_view all(bytes);
        write(begun, all.substr(0, 3), std::ios::trunc);
        const auto growing = std::make_shared<GrowingFile>(begun, bytes.size());
        std::promise<void> is_read;
        std::jthread writer([&] {
            is_read.get_future().wait();
            write(begun, all.substr(3, 40), std::ios::app);
            growing->grow();
            write(begun, all.substr(43), std::ios::app);
            std::filesystem::rename(begun, path);
            growing->end();
        });
        struct Told final : ProgressSink {
            std::promise<void>& is_read;
            bool is_told = false;
            explicit Told(std::promise<void>& promise)
                : is_read(promise)
            {
            }
            void report(std::string_view, double) override
            {
                if (!std::exchange(is_told, true)) {
                    is_read.set_value();
                }
            }
        } progress(is_read);
        ReadOptions options;
        options.growing = growing;
        const auto snapshot = read(path, options, progress, {});
        progress.report("read", 1);
        QVERIFY2(snapshot.has_value(),
                 snapshot.has_value() ? "" : snapshot.error().message.c_str());
        QVERIFY(snapshot.value().notes.find("cut-off") == nullptr);
        // What is complete before it is opened has its name already.
        QVERIFY(read(path, options, progress, {}).has_value());
    }

    void aFileThatIsReplacedIsReadAsItWas()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath(QStringLiteral("f")).toStdString();
        const std::filesystem::path other = folder.filePath(QStringLiteral("g")).toStdString();
        write(path, "old", std::ios::trunc);
        write(other, "new file", std::ios::trunc);
        const auto source = FileSource::open(path, {});
        QVERIFY(source.has_value());
        std::filesystem::rename(other, path);
        QCOMPARE(readAll(*source.value()->again()), std::string("old"));
        QCOMPARE(readAll(*source.value()->again()), std::string("old"));
    }

    void aSnapshotStillBeingWrittenIsShownAsFarAsItGoes()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath(QStringLiteral("f")).toStdString();
        const std::string bytes = test::smallSnapshot().string();
        write(path, std::string_view(bytes).substr(0, bytes.size() - 20), std::ios::trunc);
        NoProgress progress;
        const auto early = read(path, {}, progress, {});
        QVERIFY2(early.has_value(), early.has_value() ? "" : early.error().message.c_str());
        QVERIFY(early.value().notes.find("cut-off") != nullptr);
        write(path, std::string_view(bytes).substr(bytes.size() - 20), std::ios::app);
        const auto late = read(path, {}, progress, {});
        QVERIFY(late.has_value());
        QVERIFY(late.value().notes.find("cut-off") == nullptr);
    }
};

TIDEMARK_TEST(TstInputStream)

} // namespace tidemark::tst_input_stream

#include "tst_input_stream.moc"
