// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/pickle_scanner.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_pickle_scanner {

using namespace std::string_literals;

namespace {

Result<reader::PickleScan> scan(std::string_view bytes, const reader::ReaderLimits& limits = {})
{
    NoProgress progress;
    return reader::scanPickle(std::as_bytes(std::span(bytes)), limits, progress, {});
}

struct Hostile {
    const char* title;
    std::string bytes;
    ErrorCode code;
    std::uint64_t where;
    const char* named; ///< What the sentence must contain.
};

std::string repeated(std::string_view part, std::size_t count)
{
    std::string result;
    for (std::size_t i = 0; i < count; ++i) {
        result += part;
    }
    return result;
}

/// Spelled in bytes, so that each protocol's own opcodes are met.
std::vector<Hostile> hostilePickles()
{
    const auto refused = ErrorCode::refused;
    const auto damaged = ErrorCode::damaged;
    const auto too_large = ErrorCode::tooLarge;
    std::vector<Hostile> all{
        {"protocol 0, GLOBAL", "cos\nsystem\n(S'true'\ntR.", refused, 0, "os.system"},
        {"protocol 1, GLOBAL", "cos\nsystem\n(U\x04truetR.", refused, 0, "os.system"},
        {"protocol 2, GLOBAL",
         "\x80\x02"
         "cos\nsystem\nX\x04\0\0\0true\x85R."s,
         refused, 2, "os.system"},
        {"protocol 3, GLOBAL",
         "\x80\x03"
         "cposix\nsystem\nq\0."s,
         refused, 2, "posix.system"},
        {"protocol 4, STACK_GLOBAL", "\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R."s,
         refused, 14, "os.system"},
        {"protocol 5, STACK_GLOBAL", "\x80\x05\x8c\x02os\x8c\x06system\x93)R."s, refused, 14,
         "os.system"},
        {"STACK_GLOBAL through the memo",
         "\x80\x04\x8c\x02os\x94"
         "0\x8c\x06system\x94"
         "0h\0h\1\x93."s,
         refused, 22, "os.system"},
        {"STACK_GLOBAL of BINUNICODE", "\x80\x04X\x02\0\0\0osX\x06\0\0\0system\x93."s, refused, 20,
         "os.system"},
        {"STACK_GLOBAL of numbers", "\x80\x04K\1K\2\x93."s, refused, 6, "(not a name)"},
        {"a global inside a frame", "\x80\x04\x95\x0e\0\0\0\0\0\0\0cos\nsystem\n)R."s, refused, 11,
         "os.system"},
        {"a global after a dictionary", "\x80\x02}(X\x01\0\0\0acos\nsystem\nu."s, refused, 10,
         "os.system"},
        {"control characters in a name",
         "\x80\x02"
         "co\x1bs\nsys\x07tem\n."s,
         refused, 2, "o?s.sys?tem"},
        {"INST", "(S'true'\nios\nsystem\n.", refused, 9, "os.system"},
        {"OBJ", "(NNo.", refused, 3, "OBJ"},
        {"REDUCE", "\x80\x02N)R.", refused, 4, "REDUCE"},
        {"BUILD", "\x80\x02}}b.", refused, 4, "BUILD"},
        {"NEWOBJ", "\x80\x02N)\x81.", refused, 4, "NEWOBJ"},
        {"NEWOBJ_EX", "\x80\x04N)}\x92.", refused, 5, "NEWOBJ_EX"},
        {"EXT1", "\x80\x02\x82\x07.", refused, 2, "extension 7"},
        {"EXT2", "\x80\x02\x83\x01\x01.", refused, 2, "extension 257"},
        {"EXT4", "\x80\x02\x84\x01\x00\x00\x01."s, refused, 2, "extension 16777217"},
        {"PERSID", "Psomewhere\n.", refused, 0, "outside the file"},
        {"BINPERSID", "\x80\x02NQ.", refused, 3, "outside the file"},
        {"NEXT_BUFFER", "\x80\x05\x97.", damaged, 2, "does not contain"},
        {"READONLY_BUFFER", "\x80\x05N\x98.", damaged, 3, "does not contain"},
        {"a memo index far ahead", "\x80\x02]r\xff\xff\xff\x7f.", too_large, 3, "2147483647"},
        {"a memo index far ahead in text", "(lp4000000000\n.", too_large, 2, "4000000000"},
        {"a memo index that is no number", "(lp1x\n.", damaged, 2, "number"},
        {"a negative memo index", "(lp-1\n.", damaged, 2, "number"},
        {"a memo entry that is not there", "\x80\x02h\x05.", damaged, 2, "not stored"},
        {"lists in lists in lists", "\x80\x02" + repeated("]", 100) + repeated("a", 99) + ".",
         too_large, 165, "deeper"},
        {"marks in marks", "\x80\x02" + repeated("(", 100) + ".", too_large, 66, "deeper"},
        {"tuples in tuples", "\x80\x02N" + repeated("\x85", 100000) + ".", too_large, 67, "deeper"},
        {"more lists than a file is worth", "\x80\x02(" + repeated("\x8f", 1 << 20) + "l.",
         too_large, 270604, "memory"},
        {"numbers as keys without end", "\x80\x02}(" + repeated("K\1N", 5000) + "u.", too_large,
         15004, "not texts"},
        {"BINUNICODE longer than the file", "\x80\x02X\xff\xff\xff\xffx.", damaged, 2, "cut off"},
        {"BINUNICODE8 of 2^62 bytes", "\x80\x04\x8d\0\0\0\0\0\0\0\x40x."s, damaged, 2, "cut off"},
        {"BINUNICODE8 of -1 bytes", "\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffx.", damaged, 2,
         "length"},
        {"BYTEARRAY8 of 2^40 bytes", "\x80\x05\x96\0\0\0\0\0\1\0\0x."s, damaged, 2, "cut off"},
        {"LONG4 of -1 bytes", "\x80\x02\x8b\xff\xff\xff\xff.", damaged, 2, "length"},
        {"LONG4 of 2^31-1 bytes", "\x80\x02\x8b\xff\xff\xff\x7f.", damaged, 2, "cut off"},
        {"LONG with a million digits", "L" + repeated("9", 1000000) + "L\n.", damaged, 0, "number"},
        {"BINSTRING of -1 bytes", "\x80\x02T\xff\xff\xff\xff.", damaged, 2, "length"},
        {"a frame longer than the file", "\x80\x04\x95\xff\0\0\0\0\0\0\0N."s, damaged, 2,
         "cut off"},
        {"a frame of 2^64-1 bytes", "\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xffN.", damaged, 2,
         "cut off"},
        {"a frame in a frame", "\x80\x04\x95\x0b\0\0\0\0\0\0\0\x95\x02\0\0\0\0\0\0\0N."s, damaged,
         11, "frame"},
        // After this frame CPython would go on with the byte after the frame, not with this text.
        {"a text across the end of a frame", "\x80\x04\x95\x03\0\0\0\0\0\0\0\x8c\x04osos."s,
         damaged, 11, "frame"},
        {"APPEND on nothing", "\x80\x02Na.", damaged, 3, "missing"},
        {"APPEND on a number", "\x80\x02K\1K\2a.", damaged, 6, "cannot hold"},
        {"SETITEM on a list", "\x80\x02]K\0K\0s."s, damaged, 7, "cannot hold"},
        {"SETITEMS with an odd count", "\x80\x02}(NNNu.", damaged, 7, "no value"},
        {"SETITEMS with a list as key", "\x80\x02}(]Nu.", damaged, 6, "key"},
        // Its hash would take 2^40 steps: Python remembers none of a tuple.
        {"SETITEM with a tuple of tuples as key",
         "\x80\x02}(NN\x86" + repeated("2\x86", 40) + "Nu.", too_large, 88, "nested"},
        {"ADDITEMS of a tuple with a tuple in it", "\x80\x04\x8f(N\x85\x85\x90.", too_large, 7,
         "nested"},
        {"APPENDS without a mark", "\x80\x02]Ne.", damaged, 4, "mark"},
        {"APPENDS below an outer mark", "\x80\x02](( e.", damaged, 5, "0x20"},
        {"APPENDS of what belongs to an outer mark", "\x80\x02](((eee.", damaged, 6, "container"},
        {"POP on nothing",
         "\x80\x02"
         "0.",
         damaged, 2, "missing"},
        {"DUP on nothing",
         "\x80\x02"
         "2.",
         damaged, 2, "missing"},
        {"STOP on nothing", "\x80\x02.", damaged, 2, "missing"},
        {"STOP inside a mark", "\x80\x02N(.", damaged, 4, "missing"},
        {"TUPLE2 of one", "\x80\x02N\x86.", damaged, 3, "missing"},
        {"protocol 6", "\x80\x06N.", damaged, 0, "protocol 6"},
        {"a second header", "\x80\x02N\x80\x02.", damaged, 3, "header"},
        {"an unknown opcode", "\x80\x04\xff.", damaged, 2, "0xff"},
        {"no STOP", "\x80\x02N", damaged, 3, "cut off"},
        {"nothing at all", "", damaged, 0, "cut off"},
    };
    return all;
}

} // namespace

class TstPickleScanner : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refuses_data()
    {
        QTest::addColumn<int>("index");
        const auto all = hostilePickles();
        for (std::size_t i = 0; i < all.size(); ++i) {
            QTest::newRow(all[i].title) << static_cast<int>(i);
        }
    }
    void refuses()
    {
        QFETCH(int, index);
        const Hostile hostile = hostilePickles()[static_cast<std::size_t>(index)];
        const auto result = scan(hostile.bytes);
        QVERIFY2(!result.has_value(), "accepted");
        const Error& error = result.error();
        QVERIFY2(error.message.find(hostile.named) != std::string::npos, error.message.c_str());
        QCOMPARE(static_cast<int>(error.code), static_cast<int>(hostile.code));
        QVERIFY(error.where.has_value());
        QCOMPARE(*error.where, hostile.where);
        QVERIFY2(error.message.ends_with('.'), error.message.c_str());
    }

    void namesTheGlobalAndItsPlaceInOneSentence()
    {
        const auto result = scan("\x80\x04\x8c\x02os\x8c\x06system\x93)R."s);
        QCOMPARE(QString::fromStdString(result.error().message),
                 QStringLiteral(
                     "The file asks to run os.system at byte 14; a memory snapshot never does, so "
                     "Tidemark refuses it."));
    }

    void acceptsASnapshotOfEachProtocol_data()
    {
        QTest::addColumn<int>("protocol");
        for (const int protocol : {0, 2, 3, 4, 5}) {
            QTest::addRow("protocol %d", protocol) << protocol;
        }
    }
    void acceptsASnapshotOfEachProtocol()
    {
        QFETCH(int, protocol);
        const std::string bytes = test::smallSnapshot(protocol).string();
        const auto result = scan(bytes);
        QVERIFY2(result.has_value(), result.has_value() ? "" : result.error().message.c_str());
        QCOMPARE(result.value().protocol, protocol);
        QCOMPARE(result.value().stop_offset, bytes.size() - 1);
        QVERIFY(result.value().memory_bytes > 1000);
    }

    void acceptsEveryOpcodeOfPlainData()
    {
        // Text opcodes, then binary ones, each container in each of its forms.
        QVERIFY(scan("(I1\nI01\nL5L\nF1.5\nS'a'\nVb\nNl.").has_value());
        QVERIFY(scan("(dp0\nVa\np1\n(lp2\nI1\nasg1\n(I2\nts.").has_value());
        QVERIFY(
            scan("\x80\x02](J\1\0\0\0M\1\0K\1\x8a\1\1\x8b\1\0\0\0\1\x88\x89NG\0\0\0\0\0\0\0\0e."s)
                .has_value());
        QVERIFY(scan("\x80\x02](U\1aT\1\0\0\0aX\1\0\0\0ae."s).has_value());
        QVERIFY(scan("\x80\x03](C\1aB\1\0\0\0ae."s).has_value());
        QVERIFY(scan("\x80\x04](\x8c\1a\x8d\1\0\0\0\0\0\0\0a\x8e\1\0\0\0\0\0\0\0ae."s).has_value());
        QVERIFY(scan("\x80\x05\x96\1\0\0\0\0\0\0\0a."s).has_value());
        QVERIFY(scan("\x80\x04](\x8f(\x8c\1a\x90(\x8c\1a\x91)N\x85NN\x86NNN\x87(NNt(\x8c\1aNde."s)
                    .has_value());
        QVERIFY(scan("\x80\x04]q\0r\1\0\0\0\x94h\0j\1\0\0\0"
                     "00(NN1N0."s)
                    .has_value());
        QVERIFY(scan("\x80\x02]N2\x86"
                     "a."s)
                    .has_value());
        QVERIFY(scan("\x80\x02](0."s).has_value());
        QVERIFY(scan("\x80\x02}(K\1K\2\x86Nu.").has_value());
    }

    void memoryIsEstimatedForWhatPythonMakesOfTheBytes()
    {
        const auto memory = [](const std::string& bytes) {
            return scan(bytes).value().memory_bytes;
        };
        const auto text = [](std::string_view characters) {
            return "\x80\x02X\xe8\x03\0\0"s + std::string(characters)
                + std::string(1000 - characters.size(), 'a') + ".";
        };
        const std::uint64_t ascii = memory(text(""));
        QVERIFY(ascii >= 1000 && ascii < 3000);
        // One wide character makes all of them wide.
        QCOMPARE(memory(text("\xc3\xa9")), ascii + 2000);
        QCOMPARE(memory(text("\xf0\x9f\x98\x80")), ascii + 4000);
        QCOMPARE(memory(text("\\U0001F600")), ascii);
        const std::string line = std::string(990, 'a') + "\n.";
        QVERIFY(memory("V\\U0001F600" + line) > memory("V0U0001F600" + line) + 3900);
        // Values wait on the stack, and a frame is copied.
        QVERIFY(memory("\x80\x02(" + repeated("N", 1000) + "l.") >= 25 * 1000);
        const std::string framed = repeated("N0", 1000);
        QVERIFY(memory("\x80\x04\x95\xd0\x07\0\0\0\0\0\0"s + framed + "N.")
                >= memory("\x80\x04" + framed + "N.") + 2000);
    }

    void bytesAfterTheEndDoNotMatter()
    {
        const std::string bytes = test::smallSnapshot().string();
        const auto result = scan(bytes + "\0\0\0"s);
        QVERIFY(result.has_value());
        QCOMPARE(result.value().stop_offset, bytes.size() - 1);
    }

    void everyCutIsFoundOut()
    {
        for (const int protocol : {0, 2, 4}) {
            const std::string bytes = test::smallSnapshot(protocol).string();
            for (std::size_t size = 0; size < bytes.size(); ++size) {
                const auto result = scan(std::string_view(bytes).substr(0, size));
                QVERIFY2(!result.has_value(), qPrintable(QString::number(size)));
                QCOMPARE(static_cast<int>(result.error().code),
                         static_cast<int>(ErrorCode::damaged));
                QVERIFY(*result.error().where <= size);
            }
        }
    }

    void aListThatHoldsItselfIsNoDanger()
    {
        QVERIFY(scan("\x80\x02]q\0h\0a."s).has_value());
    }

    void harmlessCallablesAreAcceptedInTheirOwnShapeOnly()
    {
        const std::string ordered = "ccollections\nOrderedDict\n";
        const std::string tag = "ctorch.jit._pickle\nrestore_type_tag\n";
        const std::string ints = "ctorch.jit._pickle\nbuild_intlist\n";
        const std::string device = "ctorch\ndevice\n";
        for (const std::string& body : {
                 ordered + ")R(X\1\0\0\0aK\1u"s,
                 ordered + "q\0)Rq\1(X\1\0\0\0bh\0)Ru"s, // its name through the memo
                 "\x8c\x0b"
                 "collections\x8c\x0bOrderedDict\x93)R"s,
                 ordered + "(tR",
                 tag + "}X\4\0\0\0Dict\x86q\1R(X\1\0\0\0aNu"s,
                 ints + "](K\1K\2e\x85R",
                 device + "X\4\0\0\0cudaK\0\x86R"s,
                 device + "X\3\0\0\0cpu\x85R"s,
             }) {
            const auto result = scan("\x80\x02" + body + ".");
            QVERIFY2(result.has_value(), result.has_value() ? "" : result.error().message.c_str());
        }
        for (const std::string& body : {
                 ordered + "K\1\x85R", // an argument too much
                 ordered + "]R", // no tuple
                 ordered + ")2R", // a tuple is called
                 device
                     + "X\3\0\0\0cpu\x85q\0"
                       "0N\x85"
                       "0h\0R"s, // not the tuple made last
                 ordered + ")\x81",
                 ordered + "}b",
                 "(" + ordered + "o",
                 tag + "}\x85R",
                 tag + "}K\1\x86R",
                 tag + "K\1X\1\0\0\0x\x86R"s,
                 ints + "}\x85R",
                 ints + ")R",
                 device + "K\0\x85R"s,
                 device + "X\0\0\0\0\x85R"s,
                 device + "X\3\0\0\0cpu\x88\x86R"s,
                 device + "X\3\0\0\0cpuJ\xff\xff\xff\xff\x86R"s,
                 device + "X\3\0\0\0cpuNN\x87R"s,
                 device + "X\x21\0\0\0"s + std::string(33, 'x') + "\x85R",
                 "N)R"s,
             }) {
            const auto result = scan("\x80\x02" + body + ".");
            QVERIFY2(!result.has_value() && result.error().code == ErrorCode::refused,
                     (body + (result.has_value() ? " accepted" : result.error().message)).c_str());
            QVERIFY2(result.error().message.find("run code (") != std::string::npos,
                     result.error().message.c_str());
        }
        const auto other = scan("\x80\x02"
                                "ccollections\nCounter\n)R.");
        QVERIFY(other.error().message.find("run collections.Counter at byte 2")
                != std::string::npos);
    }

    void limitsAreObeyed()
    {
        reader::ReaderLimits limits;
        limits.max_nesting = 3;
        QVERIFY(!scan(test::smallSnapshot().string(), limits).has_value());
        limits = {};
        limits.memory_floor_bytes = 0;
        limits.max_memory_ratio = 1;
        const auto result = scan(test::smallSnapshot().string(), limits);
        QVERIFY(!result.has_value());
        QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::tooLarge));
    }

    void aStopIsObeyed()
    {
        std::stop_source source;
        source.request_stop();
        const std::string bytes = "\x80\x02(" + repeated("N", 1 << 20) + "l.";
        NoProgress progress;
        const auto result =
            reader::scanPickle(std::as_bytes(std::span(bytes)), {}, progress, source.get_token());
        QVERIFY(!result.has_value());
        QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::cancelled));
    }
};

TIDEMARK_TEST(TstPickleScanner)

} // namespace tidemark::tst_pickle_scanner

#include "tst_pickle_scanner.moc"
