// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/random_values.h"
#include "tests/support/same_snapshot.h"
#include "tests/support/test_main.h"
#include "tests/support/value_pickler.h"

#include <QtTest/QTest>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::tst_capture_decoder {

using namespace tidemark::test;

namespace {

ValueRef numbers(const std::vector<std::int64_t>& values)
{
    std::vector<ValueRef> items;
    std::ranges::transform(values, std::back_inserter(items),
                           [](std::int64_t v) { return integer(v); });
    return list(std::move(items));
}

ValueRef words(const std::vector<std::string>& values)
{
    std::vector<ValueRef> items;
    std::ranges::transform(values, std::back_inserter(items),
                           [](const std::string& v) { return text(v); });
    return list(std::move(items));
}

ValueRef clock(std::int64_t device, const std::vector<std::int64_t>& operations)
{
    return dict({{"device", integer(device)},
                 {"operations", numbers(operations)},
                 {"epoch", numbers({0, 0, 0})}});
}

/// What the module writes after three moments on two devices.
ValueRef goodCapture()
{
    const ValueRef device = dict({{"index", integer(1)},
                                  {"name", text("Some GPU")},
                                  {"total_bytes", integer(80LL << 30)},
                                  {"free_bytes", integer(5)},
                                  {"capacity_bytes", integer(70LL << 30)},
                                  {"operations", integer(900)},
                                  {"epoch", integer(2)},
                                  {"is_exact", boolean(false)},
                                  {"overflowed", boolean(true)},
                                  {"from_a_later_minor_version", text("ignored")}});
    return dict(
        {{"version", integer(1)},
         {"reason", text("exception")},
         {"torch", text("2.9.0")},
         {"python", text("3.12")},
         {"rank", integer(3)},
         {"local_rank", none()},
         {"world_size", integer(8)},
         {"settings", dict({{"stacks", text("python")}, {"max_entries", integer(200000)}})},
         {"devices", list({device})},
         {"steps", integer(7)},
         {"error", dict({{"type", text("OutOfMemoryError")}, {"message", text("CUDA out")}})},
         {"oom", none()},
         {"overhead_us", integer(1234)},
         {"moments",
          dict({{"kind", words({"record_begin", "forward_begin", "from_a_later_version"})},
                {"name", words({"", "training", ""})},
                {"step", numbers({0, 0, 1})},
                {"time_us", numbers({10, 20, 30})},
                {"marker_bytes", numbers({0, 0, 700001})},
                {"clocks", list({clock(0, {5, 6, -1}), clock(1, {7, 8, 9})})}})},
         {"things",
          dict({{"bucket", words({"parameter"})},
                {"role", words({"frozen"})},
                {"name", words({"head.weight"})},
                {"shape", words({"3x4"})},
                {"dtype", words({"bfloat16"})}})},
         {"tensors",
          dict({{"moment", numbers({0, 1})},
                {"thing", numbers({0, 0})},
                {"device", numbers({1, 0})},
                {"address", list({unsignedInteger(0xFFFF000000000000U), integer(512)})},
                {"bytes", numbers({24, 48})}})},
         {"warnings", words({"a ring buffer was full"})}});
}

std::string fileWith(const ValueRef& capture)
{
    const ValueRef root =
        dict({{"segments", list()}, {"device_traces", list({list()})}, {"tidemark", capture}});
    return pickled(*root, Dialect::python, 4);
}

Result<trace::Snapshot> readWith(const std::string& bytes, reader::ReaderChoice choice)
{
    reader::ReadOptions options;
    options.reader = choice;
    return readString(bytes, options);
}

/// Reads with both readers and gives what both agree on.
trace::Snapshot readTwice(const std::string& bytes)
{
    auto native = readWith(bytes, reader::ReaderChoice::native);
    auto python = readWith(bytes, reader::ReaderChoice::cpython);
    if (!native.has_value() || !python.has_value()) {
        QTest::qFail("a capture made reading fail", __FILE__, __LINE__);
        return {};
    }
    const auto difference = firstDifference(native.value(), python.value());
    if (difference) {
        QTest::qFail(difference->c_str(), __FILE__, __LINE__);
    }
    return std::move(native).value();
}

ValueRef& at(const ValueRef& dict, std::string_view key)
{
    for (std::size_t i = 0; i + 1 < dict->items.size(); i += 2) {
        if (dict->items[i]->text == key) {
            return dict->items[i + 1];
        }
    }
    qFatal("no such key");
}

/// Everything that holds for what the decoder lets through, whatever the file says.
bool isConsistent(const trace::Capture& c)
{
    const auto& m = c.moments;
    const auto& t = c.tensors;
    bool good = m.name.size() == m.count() && m.step.size() == m.count()
        && m.time_us.size() == m.count() && m.marker_bytes.size() == m.count()
        && t.thing.size() == t.count() && t.device.size() == t.count()
        && t.address.size() == t.count() && t.bytes.size() == t.count();
    for (const trace::CaptureClock& one : c.clocks) {
        good = good && one.operations.size() == m.count() && one.epoch.size() == m.count();
    }
    for (std::size_t i = 0; good && i < t.count(); ++i) {
        good = t.moment[i] < m.count() && t.thing[i] < c.things.size() && t.bytes[i].value >= 0;
    }
    return good;
}

/// Puts something else in the place of a few values, and leaves some out.
void damage(const ValueRef& value, Random& random, OddValues& odd)
{
    for (std::size_t i = 0; i < value->items.size(); ++i) {
        const bool is_key = value->kind == ModelValue::Kind::dict && i % 2 == 0;
        if (is_key) {
            if (random.chance(0.02)) {
                value->items.erase(value->items.begin() + static_cast<std::ptrdiff_t>(i),
                                   value->items.begin() + static_cast<std::ptrdiff_t>(i) + 2);
                return;
            }
        } else if (random.chance(0.04)) {
            value->items[i] = odd.anything(2);
        } else if (random.chance(0.02) && value->kind == ModelValue::Kind::list) {
            value->items.erase(value->items.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
            damage(value->items[i], random, odd);
        }
    }
}

} // namespace

class TstCaptureDecoder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allThatTheModuleWritesIsThere()
    {
        const trace::Snapshot snapshot = readTwice(fileWith(goodCapture()));
        QVERIFY(snapshot.capture);
        const trace::Capture& c = *snapshot.capture;
        QCOMPARE(c.reason, std::string("exception"));
        QCOMPARE(c.torch + " " + c.python, std::string("2.9.0 3.12"));
        QVERIFY(c.rank == 3 && !c.local_rank && c.world_size == 8 && c.steps == 7);
        QCOMPARE(c.settings.size(), std::size_t{2});
        QCOMPARE(c.settings[1].second, std::string("200000"));
        QCOMPARE(c.error_type + ": " + c.error_message, std::string("OutOfMemoryError: CUDA out"));
        QVERIFY(!c.oom && c.overhead_us == 1234);
        QVERIFY(c.device(0) == nullptr);
        QVERIFY(c.device(1)->capacity == Bytes{70LL << 30} && c.device(1)->operations == 900);
        QVERIFY(c.device(1)->epoch == 2 && !c.device(1)->is_exact && c.device(1)->overflowed);
        QVERIFY(c.moments.kind[1] == trace::MomentKind::forward_begin);
        QVERIFY(c.moments.kind[2] == trace::MomentKind::other);
        QCOMPARE(c.moments.name[1], std::string("training"));
        QCOMPARE(c.moments.marker_bytes[2], std::int64_t{700001});
        QCOMPARE(c.clocks.size(), std::size_t{2});
        QVERIFY(c.clocks[1].operations == (std::vector<std::int64_t>{7, 8, 9}));
        QVERIFY(c.things[0]
                == (trace::CaptureThing{"parameter", "frozen", "head.weight", "3x4", "bfloat16"}));
        QCOMPARE(c.tensors.address[0], Address{0xFFFF000000000000U});
        QVERIFY(c.tensors.bytes[1] == Bytes{48} && c.tensors.device[0] == 1);
        QCOMPARE(c.warnings.front(), std::string("a ring buffer was full"));
        QVERIFY(snapshot.notes.find("capture-damaged") == nullptr);
        QVERIFY(snapshot.notes.find("unknown-fields") == nullptr);
    }

    void aFailedRequestIsRead()
    {
        const ValueRef capture = goodCapture();
        at(capture, "oom") = dict({{"device", integer(0)},
                                   {"requested_bytes", integer(512)},
                                   {"total_bytes", integer(1024)},
                                   {"free_bytes", integer(100)}});
        const trace::Snapshot snapshot = readTwice(fileWith(capture));
        QVERIFY(snapshot.capture->oom
                == (trace::CaptureOom{0, Bytes{512}, Bytes{1024}, Bytes{100}}));
    }

    void figuresStandBehindTheSettings()
    {
        ValueRef capture = goodCapture();
        capture->items.push_back(text("figures"));
        capture->items.push_back(dict({{"pool kv_cache", integer(3LL << 30)},
                                       {"less than nothing", integer(-1)},
                                       {"no number", text("7")},
                                       {"NCCL, 2 communicators", integer(0)}}));
        const trace::Snapshot snapshot = readTwice(fileWith(capture));
        const auto& settings = snapshot.capture->settings;
        QCOMPARE(settings.size(), std::size_t{4});
        QVERIFY(settings[2]
                == (std::pair<std::string, std::string>{"pool kv_cache", "3221225472 bytes"}));
        QVERIFY(settings[3]
                == (std::pair<std::string, std::string>{"NCCL, 2 communicators", "0 bytes"}));
        QCOMPARE(snapshot.notes.find("capture-damaged")->count, std::int64_t{2});
    }

    void whatALaterModuleWritesBesidesIsIgnored()
    {
        ValueRef capture = goodCapture();
        for (const char* const key : {"figures of tomorrow", "moment"}) {
            capture->items.push_back(text(key));
            capture->items.push_back(list({dict({{"deep", words({"a"})}}), none()}));
        }
        const trace::Snapshot snapshot = readTwice(fileWith(capture));
        const trace::Snapshot known = readTwice(fileWith(goodCapture()));
        QVERIFY(snapshot.capture == known.capture);
        QVERIFY(snapshot.notes.find("capture-damaged") == nullptr);
        QVERIFY(snapshot.notes.find("unknown-fields") == nullptr);
    }

    void whatCannotBeUsedIsANoteAndNoError_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* const what : {"later version", "no version", "text", "list", "None"}) {
            QTest::newRow(what) << what;
        }
    }
    void whatCannotBeUsedIsANoteAndNoError()
    {
        QFETCH(QString, what);
        ValueRef capture = goodCapture();
        if (what == QLatin1String("later version")) {
            at(capture, "version") = integer(2);
        } else if (what == QLatin1String("no version")) {
            at(capture, "version") = none();
        } else {
            capture = what == QLatin1String("text") ? text("?")
                : what == QLatin1String("list")     ? list({integer(1)})
                                                    : none();
        }
        const trace::Snapshot snapshot = readTwice(fileWith(capture));
        QVERIFY(!snapshot.capture);
        QVERIFY(snapshot.notes.find("capture-not-read") != nullptr);
    }

    void columnsOfDifferentLengthsEndWithTheShortest()
    {
        const ValueRef capture = goodCapture();
        at(at(capture, "tensors"), "bytes")->items.pop_back();
        at(at(capture, "moments"), "step")->items.pop_back();
        const trace::Snapshot snapshot = readTwice(fileWith(capture));
        QCOMPARE(snapshot.capture->tensors.count(), std::size_t{1});
        QCOMPARE(snapshot.capture->moments.count(), std::size_t{2});
        QVERIFY(snapshot.notes.find("capture-damaged") != nullptr);
    }

    void rowsThatPointNowhereAreLeftOut()
    {
        for (const char* const column : {"moment", "thing"}) {
            for (const std::int64_t wrong :
                 {std::int64_t{-1}, std::int64_t{3}, std::numeric_limits<std::int64_t>::max()}) {
                const ValueRef capture = goodCapture();
                at(at(capture, "tensors"), column)->items[0] = integer(wrong);
                const trace::Snapshot snapshot = readTwice(fileWith(capture));
                QCOMPARE(snapshot.capture->tensors.count(), std::size_t{1});
                QCOMPARE(snapshot.notes.find("capture-damaged")->count, std::int64_t{1});
            }
        }
    }

    void damageNeverStopsTheReading()
    {
        int still_there = 0;
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            Random random(seed);
            OddValues odd(random);
            const ValueRef capture = goodCapture();
            damage(capture, random, odd);
            const trace::Snapshot snapshot = readTwice(fileWith(capture));
            if (snapshot.capture) {
                ++still_there;
                QVERIFY(isConsistent(*snapshot.capture));
            } else {
                QVERIFY(snapshot.notes.find("capture-not-read") != nullptr);
            }
        }
        QVERIFY2(still_there > 100, "hardly any file was damaged in its parts alone");
    }
};

TIDEMARK_TEST(TstCaptureDecoder)

} // namespace tidemark::tst_capture_decoder

#include "tst_capture_decoder.moc"
