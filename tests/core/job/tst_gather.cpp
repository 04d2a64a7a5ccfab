// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/gather.h"
#include "core/job/job_choice.h"
#include "core/job/unpack.h"
#include "tests/support/archive_writer.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <chrono>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>

namespace tidemark::tst_gather {

using namespace tidemark::job;
namespace fs = std::filesystem;

namespace {

using test::ArchiveWriter;
using Lines = std::vector<std::string>;

class Folder {
public:
    fs::path write(const std::string& name, std::string_view bytes = "dump", int age = 0) const
    {
        const fs::path file = path() / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << bytes;
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1 + age));
        return file;
    }
    [[nodiscard]] fs::path path() const
    {
        return m_root.path().toStdString();
    }

private:
    QTemporaryDir m_root;
};

Result<Gathered> gathered(const std::vector<fs::path>& paths)
{
    return gather(paths, {});
}

/// "a/rank0.pickle: 0 step 9", "…: 1 (summary)".
Lines linesOf(const Result<Gathered>& found)
{
    if (!found.has_value()) {
        return {found.error().message};
    }
    Lines lines;
    for (const Dump& dump : found.value().dumps) {
        std::string line = dump.shown + ": "
            + (dump.name.rank ? std::to_string(*dump.name.rank) : std::string("-"));
        line += dump.name.moment.isNone() ? "" : ' ' + dump.name.moment.text();
        line += dump.is_summary ? " (summary)" : "";
        lines.push_back(line);
    }
    return lines;
}

std::string contentOf(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

constexpr std::string_view kSummary =
    R"({"file":"x.pickle","format":{"route":"native"},"devices":[]})";

} // namespace

class TstGather : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFolderIsSearchedThrough()
    {
        const Folder folder;
        folder.write("step_2/rank1.pickle");
        folder.write("step_2/rank0.pickle");
        folder.write("step_9_exit/rank0.pickle.gz");
        folder.write("step_9_exit/.rank5.pickle");
        folder.write(".hidden/rank6.pickle");
        folder.write("train.log");
        folder.write("empty/rank7.pickle", "");
        const auto found = gathered({folder.path()});
        QCOMPARE(
            linesOf(found),
            (Lines{"step_2/rank0.pickle: 0 step 2", "step_9_exit/rank0.pickle.gz: 0 step 9, exit",
                   "step_2/rank1.pickle: 1 step 2"}));
        QVERIFY(found.value().notes.empty());
        QCOMPARE(found.value().dumps[0].file, folder.path() / "step_2/rank0.pickle");
    }
    void recordedJobsAreFoundWhole_data()
    {
        QTest::addColumn<int>("files");
        for (const auto& [job, files] :
             std::vector<std::pair<const char*, int>>{{"ddp_one_dies", 5},
                                                      {"four_fill_the_card", 4},
                                                      {"growth_over_time", 12},
                                                      {"pipeline", 4},
                                                      {"evaluation", 4},
                                                      {"ddp_captured", 5}}) {
            QTest::newRow(job) << files;
        }
    }
    void recordedJobsAreFoundWhole()
    {
        QFETCH(int, files);
        const fs::path folder = test::ownData() / "gpu/jobs" / QTest::currentDataTag();
        const auto found = gathered({folder});
        QVERIFY2(found.has_value(), linesOf(found).front().c_str());
        QCOMPARE(found.value().dumps.size(), static_cast<std::size_t>(files));
        QVERIFY(found.value().notes.empty());
        std::set<std::uint32_t> ranks;
        for (const Dump& dump : found.value().dumps) {
            ranks.insert(dump.name.rank.value());
        }
        QCOMPARE(ranks, (std::set<std::uint32_t>{0, 1, 2, 3}));
    }
    void linksAreNotFollowed()
    {
        const Folder folder;
        const Folder elsewhere;
        elsewhere.write("rank1.pickle");
        folder.write("rank0.pickle");
        fs::create_directory_symlink(elsewhere.path(), folder.path() / "more");
        fs::create_directory_symlink(folder.path(), folder.path() / "again");
        fs::create_symlink(folder.path() / "rank0.pickle", folder.path() / "latest.pickle");
        QCOMPARE(linesOf(gathered({folder.path()})), (Lines{"rank0.pickle: 0"}));
        // A link that is named is meant.
        QCOMPARE(linesOf(gathered({folder.path() / "more"})), (Lines{"rank1.pickle: 1"}));
    }
    void deepFoldersAreSaidToBeLeftOut()
    {
        const Folder folder;
        folder.write("rank0.pickle");
        folder.write("1a/2a/3a/4a/5a/6a/7a/8a/9a/rank1.pickle");
        const auto found = gathered({folder.path()});
        QCOMPARE(linesOf(found), (Lines{"rank0.pickle: 0"}));
        QCOMPARE(found.value().notes.size(), std::size_t{1});
        QVERIFY(found.value().notes[0].find("too deep folders") != std::string::npos);
    }
    void whatIsNoDumpIsToldByWhatItHolds()
    {
        const Folder folder;
        folder.write("job.json", R"({"job": "x", "ranks": [{"rank": 0}]})");
        folder.write("rank0.truth.json", R"({"buckets": {}})");
        folder.write("rank0.json", kSummary);
        folder.write("rank1.json", R"({"segments": [], "device_traces": []})");
        folder.write("rank2.html",
                     R"(<script>const files = [{"name": "s", "base64": "gA"}]</script>)");
        folder.write("report.html", "<html>nothing</html>");
        QCOMPARE(linesOf(gathered({folder.path()})),
                 (Lines{"rank0.json: 0 (summary)", "rank1.json: 1", "rank2.html: 2"}));
    }
    void ofTheFilesOfOneDumpOneIsRead()
    {
        const Folder folder;
        folder.write("rank0_oom_snapshot.pickle");
        folder.write("rank0_oom_trace_plot.html", R"([{"name": "s", "base64": "gA"}])");
        folder.write("rank1.pickle", "dump", 2);
        folder.write("rank1.json", kSummary, 1);
        folder.write("rank2.pickle", "dump", 1);
        folder.write("rank2.json", kSummary, 2);
        folder.write("rank3.pickle");
        folder.write("rank03.pickle");
        QCOMPARE(linesOf(gathered({folder.path()})),
                 (Lines{"rank0_oom_snapshot.pickle: 0 out of memory", "rank1.json: 1 (summary)",
                        "rank2.pickle: 2", "rank03.pickle: 3", "rank3.pickle: 3"}));
    }
    void theNewestJobOfAFolderIsTaken()
    {
        const Folder folder;
        folder.write("a.rank0.pickle", "dump", 2);
        folder.write("a.rank1.pickle", "dump", 2);
        folder.write("b.rank0.pickle", "dump", 1);
        folder.write("b.rank1.pickle", "dump", 3);
        folder.write("snapshot.pickle", "dump", 0);
        const auto found = gathered({folder.path()});
        QCOMPARE(linesOf(found), (Lines{"b.rank0.pickle: 0", "b.rank1.pickle: 1"}));
        QCOMPARE(found.value().notes.size(), std::size_t{1});
        QCOMPARE(found.value().notes[0],
                 "Newest job of " + folder.path().string() + ": b rank*; 2 others are skipped.");
        // Files that are named are all meant.
        QCOMPARE(gathered({folder.path() / "a.rank0.pickle", folder.path() / "b.rank1.pickle"})
                     .value()
                     .dumps.size(),
                 std::size_t{2});
    }
    void severalFoldersAreOneJob()
    {
        const Folder folder;
        folder.write("blue/rank0.pickle");
        folder.write("blue/rank1.pickle");
        folder.write("red/rank2.pickle");
        folder.write("red/rank3.pickle");
        const auto found = gathered({folder.path() / "blue/", folder.path() / "red"});
        QCOMPARE(linesOf(found),
                 (Lines{"blue/rank0.pickle: 0", "blue/rank1.pickle: 1", "red/rank2.pickle: 2",
                        "red/rank3.pickle: 3"}));
        QCOMPARE(found.value().dumps[3].name.host, std::string("red"));
        QVERIFY(found.value().notes.empty());
        // verl's folders, as a shell writes them out.
        const Folder verl;
        const auto first =
            verl.write("oom_20261127-173400-1000/torch_memory_oom_rank0_pid5.pickle");
        const auto second =
            verl.write("oom_20261127-173401-2000/torch_memory_oom_rank1_pid6.pickle");
        const auto named = gathered({first, second});
        QCOMPARE(
            linesOf(named),
            (Lines{first.string() + ": 0 out of memory", second.string() + ": 1 out of memory"}));
        QCOMPARE(named.value().dumps[0].name.group, named.value().dumps[1].name.group);
    }
    void theFolderOfAFileSaysWhatItsNameDoesNot()
    {
        const Folder folder;
        const auto file = folder.write("step_9_exit/rank_3/snapshot.pickle");
        folder.write("step_9_exit/rank_2/snapshot.pickle");
        QCOMPARE(linesOf(gathered({file})), (Lines{file.string() + ": 3"}));
        const auto step = folder.write("step_9_exit/rank2.pickle");
        QCOMPARE(linesOf(gathered({step})), (Lines{step.string() + ": 2 step 9, exit"}));
    }
    void hostsWithoutAnOrderAreNoted()
    {
        const Folder folder;
        for (const char* name : {"blue_local_rank0.pickle", "blue_local_rank1.pickle",
                                 "red_local_rank0.pickle", "red_local_rank1.pickle"}) {
            folder.write(name);
        }
        const auto found = gathered({folder.path()});
        QCOMPARE(found.value().dumps.size(), std::size_t{4});
        QCOMPARE(found.value().notes,
                 (Lines{"The files of 2 hosts have no global ranks; add a manifest."}));
    }
    void archivesAreUnpacked_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("filter");
        QTest::newRow("tar") << "job.tar" << static_cast<int>(ARCHIVE_FILTER_NONE);
        QTest::newRow("tar.gz") << "job.tar.gz" << static_cast<int>(ARCHIVE_FILTER_GZIP);
        QTest::newRow("zip") << "job.zip" << -1;
    }
    void archivesAreUnpacked()
    {
        QFETCH(QString, name);
        QFETCH(int, filter);
        const std::vector<test::PackedFile> files{{"run/", ""},
                                                  {"run/step_2/rank0.pickle", "zero"},
                                                  {"run/step_2/rank1.pickle", "one"},
                                                  {"run/step_2/._rank1.pickle", "Finder"},
                                                  {"run/job.json", "{}"},
                                                  {"run/rank0.json", std::string(kSummary)},
                                                  {"run/train.log", "text"}};
        std::string bytes = filter < 0 ? ArchiveWriter::zip(files) : ArchiveWriter::tar(files);
        if (filter > 0) {
            bytes = ArchiveWriter::compress(filter, bytes);
        }
        const Folder folder;
        const fs::path archive = folder.write(name.toStdString(), bytes);
        fs::path unpacked;
        for (const bool in_folder : {false, true}) {
            const auto found = gathered({in_folder ? folder.path() : archive});
            const std::string before = in_folder ? name.toStdString() + '/' : "";
            QCOMPARE(linesOf(found),
                     (Lines{before + "run/rank0.json: 0 (summary)",
                            before + "run/step_2/rank0.pickle: 0 step 2",
                            before + "run/step_2/rank1.pickle: 1 step 2"}));
            unpacked = found.value().dumps[2].file;
            QCOMPARE(contentOf(unpacked), std::string("one"));
            QVERIFY(found.value().notes.empty());
        }
        QVERIFY(!fs::exists(unpacked)); // Gone with the last that held it.
        QVERIFY(!fs::exists(unpacked.parent_path().parent_path().parent_path()));
    }
    void namesInArchivesCannotLeave()
    {
        QCOMPARE(inertPath("../../etc/rank0.pickle"), fs::path("etc/rank0.pickle"));
        QCOMPARE(inertPath("/abs//./rank0.pickle"), fs::path("abs/rank0.pickle"));
        QCOMPARE(inertPath("..\\..\\rank0.pickle"), fs::path("rank0.pickle"));
        QCOMPARE(inertPath("a\nb\x1b[2J\xff.pickle"), fs::path("a_b_[2J_.pickle"));
        QCOMPARE(inertPath("../.."), fs::path());
        QCOMPARE(inertPath(".ssh/rank0.pickle"), fs::path());
        QCOMPARE(inertPath(std::string(5000, 'a') + ".pickle").string().size(), std::size_t{200});
        const Folder folder;
        const fs::path archive = folder.write(
            "inner/job.tar",
            ArchiveWriter::tar({{"../rank0.pickle", "a"}, {"/../../rank1.pickle", "b"}}));
        const auto found = gathered({archive});
        QCOMPARE(linesOf(found), (Lines{"rank0.pickle: 0", "rank1.pickle: 1"}));
        QVERIFY(!fs::exists(folder.path() / "rank0.pickle"));
    }
    void anArchiveTakesNoMoreThanThereIs()
    {
        const Folder folder;
        const std::string bytes = ArchiveWriter::tar(
            {{"rank0.pickle", std::string(1000, 'x')}, {"rank1.pickle", std::string(1000, 'x')}});
        const fs::path archive = folder.write("job.tar", bytes);
        const auto full = unpackDumps(archive, {{}, 1500}, {});
        QVERIFY(!full.has_value());
        QCOMPARE(full.error().code, ErrorCode::cannotWrite);
        QVERIFY(full.error().message.find("disk space") != std::string::npos);
        QVERIFY(unpackDumps(archive, {{}, 2000}, {}).has_value());
        // Cut off: what came is there, and that is said.
        const fs::path cut = folder.write("cut.tar", bytes.substr(0, 2500));
        const auto found = gathered({cut});
        QCOMPARE(linesOf(found), (Lines{"rank0.pickle: 0"}));
        QCOMPARE(found.value().notes.size(), std::size_t{1});
        QVERIFY(found.value().notes[0].starts_with(cut.string() + ": "));
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(unpackDumps(archive, {}, stop.get_token()).error().code, ErrorCode::cancelled);
    }
    void aPackedDumpIsNoArchive()
    {
        const Folder folder;
        const fs::path dump =
            folder.write("rank3.pickle.gz", ArchiveWriter::compress(ARCHIVE_FILTER_GZIP, "dump"));
        QVERIFY(!isArchive(dump));
        const auto found = gathered({dump});
        QCOMPARE(linesOf(found), (Lines{dump.string() + ": 3"}));
        QVERIFY(found.value().dumps[0].unpacked == nullptr);
    }
    void aManifestSaysWhatNamesDoNot()
    {
        const Folder folder;
        folder.write("a/x.pickle");
        folder.write("step_4/rank7.json", kSummary);
        const fs::path manifest = folder.write("job.json", R"({"tidemark-job": 1, "ranks": [
            {"file": "step_4/rank7.json"},
            {"file": "a/x.pickle", "rank": 3, "moment": "step 9, exit", "host": "node2",
             "coordinates": {"pp": 1}}]})");
        for (const fs::path& named : {manifest, folder.path()}) {
            const auto found = gathered({named});
            QCOMPARE(
                linesOf(found),
                (Lines{"a/x.pickle: 3 step 9, exit", "step_4/rank7.json: 7 step 4 (summary)"}));
            const DumpName& name = found.value().dumps[0].name;
            QCOMPARE(name.host, std::string("node2"));
            QCOMPARE(name.coordinates, (Coordinates{{"pp", 1}}));
            QCOMPARE(found.value().dumps[0].file, folder.path() / "a/x.pickle");
            QCOMPARE(name.group, found.value().dumps[1].name.group);
        }
    }
    void brokenManifestsAreSaid_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("part");
        const auto add = [](const char* name, const char* text, const char* part) {
            QTest::newRow(name) << QString::fromLatin1(text) << QString::fromLatin1(part);
        };
        add("cut", R"({"tidemark-job": 1, "ranks": [{"file")", "not a JSON object");
        add("no ranks", R"({"tidemark-job": 1})", "\"ranks\"");
        add("later version", R"({"tidemark-job": 2, "ranks": []})", "not 1");
        add("no file", R"({"tidemark-job": 1, "ranks": [{"rank": 1}]})", "entry 1");
        add("not an object", R"({"tidemark-job": 1, "ranks": [7]})", "entry 1");
        add("negative", R"({"tidemark-job": 1, "ranks": [{"file": "a", "rank": -1}]})", "\"rank\"");
        add("text", R"({"tidemark-job": 1, "ranks": [{"file": "a", "rank": "1"}]})", "\"rank\"");
        add("too large",
            R"({"tidemark-job": 1, "ranks": [{"file": "a", "rank": 99999999999999999999}]})",
            "\"rank\"");
        add("one file twice",
            R"({"tidemark-job": 1, "ranks": [{"file": "a", "rank": 0}, {"file": "./a", "rank": 1}]})",
            "entry 2 of \"ranks\" repeats the file of entry 1");
        add("coordinates", R"({"tidemark-job": 1, "ranks": [{"file": "a", "coordinates": [1]}]})",
            "\"coordinates\"");
    }
    void brokenManifestsAreSaid()
    {
        QFETCH(QString, text);
        QFETCH(QString, part);
        const Folder folder;
        const auto found = gathered({folder.write("job.json", text.toStdString())});
        QVERIFY(!found.has_value());
        QCOMPARE(found.error().code, ErrorCode::damaged);
        QVERIFY2(found.error().message.find(part.toStdString()) != std::string::npos,
                 found.error().message.c_str());
    }
    void deepManifestsEndInASentence()
    {
        const Folder folder;
        const fs::path file = folder.write(
            "job.json", R"({"tidemark-job": 1, "ranks": )" + std::string(200'000, '['));
        QCOMPARE(gathered({file}).error().code, ErrorCode::damaged);
    }
    void copiesOfAFarFolderAreGathered()
    {
        const Folder folder;
        const std::vector<FileOfFolder> copies{
            {folder.write("1/rank0.pickle"), "step_9/rank0.pickle", 9},
            {folder.write("2/rank0.pickle"), "step_2/rank0.pickle", 2},
            {folder.write("3/job.json", "{}"), "job.json", 9},
            {folder.write("4/rank1.json", kSummary), "step_2/rank1.json", 2},
            {folder.write("5/a.rank0.pickle"), "a.rank0.pickle", 1}};
        const auto found = gather(copies, "box:runs", {});
        QCOMPARE(linesOf(found),
                 (Lines{"step_2/rank0.pickle: 0 step 2", "step_9/rank0.pickle: 0 step 9",
                        "step_2/rank1.json: 1 step 2 (summary)"}));
        QCOMPARE(found.value().dumps[1].file, folder.path() / "1/rank0.pickle");
        QCOMPARE(found.value().notes,
                 (Lines{"Newest job of box:runs: rank*; 1 other is skipped."}));
    }
    void theRanksOfTheNewestDumpBelongTogether()
    {
        const Lines paths{"notes.pickle",         "b.rank2-of-4.pickle",     "b.rank0-of-4.pickle",
                          "b.rank10-of-4.pickle", "b.rank0-of-4.oom.pickle", "b.rank1-of-8.pickle",
                          "a.rank1-of-4.pickle"};
        const auto job = newestRanks(paths, std::vector<std::int64_t>{1, 9, 8, 7, 6, 5, 4});
        QCOMPARE(job.group, std::string("b rank* of 4"));
        QCOMPARE(job.last, (std::vector<std::size_t>{2, 1, 3})); // By rank, the last of each.
        QCOMPARE(job.dumps, (std::vector<std::size_t>{2, 4, 1, 3}));
        QCOMPARE(job.others, std::size_t{3});
        const auto none = [](const Lines& names) {
            std::vector<std::int64_t> times(names.size());
            std::iota(times.rbegin(), times.rend(), std::int64_t{1}); // The newest first.
            return newestRanks(names, times).last.empty();
        };
        QVERIFY(none({}));
        QVERIFY(none({"run.pickle", "rank0.pickle", "rank1.pickle"}));
        QVERIFY(none({"rank0.pickle", "rank0.oom.pickle"}));
        QVERIFY(none({"rank3.pickle", "rank03.pickle"}));
        QVERIFY(!none({"rank1.pickle", "rank0.pickle", "run.pickle"}));
    }
    void whatIsNotThereIsSaid()
    {
        const Folder folder;
        folder.write("notes.txt");
        QCOMPARE(gathered({folder.path()}).error().code, ErrorCode::cannotOpen);
        QCOMPARE(gathered({folder.path() / "none"}).error().code, ErrorCode::cannotOpen);
        QCOMPARE(gathered({}).error().code, ErrorCode::cannotOpen);
        std::stop_source stop;
        stop.request_stop();
        const std::vector<fs::path> paths{folder.path()};
        QCOMPARE(gather(paths, stop.get_token()).error().code, ErrorCode::cancelled);
    }
};

TIDEMARK_TEST(TstGather)

} // namespace tidemark::tst_gather

#include "tst_gather.moc"
