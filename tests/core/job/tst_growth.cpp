// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/job/job_rows.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::tst_growth {
namespace {

using namespace tidemark::test;

/// Several dumps of each rank.
class TestGrowth : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatRisesFromDumpToDumpIsSaid()
    {
        std::vector<RankSummary> rows;
        for (std::uint32_t rank = 0; rank < 4; ++rank) {
            for (const int step : {2, 5}) {
                RankSummary row = rankOf(rank);
                row.file += std::to_string(step);
                row.moment.step = step;
                row.last_time = TimePoint(Duration(step));
                of(row.at_end, Bucket::output) = rank == 1 ? step * 50 * kMiBytes : kMiBytes;
                of(row.at_end, Bucket::gradient) = step * kMiBytes; // On all of them, twice seen.
                if (rank == 1) {
                    row.places.push_back({"jobs.py:96 train", "linear", Bucket::output,
                                          Bytes{step * 50 * kMiBytes}, step});
                }
                rows.push_back(row);
            }
        }
        const Job job = job::judge(rows);
        QVERIFY(says(job, "Outputs grow by 50.0 MiB from step to step on rank 1, at jobs.py:96"));
        QVERIFY(!says(job, "Gradients"));
    }

    void momentsOfTheSameWordsAreHeldAgainstEachOther()
    {
        std::vector<RankSummary> rows;
        for (int cycle = 0; cycle < 4; ++cycle) {
            for (const std::string_view part : {"rollout", "train"}) {
                RankSummary row = rankOf(0);
                row.file = fmt::format("cycle{} {}", cycle, part);
                row.moment.words = row.file;
                row.last_time = TimePoint(Duration(2 * cycle + (part == "train" ? 1 : 0)));
                // One dump does not see yet that it is kept.
                of(row.at_end, cycle == 0 ? Bucket::temporary : Bucket::output) =
                    (cycle + 1) * 26 * kMiBytes;
                of(row.at_end, Bucket::kv_cache) = part == "train" ? 0 : kGiBytes;
                rows.push_back(row);
            }
        }
        QVERIFY(says(job::judge(rows), "Outputs grow by 26.0 MiB from cycle to cycle on rank 0."));
        for (RankSummary& row : rows) { // Once, and then no more.
            of(row.at_end, Bucket::output) = row.file.starts_with("cycle0") ? 0 : kGiBytes;
        }
        QVERIFY(!says(job::judge(rows), "rise"));
    }
};

} // namespace

TIDEMARK_TEST(TestGrowth)

} // namespace tidemark::tst_growth

#include "tst_growth.moc"
