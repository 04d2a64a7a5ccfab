// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <functional>
#include <string>

namespace tidemark::tst_shared_values {

using test::PickleWriter;

namespace {

using Write = std::function<void(PickleWriter&)>;

/// A value written once and meant many times. `get(0)` gives it again.
void share(PickleWriter& w, const Write& write)
{
    write(w);
    w.memoize();
    w.raw("0");
}

/// The value that was shared, so many times in one list.
void repeat(PickleWriter& w, int times)
{
    w.list([&] {
        for (int i = 0; i < times; ++i) {
            w.get(0);
        }
    });
}

void writeEvents(PickleWriter& w, int count)
{
    for (int i = 0; i < count; ++i) {
        w.dict(
            [&] { w.key("action").text("alloc").key("addr").integer(i).key("size").integer(1); });
    }
}

PickleWriter snapshot(const Write& shared, const Write& traces, const Write& rest)
{
    PickleWriter w;
    share(w, shared);
    w.dict([&] {
        w.key("device_traces").list([&] { traces(w); });
        rest(w);
    });
    return w;
}

const Write kNothing = [](PickleWriter&) {};

} // namespace

/// A value can be shared, and then a small file means more than any machine holds.
class TstSharedValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sharingTooMuchIsRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const auto row = [](const char* name, const PickleWriter& w) {
            QTest::newRow(name) << QByteArray::fromStdString(w.string());
        };
        row("the blocks of a thousand segments",
            snapshot(
                [](PickleWriter& w) {
                    w.list([&] {
                        for (int i = 0; i < 1000; ++i) {
                            w.dict([&] { w.key("size").integer(1); });
                        }
                    });
                },
                kNothing,
                [](PickleWriter& w) {
                    w.key("segments").list([&] {
                        for (int i = 0; i < 1000; ++i) {
                            w.dict([&] {
                                w.key("address")
                                    .integer(i)
                                    .key("total_size")
                                    .integer(1)
                                    .key("blocks");
                                w.get(0);
                            });
                        }
                    });
                }));
        row("a segment a thousand times",
            snapshot(
                [](PickleWriter& w) {
                    w.dict([&] {
                        w.key("blocks").list([&] {
                            for (int i = 0; i < 1000; ++i) {
                                w.dict([&] { w.key("size").integer(1); });
                            }
                        });
                    });
                },
                kNothing,
                [](PickleWriter& w) {
                    w.key("segments");
                    repeat(w, 1000);
                }));
        row("the trace of a thousand devices",
            snapshot([](PickleWriter& w) { w.list([&] { writeEvents(w, 1000); }); },
                     [](PickleWriter& w) {
                         for (int i = 0; i < 1000; ++i) {
                             w.get(0);
                         }
                     },
                     kNothing));
        row("an entry of many unknown keys",
            snapshot(
                [](PickleWriter& w) {
                    w.dict([&] {
                        for (int i = 0; i < 2000; ++i) {
                            w.key("k" + std::to_string(i)).none();
                        }
                    });
                },
                [](PickleWriter& w) { repeat(w, 1000); }, kNothing));
        row("the lines of a forward stack",
            snapshot([](PickleWriter& w) { w.text(std::string(10'000, 'x')); },
                     [](PickleWriter& w) {
                         w.list([&] {
                             w.dict([&] {
                                 w.key("forward_frames");
                                 repeat(w, 100'000);
                             });
                         });
                     },
                     kNothing));
        row("a setting",
            snapshot([](PickleWriter& w) { w.text(std::string(4000, 'x')); }, kNothing,
                     [](PickleWriter& w) {
                         w.key("allocator_settings").dict([&] {
                             for (int i = 0; i < 2000; ++i) {
                                 w.key("k" + std::to_string(i));
                                 w.get(0);
                             }
                         });
                     }));
    }
    void sharingTooMuchIsRefused()
    {
        QFETCH(QByteArray, bytes);
        reader::ReadOptions options;
        options.limits.memory_floor_bytes = 4U << 20U;
        for (const auto choice : {reader::ReaderChoice::automatic, reader::ReaderChoice::cpython}) {
            options.reader = choice;
            const auto result =
                test::readString({bytes.data(), static_cast<std::size_t>(bytes.size())}, options);
            const std::string outcome = test::outcome(result);
            QVERIFY2(!result.has_value() && result.error().code == ErrorCode::tooLarge
                         && outcome.find("repeats the same values") != std::string::npos,
                     outcome.c_str());
        }
    }

    void longTextsAreSharedWithoutEnd()
    {
        // Looking for a text of a megabyte for each of these would take minutes.
        const auto s =
            test::readOrFail(snapshot([](PickleWriter& w) { w.text(std::string(100'0000, 'x')); },
                                      [](PickleWriter& w) {
                                          w.list([&] {
                                              for (int i = 0; i < 100'000; ++i) {
                                                  w.dict([&] {
                                                      w.key("user_metadata");
                                                      w.get(0);
                                                      w.key("novelty");
                                                      w.get(0);
                                                  });
                                              }
                                          });
                                      },
                                      kNothing));
        const auto& events = s.devices.at(0).events;
        QCOMPARE(events.user_metadata.size(), std::size_t{100'000});
        QVERIFY(events.user_metadata.front() == events.user_metadata.back());
        QCOMPARE(s.text(events.user_metadata.front()).size(), std::size_t{100'0000});
        QCOMPARE(s.other_fields.size(), std::size_t{100'000});
    }
};

TIDEMARK_TEST(TstSharedValues)

} // namespace tidemark::tst_shared_values

#include "tst_shared_values.moc"
