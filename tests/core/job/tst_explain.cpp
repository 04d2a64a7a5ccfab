// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/read_job.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::tst_explain {
namespace {

using job::Job;
using job::RankSummary;
using label::Bucket;

constexpr std::int64_t kBytes = kGiB.value;

/// Four ranks, of which one holds more at one line.
std::vector<RankSummary> ranks(std::int64_t more)
{
    std::vector<RankSummary> rows(4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        RankSummary& row = rows[rank];
        row.rank = rank;
        row.file = "rank" + std::to_string(rank);
        row.decisive[label::indexOf(Bucket::activation)] = kBytes + (rank == 2 ? more : 0);
        row.places.push_back({"model.py:7 forward", "linear", Bucket::activation,
                              Bytes{row.decisive[label::indexOf(Bucket::activation)]}, 1});
    }
    return rows;
}

/// What is said where no snapshot is at hand.
Job explained(std::vector<RankSummary> rows)
{
    Job job = job::judge(std::move(rows));
    job::explain(job,
                 [](const RankSummary&, pipeline::Stage) -> Result<diagnose::Analysis> {
                     return Error{ErrorCode::cannotOpen, "Only its summary is here.", {}};
                 },
                 {});
    return job;
}

std::string because(const Job& job)
{
    return job.outliers.size() == 1 ? job.outliers.front().because : std::string();
}

class TestExplain : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void placesOfSummariesTellTheCause()
    {
        QCOMPARE(because(explained(ranks(2 * kBytes))),
                 std::string("The allocations of model.py:7 forward are 3× as large (Activations: "
                             "2.00 GiB more)."));
        QCOMPARE(because(explained(ranks(-kBytes / 2))),
                 std::string("Rank 1 has 512 MiB more there (Activations), allocated at "
                             "model.py:7 forward."));
    }
    void whatOneRankAloneHoldsIsNamed()
    {
        std::vector<RankSummary> rows = ranks(0);
        rows[2].decisive[label::indexOf(Bucket::parameter)] = kBytes;
        rows[2].places.push_back({"load.py:3 main", "to", Bucket::parameter, Bytes{kBytes}, 9});
        QCOMPARE(because(explained(rows)),
                 std::string("It has 1.00 GiB (Parameters) that no other rank has, allocated at "
                             "load.py:3 main."));
        rows[0].places.push_back({"load.py:3 main", "to", Bucket::parameter, Bytes{kBytes}, 9});
        QCOMPARE(because(explained(rows)),
                 std::string("It has 1.00 GiB (Parameters) that rank 1 does not have, allocated "
                             "at load.py:3 main."));
    }
    void dimensionsComeBeforePlaces()
    {
        std::vector<RankSummary> rows = ranks(2 * kBytes);
        for (RankSummary& row : rows) {
            row.dimensions["sequence"] = row.rank == 2U ? 384 : 128;
        }
        QCOMPARE(because(explained(rows)),
                 std::string("Its sequences are 3× as long (128 → 384)."));
        for (RankSummary& row : rows) { // The rank that holds more has the shorter ones.
            row.dimensions["sequence"] = row.rank == 2U ? 64 : 128;
        }
        QVERIFY(because(explained(rows)).starts_with("The allocations of model.py:7"));
    }
    /// The only one that did not fail held as much: it had not asked yet.
    void whatOthersAskedForIsNotLackedByTheLast()
    {
        std::vector<RankSummary> rows = ranks(0);
        for (RankSummary& row : rows) {
            if (row.rank != 3U) {
                row.oom.emplace().requested = Bytes{kBytes / 4};
            }
        }
        QVERIFY(explained(rows).outliers.empty());
        rows[3].decisive[label::indexOf(Bucket::activation)] = kBytes / 2;
        const Job less = explained(rows);
        QCOMPARE(less.outliers.size(), std::size_t{1});
        QCOMPARE(less.rows.at(less.outliers.front().row).rank, std::optional(3U));
    }
    void nothingIsSaidWithoutAReason()
    {
        std::vector<RankSummary> rows = ranks(2 * kBytes);
        for (RankSummary& row : rows) {
            row.places.clear();
        }
        const Job job = explained(rows);
        QCOMPARE(because(job), std::string());
        QCOMPARE(job.outliers.size(), std::size_t{1});
    }
};

} // namespace

TIDEMARK_TEST(TestExplain)

} // namespace tidemark::tst_explain

#include "tst_explain.moc"
