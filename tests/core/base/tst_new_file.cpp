// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/new_file.h"
#include "tests/support/test_main.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <csignal>
#include <fstream>
#include <iterator>
#include <vector>

namespace tidemark::tst_new_file {

namespace fs = std::filesystem;

namespace {

std::string contentOf(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

unsigned permissionsOf(const fs::path& file)
{
    struct stat info { };
    return ::stat(file.c_str(), &info) == 0 ? info.st_mode & 0777U : 0;
}

} // namespace

class TstNewFile : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    [[nodiscard]] fs::path path(std::string_view name) const
    {
        return fs::path(m_folder.path().toStdString()) / name;
    }
    [[nodiscard]] std::vector<std::string> names() const
    {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator(m_folder.path().toStdString())) {
            found.push_back(entry.path().filename().string());
        }
        return found;
    }

private Q_SLOTS:
    void cleanup()
    {
        for (const std::string& name : names()) {
            fs::remove_all(path(name));
        }
    }

    void aFileAppearsWhenItIsComplete()
    {
        std::ofstream(path("a")) << "old";
        {
            auto file = NewFile::create(path("a"));
            QVERIFY(file.has_value());
            file.value().stream() << std::string(1'000'000, 'x') << std::flush;
            QCOMPARE(contentOf(path("a")), std::string("old"));
            QVERIFY(file.value().commit().has_value());
        }
        QCOMPARE(contentOf(path("a")).size(), std::size_t{1'000'000});
        QCOMPARE(names().size(), std::size_t{1});
        {
            auto file = NewFile::create(path("a"));
            file.value().stream() << "never committed";
        }
        QCOMPARE(contentOf(path("a")).size(), std::size_t{1'000'000});
        QCOMPARE(names().size(), std::size_t{1});
    }

    void permissionsAreThoseOfTheOldFile()
    {
        const mode_t umask_before = ::umask(022);
        QVERIFY(writeNewFile(path("new"), "x").has_value());
        ::umask(umask_before);
        QCOMPARE(permissionsOf(path("new")), 0644U);
        for (const mode_t mode : {0600U, 0640U, 0664U}) {
            ::chmod(path("new").c_str(), mode);
            QVERIFY(writeNewFile(path("new"), "x").has_value());
            QCOMPARE(permissionsOf(path("new")), mode);
        }
    }

    void aLinkStaysAndItsFileIsWritten()
    {
        fs::create_directory(path("there"));
        fs::create_symlink("there/file", path("link"));
        for (const std::string_view content : {"first", "second"}) { // None there, then one.
            QVERIFY(writeNewFile(path("link"), content).has_value());
            QVERIFY(fs::is_symlink(path("link")));
            QCOMPARE(contentOf(path("there/file")), std::string(content));
        }
    }

    void whatAnybodyPutsBesideItIsLeftAlone()
    {
        std::ofstream(path("victim")) << "mine";
        fs::create_symlink("victim", path("a.part"));
        QVERIFY(writeNewFile(path("a"), "x").has_value());
        QCOMPARE(contentOf(path("victim")), std::string("mine"));
        QVERIFY(fs::is_symlink(path("a.part")));
    }

    void writersOfOneFileDoNotMeet()
    {
        std::vector<NewFile> files;
        for (int i = 0; i < 20; ++i) {
            auto file = NewFile::create(path("a"));
            QVERIFY(file.has_value());
            files.push_back(std::move(file).value());
            files.back().stream() << std::string(100, static_cast<char>('a' + i));
        }
        for (NewFile& file : files) {
            QVERIFY(file.commit().has_value());
        }
        QCOMPARE(contentOf(path("a")), std::string(100, 't'));
        QCOMPARE(names().size(), std::size_t{1});
    }

    void theLongestNamesAreWritten()
    {
        const fs::path longest = path(std::string(255, 'n'));
        QVERIFY(writeNewFile(longest, "x").has_value());
        QCOMPARE(contentOf(longest), std::string("x"));
    }

    void whatCannotBeWrittenIsAnError()
    {
        QCOMPARE(writeNewFile(path("none/a"), "x").error().code, ErrorCode::cannotWrite);
        QCOMPARE(writeNewFile(path("."), "x").error().message, std::string("Is a directory"));
        const auto full = writeNewFile("/dev/full", std::string(200'000, 'x'));
        QCOMPARE(full.error().message, std::string("No space left on device"));
        QVERIFY(writeNewFile("/dev/null", "x").has_value());
    }

    void aSignalLeavesNothingBehind()
    {
        std::ofstream(path("a")) << "old";
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            const pid_t child = ::fork();
            if (child == 0) {
                std::signal(signal, SIG_DFL);
                removeUnfinishedFilesOnSignals();
                const auto file = NewFile::create(path("a"));
                ::raise(signal);
                ::_exit(file.has_value() ? 0 : 1); // Not reached.
            }
            int status = 0;
            QCOMPARE(::waitpid(child, &status, 0), child);
            QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == signal);
            QCOMPARE(names().size(), std::size_t{1});
            QCOMPARE(contentOf(path("a")), std::string("old"));
        }
    }
};

TIDEMARK_TEST(TstNewFile)

} // namespace tidemark::tst_new_file

#include "tst_new_file.moc"
