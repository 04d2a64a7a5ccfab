// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/selection.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_selection {

using namespace tidemark::report;
using tidemark::test::handMadeAnalysis;
using tidemark::test::handMadeDeath;

namespace {

std::vector<std::uint32_t> idsOf(const diagnose::Analysis& analysis, const AllocationQuery& query)
{
    const auto selections = selectAllocations(analysis, query);
    std::vector<std::uint32_t> ids;
    for (const AllocationId id : selections.value().at(0).ids) {
        ids.push_back(id.value);
    }
    return ids;
}

AllocationQuery at(std::string_view moment)
{
    AllocationQuery query;
    query.at = parseMoment(moment).value();
    return query;
}

using Ids = std::vector<std::uint32_t>;

} // namespace

class TstSelection : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aMomentIsAWordOrAnEvent()
    {
        QCOMPARE(static_cast<int>(parseMoment("peak").value().kind),
                 static_cast<int>(NamedMoment::Kind::peak));
        QCOMPARE(static_cast<int>(parseMoment("-1").value().kind),
                 static_cast<int>(NamedMoment::Kind::start));
        QCOMPARE(parseMoment("17").value().event, 17U);
        for (const std::string_view bad : {"", "noon", "-2", "1.5", "99999999999", "3x", " 3"}) {
            QVERIFY2(!parseMoment(bad).has_value(), std::string(bad).c_str());
        }
    }

    void aStateAtAnEventIsTheOneAfterIt()
    {
        const diagnose::Analysis analysis = handMadeDeath();
        const replay::DeviceReplay& replay = analysis.replay->devices[0];
        QCOMPARE(stateAt(replay, parseMoment("0").value())->value, 1U);
        QCOMPARE(stateAt(replay, parseMoment("start").value())->value, 0U);
        QCOMPARE(stateAt(replay, parseMoment("oom").value())->value, 5U);
        QCOMPARE(stateAt(replay, parseMoment("end").value())->value, 8U);
        QCOMPARE(stateAt(replay, parseMoment("7").value())->value, 8U);
        QVERIFY(!stateAt(replay, parseMoment("8").value()));
    }

    void theLargestComeFirst()
    {
        const diagnose::Analysis analysis = handMadeDeath();
        QCOMPARE(idsOf(analysis, at("peak")), (Ids{3, 2, 0}));
        QCOMPARE(idsOf(analysis, at("start")), (Ids{0}));
        QCOMPARE(idsOf(analysis, at("1")), (Ids{1, 2, 0}));
        QCOMPARE(idsOf(analysis, at("3")), (Ids{2, 0}));
        QCOMPARE(idsOf(analysis, at("end")), (Ids{3, 0}));
    }

    void aFilterKeepsBucketAndText()
    {
        const diagnose::Analysis analysis = handMadeDeath();
        AllocationQuery query = at("peak");
        query.bucket = label::Bucket::activation;
        QCOMPARE(idsOf(analysis, query), (Ids{2}));
        query = at("peak");
        query.match = "train.py";
        QCOMPARE(idsOf(analysis, query), (Ids{0}));
        query.match = "forward";
        QCOMPARE(idsOf(analysis, query), (Ids{3, 2}));
        query.match = "nowhere";
        QCOMPARE(idsOf(analysis, query), Ids{});
    }

    void theCutCountsWhatItLeavesOut()
    {
        const diagnose::Analysis analysis = handMadeDeath();
        AllocationQuery query = at("peak");
        query.top = 1;
        const auto selections = selectAllocations(analysis, query);
        const AllocationSelection& selection = selections.value().at(0);
        QCOMPARE(selection.ids.size(), 1U);
        QCOMPARE(selection.found, 3U);
        QCOMPARE(selection.found_bytes.value, 4096 + 5LL * (1 << 19));
    }

    void devicesWithoutTheMomentAreLeftOut()
    {
        const diagnose::Analysis analysis =
            handMadeAnalysis("a +512\n device 1\n b +512\n oom 1M free=0\n device 2\n", {});
        const auto selections = selectAllocations(analysis, at("oom"));
        QCOMPARE(selections.value().size(), 1U);
        QCOMPARE(selections.value().at(0).device, 1U);
        QCOMPARE(selectAllocations(analysis, at("end")).value().size(), 2U);
    }

    void whatIsNotThereIsNamed()
    {
        const diagnose::Analysis analysis = handMadeAnalysis("a +512\n", {});
        const auto no_oom = selectAllocations(analysis, at("oom"));
        QVERIFY(!no_oom.has_value());
        QVERIFY(no_oom.error().message.find("no out-of-memory event") != std::string::npos);
        const auto too_late = selectAllocations(analysis, at("5"));
        QVERIFY(!too_late.has_value());
        QVERIFY(too_late.error().message.find("the last is event 0") != std::string::npos);
        const auto no_device = chosenDevices(analysis, 3);
        QVERIFY(!no_device.has_value());
        QVERIFY(no_device.error().message.find("no device 3; this file has 0")
                != std::string::npos);
    }
};

TIDEMARK_TEST(TstSelection)

} // namespace tidemark::tst_selection

#include "tst_selection.moc"
