// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/earlier/earlier_age.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_earlier_age {

namespace {

constexpr Address kSegment = 20U << 20;

trace::Segment segment(Address address, bool is_small_pool = false)
{
    trace::Segment s;
    s.address = address;
    s.total_size = {static_cast<std::int64_t>(kSegment)};
    s.is_small_pool = is_small_pool;
    return s;
}

/// Their addresses, oldest first.
std::vector<Address> ordered(const std::vector<Address>& addresses,
                             const std::vector<trace::Segment>& segments)
{
    replay::Allocations all;
    for (const Address address : addresses) {
        all.address.push_back(address);
        all.alloc_event.push_back(EventId::none());
        all.begin.emplace_back();
    }
    std::vector<Address> found;
    for (const AllocationId a : label::oldestFirst(all, segments)) {
        found.push_back(all.address[a.index()]);
    }
    return found;
}

} // namespace

class TstEarlierAge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void segmentsFollowEachOtherAsTheDriverGivesThem()
    {
        // Two segments, each filled from its low end.
        const auto filled = [](Address low) {
            return std::vector<Address>{low, low + 1024, low + kSegment, low + kSegment + 1024};
        };
        const auto twoFrom = [](Address low, bool is_small_pool = false) {
            return std::vector<trace::Segment>{segment(low, is_small_pool),
                                               segment(low + kSegment, is_small_pool)};
        };
        constexpr Address kLinux = 0x7f58'5600'0000;
        constexpr Address kWindows = 0x5'0260'0000;
        QVERIFY(ordered(filled(kWindows), twoFrom(kWindows)) == filled(kWindows));
        QVERIFY(ordered(filled(kLinux), twoFrom(kLinux, true)) == filled(kLinux));
        const std::vector<Address> downwards{kLinux + kSegment, kLinux + kSegment + 1024, kLinux,
                                             kLinux + 1024};
        QVERIFY(ordered(filled(kLinux), twoFrom(kLinux)) == downwards);
    }

    void whatTheTraceAllocatesIsNotAmongThem()
    {
        replay::Allocations all;
        all.address = {4096, 8192};
        all.alloc_event = {EventId(std::size_t{3}), EventId::none()};
        all.begin.resize(2);
        QCOMPARE(label::oldestFirst(all, {}), std::vector<AllocationId>{AllocationId(1U)});
    }
};

TIDEMARK_TEST(TstEarlierAge)

} // namespace tidemark::tst_earlier_age

#include "tst_earlier_age.moc"
