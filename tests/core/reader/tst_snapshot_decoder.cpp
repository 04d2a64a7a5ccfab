// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_snapshot_decoder {

using test::PickleWriter;

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
        const trace::Snapshot s = test::readOrFail(test::smallSnapshot(protocol));
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

    void sourcesThatTheFileCarriesAreKept()
    {
        PickleWriter w;
        w.dict([&] {
            w.key("segments").list([] {});
            w.key("device_traces").list([] {});
            w.key("source_code").dict([&] {
                w.key("/me/train.py").text("import model\n");
                w.key("/me/model.py").text("def f():\n    pass\n");
                w.key("/me/odd.py").integer(1);
            });
        });
        const trace::Snapshot s = test::readOrFail(w);
        QCOMPARE(s.sources.size(), std::size_t{2});
        QCOMPARE(s.sources[0].name, std::string("/me/model.py"));
        QCOMPARE(s.sources[0].text, std::string("def f():\n    pass\n"));
        QCOMPARE(s.sources[1].text, std::string("import model\n"));
        QVERIFY(s.other_fields.empty()); // It is known.
        QVERIFY(!s.notes.all().empty()); // Of what is no text.
    }

    void addressesAboveTheSignBitAreReadSignedAndUnsigned()
    {
        constexpr Address kXpu = 18446720620317114368ULL;
        const auto event = [&](auto&& address) {
            return test::readOrFail(test::oneEvent([&](PickleWriter& w) {
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
        const auto s = test::readOrFail(test::oneEvent([](PickleWriter& w) {
            w.key("action")
                .text("oom")
                .key("device_free")
                .integer(123456789)
                .key("size")
                .integer(1 << 30);
        }));
        const auto& events = s.devices.at(0).events;
        QVERIFY(events.action[0] == trace::Action::oom);
        QCOMPARE(events.deviceFree(EventId(0U)).value().value, std::int64_t{123456789});
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
        const auto s = test::readOrFail(w);
        QCOMPARE(s.devices.size(), std::size_t{1});
        QCOMPARE(s.devices[0].index, 1);
        QVERIFY(s.notes.find("no-traces") != nullptr);
        PickleWriter empty;
        empty.list([] {});
        QVERIFY(test::readOrFail(empty).devices.empty());
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
        const auto s = test::readOrFail(w);
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
        const auto s = test::readOrFail(w);
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
        const auto s = test::readOrFail(w);
        QCOMPARE(s.devices.size(), std::size_t{2});
        QVERIFY(s.devices[0].kind == trace::DeviceKind::gpu && s.devices[0].isEmpty());
        QVERIFY(s.devices[1].kind == trace::DeviceKind::host);
        QCOMPARE(s.devices[1].events.count(), std::size_t{1});
        QCOMPARE(s.devices[1].segments.size(), std::size_t{1});
        QCOMPARE(s.notes.all().size(), std::size_t{1});
        QVERIFY(s.notes.find("host-only") != nullptr);
    }

    /// As of a job whose ranks' traces were gathered into one file, with the segments of one rank.
    void aTraceWithoutSegmentsEndsAsItsEventsSay()
    {
        constexpr std::uint64_t kBase = 0x7f0000000000;
        PickleWriter w;
        w.dict([&] {
            w.key("segments").list([] {});
            w.key("device_traces").list([&] {
                w.list([&] {
                    test::writeEvent(w, "segment_alloc", kBase, 20 << 20);
                    test::writeEvent(w, "alloc", kBase, 4 << 20);
                    test::writeEvent(w, "alloc", kBase + (4 << 20), 3 << 20);
                    test::writeEvent(w, "free_requested", kBase, 4 << 20);
                    test::writeEvent(w, "free_completed", kBase, 4 << 20);
                    test::writeEvent(w, "alloc", kBase, 700);
                });
                w.list([&] {
                    test::writeEvent(w, "segment_alloc", kBase, 2 << 20);
                    test::writeEvent(w, "segment_free", kBase, 2 << 20);
                });
            });
        });
        const auto s = test::readOrFail(w);
        QVERIFY(s.notes.find("segments-from-trace") != nullptr);
        QCOMPARE(s.notes.find("segments-from-trace")->count, std::int64_t{1});
        const trace::Device& d = s.devices[0];
        QCOMPARE(d.segments.size(), std::size_t{1});
        QCOMPARE(d.segments[0].total_size.value, std::int64_t{20 << 20});
        const auto blocks = d.blocksOf(d.segments[0]);
        QCOMPARE(blocks.size(), std::size_t{4});
        QCOMPARE(blocks[0].size.value, std::int64_t{1024});
        QCOMPARE(blocks[0].requested.value, std::int64_t{700});
        QVERIFY(blocks[1].state == trace::BlockState::inactive);
        QCOMPARE(blocks[2].size.value, std::int64_t{3 << 20});
        QVERIFY(blocks[2].state == trace::BlockState::active_allocated);
        QVERIFY(s.devices[1].segments.empty());
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
                w.integer(5).none();
            });
        });
        const auto s = test::readOrFail(w);
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
                           {"5", "none"}}));
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
        const auto s = test::readOrFail(w);
        QCOMPARE(s.annotations.size(), std::size_t{2});
        QVERIFY(s.text(s.annotations[0].name) == "ProfilerStep#1");
        QVERIFY(s.annotations[0].is_start && !s.annotations[1].is_start);
        QCOMPARE(s.annotations[1].device, 2);
        QCOMPARE(microseconds(s.annotations[1].time), std::int64_t{77});
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
        const auto s = test::readOrFail(w);
        const auto& events = s.devices.at(0).events;
        QVERIFY(!events.stack[0].isNone() && events.stack[0] == events.stack[1]);
        QCOMPARE(s.stacks.stackCount(), std::size_t{1});
    }
};

TIDEMARK_TEST(TstSnapshotDecoder)

} // namespace tidemark::tst_snapshot_decoder

#include "tst_snapshot_decoder.moc"
