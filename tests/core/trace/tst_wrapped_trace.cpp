// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/trace/snapshot_builder.h"
#include "core/trace/wrapped_trace.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_wrapped_trace {

using trace::Action;

namespace {

/// One event per time; its address is its time, too.
trace::Snapshot snapshotWith(const std::vector<int>& times)
{
    trace::SnapshotBuilder builder;
    for (std::size_t i = 0; i < times.size(); ++i) {
        trace::EventRecord event;
        event.action = times[i] == 1 ? Action::other : Action::alloc;
        event.action_name = builder.strings().intern("novelty");
        event.address = static_cast<Address>(times[i]);
        event.size = {512};
        event.time = TimePoint(Duration(1000 + times[i]));
        builder.addEvent(0, event);
        builder.otherFields().push_back({trace::Place::event, 0, i, {}, {}});
    }
    return std::move(builder).finish().value();
}

std::vector<int> orderOf(const trace::Snapshot& snapshot)
{
    std::vector<int> order;
    for (const Address address : snapshot.devices[0].events.address) {
        order.push_back(static_cast<int>(address));
    }
    return order;
}

} // namespace

class TstWrappedTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTraceThatBeginsInItsMiddleIsPutInOrder()
    {
        const trace::Snapshot snapshot = snapshotWith({5, 6, 9, 1, 2, 4});
        QCOMPARE(orderOf(snapshot), (std::vector<int>{1, 2, 4, 5, 6, 9}));
        const trace::InputNote* note = snapshot.notes.find("wrapped");
        QVERIFY(note != nullptr && note->count == 3);
        QVERIFY(snapshot.notes.find("times-backwards") == nullptr);
        const trace::Events& events = snapshot.devices[0].events;
        QVERIFY(std::ranges::is_sorted(events.time));
        QCOMPARE(events.other_names.size(), std::size_t{1});
        QCOMPARE(events.other_names[0].first.value, 0U);
        QVERIFY(events.action[0] == Action::other);
        for (std::size_t i = 0; i < snapshot.other_fields.size(); ++i) {
            QCOMPARE(snapshot.other_fields[i].item, i);
        }
    }
    void otherTracesStayAsTheyAre_data()
    {
        QTest::addColumn<QList<int>>("times");
        QTest::newRow("in order") << QList<int>{1, 2, 3, 4};
        QTest::newRow("two breaks") << QList<int>{5, 6, 2, 3, 1};
        QTest::newRow("the clock was set back") << QList<int>{2, 5, 3, 4};
        QTest::newRow("one event") << QList<int>{2};
        QTest::newRow("equal times") << QList<int>{2, 2, 2};
    }
    void otherTracesStayAsTheyAre()
    {
        QFETCH(QList<int>, times);
        const std::vector<int> all(times.begin(), times.end());
        const trace::Snapshot snapshot = snapshotWith(all);
        QCOMPARE(orderOf(snapshot), all);
        QVERIFY(snapshot.notes.find("wrapped") == nullptr);
        QCOMPARE(snapshot.notes.find("times-backwards") != nullptr, !std::ranges::is_sorted(all));
    }
};

TIDEMARK_TEST(TstWrappedTrace)

} // namespace tidemark::tst_wrapped_trace

#include "tst_wrapped_trace.moc"
