// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/job/dump_names.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <set>

namespace tidemark::tst_dump_names {

using namespace tidemark::job;

namespace {

struct Expected {
    std::string path;
    std::string says; ///< As `words` writes it.
};
using Layout = std::vector<Expected>;

/// "3", "3 of 8; step 9, exit; pp1 tp0", "- ; cycle2 train", "1 @node0".
std::string words(const DumpName& name)
{
    std::string text = name.rank ? std::to_string(*name.rank) : "-";
    text += name.world_size ? " of " + std::to_string(*name.world_size) : "";
    text += name.host.empty() ? "" : " @" + name.host;
    text += name.moment.isNone() ? "" : "; " + name.moment.text();
    text += name.coordinates.empty() ? "" : ";";
    for (const auto& [axis, value] : name.coordinates) {
        text += ' ' + axis + std::to_string(value);
    }
    return text;
}

std::vector<std::string> wordsOf(const std::vector<std::string>& paths)
{
    std::vector<std::string> all;
    for (const DumpName& name : nameDumps(paths)) {
        all.push_back(words(name));
    }
    return all;
}

std::size_t groupCount(const std::vector<std::string>& paths)
{
    std::set<std::string> groups;
    for (const DumpName& name : nameDumps(paths)) {
        groups.insert(name.group);
    }
    return groups.size();
}

std::vector<std::string> paths(const Layout& layout)
{
    std::vector<std::string> result;
    for (const Expected& expected : layout) {
        result.push_back(expected.path);
    }
    return result;
}

} // namespace

class TstDumpNames : public QObject {
    Q_OBJECT

private:
    static void row(const char* name, const Layout& layout, std::size_t groups = 1)
    {
        QStringList names;
        QStringList says;
        for (const Expected& expected : layout) {
            names << QString::fromStdString(expected.path);
            says << QString::fromStdString(expected.says);
        }
        QTest::newRow(name) << names << says << groups;
    }

private Q_SLOTS:
    void aLayoutIsOneJob_data()
    {
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<QStringList>("says");
        QTest::addColumn<std::size_t>("groups");

        row("torchtitan",
            {{"profiling/memory_snapshot/step_000000000002/000000_step_2.pickle", "0; step 2"},
             {"profiling/memory_snapshot/step_000000000002/000001_step_2.pickle", "1; step 2"},
             {"profiling/memory_snapshot/step_000000000009_exit/000000_step_9.pickle",
              "0; step 9, exit"},
             {"profiling/memory_snapshot/step_000000000009_exit/000001_step_9.pickle",
              "1; step 9, exit"}});
        row("torchtitan, with a leaf folder",
            {{"memory_snapshot/step_000000000005/leaf/000003_step_5.pickle", "3; step 5"},
             {"memory_snapshot/step_000000000005/leaf/000010_step_5.pickle", "10; step 5"}});
        row("torchtitan, replicas with ranks of their own",
            {{"step_000000000005/replica_0/000000_step_5.pickle", "0 @replica0; step 5"},
             {"step_000000000005/replica_0/000001_step_5.pickle", "1 @replica0; step 5"},
             {"step_000000000005/replica_1/000000_step_5.pickle", "2 @replica1; step 5"},
             {"step_000000000005/replica_1/000001_step_5.pickle", "3 @replica1; step 5"}});
        row("torchtitan before",
            {{"outputs/memory_snapshot/iteration_9/rank0_memory_snapshot.pickle", "0; step 9"},
             {"outputs/memory_snapshot/iteration_10_exit/rank0_memory_snapshot.pickle",
              "0; step 10, exit"},
             {"outputs/memory_snapshot/iteration_10_exit/rank7_memory_snapshot.pickle",
              "7; step 10, exit"}});
        row("verl",
            {{"outputs/profile/step5/torch_memory_rank0_pid615.pickle", "0; step 5"},
             {"outputs/profile/step5/torch_memory_rank1_pid618.pickle", "1; step 5"},
             {"outputs/profile/steps6-8/torch_memory_rank1_pid618.pickle", "1; step 8"}});
        row("verl, at OOM, a folder for each rank",
            {{"profile/oom_20261127-173400-679724/torch_memory_oom_rank3_pid626.pickle",
              "3; out of memory"},
             {"profile/oom_20261127-173400-677774/torch_memory_oom_rank2_pid622.pickle",
              "2; out of memory"},
             {"profile/20261127-1730/torch_memory_rank2_pid622.pickle", "2"}});
        row("Megatron-LM",
            {{"snapshot_0.pickle", "0"},
             {"snapshot_1.pickle", "1"},
             {"snapshot_10.pickle", "10"},
             {"snapshot_oom_rank_1.pickle", "1; out of memory"}});
        row("Megatron-LM before",
            {{"snapshot_0.pickle", "0"},
             {"snapshot_3.pickle", "3"},
             {"oom_rank-3_snapshot.pickle", "3; out of memory"}});
        row("one of Megatron's beside its OOM",
            {{"snapshot_3.pickle", "3"}, {"snapshot_oom_rank-2.pickle", "2; out of memory"}});
        row("NeMo", {{"memory_snapshot-rank0.pickle", "0"}, {"memory_snapshot-rank1.pickle", "1"}});
        row("slime",
            {{"memory_snapshot_time1795800869.62_rank0_actor", "0"},
             {"memory_snapshot_time1795800870.1_rank1_actor", "1"}});
        row("slime, before",
            {{"oom_rank-0_actor.pickle", "0; out of memory"},
             {"oom_rank-1_actor.pickle", "1; out of memory"}});
        row("prime-rl",
            {{"step_9/rank_0.pickle", "0; step 9"},
             {"step_10/rank_0.pickle", "0; step 10"},
             {"step_10/rank_1.pickle", "1; step 10"}});
        row("AReaL",
            {{"memory_snapshots/step_2/snapshot_rank00_p0d0c0t0.pickle",
              "0; step 2; cp0 dp0 pp0 tp0"},
             {"memory_snapshots/step_2/snapshot_rank01_p1d0c0t0.pickle",
              "1; step 2; cp0 dp0 pp1 tp0"}});
        row("Composer",
            {{"torch_traces/rank0.18.memory_snapshot.pickle", "0; step 18"},
             {"torch_traces/rank1.18.memory_snapshot.pickle", "1; step 18"},
             {"torch_traces/rank1_oom_snapshot.pickle", "1; out of memory"},
             {"torch_traces/rank1_oom_trace_plot.html", "1; out of memory"}});
        row("Composer's names of files",
            {{"ep0-ba18-rank0.pickle", "0; step 18"}, {"ep0-ba18-rank1.pickle", "1; step 18"}});
        row("torchtune", {{"iteration_3/rank0_memory_snapshot.pickle", "0; step 3"}});
        row("torchrec", {{"memory-train-rank0.pickle", "0"}, {"memory-train-rank1.pickle", "1"}});
        row("torchrec, by stream",
            {{"memory-x-rank0_default.pickle", "0; default"},
             {"memory-x-rank0_data.pickle", "0; data"},
             {"memory-x-rank1_data.pickle", "1; data"}});
        row("OLMo-core",
            {{"memory_snapshots/memory_snapshot_rank_0_step_10.pickle", "0; step 10"},
             {"memory_snapshots/memory_snapshot_rank_12_step_10.pickle", "12; step 10"}});
        row("lmms-engine",
            {{"snapshot_stop_step_rank0.pickle", "0; stop step"},
             {"snapshot_stop_step_rank1.pickle", "1; stop step"},
             {"oom_rank1.pickle", "1; out of memory"}});
        row("lmms-engine, with pid and time",
            {{"oom_rank0_pid4711_20261127_173400.pickle", "0; out of memory"},
             {"oom_rank1_pid4712_20261127_173401.pickle", "1; out of memory"}});
        row("SGLang",
            {{"1795800869-TP-0-memory.pickle", "0; tp0"},
             {"1795800870-TP-1-memory.pickle", "1; tp1"}});
        row("axolotl", {{"snapshot.pickle", "-"}});
        row("PyTorch's blog",
            {{"node-a_Nov_27_17_34_00.pickle", "- @node-a"},
             {"node-b_Nov_27_17_34_02.pickle", "- @node-b"}});
        row("this project's capture module",
            {{"run.rank3-of-8.pickle", "3 of 8"},
             {"run.rank3-of-8.oom.pickle", "3 of 8; out of memory"},
             {"run.step10.rank3-of-8.pickle.xz", "3 of 8; step 10"}});

        // Forms that nobody of these writes.
        row("a folder for each rank",
            {{"rank_0/snapshot.pickle", "0"},
             {"rank_1/snapshot.pickle", "1"},
             {"rank_1/snapshot_oom.pickle", "1; out of memory"}});
        row("bare folders", {{"mem/0/dump.pickle", "0"}, {"mem/1/dump.pickle", "1"}});
        row("two bare numbers",
            {{"100/0.pickle", "0; step 100"},
             {"100/1.pickle", "1; step 100"},
             {"200/0.pickle", "0; step 200"},
             {"200/1.pickle", "1; step 200"}});
        row("of",
            {{"mem-00000-of-00004.pickle.zst", "0 of 4"},
             {"mem-00003-of-00004.pickle.zst", "3 of 4"}});
        row("r3", {{"r0/mem.pkl", "0"}, {"r3/mem.pkl", "3"}});
        row("cards", {{"mem_gpu0.pickle", "0"}, {"mem_gpu1.pickle", "1"}});
        row("workers",
            {{"trainer-0_it400.pickle", "0; step 400"}, {"trainer-1_it400.pickle", "1; step 400"}});
        row("local and global",
            {{"global_rank_9_local_rank_1_world_size_16.pickle", "9 of 16"},
             {"global_rank_8_local_rank_0_world_size_16.pickle", "8 of 16"}});
        row("numbered hosts with ranks of their own",
            {{"node1/local_rank0.pickle", "0 @node1"},
             {"node1/local_rank1.pickle", "1 @node1"},
             {"node2/local_rank1.pickle", "3 @node2"}});
        row("named hosts with ranks of their own",
            {{"blue_local_rank0.pickle", "- @blue"}, {"red_local_rank0.pickle", "- @red"}});
        row("hosts with the job's ranks",
            {{"blue/rank0.pickle", "0 @blue"},
             {"blue/rank1.pickle", "1 @blue"},
             {"red/rank2.pickle", "2 @red"},
             {"red/rank3.pickle", "3 @red"}});
        row("hosts by address",
            {{"ip-10-0-0-12_rank_0_1795800869.pickle", "0 @ip-10-0-0-12"},
             {"ip-10-0-0-13_rank_1_1795800870.pickle", "1 @ip-10-0-0-13"}});
        row("Hydra's folders",
            {{"outputs/2026-11-27/17-34-00/rank0.pickle", "0"},
             {"outputs/2026-11-27/17-34-01/rank1.pickle", "1"}});
        row("axes with words",
            {{"dp0_pp1_tp_rank_1_rank3.pickle", "3; dp0 pp1 tp1"},
             {"dp0_pp0_tp_rank_0_rank0.pickle", "0; dp0 pp0 tp0"}});
        row("sizes of axes are no places",
            {{"dp2_tp2/rank0.pickle", "0"}, {"dp2_tp2/rank3.pickle", "3"}});
        row("places without rank 0",
            {{"tp_0_pp_1/snapshot_rank_4.pickle", "4; pp1 tp0"},
             {"tp_1_pp_1/snapshot_rank_5.pickle", "5; pp1 tp1"}});
        row("runs in folders named by time",
            {{"20261127_173400/rank0.pickle", "0; #1"},
             {"20261127_173400/rank1.pickle", "1; #1"},
             {"20261127_180000/rank0.pickle", "0; #2"}});
        row("moments of a cycle",
            {{"rank0_cycle0_rollout.pickle", "0; cycle0 rollout"},
             {"rank0_cycle0_train.pickle", "0; cycle0 train"},
             {"rank0_cycle2_train.pickle.gz", "0; cycle2 train"}});
        row("moments in front",
            {{"before_backward/rank0.pickle", "0; before backward"},
             {"after_backward/rank0.pickle", "0; after backward"},
             {"after_backward/rank1.pickle", "1; after backward"}});
        row("spelled out",
            {{"rank0_cuda_out_of_memory.pickle", "0; out of memory"},
             {"rank1_cuda_out_of_memory.pickle", "1; out of memory"}});
        row("steps of one process",
            {{"snapshot_100.pickle", "-; step 100"}, {"snapshot_200.pickle", "-; step 200"}});
        row("again and again",
            {{"memory_time1795800869.62_rank0", "0; #1"},
             {"memory_time1795800999.1_rank0", "0; #2"},
             {"memory_time1795800870.7_rank1", "1; #1"},
             {"memory_time1795801000.2_rank1", "1; #2"}});
        row("another rank of a model",
            {{"lora_rank8/rank0.pickle", "0"}, {"lora_rank8/rank1.pickle", "1"}});
        row("in words of the shell", {{"dump RANK=3.pickle", "3"}, {"dump RANK=03.pkl", "3"}});
    }
    void aLayoutIsOneJob()
    {
        QFETCH(QStringList, names);
        QFETCH(QStringList, says);
        QFETCH(std::size_t, groups);
        std::vector<std::string> given;
        for (const QString& name : names) {
            given.push_back(name.toStdString());
        }
        QStringList found;
        for (const std::string& text : wordsOf(given)) {
            found << QString::fromStdString(text);
        }
        QCOMPARE(found, says);
        QCOMPARE(groupCount(given), groups);
        // The order of the paths says nothing.
        std::ranges::reverse(given);
        QStringList backwards;
        for (const std::string& text : wordsOf(given)) {
            backwards.prepend(QString::fromStdString(text));
        }
        QCOMPARE(backwards, says);
    }

    void jobsAreToldApart_data()
    {
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<std::size_t>("groups");
        const auto add = [](const char* name, const std::vector<const char*>& names,
                            std::size_t groups) {
            QStringList list;
            for (const char* path : names) {
                list << QString::fromLatin1(path);
            }
            QTest::newRow(name) << list << groups;
        };
        add("two names", {"b.rank0.pickle", "b.rank1.pickle", "a.rank0.pickle", "a.rank1.pickle"},
            2);
        add("two numbers of ranks",
            {"b.rank0-of-4.pickle", "b.rank1-of-4.pickle", "b.rank0-of-8.pickle"}, 2);
        add("two folders", {"a/step_1/rank0.pickle", "b/step_1/rank0.pickle"}, 2);
        add("numbered runs", {"run_1/rank0.pickle", "run_2/rank0.pickle"}, 2);
        add("a file without a rank", {"rank0.pickle", "rank1.pickle", "snapshot.pickle"}, 2);
        add("settings", {"bs8.pickle", "bs16.pickle"}, 2);
        add("sizes", {"llama7b.pickle", "llama13b.pickle"}, 2);
        add("numbered groups of ranks", {"group_0/rank_0.pickle", "group_1/rank_0.pickle"}, 2);
        add("seeds", {"seed_0.pickle", "seed_1.pickle"}, 2);
        add("releases", {"v1.pickle", "v2.pickle"}, 2);
    }
    void jobsAreToldApart()
    {
        QFETCH(QStringList, names);
        QFETCH(std::size_t, groups);
        std::vector<std::string> given;
        for (const QString& name : names) {
            given.push_back(name.toStdString());
        }
        QCOMPARE(groupCount(given), groups);
    }

    void oneFileHasNoBareRank()
    {
        QCOMPARE(wordsOf({"snapshot_3.pickle"}), std::vector<std::string>{"-"});
        QCOMPARE(wordsOf({"mem-r3.pickle"}), std::vector<std::string>{"-"});
        QCOMPARE(wordsOf({"rank3.pickle"}), std::vector<std::string>{"3"});
        QCOMPARE(wordsOf({"gpu3.pickle"}), std::vector<std::string>{"3"});
        for (const char* none : {"run.pickle", "frank3.pickle", "rank.pickle", "rank", "",
                                 "lora-ranks8.pickle", "rank1234567.pickle", "lora_rank8.pickle"}) {
            QVERIFY2(!nameDumps(std::vector<std::string>{none})[0].rank, none);
        }
    }
    void aSummaryIsCalledAsItsDump()
    {
        const std::vector<std::string> dumps{"run.rank0-of-2.pickle.xz",
                                             "run.rank1-of-2.oom.pickle.xz"};
        const std::vector<std::string> summaries{"run.rank0-of-2.pickle.xz.summary.json",
                                                 "run.rank1-of-2.oom.pickle.xz.summary.json"};
        QCOMPARE(wordsOf(summaries), wordsOf(dumps));
        QCOMPARE(groupCount({dumps[0], summaries[0], summaries[1]}), std::size_t{1});
    }

    void theSameRankTwiceIsKept()
    {
        const std::vector<std::string> twice{"rank3.pickle", "rank03.pickle"};
        const auto names = nameDumps(twice);
        QCOMPARE(names[0], names[1]);
        const auto runs = nameDumps(
            std::vector<std::string>{"oom_20261127-173400/torch_memory_oom_rank3_pid626.pickle",
                                     "oom_20261128-090000/torch_memory_oom_rank3_pid777.pickle"});
        QCOMPARE(runs[0], runs[1]); // Another process: doubled, not later.
    }
    void momentsAreInTheOrderOfTime()
    {
        const auto names = nameDumps(std::vector<std::string>{"rank0.9.memory_snapshot.pickle",
                                                              "rank0.18.memory_snapshot.pickle",
                                                              "rank0_oom_snapshot.pickle"});
        QVERIFY(names[0].moment < names[1].moment);
        QVERIFY(names[1].moment < names[2].moment); // It ended so, whenever that was.
        const DumpMoment none;
        QVERIFY(none.isNone() && none.text().empty());
        QVERIFY(none < names[0].moment);
        QVERIFY((DumpMoment{9, DumpKind::periodic, ""} < DumpMoment{9, DumpKind::exit, ""}));
    }
    void momentsHaveTexts()
    {
        const DumpMoment exit{9, DumpKind::exit, ""};
        const DumpMoment oom{9, DumpKind::oom, "train"};
        QCOMPARE(exit.text(), std::string("step 9, exit"));
        QCOMPARE(oom.text(), std::string("step 9, train, out of memory"));
        QVERIFY(useLanguage("de").has_value());
        const std::string german = oom.text();
        QVERIFY(useLanguage("en").has_value());
        QCOMPARE(german, std::string("Schritt 9, train, Out of Memory"));
    }
    void groupsHaveNames()
    {
        const auto name = [](const Layout& layout) {
            return nameDumps(paths(layout)).front().group;
        };
        QCOMPARE(name({{"b.rank2-of-4.pickle", ""}, {"b.rank0-of-4.pickle", ""}}),
                 std::string("b rank* of 4"));
        QCOMPARE(name({{"profile/oom_20261127-173400/torch_memory_oom_rank3_pid6.pickle", ""}}),
                 std::string("profile/torch_memory rank*"));
        QCOMPARE(name({{"qwen3-8b_rank0.pickle", ""}}), std::string("qwen3_8b rank*"));
    }
    void hostileNamesAreNamesToo()
    {
        std::vector<std::string> hostile{
            "",
            "/",
            "//rank3//",
            "../../rank1.pickle",
            std::string("rank0\0rank1", 11),
            "rank\n3\x1b[2J.pickle",
            "\xff\xfe rank5.pickle",
            std::string(100'000, '9'),
            std::string(100'000, '/'),
            "rank99999999999999999999999.pickle",
            "step_99999999999999999999/rank1.pickle",
            "of-of-of-8",
            "0-of-0.pickle",
            "p0d1p2d3.pickle",
        };
        for (int i = 0; i < 5'000; ++i) {
            hostile.back() += "_7";
        }
        const auto names = nameDumps(hostile);
        QCOMPARE(names.size(), hostile.size());
        QCOMPARE(names[2].rank, std::optional<std::uint32_t>(3));
        QVERIFY(!names[9].rank);
        QVERIFY(!names[10].moment.step);
    }
    void manyPathsAreNamed()
    {
        const auto folder = [](int ranks) {
            std::vector<std::string> all;
            for (int step = 0; step < 10; ++step) {
                for (int rank = 0; rank < ranks; ++rank) {
                    all.push_back("step_" + std::to_string(step) + "/mem_" + std::to_string(rank)
                                  + ".pickle");
                }
            }
            return all;
        };
        const auto many = folder(1'000);
        const auto names = nameDumps(many);
        QCOMPARE(names.size(), many.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            QCOMPARE(names[i].rank, std::optional(static_cast<std::uint32_t>(i % 1'000)));
            QCOMPARE(names[i].group, names[0].group);
        }
    }
};

TIDEMARK_TEST(TstDumpNames)

} // namespace tidemark::tst_dump_names

#include "tst_dump_names.moc"
