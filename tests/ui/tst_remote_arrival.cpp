// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/kept_copies.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/remote_dialog.h"
#include "ui/views/look/arrival_strip.h"
#include "ui/views/window/remote_actions.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QSignalSpy>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>

#include <atomic>
#include <chrono>
#include <thread>

namespace tidemark::tst_remote_arrival {

using namespace tidemark::ui;

namespace {

constexpr int kPatience = 60000;

QByteArray example()
{
    QFile file(test::examplePath());
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

/// A far file that arrives as far as the test lets it.
struct Line {
    QTemporaryDir folder;
    QByteArray bytes = example();
    std::atomic<qsizetype> came = 0; ///< Bytes so far.
    std::atomic<bool> is_over = false;
    std::string broken; ///< Why it ended.

    /// As a file grows that is read meanwhile.
    void append(const QString& part, qsizetype until) const
    {
        QFile file(part);
        QVERIFY(file.open(QIODevice::Append));
        file.write(bytes.mid(file.size(), until - file.size()));
    }
    [[nodiscard]] QString copy() const
    {
        return folder.filePath(QStringLiteral("run.pickle"));
    }
    RemoteDialog::Fetch fetch()
    {
        return [this](const remote::Address&, const remote::FetchOptions& options,
                      const std::stop_token& stop) -> Result<remote::Fetched> {
            const QString part = folder.filePath(QStringLiteral(".so-far"));
            while (!is_over) {
                if (stop.stop_requested()) {
                    return Error{ErrorCode::cancelled, "cancelled", {}};
                }
                append(part, came);
                const auto count = static_cast<std::uint64_t>(came.load());
                options.progress({count, static_cast<std::uint64_t>(bytes.size()), false, count,
                                  pathFrom(part), pathFrom(copy())});
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            write(copy(), bytes.left(came));
            remote::Fetched fetched;
            fetched.file = pathFrom(copy());
            fetched.broken = broken;
            return fetched;
        };
    }
};

} // namespace

class TstRemoteArrival : public test::UiTest {
    Q_OBJECT

    static void fetchBy(test::Opened& opened, Line& line)
    {
        opened.show();
        RemoteDialog& dialog = opened.window.remoteActions().dialog();
        dialog.setFetch(line.fetch());
        opened.window.remoteActions().schedule().setQuiet(std::chrono::milliseconds(10));
        opened.window.openRemote(QStringLiteral("box:run.pickle"));
    }
    static std::size_t events(test::Opened& opened)
    {
        return opened.window.viewState().traceDevice().events.count();
    }
    static QString strip(test::Opened& opened)
    {
        return opened.child<QLabel>("arrivalWords")->text();
    }
    /// Waits for the picture of a part.
    static void shownOf(test::Opened& opened, Line& line, double share)
    {
        line.came = static_cast<qsizetype>(share * static_cast<double>(line.bytes.size()));
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.files().empty()
                                     && opened.session.files()[0].part.has_value()
                                     && opened.session.files()[0].canDraw()
                                     && opened.session.files()[0].part->share > share - 0.01
                                     && !opened.session.isReading(opened.session.files()[0].id),
                                 kPatience);
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CACHE_HOME", QByteArray("/nonexistent"));
    }

    void aPictureOfWhatHasComeBecomesTheWhole()
    {
        Line line;
        test::Opened opened({1200, 800});
        fetchBy(opened, line);
        shownOf(opened, line, 0.5);
        const FileId id = opened.session.files()[0].id;
        QCOMPARE(opened.window.currentFile(), id);
        QCOMPARE(opened.session.files()[0].path, line.copy());
        QVERIFY(!opened.window.remoteActions().dialog().isVisible());
        QTRY_VERIFY2(strip(opened).contains(QStringLiteral("showing the first 50 %")),
                     qPrintable(strip(opened)));
        const std::size_t half = events(opened);
        QVERIFY(half > 0);

        // What the person looks at stays.
        ViewState& view = opened.window.viewState();
        view.setRange({100, 400});
        view.setCursor(StateId{250});
        line.came = line.bytes.size();
        line.is_over = true;
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.files()[0].part, kPatience);
        QVERIFY(opened.session.find(id) != nullptr);
        QVERIFY(events(opened) > half);
        QCOMPARE(view.range(), (Interval<double>{100, 400}));
        QCOMPARE(view.cursor(), StateId{250});
        QCOMPARE(opened.session.files().size(), 1UL);
        QVERIFY(!opened.child<ArrivalStrip>("arrivalStrip")->isVisible());
        QVERIFY(opened.session.failures().empty());
        QVERIFY(opened.preferences.recentFiles().contains(line.copy()));
    }

    void whatWasNotChosenFollowsTheFile()
    {
        Line line;
        test::Opened opened({1200, 800});
        fetchBy(opened, line);
        shownOf(opened, line, 0.5);
        ViewState& view = opened.window.viewState();
        const double end = view.range().end;
        line.came = line.bytes.size();
        line.is_over = true;
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.files()[0].part, kPatience);
        QVERIFY(view.range().end > end); // All of it was in sight, and still is.
        QCOMPARE(view.cursor(), tellingState(view.analysis(), view.device()));
    }

    void aLineThatBreaksOffLeavesWhatCame()
    {
        Line line;
        line.broken = "The connection was lost.";
        test::Opened opened({1200, 800});
        fetchBy(opened, line);
        shownOf(opened, line, 0.3);
        line.came = static_cast<qsizetype>(0.7 * static_cast<double>(line.bytes.size()));
        line.is_over = true;
        const FileId id = opened.session.files()[0].id;
        const std::size_t before = events(opened);
        QTRY_VERIFY_WITH_TIMEOUT(opened.session.find(id)->part == std::nullopt, kPatience);
        QVERIFY(events(opened) > before);
        QVERIFY(opened.window.findChild<QLabel*>(QStringLiteral("noticeText"))
                    ->text()
                    .contains(QStringLiteral("run.pickle: The connection was lost.")));
    }

    void whoStopsItKeepsWhatIsShown()
    {
        Line line;
        test::Opened opened({1200, 800});
        fetchBy(opened, line);
        shownOf(opened, line, 0.4);
        QTest::mouseClick(opened.child<QPushButton>("stopArrival"), Qt::LeftButton);
        QVERIFY(!opened.child<ArrivalStrip>("arrivalStrip")->isVisible());
        QCOMPARE(opened.session.files().size(), 1UL);
        QVERIFY(!opened.session.files()[0].part->is_arriving);
        QVERIFY(opened.window.findChild<QLabel*>(QStringLiteral("noticeText"))
                    ->text()
                    .contains(QStringLiteral("the partial run.pickle is kept")));
        line.came = line.bytes.size();
        QTest::qWait(200);
        QVERIFY(opened.session.files()[0].part.has_value());
    }

    void whoClosesItIsNotShownItAgainUntilItIsThere()
    {
        Line line;
        test::Opened opened({1200, 800});
        fetchBy(opened, line);
        shownOf(opened, line, 0.1);
        QTRY_VERIFY(strip(opened).contains(QStringLiteral("showing the first")));
        opened.session.remove(opened.session.files()[0].id);
        line.came = line.bytes.size() * 9 / 10;
        QTest::qWait(300);
        QVERIFY(opened.session.files().empty());
        line.came = line.bytes.size();
        line.is_over = true;
        QTRY_COMPARE_WITH_TIMEOUT(opened.session.files().size(), 1UL, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), kPatience);
        QVERIFY(!opened.session.files()[0].part);
    }

    void aCopyKnowsWhatItIsOf()
    {
        const QTemporaryDir folder;
        const remote::KeptCopies copies(pathFrom(folder.path()));
        const remote::Address address{"box", "", "", "run.pickle"};
        const QString path = pathText(copies.place(address).value());
        write(path, example().left(example().size() / 2));
        copies.keep(address, {1'000'000, 5}, remote::KeptPart{remote::Packer::none, {1, 250'000}});
        test::Opened opened({1200, 800});
        opened.show();
        opened.open({path});
        const OpenFile& file = opened.session.files()[0];
        QCOMPARE(file.part->share, 0.25);
        QVERIFY(!file.part->is_arriving);
        QCOMPARE(file.analysis.snapshot->file_bytes, std::uint64_t{1'000'000});

        // All of it came meanwhile.
        write(path, example());
        copies.keep(address, {1'000'000, 5});
        opened.session.readAgain(file.id);
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.files()[0].part, kPatience);
        QCOMPARE(opened.session.files()[0].analysis.snapshot->file_bytes, std::uint64_t{1'000'000});
    }

    void aPartWithNothingToShowIsNoFailure()
    {
        Line line;
        line.bytes = example();
        test::Opened opened({1200, 800});
        opened.show();
        write(line.folder.filePath(QStringLiteral("stub")), line.bytes.left(3));
        const FileId id = opened.session.showPart(
            line.copy(), line.folder.filePath(QStringLiteral("stub")), {0.1, true}, 100);
        QTRY_VERIFY_WITH_TIMEOUT(opened.session.find(id) == nullptr, kPatience);
        QVERIFY(opened.session.failures().empty());
    }
};

TIDEMARK_TEST(TstRemoteArrival)

} // namespace tidemark::tst_remote_arrival

#include "tst_remote_arrival.moc"
