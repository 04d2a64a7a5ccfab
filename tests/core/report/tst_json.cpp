// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "core/report/documents.h"
#include "core/report/json.h"
#include "core/report/labels_list.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <sstream>

namespace tidemark::tst_json {

using namespace tidemark::report;
using tidemark::test::handMadeAnalysis;
using tidemark::test::handMadeDeath;

namespace {

constexpr std::int64_t kMi = 1 << 20;

Json parsed(const std::string& text)
{
    return Json::parse(text);
}

Json labelsOf(const diagnose::Analysis& analysis)
{
    std::ostringstream out;
    writeLabelsJson(out, analysis, chosenDevices(analysis, std::nullopt).value());
    return parsed(out.str());
}

Json timelineOf(const diagnose::Analysis& analysis, std::size_t points)
{
    std::ostringstream out;
    writeTimelineJson(out, analysis, std::vector<std::size_t>{0}, points);
    return parsed(out.str());
}

Json allocationsOf(const diagnose::Analysis& analysis, const AllocationQuery& query)
{
    std::ostringstream out;
    writeAllocationsJson(out, analysis, selectAllocations(analysis, query).value());
    return parsed(out.str());
}

/// QCOMPARE that shows both sides as text.
#define COMPARE_JSON(actual, expected)                                                             \
    QCOMPARE(QString::fromStdString(report::toString(actual)),                                     \
             QString::fromStdString(report::toString(Json(expected))))

} // namespace

class TstJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSummaryHasEveryFigureOfADevice()
    {
        const Json json = summaryJson(handMadeDeath());
        COMPARE_JSON(json["file"], "runs/hand_made.pickle");
        COMPARE_JSON(json["format"],
                     Json({{"route", "script"}, {"protocol", -1}, {"reader", "script"}}));
        const Json& device = json["devices"].at(0);
        COMPARE_JSON(device["device"], 0);
        COMPARE_JSON(device["kind"], "gpu");
        COMPARE_JSON(device["events"], 8);
        COMPARE_JSON(
            device["actions"],
            Json({{"alloc", 3}, {"free_requested", 2}, {"free_completed", 2}, {"oom", 1}}));
        COMPARE_JSON(device["start_requested_bytes"], 4096);
        COMPARE_JSON(device["end_requested_bytes"], 4096 + 2 * kMi);
        const std::int64_t peak = device["peak"]["requested_bytes"].get<std::int64_t>();
        COMPARE_JSON(device["steps"],
                     Json::array({{{"number", 1},
                                   {"first_event", 0},
                                   {"last_event", 7},
                                   {"peak_event", device["peak"]["event"]},
                                   {"peak_requested_bytes", peak},
                                   {"peak_block_bytes", device["peak"]["block_bytes"]},
                                   {"peak_block_bytes_high", device["peak"]["block_bytes"]},
                                   {"peak_reserved_bytes", device["peak"]["reserved_bytes"]}}}));
        COMPARE_JSON(device["peaks"]["requested"].at(0),
                     Json({{"event", device["peak"]["event"]},
                           {"time_us", device["peak"]["time_us"]},
                           {"bytes", peak},
                           {"phase", "forward"},
                           {"step", 1},
                           {"stated_step", 1}}));
        COMPARE_JSON(device["peaks"]["block"].at(0)["bytes"], device["peak"]["block_bytes"]);
        COMPARE_JSON(device["peaks"]["reserved"].at(0)["bytes"], device["reserved_end_bytes"]);
        COMPARE_JSON(device["peak"]["private_pools"], nullptr);
        COMPARE_JSON(
            device["phases"],
            Json::array(
                {{{"first_event", 0}, {"phase", "forward"}, {"step", 1}, {"stated_step", 1}}}));
        COMPARE_JSON(device["consistency"],
                     Json({{"violations", 0},
                           {"end_matches_segments", true},
                           // The script leaves more behind its last block than torch would.
                           {"block_size_contradictions", 1}}));
    }

    void modulesPhasesAndGrowthAreInTheSummary()
    {
        const Json device = summaryJson(handMadeDeath())["devices"].at(0);
        std::int64_t sum = 0;
        for (const Json& row : device["peak"]["modules"]) {
            QVERIFY(row.contains("bucket") && row.contains("module") && row.contains("layers"));
            sum += row["bytes"].get<std::int64_t>();
        }
        QCOMPARE(sum, device["peak"]["requested_bytes"].get<std::int64_t>());
        const Json& forward = device["phase_peaks"]["by_phase"].at(0);
        COMPARE_JSON(forward["phase"], "forward");
        COMPARE_JSON(forward["requested"],
                     Json({{"event", device["peak"]["event"]},
                           {"bytes", device["peak"]["requested_bytes"]}}));
        COMPARE_JSON(device["phase_peaks"]["by_step"].at(0)["step"], 1);
        COMPARE_JSON(device["phase_peaks"]["by_step"].at(0)["requested"], forward["requested"]);
        QVERIFY2(device["growth"].empty(), "one step says nothing about growth");
    }

    void whatGrowsIsInTheSummary()
    {
        diagnose::Analysis analysis =
            handMadeAnalysis("stack s = keep /me/train.py:5\na +1000 @s\nb +1000 @s\nc +1000 @s\n"
                             "d +1000 @s\ne +1000 @s\n",
                             std::vector(5, label::Bucket::output));
        label::Labels labels = *analysis.labels;
        labels.devices[0].steps.clear();
        labels.devices[0].phases.clear();
        for (std::uint32_t i = 0; i < 5; ++i) {
            labels.devices[0].steps.push_back({EventId(i), EventId(i)});
            labels.devices[0].phases.push_back(
                {EventId(i), EventId(i + 1), label::Phase::optimizer, i + 1});
        }
        analysis.labels = std::make_shared<const label::Labels>(std::move(labels));
        const Json growth = summaryJson(analysis)["devices"].at(0)["growth"];
        QCOMPARE(growth.size(), std::size_t{1});
        COMPARE_JSON(growth.at(0)["verdict"], "rising");
        COMPARE_JSON(growth.at(0)["bytes_per_step"], 1000.0);
        COMPARE_JSON(growth.at(0)["module"], "train.py:5 keep");
        COMPARE_JSON(growth.at(0)["last_bytes"], 5000);
        COMPARE_JSON(growth.at(0)["rises"], 4);
        COMPARE_JSON(growth.at(0)["stack"].at(0)["line"], 5);
        const std::string text = toText(summaryDocument(analysis));
        QVERIFY(text.find("What grows from step to step") != std::string::npos);
        QVERIFY(text.find("train.py:5 keep") != std::string::npos);
    }

    void thePeakIsTheStateAfterItsEvent()
    {
        const Json peak = summaryJson(handMadeDeath())["devices"].at(0)["peak"];
        COMPARE_JSON(peak["event"], 4);
        COMPARE_JSON(peak["time_us"], 1000040);
        COMPARE_JSON(peak["requested_bytes"], 4096 + 5 * kMi / 2);
        COMPARE_JSON(peak["buckets"]["parameter"], 4096);
        COMPARE_JSON(peak["buckets"]["activation"], kMi / 2);
        COMPARE_JSON(peak["buckets"]["temporary"], 2 * kMi);
        QCOMPARE(peak["buckets"].size(), label::kBucketCount);
    }

    void anOomShowsTheStateBeforeIt()
    {
        const Json ooms = summaryJson(handMadeDeath())["devices"].at(0)["ooms"];
        QCOMPARE(ooms.size(), 1U);
        COMPARE_JSON(ooms.at(0)["event"], 5);
        COMPARE_JSON(ooms.at(0)["requested_bytes"], 8 * kMi);
        COMPARE_JSON(ooms.at(0)["device_free_bytes"], 3 * kMi);
        COMPARE_JSON(ooms.at(0)["requested_total_bytes"], 4096 + 5 * kMi / 2);
        COMPARE_JSON(ooms.at(0)["buckets"]["temporary"], 2 * kMi);
        COMPARE_JSON(ooms.at(0)["phase"], "forward");
    }

    void aPeakAtTheStartHasEventMinusOneAndNoTime()
    {
        const Json peak =
            summaryJson(handMadeAnalysis("live w 1M\n w -\n", {}))["devices"].at(0)["peak"];
        COMPARE_JSON(peak["event"], -1);
        COMPARE_JSON(peak["time_us"], nullptr);
        COMPARE_JSON(peak["requested_bytes"], kMi);
    }

    void aFileWithoutTimesHasNullTimes()
    {
        const diagnose::Analysis analysis = handMadeAnalysis("no-times\n a +512\n", {});
        COMPARE_JSON(summaryJson(analysis)["devices"].at(0)["peak"]["time_us"], nullptr);
        const Json points = timelineOf(analysis, 10);
        COMPARE_JSON(points["devices"].at(0)["points"].at(1)["time_us"], nullptr);
    }

    void emptyDevicesAreListed()
    {
        const Json devices =
            summaryJson(handMadeAnalysis("device 0\n device 1\n a +512\n device 2\n", {}));
        QCOMPARE(devices["devices"].size(), 3U);
        COMPARE_JSON(devices["devices"].at(2)["events"], 0);
        COMPARE_JSON(devices["devices"].at(2)["peak"]["event"], -1);
        COMPARE_JSON(devices["main_device"], 1);
    }

    void aBlockThatIsNotKnownExactlyHasBounds()
    {
        const Json exact = summaryJson(handMadeAnalysis("a +512\n", {}))["devices"].at(0)["peak"];
        COMPARE_JSON(exact["block_bytes"], 512);
        COMPARE_JSON(exact["block_bytes_exact"], true);
        QVERIFY(!exact.contains("block_bytes_low"));
        // A block of the large pool from before the trace may have kept up to 1 MiB that was not
        // worth splitting off.
        const diagnose::Analysis analysis =
            handMadeAnalysis("live a 3M\n b +900K\n c +900K\n a -\n", {});
        const Json vague = summaryJson(analysis)["devices"].at(0)["peak"];
        COMPARE_JSON(vague["block_bytes"], 3 * kMi + 2 * 900 * 1024);
        COMPARE_JSON(vague["block_bytes_exact"], false);
        COMPARE_JSON(vague["block_bytes_low"], vague["block_bytes"]);
        QVERIFY(vague["block_bytes_high"] > vague["block_bytes_low"]);
        const Json row = labelsOf(analysis)["devices"].at(0)["allocations"].at(0);
        COMPARE_JSON(row["block_bytes"], nullptr);
        QVERIFY(row["block_bytes_high"] > row["block_bytes_low"]);
    }

    void aLabelRowSaysWhenItLivedAndWhy()
    {
        const Json rows = labelsOf(handMadeDeath())["devices"].at(0)["allocations"];
        QCOMPARE(rows.size(), 4U);
        COMPARE_JSON(rows.at(0)["alloc_event"], nullptr);
        COMPARE_JSON(rows.at(0)["free_event"], nullptr);
        COMPARE_JSON(rows.at(0)["address"], 0x100000000);
        COMPARE_JSON(rows.at(0)["bucket"], "parameter");
        COMPARE_JSON(rows.at(0)["role"], nullptr);
        COMPARE_JSON(rows.at(1)["alloc_event"], 0);
        COMPARE_JSON(rows.at(1)["free_requested_event"], 2);
        COMPARE_JSON(rows.at(1)["free_event"], 3);
        COMPARE_JSON(rows.at(1)["requested_bytes"], kMi);
        COMPARE_JSON(rows.at(1)["confidence"], 75);
        COMPARE_JSON(rows.at(1)["reason"], "by-hand: as the test says");
    }

    void allocationsHaveTheirStacksInnermostFirst()
    {
        const diagnose::Analysis analysis = handMadeDeath();
        AllocationQuery query;
        query.at.kind = NamedMoment::Kind::oom;
        query.top = 1;
        const Json json = allocationsOf(analysis, query);
        const Json& device = json["devices"].at(0);
        COMPARE_JSON(device["event"], 4);
        COMPARE_JSON(device["found"], 3);
        const Json& row = device["allocations"].at(0);
        COMPARE_JSON(row["requested_bytes"], 2 * kMi);
        COMPARE_JSON(row["stack"].at(0),
                     Json({{"name", "forward"}, {"filename", "/home/me/model.py"}, {"line", 41}}));
        QCOMPARE(row["stack"].size(), 2U);
    }

    void ofALongStackBothEndsAreGiven()
    {
        std::string script = "stack deep =";
        for (int i = 0; i < 600; ++i) {
            script += fmt::format("{} call_{} /home/me/model.py:{}", i == 0 ? "" : ";", i, i + 1);
        }
        script += "\nstack usual = forward /home/me/model.py:41\na +512 @deep\nb +256 @usual\n";
        AllocationQuery query;
        query.at.kind = NamedMoment::Kind::end;
        const Json rows =
            allocationsOf(handMadeAnalysis(script, {}), query)["devices"].at(0)["allocations"];
        const Json& stack = rows.at(0)["stack"];
        QCOMPARE(stack.size(), 512U);
        COMPARE_JSON(stack.at(0)["name"], "call_0");
        COMPARE_JSON(stack.at(447)["name"], "call_447");
        COMPARE_JSON(stack.at(448)["name"], "call_536");
        COMPARE_JSON(stack.at(511)["name"], "call_599");
        COMPARE_JSON(rows.at(0)["stack_frames_left_out"], 88);
        QVERIFY(!rows.at(1).contains("stack_frames_left_out"));
    }

    void namesWithoutEndAreCutOff()
    {
        const std::string name(5000, 'x');
        AllocationQuery query;
        query.at.kind = NamedMoment::Kind::end;
        const Json rows =
            allocationsOf(
                handMadeAnalysis("stack s = " + name + " /home/me/model.py:41\na +512 @s\n", {}),
                query)["devices"]
                .at(0)["allocations"];
        COMPARE_JSON(rows.at(0)["stack"].at(0)["name"], name.substr(0, 4096) + "…");
    }

    void aDiagnosisHasCausesNeedAndFixes()
    {
        const Json json = diagnosisJson(handMadeDeath(), 0);
        COMPARE_JSON(json["cause"], "activations");
        COMPARE_JSON(json["causes"].at(0)["evidence"].at(0)["event"], 4);
        COMPARE_JSON(json["need_bytes"], 4096 + 5 * kMi / 2 + 8 * kMi);
        COMPARE_JSON(json["capacity_bytes"], 5 * kMi);
        COMPARE_JSON(json["overhead_bytes"], 1000);
        COMPARE_JSON(json["message"], Json::object());
        const Json& fix = json["fixes"].at(0);
        COMPARE_JSON(fix["status"], "recommended");
        COMPARE_JSON(fix["new_peak_event"], -1);
        COMPARE_JSON(fix["fits"], true);
        COMPARE_JSON(fix["how"], Json({{"PyTorch", "first line\nsecond line"}}));
        COMPARE_JSON(json["fixes"].at(1)["status"], "not-applicable");
        COMPARE_JSON(json["fixes"].at(1)["fits"], nullptr);
    }

    void aMessageHasOnlyTheFiguresItStates()
    {
        diagnose::Analysis analysis = handMadeDeath();
        diagnose::Diagnosis diagnosis = *analysis.diagnosis;
        diagnosis.message.emplace();
        diagnosis.message->backend = "CUDA";
        diagnosis.message->tried = Bytes{512};
        diagnosis.message->private_pools = Bytes{7};
        diagnosis.message->processes = {{17, std::nullopt}, {18, Bytes{9}}};
        diagnosis.message->printed = {{"tried", Bytes{512}, Bytes{500}, Bytes{524}}};
        analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(diagnosis);
        COMPARE_JSON(
            diagnosisJson(analysis, 0)["message"],
            Json({{"tried", 512},
                  {"private", 7},
                  {"processes", Json::array({Json::array({17, nullptr}), Json::array({18, 9})})},
                  {"backend", "CUDA"},
                  {"intervals", {{"tried", Json::array({500, 524})}}}}));
    }

    void aFileWithoutDevicesHasNoCause()
    {
        diagnose::Analysis analysis = handMadeDeath();
        analysis.snapshot = std::make_shared<const trace::Snapshot>();
        analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>();
        const Json json = diagnosisJson(analysis, 0);
        COMPARE_JSON(json["cause"], "none");
        COMPARE_JSON(json["device"], nullptr);
        COMPARE_JSON(json["headline"],
                     "The file has no events and no segments: nothing to explain.");
        const Json of_device = diagnosisJson(handMadeDeath(), 0);
        for (const auto& [field, value] : of_device.items()) {
            QVERIFY2(json.contains(field), field.c_str());
        }
    }

    void aPredictionHasBeforeAndAfter()
    {
        const diagnose::Analysis analysis = handMadeDeath();
        diagnose::Prediction prediction;
        prediction.before_peak = {10};
        prediction.after_peak = {5};
        prediction.after_low = {4};
        prediction.after_high = {6};
        prediction.after_peak_state = StateId::after(EventId(3U));
        prediction.assumptions = {"Everything scales."};
        const Json json = predictionsJson(analysis, std::vector{prediction})["devices"].at(0);
        COMPARE_JSON(json["before"]["peak_requested_bytes"], 10);
        COMPARE_JSON(json["after"]["low_bytes"], 4);
        COMPARE_JSON(json["after"]["high_bytes"], 6);
        COMPARE_JSON(json["after"]["peak_event"], 3);
        COMPARE_JSON(json["fits"], nullptr);
        COMPARE_JSON(json["capacity_bytes"], nullptr);
        COMPARE_JSON(json["assumptions"], Json::array({"Everything scales."}));
        COMPARE_JSON(json["before"]["budget"], nullptr);
    }

    void aPredictionIsSplitIntoItsBuckets()
    {
        const diagnose::Analysis analysis = handMadeDeath();
        diagnose::Prediction prediction;
        diagnose::Budget budget;
        budget.state = StateId::after(EventId(3U));
        budget.buckets[label::indexOf(label::Bucket::activation)] = 40;
        budget.failed = 5;
        budget.to_follow = 3;
        budget.overhead = 2;
        prediction.after_budget = budget;
        const Json json = predictionsJson(analysis, std::vector{prediction})["devices"].at(0);
        const Json& after = json["after"]["budget"];
        COMPARE_JSON(after["event"], 3);
        COMPARE_JSON(after["buckets"]["activation"], 40);
        COMPARE_JSON(after["failed_request_bytes"], 5);
        COMPARE_JSON(after["to_follow_bytes"], 3);
        COMPARE_JSON(after["overhead_bytes"], 2);
        COMPARE_JSON(after["total_bytes"], 50);
    }

    void brokenTextInAFileStillGivesValidJson()
    {
        diagnose::Analysis analysis = handMadeDeath();
        analysis.file = "bad\xff.pickle";
        const std::string text = report::toString(summaryJson(analysis));
        COMPARE_JSON(parsed(text)["file"], "bad\xEF\xBF\xBD.pickle");
        QVERIFY(text.find('\n') == std::string::npos);
    }
};

TIDEMARK_TEST(TstJson)

} // namespace tidemark::tst_json

#include "tst_json.moc"
