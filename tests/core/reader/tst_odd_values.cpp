// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <limits>

namespace tidemark::tst_odd_values {

using test::PickleWriter;

namespace {

std::string noteText(const trace::Snapshot& snapshot, std::string_view code)
{
    const trace::InputNote* note = snapshot.notes.find(code);
    return note == nullptr ? std::string() : std::to_string(note->count) + ": " + note->text;
}

bool contains(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

class TstOddValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unknownKeysAndActionsAreKeptAndNamed()
    {
        const auto s = test::readOrFail(test::oneEvent([](PickleWriter& w) {
            w.key("action")
                .text("workspace_snapshot")
                .key("addr")
                .integer(1)
                .key("size")
                .integer(2);
            w.key("novelty").integer(1).integer(7).integer(8);
            w.key("blocks").list([] {}); // known, but not here
            w.key("forward_frames").list([&] { w.text("  File x"); });
            w.key("internal_metadata").text("mallocWithAddress");
        }));
        const auto& events = s.devices.at(0).events;
        QVERIFY(events.action[0] == trace::Action::other);
        QVERIFY(s.text(events.other_names.at(0).second) == "workspace_snapshot");
        QVERIFY(contains(noteText(s, "unknown-actions"), "1: "));
        QVERIFY(contains(noteText(s, "unknown-actions"), "workspace_snapshot"));
        const std::string keys = noteText(s, "unknown-keys");
        QVERIFY2(contains(keys, "3: ") && contains(keys, "novelty (trace entries)")
                     && contains(keys, "7 (trace entries)") && contains(keys, "blocks"),
                 keys.c_str());
        QVERIFY(s.notes.find("forward-frames") != nullptr);
        QVERIFY(s.notes.find("internal-metadata") != nullptr);
    }

    void wrongTypesAreCountedAndLeftOut()
    {
        PickleWriter w;
        w.dict([&] {
            w.key("segments").list([&] {
                w.integer(5);
                w.dict([&] {
                    w.key("address").text("x").key("blocks").none().key("total_size").integer(-5);
                });
                w.dict([&] { w.key("blocks").list([&] { w.text("block"); }); });
            });
            w.key("device_traces").list([&] {
                w.list([&] {
                    w.text("no event");
                    w.dict([&] {
                        w.key("action").integer(3).key("addr").text("x").key("size").list([] {});
                        w.key("stream").none().key("time_us").floating(1.5).key("pool_id").integer(
                            1);
                        w.key("frames").integer(0).key("user_metadata").integer(1);
                    });
                    w.dict([&] {
                        w.key("action").text("alloc").key("addr").raw("\x8a\x0a"
                                                                      "0123456789");
                        w.key("size").floating(512.0).key("frames").list([&] { w.integer(1); });
                    });
                });
                w.integer(1);
            });
            w.key("external_annotations").dict([] {});
            w.key("allocator_settings").list([] {});
        });
        const auto s = test::readOrFail(w);
        QCOMPARE(s.devices.size(), std::size_t{2});
        const auto& events = s.devices[0].events;
        QCOMPARE(events.count(), std::size_t{3}); // every entry keeps its number
        QVERIFY(events.action[0] == trace::Action::other
                && events.action[1] == trace::Action::other);
        QCOMPARE(events.address[2], Address{0});
        QCOMPARE(events.size[2].value, std::int64_t{512});
        QCOMPARE(s.devices[0].segments.size(), std::size_t{2});
        QVERIFY(s.notes.find("wrong-type")->count >= 12);
        QVERIFY(s.notes.find("missing-values") != nullptr);
    }

    void aFrameWithoutALineIsNothingOdd()
    {
        for (const bool is_odd : {true, false}) {
            const auto s = test::readOrFail(test::oneEvent([is_odd](PickleWriter& w) {
                w.key("action").text("alloc").key("addr").integer(4096).key("size").integer(512);
                w.key("frames").list([&] {
                    w.dict([&] {
                        w.key("name").text("made").key("filename").text("<eval_with_key>.3");
                        w.key("line").unsignedInteger(std::numeric_limits<std::uint64_t>::max()
                                                      - (is_odd ? 1 : 0));
                    });
                });
            }));
            const auto frames = s.stacks.frames(s.devices.at(0).events.stack[0]);
            QCOMPARE(frames.size(), std::size_t{1});
            QCOMPARE(s.stacks.frame(frames[0]).line, 0);
            QCOMPARE(s.notes.find("wrong-type") != nullptr, is_odd);
        }
    }

    void freeMemoryAndTimesBeyondReasonAreLeftOut()
    {
        constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
        for (const std::int64_t odd : {-(std::int64_t{1} << 40), std::int64_t{1} << 60, kLeast,
                                       std::numeric_limits<std::int64_t>::max()}) {
            const auto s = test::readOrFail(test::oneEvent([odd](PickleWriter& w) {
                w.key("action").text("oom").key("device_free").integer(odd);
                w.key("size").integer(512).key("time_us").integer(odd);
            }));
            const trace::Events& events = s.devices.at(0).events;
            QVERIFY(!events.deviceFree(EventId(std::size_t{0})));
            for (const TimePoint time : events.time) {
                QVERIFY(time.time_since_epoch().count() == 0
                        || odd == -(std::int64_t{1} << 40)); // A time before 1970, and no more.
            }
            QVERIFY(s.notes.find("wrong-type") != nullptr);
        }
    }

    void loneSurrogatesAndNulBytesInTextsAreReplacedOrKept()
    {
        const auto s = test::readOrFail(test::oneEvent([](PickleWriter& w) {
            w.key("action").text("alloc").key("addr").integer(1).key("size").integer(1);
            w.key("user_metadata").text("a\xed\xa0\x80z");
            w.key("category").text(std::string_view("n\0l", 3));
        }));
        const auto& events = s.devices.at(0).events;
        QVERIFY(s.text(events.user_metadata[0]) == "a?z");
        QVERIFY(s.text(events.category[0]) == std::string_view("n\0l", 3));
    }

    void harmlessCallablesAreReshaped()
    {
        constexpr std::string_view kOrderedDict = "ccollections\nOrderedDict\n)R";
        PickleWriter w(2);
        w.dict([&] {
            w.key("stats").raw(kOrderedDict).raw("(").key("peak").integer(7).raw("u");
            w.key("device").raw("ctorch\ndevice\n").text("cuda").integer(3).raw("\x86R");
            w.key("host").raw("ctorch\ndevice\n").text("cpu").raw("\x85R");
            w.key("segments").raw("ctorch.jit._pickle\nrestore_type_tag\n");
            w.list([&] {
                w.raw(kOrderedDict).raw("(").key("address").integer(64).key("total_size");
                w.integer(8).key("blocks").list([] {}).raw("u");
            });
            w.text("List[Dict[str, Any]]").raw("\x86R");
            w.key("ints").raw("ctorch.jit._pickle\nbuild_intlist\n");
            w.list([&] { w.integer(1).integer(2); }).raw("\x85R");
            w.key("name itself").raw("ctorch\ndevice\n");
        });
        for (const auto choice : {reader::ReaderChoice::native, reader::ReaderChoice::cpython}) {
            reader::ReadOptions options;
            options.reader = choice;
            const auto result = test::readString(w.string(), options);
            QVERIFY2(result.has_value(), test::outcome(result).c_str());
            const trace::Snapshot& s = result.value();
            QCOMPARE(s.devices.at(0).segments.at(0).address, Address{64});
            std::string kept;
            for (const trace::OtherField& field : s.other_fields) {
                kept +=
                    std::string(s.text(field.key)) + "=" + std::string(s.text(field.value)) + ";";
            }
            QCOMPARE(kept,
                     std::string("device=cuda:3;host=cpu;ints=[1, 2];name itself=(another kind of "
                                 "value);stats={peak: 7};"));
        }
    }

    void twoKeysOfOneNameGiveTheLastValue()
    {
        const auto s = test::readOrFail(test::oneEvent([](PickleWriter& w) {
            w.key("action")
                .text("alloc")
                .key("addr")
                .integer(1)
                .key("addr")
                .integer(2)
                .key("size")
                .integer(1);
        }));
        QCOMPARE(s.devices.at(0).events.address[0], Address{2});
    }
};

TIDEMARK_TEST(TstOddValues)

} // namespace tidemark::tst_odd_values

#include "tst_odd_values.moc"
