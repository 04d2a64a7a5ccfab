// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/job.h"
#include "core/job/read_job.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tidemark::tst_any_rows {
namespace {

using job::Job;
using job::RankSummary;

class Rows {
public:
    explicit Rows(unsigned seed)
        : m_random(seed)
    {
    }

    std::vector<RankSummary> make()
    {
        std::vector<RankSummary> rows;
        const std::int64_t count = upTo(24);
        for (std::int64_t i = 0; i < count; ++i) {
            rows.push_back(row());
        }
        return rows;
    }

private:
    std::int64_t upTo(std::int64_t most)
    {
        return std::uniform_int_distribution<std::int64_t>(0, most)(m_random);
    }
    bool oneIn(std::int64_t many)
    {
        return upTo(many - 1) == 0;
    }
    label::BucketBytes bytes()
    {
        label::BucketBytes all{};
        for (std::int64_t& b : all) {
            b = oneIn(3) ? upTo(std::int64_t{1} << 40) : oneIn(9) ? -1 : kGiB.value;
        }
        return all;
    }
    RankSummary row()
    {
        RankSummary row;
        row.file = std::to_string(upTo(30));
        row.error = oneIn(9) ? "damaged" : "";
        if (!oneIn(5)) {
            row.rank = static_cast<std::uint32_t>(oneIn(40) ? 4'000'000'000 : upTo(9));
        }
        if (oneIn(20)) {
            row.world_size = static_cast<std::uint32_t>(oneIn(2) ? 4'000'000'000 : upTo(12));
        }
        if (oneIn(2)) {
            row.last_time = TimePoint(Duration(upTo(1000)));
        }
        if (oneIn(3)) {
            row.moment.step = upTo(4);
            row.moment.kind = static_cast<job::DumpKind>(upTo(2));
            row.moment.words = oneIn(2) ? "cycle" + std::to_string(upTo(3)) : "";
        }
        for (const char* name : {"pp", "dp", "tp"}) {
            if (oneIn(4)) {
                row.coordinates[name] = upTo(2);
            }
        }
        row.host = oneIn(3) ? "node" + std::to_string(upTo(1)) : "";
        row.failure = oneIn(4) ? "Connection closed by peer" : "";
        row.steps = static_cast<std::uint32_t>(upTo(5));
        row.decisive = bytes();
        row.largest = bytes();
        row.at_end = bytes();
        row.has_segments = !oneIn(5);
        row.starts_in_use = oneIn(5);
        row.card = oneIn(4) ? "NVIDIA H200" : "";
        row.in_use = oneIn(3) ? std::vector<std::string>{"zero-1"} : std::vector<std::string>{};
        row.dimensions["tokens"] = upTo(3);
        row.places.push_back({"a.py:1 f", "linear", label::bucketAt(5), Bytes{upTo(99999999)}, 1});
        if (oneIn(3) && row.isRead()) {
            row.oom.emplace();
            row.oom->requested = Bytes{upTo(1 << 30)};
            row.oom->reserved = Bytes{upTo(std::int64_t{1} << 38)};
            row.oom->device_free = Bytes{upTo(1 << 24)};
            row.oom->step = static_cast<std::uint32_t>(upTo(5));
            row.oom->phase = oneIn(2) ? "forward" : "";
            if (!oneIn(4)) {
                row.oom->time = TimePoint(Duration(upTo(300'000)));
            }
        }
        return row;
    }

    std::mt19937 m_random;
};

class TestAnyRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whateverIsReadIsJudged()
    {
        for (unsigned seed = 0; seed < 3000; ++seed) {
            std::vector<RankSummary> rows = Rows(seed).make();
            Job job = job::judge(rows);
            job::explain(job,
                         [](const RankSummary&, pipeline::Stage) -> Result<diagnose::Analysis> {
                             return Error{ErrorCode::cannotOpen, "", {}};
                         },
                         {});
            QCOMPARE(job.rows.size(), rows.size());
            QVERIFY(std::ranges::is_sorted(job.deciding));
            std::set<std::uint32_t> decided;
            for (const std::size_t row : job.deciding) {
                const auto rank = job.rows.at(row).rank;
                QVERIFY(!rank || decided.insert(*rank).second);
            }
            const auto decides = [&job](std::size_t row) {
                return std::ranges::binary_search(job.deciding, row) && job.rows[row].isRead();
            };
            QVERIFY(!job.first || decides(job.first->row));
            QVERIFY(!job.median || decides(*job.median));
            for (const job::Outlier& outlier : job.outliers) {
                QVERIFY(decides(outlier.row) && decides(outlier.against));
                QVERIFY(outlier.row != outlier.against);
                QCOMPARE(outlier.delta,
                         job.rows[outlier.row].wanted() - job.rows[outlier.against].wanted());
            }
            // The order of the files says nothing.
            std::shuffle(rows.begin(), rows.end(), std::mt19937(seed));
            const Job again = job::judge(rows);
            QCOMPARE(again.world_size, job.world_size);
            QCOMPARE(again.missing, job.missing);
            QCOMPARE(again.deciding.size(), job.deciding.size());
        }
    }
};

} // namespace

TIDEMARK_TEST(TestAnyRows)

} // namespace tidemark::tst_any_rows

#include "tst_any_rows.moc"
