// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/other_fields.h"
#include "core/reader/reader.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace tidemark::tst_kept_fields {

using test::PickleWriter;

namespace {

std::string note(const trace::Snapshot& snapshot, std::string_view code)
{
    const trace::InputNote* found = snapshot.notes.find(code);
    return found == nullptr ? std::string() : std::to_string(found->count) + ": " + found->text;
}

/// A line "place device item key=value" for each field kept, in order.
std::string fields(const trace::Snapshot& s)
{
    std::string result;
    for (const trace::OtherField& f : s.other_fields) {
        result += std::to_string(static_cast<int>(f.place)) + " " + std::to_string(f.device) + " "
            + std::to_string(f.item) + " " + std::string(s.text(f.key)) + "="
            + std::string(s.text(f.value)) + "\n";
    }
    return result;
}

void writeLines(PickleWriter& w, const std::vector<std::string>& lines)
{
    w.list([&] {
        for (const std::string& line : lines) {
            w.text(line);
        }
    });
}

/// A snapshot with these events and segments.
template <class Events, class Segments>
PickleWriter snapshotOf(Events&& events, Segments&& segments)
{
    PickleWriter w;
    w.dict([&] {
        w.key("device_traces").list([&] { w.list([&] { events(w); }); });
        w.key("segments").list([&] { segments(w); });
    });
    return w;
}

/// An event with a stack of one frame whose entries beyond the usual ones `fill` writes.
template <class Fill>
void eventWithFrame(PickleWriter& w, Fill&& fill)
{
    w.dict([&] {
        w.key("action").text("alloc").key("addr").integer(1).key("size").integer(1);
        w.key("frames").list([&] {
            w.dict([&] {
                w.key("name").text("f").key("filename").text("m.py").key("line").integer(3);
                fill(w);
            });
        });
    });
}

} // namespace

class TstKeptFields : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void forwardStacksAreKeptOnEventsSegmentsAndBlocks()
    {
        const auto s = test::readOrFail(snapshotOf(
            [](PickleWriter& w) {
                for (int i = 0; i < 4; ++i) {
                    w.dict([&] {
                        w.key("action").text("alloc").key("addr").integer(i).key("size").integer(1);
                        if (i == 1 || i == 3) {
                            w.key("forward_frames");
                            writeLines(w, {"  File \"a.py\", line 1\n", "    x = y\n"});
                        } else if (i == 2) {
                            w.key("forward_frames").list([] {});
                        }
                    });
                }
            },
            [](PickleWriter& w) {
                w.dict([&] {
                    w.key("address").integer(64).key("total_size").integer(8);
                    w.key("forward_frames");
                    writeLines(w, {"s"});
                    w.key("blocks").list([&] {
                        w.dict([&] {
                            w.key("size").integer(8).key("forward_frames");
                            writeLines(w, {"b", "", "c"});
                        });
                    });
                });
            }));
        const trace::Device& d = s.devices.at(0);
        QCOMPARE(d.events.forward_frames.size(), std::size_t{4});
        QVERIFY(d.events.forward_frames[0].isNone() && d.events.forward_frames[2].isNone());
        QVERIFY(s.text(d.events.forward_frames[1]) == "  File \"a.py\", line 1\n    x = y\n");
        QVERIFY(d.events.forward_frames[3] == d.events.forward_frames[1]);
        QVERIFY(s.text(d.segments.at(0).forward_frames) == "s");
        QVERIFY(s.text(d.blocks.at(0).forward_frames) == "bc");
        QVERIFY2(note(s, "forward-frames").starts_with("4: "), note(s, "forward-frames").c_str());
        QVERIFY(note(s, "wrong-type").empty());
    }

    void linesOfAForwardStackThatAreNoTextAreLeftOut()
    {
        const auto s = test::readOrFail(snapshotOf(
            [](PickleWriter& w) {
                w.dict([&] {
                    w.key("action").text("alloc").key("addr").integer(1).key("size").integer(1);
                    w.key("forward_frames").list([&] { w.text("a").integer(1).text("b"); });
                });
                w.memoize();
                w.get(0);
                w.dict([&] {
                    w.key("action").text("alloc").key("addr").integer(1).key("size").integer(1);
                    w.key("forward_frames").integer(1);
                });
            },
            [](PickleWriter&) {}));
        const auto& column = s.devices.at(0).events.forward_frames;
        QVERIFY(s.text(column[0]) == "ab" && column[1] == column[0] && column[2].isNone());
        QVERIFY2(note(s, "wrong-type").starts_with("3: "), note(s, "wrong-type").c_str());
        QVERIFY(note(s, "wrong-type").find("`forward_frames` in trace entries")
                != std::string::npos);
    }

    void theAllocatorsOwnTagIsAColumn()
    {
        const auto s = test::readOrFail(snapshotOf(
            [](PickleWriter& w) {
                for (const char* tag : {"", "mallocWithAddress"}) {
                    w.dict([&] {
                        w.key("action").text("alloc").key("addr").integer(1).key("size").integer(1);
                        w.key("internal_metadata").text(tag);
                    });
                }
            },
            [](PickleWriter&) {}));
        const auto& column = s.devices.at(0).events.internal_metadata;
        QCOMPARE(column.size(), std::size_t{2});
        QVERIFY(column[0].isNone() && s.text(column[1]) == "mallocWithAddress");
        QVERIFY(note(s, "internal-metadata").starts_with("1: "));
        const auto plain = test::readOrFail(test::smallSnapshot());
        QVERIFY(plain.devices.at(0).events.internal_metadata.empty());
        QVERIFY(plain.devices.at(0).events.forward_frames.empty());
        QVERIFY(plain.fx.empty() && plain.other_fields.empty());
    }

    void fxFieldsAreKeptOncePerFrame()
    {
        const auto s = test::readOrFail(snapshotOf(
            [](PickleWriter& w) {
                eventWithFrame(w, [&](PickleWriter&) {
                    w.key("fx_node_op").text("call_function").key("fx_node_name").text("add_1");
                    w.key("fx_node_target").none().key("fx_original_trace").text("  File b\n");
                });
                eventWithFrame(w, [&](PickleWriter&) {
                    w.key("fx_node_op").text("call_function").key("fx_node_name").text("add");
                    w.key("fx_node_target").text("t").key("fx_original_trace").text("x");
                    w.key("fx_node_info").dict([&] { w.text("a").integer(1); });
                });
            },
            [](PickleWriter&) {}));
        QCOMPARE(s.fx.size(), std::size_t{1});
        const auto& events = s.devices.at(0).events;
        QVERIFY(events.stack[0] == events.stack[1]);
        QVERIFY(s.fx[0].frame == s.stacks.frames(events.stack[0])[0]);
        // Of two that disagree, the smaller one by its texts, in whatever order they come.
        QVERIFY(s.text(s.fx[0].op) == "call_function" && s.text(s.fx[0].name) == "add");
        QVERIFY(s.text(s.fx[0].target) == "t" && s.text(s.fx[0].original_trace) == "x");
        QVERIFY(s.text(s.fx[0].info) == "{a: 1}");
        QVERIFY2(note(s, "fx-fields").starts_with("1: "), note(s, "fx-fields").c_str());
    }

    void entriesUnderUnknownKeysAreKeptWithTheirPlace()
    {
        PickleWriter w;
        const auto novelty = [&](std::int64_t value) { w.key("novelty").integer(value); };
        w.dict([&] {
            w.key("later").list([&] { w.integer(1).text("two").none(); });
            w.key("device_traces").list([&] {
                w.list([] {});
                w.list([&] {
                    eventWithFrame(w, [&](PickleWriter&) { novelty(1); });
                    w.dict([&] {
                        w.key("action").text("alloc").key("addr").integer(1).key("size").integer(1);
                        novelty(2);
                        w.key("blocks").boolean(true); // known, but not here
                    });
                });
            });
            w.key("segments").list([&] {
                w.dict([&] {
                    w.key("address").integer(4096).key("total_size").integer(24).key("device");
                    w.integer(1).key("blocks").list([&] {
                        w.dict([&] { w.key("size").integer(8).key("state").text("inactive"); });
                        w.dict([&] {
                            novelty(4);
                            w.key("size").integer(16).key("history").list(
                                [&] { w.dict([&] { novelty(5); }); });
                        });
                    });
                    novelty(3);
                });
            });
            w.key("host_traces").list([&] { w.dict([&] { novelty(6); }); });
            w.key("external_annotations").list([&] {
                w.dict([&] { w.key("name").text("a").key("stage").text("START"); });
                w.dict([&] {
                    w.key("name").text("b").key("stage").text("END").key("device").integer(1);
                    novelty(7);
                });
            });
        });
        const auto s = test::readOrFail(w);
        const auto frame = s.stacks.frames(s.devices.at(1).events.stack.at(0))[0].value;
        const std::string expected = "0 0 0 later=[1, two, none]\n"
                                     "1 1 4096 novelty=3\n"
                                     "2 1 4104 novelty=4\n"
                                     "3 1 4104 novelty=5\n"
                                     "4 -1 0 novelty=6\n"
                                     "4 1 1 blocks=true\n"
                                     "4 1 1 novelty=2\n"
                                     "5 0 "
            + std::to_string(frame) + " novelty=1\n6 1 1 novelty=7\n";
        QCOMPARE(QString::fromStdString(fields(s)), QString::fromStdString(expected));
        QVERIFY2(note(s, "unknown-keys").starts_with("9: "), note(s, "unknown-keys").c_str());
    }

    void notesNameTheSameKeysInWhateverOrderTheyCome()
    {
        const auto text = [](bool traces_first) {
            PickleWriter w;
            const auto traces = [&] {
                w.key("device_traces").list([&] {
                    w.list([&] {
                        for (int i = 20; i-- > 0;) {
                            w.dict([&] { w.key("event" + std::to_string(i)).integer(i); });
                        }
                    });
                });
            };
            w.dict([&] {
                if (traces_first) {
                    traces();
                }
                w.key("zz").integer(1).key("segments").list([&] {
                    w.dict([&] { w.key("odd").none().key("total_size").text("?"); });
                });
                if (!traces_first) {
                    traces();
                }
            });
            const auto s = test::readOrFail(w);
            return note(s, "unknown-keys") + note(s, "wrong-type") + note(s, "missing-values");
        };
        const std::string first = text(true);
        QCOMPARE(text(false), first);
        QVERIFY2(first.find("zz (the top level), odd (segments), event0 (trace entries), event1 ")
                     != std::string::npos,
                 first.c_str());
        QVERIFY(first.find("event9") == std::string::npos); // at most twelve names
        QVERIFY(first.find("`total_size` in segments") != std::string::npos);
    }

    void whatIsOddAboutAFrameCountsOnce()
    {
        const auto s = test::readOrFail(snapshotOf(
            [](PickleWriter& w) {
                for (int i = 0; i < 3; ++i) {
                    eventWithFrame(w, [&](PickleWriter&) {
                        w.key("colno").integer(4).key("line").text("three");
                    });
                }
            },
            [](PickleWriter&) {}));
        QVERIFY(note(s, "unknown-keys").starts_with("1: "));
        QVERIFY(note(s, "wrong-type").starts_with("1: "));
        QCOMPARE(s.other_fields.size(), std::size_t{1});
    }

    void ofTooManyFieldsTheFirstAreKeptInWhateverOrderTheyCome()
    {
        StringPool strings;
        std::vector<trace::OtherField> all;
        for (std::uint64_t item = 0; item < 50; ++item) {
            for (const char* key : {"b", "a"}) {
                all.push_back({item % 3 == 0 ? trace::Place::event : trace::Place::segment, 0, item,
                               strings.intern(key), strings.intern("v")});
            }
        }
        const auto keptOf = [&](const std::vector<trace::OtherField>& in) {
            reader::OtherFields kept(strings, 7);
            for (const trace::OtherField& field : in) {
                kept.add(field);
            }
            return kept.take();
        };
        const std::vector<trace::OtherField> expected = keptOf(all);
        QCOMPARE(expected.size(), std::size_t{7});
        QCOMPARE(expected[0].item, std::uint64_t{1});
        QVERIFY(strings.text(expected[0].key) == "a" && strings.text(expected[1].key) == "b");
        QCOMPARE(expected[6].item, std::uint64_t{5});
        std::mt19937 random(1);
        for (int round = 0; round < 20; ++round) {
            std::ranges::shuffle(all, random);
            QVERIFY(keptOf(all) == expected);
        }
    }

    void aLongValueIsCutOffAndALongTextIsNot()
    {
        const std::string text = std::string(999, 'x') + "\xc3\xa9";
        const auto s = test::readOrFail(test::oneEvent([&](PickleWriter& w) {
            w.key("action").text("alloc").key("addr").integer(1).key("size").integer(1);
            w.key("text").text(text);
            w.key("list").list([&] { w.text(text).text(text); });
            w.key("deep").list(
                [&] { w.list([&] { w.list([&] { w.list([&] { w.integer(1); }); }); }); });
        }));
        QCOMPARE(s.other_fields.size(), std::size_t{3});
        QVERIFY(s.text(s.other_fields[0].value) == "[[[[...]]]]");
        const std::string_view list = s.text(s.other_fields[1].value);
        QVERIFY2(list.size() < 280 && list.ends_with("x..., ...]"), std::string(list).c_str());
        QVERIFY(s.text(s.other_fields[2].value) == text);
    }
};

TIDEMARK_TEST(TstKeptFields)

} // namespace tidemark::tst_kept_fields

#include "tst_kept_fields.moc"
