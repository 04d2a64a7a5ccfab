// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/job/job_check.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_others_jobs {
namespace {

using namespace tidemark::test;

class TestOthersJobs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// torchtitan on four cards: all ask for the logits in the loss, within 105 ms.
    void noneIsAtFaultWhereAllFailInStep()
    {
        TIDEMARK_NEED_OTHERS();
        const std::filesystem::path folder = othersData() / "snapshots/jobs/titan_oom_4";
        if (!std::filesystem::exists(folder / "job.json")) {
            QSKIP("the recording is not there");
        }
        const job::Job job = jobIn(folder);
        compareWithTruth(folder, job);
        QVERIFY(!job.first->certain);
        QVERIFY(job.first->same_request);
        QVERIFY2(saysOf(job, "All 4 ranks ran out of memory within 104.9 ms, "),
                 textOf(job).c_str());
        QVERIFY2(saysOf(job, "each requesting 3.91 GiB: no rank is at fault."),
                 textOf(job).c_str());
    }
};

} // namespace

TIDEMARK_TEST(TestOthersJobs)

} // namespace tidemark::tst_others_jobs

#include "tst_others_jobs.moc"
