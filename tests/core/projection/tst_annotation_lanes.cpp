// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/annotation_lanes.h"
#include "core/trace/snapshot_builder.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::tst_annotation_lanes {

using projection::AnnotationLanes;
using projection::AnnotationSpan;

namespace {

/// Ten events, at 100, 110, … 190 µs.
class Builder {
public:
    Builder()
    {
        for (std::int64_t i = 0; i < 10; ++i) {
            trace::EventRecord event;
            event.action = trace::Action::alloc;
            event.address = static_cast<Address>(1000 * i);
            event.size = {512};
            event.time = TimePoint(Duration(100 + 10 * i));
            m_builder.addEvent(0, event);
        }
    }
    Builder& start(std::string_view name, std::int64_t time, std::int32_t device = 0)
    {
        return add(name, true, time, device);
    }
    Builder& end(std::string_view name, std::int64_t time, std::int32_t device = 0)
    {
        return add(name, false, time, device);
    }
    trace::Snapshot snapshot()
    {
        return std::move(m_builder).finish().value();
    }

private:
    Builder& add(std::string_view name, bool is_start, std::int64_t time, std::int32_t device)
    {
        m_builder.addAnnotation(
            {m_builder.strings().intern(name), is_start, device, TimePoint(Duration(time))});
        return *this;
    }
    trace::SnapshotBuilder m_builder;
};

/// "name first-last/lane", open ones with "…".
std::string textOf(const trace::Snapshot& snapshot, const AnnotationLanes& lanes)
{
    std::string all;
    for (const AnnotationSpan& span : lanes.spans) {
        all += all.empty() ? "" : " ";
        all += std::string(snapshot.text(span.name)) + " " + std::to_string(span.states.begin.value)
            + "-" + std::to_string(span.states.end.value) + (span.is_open ? "…" : "") + "/"
            + std::to_string(span.lane);
    }
    return all;
}

QString spansOf(Builder& builder, std::int64_t unmatched = 0)
{
    const trace::Snapshot snapshot = builder.snapshot();
    const AnnotationLanes lanes = projection::annotationLanes(snapshot, 0);
    if (lanes.unmatched != unmatched) {
        return QStringLiteral("unmatched %1").arg(lanes.unmatched);
    }
    return QString::fromStdString(textOf(snapshot, lanes));
}

} // namespace

class TstAnnotationLanes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void scopesNest()
    {
        Builder b;
        b.start("step", 95).start("forward", 120).end("forward", 139).start("backward", 140);
        b.end("backward", 165).end("step", 170);
        QCOMPARE(spansOf(b), QStringLiteral("step 0-8/0 forward 3-4/1 backward 5-7/1"));
    }
    void aMissingEndReachesToTheEnd()
    {
        Builder b;
        b.start("step", 100).start("lost", 110).end("step", 130).start("next", 150);
        b.end("next", 160);
        QCOMPARE(spansOf(b), QStringLiteral("step 1-4/0 lost 2-10…/1 next 6-7/1"));
    }
    void anEndWithoutABeginningIsLeftOut()
    {
        Builder b;
        b.end("before", 105).start("step", 120).end("step", 130);
        QCOMPARE(spansOf(b, 1), QStringLiteral("step 3-4/0"));
    }
    void equalNamesAreAStack()
    {
        Builder b;
        b.start("f", 100).start("f", 120).end("f", 130).end("f", 180);
        QCOMPARE(spansOf(b), QStringLiteral("f 1-9/0 f 3-4/1"));
    }
    void severalDevicesKeepTheirOwn()
    {
        Builder b;
        b.start("mine", 100, 0).end("mine", 120, 0).start("other", 130, 1).end("other", 140, 1);
        QCOMPARE(spansOf(b), QStringLiteral("mine 1-3/0"));
        Builder only_one;
        only_one.start("named elsewhere", 100, 3).end("named elsewhere", 120, 3);
        QCOMPARE(spansOf(only_one), QStringLiteral("named elsewhere 1-3/0"));
    }
    void markersAmongTheEventsAreScopes()
    {
        trace::SnapshotBuilder builder;
        const auto add = [&](trace::Action action, std::string_view end) {
            trace::EventRecord event;
            event.action = action;
            event.address = 64;
            event.size = {8};
            if (!end.empty()) {
                const FrameId frame = builder.stacks().internFrame(
                    {builder.strings().intern(end), builder.strings().intern("epoch"), 0});
                event.stack = builder.stacks().internStack(std::span(&frame, 1));
            }
            builder.addEvent(0, event);
        };
        add(trace::Action::user_defined, "START");
        add(trace::Action::alloc, "");
        add(trace::Action::user_defined, "END");
        const trace::Snapshot snapshot = std::move(builder).finish().value();
        const AnnotationLanes lanes = projection::annotationLanes(snapshot, 0);
        QCOMPARE(QString::fromStdString(textOf(snapshot, lanes)), QStringLiteral("epoch 1-3/0"));
        const projection::AxisMap axis(snapshot.devices[0], projection::Axis::event);
        const auto extent = projection::extentOf(lanes.spans[0], snapshot.devices[0], axis);
        QCOMPARE(extent.begin, 1.0);
        QCOMPARE(extent.end, 3.0);
    }
    void aSpanLiesWhereItsTimesAre()
    {
        Builder b;
        b.start("step", 104).end("step", 128);
        const trace::Snapshot snapshot = b.snapshot();
        const AnnotationLanes lanes = projection::annotationLanes(snapshot, 0);
        const projection::AxisMap time(snapshot.devices[0], projection::Axis::time);
        const auto extent = projection::extentOf(lanes.spans[0], snapshot.devices[0], time);
        QCOMPARE(extent.begin, 4.0);
        QCOMPARE(extent.end, 28.0);
    }
};

TIDEMARK_TEST(TstAnnotationLanes)

} // namespace tidemark::tst_annotation_lanes

#include "tst_annotation_lanes.moc"
