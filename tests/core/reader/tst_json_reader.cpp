// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/same_snapshot.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <stop_token>
#include <string>
#include <string_view>

namespace tidemark::tst_json_reader {

using nlohmann::json;

namespace {

json frame(const std::string& name, int line)
{
    return {{"name", name}, {"filename", "train.py"}, {"line", line}};
}

/// Keys in another order than torch's, lists for tuples, a time as a float.
json event(const std::string& action, std::uint64_t address, std::int64_t size, int index)
{
    return {{"frames", json::array({frame("step", 10 + index % 3), frame("main", 2)})},
            {"time_us", 1000.0 + index},
            {"stream", 0},
            {"size", size},
            {"addr", address},
            {"pool_id", json::array({0, 0})},
            {"action", action}};
}

json snapshotOf(int events)
{
    json trace = json::array();
    for (int i = 0; i < events; ++i) {
        trace.push_back(event(i % 2 == 0 ? "alloc" : "free_completed", 0x7f0000000000, 512, i));
    }
    const json block = {{"address", 0x7f0000000000},
                        {"size", 512},
                        {"requested_size", 500},
                        {"state", "active_allocated"},
                        {"frames", json::array({frame("step", 10)})}};
    const json segment = {{"device", 1},
                          {"address", 0x7f0000000000},
                          {"total_size", 512},
                          {"stream", 0},
                          {"segment_type", "small"},
                          {"segment_pool_id", json::array({0, 7})},
                          {"is_expandable", true},
                          {"blocks", json::array({block})}};
    return {{"segments", json::array({segment})},
            {"device_traces", json::array({json::array(), trace})},
            {"allocator_settings", {{"expandable_segments", true}}}};
}

} // namespace

class TstJsonReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsTheLayoutOfThePickles()
    {
        const auto result = test::readString(snapshotOf(3000).dump());
        QVERIFY2(result.has_value(), result.has_value() ? "" : result.error().message.c_str());
        const trace::Snapshot& snapshot = result.value();
        QCOMPARE(snapshot.format.route, std::string("json"));
        QCOMPARE(snapshot.format.protocol, -1);
        QCOMPARE(snapshot.format.reader, std::string("native"));
        QCOMPARE(snapshot.devices.size(), std::size_t{2});
        const trace::Device& device = snapshot.devices[1];
        QCOMPARE(device.events.count(), std::size_t{3000});
        QCOMPARE(device.events.address[2999], Address{0x7f0000000000});
        QCOMPARE(device.events.time[2].time_since_epoch().count(), std::int64_t{1002});
        QVERIFY(device.events.action[1] == trace::Action::free_completed);
        // Equal stacks are stored once, though JSON repeats every frame.
        QCOMPARE(snapshot.stacks.stackCount(), std::size_t{4});
        QCOMPARE(device.blocks.size(), std::size_t{1});
        QCOMPARE(device.blocks[0].requested.value, std::int64_t{500});
        QCOMPARE(device.segments[0].pool.user, std::uint64_t{7});
        QVERIFY(device.segments[0].is_expandable);
        QVERIFY(snapshot.settings.expandable_segments == true);
        QVERIFY(snapshot.notes.all().empty());
    }

    void readsAListOfSegments()
    {
        const auto result = test::readString(snapshotOf(0).at("segments").dump());
        QVERIFY(result.has_value());
        QCOMPARE(result.value().devices.at(0).blocks.size(), std::size_t{1});
        QVERIFY(result.value().notes.find("no-traces") != nullptr);
    }

    void spacesAndAByteOrderMarkDoNotMatter()
    {
        const json value = snapshotOf(20);
        auto plain = test::readString(value.dump());
        auto spaced = test::readString("\xef\xbb\xbf\n  " + value.dump(4) + "\n\n");
        QVERIFY(plain.has_value() && spaced.has_value());
        trace::Snapshot other = std::move(spaced).value();
        other.file_bytes = plain.value().file_bytes;
        const auto difference = test::firstDifference(plain.value(), other);
        QVERIFY2(!difference, difference.value_or("").c_str());
    }

    void everyCutEndsInASentenceOrWhatArrived()
    {
        const std::string text = snapshotOf(6).dump();
        int salvaged = 0;
        for (std::size_t size = 1; size < text.size(); ++size) {
            const auto result = test::readString(std::string_view(text).substr(0, size));
            if (result.has_value()) {
                QVERIFY(result.value().notes.find("cut-off") != nullptr);
                ++salvaged;
            } else {
                QVERIFY(result.error().message.ends_with('.'));
            }
        }
        QVERIFY(salvaged > 500);
    }

    void whatIsNoJsonIsDamageWithItsPlace()
    {
        const auto result = test::readString(R"({"segments": [], "device_traces": [[}]])");
        QVERIFY(!result.has_value());
        QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::damaged));
        QVERIFY(result.error().where.has_value());
        QVERIFY(*result.error().where >= 37 && *result.error().where <= 39);
    }

    void deepNestingIsRefused()
    {
        const auto result = test::readString(R"({"segments": )" + std::string(100000, '[') + "}");
        QVERIFY(!result.has_value());
        QCOMPARE(static_cast<int>(result.error().code), static_cast<int>(ErrorCode::tooLarge));
    }

    void numbersBeyondSixtyFourBitsAreNoted()
    {
        const auto result = test::readString(
            R"({"segments": [], "device_traces": [[{"action": "alloc",
                "addr": 18446720620317114368, "size": 99999999999999999999999, "stream": -1}]]})");
        QVERIFY(result.has_value());
        const trace::Events& events = result.value().devices.at(0).events;
        QCOMPARE(events.address[0], Address{18446720620317114368ULL});
        QCOMPARE(events.stream[0], ~std::uint64_t{0});
        QVERIFY(result.value().notes.find("wrong-type") != nullptr);
    }

    void aRepeatedKeyCountsOnceTheLastOne()
    {
        const auto result = test::readString(
            R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 512,
                "addr": 2}]]})");
        QVERIFY(result.has_value());
        QCOMPARE(result.value().devices.at(0).events.address[0], Address{2});
    }
};

TIDEMARK_TEST(TstJsonReader)

} // namespace tidemark::tst_json_reader

#include "tst_json_reader.moc"
