// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

using namespace tidemark;
using test::PickleWriter;

namespace {

/// The snapshot, or a failed test.
trace::Snapshot readOrFail(const PickleWriter& w)
{
    auto result = test::readString(w.string());
    if (!result.has_value()) {
        QTest::qFail(result.error().message.c_str(), __FILE__, __LINE__);
        return {};
    }
    return std::move(result).value();
}

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

class TstSnapshotDecoder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyProtocolGivesTheSameColumns_data()
    {
        QTest::addColumn<int>("protocol");
        for (const int protocol : {0, 2, 3, 4, 5}) {
            QTest::addRow("protocol %d", protocol) << protocol;
        }
    }
    void everyProtocolGivesTheSameColumns()
    {
        QFETCH(int, protocol);
        const trace::Snapshot s = readOrFail(test::smallSnapshot(protocol));
        QCOMPARE(s.format.protocol, protocol);
        QCOMPARE(s.devices.size(), std::size_t{1});
        const trace::Device& d = s.devices[0];
        QCOMPARE(d.events.count(), std::size_t{2});
        QVERIFY(d.events.action[0] == trace::Action::segment_alloc);
        QVERIFY(d.events.action[1] == trace::Action::alloc);
        QCOMPARE(d.events.address[1], Address{0x7f0000000000});
        QCOMPARE(d.events.size[1].value, std::int64_t{400});
        QCOMPARE(microseconds(d.events.time[1]), std::int64_t{1'700'000'000});
        QVERIFY(d.events.stack[0] == d.events.stack[1]);
        const auto frames = s.stacks.frames(d.events.stack[0]);
        QCOMPARE(frames.size(), std::size_t{2});
        const Frame& inner = s.stacks.frame(frames[0]);
        QVERIFY(s.text(inner.name) == "forward" && s.text(inner.filename) == "model.py");
        QCOMPARE(inner.line, 7);
        QCOMPARE(d.segments.size(), std::size_t{1});
        QVERIFY(d.segments[0].is_small_pool && !d.segments[0].is_expandable);
        QCOMPARE(d.segments[0].total_size.value, std::int64_t{2 << 20});
        QCOMPARE(d.blocks.size(), std::size_t{2});
        QVERIFY(d.blocks[0].state == trace::BlockState::active_allocated);
        QCOMPARE(d.blocks[0].requested.value, std::int64_t{400});
        QVERIFY(d.blocks[1].state == trace::BlockState::inactive);
        QCOMPARE(d.blocks[1].requested.value, std::int64_t{0});
        QVERIFY(s.notes.all().empty());
    }

    void addressesAboveTheSignBitAreReadSignedAndUnsigned()
    {
        constexpr Address kXpu = 18446720620317114368ULL;
        const auto event = [&](auto&& address) {
            return readOrFail(test::oneEvent([&](PickleWriter& w) {
                       w.key("action").text("alloc").key("addr");
                       address(w);
                       w.key("size").integer(512);
                   }))
                .devices.at(0)
                .events.address.at(0);
        };
        QCOMPARE(event([&](PickleWriter& w) { w.unsignedInteger(kXpu); }), kXpu);
        QCOMPARE(event([&](PickleWriter& w) { w.integer(static_cast<std::int64_t>(kXpu)); }), kXpu);
    }

    void anOutOfMemoryEventKeepsItsFreeBytes()
    {
        const auto s = readOrFail(test::oneEvent([](PickleWriter& w) {
            w.key("action")
                .text("oom")
                .key("device_free")
                .integer(123456789)
                .key("size")
                .integer(1 << 30);
        }));
        const auto& events = s.devices.at(0).events;
        QVERIFY(events.action[0] == trace::Action::oom);
        QCOMPARE(events.deviceFree(EventId(0U)).value, std::int64_t{123456789});
        QVERIFY(!events.hasTimes());
        QVERIFY(events.stack[0].isNone());
    }

    void aBareListOfSegmentsIsASnapshotWithoutTrace()
    {
        PickleWriter w;
        w.list([&] {
            w.dict([&] {
                w.key("device")
                    .integer(1)
                    .key("address")
                    .integer(4096)
                    .key("total_size")
                    .integer(1024);
                w.key("blocks").list([] {});
            });
        });
        const auto s = readOrFail(w);
        QCOMPARE(s.devices.size(), std::size_t{1});
        QCOMPARE(s.devices[0].index, 1);
        QVERIFY(s.notes.find("no-traces") != nullptr);
        PickleWriter empty;
        empty.list([] {});
        QVERIFY(readOrFail(empty).devices.empty());
    }

    void blocksWithHistoryGetAddressSizeAndStackFromIt()
    {
        PickleWriter w;
        const auto block = [&](std::int64_t size, std::string_view state, bool has_history) {
            w.dict([&] {
                w.key("size").integer(size).key("state").text(state);
                if (has_history) {
                    w.key("history").list([&] {
                        w.dict([&] {
                            w.key("addr")
                                .integer(1)
                                .key("real_size")
                                .integer(size - 12)
                                .key("frames");
                            test::writeFrames(w);
                        });
                        w.dict([&] { w.key("addr").integer(1).key("real_size").integer(1); });
                    });
                }
            });
        };
        w.dict([&] {
            w.key("segments").list([&] {
                w.dict([&] {
                    w.key("device")
                        .integer(0)
                        .key("address")
                        .integer(4096)
                        .key("total_size")
                        .integer(1536);
                    w.key("blocks").list([&] {
                        block(512, "active_allocated", true);
                        block(512, "active_awaiting_free", false);
                        block(512, "inactive", true);
                    });
                });
            });
            w.key("device_traces").list([&] { w.list([] {}); });
        });
        const auto s = readOrFail(w);
        const auto& blocks = s.devices.at(0).blocks;
        QCOMPARE(blocks.size(), std::size_t{3});
        QCOMPARE(blocks[0].requested.value, std::int64_t{500});
        QVERIFY(!blocks[0].stack.isNone());
        QCOMPARE(blocks[1].address, Address{4096 + 512});
        QCOMPARE(blocks[1].requested.value, std::int64_t{512});
        QVERIFY(blocks[1].state == trace::BlockState::active_pending_free);
        QVERIFY(blocks[1].stack.isNone());
        QVERIFY(s.notes.all().empty());
    }

    void labelsAndPoolsOfNewFormatsBecomeColumns()
    {
        PickleWriter w;
        const auto event = [&](std::string_view metadata, std::string_view context) {
            w.dict([&] {
                w.key("action").text("alloc").key("addr").integer(1).key("size").integer(2);
                w.key("user_metadata").text(metadata).key("compile_context").text(context);
                w.key("category").text("gradient").key("time_us").integer(5);
                w.key("pool_id").list([&] { w.integer(3).integer(0); });
            });
        };
        w.dict([&] {
            w.key("device_traces").list([&] {
                w.list([&] {
                    event("", "N/A");
                    event("step 1", "Torch-Compiled Region: 0/0");
                });
            });
        });
        const auto s = readOrFail(w);
        const auto& events = s.devices.at(0).events;
        QVERIFY(events.user_metadata[0].isNone() && events.compile_context[0].isNone());
        QVERIFY(s.text(events.user_metadata[1]) == "step 1");
        QVERIFY(s.text(events.compile_context[1]) == "Torch-Compiled Region: 0/0");
        QVERIFY(s.text(events.category[0]) == "gradient");
        QCOMPARE(events.pool[0].graph, std::uint64_t{3});
        QVERIFY(s.notes.find("no-segments") != nullptr);
        QVERIFY(s.notes.find("unknown-keys") == nullptr);
    }

    void hostMemoryIsOneMoreDevice()
    {
        PickleWriter w;
        w.dict([&] {
            w.key("segments").list([] {});
            w.key("device_traces").list([&] { w.list([] {}); });
            w.key("host_segments").list([&] {
                w.dict([&] {
                    w.key("device")
                        .integer(-1)
                        .key("address")
                        .integer(4096)
                        .key("total_size")
                        .integer(64);
                    w.key("blocks").list([] {});
                });
            });
            w.key("host_traces").list([&] { test::writeEvent(w, "alloc", 4096, 64); });
        });
        const auto s = readOrFail(w);
        QCOMPARE(s.devices.size(), std::size_t{2});
        QVERIFY(s.devices[0].kind == trace::DeviceKind::gpu && s.devices[0].isEmpty());
        QVERIFY(s.devices[1].kind == trace::DeviceKind::host);
        QCOMPARE(s.devices[1].events.count(), std::size_t{1});
        QCOMPARE(s.devices[1].segments.size(), std::size_t{1});
        QVERIFY(s.notes.all().empty());
    }

    void settingsGoIntoTheirFieldsAndOthersBecomeText()
    {
        PickleWriter w;
        w.dict([&] {
            w.key("segments").list([] {}).key("device_traces").list([] {});
            w.key("allocator_settings").dict([&] {
                w.key("PYTORCH_CUDA_ALLOC_CONF").text("expandable_segments:True");
                w.key("expandable_segments").boolean(true).key("max_split_size").integer(-1);
                w.key("garbage_collection_threshold").floating(0.5);
                w.key("roundup_power2_divisions").dict([&] {
                    w.key("1").integer(4).key("2").integer(8);
                });
                w.key("pinned_num_register_threads").integer(1);
                w.key("release_lock_on_cudamalloc").boolean(false);
                w.key("trace_alloc_overflowed").list([&] { w.boolean(false).boolean(true); });
                w.integer(5).none();
            });
        });
        const auto s = readOrFail(w);
        QVERIFY(s.settings.present);
        QCOMPARE(s.settings.conf, std::string("expandable_segments:True"));
        QVERIFY(s.settings.expandable_segments == true);
        QVERIFY(s.settings.max_split_size_bytes == -1);
        QVERIFY(s.settings.garbage_collection_threshold == 0.5);
        using Divisions = std::vector<std::pair<std::string, std::int64_t>>;
        QVERIFY((s.settings.roundup_power2_divisions == Divisions{{"1", 4}, {"2", 8}}));
        using Others = std::vector<std::pair<std::string, std::string>>;
        QVERIFY((s.settings.others
                 == Others{{"pinned_num_register_threads", "1"},
                           {"release_lock_on_cudamalloc", "false"},
                           {"trace_alloc_overflowed", "[false, true]"},
                           {"5", "none"}}));
        QVERIFY(s.notes.find("trace-overflow") != nullptr);
    }

    void annotationsKeepNameStageDeviceAndTime()
    {
        PickleWriter w;
        w.dict([&] {
            w.key("segments").list([] {});
            w.key("external_annotations").list([&] {
                for (const char* stage : {"START", "END"}) {
                    w.dict([&] {
                        w.key("name").text("ProfilerStep#1").key("stage").text(stage);
                        w.key("device").integer(2).key("time_us").integer(77);
                    });
                }
            });
        });
        const auto s = readOrFail(w);
        QCOMPARE(s.annotations.size(), std::size_t{2});
        QVERIFY(s.text(s.annotations[0].name) == "ProfilerStep#1");
        QVERIFY(s.annotations[0].is_start && !s.annotations[1].is_start);
        QCOMPARE(s.annotations[1].device, 2);
        QCOMPARE(microseconds(s.annotations[1].time), std::int64_t{77});
    }

    void unknownKeysAndActionsAreKeptAndNamed()
    {
        const auto s = readOrFail(test::oneEvent([](PickleWriter& w) {
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
                     && contains(keys, "a key that is no text") && contains(keys, "blocks"),
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
        const auto s = readOrFail(w);
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

    void sharedValuesAreReadWhereverTheyAreUsed()
    {
        PickleWriter w(2);
        w.dict([&] {
            w.key("device_traces").list([&] {
                w.list([&] {
                    std::uint32_t frames = 0;
                    w.dict([&] {
                        w.key("action")
                            .text("alloc")
                            .key("addr")
                            .integer(1)
                            .key("size")
                            .integer(2)
                            .key("frames");
                        test::writeFrames(w);
                        frames = w.memoize();
                    });
                    w.dict([&] {
                        w.key("action")
                            .text("free_completed")
                            .key("addr")
                            .integer(1)
                            .key("size")
                            .integer(2);
                        w.key("frames").get(frames);
                    });
                });
            });
        });
        const auto s = readOrFail(w);
        const auto& events = s.devices.at(0).events;
        QVERIFY(!events.stack[0].isNone() && events.stack[0] == events.stack[1]);
        QCOMPARE(s.stacks.stackCount(), std::size_t{1});
    }

    void loneSurrogatesAndNulBytesInTextsAreReplacedOrKept()
    {
        const auto s = readOrFail(test::oneEvent([](PickleWriter& w) {
            w.key("action").text("alloc").key("addr").integer(1).key("size").integer(1);
            w.key("user_metadata").text("a\xed\xa0\x80z");
            w.key("category").text(std::string_view("n\0l", 3));
        }));
        const auto& events = s.devices.at(0).events;
        QVERIFY(s.text(events.user_metadata[0]) == "a?z");
        QVERIFY(s.text(events.category[0]) == std::string_view("n\0l", 3));
    }

    void twoKeysOfOneNameGiveTheLastValue()
    {
        const auto s = readOrFail(test::oneEvent([](PickleWriter& w) {
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

TIDEMARK_TEST(TstSnapshotDecoder)
#include "tst_snapshot_decoder.moc"
