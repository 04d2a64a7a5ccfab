// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/job/job_check.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_jobs {
namespace {

using namespace tidemark::test;
using label::Bucket;

/// Our own recordings of real jobs, each with what is true of it in `job.json`.
class TestJobs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyJobIsJudgedRight_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<std::vector<std::string>>("says");
        const auto row = [](const char* folder, const std::vector<std::string>& words) {
            QTest::newRow(folder) << QString::fromLatin1(folder) << words;
        };
        const std::string whole = "Every rank keeps the whole optimizer state, 381 MiB; FSDP or "
                                  "ZeRO-1 would keep 1/4 of it.";
        row("gpu/jobs/all_equal", {"No rank differs: all 4 peak at 1.02 GiB", whole});
        row("gpu/jobs/ddp_captured",
            {"Only rank 2 ran out of memory in forward of step 4",
             "Ranks 0, 1 and 3 lost their connections: a consequence.",
             "(peak of Activations: +1.02 GiB). Its batches have 12× as many tokens, at "
             "training.py:81 "
             "forward.",
             "The others fit as they are."});
        row("gpu/jobs/ddp_one_dies",
            {"Its batches have 12× as many tokens (512 → 6144), at training.py:81 forward.",
             "The others fit as they are.", whole});
        row("gpu/jobs/evaluation",
            {"Rank 0 needs 391 MiB more than rank 1 (peak of Outputs: +750 MiB). It keeps 15 × "
             "46.9 "
             "MiB (logits) that rank 1 frees, allocated at training.py:105 forward."});
        row("gpu/jobs/four_fill_the_card",
            {"All 4 ranks ran out of memory within 6.1 ms: no rank is at fault.",
             "Ranks 0 to 3 seem to share one GPU"});
        row("gpu/jobs/fsdp2", {"The optimizer state is sharded: every rank keeps its part"});
        row("gpu/jobs/growth_over_time",
            {"It grows every step (93.8 MiB per step), allocated at training.py:105 forward.",
             "Outputs grow by 93.8 MiB from step to step on rank 1, at ranks.py:271 after.",
             "Rank 1: Stop keeping tensors from every step"});
        row("gpu/jobs/pipeline", {"fewer micro-batches in flight than the one before: by design"});
        row("gpu/jobs/rank0_loads_checkpoint",
            {"It keeps 190 MiB of weights that no other rank has, allocated at ranks.py:178"});
        row("jobs/ddp_uneven_oom_4",
            {"Only rank 3 ran out of memory in forward of step 2",
             "Its batches have 3× as many tokens (512 → 1536)"});
        row("jobs/fsdp2_4", {"No rank differs"});
        row("jobs/fsdp2_bf16_noreshard_4", {"No rank differs"});
        row("jobs/fsdp2_rank0_checkpoint_4",
            {"It keeps 97.7 MiB of weights that no other rank has, allocated at jobs.py:14"});
        row("jobs/pipeline_4", {"fewer micro-batches in flight than the one before: by design"});
        row("jobs/rl_moments",
            {"Outputs grow by 26.4 MiB from cycle to cycle on rank 0, at jobs.py:96"});
    }
    void everyJobIsJudgedRight()
    {
        QFETCH(QString, folder);
        QFETCH(std::vector<std::string>, says);
        const std::filesystem::path path = ownData() / folder.toStdString();
        const job::Job job = jobIn(path);
        compareWithTruth(path, job);
        for (const std::string& words : says) {
            QVERIFY2(saysOf(job, words), (words + " is not in\n" + textOf(job)).c_str());
        }
        for (const job::Outlier& outlier : job.outliers) {
            QVERIFY(!outlier.because.empty());
        }
    }

    /// One rank that failed while the others held as much says nothing that lets them pass.
    void whatTheOthersHoldDecidesWhetherTheyFit()
    {
        std::vector<job::RankSummary> rows = jobIn(ownData() / "jobs/ddp_uneven_oom_4").rows;
        QCOMPARE(rows.size(), std::size_t{4});
        const job::RankSummary failed = rows[3];
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            rows[rank] = failed;
            rows[rank].rank = rank;
            rows[rank].oom.reset();
        }
        const auto explained = [](std::vector<job::RankSummary> all) {
            job::Job job = job::judge(std::move(all));
            job::explain(job, job::rowOpener({}, {}), {});
            return job;
        };
        const job::Job job = explained(rows);
        QVERIFY2(saysOf(job, "The others had as much in use; they may need the same fix."),
                 textOf(job).c_str());
        QVERIFY(!saysOf(job, "The others fit"));
        rows = jobIn(ownData() / "jobs/ddp_uneven_oom_4").rows;
        QVERIFY(saysOf(explained(rows), "The others fit as they are."));
        rows.erase(rows.begin()); // Of a rank without a dump it is not known.
        QVERIFY(!saysOf(explained(rows), "The others"));
    }

    /// Of ranks with equal memory one asked for more: no place in it is the reason.
    void aRequestAloneHasNoPlace()
    {
        std::vector<job::RankSummary> rows = jobIn(ownData() / "gpu/jobs/four_fill_the_card").rows;
        QCOMPARE(rows.size(), std::size_t{4});
        for (std::size_t rank = 0; rank < 3; ++rank) {
            rows[rank].oom.reset();
        }
        rows[3].oom->requested = Bytes{10 * kGiB.value};
        job::Job job = job::judge(std::move(rows));
        job::explain(job, job::rowOpener({}, {}), {});
        QVERIFY2(saysOf(job, "Rank 3 needs 10.0 GiB more than rank"), textOf(job).c_str());
        QCOMPARE(job.outliers.size(), std::size_t{1});
        QCOMPARE(job.outliers.front().because, std::string());
    }

    void theBucketIsThatOfTheCause_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<Bucket>("bucket");
        QTest::newRow("ddp_one_dies")
            << QStringLiteral("gpu/jobs/ddp_one_dies") << Bucket::activation;
        QTest::newRow("ddp_captured")
            << QStringLiteral("gpu/jobs/ddp_captured") << Bucket::activation;
        QTest::newRow("ddp_uneven")
            << QStringLiteral("jobs/ddp_uneven_oom_4") << Bucket::activation;
        QTest::newRow("evaluation") << QStringLiteral("gpu/jobs/evaluation") << Bucket::output;
        QTest::newRow("growth") << QStringLiteral("gpu/jobs/growth_over_time") << Bucket::output;
        QTest::newRow("checkpoint")
            << QStringLiteral("gpu/jobs/rank0_loads_checkpoint") << Bucket::parameter;
        QTest::newRow("checkpoint of FSDP")
            << QStringLiteral("jobs/fsdp2_rank0_checkpoint_4") << Bucket::parameter;
    }
    void theBucketIsThatOfTheCause()
    {
        QFETCH(QString, folder);
        QFETCH(Bucket, bucket);
        const job::Job job = jobIn(ownData() / folder.toStdString());
        QCOMPARE(job.outliers.size(), std::size_t{1});
        QCOMPARE(job.outliers.front().bucket, bucket);
    }
};

} // namespace

TIDEMARK_TEST(TestJobs)

} // namespace tidemark::tst_jobs

#include "tst_jobs.moc"
