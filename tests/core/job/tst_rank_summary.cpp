// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/rank_summary.h"
#include "core/job/summary_json.h"
#include "core/pipeline/pipeline.h"
#include "tests/core/job/job_check.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace tidemark::tst_rank_summary {
namespace {

using job::RankSummary;
using Json = nlohmann::ordered_json;

std::filesystem::path jobFile(const char* name)
{
    return test::ownData() / "gpu" / "jobs" / name;
}

diagnose::Analysis analysed(const std::filesystem::path& file)
{
    pipeline::Options options;
    options.last = pipeline::Stage::programs;
    NoProgress silent;
    return pipeline::analyze(file, options, silent, {}).value();
}

/// As `summary --json` gives it, with nothing of the row left out but what a file is called.
Json summaryOf(const RankSummary& row)
{
    return {{"file", row.file},
            {"format", {{"route", "pickle"}}},
            {"devices",
             {{{"device", row.device},
               {"kind", "gpu"},
               {"events", row.events},
               {"peak", {{"requested_bytes", row.peak.value}}},
               {"for_ranks", job::toJson(row)}}}}};
}

std::int64_t sum(const label::BucketBytes& bytes)
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

} // namespace

class TstRankSummary : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatFailedCounts()
    {
        RankSummary row;
        row.decisive[0] = 100;
        row.decisive[5] = 20;
        QCOMPARE(row.wanted(), Bytes{120});
        row.oom.emplace().requested = Bytes{30};
        QCOMPARE(row.wanted(), Bytes{150});
        row.oom->went_on = true;
        QVERIFY(!row.hasFailed());
        QCOMPARE(row.wanted(), Bytes{120});
    }

    /// A rank that ran out: what it held just before, and what it asked for, by the recording's own
    /// notes in job.json.
    void aRankThatRanOut()
    {
        job::DumpName name;
        name.rank = 2;
        const auto analysis = analysed(jobFile("ddp_one_dies/snapshot_oom_rank_2.pickle.xz"));
        const std::vector<RankSummary> rows = job::summarize(analysis, name);
        QCOMPARE(rows.size(), std::size_t{1});
        const RankSummary& row = rows.front();
        QCOMPARE(row.rank, std::optional(2U));
        QVERIFY(row.oom);
        QCOMPARE(row.oom->requested, Bytes{294'912'000});
        QCOMPARE(row.oom->device_free, std::optional(Bytes{140'738'166'784}));
        QCOMPARE(row.peak, Bytes{2'114'453'716});
        QCOMPARE(sum(row.decisive), row.oom->active.value);
        // The recording noted the moment by Python's clock, behind the exception.
        const std::int64_t noted = 1'795'800'806'419'289;
        const std::int64_t time = microseconds(*row.oom->time);
        QVERIFY(time <= noted && noted - time < 1'000'000);
        QVERIFY(!row.places.empty());
        QVERIFY(row.places.front().bytes >= row.places.back().bytes);
        QVERIFY(row.capacity && *row.capacity >= row.reserved);
    }

    /// A request of its first step that failed, and the run went on: its peak decides.
    void aFailureThatWasCaughtDecidesNothing()
    {
        const auto analysis = analysed(jobFile("all_equal/memory_snapshot_time1795800869.6205008_"
                                               "rank0_snapshot.pickle.xz"));
        const std::size_t d = analysis.mainDevice();
        const RankSummary before = job::summarize(analysis).front();
        QVERIFY(before.steps > 1);
        // The analysis is this test's alone.
        auto& replay = *std::const_pointer_cast<replay::Replay>(analysis.replay);
        const label::Step& first = analysis.labels->devices[d].steps.front();
        EventId failed = first.first_event;
        while (analysis.snapshot->devices[d].events.action[failed.index()]
               != trace::Action::alloc) {
            failed = EventId(failed.index() + 1);
        }
        replay.devices[d].ooms.push_back(failed);
        const RankSummary row = job::summarize(analysis).front();
        QVERIFY(row.oom && !row.hasFailed());
        QCOMPARE(row.wanted(), before.wanted());
        QVERIFY(row.decisive == before.decisive);
        QVERIFY(row.places == before.places);
        QCOMPARE(row.decisive_phase, before.decisive_phase);
    }

    /// A server has no steps: that it goes on is seen by what it allocates.
    void whatGoesOnAllocatingWasNotEnded()
    {
        const auto analysis = analysed(test::ownData() / "gpu/runs/generate.pickle.xz");
        const std::size_t d = analysis.mainDevice();
        const auto& events = analysis.snapshot->devices[d].events;
        // The analysis is this test's alone.
        auto& ooms = std::const_pointer_cast<replay::Replay>(analysis.replay)->devices[d].ooms;
        const auto failsAt = [&](std::size_t index) {
            ooms = {EventId(index)};
            const RankSummary row = job::summarize(analysis).front();
            const auto read = job::parseSummary(summaryOf(row).dump(), {});
            return row.oom && row.hasFailed() && read.value().front().hasFailed();
        };
        QVERIFY(!failsAt(events.count() / 4));
        QVERIFY(failsAt(events.count() - 1));
    }

    /// torch.profiler's scopes around each step: `summary` and `diagnose` say their numbers, too.
    void theStepIsNumberedAsByItsProgram()
    {
        const auto analysis = analysed(jobFile("ddp_captured/run.rank2-of-4.oom.pickle.xz"));
        // The analysis is this test's alone.
        trace::Snapshot& snapshot = *std::const_pointer_cast<trace::Snapshot>(analysis.snapshot);
        const std::size_t d = analysis.mainDevice();
        const trace::Events& events = snapshot.devices[d].events;
        const std::int32_t index = snapshot.devices[d].index;
        std::int64_t number = 210;
        for (const label::Step& step : analysis.labels->devices[d].stepsBegun()) {
            const std::string name = "ProfilerStep#" + std::to_string(number++);
            const auto at = [&](EventId event) { return events.time[event.index()]; };
            snapshot.annotations.push_back(
                {snapshot.strings.intern(name), true, index, at(step.first_event) - Duration(1)});
            snapshot.annotations.push_back(
                {snapshot.strings.intern(name), false, index, at(step.last_event)});
        }
        label::DeviceLabels& labels =
            std::const_pointer_cast<label::Labels>(analysis.labels)->devices[d];
        labels.numbers = label::StepNumbers(snapshot, snapshot.devices[d], labels);
        const RankSummary row = job::summarize(analysis, {}).front();
        QVERIFY(row.oom && row.oom->step > 0);
        QCOMPARE(row.oom->stated_step, std::optional<std::int64_t>(209 + row.oom->step));
        const auto read = job::parseSummary(summaryOf(row).dump(), {});
        QCOMPARE(read.value().front().oom->stated_step, row.oom->stated_step);
        const job::Job job = job::judge({row});
        QVERIFY2(test::saysOf(job, "in forward of step " + std::to_string(209 + row.oom->step)),
                 test::textOf(job).c_str());
    }

    void theCurveHasThePeak()
    {
        const auto analysis = analysed(jobFile("all_equal/memory_snapshot_time1795800869.6205008_"
                                               "rank0_snapshot.pickle.xz"));
        const RankSummary row = job::summarize(analysis).front();
        QVERIFY(row.curve.points.size() <= job::kCurvePoints);
        std::int64_t highest = 0;
        std::int64_t before = -2;
        for (const job::RankCurve::Point& point : row.curve.points) {
            highest = std::max(highest, sum(point.buckets));
            QVERIFY(point.event > before);
            before = point.event;
        }
        QCOMPARE(highest, row.peak.value);
        QCOMPARE(row.peak, Bytes{1'092'925'660});
    }

    void captureSaysWhoItIs()
    {
        job::DumpName wrong;
        wrong.rank = 7;
        const auto analysis = analysed(jobFile("ddp_captured/run.rank2-of-4.oom.pickle.xz"));
        const RankSummary row = job::summarize(analysis, wrong).front();
        QCOMPARE(row.rank, std::optional(2U));
        QCOMPARE(row.named_rank, std::optional(7U));
        QCOMPARE(row.world_size, std::optional(4U));
        QCOMPARE(row.moment.kind, job::DumpKind::oom);
        QCOMPARE(row.card, std::string("NVIDIA H200"));
    }

    void jsonKeepsEverything()
    {
        for (const char* const file : {"ddp_captured/run.rank2-of-4.oom.pickle.xz",
                                       "pipeline/memory_snapshots/step_2/"
                                       "snapshot_rank01_p1d0c0t0.pickle.xz"}) {
            job::DumpName name;
            name.moment.step = 2;
            name.coordinates = {{"pp", 1}, {"dp", 0}};
            RankSummary row = job::summarize(analysed(jobFile(file)), name).front();
            const std::string line = summaryOf(row).dump();
            QVERIFY(line.size() < 200'000);
            QVERIFY(job::looksLikeSummary(std::string_view(line).substr(0, 1024)));
            row.snapshot.clear(); // Is where the file was, not what it says.
            const auto read = job::parseSummary(line, {});
            QVERIFY(read.has_value());
            QCOMPARE(read.value().size(), std::size_t{1});
            QVERIFY(read.value().front() == row);
            const auto lean = job::parseSummary(line, {}, {.keeps_curves = false});
            QVERIFY(lean.value().front().curve.points.empty());
        }
    }

    /// Where the files come together their names say more than one name alone; what the capture
    /// module noted stays.
    void laterNamesWin()
    {
        RankSummary row;
        row.rank = 0;
        row.named_rank = 0;
        job::DumpName name;
        name.rank = 3;
        name.moment.step = 9;
        job::applyName(row, name);
        QCOMPARE(row.rank, std::optional(3U));
        QCOMPARE(row.moment.step, std::optional<std::int64_t>(9));
        row.rank = 5; // Noted.
        job::applyName(row, name);
        QCOMPARE(row.rank, std::optional(5U));
        QCOMPARE(row.named_rank, std::optional(3U));
    }

    /// A run is named for what it shows; a dump made at an OOM has its event.
    void aRunNamedForOoms()
    {
        job::DumpName name;
        name.moment.kind = job::DumpKind::oom;
        RankSummary row;
        row.events = 10;
        job::applyName(row, name);
        QVERIFY(row.moment.isNone());
        row.oom.emplace();
        job::applyName(row, name);
        QCOMPARE(row.moment.kind, job::DumpKind::oom);
        RankSummary without_trace;
        job::applyName(without_trace, name);
        QCOMPARE(without_trace.moment.kind, job::DumpKind::oom);
    }

    /// Of releases that wrote no "for_ranks".
    void plainSummaries()
    {
        const Json plain{
            {"file", "a.pickle"},
            {"format", {{"route", "pickle"}}},
            {"capture", {{"rank", 1}, {"world_size", 2}, {"reason", "oom"}, {"torch", "2.9.0"}}},
            {"devices",
             {{{"device", 0},
               {"kind", "gpu"},
               {"events", 10},
               {"start_requested_bytes", 5},
               {"reserved_end_bytes", 900},
               {"peak",
                {{"requested_bytes", 700},
                 {"reserved_bytes", 800},
                 {"buckets", {{"activation", 700}}}}},
               {"ooms",
                {{{"event", 9},
                  {"time_us", 1234},
                  {"requested_bytes", 50},
                  {"requested_total_bytes", 650},
                  {"reserved_bytes", 900},
                  {"buckets", {{"activation", 650}}}}}}},
              {{"device", 1},
               {"kind", "gpu"},
               {"events", 0},
               {"reserved_end_bytes", 0},
               {"peak", {}}},
              {{"device", -1}, {"kind", "host"}, {"events", 4}, {"peak", {}}}}}};
        const auto rows = job::parseSummary(plain.dump(), {});
        QVERIFY(rows.has_value());
        QCOMPARE(rows.value().size(), std::size_t{1});
        const RankSummary& row = rows.value().front();
        QCOMPARE(row.rank, std::optional(1U));
        QCOMPARE(row.world_size, std::optional(2U));
        QCOMPARE(row.wanted(), Bytes{700});
        QCOMPARE(microseconds(*row.oom->time), std::int64_t{1234});
        QVERIFY(row.starts_in_use);
    }

    /// As `jq .` or an editor writes it, and with a broken one among them.
    void summariesOverSeveralLines()
    {
        RankSummary row;
        row.events = 5;
        const auto named = [&row](const char* file) {
            row.file = file;
            return summaryOf(row);
        };
        const QTemporaryDir folder;
        const std::filesystem::path file =
            std::filesystem::path(folder.path().toStdString()) / "all.json";
        std::ofstream(file) << named("rank0.pickle").dump(2) << '\n'
                            << named("rank1.pickle").dump()
                            << "\n{\n  \"file\": 7\n}\n\n}\n{\"file\": \"cut" << '\n'
                            << named("rank2.pickle").dump(1, '\t');
        const job::Job read = test::jobIn(folder.path().toStdString());
        QCOMPARE(read.rows.size(), std::size_t{4}); // The broken ones are one row.
        QCOMPARE(
            std::ranges::count_if(read.rows, [](const RankSummary& r) { return r.error.empty(); }),
            std::ptrdiff_t{3});
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            QCOMPARE(std::ranges::count(read.rows, std::optional(rank), &RankSummary::rank),
                     std::ptrdiff_t{1});
        }
    }

    void brokenSummaries_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut off") << QByteArray("{\"file\": \"a\", \"devices\": [{\"dev");
        QTest::newRow("no devices") << QByteArray(R"({"file": "a"})");
        QTest::newRow("a list") << QByteArray("[]");
        QTest::newRow("too deep") << QByteArray(100'000, '[');
    }
    void brokenSummaries()
    {
        QFETCH(QByteArray, line);
        const auto rows = job::parseSummary(line.toStdString(), {});
        QVERIFY(!rows.has_value());
        QCOMPARE(rows.error().code, ErrorCode::damaged);
    }

    /// Wrong kinds are as if they were not said.
    void hostileSummaries()
    {
        const auto rows = job::parseSummary(
            R"({"file": 3, "devices": [{"device": "x", "kind": 7, "events": [], "peak": 3,
                "for_ranks": {"rank": -4, "world_size": 1e99, "moment": [], "oom": "no",
                "coordinates": [1], "places": [[], 5, ["a", 2, {}, "b", null]], "dimensions": 4,
                "in_use": [4, null], "curve": {"events": [1, 2], "times_us": "x", "buckets": {"activation": 4}},
                "decisive": {"activation": "much", "nonsense": 4}}}, 17, null]})",
            {});
        QVERIFY(rows.has_value());
        QCOMPARE(rows.value().size(), std::size_t{1});
        const RankSummary& row = rows.value().front();
        QVERIFY(!row.rank && !row.world_size);
        QCOMPARE(row.wanted().value, std::int64_t{0} + (row.oom ? row.oom->requested.value : 0));
        QCOMPARE(row.curve.points.size(), std::size_t{2});
    }

    /// Nor is a figure that no memory has: sums of it would overflow.
    void impossibleFigures()
    {
        for (const std::string figure :
             {"9223372036854775807", "-9223372036854775808", "18446744073709551615"}) {
            const auto rows = job::parseSummary(
                R"({"file": "a", "devices": [{"device": 0, "events": 4, "peak": {"requested_bytes": )"
                    + figure + R"(}, "for_ranks": {"reserved_bytes": )" + figure
                    + R"(, "capacity_bytes": )" + figure + R"(, "last_time_us": )" + figure
                    + R"(, "decisive": {"activation": )" + figure + R"(, "gradient": 5}}}]})",
                {});
            QVERIFY(rows.has_value());
            const RankSummary& row = rows.value().front();
            QCOMPARE(row.peak, Bytes{});
            QCOMPARE(row.reserved, Bytes{});
            QVERIFY(!row.capacity && !row.last_time);
            QCOMPARE(sum(row.decisive), std::int64_t{5});
        }
    }

    void whatFailedToBeRead()
    {
        job::DumpName name;
        name.rank = 4;
        const auto rows =
            job::parseSummary(R"({"file": "a.pickle", "error": "It is empty."})", name);
        QVERIFY(rows.has_value());
        QCOMPARE(rows.value().front().error, std::string("It is empty."));
        QCOMPARE(rows.value().front().rank, std::optional(4U));
    }

    void snapshotsAreNoSummaries()
    {
        QVERIFY(!job::looksLikeSummary(R"({"segments": [{"address": 1)"));
        QVERIFY(!job::looksLikeSummary(R"({"first_to_fail": 3, "outliers": [3], "why": "x"})"));
        QVERIFY(!job::looksLikeSummary("\x80\x04"));
        QVERIFY(job::looksLikeSummary(R"({"file":"a.pickle","error":"It is empty."})"));
    }
};

TIDEMARK_TEST(TstRankSummary)

} // namespace tidemark::tst_rank_summary

#include "tst_rank_summary.moc"
