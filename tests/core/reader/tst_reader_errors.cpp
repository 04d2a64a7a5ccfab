// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <sys/stat.h>
#include <unistd.h>

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <filesystem>
#include <fstream>

namespace tidemark::tst_reader_errors {

using namespace std::string_literals;

namespace {

struct Foreign {
    const char* title;
    std::string bytes;
    const char* said;
};

std::vector<Foreign> foreignFiles()
{
    return {
        {"gzip", "\x1f\x8b\x08\0\0\0\0\0\0\3"s, "gzip file is empty or damaged"},
        {"zip", "PK\x03\x04\x14\0\0\0\0\0snapshot.pickle"s, "zip file is damaged or truncated"},
        {"xz",
         "\xfd"s
         "7zXZ\0\0"s,
         "xz file is empty or damaged"},
        {"zstd", "\x28\xb5\x2f\xfd\x04"s, "Zstandard file is empty or damaged"},
        {"bzip2", "BZh91AY", "bzip2 file is empty or damaged"},
        {"7-Zip", "7z\xbc\xaf\x27\x1c\0\4"s, "7z x FILE"},
        {"torch checkpoint", "PK\x03\x04\0\0\x08\x08\0\0archive/data.pklFB"s, "torch.save"},
        {"JSON object", "  {\"a\": []}", "the key a"},
        {"JSON list", "[1, 2]", "a list, but not of segments"},
        {"text", "hello, this is a log\nwith lines\n", "text file"},
        {"text that begins like an opcode", "(dear reader)\n", "not a memory snapshot"},
        {"text with two words on lines", "cat\ndog\n", "at.dog"},
        {"HTML without snapshots", "<!DOCTYPE html><html><body>hi</body></html>", "web page"},
        {"ELF",
         "\x7f"
         "ELF\2\1\1\0\0\0"s,
         "not a memory snapshot"},
        {"one byte", "\x80", "not a memory snapshot"},
        {"a number", "\x80\x02K\1.", "a single number"},
        {"a legacy checkpoint", "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."s,
         "an old PyTorch checkpoint"},
        {"a text", "\x80\x04\x8c\x02hi.", "a single text"},
        {"None", "\x80\x02N.", "None"},
        {"a list of numbers", "\x80\x02](K\1K\2e.", "a list, but not of segments"},
        {"an empty dictionary", "\x80\x02}.",
         "an empty dictionary, as from a backend that records no memory"},
        {"a dictionary of something else",
         "\x80\x04}(\x8c\x05"
         "epochK\1\x8c\x04lossK\2\x8c\x03lrsN\x8c\x01xNu."s,
         "a dictionary with the keys epoch, loss, lrs and 1 more"},
        {"a checkpoint without tensors",
         "\x80\x04}(\x8c\x05"
         "epochK\1\x8c\x0astate_dict}u."s,
         "a PyTorch checkpoint,"},
        {"segments of the wrong type", "\x80\x04}(\x8c\x08segmentsK\1u."s, "the key segments"},
    };
}

class CountingProgress final : public ProgressSink {
public:
    explicit CountingProgress(std::stop_source& source, std::string_view stage)
        : m_source(source)
        , m_stage(stage)
    {
    }
    void report(std::string_view stage, double fraction) override
    {
        if (stage == m_stage && fraction > 0.2) {
            m_source.request_stop();
        }
        was_sane = was_sane && fraction >= 0.0 && fraction <= 1.0;
    }
    bool was_sane = true;

private:
    std::stop_source& m_source;
    std::string m_stage;
};

} // namespace

class TstReaderErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foreignFilesEndInOneSentence_data()
    {
        QTest::addColumn<int>("index");
        const auto all = foreignFiles();
        for (std::size_t i = 0; i < all.size(); ++i) {
            QTest::newRow(all[i].title) << static_cast<int>(i);
        }
    }
    void foreignFilesEndInOneSentence()
    {
        QFETCH(int, index);
        const Foreign foreign = foreignFiles()[static_cast<std::size_t>(index)];
        const auto result = test::readString(foreign.bytes);
        QVERIFY(!result.has_value());
        const std::string& message = result.error().message;
        QVERIFY2(message.find(foreign.said) != std::string::npos, message.c_str());
        QVERIFY2(message.ends_with('.') && message.find('\n') == std::string::npos,
                 message.c_str());
        const ErrorCode code = result.error().code;
        QVERIFY(code == ErrorCode::notASnapshot || code == ErrorCode::refused
                || code == ErrorCode::damaged);
    }

    void aMissingFileAFolderAnEmptyFileAndAPipeEachGetTheirSentence()
    {
        const QTemporaryDir folder;
        const std::filesystem::path base(folder.path().toStdString());
        std::ofstream(base / "empty.pickle");
        QCOMPARE(::mkfifo((base / "pipe").c_str(), 0600), 0);
        const auto message = [&](const std::filesystem::path& path) {
            NoProgress progress;
            return test::outcome(reader::read(path, {}, progress, {}));
        };
        const auto code = [](ErrorCode c) { return std::to_string(static_cast<int>(c)) + " "; };
        const std::string cannot = code(ErrorCode::cannotOpen);
        QVERIFY(message(base / "no" / "such.pickle").starts_with(cannot + "No such file"));
        QVERIFY(message(base).starts_with(cannot + "This is a folder"));
        QVERIFY(message(base / "pipe").starts_with(cannot + "This is a pipe"));
        QVERIFY(message("/dev/zero").starts_with(cannot + "This is a pipe or a device"));
        const std::string empty = message(base / "empty.pickle");
        QVERIFY(empty.starts_with(code(ErrorCode::empty) + "The file is empty"));
        QVERIFY(empty.find("stacks=\"python\"") != std::string::npos);
        QVERIFY(test::outcome(test::readString("")).starts_with(code(ErrorCode::empty)));
    }

    void aFileWithoutReadPermissionIsSaidToBeSo()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path =
            folder.filePath(QStringLiteral("x.pickle")).toStdString();
        test::smallSnapshot().save(path);
        std::filesystem::permissions(path, std::filesystem::perms::none);
        // Root may read everything, so it becomes somebody else for a moment.
        constexpr uid_t kNobody = 65534;
        const bool is_root = ::geteuid() == 0;
        if (is_root) {
            QCOMPARE(::seteuid(kNobody), 0);
        }
        NoProgress progress;
        const auto result = reader::read(path, {}, progress, {});
        if (is_root) {
            QCOMPARE(::seteuid(0), 0);
        }
        QVERIFY(!result.has_value());
        QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::cannotOpen));
        QVERIFY(result.error().message.find("permission") != std::string::npos);
    }

    void nothingInAHostileFileIsRun()
    {
        const QTemporaryDir folder;
        const std::string proof = folder.filePath(QStringLiteral("proof")).toStdString();
        const std::string command = "touch " + proof;
        const auto length = std::string(1, static_cast<char>(command.size()));
        const std::vector<std::string> files{
            "cos\nsystem\n(S'" + command + "'\ntR.",
            "(S'" + command + "'\nios\nsystem\n.",
            "\x80\x02"
            "cos\nsystem\nX"s
                + length + "\0\0\0"s + command + "\x85R.",
            "\x80\x03"
            "cos\nsystem\nX"s
                + length + "\0\0\0"s + command + "\x85R.",
            "\x80\x04\x8c\x02os\x8c\x06system\x93\x8c"s + length + command + "\x85R.",
            "\x80\x05\x8c\x02os\x8c\x06system\x93\x8c"s + length + command + "\x85R.",
            "\x80\x04\x8c\x08"
            "builtins\x8c\x04"
            "eval\x93\x8c"s
                + length + command + "\x85R.",
        };
        for (const std::string& bytes : files) {
            const auto result = test::readString(bytes);
            QVERIFY(!result.has_value());
            QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::refused));
            QVERIFY(result.error().where.has_value());
            QVERIFY(!std::filesystem::exists(proof));
        }
        // The proof can be made: this is what the check above would have seen.
        QCOMPARE(std::system(command.c_str()), 0);
        QVERIFY(std::filesystem::exists(proof));
    }

    void everyCutOfASmallFileEndsInASentenceOrWhatArrived()
    {
        int salvaged = 0;
        for (const int protocol : {0, 2, 4}) {
            const std::string bytes = test::smallSnapshot(protocol).string();
            QCOMPARE(test::outcome(test::readString(bytes)), std::string("read"));
            for (std::size_t size = 0; size < bytes.size(); ++size) {
                const std::string_view cut = std::string_view(bytes).substr(0, size);
                const auto result = test::readString(cut);
                if (result.has_value()) {
                    const trace::InputNote* note = result.value().notes.find("cut-off");
                    QVERIFY(note != nullptr);
                    QVERIFY(note->text.ends_with('.'));
                    QCOMPARE(result.value().notes.all().front().code, note->code);
                    QVERIFY(result.value().notes.find("no-traces") == nullptr);
                    ++salvaged;
                } else {
                    QVERIFY(result.error().message.ends_with('.'));
                }
                reader::ReadOptions options;
                options.reader = reader::ReaderChoice::cpython;
                const auto strict = test::readString(cut, options);
                QVERIFY(!strict.has_value());
                QVERIFY(strict.error().message.ends_with('.'));
            }
        }
        QVERIFY(salvaged > 100);
    }

    void everyFlippedByteEndsInASnapshotOrASentence()
    {
        for (const int protocol : {2, 4}) {
            const std::string bytes = test::smallSnapshot(protocol).string();
            for (std::size_t at = 0; at < bytes.size(); ++at) {
                for (const int flip : {0x01, 0x20, 0x80, 0xff}) {
                    std::string flipped = bytes;
                    flipped[at] = static_cast<char>(flipped[at] ^ static_cast<char>(flip));
                    const auto result = test::readString(flipped);
                    QVERIFY(result.has_value() || !result.error().message.empty());
                }
            }
        }
    }

    void textThatIsNoUtf8IsDamage()
    {
        const auto result = test::readString("\x80\x04}(\x8c\x02\xff\xfeNu.");
        QVERIFY(!result.has_value());
        QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::damaged));
        QVERIFY(result.error().message.find("utf-8") != std::string::npos);
    }

    void aDictionaryInAKeyIsRefused()
    {
        const auto result = test::readString("\x80\x04}(}\x85Nu.");
        QVERIFY(!result.has_value());
        QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::tooLarge));
        QVERIFY(result.error().message.find("nested values") != std::string::npos);
    }

    void valuesThatHoldThemselvesAreReadAndReleased()
    {
        // segments = device_traces = a list that holds itself.
        const auto result = test::readString("\x80\x04}(\x8c\x08segments]\x94h\0a\x8c\x0d"
                                             "device_tracesh\0u."s);
        QVERIFY2(result.has_value(), result.has_value() ? "" : result.error().message.c_str());
        QVERIFY(result.value().notes.find("wrong-type") != nullptr);
    }

    void theReaderThatIsAskedForReads()
    {
        using Choice = reader::ReaderChoice;
        const auto readerOf = [](Choice choice, std::string_view bytes) {
            reader::ReadOptions options;
            options.reader = choice;
            const auto result = test::readString(bytes, options);
            return result.has_value() ? result.value().format.reader : result.error().message;
        };
        const std::string usual = test::smallSnapshot().string();
        QCOMPARE(readerOf(Choice::automatic, usual), std::string("native"));
        QCOMPARE(readerOf(Choice::native, usual), std::string("native"));
        QCOMPARE(readerOf(Choice::cpython, usual), std::string("cpython"));
        // A list that holds itself is none that the native reader can write down.
        const std::string odd = "\x80\x04}(\x8c\x08segments]\x94h\0a\x8c\x0d"
                                "device_traces]u."s;
        QCOMPARE(readerOf(Choice::automatic, odd), std::string("cpython"));
        QCOMPARE(readerOf(Choice::cpython, odd), std::string("cpython"));
        QVERIFY(readerOf(Choice::native, odd).find("--reader") == std::string::npos);
        QVERIFY(readerOf(Choice::native, odd).find("native reader cannot") != std::string::npos);
    }

    void readersHaveNames()
    {
        QVERIFY(reader::readerChoiceFromName("native") == reader::ReaderChoice::native);
        QVERIFY(reader::readerChoiceFromName("auto") == reader::ReaderChoice::automatic);
        QVERIFY(reader::readerChoiceFromName("cpython") == reader::ReaderChoice::cpython);
        QVERIFY(!reader::readerChoiceFromName("python"));
    }

    void limitsEndInTheirSentence()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path =
            folder.filePath(QStringLiteral("x.pickle")).toStdString();
        test::smallSnapshot().save(path);
        reader::ReadOptions options;
        options.limits.max_file_bytes = 100;
        NoProgress progress;
        const auto large = reader::read(path, options, progress, {});
        QVERIFY(!large.has_value());
        QCOMPARE(static_cast<int>(large.error().code), static_cast<int>(ErrorCode::tooLarge));
        options.limits = {};
        options.limits.max_memory_bytes = 100;
        for (const auto choice : {reader::ReaderChoice::native, reader::ReaderChoice::cpython}) {
            options.reader = choice;
            const auto memory = reader::read(path, options, progress, {});
            QVERIFY(!memory.has_value());
            QCOMPARE(static_cast<int>(memory.error().code),
                     static_cast<int>(ErrorCode::outOfMemory));
        }
        options.reader = reader::ReaderChoice::automatic;
        options.limits = {};
        options.limits.max_devices = 0;
        const auto devices = reader::read(path, options, progress, {});
        QVERIFY(!devices.has_value());
        QCOMPARE(static_cast<int>(devices.error().code), static_cast<int>(ErrorCode::tooLarge));
    }

    void aStopIsAnsweredInEachStage_data()
    {
        QTest::addColumn<QString>("choice");
        QTest::addColumn<QString>("stage");
        const auto row = [](const char* choice, const char* stage) {
            QTest::addRow("%s %s", choice, stage)
                << QString::fromLatin1(choice) << QString::fromLatin1(stage);
        };
        for (const char* stage : {"opening", "checking", "reading", "decoding"}) {
            row("cpython", stage);
        }
        row("native", "reading");
    }
    void aStopIsAnsweredInEachStage()
    {
        QFETCH(QString, choice);
        QFETCH(QString, stage);
        const QTemporaryDir folder;
        const std::filesystem::path path =
            folder.filePath(QStringLiteral("x.pickle")).toStdString();
        test::PickleWriter w;
        w.dict([&] {
            w.key("segments").list([] {});
            w.key("device_traces").list([&] {
                w.list([&] {
                    for (int i = 0; i < 60000; ++i) {
                        test::writeEvent(w, "alloc", 512, 512);
                    }
                });
            });
        });
        w.save(path);
        QVERIFY(std::filesystem::file_size(path) > (8U << 20U));
        std::stop_source source;
        CountingProgress progress(source, stage.toStdString());
        reader::ReadOptions options;
        options.reader = *reader::readerChoiceFromName(choice.toStdString());
        const auto result = reader::read(path, options, progress, source.get_token());
        QVERIFY(!result.has_value());
        QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::cancelled));
        QVERIFY(progress.was_sane);
        // And the next read is as if nothing had been.
        QCOMPARE(test::outcome(test::readString(test::smallSnapshot().string())),
                 std::string("read"));
    }
};

TIDEMARK_TEST(TstReaderErrors)

} // namespace tidemark::tst_reader_errors

#include "tst_reader_errors.moc"
