// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/capacity_text.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/text.h"
#include "ui/models/view_link.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/window/analysis_page.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QPointer>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>

namespace tidemark::tst_session_keeper {

using namespace tidemark::ui;

class TstSessionKeeper : public test::UiTest {
    Q_OBJECT

    static constexpr int kPatience = 60000;

    QTemporaryDir m_folder;

    [[nodiscard]] QString copyOfExample(const QString& name) const
    {
        const QString path = m_folder.filePath(name);
        if (!QFile::exists(path)) {
            QFile::copy(test::examplePath(), path);
        }
        return path;
    }
    [[nodiscard]] QString sessionPath() const
    {
        return m_folder.filePath(QStringLiteral("kept/session.json"));
    }
    /// A window that reopens what was kept there.
    struct Started : test::Opened {
        explicit Started(const QString& kept)
            : Opened({1300, 860})
        {
            window.setSessionPath(kept);
            window.restoreSession();
            show();
        }
        void wait()
        {
            QTRY_VERIFY_WITH_TIMEOUT(!session.isLoading(), kPatience);
            QTRY_VERIFY_WITH_TIMEOUT(window.viewState().hasDevice()
                                         && window.viewState().diagnosis() != nullptr,
                                     kPatience);
            settle();
        }
        [[nodiscard]] QStringList notices() const
        {
            QStringList words;
            for (const QLabel* label : window.findChild<QWidget*>(QStringLiteral("noticeStrip"))
                                           ->findChildren<QLabel*>()) {
                words << label->text();
            }
            return words;
        }
    };

private Q_SLOTS:
    void init()
    {
        QFile::remove(sessionPath());
    }

    void aLinkSaysAllOfAView()
    {
        ViewLink link;
        link.file = QStringLiteral("/runs/a b&c=ü%.pickle");
        link.device = 3;
        link.is_time = true;
        link.range = Interval<double>{0.1, 1e9 / 3};
        link.cursor = StateId{4803};
        link.selection = Interval<StateId>{StateId{5}, StateId{50}};
        link.allocation = AllocationId(std::uint32_t{77});
        link.filter = QStringLiteral("size>100MiB -stack:attention");
        link.what_if = QStringLiteral("micro-batch=0.5");
        link.capacity = QStringLiteral("RTX-4090");
        link.note = QStringLiteral("look & see: 50 %");
        const QString text = linkText(link);
        QVERIFY(isLink(text) && !text.contains(u' '));
        const auto back = linkFromText(QStringLiteral("  ") % text % QStringLiteral("\n"));
        QVERIFY(back.has_value());
        QCOMPARE(linkText(*back), text);
        QCOMPARE(back->file, link.file);
        QCOMPARE(back->range->end, link.range->end);
        QCOMPARE(back->note, link.note);
    }

    void whatIsNoLinkIsRefused_data()
    {
        QTest::addColumn<QString>("text");
        const char* const texts[]{
            "",
            "tidemark:",
            "tidemark:view?",
            "tidemark:run?file=/a.pickle",
            "https://example.org/?file=/a.pickle",
            "tidemark:view?file=a.pickle", // Not absolute.
            "tidemark:view?file=host:/a.pickle",
            "tidemark:view?file=/a.pickle&exec=rm",
            "tidemark:view?file=/a.pickle&cursor=-1",
            "tidemark:view?file=/a.pickle&cursor=99999999999",
            "tidemark:view?file=/a.pickle&from=nan&to=5",
            "tidemark:view?file=/a.pickle&from=1e999&to=5",
            "tidemark:view?file=/a.pickle&from=7&to=5",
            "tidemark:view?file=/a.pickle&from=7",
            "tidemark:view?file=/a.pickle%00.txt",
            "tidemark:view?file=/a.pickle&note=%1b[31m",
            "tidemark:view?file=/a.pickle&note=%e2%80%ae",
            "tidemark:view?file=/a.pickle&axis=both",
        };
        for (const char* text : texts) {
            QTest::newRow(text) << QString::fromUtf8(text);
        }
        QTest::newRow("long") << QStringLiteral("tidemark:view?file=/a&note=")
                % QString(3000, u'x');
    }
    void whatIsNoLinkIsRefused()
    {
        QFETCH(QString, text);
        QVERIFY(!linkFromText(text).has_value());
    }

    void filesZoomCursorFilterWhatIfAndCapacityComeBack()
    {
        const QString path = copyOfExample(QStringLiteral("one.pickle"));
        const QString capacity = QStringLiteral("RTX-4090");
        Interval<double> range{};
        std::optional<Bytes> held;
        {
            Started first(sessionPath());
            first.open({path});
            ViewState& state = first.window.viewState();
            auto* field = first.child<QLineEdit>("capacity");
            field->setText(capacity);
            QTest::keyClick(field, Qt::Key_Return);
            QTRY_VERIFY_WITH_TIMEOUT(first.session.files()[0].analysis.input.capacity.has_value(),
                                     kPatience);
            held = state.diagnosis()->capacity;
            state.setRange({1000, 3000});
            state.setCursor(StateId{1234});
            state.selectRange(Interval<StateId>{StateId{1500}, StateId{2000}});
            first.window.analysisPage().panel<AllocationsPanel>().setFilter(
                QStringLiteral("softmax"));
            first.window.analysisPage().trial().setApplyText(QStringLiteral("x"),
                                                             QStringLiteral("micro-batch=0.5"));
            range = state.range();
            // It is there a moment later, however the program ends.
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(sessionPath()), 10000);
            QTest::qWait(2500);
        }
        Started second(sessionPath());
        second.wait();
        QCOMPARE(second.session.files().size(), std::size_t{1});
        ViewState& state = second.window.viewState();
        QTRY_COMPARE(state.cursor(), StateId{1234});
        QCOMPARE(state.range().begin, range.begin);
        QCOMPARE(state.range().end, range.end);
        QCOMPARE(state.selectedRange()->begin, StateId{1500});
        QCOMPARE(state.diagnosis()->capacity, held);
        QCOMPARE(second.child<QLineEdit>("capacity")->text(), capacity);
        QCOMPARE(second.window.analysisPage().panel<AllocationsPanel>().filter(),
                 QStringLiteral("softmax"));
        QCOMPARE(second.window.analysisPage().trial().applyText(),
                 QStringLiteral("micro-batch=0.5"));
    }

    void aPairComesBackAndFilesThatAreGoneAreOneNotice()
    {
        const QStringList paths{copyOfExample(QStringLiteral("a.pickle")),
                                copyOfExample(QStringLiteral("b.pickle")),
                                copyOfExample(QStringLiteral("gone.pickle"))};
        {
            Started first(sessionPath());
            for (const QString& path : paths) {
                first.open({path});
            }
            QTRY_COMPARE_WITH_TIMEOUT(static_cast<qsizetype>(first.session.files().size()),
                                      paths.size(), kPatience);
            first.window.compareFiles(first.session.files()[1].id, first.session.files()[0].id);
            first.window.saveSession();
        }
        QFile::remove(paths[2]);
        Started second(sessionPath());
        second.wait();
        QTRY_VERIFY_WITH_TIMEOUT(second.window.isComparing(), kPatience);
        QCOMPARE(second.session.files().size(), std::size_t{2});
        QCOMPARE(second.session.find(second.window.baseFile())->path, paths[1]);
        QCOMPARE(second.session.find(second.window.againstFile())->path, paths[0]);
        QVERIFY(!second.notices().filter(QStringLiteral("gone.pickle")).isEmpty());
        QVERIFY(second.session.failures().empty());
    }

    void itIsOffWhereThePersonSaysSo()
    {
        const QString path = copyOfExample(QStringLiteral("one.pickle"));
        {
            Started first(sessionPath());
            first.open({path});
            first.window.saveSession();
            QVERIFY(QFile::exists(sessionPath()));
            first.child<QAction>("restoreSession")->trigger();
            QVERIFY(!first.preferences.restoresSession());
            first.window.saveSession();
        }
        QVERIFY(!QFile::exists(sessionPath())); // Nothing is left of it either.
        Started second(sessionPath());
        QVERIFY(second.session.files().empty());
    }

    void filesThatEndedTheLastStartAreNotOpenedAgain()
    {
        const QString path = copyOfExample(QStringLiteral("one.pickle"));
        {
            Started first(sessionPath());
            first.open({path});
            first.window.saveSession();
        }
        QFile kept(sessionPath());
        QVERIFY(kept.open(QIODevice::ReadWrite));
        QByteArray bytes = kept.readAll();
        QVERIFY(bytes.contains("\"is_opening\": false"));
        bytes.replace("\"is_opening\": false", "\"is_opening\": true");
        kept.seek(0);
        kept.write(bytes);
        kept.resize(bytes.size());
        kept.close();
        Started second(sessionPath());
        QVERIFY(second.session.files().empty());
        QCOMPARE(second.notices().size() > 0, true);
    }

    void aDamagedSessionIsNone_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("hello");
        QTest::newRow("device") << QByteArray(
            R"({"version":1,"files":["tidemark:view?file=/dev/zero",5,"tidemark:view?file=/tmp"]})");
    }
    void aDamagedSessionIsNone()
    {
        QFETCH(QByteArray, bytes);
        QDir().mkpath(QFileInfo(sessionPath()).path());
        QFile kept(sessionPath());
        QVERIFY(kept.open(QIODevice::WriteOnly));
        kept.write(bytes);
        kept.close();
        const Started started(sessionPath());
        QVERIFY(started.session.files().empty());
    }

    void aCopiedLinkOpensTheViewElsewhere()
    {
        const QString path = copyOfExample(QStringLiteral("one.pickle"));
        {
            Started first(sessionPath());
            first.open({path});
            first.window.viewState().setRange({1000, 3000});
            first.window.viewState().setCursor(StateId{1234});
            first.child<QAction>("copyLink")->trigger();
        }
        const QString link = QGuiApplication::clipboard()->text();
        QVERIFY2(isLink(link), qPrintable(link));
        test::Opened second({1300, 860});
        second.show();
        QTest::keyClick(&second.window, Qt::Key_V, Qt::ControlModifier); // Open from Clipboard.
        QTRY_COMPARE_WITH_TIMEOUT(second.session.files().size(), std::size_t{1}, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!second.session.isLoading(), kPatience);
        QTRY_COMPARE(second.window.viewState().cursor(), StateId{1234});
        QCOMPARE(second.window.viewState().range().begin, 1000.0);
        QCOMPARE(second.session.files()[0].path, path);
    }

    void whatTheCommandLineGivesIsThereForALinkAndForTheLastSession()
    {
        const QString path = copyOfExample(QStringLiteral("given.pickle"));
        diagnose::UserInput given;
        given.message = "CUDA out of memory.";
        given.gpus = 4;
        given.config = config::RunConfig{};
        given.config->micro_batch = 2;
        given.config_name = "ds_config.json";
        const QString link = QStringLiteral("tidemark:view?capacity=24GB&file=")
            % QFileInfo(path).absoluteFilePath();
        const auto check = [&](const Session& session, const char* capacity) {
            QCOMPARE(session.files().size(), std::size_t{1});
            const diagnose::UserInput& input = session.files()[0].input;
            QCOMPARE(input.gpus, 4);
            QVERIFY(input.config && input.config->micro_batch == 2);
            QCOMPARE(input.config_name, std::string("ds_config.json"));
            QCOMPARE(input.capacity_words, std::string(capacity));
            QVERIFY(input.capacity.has_value());
        };
        {
            test::Opened opened({1300, 860});
            opened.session.setGivenInput(given);
            opened.window.setSessionPath(sessionPath());
            opened.window.openLink(link, given);
            check(opened.session, "24GB");
            QCOMPARE(opened.session.files()[0].input.message, given.message);
            QVERIFY(opened.session.files()[0].input.capacity_unsure.value > 0);
            QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), kPatience);
            opened.window.saveSession();
        }
        {
            test::Opened opened({1300, 860});
            opened.session.setGivenInput(given);
            opened.window.setSessionPath(sessionPath());
            opened.window.restoreSession();
            check(opened.session, "24GB");
            QVERIFY(opened.session.files()[0].input.message.empty()); // Of another run.
            QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), kPatience);
        }
        // What is given now holds more than what was said then.
        plan::parseCapacity("80GB").value().giveTo(given);
        test::Opened opened({1300, 860});
        opened.session.setGivenInput(given);
        opened.window.openLink(link, given);
        check(opened.session, "80GB");
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), kPatience);
    }

    void aHostileLinkOpensNothing()
    {
        test::Opened opened({1300, 860});
        opened.show();
        for (const char* link : {"tidemark:view?file=/dev/zero", "tidemark:view?file=/tmp",
                                 "tidemark:view?file=/nowhere/x.pickle&note=%3Cb%3Ebold",
                                 "tidemark:run?file=/bin/sh"}) {
            opened.window.openLink(QString::fromUtf8(link));
            QVERIFY(opened.session.files().empty());
        }
    }

    void aRecentFileSaysItsSizeItsPeakAndItsWholeName()
    {
        const QString name =
            QStringLiteral("a_run_with_a_name_that_is_far_longer_than_its_card_and_"
                           "that_ends_in_rank_7.pickle");
        test::Opened opened({1024, 700});
        opened.show();
        opened.open({copyOfExample(name)});
        opened.session.remove(opened.session.files()[0].id);
        opened.settle();
        const auto buttons = opened.child<QWidget>("recentCard")->findChildren<QToolButton*>();
        QCOMPARE(buttons.size(), 1);
        // Its beginning and its end are there.
        QVERIFY2(buttons[0]->text().startsWith(QStringLiteral("a_run"))
                     && buttons[0]->text().endsWith(QStringLiteral("7.pickle")),
                 qPrintable(buttons[0]->text()));
        QVERIFY(buttons[0]->sizeHint().width() <= buttons[0]->width());
        const QString facts = opened.child<QLabel>("recentFacts")->toolTip();
        QVERIFY2(facts.contains(QStringLiteral("iB · peak ")), qPrintable(facts));
        // The lines to copy are whole, however low the window is.
        opened.window.resize(opened.window.minimumSizeHint());
        opened.settle();
        const auto* lines = opened.child<QLabel>("recordingLines");
        QVERIFY(lines->width() >= lines->sizeHint().width());
        QVERIFY(lines->height() >= lines->sizeHint().height());
        QVERIFY(opened.child<QWidget>("planButton")->isVisible());
        QVERIFY(opened.child<QWidget>("explainButton")->isVisible());
    }

    void quitEndsTheProgramWhileADialogIsOpen_data()
    {
        QTest::addColumn<QString>("dialog");
        for (const char* name : {"explain", "plan", "keys"}) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }
    void quitEndsTheProgramWhileADialogIsOpen()
    {
        QFETCH(QString, dialog);
        test::Opened opened({1300, 860});
        opened.show();
        opened.open({test::examplePath()});
        const QPointer<QWidget> shown = opened.window.openDialog(dialog);
        QVERIFY(shown != nullptr);
        QVERIFY(QTest::qWaitForWindowActive(shown));
        QWidget* const focus =
            shown->focusWidget() != nullptr ? shown->focusWidget() : shown.data();
        QTest::keyClick(focus, Qt::Key_Q, Qt::ControlModifier);
        QTRY_VERIFY(!opened.window.isVisible());
        QTRY_VERIFY(shown == nullptr || !shown->isVisible());
    }

    void quitEndsTheProgramWhileAFileIsAskedFor_data()
    {
        QTest::addColumn<QString>("action");
        for (const char* name : {"open", "report", "picture", "openFolder", "saveRules"}) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }
    void quitEndsTheProgramWhileAFileIsAskedFor()
    {
        QFETCH(QString, action);
        test::Opened opened({1300, 860});
        opened.show();
        opened.open({test::examplePath()});
        bool was_asked = false;
        QTimer::singleShot(100, &opened.window, [&] {
            QWidget* const dialog = QApplication::activeModalWidget();
            was_asked = dialog != nullptr;
            QTest::keyClick(dialog, Qt::Key_Q, Qt::ControlModifier);
        });
        opened.window.findChild<QAction*>(action)->trigger(); // Returns when the dialog is gone.
        QVERIFY(was_asked);
        QTRY_VERIFY(!opened.window.isVisible());
    }

    void quitEndsTheProgramWhileAMenuIsOpen()
    {
        test::Opened opened({1300, 860});
        opened.show();
        auto* menu = opened.child<QMenu>("file");
        menu->popup(opened.window.mapToGlobal(QPoint(50, 50)));
        QVERIFY(QApplication::activePopupWidget() == menu);
        QTest::keyClick(menu, Qt::Key_Q, Qt::ControlModifier);
        QTRY_VERIFY(!opened.window.isVisible());
        QVERIFY(!menu->isVisible());
    }

    void aReportThatIsNotSavedIsNoHarm()
    {
        test::Opened opened({1300, 860});
        opened.show();
        opened.open({test::examplePath()});
        QTimer::singleShot(100, &opened.window, [] {
            QTest::keyClick(QApplication::activeModalWidget(), Qt::Key_Escape);
        });
        opened.window.findChild<QAction*>(QStringLiteral("report"))->trigger();
        QVERIFY(opened.window.isVisible());
    }

    void theFindingIsCopiedAsMarkdown()
    {
        test::Opened opened({1300, 860});
        opened.show();
        opened.open({test::examplePath()});
        opened.child<QAction>("copyFinding")->trigger();
        const QString words = QGuiApplication::clipboard()->text();
        QVERIFY2(words.startsWith(QStringLiteral("**")), qPrintable(words));
        QVERIFY(words.contains(text(opened.window.viewState().diagnosis()->headline)));
        QVERIFY(words.trimmed().count(u'\n') < 25);
        QGuiApplication::clipboard()->clear();
        opened.child<QAction>("redacts")->trigger();
        opened.child<QAction>("copyFinding")->trigger();
        QTRY_VERIFY(
            QGuiApplication::clipboard()->text().contains(QStringLiteral("names replaced")));
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(words.section(u'\n', 0, 0)));
    }
};

TIDEMARK_TEST(TstSessionKeeper)

} // namespace tidemark::tst_session_keeper

#include "tst_session_keeper.moc"
