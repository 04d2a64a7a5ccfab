// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/far_side.h"
#include "core/remote/ssh_process.h"
#include "tests/support/test_main.h"

#include <QtCore/QDir>
#include <QtCore/QElapsedTimer>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>
#include <array>
#include <csignal>

namespace tidemark::tst_far_side {

using namespace tidemark::remote;

namespace {

/// What a program prints that is fed this script.
std::string outputOf(const std::vector<std::string>& arguments, const std::string& script)
{
    auto process = SshProcess::start(arguments, script, false);
    std::string output;
    std::array<char, 4096> bytes{};
    for (;;) {
        const auto count = process.value()->read(bytes, {});
        if (!count.has_value() || count.value() == 0) {
            return output;
        }
        output.append(bytes.data(), count.value());
    }
}

/// The far side's script, run here.
std::string answerOf(const QString& path)
{
    return outputOf({"/bin/sh"}, farScript(path.toStdString()));
}

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

} // namespace

class TstFarSide : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anyNameIsOnlyAName_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"run.pickle", "two words.pickle", "it's.pickle", "$(touch hit).pickle",
              "`touch hit`.pickle", "-rf.pickle", "a\nb.pickle", "a\\nb.pickle", "*.pickle",
              "$path;touch hit.pickle", "\"quoted\".pickle", "~.pickle"}) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }
    void anyNameIsOnlyAName()
    {
        QFETCH(QString, name);
        QTemporaryDir folder;
        // Packed already by its name, so that the bytes come as they are.
        const QString path = folder.filePath(name + QStringLiteral(".gz"));
        write(path, "content");
        const std::string output = answerOf(path);
        const auto answer = findAnswer(output);
        QVERIFY(answer.has_value());
        QCOMPARE(answer->kind, FarKind::file);
        QCOMPARE(answer->size, std::uint64_t{7});
        QVERIFY(answer->modified > 1'700'000'000);
        QCOMPARE(answer->packer, Packer::none);
        QCOMPARE(output.substr(answer->end), std::string("content"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
    }

    void aFolderListsItsDumpsNewestFirst()
    {
        QTemporaryDir folder;
        const auto add = [&](const char* name, int age) {
            const QString path = folder.filePath(QString::fromLatin1(name));
            write(path, QByteArray(age, 'x'));
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadWrite));
            file.setFileTime(QDateTime::currentDateTime().addSecs(-age),
                             QFileDevice::FileModificationTime);
        };
        add("old run.pickle", 50);
        add("new\nrun.pickle.zst", 10);
        add("middle.pkl", 20);
        add("notes.txt", 1);
        add("middle.pkl.tidemark-rules.json", 2);
        QDir(folder.path()).mkdir(QStringLiteral("folder.pickle"));
        const std::string output = answerOf(folder.path());
        const auto answer = findAnswer(output);
        QVERIFY(answer.has_value());
        QCOMPARE(answer->kind, FarKind::folder);
        const std::vector<FarFile> files =
            parseListing(std::string_view(output).substr(answer->end));
        QCOMPARE(files.size(), std::size_t{3});
        QCOMPARE(files[0].name, std::string("new\nrun.pickle.zst"));
        QCOMPARE(files[1].name, std::string("middle.pkl"));
        QCOMPARE(files[2].name, std::string("old run.pickle"));
        QCOMPARE(files[2].size, std::uint64_t{50});
    }

    void foldersInAFolderAreListedToo()
    {
        QTemporaryDir folder;
        QTemporaryDir elsewhere;
        write(elsewhere.filePath(QStringLiteral("rank9.pickle")), "x");
        QDir root(folder.path());
        for (const char* part : {"step_2", "step 9\n_exit", ".hidden", "1/2/3/4/5/6/7/8/9"}) {
            QVERIFY(root.mkpath(QString::fromLatin1(part)));
        }
        for (const char* name :
             {"step_2/rank0.pickle", "step 9\n_exit/rank0.pickle", "rank0.pickle",
              ".hidden/rank1.pickle", "step_2/.rank2.pickle", "step_2/train.log",
              "1/2/3/4/5/6/7/8/rank3.pickle", "1/2/3/4/5/6/7/8/9/rank4.pickle"}) {
            write(folder.filePath(QString::fromLatin1(name)), "x");
        }
        QVERIFY(QFile::link(elsewhere.path(), folder.filePath(QStringLiteral("more"))));
        QVERIFY(QFile::link(folder.filePath(QStringLiteral("rank0.pickle")),
                            folder.filePath(QStringLiteral("latest.pickle"))));
        const std::string output = answerOf(folder.path());
        std::vector<std::string> names;
        for (const FarFile& file :
             parseListing(std::string_view(output).substr(findAnswer(output)->end))) {
            names.push_back(file.name);
        }
        std::ranges::sort(names);
        QCOMPARE(names,
                 (std::vector<std::string>{"1/2/3/4/5/6/7/8/rank3.pickle", "rank0.pickle",
                                           "step 9\n_exit/rank0.pickle", "step_2/rank0.pickle"}));
    }
    void aListingCannotNameWhatIsElsewhere()
    {
        const auto names = [](const std::string& listing) {
            std::vector<std::string> all;
            for (const FarFile& file : parseListing(listing)) {
                all.push_back(file.name);
            }
            return all;
        };
        for (const char* name : {"../a.pickle", "/a.pickle", "a/../../b.pickle", "a//b.pickle",
                                 "..", "./a.pickle", "a/", ""}) {
            QVERIFY2(names(std::string("5 7 ") + name + '\0').empty(), name);
        }
        QCOMPARE(names(std::string("5 7 a/..b.pickle") + '\0' + "5 8 cut"),
                 std::vector<std::string>{"a/..b.pickle"});
        QCOMPARE(names(std::string("much 7 a.pickle") + '\0'), std::vector<std::string>{});
    }

    void whatIsNotThereIsSaid()
    {
        QTemporaryDir folder;
        QCOMPARE(findAnswer(answerOf(folder.filePath(QStringLiteral("none"))))->kind,
                 FarKind::missing);
        QCOMPARE(findAnswer(answerOf(QStringLiteral("/dev/null")))->kind, FarKind::unreadable);
    }

    void aGreetingIsPassedOver()
    {
        const std::string output = "Welcome to tidemark-far file!\nquota 3 %\n"
                                   "tidemark-far file gzip 0 12 34\nbytes";
        const auto answer = findAnswer(output);
        QVERIFY(answer.has_value());
        QCOMPARE(answer->size, std::uint64_t{12});
        QCOMPARE(answer->modified, std::int64_t{34});
        QCOMPARE(answer->packer, Packer::gzip);
        QCOMPARE(answer->from, std::uint64_t{0});
        QCOMPARE(output.substr(answer->end), std::string("bytes"));
        QVERIFY(!findAnswer("Welcome\ntidemark-far file gzip 0 12"));
        QVERIFY(!findAnswer("tidemark-far rubbish\n"));
        QVERIFY(!findAnswer("tidemark-far file gzip much 12 34\n"));
        QVERIFY(!findAnswer("tidemark-far file gzip 99999999999999999 12 34\n"));
    }

    void aSizeThatTheOtherSideCannotTellIsUnknown()
    {
        const auto answer = findAnswer("tidemark-far file cat 0 \n");
        QVERIFY(answer.has_value());
        QCOMPARE(answer->kind, FarKind::file);
        QCOMPARE(answer->size, std::uint64_t{0});
    }

    void whatIsHereAlreadyIsNotSentAgain()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("run.pickle.gz"));
        const std::size_t size = 3 * kBlockBytes + 5;
        QByteArray bytes(static_cast<qsizetype>(size), 'a');
        bytes.replace(static_cast<qsizetype>(2 * kBlockBytes), 1, "b");
        write(path, bytes);
        const auto first = findAnswer(answerOf(path));
        const FarPart part{Packer::none, size, first->modified, 2 * kBlockBytes};
        const std::string output =
            outputOf({"/bin/sh"}, farScript(path.toStdString(), "key", part));
        const auto answer = findAnswer(output);
        QCOMPARE(answer->from, 2 * kBlockBytes);
        QVERIFY(output.substr(answer->end) == bytes.mid(2 * kBlockBytes).toStdString());

        // Another time, another size, another way of packing: all of it comes.
        for (const FarPart& other :
             {FarPart{Packer::none, size, first->modified - 1, 2 * kBlockBytes},
              FarPart{Packer::none, size + 1, first->modified, 2 * kBlockBytes},
              FarPart{Packer::zstd, size, first->modified, 2 * kBlockBytes}}) {
            const std::string all =
                outputOf({"/bin/sh"}, farScript(path.toStdString(), "key", other));
            QCOMPARE(findAnswer(all)->from, std::uint64_t{0});
            QCOMPARE(all.size() - findAnswer(all)->end, size);
        }
    }

    void whatIsCancelledEndsAtOnce()
    {
        std::stop_source stop;
        stop.request_stop();
        QElapsedTimer timer;
        timer.start();
        {
            auto process = SshProcess::start({"/bin/sh"}, "exec sleep 60", false);
            std::array<char, 16> bytes{};
            const auto count = process.value()->read(bytes, stop.get_token());
            QVERIFY(!count.has_value());
            QCOMPARE(count.error().code, tidemark::ErrorCode::cancelled);
        }
        QVERIFY(timer.elapsed() < 30'000);
    }

    void whatDoesNotEndWhenAskedIsMadeTo()
    {
        static const std::string kDeaf = "trap '' TERM; echo deaf; exec sleep 60";
        QElapsedTimer timer;
        timer.start();
        {
            auto process = SshProcess::start({"/bin/sh"}, kDeaf, false);
            std::array<char, 16> bytes{};
            QCOMPARE(process.value()->read(bytes, {}).value(), std::size_t{5});
        }
        QVERIFY(timer.elapsed() < 30'000);
    }

    void aStopEndsTheWait()
    {
        QElapsedTimer timer;
        timer.start();
        auto process = SshProcess::start({"/bin/sh"}, "exec sleep 60 >&-", false);
        std::array<char, 16> bytes{};
        QCOMPARE(process.value()->read(bytes, {}).value(), std::size_t{0});
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(process.value()->wait(stop.get_token()), 128 + SIGTERM);
        QVERIFY(timer.elapsed() < 30'000);
    }

    void aProgramThatIsMissingIsNamed()
    {
        const auto process = SshProcess::start({"no-such-program-here"}, "", false);
        QVERIFY(!process.has_value());
        QVERIFY(process.error().message.find("no-such-program-here is not installed")
                != std::string::npos);
    }

    void complaintsAreKept()
    {
        auto process =
            SshProcess::start({"/bin/sh"}, "echo first >&2; echo last >&2; exit 7", false);
        std::array<char, 16> bytes{};
        QCOMPARE(process.value()->read(bytes, {}).value(), std::size_t{0});
        QCOMPARE(process.value()->wait({}), 7);
        QCOMPARE(process.value()->complaints(), std::string("first\nlast\n"));
    }
};

TIDEMARK_TEST(TstFarSide)

} // namespace tidemark::tst_far_side

#include "tst_far_side.moc"
