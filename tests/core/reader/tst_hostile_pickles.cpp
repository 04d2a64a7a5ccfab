// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/process_memory.h"
#include "tests/support/test_main.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tidemark::tst_hostile_pickles {

using namespace std::string_literals;
using test::PickleWriter;

namespace {

constexpr std::size_t kMany = 1'000'000;

std::string repeated(std::string_view what, std::size_t count)
{
    std::string result;
    result.reserve(what.size() * count);
    for (std::size_t i = 0; i < count; ++i) {
        result += what;
    }
    return result;
}

std::string little(std::uint64_t value, int width)
{
    PickleWriter w;
    w.little(value, width);
    const std::string whole = w.string();
    const std::size_t header = 11;
    return whole.substr(header, static_cast<std::size_t>(width));
}

struct Hostile {
    std::string title;
    std::string bytes;
};

/// Each way a pickle can ask for a call, with `command` for a shell.
std::vector<Hostile> calls(const std::string& command)
{
    const std::string text = "X" + little(command.size(), 4) + command;
    const std::string global = "cos\nsystem\n";
    const std::string stacked = "\x8c\x02os\x8c\x06system\x93"s;
    const std::string evaluate = "\x8c\x08"
                                 "builtins\x8c\x04"
                                 "eval\x93"s;
    const std::vector<Hostile> bodies{
        {"REDUCE of GLOBAL", global + text + "\x85R"},
        {"REDUCE of STACK_GLOBAL", stacked + text + "\x85R"},
        {"REDUCE of eval", evaluate + text + "\x85R"},
        {"REDUCE with a text", global + "(S'" + command + "'\ntR"},
        {"INST", "(S'" + command + "'\nios\nsystem\n"},
        {"OBJ", "(" + global + text + "o"},
        {"NEWOBJ", global + text + "\x85\x81"},
        {"NEWOBJ_EX", global + text + "\x85}\x92"},
        {"BUILD", "}" + text + "b"},
        {"BUILD of a global", global + "}X\x01\0\0\0a"s + text + "sb"},
        {"EXT1", "\x82\x01" + text + "\x85R"},
        {"EXT2", "\x83\x01\x01" + text + "\x85R"},
        {"EXT4", "\x84\x01\0\0\0"s + text + "\x85R"},
        {"PERSID", "P" + command + "\n"},
        {"BINPERSID", text + "Q"},
        {"a global that is only named", global},
        {"a harmless name with a call inside", "ctorch\ndevice\n" + global + text + "\x85R\x85R"},
        {"state for a harmless name", "ccollections\nOrderedDict\n)R}" + text + "Nsb"},
        {"a harmless name as a value", "ctorch\ndevice\n"},
        {"a harmless name that is called with state",
         "ccollections\nOrderedDict\n" + text + "\x85R"},
        {"a name with dots", "\x8c\x02os\x8c\x0bpath.system\x93" + text + "\x85R"},
    };
    std::vector<Hostile> result;
    for (const Hostile& body : bodies) {
        result.push_back({body.title, "\x80\x04" + body.bytes + "."});
        result.push_back(
            {body.title + " as segments",
             "\x80\x04}(\x8c\x08segments" + body.bytes + "\x8c\x0d" + "device_traces]u."});
        result.push_back({body.title + " beside a snapshot",
                          "\x80\x04}(\x8c\x08segments]\x8c\x0d"
                          "device_traces]\x8c\x05"
                          "extra"
                              + body.bytes + "u."});
    }
    return result;
}

/// A snapshot's root dictionary with `value` under `key`.
std::string under(const std::string& key, const std::string& value)
{
    const auto entry = [](const std::string& name) {
        return "\x8c" + little(name.size(), 1) + name;
    };
    std::string root = "\x80\x04}(";
    for (const std::string& name : {"segments"s, "device_traces"s}) {
        root += name == key ? "" : entry(name) + "]";
    }
    return root + entry(key) + value + "u.";
}

/// A list of two lists of two lists..., `depth` deep, in a few bytes per level.
std::string laughs(int depth)
{
    std::string result = "]q\1";
    for (int i = 1; i < depth; ++i) {
        const std::string get = "h" + little(static_cast<std::uint64_t>(i), 1);
        result += "0](" + get + get + "eq" + little(static_cast<std::uint64_t>(i) + 1, 1);
    }
    return result;
}

/// `many` lists which are one list, that holds one value `many` times.
std::string shared(const std::string& value, std::size_t many)
{
    return "]q\0010"s + value + "q\0020](" + repeated("h\2", many) + "eq\0030]("
        + repeated("h\3", many) + "e";
}

const std::string kEvent = "}(\x8c\x06"
                           "action\x8c\x05"
                           "alloc\x8c\x04"
                           "addrK\1\x8c\x04sizeK\2\x8c\x06"
                           "framesh\1u"s;

/// `many` segments which are one, whose blocks are one block `many` times.
std::string sharedSegments(std::size_t many)
{
    const std::string block = "}(\x8c\x04sizeK\2\x8c\x05"
                              "state\x8c\x10"
                              "active_allocated\x8c\x07"
                              "addressK\1u"s;
    const std::string segment = "}(\x8c\x07"
                                "addressK\1\x8c\x0atotal_sizeK\2\x8c\x06"
                                "device"s
        + "K\0"s
        + "\x8c\x06"
          "blocksh\2u"s;
    return block + "q\0010](" + repeated("h\1", many) + "eq\0020" + segment + "q\0030]("
        + repeated("h\3", many) + "e";
}

/// Events of which each has the same stack of `frames` frames.
std::string sharedStack(std::size_t events, std::size_t frames)
{
    const std::string frame = "}(\x8c\x04name\x8c\1f\x8c\x08"
                              "filename\x8c\1g\x8c\x04lineK\1uq\1";
    const std::string stack = "0](" + repeated("h\1", frames) + "eq\2";
    const std::string event = "}(\x8c\x06"
                              "action\x8c\x05"
                              "alloc\x8c\x04"
                              "addrK\1\x8c\x04sizeK\2\x8c\x06"
                              "framesh\2u"s;
    return frame + stack + "0](](" + repeated(event, events) + "ee";
}

/// `events` times the same event with a note of a megabyte.
std::string sharedNote(std::size_t events)
{
    const std::string text = "X" + little(kMany, 4) + std::string(kMany, 'n') + "q\0010"s;
    const std::string event = "}(\x8c\x06"
                              "action\x8c\x05"
                              "alloc\x8c\x04"
                              "addrK\1\x8c\x04sizeK\2\x8c\x0d"
                              "user_metadatah\1u"s;
    return text + "](](" + repeated(event, events) + "ee";
}

/// One event with `keys` keys that nobody knows, `times` times.
std::string sharedKeys(std::size_t keys, std::size_t times)
{
    std::string event = "}(";
    for (std::size_t i = 0; i < keys; ++i) {
        event += "\x8c\5" + std::to_string(10'000 + i) + "N";
    }
    return event + "uq\0010](]("s + repeated("h\1", times) + "ee";
}

/// Frames whose names are one text of a megabyte.
std::string sharedText(std::size_t frames)
{
    const std::string text = "X" + little(kMany, 4) + std::string(kMany, 'n') + "q\1";
    const std::string frame = "}(\x8c\x04nameh\1\x8c\x08"
                              "filenameh\1\x8c\x04lineK\1u"s;
    const std::string event = "}(\x8c\x06"
                              "action\x8c\x05"
                              "alloc\x8c\x04"
                              "addrK\1\x8c\x04sizeK\2\x8c\x06"
                              "frames]("s
        + repeated(frame, frames) + "eu";
    return text + "0](](" + event + "ee";
}

/// Keys that Python hashes to one value.
std::string collidingKeys(std::size_t count)
{
    std::string result = "}(";
    for (std::uint64_t i = 0; i < count; ++i) {
        // i * (2^61 - 1), eleven bytes long.
        const std::uint64_t low = (i << 61U) - i;
        const std::uint64_t high = (i >> 3U) - (low > (i << 61U) ? 1 : 0);
        const std::string number = little(low, 8) + little(high, 3);
        result += "\x8a\x0b" + number + "N";
    }
    return result + "u";
}

std::vector<Hostile> lengths()
{
    std::vector<Hostile> result;
    const auto add = [&](const std::string& title, const std::string& value) {
        result.push_back({title, "\x80\x05" + value});
        result.push_back({title + " beside a snapshot", under("extra", value)});
    };
    for (const std::uint64_t size : {UINT64_MAX, UINT64_MAX / 2, std::uint64_t{1} << 40U}) {
        const std::string length = little(size, 8);
        add("BINUNICODE8 of " + std::to_string(size), "\x8d" + length + "abc");
        add("BINBYTES8 of " + std::to_string(size), "\x8e" + length + "abc");
        add("BYTEARRAY8 of " + std::to_string(size), "\x96" + length + "abc");
        add("FRAME of " + std::to_string(size), "\x95" + length + "N.");
    }
    for (const std::uint64_t size : {0xffffffffU, 0x80000000U, 0x7fffffffU}) {
        const std::string length = little(size, 4);
        add("BINUNICODE of " + std::to_string(size), "X" + length + "abc");
        add("BINBYTES of " + std::to_string(size), "B" + length + "abc");
        add("BINSTRING of " + std::to_string(size), "T" + length + "abc");
        add("LONG4 of " + std::to_string(size), "\x8b" + length + "abc");
    }
    add("a LONG of a million digits", "L" + std::string(kMany, '9') + "L\n");
    add("an INT of a million digits", "I" + std::string(kMany, '9') + "\n");
    add("a FLOAT of a million digits", "F" + std::string(kMany, '9') + "\n");
    add("a LONG4 of a megabyte", "\x8b" + little(kMany, 4) + std::string(kMany, '\x7f'));
    add("a UNICODE of escapes", "V" + repeated("\\U0010ffff", 100'000) + "\n");
    add("a UNICODE beyond Unicode", "V\\UFFFFFFFF\n");
    add("a STRING of escapes", "S'" + repeated("\\x41", 100'000) + "'\n");
    return result;
}

std::vector<Hostile> indices()
{
    std::vector<Hostile> result;
    for (const std::string& value :
         {"Np99999999999999999999\n"s, "Np4294967295\n"s, "Np-1\n"s, "Nr\xff\xff\xff\xff"s,
          "Nr\0\0\0\x40"s, "g5\n"s, "g-1\n"s, "h\7"s, "j\xff\xff\xff\xff"s, "Nq\xff"s}) {
        result.push_back({"memo " + value, "\x80\x02" + value + "."});
        result.push_back({"memo " + value + " beside a snapshot", under("extra", value)});
    }
    return result;
}

std::vector<Hostile> nesting()
{
    const auto deep = [](const std::string& open, const std::string& close) {
        return "\x80\x02" + repeated(open, kMany) + repeated(close, kMany) + ".";
    };
    return {{"lists opened", "\x80\x02" + repeated("]", kMany)},
            {"lists in lists", deep("]", "a")},
            {"lists in lists by marks", deep("(", "l")},
            {"dictionaries in dictionaries", deep("}K\1", "s")},
            {"tuples in tuples", "\x80\x02N" + repeated("\x85", kMany) + "."},
            {"tuples in tuples by marks", deep("(", "t")},
            {"a million marks", "\x80\x02" + repeated("(", kMany) + "."},
            {"a million marks, popped", deep("(", "1")},
            {"a million values", "\x80\x02" + repeated("N", kMany) + "."},
            {"a million copies", "\x80\x02]" + repeated("2", kMany) + "."},
            {"a million memo entries", "\x80\x04N" + repeated("\x94", kMany) + "."},
            {"a million headers", repeated("\x80\x04", kMany) + "N."},
            {"a million empty frames",
             "\x80\x04" + repeated("\x95" + std::string(8, '\0'), 100'000) + "N."},
            {"sets", "\x80\x04\x8f" + repeated("(\x8f\x90", 100) + "."},
            {"lists in a snapshot", under("segments", repeated("]", 1000) + repeated("a", 999))}};
}

std::vector<Hostile> knots()
{
    return {{"a list in itself", under("segments", "]q\1h\1a")},
            {"a trace in itself", under("device_traces", "]](q\1h\1h\1ea"s)},
            {"traces in themselves", under("device_traces", "]q\1h\1a")},
            {"a dictionary in itself", under("segments", "](}q\1X\6\0\0\0blocksh\1se"s)},
            {"blocks that are the segments", under("segments", "]q\1}X\6\0\0\0blocksh\1sa"s)},
            {"frames that are the trace",
             under("device_traces",
                   "](]q\1}(X\6\0\0\0framesh\1X\6\0\0\0action\x8c\5"
                   "allocuae"s)},
            {"a tuple in itself", under("segments", "](]q\1h\1a\x85q\2h\2e")},
            {"the root in itself",
             "\x80\x04}q\1(\x8c\x08segments](h\1e\x8c\x0d"
             "device_tracesh\1u."s},
            {"the root as a key", "\x80\x04}q\1h\1Ns."}};
}

std::vector<Hostile> bombs()
{
    return {{"laughs beside a snapshot", under("extra", laughs(100))},
            {"laughs as segments", under("segments", laughs(100))},
            {"laughs as traces", under("device_traces", laughs(100))},
            {"laughs as settings", under("allocator_settings", laughs(100))},
            {"one trace many times", under("device_traces", shared(kEvent, 4000))},
            {"one trace more times", under("device_traces", shared(kEvent, 100'000))},
            {"one segment many times", under("segments", sharedSegments(4000))},
            {"one stack many times", under("device_traces", shared("]q\2", 3000))},
            {"one long stack many times", under("device_traces", sharedStack(10'000, 50'000))},
            {"one long text many times", under("device_traces", sharedText(10'000))},
            {"one long note many times", under("device_traces", sharedNote(20'000))},
            {"one event with many keys many times",
             under("device_traces", sharedKeys(10'000, 200'000))},
            {"keys with one hash", under("extra", collidingKeys(20'000))},
            {"keys with one hash in an event",
             under("device_traces", "](](" + collidingKeys(20'000) + "ee")}};
}

std::vector<Hostile> stackErrors()
{
    std::vector<Hostile> result;
    for (const std::string& body :
         {"."s,      "0."s,      "1."s,    "2."s,        "a."s,      "e."s,
          "s."s,     "u."s,      "t."s,    "\x85."s,     "\x87."s,   "Na."s,
          "N(Ne."s,  "]N(NNu."s, "}(Nu."s, "(((."s,      "N(."s,     "]]s."s,
          "\x93."s,  "R."s,      "\x90."s, "\x91."s,     "\x97."s,   "\x98."s,
          "N\x98."s, "\xff."s,   "\0."s,   "\x80\xff."s, "\x80\4."s, "]\x80\2N."s,
          "l."s,     "d."s,      "(Nd."s,  "]}}sN."s,    "b."s,      "}(]Nu."s}) {
        result.push_back({"body " + body, "\x80\x02" + body});
        result.push_back({"bare " + body, body});
        result.push_back({"within " + body, under("segments", body)});
    }
    return result;
}

std::vector<Hostile> everything()
{
    std::vector<Hostile> result;
    for (auto* const make : {&lengths, &indices, &nesting, &knots, &bombs, &stackErrors}) {
        for (Hostile& one : make()) {
            result.push_back(std::move(one));
        }
    }
    return result;
}

void readerRows()
{
    QTest::addColumn<int>("choice");
    QTest::newRow("cpython") << static_cast<int>(reader::ReaderChoice::cpython);
    QTest::newRow("native") << static_cast<int>(reader::ReaderChoice::native);
    QTest::newRow("automatic") << static_cast<int>(reader::ReaderChoice::automatic);
}

} // namespace

class TstHostilePickles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noCallIsMade_data()
    {
        readerRows();
    }
    void noCallIsMade()
    {
        QFETCH(int, choice);
        const QTemporaryDir folder;
        const std::string proof = folder.filePath(QStringLiteral("proof")).toStdString();
        reader::ReadOptions options;
        options.reader = static_cast<reader::ReaderChoice>(choice);
        for (const Hostile& hostile : calls("touch " + proof)) {
            const auto result = test::readString(hostile.bytes, options);
            QVERIFY2(!std::filesystem::exists(proof), hostile.title.c_str());
            // A harmless name that nobody calls is no snapshot, but not refused either.
            const bool is_name = hostile.title.starts_with("a harmless name as a value");
            QVERIFY2(is_name
                         || (!result.has_value() && result.error().code == ErrorCode::refused
                             && result.error().where),
                     (hostile.title + ": " + test::outcome(result)).c_str());
        }
    }

    void everyHostilePickleEndsWithinItsMemory_data()
    {
        readerRows();
    }
    void everyHostilePickleEndsWithinItsMemory()
    {
        QFETCH(int, choice);
        reader::ReadOptions options;
        options.reader = static_cast<reader::ReaderChoice>(choice);
        static_cast<void>(test::readString(test::smallSnapshot().string(), options));
        // Limits allow 64 MiB in any case; a column has up to three times its size while it grows.
        constexpr std::uint64_t kFloor = std::uint64_t{192} << 20U;
        std::string failures;
        for (const Hostile& hostile : everything()) {
            const test::PeakMemory memory;
            const auto result = test::readString(hostile.bytes, options);
            const std::uint64_t grown = memory.growth();
            const std::string said = hostile.title + ": " + test::outcome(result);
            const bool is_sound = result.has_value()
                || (result.error().message.ends_with('.')
                    && result.error().message.find('\n') == std::string::npos
                    && result.error().code != ErrorCode::internal);
            if (!is_sound || grown > kFloor + 40 * hostile.bytes.size()) {
                failures += said + " took " + std::to_string(grown >> 20U) + " MiB\n";
            }
        }
        QVERIFY2(failures.empty(), failures.c_str());
    }
};

TIDEMARK_TEST(TstHostilePickles)

} // namespace tidemark::tst_hostile_pickles

#include "tst_hostile_pickles.moc"
