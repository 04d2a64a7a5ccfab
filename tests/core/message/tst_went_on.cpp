// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/job_logs.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <array>
#include <optional>
#include <string>

namespace tidemark::tst_went_on {

using namespace tidemark::diagnose;

namespace {

const std::string kMessage =
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
    "capacity of 23.65 GiB of which 1.10 GiB is free. Of the allocated memory 20.00 GiB is "
    "allocated by PyTorch, and 1.90 GiB is reserved by PyTorch but unallocated.\n";

/// Where the run is said to have gone on to; empty: it is not.
std::string wentOnTo(const std::string& log)
{
    const std::optional<WentOn> went_on = explain(log).findings.went_on;
    return went_on ? went_on->step + '@' + std::to_string(went_on->line) : std::string();
}

} // namespace

class TstWentOn : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aCounterThatRisesTwiceMoreShowsIt_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("behind");
        QTest::addColumn<QString>("to");
        const auto row = [](const char* name, const char* before, const char* behind,
                            const char* to) { QTest::newRow(name) << before << behind << to; };
        row("steps", "step 1 loss 2.3\nstep 2 loss 2.2\n",
            "skipping batch\nstep 3 loss 2.1\nstep 4 loss 2.0\n", "step 4@6");
        row("the step is tried again", "step 2\n", "step 2\nstep 3\nstep 4\n", "step 4@5");
        row("fairseq", "2026-11-25 02:10:11 | INFO | train | epoch 001:    100 / 5000 loss=11.2\n",
            "2026-11-25 02:10:15 | WARNING | fairseq.trainer | attempting to recover from OOM in "
            "forward/backward pass\n"
            "2026-11-25 02:10:19 | INFO | train | epoch 001:    200 / 5000 loss=10.2\n"
            "2026-11-25 02:10:29 | INFO | train | epoch 001:    300 / 5000 loss=9.2\n",
            "300/5000@5");
        row("a bar", " 10%|#         | 10/100 [00:10<01:30, 1.00it/s]\n",
            " 11%|#         | 11/100 [00:11<01:30]\r 12%|#2        | 12/100 [00:12<01:30]\n",
            "12/100@3");
        row("the next epoch", "step 7\n", "step 8\nstep 9\nstep 1\n", "step 9@4");
        row("a trainer's last line", "", "{'train_runtime': 12.3, 'train_loss': 2.1}\n", "@2");
        // Near misses.
        row("nothing behind", "step 1\nstep 2\n", "", "");
        row("one line of another process", "step 2\n", "step 3\n", "");
        row("started anew", "step 7\n", "step 1\nstep 2\nstep 8\nstep 9\n", "");
        row("from a checkpoint", "step 200\n", "Resuming from checkpoint-200\nstep 300\nstep 400\n",
            "");
        row("by the launcher", "step 2\n",
            "torch.distributed.elastic.multiprocessing.api: failed (exitcode: 1)\nstep 3\nstep 4\n",
            "");
        row("another counter", "step 2\n", "retry step: 3\nretry step: 4\n", "");
        row("a script's farewell", "step 2\n", "Training finished.\n", "");
        row("what to do", "", "Step 1: lower the batch.\nStep 2: try again.\nStep 3: report.\n",
            "");
        row("times and dates", "2026-11-25 02:10:11\n",
            "2026-11-26 02:10:12\n2026-11-27 02:10:13\n", "");
    }
    void aCounterThatRisesTwiceMoreShowsIt()
    {
        QFETCH(const QString, before);
        QFETCH(const QString, behind);
        QFETCH(const QString, to);
        QCOMPARE(QString::fromStdString(
                     wentOnTo(before.toStdString() + kMessage + behind.toStdString())),
                 to);
    }
    void onlyTheLastMessageOfARankCounts()
    {
        const std::string steps = "step 3\nstep 4\n";
        QCOMPARE(wentOnTo("step 2\n" + kMessage + steps + kMessage), std::string());
        QCOMPARE(wentOnTo("step 2\n" + kMessage + steps + kMessage + "step 5\nstep 6\n"),
                 std::string("step 6@7"));
        // The hook of torchrun's workers prefixes what ended one; others print on.
        QCOMPARE(wentOnTo("step 2\n[rank1]: " + kMessage + steps), std::string());
    }
    void itIsSaid()
    {
        const Explanation e = explain("step 2\n" + kMessage + "step 3\nstep 4\n");
        QVERIFY2(e.headline.find("GPU 0 ran out of memory, but the run went on: ") == 0,
                 e.headline.c_str());
        QVERIFY2(e.explanation.find("The program caught it: its log goes on to step 4 (line 4).")
                     != std::string::npos,
                 e.explanation.c_str());
        QVERIFY(explain("step 2\n" + kMessage).headline.find("went on") == std::string::npos);
    }
    void whoCaughtItDidNotFailFirst()
    {
        const std::string caught =
            "2026-11-25 02:10:11 step 2\n2026-11-25 02:10:12 " + kMessage + "step 3\nstep 4\n";
        const std::string died = "2026-11-25 02:10:20 " + kMessage;
        const std::array<JobLog, 2> logs{explainOfJob("a", caught, {}),
                                         explainOfJob("b", died, {})};
        QVERIFY(!logs[0].hasFailed() && logs[1].hasFailed());
        QCOMPARE(firstToFail(logs), std::optional<std::size_t>(1));
    }
};

TIDEMARK_TEST(TstWentOn)

} // namespace tidemark::tst_went_on

#include "tst_went_on.moc"
