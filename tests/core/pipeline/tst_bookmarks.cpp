// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/bookmarks.h"
#include "tests/support/test_main.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <fstream>

namespace tidemark::tst_bookmarks {

using pipeline::Bookmark;
namespace fs = std::filesystem;

namespace {

using List = std::vector<Bookmark>;

Bookmark mark(std::uint32_t state, std::string note, std::size_t device = 0)
{
    return {device, StateId{state}, std::move(note)};
}

/// A snapshot that need not be one, and the user's folder beside it.
class Folders {
public:
    Folders()
        : snapshot(fs::path(m_root.path().toStdString()) / "runs/run.pickle")
        , away(fs::path(m_root.path().toStdString()) / "data/rules")
    {
        fs::create_directories(snapshot.parent_path());
        std::ofstream(snapshot) << "a snapshot";
    }
    [[nodiscard]] fs::path beside() const
    {
        return fs::path(snapshot) += ".tidemark-bookmarks";
    }
    [[nodiscard]] List load() const
    {
        return pipeline::loadBookmarks(snapshot, away).list;
    }
    /// Returns what was saved.
    [[nodiscard]] List save(const List& list, const List& known) const
    {
        return pipeline::saveBookmarks(snapshot, away, list, known).value().list;
    }

private:
    QTemporaryDir m_root;

public:
    fs::path snapshot;
    fs::path away;
};

} // namespace

class TstBookmarks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aListSurvivesItsText()
    {
        const List list{mark(0, ""), mark(7, "a \"note\"\nof two lines"),
                        mark(9, "\x1b[31m<b>größer</b>", 1)};
        const auto read = pipeline::parseBookmarks(pipeline::bookmarksText(list));
        QVERIFY(read.has_value());
        QVERIFY(read.value() == list);
        QVERIFY(pipeline::bookmarksText(list).find("\"event\": -1") != std::string::npos);
    }
    void whatIsNoListIsSaidToBeNone()
    {
        for (
            const char* text :
            {"", "[]", "{}", "nonsense", R"({"tidemark-bookmarks": 2, "bookmarks": []})",
             R"({"tidemark-bookmarks": 1, "bookmarks": {}})",
             R"({"tidemark-bookmarks": 1, "bookmarks": [1]})",
             R"({"tidemark-bookmarks": 1, "bookmarks": [{"device": 0, "event": 1}]})",
             R"({"tidemark-bookmarks": 1, "bookmarks": [{"device": -1, "event": 1, "note": ""}]})",
             R"({"tidemark-bookmarks": 1, "bookmarks": [{"device": 0, "event": -2, "note": ""}]})",
             R"({"tidemark-bookmarks": 1, "bookmarks": [{"device": 0, "event": 1.5, "note": ""}]})",
             R"({"tidemark-bookmarks": 1,
                  "bookmarks": [{"device": 0, "event": 18446744073709551615, "note": ""}]})"}) {
            const auto read = pipeline::parseBookmarks(text);
            QVERIFY2(!read.has_value(), text);
            QVERIFY(!read.error().message.empty());
        }
        const std::string deep(200'000, '[');
        QVERIFY(!pipeline::parseBookmarks(deep).has_value());
    }
    void aListIsTidy()
    {
        std::string umlauts;
        while (umlauts.size() < pipeline::kLongestNote + 1) {
            umlauts += "ü";
        }
        umlauts.insert(0, "x");
        List list{mark(9, "later"), mark(3, "first"), mark(3, "second"), mark(1, umlauts)};
        pipeline::tidyBookmarks(list);
        QCOMPARE(list.size(), 3UL);
        QCOMPARE(list[1].note, std::string("first"));
        QVERIFY(list[0].note.size() < pipeline::kLongestNote);
        QVERIFY(pipeline::parseBookmarks(pipeline::bookmarksText(list)).value() == list);
    }
    void itIsKeptBesideTheSnapshotAndRemovedWithItsLastMark()
    {
        const Folders folders;
        QVERIFY(folders.load().empty());
        const List list{mark(4, "here")};
        QVERIFY(folders.save(list, {}) == list);
        QVERIFY(fs::exists(folders.beside()));
        QVERIFY(folders.load() == list);
        QVERIFY(!fs::exists(folders.away));
        QVERIFY(folders.save({}, list).empty());
        QVERIFY(!fs::exists(folders.beside()));
    }
    void whereNothingCanBeWrittenBesideItGoesToTheFolder()
    {
        const Folders folders;
        fs::create_symlink("/no such folder/at all", folders.beside());
        const auto saved =
            pipeline::saveBookmarks(folders.snapshot, folders.away, List{mark(4, "here")}, {});
        QVERIFY(saved.has_value());
        QVERIFY(!saved.value().where.is_beside);
        QVERIFY(folders.load() == saved.value().list);
        const auto nowhere =
            pipeline::saveBookmarks(folders.snapshot, {}, List{mark(4, "here")}, {});
        QVERIFY(!nowhere.has_value());
        QVERIFY(nowhere.error().message.find("Cannot write the bookmarks") == 0);
    }
    void twoWindowsLoseNothing()
    {
        const Folders folders;
        const List base = folders.save({mark(1, "a"), mark(2, "b")}, {});
        // The other one adds a mark and changes a note; this one knows only of the base.
        const List theirs =
            folders.save({mark(1, "a, theirs"), mark(2, "b"), mark(5, "new")}, base);
        const List ours = folders.save({mark(1, "a"), mark(2, "b, ours"), mark(7, "mine")}, base);
        QVERIFY(
            ours
            == (List{mark(1, "a, theirs"), mark(2, "b, ours"), mark(5, "new"), mark(7, "mine")}));
        QVERIFY(folders.load() == ours);
        // Both on one note: both stay. Taken out here and changed there: it stays.
        (void)folders.save({mark(1, "x"), mark(2, "kept")}, ours);
        const List both = folders.save({mark(1, "y"), mark(7, "mine")}, ours);
        QVERIFY(both == (List{mark(1, "y\nx"), mark(2, "kept")}));
    }
    void aDamagedFileIsKeptAside()
    {
        const Folders folders;
        std::ofstream(folders.beside()) << "notes of mine";
        const auto loaded = pipeline::loadBookmarks(folders.snapshot, folders.away);
        QVERIFY(loaded.list.empty());
        QVERIFY(loaded.problem.find("run.pickle.tidemark-bookmarks") != std::string::npos);
        (void)folders.save({mark(4, "here")}, {});
        QVERIFY(fs::exists(fs::path(folders.beside()) += ".damaged"));
        QCOMPARE(folders.load().size(), 1UL);
    }
};

TIDEMARK_TEST(TstBookmarks)

} // namespace tidemark::tst_bookmarks

#include "tst_bookmarks.moc"
