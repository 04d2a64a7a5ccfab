// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/explain.h"
#include "core/message/job_logs.h"
#include "tests/core/message/fix_of.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_explain_logs {

using namespace tidemark::diagnose;
using test::fixOf;

namespace {

/// A message with "this process has", in GiB.
std::string message(double tried, double total, double free, double process, double allocated)
{
    return fmt::format(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {:.2f} GiB. GPU 0 has a "
        "total capacity of {:.2f} GiB of which {:.2f} GiB is free. Including non-PyTorch memory, "
        "this process has {:.2f} GiB memory in use. Of the allocated memory {:.2f} GiB is "
        "allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.\n",
        tried, total, free, process, allocated);
}

std::string smiProcesses(const std::vector<std::pair<int, int>>& processes)
{
    std::string table = "| Processes:                                                        |\n"
                        "|  GPU   GI   CI        PID   Type   Process name        GPU Memory |\n"
                        "|        ID   ID                                         Usage      |\n"
                        "|===================================================================|\n";
    for (const auto& [pid, mib] : processes) {
        table += fmt::format("|    0   N/A  N/A   {:>7}      C   python   {:>8}MiB |\n", pid, mib);
    }
    return table;
}

Cause causeOf(const std::string& text)
{
    return explain(text).causes.front().cause;
}

const CauseFinding* finding(const Explanation& explanation, Cause cause)
{
    const auto found = std::ranges::find(explanation.causes, cause, &CauseFinding::cause);
    return found == explanation.causes.end() ? nullptr : &*found;
}

bool hasText(const CauseFinding* finding, std::string_view words)
{
    return finding != nullptr && std::ranges::any_of(finding->evidence, [&](const Evidence& e) {
               return e.text.find(words) != std::string::npos;
           });
}

const std::string kFull = message(3, 23.69, 1.5, 21.25, 20);

} // namespace

/// Whole logs: tables of nvidia-smi, schedulers, stages, ranks, figures that rise.
class TstExplainLogs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thisProcessIsNoStranger()
    {
        // The one process that nvidia-smi lists is this one, whatever its id is there.
        const Explanation one = explain(kFull + smiProcesses({{2086283, 21760}}));
        QVERIFY(finding(one, Cause::other_process) == nullptr);
        QVERIFY(finding(one, Cause::duplicate_ranks) == nullptr);
        QCOMPARE(fixOf(one, "other-process").status, FixStatus::not_applicable);
        // Of two, the other one.
        const Explanation two =
            explain(message(2, 23.69, 0.5, 10.25, 10) + smiProcesses({{11, 10496}, {12, 13100}}));
        QCOMPARE(two.causes.front().cause, Cause::other_process);
        QVERIFY(hasText(finding(two, Cause::other_process), "12.8 GiB"));
        // Never more than the card has: 10.25 and 21.46 GiB do not both lie on 23.69 GiB.
        const Explanation stale =
            explain(message(2, 23.69, 12.9, 10.25, 10) + smiProcesses({{11, 21975}}));
        QVERIFY(finding(stale, Cause::other_process) == nullptr);
    }

    void whatNobodyIsNamedForBelongsToOthers()
    {
        const Explanation zombie = explain(message(2, 23.69, 0.5, 2.6, 2));
        QCOMPARE(zombie.causes.front().cause, Cause::other_process);
        QVERIFY(hasText(finding(zombie, Cause::other_process), "20.59 GiB"));
        QVERIFY(!fixOf(zombie, "other-process").fits);
        // A driver's own gigabyte is nobody's.
        QVERIFY(finding(explain(message(2, 23.69, 1.2, 21.5, 21)), Cause::other_process)
                == nullptr);
    }

    void csvOfNvidiaSmiIsRead()
    {
        const std::string figures = message(2, 23.69, 0.5, 2.6, 2);
        const Explanation apps =
            explain(figures
                    + "pid, process_name, used_gpu_memory [MiB]\n4121, python, 2662 MiB\n"
                      "2086, /usr/bin/python3, 20100 MiB\n\nmore, of, 99 MiB\n");
        QCOMPARE(apps.causes.front().cause, Cause::other_process);
        QVERIFY(hasText(finding(apps, Cause::other_process), "19.6 GiB"));
        QCOMPARE(apps.findings.readings.size(), 2UL);
        const Explanation cards =
            explain("index, name, memory.used [MiB], memory.free [MiB], memory.total [MiB]\n"
                    "0, NVIDIA A100-SXM4-80GB, 79321 MiB, 1599 MiB, 81920 MiB\n"
                    "1, NVIDIA A100-SXM4-80GB, 3, 81000, 81920\n"
                    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n");
        QCOMPARE(cards.findings.readings.size(), 6UL);
        const MemoryReading& last = cards.findings.readings.back();
        QCOMPARE(last.gpu, std::optional<std::int64_t>(1));
        QCOMPARE(last.source, std::string("nvidia-smi"));
    }

    void whatASchedulerEndedRanOutOfNothing()
    {
        const std::string killed = "job.sh: line 12: 4121 Killed    python train.py\n"
                                   "srun: error: node01: task 0: Exited with exit code 137\n";
        QCOMPARE(causeOf(killed), Cause::host_memory);
        for (const char* const why : {"TIME LIMIT", "PREEMPTION", "NODE FAILURE"}) {
            const Explanation ended =
                explain(fmt::format("slurmstepd: error: *** JOB 1 ON node01 CANCELLED AT "
                                    "2026-01-01T00:00:00 DUE TO {} ***\n",
                                    why)
                        + killed);
            QCOMPARE(ended.causes.front().cause, Cause::not_gpu_memory);
            QVERIFY(hasText(&ended.causes.front(), why));
            QVERIFY(ended.explanation.find("do not help here") == std::string::npos);
        }
        // Unless the kernel says that memory was what it lacked.
        const Explanation both =
            explain("Memory cgroup out of memory: Killed process 4121 (python)\n"
                    "slurmstepd: error: *** JOB 1 CANCELLED AT x DUE TO PREEMPTION ***\n");
        QCOMPARE(both.causes.front().cause, Cause::host_memory);
    }

    void theHostsMemoryIsAnotherMatter()
    {
        const Explanation both =
            explain(kFull + "Memory cgroup out of memory: Killed process 4121 (python)\n");
        QVERIFY(both.explanation.find("a separate shortage") != std::string::npos);
        QVERIFY(both.explanation.find("consequence") == std::string::npos);
        const Explanation host = explain("train.sh: line 3: 77 Killed  python x.py\n");
        const auto& how = fixOf(host, "host-memory").how;
        QVERIFY(std::ranges::any_of(
            how, [](const auto& line) { return line.second.find("dmesg") != std::string::npos; }));
    }

    void backwardIsNamed()
    {
        const Explanation backward =
            explain("  File \"train.py\", line 5, in step\n    loss.backward()\n"
                    "  File \"/lib/torch/_tensor.py\", line 521, in backward\n"
                    "    torch.autograd.backward(\n"
                    "  File \"/lib/torch/autograd/graph.py\", line 769, in _engine_run_backward\n"
                    "    return Variable._execution_engine.run_backward(\n"
                    + kFull);
        QCOMPARE(backward.causes.front().cause, Cause::activations);
        QVERIFY(backward.headline.find("died in backward") != std::string::npos);
        QCOMPARE(fixOf(backward, "micro-batch").status, FixStatus::recommended);
        const Explanation forward =
            explain("  File \"/lib/torch/nn/modules/conv.py\", line 456, in forward\n" + kFull);
        QVERIFY(forward.headline.find("died in forward") != std::string::npos);
    }

    void theLastStageIsNamed()
    {
        const std::string evaluation = "***** Running Evaluation *****\n  Num examples = 1000\n";
        const Explanation during = explain("***** Running training *****\n" + evaluation + kFull);
        QCOMPARE(during.causes.front().cause, Cause::evaluation_accumulation);
        QCOMPARE(fixOf(during, "micro-batch").status, FixStatus::not_applicable);
        QCOMPARE(fixOf(during, "evaluation-batch").status, FixStatus::would_help);
        QCOMPARE(causeOf(evaluation + "{'eval_loss': 2.1}\n" + kFull), Cause::unclear);
        QCOMPARE(causeOf(kFull + evaluation), Cause::unclear);
    }

    void whatRisesIsNoPeak()
    {
        const auto log = [](const char* name, double by, int steps) {
            std::string text;
            for (int i = 0; i < steps; ++i) {
                text += fmt::format("step {} {}: {:.2f} GiB\n", 100 * i, name, 10 + by * i);
            }
            return text;
        };
        const Explanation rising = explain(log("memory_allocated", 0.75, 6));
        QCOMPARE(rising.causes.front().cause, Cause::leak);
        QVERIFY(hasText(&rising.causes.front(), "0.75 GiB each"));
        QVERIFY(hasText(&rising.causes.front(), "line 6"));
        QCOMPARE(fixOf(rising, "leak").status, FixStatus::recommended);
        QCOMPARE(causeOf(log("max_memory_allocated", 0.75, 6)), Cause::none);
        QCOMPARE(causeOf(log("memory_allocated", 0.01, 6)), Cause::none);
        QCOMPARE(causeOf(log("memory_allocated", 0.75, 4)), Cause::none);
        // It warms up, and then stands still.
        QCOMPARE(causeOf(log("memory_allocated", 1, 5) + log("memory_allocated", 0, 1)
                         + log("memory_allocated", 0, 1)),
                 Cause::none);
        QVERIFY(finding(explain(log("memory_allocated", 0.75, 6) + kFull), Cause::leak) != nullptr);
    }

    void theFirstRankThatFailsCounts()
    {
        const Explanation job = explain("[rank3]: " + message(2, 23.69, 1.5, 21.25, 20)
                                        + "[rank0]: " + message(2.5, 23.69, 1.5, 20.25, 20));
        QVERIFY(job.headline.starts_with("Rank 3"));
        // Of one rank the last, however often it tried.
        const Explanation one = explain("[rank3]: " + message(2, 23.69, 1.5, 21.25, 20)
                                        + "[rank3]: " + message(2.5, 23.69, 1.5, 20.25, 20));
        QCOMPARE(one.message->tried, std::optional(Bytes{5LL << 29}));
    }

    void timesAreReadAsLogsWriteThem()
    {
        const auto at = [](std::string_view log) {
            const auto time = timeBefore(log, log.size());
            return time ? time->microseconds : -1;
        };
        QCOMPARE(at("1970-01-01 00:00:01,5 x"), std::int64_t{1'500'000});
        QCOMPARE(at("[1970-01-02T00:00:00.123456] x"), std::int64_t{86'400'123'456});
        QCOMPARE(at("1970/01/01 00:00:02 x\n1970-01-01 00:00:01 y"), std::int64_t{1'000'000});
        for (const char* const none : {"", "12:00:01", "1970-13-01 00:00:01", "1970-01-01 25:00:00",
                                       "a:b:c", "1970-01-01 00:0"}) {
            QCOMPARE(at(none), std::int64_t{-1});
        }
        const std::string_view two = "2026-01-01 00:00:01 a\n2026-01-01 00:00:09 b";
        QCOMPARE(timeBefore(two, 22)->text, std::string("2026-01-01 00:00:01"));
    }

    void theEarliestOfSeveralLogsFailedFirst()
    {
        const auto log = [](const char* name, const std::string& text) {
            return explainOfJob(name, text, {});
        };
        const std::string fine = "2026-01-01 00:00:09 step 5\n";
        const std::string early = "2026-01-01 00:00:05 " + kFull;
        const std::string late = "2026-01-01 00:00:07 " + kFull;
        const std::vector<JobLog> job{log("0", late), log("1", fine), log("2", early)};
        QCOMPARE(firstToFail(job), std::optional<std::size_t>(2));
        const std::vector<JobLog> one{log("0", fine), log("1", kFull)};
        QCOMPARE(firstToFail(one), std::optional<std::size_t>(1));
        // Without a time in each of them it cannot be told.
        const std::vector<JobLog> without{log("0", late), log("1", kFull)};
        QVERIFY(!firstToFail(without));
        const std::vector<JobLog> none{log("0", fine), log("1", fine)};
        QVERIFY(!firstToFail(none));
        // Nor in one second, nor by the last time that was written before the error.
        const std::vector<JobLog> ties{log("0", early), log("1", early)};
        QVERIFY(!firstToFail(ties));
        const std::vector<JobLog> start{log("0", late),
                                        log("1", "2026-01-01 00:00:01 x\n" + kFull)};
        QVERIFY(!firstToFail(start));
        const std::string error = "2026-01-01 00:00:06,500 ERROR it failed\nTraceback (most recent "
                                  "call last):\n  File \"a.py\", line 3, in main\n";
        const std::vector<JobLog> headed{log("0", late), log("1", error + kFull)};
        QCOMPARE(firstToFail(headed), std::optional<std::size_t>(1));
        const std::vector<JobLog> near{log("0", "2026-01-01 00:00:06,550 " + kFull),
                                       log("1", error + kFull)};
        QVERIFY(!firstToFail(near));
    }

    void logitsAreKnownByTheNameOfTheModel()
    {
        // 24 × 2,048 tokens × 151,669 × 2 B, of which the text states the batch and the model.
        const std::string request = "Tried to allocate 13.89 GiB\nGPU has 178.36 GiB total, 164.31 "
                                    "GiB in use, 11.54 GiB free\n";
        const Explanation named = explain("Model: Qwen 3 1.8B\nbatch_size=24\n" + request);
        QCOMPARE(named.causes.front().cause, Cause::logits);
        QVERIFY(hasText(&named.causes.front(), "24 × 2048 tokens × a vocabulary of 151,669"));
        QCOMPARE(fixOf(named, "fused-loss").status, FixStatus::recommended);
        QVERIFY(causeOf("Model: Llama 3 8B\nbatch_size=24\n" + request) != Cause::logits);
        QVERIFY(causeOf("batch_size=24\n" + request) != Cause::logits);
        QVERIFY(causeOf("Qwen 3\n" + request) == Cause::logits); // 24 · 2,048 is round, too
        QVERIFY(causeOf("Qwen 3\nTried to allocate 13.60 GiB\nGPU has 178.36 GiB total, 164.31 GiB "
                        "in use, 11.54 GiB free\n")
                != Cause::logits);
    }

    void wordsOfPeopleCountWhereThereIsNoTraceback()
    {
        const Explanation words =
            explain("CUDA Out of Memory error during backward pass:\n"
                    "`CUDA out of memory. Tried to allocate 3.91 GiB. GPU has 3.8 GiB free`\n");
        QCOMPARE(words.causes.front().cause, Cause::activations);
        QVERIFY(words.headline.find("backward") != std::string::npos);
        // Where a text shows little, what usually helps has its lines.
        const Explanation bare = explain("torch.OutOfMemoryError: CUDA out of memory.\n");
        QCOMPARE(bare.causes.front().cause, Cause::unclear);
        QCOMPARE(fixOf(bare, "micro-batch").status, FixStatus::would_help);
        QVERIFY(!fixOf(bare, "micro-batch").how.empty());
    }

    void whatWasLoadedIsNotTrained()
    {
        const Explanation loading =
            explain("  File \"run.py\", line 5, in <module>\n"
                    "    model = AutoModelForCausalLM.from_pretrained(\"llama\").cuda()\n"
                    + message(0.13, 23.69, 0.08, 23, 22.9));
        QCOMPARE(loading.causes.front().cause, Cause::loading);
        QCOMPARE(fixOf(loading, "weights-16bit").status, FixStatus::recommended);
        QCOMPARE(fixOf(loading, "device-map").status, FixStatus::would_help);
        for (const char* const id : {"micro-batch", "optimizer-8bit", "checkpointing-full"}) {
            QCOMPARE(fixOf(loading, id).status, FixStatus::not_applicable);
        }
    }

    void linesOfTheFrameworkThatIsNamedComeFirst()
    {
        const Explanation trainer =
            explain("  File \"/lib/transformers/trainer.py\", line 3, in train\n"
                    "  File \"/lib/torch/nn/modules/linear.py\", line 1, in forward\n"
                    + kFull);
        QCOMPARE(fixOf(trainer, "micro-batch").how.front().first, std::string("HF Trainer"));
        QCOMPARE(fixOf(explain(kFull), "micro-batch").how.front().first, std::string("PyTorch"));
    }

    void aSummaryThatCountsOomsIsRead()
    {
        const auto table = [](int ooms) {
            return fmt::format(
                "|                  PyTorch CUDA memory summary, device ID 0                 |\n"
                "|---------------------------------------------------------------------------|\n"
                "|            CUDA OOMs: {}            |        cudaMalloc retries: 3         |\n"
                "|===========================================================================|\n"
                "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
                "| Allocated memory      |  15212 MiB |  20012 MiB | 410000 MiB | 394788 MiB |\n"
                "| GPU reserved memory   |  22380 MiB |  22380 MiB |  22380 MiB |      0 B   |\n",
                ooms);
        };
        const Explanation one = explain(table(1));
        QCOMPARE(one.causes.front().cause, Cause::fragmentation);
        QVERIFY(hasText(&one.causes.front(), "7.00 GiB of 21.86 GiB"));
        QCOMPARE(fixOf(one, "expandable-segments").status, FixStatus::recommended);
        QCOMPARE(causeOf(table(0)), Cause::none);
    }

    void nothingIsSaidToFitFromOneRequest()
    {
        for (const double unallocated : {0.0, 5.0, 15.0}) {
            for (const double free : {0.2, 4.0}) {
                const Explanation one =
                    explain(message(3, 23.69, free, 23 - free, 18 - unallocated));
                QVERIFY(std::ranges::none_of(one.fixes,
                                             [](const Fix& fix) { return fix.fits == true; }));
            }
        }
    }
};

TIDEMARK_TEST(TstExplainLogs)

} // namespace tidemark::tst_explain_logs

#include "tst_explain_logs.moc"
