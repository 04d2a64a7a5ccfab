// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/kept_copies.h"
#include "tests/support/test_main.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <chrono>
#include <fstream>

namespace tidemark::tst_kept_copies {

using namespace tidemark::remote;
namespace fs = std::filesystem;

namespace {

Address far(const std::string& path)
{
    return {"box", "me", "", path};
}

/// A copy of so many bytes, as if it were fetched so many hours ago.
fs::path copied(const KeptCopies& copies, const Address& address, const FarStamp& stamp, int hours)
{
    const fs::path place = copies.place(address).value();
    std::ofstream(place, std::ios::binary) << std::string(stamp.size, 'x');
    copies.keep(address, stamp);
    fs::last_write_time(place.parent_path() / ".tidemark-origin",
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
    return place;
}

} // namespace

class TstKeptCopies : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_root;
    fs::path folder(const char* name)
    {
        return fs::path(m_root.path().toStdString()) / name;
    }

private Q_SLOTS:
    void aCopyIsFoundWhileSizeAndTimeAgree()
    {
        const KeptCopies copies(folder("agree"));
        const fs::path file = copied(copies, far("/a/run.pickle"), {100, 5}, 1);
        QCOMPARE(*copies.find(far("/a/run.pickle"), {100, 5}), file);
        QVERIFY(!copies.find(far("/a/run.pickle"), {101, 5}));
        QVERIFY(!copies.find(far("/a/run.pickle"), {100, 6}));
        QVERIFY(!copies.find(far("/b/run.pickle"), {100, 5}));
        QVERIFY(!copies.find(far("/a/run.pickle"), {}));
        QCOMPARE(static_cast<int>(fs::status(folder("agree")).permissions() & fs::perms::all),
                 0700);
    }
    void aCopyThatIsBeingReplacedIsNoneMeanwhile()
    {
        const KeptCopies copies(folder("replaced"));
        copied(copies, far("/run.pickle"), {100, 5}, 1);
        QVERIFY(copies.place(far("/run.pickle")).has_value());
        QVERIFY(copies.find(far("/run.pickle"), {100, 5})); // The new one is not there yet.
        copies.forget(far("/run.pickle"));
        QVERIFY(!copies.find(far("/run.pickle"), {100, 5}));
    }
    void aPartIsContinuedAndNeverTakenForTheWhole()
    {
        const KeptCopies copies(folder("part"));
        const Address address = far("/run.pickle");
        const fs::path place = copies.place(address).value();
        std::ofstream(place, std::ios::binary) << std::string(70, 'x');
        const KeptPart part{Packer::zstd, {60, 8 << 20}};
        copies.keep(address, {100, 5}, part);
        QVERIFY(!copies.find(address, {100, 5}));
        const auto begun = copies.begun(address);
        QCOMPARE(begun->file, place);
        QCOMPARE(begun->stamp, (FarStamp{100, 5}));
        QCOMPARE(begun->part, part);
        QCOMPARE(copies.addresses(), (std::vector<std::string>{"me@box:/run.pickle"}));
        QVERIFY(!copies.begun(far("/other.pickle")));
        std::ofstream(place, std::ios::binary) << std::string(59, 'x');
        QVERIFY(!copies.begun(address)); // Less is there than should be.
        copies.keep(address, {100, 5});
        QVERIFY(!copies.begun(address));
        QVERIFY(copies.find(address, {100, 5}));
    }
    void aCopyTellsWhatItIsOf()
    {
        const KeptCopies copies(folder("origin"));
        const fs::path file = copied(copies, far("/two\nlines.pickle"), {100, 5}, 1);
        const auto origin = originOf(file);
        QCOMPARE(origin->address, std::string("me@box:/two\nlines.pickle"));
        QCOMPARE(origin->stamp, (FarStamp{100, 5}));
        QVERIFY(!origin->part);
        QVERIFY(!originOf(folder("none") / "run.pickle"));
        for (const char* damaged : {"", "\n", "100 5\n", "100 5\nbox:/a", "100 x\nbox:/a\n",
                                    "100 5 part zstd 7\nbox:/a\n", "100 5 part zstd 7 x\nb:/a\n"}) {
            std::ofstream(file.parent_path() / ".tidemark-origin") << damaged;
            QVERIFY2(!originOf(file), damaged);
        }
    }
    void thoseUsedLongestAgoMakeRoom()
    {
        const KeptCopies copies(folder("room"), 250);
        const fs::path first = copied(copies, far("/1.pickle"), {100, 1}, 9);
        const fs::path second = copied(copies, far("/2.pickle"), {100, 1}, 8);
        std::ofstream(first.string() + ".tidemark-rules.json") << "{}";
        QVERIFY(copies.find(far("/1.pickle"), {100, 1})); // Used just now.
        const fs::path third = copied(copies, far("/3.pickle"), {100, 1}, 0);
        QVERIFY(fs::exists(first));
        QVERIFY(!fs::exists(second.parent_path()));
        QCOMPARE(copies.addresses(),
                 (std::vector<std::string>{"me@box:/3.pickle", "me@box:/1.pickle"}));
        const fs::path large = copied(copies, far("/4.pickle"), {1000, 1}, 0);
        QVERIFY(fs::exists(large));
        QVERIFY(!fs::exists(first));
        QVERIFY(!fs::exists(third));
        QVERIFY(fs::exists(first.string() + ".tidemark-rules.json"));
    }
};

TIDEMARK_TEST(TstKeptCopies)

} // namespace tidemark::tst_kept_copies

#include "tst_kept_copies.moc"
