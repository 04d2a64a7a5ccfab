// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/dump_watch.h"
#include "tests/support/test_main.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <fstream>

namespace tidemark::tst_dump_watch {

using namespace tidemark::pipeline;
namespace fs = std::filesystem;

namespace {

class Folder {
public:
    void write(const std::string& name, std::size_t bytes) const
    {
        std::ofstream(path() / name, std::ios::binary) << std::string(bytes, 'x');
    }
    [[nodiscard]] fs::path path() const
    {
        return m_root.path().toStdString();
    }

private:
    QTemporaryDir m_root;
};

std::vector<std::string> namesOf(const Result<std::vector<fs::path>>& files)
{
    std::vector<std::string> names;
    for (const fs::path& file : files.value()) {
        names.push_back(file.filename().string());
    }
    return names;
}

using Names = std::vector<std::string>;

} // namespace

class TstDumpWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foldersThatAppearAreLookedInto()
    {
        const Folder folder;
        folder.write("there.pickle", 10);
        DumpWatch watch(folder.path());
        QCOMPARE(namesOf(watch.look()), Names{});
        fs::create_directories(folder.path() / "memory_snapshot/step_9_exit");
        fs::create_directories(folder.path() / ".hidden");
        fs::create_directory_symlink(folder.path(), folder.path() / "again");
        folder.write("memory_snapshot/step_9_exit/rank0.pickle", 10);
        folder.write(".hidden/rank1.pickle", 10);
        QCOMPARE(namesOf(watch.look()), Names{});
        const auto arrived = watch.look();
        QCOMPARE(arrived.value(),
                 std::vector<fs::path>{folder.path() / "memory_snapshot/step_9_exit/rank0.pickle"});
        QCOMPARE(namesOf(watch.look()), Names{});
    }
    void aFileIsReportedOnceItNoLongerGrows()
    {
        const Folder folder;
        folder.write("before.pickle", 10);
        DumpWatch watch(folder.path());
        QCOMPARE(namesOf(watch.look()), Names());
        folder.write("run.pickle", 5);
        QCOMPARE(namesOf(watch.look()), Names());
        folder.write("run.pickle", 9);
        QCOMPARE(namesOf(watch.look()), Names());
        QCOMPARE(namesOf(watch.look()), Names{"run.pickle"});
        QCOMPARE(namesOf(watch.look()), Names());
    }

    void aFileWrittenAnewIsReportedAgain()
    {
        const Folder folder;
        folder.write("run.pickle", 10);
        DumpWatch watch(folder.path());
        QCOMPARE(namesOf(watch.look()), Names());
        folder.write("run.pickle", 11);
        QCOMPARE(namesOf(watch.look()), Names());
        QCOMPARE(namesOf(watch.look()), Names{"run.pickle"});
        fs::remove(folder.path() / "run.pickle");
        QCOMPARE(namesOf(watch.look()), Names());
        folder.write("run.pickle", 11);
        QCOMPARE(namesOf(watch.look()), Names());
        QCOMPARE(namesOf(watch.look()), Names{"run.pickle"});
    }

    void theOldestComesFirst()
    {
        const Folder folder;
        DumpWatch watch(folder.path());
        QCOMPARE(namesOf(watch.look()), Names());
        folder.write("a.pickle", 4);
        folder.write("b.pickle.gz", 4);
        const auto now = fs::last_write_time(folder.path() / "a.pickle");
        fs::last_write_time(folder.path() / "b.pickle.gz", now - std::chrono::seconds(60));
        QCOMPARE(namesOf(watch.look()), Names());
        QCOMPARE(namesOf(watch.look()), (Names{"b.pickle.gz", "a.pickle"}));
    }

    void whatIsNoDumpIsPassedOver()
    {
        QVERIFY(isDumpName("/tmp/run.pickle"));
        QVERIFY(isDumpName("run.oom.pickle.zst"));
        QVERIFY(!isDumpName(".run.pickle"));
        QVERIFY(!isDumpName("run.pickle.tidemark-rules.json"));
        QVERIFY(!isDumpName("run.pickle.part"));
        QVERIFY(!isDumpName("train.log"));
        const Folder folder;
        DumpWatch watch(folder.path());
        QCOMPARE(namesOf(watch.look()), Names());
        folder.write("empty.pickle", 0);
        fs::create_directory(folder.path() / "folder.pickle");
        fs::create_symlink("/nowhere", folder.path() / "link.pickle");
        folder.write("train.log", 5);
        folder.write("last.pickle", 5);
        QCOMPARE(namesOf(watch.look()), Names());
        QCOMPARE(namesOf(watch.look()), Names{"last.pickle"});
    }

    void aFolderThatIsNoneIsAnError()
    {
        DumpWatch watch("/no such folder/at all");
        const auto files = watch.look();
        QVERIFY(!files.has_value());
        QCOMPARE(files.error().code, ErrorCode::cannotOpen);
    }
};

TIDEMARK_TEST(TstDumpWatch)

} // namespace tidemark::tst_dump_watch

#include "tst_dump_watch.moc"
